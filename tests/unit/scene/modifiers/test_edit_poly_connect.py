"""Edit Poly: vertices put into edges, connected vertices, edges that are torn, on a small grid."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.edges import edge_list
from tests.support.edit_poly import cube, grid, on, op
from tests.support.scenes import f32, u32
from tests.support.stored_meshes import polygons

INSERT, CONNECT, SPLIT, WELD = 66, 44, 14, 22


def insert(*places: tuple[int, float]) -> list[ChunkTree]:
    """Return an operation that puts vertices into edges, at shares of them."""
    edges = b"".join(pack("<i", edge) for edge, _ in places)
    data = u32(len(places)) + edges + f32(*(share for _, share in places))
    return op(INSERT, None, [(0x1600, data)])


def test_a_vertex_in_an_edge_leaves_the_number_to_the_first_part() -> None:
    """Edge 1 runs from 1 to 4, between the first two faces."""
    mesh = on(grid(), insert((1, 0.25))).mesh()
    assert mesh.positions[9].tolist() == [4, 1, 0]
    assert polygons(mesh)[:2] == [(0, 1, 9, 4, 3), (1, 2, 5, 4, 9)]
    assert mesh.edges is not None
    assert mesh.edges.vertices[1].tolist() == [1, 9]
    assert mesh.edges.vertices[12].tolist() == [9, 4]


def test_vertices_come_one_by_one() -> None:
    """The second place is on what the first one left of the edge."""
    mesh = on(grid(), insert((1, 0.5), (1, 0.5), (12, 0.5))).mesh()
    assert mesh.positions[9:].tolist() == [[4, 2, 0], [4, 1, 0], [4, 3, 0]]
    assert polygons(mesh)[0] == (0, 1, 10, 9, 11, 4, 3)


@pytest.mark.parametrize(
    ("chunk", "reason"),
    [
        (u32(1) + pack("<i", 12) + f32(0.5), "numbers of edges"),
        (u32(1) + pack("<i", -1) + f32(0.5), "numbers of edges"),
        (u32(2) + pack("<i", 1) + f32(0.5), "another layout"),
        (u32(1) + pack("<i", 1) + f32(float("nan")), "no numbers"),
        (u32(1, 1), "another layout"),
    ],
)
def test_places_that_are_refused(chunk: bytes, reason: str) -> None:
    assert reason in on(grid(), op(INSERT, None, [(0x1600, chunk)])).reasons()[0]


def test_connected_corners_cut_a_face() -> None:
    """From the first corner to the second is a new face; the rest keeps the number."""
    mesh = on(grid(), op(CONNECT, "100010000")).mesh()
    assert polygons(mesh)[0] == (0, 4, 3)
    assert polygons(mesh)[4] == (0, 1, 4)
    assert mesh.edges is not None
    assert mesh.edges.vertices[12].tolist() == [0, 4]
    assert len(mesh.edges.vertices) == 13


def test_vertices_without_a_face_in_common_and_neighbours_are_not_connected() -> None:
    for selection in ("100000001", "110000000"):
        assert polygons(on(grid(), op(CONNECT, selection)).mesh()) == polygons(on(grid()).mesh())


def test_a_corner_is_connected_with_both_of_two_neighbours() -> None:
    """The two vertices in edge 1 are neighbours: only the lines to them from 0 are new."""
    placed = insert((1, 0.5), (1, 0.5))
    mesh = on(grid(), placed, op(CONNECT, "10000000011")).mesh()
    assert polygons(mesh)[0] == (0, 9, 4, 3)
    assert {frozenset(ring) for ring in polygons(mesh)[4:]} == {
        frozenset((0, 1, 10)), frozenset((0, 10, 9))
    }  # fmt: skip
    assert "more than three" in on(grid(), op(CONNECT, "110110000")).reasons()[0]


def test_a_single_edge_inside_tears_nothing() -> None:
    assert polygons(on(cube(), op(SPLIT, "1" + "0" * 11)).mesh()) == polygons(on(cube()).mesh())
    assert polygons(on(grid(), op(SPLIT, "1" + "0" * 11)).mesh()) == polygons(on(grid()).mesh())
    # Edge 1 ends at the border; two edges of the cube meet.
    assert "tears" in on(grid(), op(SPLIT, "01" + "0" * 10)).reasons()[0]
    assert "tears" in on(cube(), op(SPLIT, "11" + "0" * 10)).reasons()[0]


def test_of_welded_ends_the_first_one_of_the_edge_stays() -> None:
    """Edge 2 runs from 4 to 3: 4 stays, which is 3 when 3 is gone; edges are numbered anew."""
    mesh = on(grid(), op(WELD, "000110000", p27=4.5)).mesh()
    assert mesh.positions[:4].tolist() == [[0, 0, 0], [4, 0, 0], [8, 0, 0], [2, 4, 0]]
    assert mesh.positions[4].tolist() == [8, 4, 0]
    assert polygons(mesh)[0] == (0, 1, 3)
    assert mesh.edges is not None
    assert mesh.edges.vertices[:3].tolist() == [[0, 1], [1, 3], [3, 0]]
    assert mesh.edges.vertices[3:6].tolist() == [[1, 2], [2, 4], [4, 3]]


@given(
    st.sampled_from([grid(), cube()]),
    st.lists(st.tuples(st.integers(0, 16), st.floats(-2, 2, width=32)), max_size=4),
    st.text("01", min_size=8, max_size=13),
)
def test_whatever_is_connected_is_a_sound_mesh(
    base: list[ChunkTree], places: list[tuple[int, float]], vertices: str
) -> None:
    mesh = on(base, insert(*places), op(CONNECT, vertices)).evaluation().mesh
    assert mesh is not None
    assert mesh.corners.max() < len(mesh.positions)
    assert len(mesh.triangles) == (mesh.degrees - 2).sum()
    found = edge_list(mesh)
    sides = np.stack([mesh.corners, mesh.corners[mesh.next_corners]], axis=1)
    assert np.array_equal(np.sort(sides, axis=1), np.sort(found.vertices[found.of_corner], axis=1))
