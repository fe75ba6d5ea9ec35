"""Names of scene objects that stay the same when other objects come and go."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.node import RootNode
from maxsidecar.scene.scene import Scene
from maxsidecar.sidecar.text_values import quoted

__all__ = ["ObjectNames"]


class ObjectNames:
    """Names of the objects of a scene.

    A node is named by its handle (``@12``), or by its storage index in files without handles; any
    other object by its class and its number within the class (``"Box"#2``).
    """

    def __init__(self, scene: Scene) -> None:
        """Read nothing yet."""
        self.scene = scene

    @cached_property
    def _numbers(self) -> list[int]:
        counts: Counter[str] = Counter()
        out: list[int] = []
        for index in range(len(self.scene)):
            name = self._class(index)
            counts[name] += 1
            out.append(counts[name])
        return out

    @cached_property
    def handles(self) -> dict[int, int]:
        """Handle of each node by storage index; empty when they are missing or repeat."""
        found: dict[int, int] = {}
        for node in self.scene.nodes.values():
            try:
                handle = node.handle
            except MaxSidecarError:
                continue
            if handle is not None:
                found[node.index] = handle
        return found if len(set(found.values())) == len(found) else {}

    def _class(self, index: int) -> str:
        chunk_id = self.scene.chunk_id(index)
        info = self.scene.class_info(chunk_id)
        if info is None:
            return f"class {chunk_id:04x}"
        return info.name or f"{info.superclass:x}:{info.class_id}"

    def name(self, index: int) -> str:
        """Return the name of the object with a storage index."""
        if not 0 <= index < len(self.scene):
            return f"(no object {index})"
        obj = self.scene.nodes.get(index)
        if isinstance(obj, RootNode):
            return "@root"
        if obj is not None:
            # Where most nodes have a handle, an index could be taken for one.
            mark = "@index " if self.handles else "@"
            return f"@{self.handles[index]}" if index in self.handles else f"{mark}{index}"
        return f"{quoted(self._class(index))}#{self._numbers[index]}"
