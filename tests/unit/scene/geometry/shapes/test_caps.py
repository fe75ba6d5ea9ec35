"""Filling curves: areas and counts are arithmetic."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.shapes.caps import cap_faces
from maxsidecar.scene.geometry.shapes.nesting import arranged
from maxsidecar.scene.geometry.shapes.outlines import Outline

F64 = npt.NDArray[np.float64]


def outline(points: npt.ArrayLike) -> Outline:
    rows = np.asarray(points, np.float64)
    flat = np.column_stack([rows, np.zeros(len(rows))])
    return Outline(flat, np.ones(len(rows), bool), np.zeros(len(rows), np.int32), closed=True)


def box(low: float, high: float, *, clockwise: bool = False) -> Outline:
    corners = [(low, low), (high, low), (high, high), (low, high)]
    return outline(corners[::-1] if clockwise else corners)


def ring(count: int, radius: float) -> Outline:
    turn = 2 * np.pi * np.arange(count) / count
    return outline(np.column_stack([np.cos(turn), np.sin(turn)]) * radius)


def areas(*lines: Outline) -> F64:
    """Return the areas of the triangles that fill curves."""
    turned, regions = arranged(list(lines))
    faces, _ = cap_faces(turned, regions)
    p = np.concatenate([line.points for line in turned])[faces]
    return np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])[:, 2] / 2


@pytest.mark.parametrize("clockwise", [False, True])
def test_holes_are_left_free_whichever_way_curves_run(clockwise: bool) -> None:
    found = areas(
        box(0, 10, clockwise=clockwise), box(1, 3, clockwise=clockwise), box(5, 8), box(6, 7)
    )
    # Two holes of four corners, and a square within one of them.
    assert len(found) == (12 + 2 * 2 - 2) + 2
    assert found.min() > 0
    assert found.sum() == pytest.approx(100 - 4 - 9 + 1)


def test_a_comb_and_a_circle_are_filled() -> None:
    teeth = [(x, y) for k in range(19, -1, -1) for x, y in ((2 * k + 1, 9.0), (2 * k, 0.5))]
    comb = outline([(0, 0), (40, 0), (40, 0.5), *teeth])
    found = areas(comb)
    assert len(found) == len(comb.points) - 2
    assert found.min() > 0
    # A bar, and twenty teeth of a base of 2.
    assert found.sum() == pytest.approx(40 * 0.5 + 20 * 8.5)
    assert areas(ring(100, 1)).sum() == pytest.approx(50 * np.sin(2 * np.pi / 100))


def test_a_curve_that_crosses_itself_ends_and_has_its_number_of_triangles() -> None:
    assert len(areas(outline([(0, 0), (4, 4), (4, 0), (0, 3), (-1, 2)]))) == 3


def test_edges_within_are_hidden() -> None:
    turned, regions = arranged([box(0, 10), box(2, 3)])
    faces, flags = cap_faces(turned, regions)
    shown = sum(int(flag).bit_count() for flag in flags)
    assert shown == 8
    assert len(faces) == 8


def test_too_many_points_are_refused() -> None:
    with pytest.raises(NotSupportedError, match="9000 points"):
        areas(ring(9000, 1))
