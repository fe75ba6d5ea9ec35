"""Triangles to polygons and back: known objects, and what must not be joined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from maxsidecar.scene.geometry.edges import edge_list, twin_corners
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh
from maxsidecar.scene.geometry.polygons import polygon_mesh, to_polygons, to_triangles

#: The triangles of a box and which edges they show, and its polygons.
BOX_FACES = [
    (0, 2, 3), (3, 1, 0), (4, 5, 7), (7, 6, 4), (0, 1, 5), (5, 4, 0),
    (1, 3, 7), (7, 5, 1), (3, 2, 6), (6, 7, 3), (2, 0, 4), (4, 6, 2),
]  # fmt: skip
BOX_POLYGONS = [
    (0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6),
]  # fmt: skip
BOX_POINTS: list[tuple[float, float, float]] = [
    (x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)
]


def polygons(mesh: Mesh) -> list[tuple[int, ...]]:
    return [tuple(map(int, part)) for part in np.split(mesh.corners, mesh.starts[1:-1])]


def box() -> Mesh:
    return Mesh.of_triangles(BOX_POINTS, BOX_FACES, edge_flags=3, material_ids=range(12))


def test_a_box_of_triangles_becomes_a_box_of_quads() -> None:
    mesh = to_polygons(box())
    assert polygons(mesh) == BOX_POLYGONS
    assert mesh.is_polygons
    assert list(mesh.material_ids) == [0, 2, 4, 6, 8, 10]
    assert [tuple(face) for face in mesh.faces] == BOX_FACES


def test_a_plane_starts_with_the_first_corner_of_its_first_triangle() -> None:
    d, a, c, b = 2, 0, 3, 1
    mesh = Mesh.of_triangles(BOX_POINTS[:4], [(d, a, c), (b, c, a)], edge_flags=5)
    assert polygons(to_polygons(mesh)) == [(d, a, b, c)]


def test_edges_are_numbered_before_hidden_ones_are_taken_out() -> None:
    d, a, c, b = 2, 0, 3, 1
    mesh = to_polygons(Mesh.of_triangles(BOX_POINTS[:4], [(d, a, c), (b, c, a)], edge_flags=5))
    assert mesh.edges is not None
    assert [tuple(edge) for edge in mesh.edges.vertices] == [(d, a), (c, d), (b, c), (a, b)]


def test_borders_stay_hidden() -> None:
    mesh = Mesh.of_triangles(BOX_POINTS[:4], [(0, 1, 2), (2, 1, 3)], edge_flags=[4, 1])
    joined = to_polygons(mesh)
    # The edge between the two is shown by one of them.
    assert polygons(joined) == [(0, 1, 2), (2, 1, 3)]
    assert joined.edge_visible.tolist() == [False, True, True, True, False, False]


def test_bands_of_cylinders_and_spheres() -> None:
    a, b, c, d = 0, 1, 3, 2
    cylinder = Mesh.of_triangles(BOX_POINTS[:4], [(a, c, d), (a, b, c)], edge_flags=[6, 3])
    assert polygons(to_polygons(cylinder)) == [(a, b, c, d)]
    sphere = Mesh.of_triangles(BOX_POINTS[:4], [(a, b, c), (a, c, d)], edge_flags=[3, 6])
    assert polygons(to_polygons(sphere)) == [(a, b, c, d)]


def fan(sides: int, flags: int) -> Mesh:
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    faces = [(0, 1 + n, 1 + (n + 1) % sides) for n in range(sides)]
    return Mesh.of_triangles([(0, 0, 0), *ring.tolist()], faces, edge_flags=flags)


@pytest.mark.parametrize("sides", [5, 90])
def test_a_fan_with_hidden_spokes_loses_its_centre(sides: int) -> None:
    mesh = to_polygons(fan(sides, 2))
    assert mesh.polygon_count == 1
    assert sorted(map(int, mesh.corners)) == list(range(sides))
    assert len(mesh.triangles) == sides - 2
    assert len(mesh.positions) == sides
    assert np.allclose(np.linalg.norm(mesh.positions, axis=1), 1)


def test_an_open_fan_of_very_many_triangles_becomes_one_polygon() -> None:
    sides = 3000
    angles = np.pi * np.arange(sides + 1) / sides
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    faces = [(0, 1 + n, 2 + n) for n in range(sides)]
    flags = [3, *[2] * (sides - 2), 6]
    mesh = to_polygons(Mesh.of_triangles([(0, 0, 0), *ring.tolist()], faces, edge_flags=flags))
    assert polygons(mesh) == [tuple(range(sides + 2))]
    assert len(mesh.triangles) == sides


def test_a_surface_without_visible_edges_stays_triangles() -> None:
    mesh = Mesh.of_triangles(BOX_POINTS, BOX_FACES, edge_flags=0)
    assert to_polygons(mesh).polygon_count == 12


def square_ring() -> tuple[Mesh, list[tuple[int, int, int]]]:
    """Return a square ring: outer corners 0 to 3, inner ones 4 to 7, only its borders visible."""
    points: list[tuple[float, float, float]] = [(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)]
    points += [(x / 2, y / 2, 0) for x, y, _ in points]
    faces, flags = [], []
    for n in range(4):
        m = (n + 1) % 4
        faces += [(n, m, 4 + m), (n, 4 + m, 4 + n)]
        flags += [1, 2]
    return Mesh.of_triangles(points, faces, edge_flags=flags), faces


def test_a_hole_is_joined_to_the_outline() -> None:
    """The last hidden edge, from 0 to 4, has the same polygon on both sides, and stays."""
    mesh, faces = square_ring()
    joined = to_polygons(mesh)
    (ring,) = polygons(joined)
    assert len(ring) == 4 + 4 + 2
    sides = {(ring[k], ring[(k + 1) % 10]) for k in range(10)}
    outline = {(0, 1), (1, 2), (2, 3), (3, 0), (4, 7), (7, 6), (6, 5), (5, 4)}
    bridge = sides - outline
    assert len(bridge) == 2
    assert {(b, a) for a, b in bridge} == bridge
    assert {frozenset(map(int, face)) for face in joined.faces} == set(map(frozenset, faces))
    assert joined.edges is not None
    assert len(joined.edges.vertices) == 9


def test_a_hole_stays_triangles_where_maps_are_kept_apart() -> None:
    mesh, faces = square_ring()
    assert polygons(to_polygons(mesh, across_seams=False)) == faces


def test_the_polygon_on_the_first_side_of_a_hidden_edge_stays() -> None:
    """Edge 2, from 3 to 1, comes first: triangle 0 takes 2 in.

    Then edge 5, from 0 to 3, has triangle 1 on its first side, and 0 on the other: 1 stays.
    """
    points = [(0, 0, 0), (2, 0, 0), (3, 1, 0), (2, 2, 0), (0, 2, 0)]
    fan = [(1, 2, 3), (3, 4, 0), (3, 0, 1)]
    mesh = to_polygons(Mesh.of_triangles(points, fan, edge_flags=[3, 3, 2], material_ids=[7, 8, 9]))
    assert polygons(mesh) == [(3, 4, 0, 1, 2)]
    assert mesh.material_ids.tolist() == [8]


def test_surfaces_that_meet_in_a_point_get_a_vertex_each() -> None:
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (-1, 0, 0), (-1, -1, 0)]
    mesh = to_polygons(Mesh.of_triangles(points, [(0, 1, 2), (0, 3, 4)], edge_flags=7))
    assert polygons(mesh) == [(0, 1, 2), (5, 3, 4)]
    assert mesh.positions[5].tolist() == [0, 0, 0]
    mesh.selection.vertices = None
    chosen = Mesh.of_triangles(points, [(0, 1, 2), (0, 3, 4)], edge_flags=7)
    chosen.selection.vertices = np.array([True, False, False, False, False])
    selected = to_polygons(chosen).selection.vertices
    assert selected is not None
    assert selected.tolist() == [True, False, False, False, False, True]


def test_triangles_are_joined_across_seams_unless_asked_not_to() -> None:
    mesh = box()
    corners = mesh.corners.copy()
    corners[0] = 8
    mesh.maps[1] = MapChannel(np.zeros((9, 3), np.float32), corners)
    assert to_polygons(mesh).polygon_count == 6
    assert to_polygons(mesh, across_seams=False).polygon_count == 7


def test_triangles_of_polygons_hide_what_is_inside() -> None:
    mesh = polygon_mesh(
        BOX_POINTS, np.ravel(BOX_POLYGONS), np.arange(0, 25, 4), diagonals=[(0, 2)] * 6
    )
    back = to_triangles(mesh)
    assert [tuple(face) for face in back.faces] == BOX_FACES
    assert not back.is_polygons
    assert np.array_equal(back.edge_visible.reshape(-1, 3), [[True, True, False]] * 12)
    assert polygons(to_polygons(back)) == BOX_POLYGONS


def test_triangulation_of_a_polygon_survives() -> None:
    points = [(np.cos(t), np.sin(t), t) for t in np.arange(7)]
    pairs = [(1, 3), (3, 5), (1, 5), (1, 6)]
    mesh = polygon_mesh(points, np.arange(7), [0, 7], diagonals=pairs)
    again = to_polygons(to_triangles(mesh))
    assert {frozenset(map(int, face)) for face in again.faces} == {
        frozenset(map(int, face)) for face in mesh.faces
    }


def test_edges_are_numbered_side_by_side_as_their_first_side_runs() -> None:
    mesh = polygon_mesh(BOX_POINTS[:6], [0, 1, 3, 2, 2, 3, 5, 4], [0, 4, 8])
    assert mesh.edges is not None
    assert [tuple(edge) for edge in mesh.edges.vertices] == [
        (0, 1), (1, 3), (3, 2), (2, 0), (3, 5), (5, 4), (4, 2),
    ]  # fmt: skip
    assert list(edge_list(mesh).of_corner) == [0, 1, 2, 3, 2, 4, 5, 6]
    assert list(twin_corners(mesh)) == [-1, -1, 4, -1, 2, -1, -1, -1]


def test_a_third_polygon_at_an_edge_has_its_own() -> None:
    faces = [(0, 1, 2), (1, 0, 3), (0, 1, 4)]
    mesh = Mesh.of_triangles(BOX_POINTS[:5], faces)
    found = edge_list(mesh)
    assert found.of_corner[0] == found.of_corner[3]
    assert found.of_corner[6] != found.of_corner[0]
    assert len(found.vertices) == 8


def test_the_own_list_of_a_mesh_is_used_where_there_is_one() -> None:
    mesh = polygon_mesh(BOX_POINTS[:4], [0, 1, 3, 2], [0, 4])
    mesh = replace(mesh, edges=Edges(np.array([(2, 0), (3, 1), (0, 1), (2, 3)], np.int32)))
    found = edge_list(mesh)
    assert list(found.of_corner) == [2, 1, 3, 0]
    assert list(found.corners[:, 0]) == [3, 1, 0, 2]
