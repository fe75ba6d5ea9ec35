"""Map Extender: a map channel that a plug-in of Ubi Soft stored (spec: payload catalogue, part P).

The modifier keeps nothing of its own; the map lies in the local data, which is a leaf whose bytes
are chunks, or a container of the same chunks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import ChunkError, DecodeError, EditError
from maxsidecar.io.codecs import U32, Codec, wrong_size
from maxsidecar.io.headers import Buffer, scan
from maxsidecar.scene.derived import ModifierContext
from maxsidecar.scene.geometry.stored.tables import Rows, Table
from maxsidecar.scene.layouts import COMMON, Layout
from maxsidecar.scene.modifiers.view_base import LOCAL, LocalModifier
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["MAP_EXTENDER", "ExtenderMap", "MapExtender"]

MAP_EXTENDER: Final = (0x2EC82081, 0x045A6271)
_VERTEX_COUNT, _VERTICES, _FACE_COUNT, _FACES, _CHANNEL = 0x3E8, 0x3E9, 0x3EA, 0x3EB, 0x3F3
_VERTEX_ROWS: Final = Rows("map vertices", "f", 3, counted=False)
_FACE_ROWS: Final = Rows("map faces", "I", 3, counted=False)


@dataclass(frozen=True, slots=True)
class ExtenderMap:
    """The map channel of one object.

    Attributes:
        channel: Number of the map channel that it replaces.
        vertices: (n, 3) float32: u, v, w.
        faces: (f, 3) uint32: map vertices of each triangle.
    """

    channel: int
    vertices: npt.NDArray[np.float32]
    faces: npt.NDArray[np.uint32]


class _Stream(Codec[bytes]):
    """A leaf whose bytes are chunks, kept as they are."""

    kind = "map channel"

    def decode(self, data: Buffer) -> bytes:
        """Return the bytes.

        Raises:
            DecodeError: They are no chunks, or no map that fits together.
        """
        read_chunks(_bodies(data))
        return bytes(data)

    def encode(self, value: bytes) -> bytes:
        """Return the bytes.

        Raises:
            EditError: They are no map.
        """
        if not isinstance(value, bytes):
            raise EditError("not the bytes of a map", found=type(value).__name__)
        try:
            self.decode(value)
        except DecodeError as error:
            raise EditError(error.message) from None
        return value

    def schema(self) -> dict[str, Any]:
        """Return the schema of hex text."""
        return {"type": "string", "pattern": "^hex:([0-9a-f]{2})*$"}


def _bodies(data: Buffer) -> dict[int, memoryview]:
    try:
        spans = scan(data, 0, len(data))
    except ChunkError as error:
        raise DecodeError(f"the map is no run of chunks: {error.message}") from None
    view = memoryview(data)
    return {span[0]: view[span[2] : span[3]] for span in reversed(spans)}


def read_chunks(bodies: dict[int, memoryview]) -> ExtenderMap | None:
    """Return the map that chunks hold; ``None`` where there is none.

    Args:
        bodies: Bodies of the chunks by id.

    Raises:
        DecodeError: A chunk is missing, or they do not fit together.
    """
    if _VERTICES not in bodies and _FACES not in bodies:
        return None
    missing = {_VERTEX_COUNT, _VERTICES, _FACE_COUNT, _FACES} - set(bodies)
    if missing:
        raise DecodeError(f"the map has no chunk {min(missing):04x}")
    vertices: Table = _VERTEX_ROWS.decode(bodies[_VERTICES])
    faces: Table = _FACE_ROWS.decode(bodies[_FACES])
    for chunk_id, table in ((_VERTEX_COUNT, vertices), (_FACE_COUNT, faces)):
        if len(bodies[chunk_id]) != 4:
            raise wrong_size("a count", 4, len(bodies[chunk_id]))
        count = U32.decode(bodies[chunk_id])
        if count != len(table):
            raise DecodeError("the map has another size", expected=count, found=len(table))
    channel = U32.decode(bodies[_CHANNEL]) if _CHANNEL in bodies else 1
    return ExtenderMap(channel, vertices.array, faces.array)


def _local() -> Layout:
    layout = Layout.read(
        "03e8:vertex_count=u32 03ea:face_count=u32 03ec=u16s 03ed=u32 03f3:channel=u32 03f5=u32s"
        " 044c=u32x2",
        COMMON,
    )
    layout.leaves |= {_VERTICES: ("vertices", _VERTEX_ROWS), _FACES: ("faces", _FACE_ROWS)}
    return layout


@register(superclass=0x810, class_id=MAP_EXTENDER)
class MapExtender(LocalModifier):
    """A stored map channel."""

    __slots__ = ()
    local = _local()
    local_leaf = _Stream()

    def read_map(self, context: ModifierContext | None) -> ExtenderMap | None:
        """Return the map of an object; ``None`` where nothing is stored.

        Args:
            context: What belongs to the modifier on the object.

        Raises:
            DecodeError: It is not stored as is known.
        """
        outer = None if context is None else context.container()
        chunk = outer.find(LOCAL) if outer is not None and outer.container else None
        if chunk is None:
            return None
        try:
            if chunk.container:
                return read_chunks({c.id: c.data for c in chunk.chunks() if not c.container})
            return read_chunks(_bodies(chunk.data))
        except DecodeError as error:
            where = chunk.where
            error.locate(file=where.file, stream=where.stream, path=where.path, offset=where.offset)
            raise
