"""Edit Poly on bytes made by hand: a quad and a triangle beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.views import check_leaves
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.edges import edge_list
from tests.support.edit_poly import EDIT_POLY, cube, grid, moves, on, op
from tests.support.scenes import u32
from tests.support.stacks import EDITABLE_POLY, Layer, Stack
from tests.support.stored_meshes import (
    SQUARE,
    bits,
    polygons,
    square_poly,
)

TRANSFORM, EXTRUDE_FACE, INSET, DELETE_FACE, DETACH_FACE, ATTACH = 53, 41, 38, 11, 13, 58


def stack(*chunks: Sequence[ChunkTree], level: int = 0, head: Sequence[ChunkTree] = ()) -> Stack:
    local = [entry for part in chunks for entry in part]
    return Stack(
        [Layer(EDIT_POLY, [*head, (0x0100, u32(level))], local=local)],
        square_poly(),
        EDITABLE_POLY,
    )


def test_without_operations_the_mesh_stays() -> None:
    mesh = stack([]).mesh()
    assert polygons(mesh) == [(0, 1, 2, 3), (1, 4, 2)]
    assert mesh.positions.tolist() == [list(map(float, row)) for row in SQUARE]


def test_moves_of_all_operations_add_up() -> None:
    one = op(TRANSFORM, None, moves((0, 0, 0), (0, 0, 1), *[(0, 0, 0)] * 3))
    two = op(TRANSFORM, None, moves((0, 0, 0), (1, 2, 3), *[(0, 0, 0)] * 3))
    current: list[ChunkTree] = [(0x0260, u32(TRANSFORM)), (0x0268, moves(*[(5, 0, 0)] * 5))]
    positions = stack(one, two, current).mesh().positions
    expected = np.array(SQUARE, np.float32)
    expected[:, 0] += 5
    expected[1] += (1, 2, 4)
    assert positions.tolist() == expected.tolist()


def test_moves_for_another_mesh_are_refused() -> None:
    found = stack(op(TRANSFORM, None, moves(*[(0, 0, 0)] * 4)))
    assert found.reasons() == [
        "operation 1 of 1, transform: it was made for 4 vertices, and there are 5"
    ]
    assert found.evaluation().mesh is not None


def test_operations_that_are_not_known_are_named() -> None:
    assert stack(op(35)).reasons() == ["operation 1 of 1, cut: this operation is not evaluated"]
    assert "operation 4711" in stack(op(4711)).reasons()[0]


def test_deleted_faces_take_their_vertices_along() -> None:
    mesh = stack(op(DELETE_FACE, "10", p26=1)).mesh()
    assert polygons(mesh) == [(0, 2, 1)]
    assert mesh.positions.tolist() == [[1, 0, 0], [1, 1, 0], [2, 0, 1]]
    kept = stack(op(DELETE_FACE, "10", p26=0)).mesh()
    assert polygons(kept) == [(1, 4, 2)]
    assert len(kept.positions) == 5


def test_an_inset_quad_is_by_the_amount_smaller() -> None:
    """A face becomes one of new vertices in its order, with a quad at each side behind."""
    mesh = stack(op(INSET, "10", p41=0, p42=0.25)).mesh()
    assert polygons(mesh) == [
        (5, 6, 7, 8), (1, 4, 2), (0, 1, 6, 5), (1, 2, 7, 6), (2, 3, 8, 7), (3, 0, 5, 8)
    ]  # fmt: skip
    assert mesh.positions[5:].tolist() == [
        [0.25, 0.25, 0], [0.75, 0.25, 0], [0.75, 0.75, 0], [0.25, 0.75, 0]
    ]  # fmt: skip


def test_an_extruded_quad_goes_along_its_normal() -> None:
    found = stack(op(EXTRUDE_FACE, "10", p36=0, p37=2.0), op(DELETE_FACE, "100000", p26=1))
    mesh = found.mesh()
    assert polygons(mesh)[1:] == [(0, 1, 6, 5), (1, 2, 7, 6), (2, 3, 8, 7), (3, 0, 5, 8)]
    assert mesh.positions[5:].tolist() == [[0, 0, 2], [1, 0, 2], [1, 1, 2], [0, 1, 2]]


def test_faces_that_share_an_edge_are_extruded_together() -> None:
    mesh = stack(op(EXTRUDE_FACE, "11", p36=0, p37=1.0)).mesh()
    assert len(mesh.positions) == 10
    assert mesh.polygon_count == 2 + 5
    apart = stack(op(EXTRUDE_FACE, "11", p36=2, p37=1.0)).mesh()
    assert len(apart.positions) == 12
    assert apart.polygon_count == 2 + 7


def test_mesh_smooth_divides_the_faces_at_a_vertex() -> None:
    """The middle of a grid: its four faces and edges get vertices; corners that stay, triangles."""
    selection = "000010000"
    mesh = on(grid(), op(27, selection, p16=1.0, p17=0, p18=0)).mesh()
    assert len(mesh.positions) == 9 + 4 + 4
    # A quad at the middle; two triangles at split sides and two at whole ones, in each face.
    assert mesh.polygon_count == 4 * 5
    assert sorted(mesh.degrees.tolist()) == [3] * 16 + [4] * 4
    assert mesh.positions[9:13].tolist() == [[2, 2, 0], [6, 2, 0], [2, 6, 0], [6, 6, 0]]
    assert sorted(mesh.positions[13:].tolist()) == [[2, 4, 0], [4, 2, 0], [4, 6, 0], [6, 4, 0]]
    ends = np.sort(mesh.corners[np.stack([np.arange(len(mesh.corners)), mesh.next_corners])], 0)
    assert np.unique(ends, axis=1).shape[1] == 12 + 4 + 4 * 2 + 4 * 3
    first, second, third = (mesh.positions[mesh.faces[:, place]] for place in range(3))
    area = np.cross(second - first, third - first)[:, 2]
    assert np.all(area > 0)
    assert area.sum() == 2 * 64


def test_divided_faces_are_counted_as_dead_ones() -> None:
    """Selections behind a MeshSmooth count the four old faces, too."""
    final: list[ChunkTree] = [(0x0220, [(0x2700, bits("0001" + "1" * 20))])]
    found = on(grid(), final, op(27, "000010000", p16=1.0, p17=0, p18=0))
    selection = found.mesh().selection.polygons
    assert selection is not None
    assert selection.all()


def test_deleting_takes_dead_faces_out() -> None:
    """Selections behind it do not count the four old faces."""
    operations = op(27, "000010000", p16=1.0, p17=0, p18=0), op(54, "1" + "0" * 35, p26=1)
    count = on(grid(), *operations).mesh().polygon_count
    assert 0 < count < 20

    def selected(number: int) -> list[str]:
        final: list[ChunkTree] = [(0x0220, [(0x2700, bits("1" * number))])]
        return on(grid(), final, *operations).reasons()

    assert not any("should leave" in reason for reason in selected(count))
    assert "should leave" in selected(count + 4)[0]


def test_edges_of_divided_faces_are_numbered_face_by_face() -> None:
    mesh = on(grid(), op(27, "000010000", p16=1.0, p17=0, p18=0)).mesh()
    assert mesh.edges is not None
    sides = np.stack([mesh.corners, mesh.corners[mesh.next_corners]], axis=1)
    seen: dict[frozenset[int], list[int]] = {}
    for ends in sides.tolist():
        seen.setdefault(frozenset(ends), ends)
    assert mesh.edges.vertices.tolist() == list(seen.values())


@pytest.mark.parametrize("settings", [(0.5, 0, 0), (1.0, 1, 0), (1.0, 0, 1)])
def test_settings_of_mesh_smooth_that_are_not_evaluated(settings: tuple[float, int, int]) -> None:
    smoothness, groups, materials = settings
    assert on(grid(), op(27, "000010000", p16=smoothness, p17=groups, p18=materials)).reasons()


def test_removed_edges_join_faces() -> None:
    """Edge 1 to 4 lies between the two lower squares; the larger face starts as the first did."""
    mesh = on(grid(), op(50, "010000000000", more=[(0x1601, b"\0")])).mesh()
    assert polygons(mesh) == [(0, 1, 2, 5, 4, 3), (3, 4, 7, 6), (4, 5, 8, 7)]
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 11


def test_a_removed_vertex_joins_the_faces_around() -> None:
    mesh = on(grid(), op(49, "000010000")).mesh()
    assert polygons(mesh) == [(0, 1, 2, 4, 7, 6, 5, 3)]
    assert mesh.triangle_polygons.tolist() == [0] * 6


def test_a_beveled_quad_is_raised_and_smaller() -> None:
    mesh = on(grid(), op(32, "1000", p38=0, p39=2.0, p40=-1.0)).mesh()
    assert mesh.positions[9:].tolist() == [[1, 1, 2], [3, 1, 2], [3, 3, 2], [1, 3, 2]]


def test_welded_ends_of_an_edge_meet_in_its_middle() -> None:
    """The middle of the lower border and that of the grid: two squares become triangles."""
    mesh = on(grid(), op(22, "010010000", p27=4.0)).mesh()
    assert polygons(mesh) == [(0, 1, 3), (1, 2, 4), (3, 1, 6, 5), (1, 4, 7, 6)]
    assert mesh.positions[1].tolist() == [4, 2, 0]
    assert len(on(grid(), op(22, "010010000", p27=3.9)).mesh().positions) == 9


def test_a_welded_triangle_leaves_one_edge() -> None:
    """A side of the triangle has no length any more: the other two become one, of the quad."""
    mesh = on(square_poly(), op(22, "01001", p27=2.0)).mesh()
    assert polygons(mesh) == [(0, 1, 2, 3)]
    assert mesh.positions[1].tolist() == [1.5, 0, 0.5]
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 4


def test_welded_borders_are_sewn() -> None:
    """Two faces beside one another, the second detached, become one surface again."""
    apart = op(13, "0100", more=[(0x1601, b"\0")])
    torn = on(grid(), apart).mesh()
    assert len(torn.positions) == 9 + 3
    mesh = on(grid(), apart, op(22, "1" * 12, p27=0.5)).mesh()
    assert len(mesh.positions) == 9
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 12


def test_new_edges_whose_numbers_are_not_known_are_refused() -> None:
    """Old edges keep theirs."""
    extruded = op(41, "1000", p36=0, p37=1.0)
    edges = "1" + "0" * 19
    assert on(grid(), extruded, op(54, edges, p26=1)).evaluation().complete
    assert "edges that are new" in on(grid(), extruded, op(54, edges[::-1], p26=1)).reasons()[0]


def test_the_border_of_faces_begins_at_their_first_edge() -> None:
    """The two lower squares together: edge 0 goes from vertex 0 to 1, and the border on from there.

    It goes around both: 0, 1, 2, 5, 4, 3.
    """
    mesh = on(grid(), op(41, "1100", p36=0, p37=1.0)).mesh()
    assert mesh.positions[9:].tolist() == [
        [0, 0, 1], [4, 0, 1], [8, 0, 1], [8, 4, 1], [4, 4, 1], [0, 4, 1]
    ]  # fmt: skip
    assert polygons(mesh)[4:] == [
        (0, 1, 10, 9), (1, 2, 11, 10), (2, 5, 12, 11), (5, 4, 13, 12), (4, 3, 14, 13), (3, 0, 9, 14)
    ]  # fmt: skip


def test_a_selection_of_another_mesh_is_refused() -> None:
    reasons = stack(op(EXTRUDE_FACE, "100", p36=0, p37=1.0)).reasons()
    assert reasons[0].endswith("it was made for 3 faces, and there are 2")


def test_the_last_selection_tells_whether_the_result_is_right() -> None:
    final: list[ChunkTree] = [(0x0200, [(0x2700, bits("000"))])]
    assert stack(final, op(DELETE_FACE, "10", p26=1)).evaluation().complete
    assert stack(final, op(DELETE_FACE, "01", p26=1)).reasons() == [
        "its operations should leave 3 vertices, and there are 4"
    ]


def test_a_detached_face_has_vertices_of_its_own() -> None:
    mesh = stack(op(DETACH_FACE, "01", more=[(0x0601, b"\0")])).mesh()
    assert polygons(mesh) == [(0, 1, 2, 3), (5, 4, 6)]
    assert mesh.positions[5:].tolist() == [[1, 0, 0], [1, 1, 0]]


def test_attached_meshes_come_behind() -> None:
    data: list[ChunkTree] = [
        (0x0E04, u32(1)), (0x0E08, u32(0)), (0x0E00, square_poly()), (0x0E0C, u32(0))
    ]  # fmt: skip
    mesh = stack(op(ATTACH, None, data)).mesh()
    assert polygons(mesh) == [(0, 1, 2, 3), (1, 4, 2), (5, 6, 7, 8), (6, 9, 7)]
    assert mesh.material_ids.tolist() == [0, 7, 0, 7]
    assert "the mesh is not stored" in stack(op(ATTACH)).reasons()[0]


def test_selection_goes_on_upwards() -> None:
    chunks: list[ChunkTree] = [
        (0x0200, [(0x2700, bits("01000"))]), (0x0220, [(0x2700, bits("01"))])
    ]  # fmt: skip
    selection = stack(chunks, level=4).mesh().selection
    assert selection.level == "face"
    assert selection.polygons is not None
    assert selection.polygons.tolist() == [False, True]
    assert "its level 9" in stack(chunks, level=9).reasons()[0]


def test_a_switched_off_modifier_does_nothing() -> None:
    """Its head lies a level deeper than that of other modifiers."""
    head: list[ChunkTree] = [(0x0080, [(0x39BF, [(0x0110, b"")])])]
    found = stack(op(DELETE_FACE, "10", p26=1), head=head)
    assert found.mesh().polygon_count == 2


@pytest.mark.parametrize("number", [53, 80, 68, 69, 70, 10, 54])
def test_operations_without_anything_chosen(number: int) -> None:
    found = op(number, p26=0, p56=0, p57=0, p58=0, p73=0, p74=0, p75=0, p55=1.0, p72=0.5)
    mesh = stack(found).mesh()
    assert polygons(mesh) == [(0, 1, 2, 3), (1, 4, 2)]


def test_parameters_that_are_missing_are_told() -> None:
    assert "its parameter 37 is not stored" in stack(op(EXTRUDE_FACE, "10", p36=0)).reasons()[0]
    damaged = stack(op(EXTRUDE_FACE, "10", p36=0, p37=float("nan")))
    assert "its parameter 37 is no number" in damaged.reasons()[0]


_NUMBERS = [9, 10, 11, 13, 22, 27, 32, 34, 38, 41, 43, 49, 50, 53, 54, 68, 69, 70, 80, 82]
_REALS = st.sampled_from([0.0, 1.0, -2.0, 0.25, 1e30, float("inf")])


@given(
    st.sampled_from([grid(), cube(), square_poly()]),
    st.lists(
        st.tuples(st.sampled_from(_NUMBERS), st.text("01", min_size=2, max_size=20), _REALS),
        max_size=4,
    ),
    st.integers(0, 2),
)
def test_whatever_is_stored_there_is_a_sound_mesh(
    base: list[ChunkTree], stored: list[tuple[int, str, float]], kind: int
) -> None:
    chunks = [
        op(number, selection, more=[(0x1601, b"\1")], p16=1.0, p17=0, p18=0, p26=kind & 1, p35=real,
           p36=kind, p37=real, p38=kind, p39=real, p40=real, p41=kind & 1, p42=real, p55=real,
           p56=kind, p57=kind, p58=kind, p72=real, p73=kind, p74=1, p75=0)
        for number, selection, real in stored
    ]  # fmt: skip
    mesh = on(base, *chunks).evaluation().mesh
    assert mesh is not None
    assert np.isfinite(mesh.positions).all()
    assert mesh.corners.max(initial=-1) < len(mesh.positions)
    assert len(mesh.triangles) == np.maximum(mesh.degrees - 2, 0).sum()
    assert np.all(edge_list(mesh).of_corner >= 0)


def test_every_leaf_is_typed() -> None:
    found = stack(
        op(TRANSFORM, "11", moves(*[(0, 0, 0)] * 5), p14=0), op(INSET, "10", p41=0, p42=0.1)
    )
    problems: list[MaxSidecarError] = []
    leaves = list(found.derived.typed_leaves())
    assert {name for _, name, _ in leaves} >= {
        "contexts[0].local.operation",
        "contexts[0].local.data.moves",
        "contexts[0].local.settings.chunk_0600.selection.bits",
    }
    check_leaves(iter(leaves), problems.append)
    assert problems == []
