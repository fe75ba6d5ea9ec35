"""All or nothing: a change of the scene's structure that fails leaves the scene as it was."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from maxsidecar.io.chunks import Buffer
from maxsidecar.scene.scene import Scene

__all__ = ["Transaction"]

#: Streams that change together with the objects.
_STREAMS = ("Config", "ClassDirectory", "ClassDirectory3", "DllDirectory")


class Transaction:
    """Remembers a scene; an error inside the ``with`` block, or :meth:`undo`, brings it back.

    Views of objects that came in the meantime must not be used after that.
    """

    def __init__(self, scene: Scene) -> None:
        """Remember the scene as it is now."""
        self.scene = scene
        self._list = scene.list_state()
        self._objects = list(self._list[1].values())
        self._contents = [obj.data.data for obj in self._objects]
        self._classes = scene.directories
        self._streams: dict[str, Buffer] = {}
        if scene.streams is not None:
            streams = scene.streams.streams
            self._streams = {n: streams[n].content for n in _STREAMS if n in streams}

    def undo(self) -> None:
        """Bring the scene back to what it was."""
        self.scene.restore_list(self._list)
        for obj, data in zip(self._objects, self._contents, strict=True):
            if obj.data.data is not data:
                obj.data.replace_all(data)
        self.scene.directories = self._classes
        streams = self.scene.streams.streams if self.scene.streams is not None else {}
        for name, content in self._streams.items():
            if streams[name].content is not content:
                streams[name].replace(content)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Undo everything when there was an error."""
        if error is not None:
            self.undo()
