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

__all__ = ["rewrite_config"]

_I32: Final = Struct("<i")
_PANES: Final = (0x2810, 0x2811, 0x2812, 0x2813, 0x2910, 0x2911, 0x2912)
_PANE_SIZE: Final = 80
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


def _panes(config: Config, change: Change) -> Iterator[tuple[Chunk, bytes]]:
    for pane in _PANES:
        for path in ((0x2080, pane), (0x2080, 0x8200, 0x8220, pane)):
            for chunk in chunks_at(config, path):
                body = bytearray(chunk.data)
                if len(body) != _PANE_SIZE or _I32.unpack_from(body, _TYPE)[0] != _CAMERA_VIEW:
                    continue
                (index,) = _I32.unpack_from(body, _CAMERA)
                new = change(index)
                if new is None:
                    _I32.pack_into(body, _TYPE, _PERSPECTIVE)
                _I32.pack_into(body, _CAMERA, new or 0)
                if body != chunk.data:
                    yield chunk, bytes(body)


def _rows(config: Config, change: Change) -> Iterator[tuple[Chunk, bytes]]:
    for row, offsets in _ROWS.items():
        for chunk in chunks_at(config, (0x20A0, 0x0110, row)):
            body = bytearray(chunk.data)
            if len(body) != 12:
                continue
            for offset in offsets:
                (index,) = _I32.unpack_from(body, offset)
                new = change(index) if index >= 0 else index
                _I32.pack_into(body, offset, -1 if new is None else new)
            if body != chunk.data:
                yield chunk, bytes(body)
