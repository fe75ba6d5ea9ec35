"""Normals from smoothing groups, against arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from maxsidecar.scene.geometry.mesh import ExplicitNormals, Mesh
from maxsidecar.scene.geometry.normals import Weighting, corner_normals, triangle_normals
from maxsidecar.scene.geometry.polygons import polygon_mesh

#: A corner of a box with unequal sides: three faces at vertex 0, one of two triangles.
POINTS = [(0, 0, 0), (3, 0, 0), (3, 2, 0), (0, 2, 0), (0, 0, 1), (3, 0, 1)]
FLOOR = [(0, 2, 1), (0, 3, 2)]
FRONT = [(0, 1, 5), (0, 5, 4)]


def normals(
    groups: list[int],
    weighting: Weighting = "angle",
    faces: list[tuple[int, int, int]] | None = None,
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    mesh = Mesh.of_triangles(POINTS, FLOOR + FRONT, smoothing=groups)
    return corner_normals(mesh, weighting).reshape(-1, 3, 3)


def unit(*vector: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(vector, np.float64) / float(np.linalg.norm(vector))


def test_flat_faces_have_their_own_normal() -> None:
    found = normals([0, 0, 0, 0])
    assert np.allclose(found[:2], (0, 0, -1))
    assert np.allclose(found[2:], (0, -1, 0))


def test_angles_weigh_corners() -> None:
    found = normals([1, 1, 1, 1])
    # At vertex 0 both faces have a right angle, whatever triangles they are made of.
    assert np.allclose(found[0, 0], unit(0, -1, -1))
    # At vertex 1 the floor's triangle has a right angle, too.
    assert np.allclose(found[0, 2], unit(0, -1, -1))


def test_faces_may_count_alike_or_by_area() -> None:
    # At vertex 1 are one triangle of the floor, area 3, and one of the front, area 1.5.
    assert np.allclose(normals([1] * 4, "unit")[0, 2], unit(0, -1, -1))
    assert np.allclose(normals([1] * 4, "area")[0, 2], unit(0, -1.5, -3))
    # At vertex 0 are two of each.
    assert np.allclose(normals([1, 1, 1, 0], "unit")[0, 0], unit(0, -1, -2))


def test_only_faces_with_common_groups_are_smooth() -> None:
    found = normals([1, 1, 2, 2])
    assert np.allclose(found[:2], (0, 0, -1))
    assert np.allclose(found[2:], (0, -1, 0))


def test_groups_reach_over_a_face_that_has_both() -> None:
    # Three walls around vertex 0; the second has groups 1 and 2, and joins the others.
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 3, 2), (0, 1, 3)]
    joined = Mesh.of_triangles(points, faces, smoothing=[1, 3, 2])
    assert np.allclose(corner_normals(joined)[[0, 3, 6]], unit(-1, -1, -1))
    apart = Mesh.of_triangles(points, faces, smoothing=[1, 5, 2])
    assert np.allclose(corner_normals(apart)[[0, 3]], unit(-1, 0, -1))
    assert np.allclose(corner_normals(apart)[6], (0, -1, 0))


def test_normals_that_cancel_out_point_along_x() -> None:
    folded = Mesh.of_triangles(POINTS, [(0, 1, 2), (0, 2, 1)], smoothing=4)
    assert np.allclose(corner_normals(folded), (1, 0, 0))
    nothing = Mesh.of_triangles(POINTS, [(0, 0, 1)], smoothing=[0])
    assert np.allclose(corner_normals(nothing), (1, 0, 0))


def test_explicit_normals_come_first() -> None:
    mesh = Mesh.of_triangles(POINTS, FLOOR, smoothing=1)
    vectors = np.array([(0, 1, 0), (0.6, 0.8, 0)], np.float32)
    mesh = replace(mesh, normals=ExplicitNormals(vectors, np.array([1, -1, -1, 0, -1, -1])))
    found = corner_normals(mesh)
    assert np.array_equal(found[0], vectors[1])
    assert np.array_equal(found[3], vectors[0])
    assert np.allclose(found[1], (0, 0, -1))
    assert np.array_equal(triangle_normals(mesh).reshape(-1, 3), found)


def test_triangles_of_a_bent_flat_polygon_differ() -> None:
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 1), (0, 1, 0)]
    mesh = polygon_mesh(points, np.arange(4), [0, 4], diagonals=[(0, 2)])
    found = triangle_normals(mesh)
    assert np.allclose(found[0], unit(0, -1, 1))
    assert np.allclose(found[1], unit(-1, 0, 1))
    assert np.allclose(corner_normals(mesh), unit(-1, -1, 2))


@pytest.mark.parametrize("groups", [[1], [1, 2], [3, 6, 1 << 31]])
def test_every_corner_has_a_normal_of_length_one(groups: list[int]) -> None:
    rng = np.random.default_rng(7)
    faces = rng.integers(0, 40, (200, 3))
    mesh = Mesh.of_triangles(rng.normal(size=(40, 3)), faces, smoothing=np.resize(groups, 200))
    weightings: tuple[Weighting, ...] = ("angle", "unit", "area")
    for weighting in weightings:
        lengths = np.linalg.norm(corner_normals(mesh, weighting), axis=1)
        assert np.allclose(lengths, 1)


@pytest.mark.parametrize("bad", [float("inf"), float("nan"), -3e38])
@pytest.mark.parametrize("group", [0, 1])
def test_places_that_are_no_numbers_spoil_their_own_faces_only(bad: float, group: int) -> None:
    squares = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, bad), (2, 1, 0)]
    rings = [0, 1, 2, 3, 1, 4, 5, 2]
    mesh = polygon_mesh(squares, rings, [0, 4, 8], smoothing=group)
    found = corner_normals(mesh)
    assert np.allclose(found[[0, 3]], (0, 0, 1))
    assert np.allclose(np.linalg.norm(found.astype(np.float64), axis=1), 1.0)
    corners = triangle_normals(mesh).reshape(-1, 3).astype(np.float64)
    assert np.allclose(np.linalg.norm(corners, axis=1), 1.0)
