"""Volumes of clusters and polygons of portals."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.errors import LimitError
from maxsidecar.nel.export.clusters import flat, inside, polygon, volume

CUBE = np.array([(x, y, z) for z in (0, 2) for y in (0, 2) for x in (0, 2)], np.float32)
SIDES = np.array(
    [
        (0, 2, 3), (3, 1, 0), (4, 5, 7), (7, 6, 4), (0, 1, 5), (5, 4, 0),
        (1, 3, 7), (7, 5, 1), (3, 2, 6), (6, 7, 3), (2, 0, 4), (4, 6, 2),
    ],
    np.int32,
)  # fmt: skip


def test_a_cube_has_six_planes_with_normals_outwards() -> None:
    made = volume(CUBE, SIDES)
    expected = {(0, 0, -1, 0), (0, 0, 1, -2), (0, -1, 0, 0), (1, 0, 0, -2), (0, 1, 0, -2)}
    expected.add((-1, 0, 0, 0))
    assert {tuple(plane) for plane in made.planes.tolist()} == expected
    assert made.box.center == (1.0, 1.0, 1.0)
    assert made.box.half_size == (1.0, 1.0, 1.0)
    assert (made.outside, made.flat) == (0, 0)


def test_inside_has_a_precision_of_five_millimetres() -> None:
    planes = volume(CUBE, SIDES).planes
    points = np.array([(1, 1, 1), (1, 1, 2.004), (1, 1, 2.006), (9, 1, 1)], np.float32)
    assert inside(planes, points).tolist() == [True, True, False, False]


def test_faces_outside_and_without_area_are_counted() -> None:
    points = np.vstack([CUBE, [(1, 1, 5), (2, 1, 6), (1, 2, 6)]]).astype(np.float32)
    faces = np.vstack([SIDES, [(8, 9, 10), (0, 0, 1)]]).astype(np.int32)
    made = volume(points, faces)
    assert (len(made.planes), made.outside, made.flat) == (6, 1, 1)


def test_a_ball_is_no_cluster() -> None:
    rng = np.random.default_rng(1)
    centers = rng.normal(size=(2000, 3))
    centers = 100 * centers / np.linalg.norm(centers, axis=1, keepdims=True)
    side = np.cross(centers, [0.0, 0.0, 1.0])
    points = np.stack([centers, centers + side / 50, centers + np.cross(centers, side) / 5000], 1)
    with pytest.raises(LimitError, match="too many sides"):
        volume(
            points.reshape(-1, 3).astype(np.float32), np.arange(6000, dtype=np.int32).reshape(-1, 3)
        )


@pytest.mark.parametrize(
    ("faces", "around"),
    [
        ([(0, 1, 2)], [0, 1, 2]),
        # The other half of a square shares the edge from 2 to 0: vertex 3 goes between.
        ([(0, 1, 2), (2, 3, 0)], [0, 1, 2, 3]),
        ([(0, 1, 2), (0, 2, 3)], [0, 1, 2, 3]),
        # Faces that come too early wait until their edge is there.
        ([(0, 1, 2), (3, 4, 0), (2, 3, 0)], [0, 1, 2, 3, 4]),
        # A face that touches nothing is left out.
        ([(0, 1, 2), (7, 8, 9)], [0, 1, 2]),
        ([], []),
    ],
)
def test_polygon(faces: list[tuple[int, int, int]], around: list[int]) -> None:
    assert polygon(np.array(faces, np.int32).reshape(-1, 3)) == around


def test_polygon_is_bounded() -> None:
    with pytest.raises(LimitError, match="too many faces"):
        polygon(np.zeros((600, 3), np.int32))


def test_flat() -> None:
    square = np.array([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)], np.float32)
    assert flat(square)
    square[3, 2] = 0.004
    assert flat(square)
    square[3, 2] = 0.01
    assert not flat(square)
    assert not flat(square[:2])
    assert not flat(np.zeros((4, 3), np.float32))
