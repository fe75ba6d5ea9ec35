"""Edit Poly: chamfers, bridges, caps and connections, on small meshes."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from tests.support.edit_poly import cube, grid, on, op
from tests.support.stored_meshes import edge, face, poly_chunks, polygons, vertex


def test_a_chamfered_edge_becomes_a_face() -> None:
    """An end with two other edges: both new vertices slide along them."""
    mesh = on(cube(), op(34, "100000000000", p35=1.0)).mesh()
    assert len(mesh.positions) == 10
    assert mesh.polygon_count == 7
    # Beside the edge from 0 to 2: one unit along x and one along z from either end.
    ring = mesh.positions[mesh.corners[mesh.starts[6] :]]
    assert sorted(map(tuple, ring.tolist())) == [(0, 0, 1), (0, 4, 1), (1, 0, 0), (1, 4, 0)]
    assert mesh.degrees.tolist() == [4, 4, 5, 4, 5, 4, 4]
    assert mesh.edges is not None
    assert len(np.unique(np.sort(mesh.edges.vertices, axis=1), axis=0)) == 12 + 3


def test_two_segments_divide_what_one_makes() -> None:
    """Ends with two other edges: the middle is (start + 2 corner + end) / 4."""
    mesh = on(cube(), op(34, "100000000000", p35=1.0, p86=2)).mesh()
    assert mesh.positions[10:].tolist() == [[0.25, 0, 0.25], [0.25, 4, 0.25]]
    assert mesh.degrees.tolist() == [4, 4, 6, 4, 6, 4, 4, 4]
    assert mesh.edges is not None
    ends = np.sort(mesh.edges.vertices, axis=1)
    assert len(np.unique(ends, axis=0)) == len(ends) == 12 + 3 + 3
    assert {(10, 11)} <= set(map(tuple, ends.tolist()))


def test_an_end_with_three_other_edges_is_divided_in_four() -> None:
    """The pyramid's point in the middle of its base: one of its four edges is chamfered."""
    corners = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4), (3, 2, 1, 0)]
    pairs = [(0, 1), (1, 4), (4, 0), (1, 2), (2, 4), (2, 3), (3, 4), (3, 0)]
    places = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0), (2, 2, 0)]
    base = poly_chunks(
        [vertex(*place) for place in places],
        [edge(*pair) for pair in pairs],
        [face(ring, diagonals=(2, 0) if len(ring) == 4 else ()) for ring in corners],
    )
    mesh = on(base, op(34, "01000000", p35=2.0**0.5, p86=2)).mesh()
    # The point keeps its number on the edge across; (3, 3) and (1, 1) are on the two others.
    at = {tuple(np.round(place, 5).tolist()) for place in mesh.positions}
    assert {(1, 3, 0), (3, 3, 0), (1, 1, 0)} <= at
    # Middles of the sides, and the point between the first corner and the middle across.
    assert {(2, 3, 0), (2, 2, 0), (1, 2, 0), (1.5, 2.5, 0)} <= at
    assert mesh.degrees.tolist().count(3) >= 2
    assert mesh.edges is not None
    assert len(mesh.positions) - len(mesh.edges.vertices) + mesh.polygon_count == 2


@pytest.mark.parametrize(
    ("base", "selection", "reason"),
    [
        (grid(), "100000000000", "chamfers at a border"),
        (cube(), "110000000000", "side by side"),
        (cube(), "1100", "it was made for 4 edges, and there are 12"),
    ],
)
def test_chamfers_that_are_not_evaluated(
    base: list[ChunkTree], selection: str, reason: str
) -> None:
    assert reason in on(base, op(34, selection, p35=1.0)).reasons()[0]
    assert "3 segments" in on(base, op(34, selection.ljust(12, "0"), p35=1.0, p86=3)).reasons()[0]


def test_a_bridge_closes_the_gap_in_front_of_a_chain() -> None:
    """Edges 0 to 1, 0 to 3 and 3 to 6 of the grid: a face of their four vertices, and one edge."""
    mesh = on(grid(), op(82, "100100000100")).mesh()
    assert mesh.polygon_count == 5
    ring = polygons(mesh)[4]
    # Against the faces beside it, which run from 0 to 1, from 3 to 0 and from 6 to 3.
    assert (1, 0, 3, 6) in {ring[place:] + ring[:place] for place in range(4)}
    assert mesh.edges is not None
    assert sorted(mesh.edges.vertices[12].tolist()) == [1, 6]


def test_a_border_that_is_chosen_all_around_stays() -> None:
    assert on(grid(), op(82, "100111001111")).mesh().polygon_count == 4


@pytest.mark.parametrize(
    ("selection", "reason"),
    [
        ("100001000001", "several chains"),
        ("100000000000", "a single edge"),
        ("010000000000", "no border"),
    ],
)
def test_bridges_that_are_not_evaluated(selection: str, reason: str) -> None:
    assert reason in on(grid(), op(82, selection)).reasons()[0]
    two = op(82, "100100000000", p64=2)
    assert "bridges of 2 segments" in on(grid(), two).reasons()[0]


def test_two_edges_at_a_corner_are_bridged_by_a_triangle() -> None:
    mesh = on(grid(), op(82, "100100000000")).mesh()
    assert mesh.edges is not None
    assert sorted(mesh.edges.vertices[12].tolist()) == [1, 3]
    assert set(polygons(mesh)[4]) == {0, 1, 3}


def test_two_edges_on_their_own_are_bridged_by_a_quad() -> None:
    """Edges 0, from 0 to 1, and 11, from 8 to 7: first the edge from the later one is new."""
    mesh = on(grid(), op(82, "100000000001")).mesh()
    ring = polygons(mesh)[4]
    # Against the faces beside it, which run from 0 to 1 and from 8 to 7.
    assert (7, 8, 1, 0) in {ring[place:] + ring[:place] for place in range(4)}
    assert mesh.edges is not None
    assert [set(ends) for ends in mesh.edges.vertices[12:].tolist()] == [{8, 1}, {0, 7}]


def test_a_border_of_three_edges_is_closed_without_new_ones() -> None:
    """The square with its triangle, without the square."""
    base = poly_chunks(
        [vertex(0, 0, 0), vertex(1, 0, 0), vertex(0, 1, 0), vertex(0, 0, 1)],
        [edge(0, 1), edge(1, 3), edge(3, 0), edge(1, 2), edge(2, 3), edge(2, 0)],
        [face((0, 1, 3)), face((1, 2, 3)), face((2, 0, 3))],
    )
    mesh = on(base, op(82, "100101")).mesh()
    ring = polygons(mesh)[3]
    assert (1, 0, 2) in {ring[place:] + ring[:place] for place in range(3)}
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 6


def test_a_cap_closes_the_border_of_a_selected_edge() -> None:
    """The border of the grid runs 0, 1, 2, 5, 8, 7, 6, 3; a face in front of it runs back."""
    mesh = on(grid(), op(9, "100000000000")).mesh()
    assert mesh.polygon_count == 5
    ring = polygons(mesh)[4]
    assert (3, 6, 7, 8, 5, 2, 1, 0) in {ring[place:] + ring[:place] for place in range(8)}
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 12
    assert on(grid(), op(9, "010000000000")).mesh().polygon_count == 4


def test_removed_vertices_with_two_edges_make_one_of_them() -> None:
    removed = op(50, "010000000000", more=[(0x1601, b"\0")])
    mesh = on(grid(), removed, op(49, "010000000")).mesh()
    assert polygons(mesh) == [(0, 1, 4, 3, 2), (2, 3, 6, 5), (3, 4, 7, 6)]
    assert len(mesh.positions) == 8
    again = on(grid(), removed, op(49, "010000000"), op(50, "1" + "0" * 9))
    assert "edges that are new" in again.reasons()[0]
    together = on(grid(), op(50, "010000000000", more=[(0x1601, b"\1")])).mesh()
    assert polygons(together) == polygons(mesh)


def test_edges_without_a_face_in_common_are_not_connected() -> None:
    assert polygons(on(grid(), op(43, "100000000001")).mesh()) == polygons(on(grid()).mesh())
    assert "same face" in on(grid(), op(43, "101000000000")).reasons()[0]
