"""Triangles of polygons, against examples worked out by hand from the rule."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.geometry.triangulate import default_diagonals, triangulate


@pytest.mark.parametrize(
    ("diagonal", "triangles"),
    [
        ((0, 2), [(0, 1, 2), (2, 3, 0)]),
        ((2, 0), [(2, 3, 0), (0, 1, 2)]),
        ((1, 3), [(1, 2, 3), (3, 0, 1)]),
        ((3, 1), [(3, 0, 1), (1, 2, 3)]),
    ],
)
def test_a_quad_is_cut_as_its_diagonal_runs(
    diagonal: tuple[int, int], triangles: list[tuple[int, int, int]]
) -> None:
    found, polygons, sound = triangulate(np.array([0, 4]), np.array([diagonal]))
    assert list(map(tuple, found)) == triangles
    assert list(polygons) == [0, 0]
    assert sound.all()


def test_larger_polygons_lose_the_corner_between_the_ends_of_each_diagonal() -> None:
    found, _, sound = triangulate(np.array([0, 6]), np.array([(1, 3), (3, 5), (1, 5)]))
    assert list(map(tuple, found)) == [(1, 2, 3), (3, 4, 5), (1, 3, 5), (0, 1, 5)]
    assert sound.all()


def test_polygons_keep_their_order_and_count_from_their_first_corner() -> None:
    starts = np.array([0, 3, 7, 7, 10, 15])
    found, polygons, _ = triangulate(starts, np.array([(1, 3), (0, 2), (2, 4)]))
    expected = [(0, 1, 2), (4, 5, 6), (6, 3, 4), (7, 8, 9), (10, 11, 12), (12, 13, 14)]
    assert list(map(tuple, found)) == [*expected, (10, 12, 14)]
    assert list(polygons) == [0, 1, 1, 3, 4, 4, 4]


@pytest.mark.parametrize(
    "pairs", [[(0, 1), (0, 3)], [(0, 2), (0, 2)], [(1, 3), (2, 4)], [(0, 9)] * 2]
)
def test_diagonals_that_divide_nothing_are_told(pairs: list[tuple[int, int]]) -> None:
    found, _, sound = triangulate(np.array([0, 5]), np.array(pairs))
    assert not sound[0]
    assert list(map(tuple, found)) == [(0, 1, 2), (0, 2, 3), (0, 3, 4)]


@pytest.mark.parametrize("degree", [10, 200])
def test_both_ways_to_cut_agree(degree: int) -> None:
    # A zigzag from the first corner: 0-2, 2-last, ... in the order of the ears.
    alive = list(range(degree))
    pairs = []
    side = 1
    while len(alive) > 3:
        at = 1 if side else len(alive) - 2
        pairs.append((alive[at - 1], alive[at + 1]))
        del alive[at]
        side = 1 - side
    found, _, sound = triangulate(np.array([0, degree]), np.array(pairs))
    assert sound.all()
    assert sorted({int(n) for n in found.reshape(-1)}) == list(range(degree))
    sides = {(int(t[i]), int(t[(i + 1) % 3])) for t in found for i in range(3)}
    assert {(n, (n + 1) % degree) for n in range(degree)} <= sides


def test_a_quad_without_diagonal_is_cut_inside() -> None:
    # An arrow head: only the diagonal through the inward corner 2 lies inside.
    points = np.array([(0, 0, 0), (4, -2, 0), (1, 0, 0), (4, 2, 0)], np.float32)
    corners, starts = np.arange(4), np.array([0, 4])
    assert sorted(default_diagonals(points, corners, starts)[0]) == [0, 2]
    turned = np.roll(points, 1, axis=0)
    assert sorted(default_diagonals(turned, corners, starts)[0]) == [1, 3]


def test_polygons_without_diagonals_are_covered_once() -> None:
    # An L: its area is 3, and no triangle may lie outside.
    points = np.array(
        [(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0)], np.float32
    )
    starts = np.array([0, 6])
    found, _, sound = triangulate(starts, default_diagonals(points, np.arange(6), starts))
    assert sound.all()
    a, b, c = (points[found[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)[:, 2] / 2
    assert np.all(areas > 0)
    assert areas.sum() == pytest.approx(3.0)
