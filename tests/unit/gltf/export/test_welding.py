"""Corners to vertices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.gltf.export import welding
from maxsidecar.gltf.export.welding import weld


def test_only_equal_bits_are_welded() -> None:
    vertex = np.array([5, 5, 5, 5, 7], np.int32)
    uv = np.array([[0.0, 1], [-0.0, 1], [0.0, 1], [0.0, np.nextafter(1, 2)], [0, 1]], np.float64)
    first, inverse = weld(vertex, [uv.astype(np.float32)])
    # -0 is not 0 to the bit, and in float32 the next number after 1 is 1.
    assert first.tolist() == [0, 1, 4]
    assert inverse.tolist() == [0, 1, 0, 0, 2]


def test_vertices_come_in_the_order_of_their_first_corner() -> None:
    first, inverse = weld(np.array([9, 3, 9, 1, 3], np.int32), [])
    assert first.tolist() == [0, 1, 3]
    assert inverse.tolist() == [0, 1, 0, 2, 1]


def test_nothing_is_welded_to_nothing() -> None:
    first, inverse = weld(np.empty(0, np.int32), [np.empty((0, 2), np.float32)])
    assert len(first) == len(inverse) == 0


rows = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=40)


@given(rows)
def test_welding_keeps_every_corner(values: list[tuple[int, int, int]]) -> None:
    _check(values)


@given(rows)
def test_corners_of_one_hash_stay_apart(values: list[tuple[int, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(welding, "_hash", lambda words: np.zeros(len(words[0]), np.uint64))
        patch.setattr(welding, "_ROUNDS", 1)
        _check(values)


@given(rows)
def test_what_is_left_is_sorted(values: list[tuple[int, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(welding, "_ROUNDS", 0)
        _check(values)


def _check(values: list[tuple[int, int, int]]) -> None:
    table = np.array(values, np.int32)
    first, inverse = weld(table[:, 0].copy(), [table[:, 1:].copy()])
    assert np.array_equal(table[first][inverse], table)
    assert len(first) == len(set(values))
    assert np.all(np.diff(first) > 0)
