"""The rasteriser, against the definition: a pixel is inside when its centre is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.preview import raster as module
from maxsidecar.preview.raster import Raster

F64 = npt.NDArray[np.float64]
WIDTH, HEIGHT = 40, 30


def draw(points: F64, depth: float = 1.0, color: float = 1.0, opacity: float = 1.0) -> Raster:
    raster = Raster(WIDTH, HEIGHT, (0.0, 0.0, 0.0))
    add(raster, points, depth, color, opacity)
    return raster


def add(
    raster: Raster, points: F64, depth: float = 1.0, color: float = 1.0, opacity: float = 1.0
) -> None:
    flat = np.asarray(points, np.float64).reshape(-1, 3, 2)
    deep = np.concatenate([flat, np.full((*flat.shape[:2], 1), depth)], axis=2)
    raster.draw(deep, np.full((len(flat), 3, 3), color), np.full(len(flat), opacity))


def covered(raster: Raster) -> npt.NDArray[np.bool_]:
    return np.isfinite(raster.depths).reshape(HEIGHT, WIDTH)


def inside(triangle: F64) -> npt.NDArray[np.bool_]:
    """Which centres are inside; no corner here is on a line through centres."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
    signs = []
    for (ax, ay), (bx, by) in zip(triangle, np.roll(triangle, -1, axis=0), strict=True):
        signs.append((bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0)
    return np.asarray(np.all(signs, axis=0) | ~np.any(signs, axis=0), bool)


@pytest.mark.parametrize("seed", range(20))
def test_coverage(seed: int) -> None:
    triangle = np.random.default_rng(seed).uniform(-15, 45, (3, 2))
    assert np.array_equal(covered(draw(triangle)), inside(triangle))


def test_neighbours_leave_no_gap_and_share_no_pixel() -> None:
    """A fan around a centre covers each pixel of a square once, also where sides meet centres."""
    rim = np.array([[4, 4], [20.5, 4], [36, 4], [36, 26], [20.5, 26], [4, 26]], np.float64)
    fan = [[(20.5, 15.5), rim[k], rim[(k + 1) % 6]] for k in range(6)]
    counts = sum(covered(draw(np.array(t))).astype(int) for t in fan)
    expected = np.zeros((HEIGHT, WIDTH), int)
    expected[4:26, 4:36] = 1
    assert np.array_equal(counts, expected)


@pytest.mark.parametrize("first", [1.0, 2.0])
def test_what_is_nearer_is_seen(first: float) -> None:
    square = np.array([[(2, 2), (30, 2), (2, 30)]], np.float64)
    raster = draw(square, depth=first, color=first / 4)
    add(raster, square, depth=3.0 - first, color=(3.0 - first) / 4)
    assert raster.colors[5 * WIDTH + 5] == pytest.approx([0.5] * 3)


def test_colours_and_depths_are_linear_between_corners() -> None:
    raster = Raster(WIDTH, HEIGHT, (0.0, 0.0, 0.0))
    corners = np.array([[[0.0, 0, 1], [40, 0, 5], [0, 30, 1]]])
    raster.draw(corners, np.array([[[0.0] * 3, [1.0] * 3, [0.0] * 3]]), np.ones(1))
    place = 3 * WIDTH + 10
    assert raster.colors[place] == pytest.approx([10.5 / 40] * 3)
    assert raster.depths[place] == pytest.approx(1 + 4 * 10.5 / 40)


@pytest.mark.parametrize(("opacity", "part"), [(1.0, 1.0), (0.7, 0.75), (0.2, 0.25), (0.0, 0.0)])
def test_what_is_transparent_covers_a_part_of_the_pixels(opacity: float, part: float) -> None:
    square = np.array([[(0, 0), (40, 0), (40, 30)], [(0, 0), (40, 30), (0, 30)]], np.float64)
    assert covered(draw(square, opacity=opacity)).mean() == pytest.approx(part)


def test_odd_triangles_draw_nothing() -> None:
    odd = np.array(
        [
            [(1, 1), (20, 20), (10.5, 10.5)],
            [(np.nan, 1), (20, 2), (5, 20)],
            [(-50, -50), (-10, -50), (-10, -10)],
            [(5, 100), (9, 100), (9, 200)],
        ]
    )
    assert not np.any(covered(draw(odd)))


def test_parts_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    triangles = np.random.default_rng(3).uniform(-10, 50, (50, 3, 2))
    whole = draw(triangles)
    monkeypatch.setattr(module, "_ROWS", 7)
    monkeypatch.setattr(module, "_PIXELS", 11)
    assert np.array_equal(draw(triangles).colors, whole.colors)


def test_shrinking_takes_the_mean() -> None:
    raster = draw(np.array([[(0, 0), (1, 0), (0, 2)]]))
    # Of the first four pixels only one has its centre inside: the long side passes the centre of
    # the lower one at x = 0.25, and leaves it outside.
    assert covered(raster)[:2, :2].tolist() == [[True, False], [False, False]]
    assert raster.rgb(2)[0, 0].tolist() == [64, 64, 64]
