"""Diagonals of convex polygons."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.geometry.shortest_diagonals import is_convex, shortest_diagonals
from maxsidecar.scene.geometry.triangulate import default_diagonals, triangulate


def ring(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    angle = 2 * np.pi * np.arange(count) / count
    return np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1).astype(np.float32)


#: Triangles as stored in Editable Polys (6, 8) and FBX exports (12) of regular polygons.
STORED = {
    6: [[1, 2, 3], [3, 4, 5], [1, 3, 5], [0, 1, 5]],
    8: [[1, 2, 3], [3, 4, 5], [5, 6, 7], [3, 5, 7], [1, 3, 7], [0, 1, 7]],
    12: [
        [1, 2, 3], [3, 4, 5], [5, 6, 7], [3, 5, 7], [7, 8, 9], [9, 10, 11],
        [7, 9, 11], [3, 7, 11], [1, 3, 11], [0, 1, 11],
    ],
}  # fmt: skip


@pytest.mark.parametrize("count", STORED)
def test_regular_polygons_are_cut_as_stored_ones(count: int) -> None:
    starts = np.array([0, count])
    pairs = default_diagonals(ring(count), np.arange(count), starts)
    triangles, _, sound = triangulate(starts, pairs)
    assert sound.all()
    assert triangles.tolist() == STORED[count]


def test_the_shortest_diagonals_are_taken() -> None:
    # A long pentagon: 1-3 and 1-4 are shorter than what leads to its tip, corner 0.
    points = np.array([[(9, 0, 0), (1, 1, 0), (0, 1, 0), (-0.5, 0, 0), (0, -1, 0)]], np.float64)
    assert is_convex(points).tolist() == [True]
    assert shortest_diagonals(points).tolist() == [[[1, 3], [1, 4]]]


def test_polygons_that_turn_inside_are_not_convex() -> None:
    outside = ring(5).astype(np.float64)
    inside = outside.copy()
    inside[2] *= -0.5
    straight = outside.copy()
    straight[2] = (straight[1] + straight[3]) / 2
    assert is_convex(np.stack([outside, inside, straight])).tolist() == [True, False, True]
    assert shortest_diagonals(np.zeros((0, 5, 3))).shape == (0, 2, 2)
