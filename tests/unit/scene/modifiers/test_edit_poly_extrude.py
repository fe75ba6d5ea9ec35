"""Edit Poly: extruded vertices and edges, on small meshes whose results are worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.scene.geometry.edges import edge_list
from tests.support.edit_poly import cube, grid, on, op
from tests.support.stored_meshes import polygons

VERTEX, EDGE = 39, 40


def test_an_extruded_vertex_stands_on_one_vertex_for_each_edge() -> None:
    """The middle of the grid: four edges, four triangles around it."""
    mesh = on(grid(), op(VERTEX, "000010000", p29=1.0, p30=2.0)).mesh()
    assert mesh.positions[4].tolist() == [4, 4, 2]
    # Its edges by number: 1 to (4, 0), 2 to (0, 4), 6 to (8, 4), 7 to (4, 8).
    assert mesh.positions[9:].tolist() == [[4, 3, 0], [3, 4, 0], [5, 4, 0], [4, 5, 0]]
    assert mesh.degrees.tolist() == [5, 5, 5, 5, 3, 3, 3, 3]
    assert polygons(mesh)[0] == (0, 1, 9, 10, 3)
    assert all(4 in ring for ring in polygons(mesh)[4:])
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 12 + 4 + 4


def test_the_far_part_of_a_divided_edge_is_the_new_one() -> None:
    """Edge 0 from 0 to 1 is divided at both ends; the last edge is what a deletion then finds."""
    mesh = on(grid(), op(VERTEX, "110000000", p29=0.0, p30=0.0)).mesh()
    assert mesh.edges is not None
    # At 0: edges 0 and 3; at 1: edges 1, 4 and what is left of edge 0, which is 12 now.
    ends = mesh.edges.vertices.tolist()
    assert ends[0] == [0, 9]
    assert ends[12] == [9, 13]
    assert ends[3] == [3, 10]
    assert ends[13] == [10, 0]
    assert ends[1] == [1, 11]
    assert ends[4] == [1, 12]
    assert ends[16] == [13, 1]
    assert len(ends) == 12 + 5 + 3


def test_an_extruded_border_edge_has_a_quad_below() -> None:
    """The edge in front: its ends rise, with new vertices on the edges beside it."""
    mesh = on(grid(), op(EDGE, "100000000000", p33=3.0, p34=1.0)).mesh()
    assert mesh.positions[:2].tolist() == [[0, 0, 3], [4, 0, 3]]
    # On edge 1 from (4, 0), 3 from (0, 0), 4 from (4, 0).
    assert mesh.positions[9:].tolist() == [[4, 1, 0], [0, 1, 0], [5, 0, 0]]
    # The quad of the first face, then the triangle of the face that only touches the end.
    assert polygons(mesh)[0] == (10, 9, 4, 3)
    assert polygons(mesh)[4:] == [(0, 1, 9, 10), (1, 11, 9)]


def test_an_extruded_inner_edge_has_a_quad_on_either_side() -> None:
    mesh = on(cube(), op(EDGE, "100000000000", p33=0.0, p34=1.0)).mesh()
    assert len(mesh.positions) == 8 + 4
    assert mesh.degrees.tolist() == [4, 4, 5, 4, 5, 4, 4, 3, 3, 4]
    assert mesh.edges is not None
    assert len(np.unique(np.sort(mesh.edges.vertices, axis=1), axis=0)) == 12 + 4 + 4
    # Euler: a closed surface stays one.
    assert len(mesh.positions) - len(mesh.edges.vertices) + mesh.polygon_count == 2


@pytest.mark.parametrize(
    ("selection", "reason"),
    [
        ("110000000000", "side by side"),
        ("1100", "it was made for 4 edges, and there are 12"),
    ],
)
def test_edges_that_are_not_extruded(selection: str, reason: str) -> None:
    assert reason in on(cube(), op(EDGE, selection, p33=1.0, p34=0.0)).reasons()[0]


@pytest.mark.parametrize("number", [VERTEX, EDGE])
def test_nothing_chosen_changes_nothing(number: int) -> None:
    found = on(cube(), op(number, p29=1.0, p30=1.0, p33=1.0, p34=1.0))
    assert len(found.mesh().positions) == 8
    assert found.reasons() == []


def test_parts_of_edges_can_be_selected_and_links_cannot() -> None:
    first = op(VERTEX, "110000000", p29=0.0, p30=0.0)
    known = op(EDGE, "0" * 12 + "1" + "0" * 7, p33=1.0, p34=0.0)
    assert not any("numbers of edges" in reason for reason in on(grid(), first, known).reasons())
    link = op(EDGE, "0" * 17 + "100", p33=1.0, p34=0.0)
    assert "numbers of edges" in on(grid(), first, link).reasons()[0]


@given(
    st.sampled_from([grid(), cube()]),
    st.text("01", min_size=8, max_size=12),
    st.text("01", min_size=12, max_size=12),
    st.floats(-1e3, 1e3, width=32),
)
def test_whatever_is_extruded_is_a_sound_mesh(
    base: list[object], vertices: str, edges: str, size: float
) -> None:
    for chunks in (
        op(VERTEX, vertices, p29=size, p30=size),
        op(EDGE, edges, p33=size, p34=size),
    ):
        mesh = on(base, chunks).evaluation().mesh  # type: ignore[arg-type]
        assert mesh is not None
        assert np.isfinite(mesh.positions).all()
        assert mesh.corners.max() < len(mesh.positions)
        assert len(mesh.triangles) == (mesh.degrees - 2).sum()
        found = edge_list(mesh)
        assert np.all(found.of_corner >= 0)
        # A side and its edge have the same ends.
        sides = np.stack([mesh.corners, mesh.corners[mesh.next_corners]], axis=1)
        ends = found.vertices[found.of_corner]
        assert np.array_equal(np.sort(sides, axis=1), np.sort(ends, axis=1))
