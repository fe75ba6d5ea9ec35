"""Storage indices in the ``Config`` stream: cameras of viewports, and rows of Track View windows.

A viewport of type 8 looks through a camera and names its node (measured: 19 of 19).  A Track View
remembers rows that are unfolded (``360``: an object; ``340``: an object and one below it), -1 for
none (measured: 923 and 190 rows, the Scene object itself among them).
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Final

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.config import Config
from maxsidecar.scene.restructure.places import Change, chunks_at, replace_bodies

__all__ = ["read_config", "rewrite_config"]

_I32: Final = Struct("<i")
_PANES: Final = (0x2810, 0x2811, 0x2812, 0x2813, 0x2910, 0x2911, 0x2912)
_PANE_SIZE: Final = 80
_ROW_SIZE: Final = 12
_TYPE: Final = 4
_CAMERA: Final = 76
_CAMERA_VIEW: Final = 8
_PERSPECTIVE: Final = 7
#: Offsets of the indices in rows of a Track View.
_ROWS: Final = {0x0340: (0, 4), 0x0360: (0,)}


def rewrite_config(config: Config, change: Change) -> None:
    """Put the new indices into the stream.

    A viewport whose camera is gone becomes a perspective view that looks where the camera did.

    Raises:
        ChunkError: The stream is damaged.
    """
    replace_bodies(config, list(_panes(config, change)))
    replace_bodies(config, list(_rows(config, change)))


def read_config(config: Config) -> Iterator[tuple[str, int]]:
    """Yield what names an object, and its storage index; what names none is left out.

    Raises:
        ChunkError: The stream is damaged.
    """
    for chunk in _pane_leaves(config):
        if _I32.unpack_from(chunk.data, _TYPE)[0] == _CAMERA_VIEW:
            yield "the camera of a viewport", _I32.unpack_from(chunk.data, _CAMERA)[0]
    for chunk, offsets in _row_leaves(config):
        for offset in offsets:
            (index,) = _I32.unpack_from(chunk.data, offset)
            if index >= 0:
                yield "a row of a Track View", index


def _pane_leaves(config: Config) -> Iterator[Chunk]:
    for pane in _PANES:
        for path in ((0x2080, pane), (0x2080, 0x8200, 0x8220, pane)):
            yield from (leaf for leaf in chunks_at(config, path) if len(leaf.data) == _PANE_SIZE)


def _row_leaves(config: Config) -> Iterator[tuple[Chunk, tuple[int, ...]]]:
    for row, offsets in _ROWS.items():
        for chunk in chunks_at(config, (0x20A0, 0x0110, row)):
            if len(chunk.data) == _ROW_SIZE:
                yield chunk, offsets


def _panes(config: Config, change: Change) -> Iterator[tuple[Chunk, bytes]]:
    for chunk in _pane_leaves(config):
        body = bytearray(chunk.data)
        if _I32.unpack_from(body, _TYPE)[0] != _CAMERA_VIEW:
            continue
        (index,) = _I32.unpack_from(body, _CAMERA)
        new = change(index)
        if new is None:
            _I32.pack_into(body, _TYPE, _PERSPECTIVE)
        _I32.pack_into(body, _CAMERA, new or 0)
        if body != chunk.data:
            yield chunk, bytes(body)


def _rows(config: Config, change: Change) -> Iterator[tuple[Chunk, bytes]]:
    for chunk, offsets in _row_leaves(config):
        body = bytearray(chunk.data)
        for offset in offsets:
            (index,) = _I32.unpack_from(body, offset)
            new = change(index) if index >= 0 else index
            _I32.pack_into(body, offset, -1 if new is None else new)
        if body != chunk.data:
            yield chunk, bytes(body)
