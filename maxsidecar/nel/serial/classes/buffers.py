"""Vertex and index buffers (``src/3d/vertex_buffer.cpp``, ``index_buffer.cpp``)."""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxsidecar.errors import EditError
from maxsidecar.nel.serial.arrays import Array, put_array, take_array
from maxsidecar.nel.serial.classes.vertex_layout import (
    DEFAULT_TYPES,
    SLOTS,
    TYPES,
    flags_of,
    layout,
    old_layout,
)
from maxsidecar.nel.serial.containers import Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import STRING, U16, U32, Enum, Kind, Row, Version
from maxsidecar.nel.serial.stream import Reader, Writer

__all__ = [
    "CIndexBuffer",
    "CIndexBufferV0",
    "CVertexBuffer",
    "CVertexBufferHeader",
    "CVertexBufferSubset",
    "Layout",
]

#: Type of a vertex, and how many there are.
Layout = tuple["np.dtype[Any]", int]

#: Type of three 32-bit floats.
_THREE: Final = 7

MEMORY: Final = Enum(
    {0: "RAMPreferred", 1: "AGPPreferred", 2: "StaticPreferred", 3: "RAMVolatile", 4: "AGPVolatile"}
)


class Vertices(Kind[NDArray[Any]]):
    """The vertices of a buffer, in the layout that the context tells: a :data:`Layout`."""

    label = "vertices, one structure each"

    def fresh(self) -> NDArray[Any]:
        """Return no vertices."""
        return np.empty(0, np.dtype([]))

    def read(self, reader: Reader) -> NDArray[Any]:
        """Return the vertices."""
        dtype, count = reader.context
        if not dtype.itemsize:
            # Vertices without values take no bytes, however many there are.
            return np.empty(0, dtype)
        reader.check_count(count, dtype.itemsize, reader.pos)
        return take_array(reader, dtype, count)

    def write(self, writer: Writer, value: Any) -> None:
        """Append the vertices."""
        dtype, count = writer.context
        if dtype.itemsize:
            put_array(writer, value, dtype, count)


class CVertexBufferHeader(Serial, nel="CVertexBuffer::Header"):
    """What each vertex has, and how many there are."""

    version: int = field(Version(3), "format of the header")
    old_flags: int = field(
        U32,
        "bits: 1 position, 2 4 8 16 weights, 0x20 normal, 0x40 colour, 0x80 specular colour, "
        "0x100 << i coordinates i, 0x10000 with all weights matrix indices",
        until=0,
    )
    flags: int = field(U16, "bit i for slot i: " + " ".join(SLOTS), since=1)
    types: tuple[int, ...] = field(
        Row("B", 16, "16 × u8", DEFAULT_TYPES),
        "type of each slot: " + ", ".join(f"{i} {n} × {c}" for i, (c, n) in enumerate(TYPES)),
        since=1,
    )
    num_vertices: int = field(U32, "number of vertices")
    color_order: int = field(
        Enum({0: "RGBA", 1: "BGRA"}, 0, "B"), "order of the colours' bytes", since=2
    )
    preferred_memory: int = field(MEMORY, "where the game would keep it", since=3)
    name: str = field(STRING, "name of the buffer, for debugging", since=3)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of a vertex.

        Raises:
            EditError: A slot has a type that does not exist.
        """
        return layout(self.flags, tuple(self.types)) if self.version else old_layout(self.old_flags)


class CVertexBufferSubset(Serial, nel="CVertexBuffer::Subset"):
    """Vertices with consecutive numbers; the layout is that of the header around."""

    version: int = field(Version(2), "format of the subset")
    vertices: NDArray[Any] = field(Vertices(), "the vertices")
    uv_routing: tuple[int, ...] = field(
        Row("B", 8, "8 × u8", tuple(range(8))), "coordinates that each stage takes", since=2
    )


class _Subset(Nested[CVertexBufferSubset]):
    """All vertices of a buffer, behind its header."""

    def read(self, reader: Reader) -> CVertexBufferSubset:
        buffer: Any = reader.stack[-1]
        reader.context = _checked_layout(reader, buffer.header)
        return super().read(reader)

    def write(self, writer: Writer, value: CVertexBufferSubset) -> None:
        buffer: Any = writer.stack[-1]
        writer.context = buffer.header.dtype, buffer.header.num_vertices
        super().write(writer, value)


def _checked_layout(reader: Reader, header: CVertexBufferHeader) -> Layout:
    try:
        return header.dtype, header.num_vertices
    except EditError as error:
        raise reader.fail(error.message, error.expected, error.found) from error


class _OldVertices(Vertices):
    """All vertices of a buffer without a header."""

    def read(self, reader: Reader) -> NDArray[Any]:
        buffer: Any = reader.stack[-1]
        reader.context = buffer.old_dtype, buffer.num_vertices
        return super().read(reader)

    def write(self, writer: Writer, value: Any) -> None:
        buffer: Any = writer.stack[-1]
        writer.context = buffer.old_dtype, buffer.num_vertices
        super().write(writer, value)


class CVertexBuffer(Serial):
    """The vertices of a mesh; see :meth:`of` for making one."""

    version: int = field(Version(2), "format of the buffer")
    old_flags: int = field(U32, "as in old headers", until=1)
    num_vertices: int = field(U32, "number of vertices", until=1)
    old_vertices: NDArray[Any] = field(_OldVertices(), "the vertices", until=1)
    header: CVertexBufferHeader = field(Nested(CVertexBufferHeader), "layout", since=2)
    subset: CVertexBufferSubset = field(_Subset(CVertexBufferSubset), "the vertices", since=2)

    @property
    def old_dtype(self) -> np.dtype[Any]:
        """Type of a vertex of a buffer without a header."""
        return old_layout(self.old_flags, palette=self.version >= 1)

    @property
    def vertices(self) -> NDArray[Any]:
        """The vertices, a structured array with the slots as fields, whatever the version."""
        return self.subset.vertices if self.version >= 2 else self.old_vertices

    @classmethod
    def of(cls, preferred_memory: int = 0, **slots: ArrayLike) -> Self:
        """Return a buffer of vertices.

        Args:
            preferred_memory: 0 for skinned and morphed meshes, 2 for others.
            slots: Arrays of equal length by the names of
                :data:`~maxsidecar.nel.serial.classes.vertex_layout.SLOTS`: ``position=``,
                ``normal=``, ``uv0=`` (two numbers, or three for tangents), ``color=`` (RGBA
                bytes), ``weight=`` (as many as the array has), ``palette_skin=``.

        Raises:
            EditError: A name is no slot, or an array has the wrong shape.
        """
        flags = flags_of(list(slots))
        types = list(DEFAULT_TYPES)
        arrays = {name: np.asarray(values) for name, values in slots.items()}
        if "weight" in arrays and arrays["weight"].ndim == 2:
            width = arrays["weight"].shape[1]
            if not 1 <= width <= 4:
                raise EditError("wrong number of weights", expected="1 to 4", found=width)
            types[SLOTS.index("weight")] = (1, 4, 7, 10)[width - 1]
        for slot, values in arrays.items():
            if slot.startswith("uv") and values.ndim == 2 and values.shape[1] == 3:
                types[SLOTS.index(slot)] = _THREE
        dtype = layout(flags, tuple(types))
        count = len(next(iter(arrays.values()))) if arrays else 0
        vertices = np.zeros(count, dtype)
        for name, values in arrays.items():
            wanted = vertices[name].shape
            shaped = values.reshape(wanted) if values.size == np.prod(wanted, dtype=int) else values
            if shaped.shape != wanted:
                message = f"wrong shape of the vertex slot {name}"
                raise EditError(message, expected=str(wanted), found=str(values.shape))
            vertices[name] = shaped
        header = CVertexBufferHeader(
            flags=flags, types=tuple(types), num_vertices=count, preferred_memory=preferred_memory
        )
        return cls(header=header, subset=CVertexBufferSubset(vertices=vertices))


class CIndexBufferV0(Serial, nel="CIndexBuffer of version 0"):
    """One of the three lists of the oldest buffers."""

    number: int = field(U32, "number of elements")
    capacity: int = field(U32, "number of elements there is room for")
    indices: NDArray[np.uint32] = field(Array("<u4", "u32"), "vertex numbers")


class CIndexBuffer(Serial):
    """The faces of a mesh: three vertex numbers each."""

    version: int = field(Version(2), "format of the buffer")
    lines_v0: CIndexBufferV0 = field(Nested(CIndexBufferV0), "lines", until=0)
    triangles_v0: CIndexBufferV0 = field(Nested(CIndexBufferV0), "triangles", until=0)
    quads_v0: CIndexBufferV0 = field(Nested(CIndexBufferV0), "quadrangles", until=0)
    number: int = field(
        U32, "number of indices", since=1, derive=lambda buffer: len(buffer.indices)
    )
    capacity: int = field(
        U32, "number there is room for", since=1, derive=lambda buffer: len(buffer.indices)
    )
    indices: NDArray[np.uint32] = field(Array("<u4", "u32"), "vertex numbers", since=1)
    preferred_memory: int = field(MEMORY, "where the game would keep it", since=1)
    old_memory: tuple[int, ...] = field(
        Row("B", 5, "5 × bool"), "where old games would keep it", since=1, until=1
    )

    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Vertex numbers of the triangles, shape ``(n, 3)``, whatever the version.

        Raises:
            EditError: Their number is no multiple of three.
        """
        indices = self.indices if self.version else self.triangles_v0.indices
        if len(indices) % 3:
            raise EditError("not whole triangles", expected="a multiple of 3", found=len(indices))
        return indices.reshape(-1, 3)

    @classmethod
    def of(cls, triangles: ArrayLike) -> Self:
        """Return a buffer of triangles, shape ``(n, 3)``."""
        return cls(indices=np.asarray(triangles, "<u4").reshape(-1))
