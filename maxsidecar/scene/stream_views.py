"""Typed views of whole streams, found by the stream's name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, TypeVar

from maxsidecar.io.chunks import OPEN_NARROW, ChunkData
from maxsidecar.io.views import ChunkView

__all__ = ["CHUNK_STREAMS", "StreamView", "register_stream", "stream_view_class"]

S = TypeVar("S", bound="StreamView")

_views: dict[str, type[StreamView]] = {}

#: Logical names of the streams that are made of chunks (measured on the whole corpus), with the
#: module that shows each.  Modules are imported when a stream is asked for: most programs look
#: at one or two of them, and importing all takes longer than opening a scene.
_MODULES: Final = {
    "Scene": None,
    "ClassDirectory": "directories",
    "ClassDirectory3": "directories",
    "DllDirectory": "directories",
    "ClassData": "class_data",
    "Config": "config",
    "VideoPostQueue": "video_post",
    "SaveConfigData": "save_config",
    "ScriptedCustAttribDefs": "custom_attributes",
}

CHUNK_STREAMS: Final = frozenset(_MODULES)


class StreamView(ChunkView):
    """A view of a chunk stream; looks through the open wrapper of compressed 2024 saves."""

    __slots__ = ()

    def __init__(self, data: ChunkData) -> None:
        """Look at the stream."""
        wrapper = None
        if bytes(data.data[2:6]) == b"\xff\xff\xff\xff":
            first = next(data.chunks(), None)
            if first is not None and first.form == OPEN_NARROW:
                wrapper = first
        super().__init__(data, wrapper)


def register_stream(*names: str) -> Callable[[type[S]], type[S]]:
    """Class decorator: this view shows the streams with these logical names."""

    def add(view: type[S]) -> type[S]:
        for name in names:
            _views[name] = view
        return view

    return add


def stream_view_class(name: str) -> type[StreamView] | None:
    """Return the view class of a chunk stream, ``None`` for a stream that is not made of chunks."""
    if name not in _views and _MODULES.get(name) is not None:
        import_module(f"maxsidecar.scene.{_MODULES[name]}")
    return _views.get(name, StreamView if name in CHUNK_STREAMS else None)
