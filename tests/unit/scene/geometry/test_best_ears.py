"""Ears that are cut off stars: no triangle lies outside, and all of the star is covered."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.geometry.best_ears import best_ears
from maxsidecar.scene.geometry.triangulate import triangulate

F64 = npt.NDArray[np.float64]


def stars(count: int, degree: int) -> F64:
    """Return polygons, (count, degree, 3), that are seen whole from the origin."""
    radius = np.random.default_rng(degree).uniform(0.3, 1.0, (count, degree))
    angle = np.linspace(0.0, 2.0 * np.pi, degree, endpoint=False)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.0 * radius], axis=-1)


def doubled_areas(points: F64, triangles: npt.NDArray[np.int32]) -> F64:
    a, b, c = (points.reshape(-1, 3)[triangles[:, corner]] for corner in range(3))
    return np.asarray(np.cross(b - a, c - a)[:, 2])


@pytest.mark.parametrize("degree", [4, 5, 6, 9, 17, 64])
def test_stars_are_covered_once(degree: int) -> None:
    count = 300  # more than are looked at at once, where corners are many
    points = stars(count, degree)
    pairs = best_ears(points)
    assert pairs.shape == (count, degree - 3, 2)
    assert np.all(pairs[..., 0] < pairs[..., 1])
    starts = np.arange(0, count * degree + 1, degree)
    triangles, polygons, sound = triangulate(starts, pairs.reshape(-1, 2))
    assert sound.all()
    areas = doubled_areas(points, triangles)
    assert np.all(areas > -1e-12)
    whole = np.cross(points, np.roll(points, -1, axis=1))[..., 2].sum(axis=1)
    np.testing.assert_allclose(np.bincount(polygons, areas), whole, rtol=1e-9)


def test_an_ear_that_holds_a_corner_stays() -> None:
    # Corner 3 lies inside of the ears at 1 and at 4, so that the one at 2 goes first; in the rest
    # the line from 1 to 4 would pass outside of it.
    notch = np.array([[(0, 0, 0), (2, 0, 0), (2, 2, 0), (1, 0.5, 0), (0, 2, 0)]], np.float64)
    assert best_ears(notch).tolist() == [[[1, 3], [0, 3]]]


def test_corners_that_are_nowhere_do_no_harm() -> None:
    points = stars(3, 12)
    points[1] = np.nan
    with np.errstate(all="ignore"):
        pairs = best_ears(points)
    np.testing.assert_array_equal(pairs[[0, 2]], best_ears(stars(3, 12))[[0, 2]])
    _, _, sound = triangulate(np.arange(0, 37, 12), pairs.reshape(-1, 2))
    assert sound.all()
