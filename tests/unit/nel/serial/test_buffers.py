"""Vertex and index buffers of every version, on bytes built by hand."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.nel.serial.classes.buffers import CIndexBuffer, CVertexBuffer
from maxsidecar.nel.serial.classes.vertex_layout import SLOTS, layout, old_layout

POSITION, NORMAL, UV0, UV1, COLOR, WEIGHT, PALETTE = 1, 2, 4, 8, 1 << 10, 1 << 12, 1 << 13
#: What current writers put into the slots that a buffer does not have, too.
TYPES = bytes([7, 7, 4, 4, 4, 4, 4, 4, 4, 4, 12, 12, 10, 12, 1, 1])


def header(version: int, flags: int, count: int, types: bytes = TYPES) -> bytes:
    data = bytes([version]) + pack("<H", flags) + types + pack("<I", count)
    data += b"\0" if version >= 2 else b""
    return data + (pack("<iI", 2, 0) if version >= 3 else b"")


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("subset", [0, 1, 2])
def test_current_buffers(version: int, subset: int) -> None:
    vertex = pack("<8f4B", 1, 2, 3, 0, 0, 1, 0.25, 0.75, 9, 8, 7, 255)
    data = b"\2" + header(version, POSITION | NORMAL | UV0 | COLOR, 2)
    data += bytes([subset]) + vertex + pack("<8f4B", *range(8), 1, 2, 3, 4)
    data += bytes(range(8)) if subset >= 2 else b""
    buffer = CVertexBuffer.from_bytes(data)
    assert buffer.vertices.dtype.names == ("position", "normal", "uv0", "color")
    assert buffer.vertices["position"].tolist() == [[1, 2, 3], [0, 1, 2]]
    assert buffer.vertices["uv0"].tolist() == [[0.25, 0.75], [6, 7]]
    assert buffer.vertices["color"].tolist() == [[9, 8, 7, 255], [1, 2, 3, 4]]
    assert buffer.to_bytes() == data


def test_types_of_absent_slots_do_not_matter() -> None:
    types = bytes([7, 99]) + bytes([255] * 14)
    data = b"\2" + header(1, POSITION, 1, types) + b"\0" + pack("<3f", 1, 2, 3)
    assert CVertexBuffer.from_bytes(data).to_bytes() == data
    data = b"\2" + header(1, NORMAL, 1, types) + b"\0" + pack("<3f", 1, 2, 3)
    with pytest.raises(DecodeError, match="slot normal has an unknown type") as caught:
        CVertexBuffer.from_bytes(data)
    assert caught.value.where.path == "CVertexBuffer.subset"


def test_sizes_of_all_types() -> None:
    """Bytes of each element type by its number, from the notes on the format."""
    sizes = [8, 4, 2, 16, 8, 4, 24, 12, 6, 32, 16, 8, 4]
    assert [layout(1, (number,) + (0,) * 15).itemsize for number in range(13)] == sizes
    assert layout((1 << 16) - 1, tuple(TYPES)).names == SLOTS


@pytest.mark.parametrize(
    ("flags", "count", "names"),
    [
        (0x121, 32, ("position", "normal", "uv0")),
        (0x101, 20, ("position", "uv0")),
        (0x1 | 0x2, 16, ("position", "weight")),
        (0x1 | 0x10, 28, ("position", "weight")),  # the highest weight bit gives their number
        (0x1 | 0x1E | 0x10000, 32, ("position", "weight", "palette_skin")),
        (0x1 | 0x6 | 0x10000, 20, ("position", "weight")),  # indices need all four weights
        (0x1 | 0x40 | 0x80 | 0x8000, 28, ("position", "uv7", "color", "specular")),
    ],
)
def test_old_flags(flags: int, count: int, names: tuple[str, ...]) -> None:
    dtype = old_layout(flags)
    assert dtype.names == names
    assert dtype.itemsize == count


@pytest.mark.parametrize("version", [0, 1])
def test_old_buffers(version: int) -> None:
    vertex = pack("<3f2f4f", 1, 2, 3, 0.5, 0.5, 0.25, 0.75, 0, 0)
    vertex += b"\1\2\3\4" if version else b""
    data = bytes([version]) + pack("<II", 0x1 | 0x100 | 0x1E | 0x10000, 2) + vertex * 2
    buffer = CVertexBuffer.from_bytes(data)
    assert buffer.vertices["weight"].tolist() == [[0.25, 0.75, 0, 0]] * 2
    assert ("palette_skin" in (buffer.vertices.dtype.names or ())) == bool(version)
    assert buffer.to_bytes() == data


def test_a_number_of_vertices_beyond_the_file() -> None:
    data = b"\2" + header(3, POSITION, 0x10000000) + b"\2" + bytes(100)
    with pytest.raises(DecodeError, match="does not fit the bytes that are left") as caught:
        CVertexBuffer.from_bytes(data)
    assert caught.value.where.path == "CVertexBuffer.subset.vertices"
    # Without a slot no vertex takes bytes.
    data = b"\2" + header(3, 0, 0x10000000) + b"\2" + bytes(8)
    assert CVertexBuffer.from_bytes(data).to_bytes() == data


def test_new_buffers() -> None:
    buffer = CVertexBuffer.of(
        2, position=np.eye(3), uv0=[[0, 0], [1, 0], [0, 1]], color=[[255, 0, 0, 255]] * 3
    )
    data = b"\2" + header(3, POSITION | UV0 | COLOR, 3) + b"\2"
    for position, uv in (((1, 0, 0), (0, 0)), ((0, 1, 0), (1, 0)), ((0, 0, 1), (0, 1))):
        data += pack("<5f4B", *position, *uv, 255, 0, 0, 255)
    assert buffer.to_bytes() == data + bytes(range(8))


def test_new_skinned_buffers() -> None:
    made: dict[str, Any] = {"position": np.zeros((2, 3)), "palette_skin": np.zeros((2, 4), "u1")}
    for width, number in ((1, 1), (2, 4), (3, 7), (4, 10)):
        buffer = CVertexBuffer.of(weight=np.ones((2, width)), **made)
        assert buffer.header.types[12] == number
        assert buffer.header.flags == POSITION | WEIGHT | PALETTE
        again = CVertexBuffer.from_bytes(buffer.to_bytes())
        assert again.vertices["weight"].reshape(2, -1).shape == (2, width)


@pytest.mark.parametrize(
    "slots",
    [
        {"colour": [[0, 0, 0, 0]]},
        {"position": [[0, 0]]},
        {"position": [[0, 0, 0]], "normal": [[0, 0, 0], [0, 0, 0]]},
        {"position": [[0, 0, 0]], "weight": np.ones((1, 5))},
    ],
)
def test_new_buffers_that_cannot_be(slots: dict[str, Any]) -> None:
    with pytest.raises(EditError):
        CVertexBuffer.of(**slots)


def test_vertices_must_fit_the_header() -> None:
    buffer = CVertexBuffer.of(position=np.zeros((2, 3)))
    buffer.subset.vertices = buffer.vertices[:1]
    with pytest.raises(EditError, match="wrong number of elements"):
        buffer.to_bytes()
    buffer.header.flags = NORMAL
    with pytest.raises(EditError, match="wrong type"):
        buffer.to_bytes()


def test_index_buffers() -> None:
    data = b"\2" + pack("<IIi3Ii", 3, 3, 3, 0, 1, 2, 0)
    buffer = CIndexBuffer.from_bytes(data)
    assert buffer.triangles.tolist() == [[0, 1, 2]]
    assert buffer.to_bytes() == CIndexBuffer.of([[0, 1, 2]]).to_bytes() == data
    spare = b"\2" + pack("<IIi3Ii", 3, 9, 3, 0, 1, 2, 0)
    assert CIndexBuffer.from_bytes(spare).capacity == 9
    assert CIndexBuffer.from_bytes(spare).to_bytes() == spare


def test_old_index_buffers() -> None:
    one = b"\1" + pack("<IIi3Ii", 3, 3, 3, 0, 1, 2, 0) + b"\0\0\1\0\0"
    assert CIndexBuffer.from_bytes(one).old_memory == (0, 0, 1, 0, 0)
    assert CIndexBuffer.from_bytes(one).to_bytes() == one
    zero = b"\0" + pack("<IIi", 0, 0, 0) + pack("<IIi3I", 3, 3, 3, 5, 6, 7) + pack("<IIi", 0, 0, 0)
    buffer = CIndexBuffer.from_bytes(zero)
    assert buffer.triangles.tolist() == [[5, 6, 7]]
    assert buffer.to_bytes() == zero
    with pytest.raises(EditError, match="not whole triangles"):
        _ = CIndexBuffer(indices=[0, 1]).triangles
