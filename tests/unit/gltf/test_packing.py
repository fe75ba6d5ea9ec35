"""Accessors: types, bounds, alignment, sharing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import SaveError
from maxsidecar.gltf.packing import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Packer


def test_positions_have_bounds_that_are_in_the_file() -> None:
    packer = Packer()
    rows = np.array([[0.1, -2, 3], [4, 5.7, -6]], np.float32)
    number = packer.attribute("POSITION", rows)
    assert packer.accessors[number] == {
        "bufferView": 0,
        "componentType": 5126,
        "count": 2,
        "min": [float(np.float32(0.1)), -2.0, -6.0],
        "max": [4.0, float(np.float32(5.7)), 3.0],
        "type": "VEC3",
    }
    assert packer.views == [
        {"buffer": 0, "byteOffset": 0, "byteLength": 24, "target": ARRAY_BUFFER}
    ]
    assert b"".join(packer.segments) == rows.tobytes()


@pytest.mark.parametrize(
    ("largest", "component", "size"),
    [(0, 5121, 1), (254, 5121, 1), (255, 5123, 2), (65534, 5123, 2), (65535, 5125, 4)],
)
def test_indices_take_the_smallest_type_without_its_largest_number(
    largest: int, component: int, size: int
) -> None:
    packer = Packer()
    number = packer.indices(np.array([0, 0, largest], np.int64), largest + 1)
    assert packer.accessors[number]["componentType"] == component
    assert packer.views[0]["byteLength"] == 3 * size
    assert packer.views[0]["target"] == ELEMENT_ARRAY_BUFFER
    assert packer.size % 4 == 0


@pytest.mark.parametrize("bad", [[0, 1, 3], [-1, 0, 1], []])
def test_indices_name_vertices_that_are_there(bad: list[int]) -> None:
    with pytest.raises(SaveError, match="not there"):
        Packer().indices(np.array(bad, np.int64), 3)


def test_an_array_that_is_used_alike_is_packed_once() -> None:
    packer = Packer()
    rows = np.zeros((4, 3), np.float64)
    corners = np.arange(3)
    joints = np.zeros((4, 4), np.int32)
    assert packer.attribute("NORMAL", rows) == packer.attribute("_OTHER", rows)
    assert packer.indices(corners, 4) == packer.indices(corners, 4)
    assert packer.attribute("JOINTS_0", joints) == packer.attribute("JOINTS_1", joints)
    assert packer.attribute("POSITION", rows) != packer.attribute("NORMAL", rows)
    # The index of a vertex is no attribute of it.
    assert packer.attribute("_NUMBER", corners.astype(np.uint16)) != packer.indices(corners, 4)
    assert len(packer.accessors) == 5


def test_temporary_arrays_are_told_apart() -> None:
    packer = Packer()
    numbers = {packer.attribute("NORMAL", np.full((1, 3), n, np.float32)) for n in range(50)}
    assert len(numbers) == 50
    data = np.frombuffer(b"".join(packer.segments), np.float32).reshape(50, 3)
    assert data[:, 0].tolist() == list(range(50))


@pytest.mark.parametrize(
    ("name", "array", "component", "stride", "normalized"),
    [
        ("JOINTS_0", np.zeros((2, 4), np.int64), 5121, None, False),
        ("JOINTS_0", np.full((2, 4), 256), 5123, None, False),
        ("COLOR_0", np.zeros((2, 3), np.uint8), 5121, 4, True),
        ("COLOR_0", np.zeros((2, 3), np.uint16), 5123, 8, True),
        ("_A", np.zeros(2, np.uint8), 5121, 4, False),
        ("_A", np.zeros(2, np.int16), 5122, 4, False),
        ("_A", np.zeros(2, np.float32), 5126, None, False),
    ],
)
def test_vertices_start_at_multiples_of_four(
    name: str, array: Any, component: int, stride: int | None, normalized: bool
) -> None:
    packer = Packer()
    number = packer.attribute(name, array)
    assert packer.accessors[number]["componentType"] == component
    assert packer.accessors[number].get("normalized", False) is normalized
    assert packer.views[0].get("byteStride") == stride


def test_padding_keeps_the_numbers() -> None:
    packer = Packer()
    packer.attribute("_A", np.array([[1, 2, 3], [4, 5, 6]], np.uint8))
    assert b"".join(packer.segments) == bytes([1, 2, 3, 0, 4, 5, 6, 0])


def test_matrices_are_written_column_after_column() -> None:
    packer = Packer()
    matrix = np.arange(16, dtype=np.float32).reshape(1, 4, 4)
    number = packer.plain(matrix, "skin")
    assert packer.accessors[number]["type"] == "MAT4"
    data = np.frombuffer(b"".join(packer.segments), np.float32)
    assert data[12:15].tolist() == [3.0, 7.0, 11.0], "the translation is the last column"


def test_big_endian_and_scattered_arrays_are_written_in_order() -> None:
    packer = Packer()
    packer.attribute("NORMAL", np.array([[1, 2, 3]], ">f4"))
    packer.attribute("NORMAL", np.arange(12, dtype=np.float32).reshape(2, 6)[:, ::2])
    data = np.frombuffer(b"".join(packer.segments), "<f4")
    assert data.tolist() == [1, 2, 3, 0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("NORMAL", np.zeros((0, 3), np.float32)),
        ("NORMAL", np.full((1, 3), np.nan)),
        ("_A", np.zeros((1, 5), np.float32)),
        ("_A", np.zeros(2, np.uint32)),
        ("_A", np.zeros(2, bool)),
        ("JOINTS_0", np.full((1, 4), 70000)),
        ("JOINTS_0", np.full((1, 4), -1)),
    ],
)
def test_arrays_that_no_accessor_holds_are_refused(name: str, array: Any) -> None:
    with pytest.raises(SaveError):
        Packer().attribute(name, array)
