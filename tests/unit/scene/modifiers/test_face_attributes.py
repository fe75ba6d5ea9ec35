"""Smooth, Normal, Material, UVW XForm, Delete Mesh, Edit Normals and colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import radians

import numpy as np
import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.normals import corner_normals
from maxsidecar.scene.geometry.polygons import polygon_mesh
from maxsidecar.scene.geometry.primitives.box import build_box
from maxsidecar.scene.modifiers.face_sets import components
from maxsidecar.scene.modifiers.indirect_smoothing import MOST_AROUND
from maxsidecar.scene.modifiers.normal import flip, unify
from maxsidecar.scene.modifiers.smooth import auto_smooth
from tests.support.blocks import BOOLEAN, FLOAT, INTEGER, new_block, old_block
from tests.support.scenes import SceneMaker, f32, u32
from tests.support.stacks import EDITABLE_POLY, Layer, Stack, poly_stack
from tests.support.stored_meshes import (
    SQUARE_FACES,
    bits,
    map_chunks,
    normals,
    square_poly,
    tri_chunks,
)

SMOOTH, NORMAL, MATERIAL = (0xF8613, 0), (0xF8614, 0), (0xF8612, 0)
UVW_XFORM, DELETE_MESH = (0x5F32DE13, 0), (0xF826EE01, 0)
EDIT_NORMALS, VERTEX_COLORS = (0x4AA52AE3, 0x35CA1CDE), (0x104170CC, 0x66373204)
TREE_PAINT, MESH_SELECT = (0x40C7005E, 0x2A95082C), (0x73D8FF93, 0)


def with_block(
    class_id: tuple[int, int],
    values: Mapping[int, tuple[int, object]] | Sequence[float],
    *below: Layer,
    base: Sequence[ChunkTree] | None = None,
) -> Stack:
    maker = SceneMaker()
    block = (
        new_block(maker, (*class_id, 0x810), values)
        if isinstance(values, Mapping)
        else old_block(maker, values)
    )
    layers = [Layer(class_id, references=[block]), *below]
    return Stack(layers, base if base is not None else tri_chunks(), maker=maker)


def selected(level: int, chunk_id: int, text: str) -> Layer:
    return Layer(MESH_SELECT, [(0x0100, u32(level))], local=[(chunk_id, [(0x2700, bits(text))])])


def faces(mesh: Mesh) -> list[tuple[int, ...]]:
    return [tuple(map(int, part)) for part in np.split(mesh.corners, mesh.starts[1:-1])]


# --- Smooth ---------------------------------------------------------------------------------------


def test_given_groups() -> None:
    values = {0: (BOOLEAN, 0), 1: (FLOAT, 0.5), 2: (INTEGER, 0x30), 3: (BOOLEAN, 0)}
    stack = with_block(SMOOTH, values)
    assert stack.mesh().smoothing.tolist() == [0x30] * 3
    assert stack.reasons() == []
    some = with_block(SMOOTH, values, selected(3, 0x0210, "001"))
    assert some.mesh().smoothing.tolist() == [1, 1, 0x30]


def test_faces_that_meet_at_a_small_angle_share_a_group() -> None:
    """The square is flat; the plane of the other triangle rises by about 55 degrees."""
    values = {0: (BOOLEAN, 1), 1: (FLOAT, radians(20)), 2: (INTEGER, 0), 3: (BOOLEAN, 0)}
    groups = with_block(SMOOTH, values).mesh().smoothing.tolist()
    assert groups[0] == groups[1] != 0
    assert groups[2] & groups[0] == 0 != groups[2]
    values[1] = (FLOAT, radians(80))
    assert len(set(with_block(SMOOTH, values).mesh().smoothing.tolist())) == 1


def test_sides_of_a_box_have_groups_of_their_own() -> None:
    box = build_box((1.0, 1.0, 1.0), (2, 2, 2))
    groups, leaks = auto_smooth(box, radians(30))
    assert leaks == 0
    box.smoothing = groups
    found = corner_normals(box)
    assert np.allclose(np.abs(found).max(axis=1), 1.0)
    groups, leaks = auto_smooth(box, radians(91))
    assert len(set(groups.tolist())) == 1


def ridge() -> Mesh:
    """A roof along x whose ridge fades out: sharp at x = 0 and 1, flat from x = 4 on."""
    heights = [2.0, 2.0, 1.5, 0.8, 0.0, 0.0]
    points = [
        (float(x), float(y), height if y == 0 else 0.0)
        for x, height in enumerate(heights)
        for y in (-1, 0, 1)
    ]
    corners = [
        corner
        for x in range(5)
        for y in range(2)
        for corner in (3 * x + y, 3 * x + y + 3, 3 * x + y + 4, 3 * x + y + 1)
    ]
    return polygon_mesh(points, corners, np.arange(0, 41, 4))


def test_indirect_smoothing_is_counted_or_prevented() -> None:
    mesh = ridge()
    groups, leaks = auto_smooth(mesh, radians(60))
    # Both sides hang together over the flat end, so that the sharp ridge is smooth, too.
    assert len(set(groups.tolist())) == 1
    assert leaks == 3
    groups, leaks = auto_smooth(mesh, radians(60), prevent=True)
    assert leaks == 0
    for column in range(2):
        left, right = groups[2 * column : 2 * column + 2]
        assert left & right == 0
        assert left & groups[2 * column + 2] != 0
    assert groups[8] & groups[9] != 0


def test_a_vertex_of_very_many_faces_is_left_to_its_edges() -> None:
    """A cone that is steep on one side and flat on the other."""
    count = MOST_AROUND + 1
    turn = 2 * np.pi * np.arange(count) / count
    rim = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(count)])
    tip = (0.999, 0.0, 1.0)
    faces = [(k, (k + 1) % count, count) for k in range(count)]
    mesh = Mesh.of_triangles(np.vstack([rim, tip]).astype(np.float32), np.array(faces))
    groups, _ = auto_smooth(mesh, radians(40), prevent=True)
    assert groups.tolist() == auto_smooth(mesh, radians(40))[0].tolist()


def test_a_box_needs_no_prevention() -> None:
    box = build_box((1.0, 1.0, 1.0), (2, 2, 2))
    one, other = (auto_smooth(box, radians(30), prevent=on) for on in (False, True))
    assert one[0].tolist() == other[0].tolist()
    assert one[1] == other[1] == 0


def test_components() -> None:
    one, other = np.array([5, 1, 3, 7]), np.array([4, 5, 2, 8])
    assert components(10, one, other).tolist() == [0, 1, 2, 2, 1, 1, 6, 7, 7, 9]
    chain = np.arange(9999)
    assert not components(10000, chain, chain + 1).any()


# --- Normal ---------------------------------------------------------------------------------------


def test_flip_swaps_the_first_two_corners() -> None:
    base = tri_chunks(more=map_chunks(1, [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)] * 3))
    stack = with_block(NORMAL, {0: (BOOLEAN, 0), 1: (BOOLEAN, 1)}, base=base)
    mesh = stack.mesh()
    assert faces(mesh) == [(b, a, c) for a, b, c in SQUARE_FACES]
    assert mesh.maps[1].corners.reshape(-1, 3).tolist() == [[1, 0, 2]] * 3
    # Flags 3 become 5, as on boxes of negative height.
    assert mesh.edge_visible.reshape(-1, 3)[0].tolist() == [True, False, True]
    assert np.allclose(corner_normals(mesh)[:3], [0, 0, -1])
    assert stack.reasons() == []


def test_only_selected_faces_are_flipped() -> None:
    stack = with_block(NORMAL, {0: (BOOLEAN, 0), 1: (BOOLEAN, 1)}, selected(4, 0x0210, "010"))
    assert faces(stack.mesh()) == [SQUARE_FACES[0], (3, 2, 0), SQUARE_FACES[2]]


def test_a_polygon_is_turned_over_with_its_triangles() -> None:
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 1)]
    mesh = polygon_mesh(points, [0, 1, 2, 3, 1, 4, 2], [0, 4, 7], diagonals=[(0, 2)])
    mesh.edge_visible[:] = [True, False, True, True, True, True, False]
    turned = flip(mesh, np.array([True, False]))
    assert faces(turned) == [(0, 3, 2, 1), (1, 4, 2)]
    # The hidden side is still that between the vertices 1 and 2.
    assert turned.edge_visible.tolist() == [True, True, False, True, True, True, False]
    ours = {frozenset(row) for row in turned.faces.tolist()}
    assert ours == {frozenset(row) for row in mesh.faces.tolist()}
    assert np.allclose(corner_normals(turned)[:4], [0, 0, -1])


def test_unify_turns_over_what_looks_the_other_way() -> None:
    rows = [(0, 1, 2), (3, 2, 0), (1, 4, 2)]
    mesh = Mesh.of_triangles([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 1)], rows)
    assert unify(mesh).tolist() == [False, True, False]
    assert not unify(flip(mesh, unify(mesh))).any()
    box = build_box((1.0, 2.0, 3.0), (2, 2, 2))
    some = np.arange(box.polygon_count) % 3 == 1
    again = flip(flip(box, some), unify(flip(box, some)))
    assert not unify(again).any()


# --- Material -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stored", "found"), [(1, 0), (4, 3), (0, 0), (70000, 65535)])
def test_material(stored: int, found: int) -> None:
    assert with_block(MATERIAL, [stored]).mesh().material_ids.tolist() == [found] * 3


def test_material_of_selected_faces() -> None:
    stack = with_block(MATERIAL, [6], selected(5, 0x0210, "110"))
    assert stack.mesh().material_ids.tolist() == [5, 5, 1]


# --- UVW XForm ------------------------------------------------------------------------------------

MAPPED = tri_chunks(more=map_chunks(1, [(0, 0, 0), (1, 0, 0), (0.5, 2, 0)], [(0, 1, 2)] * 3))
XFORM: list[float | int] = [2.0, 3.0, 1.0, 10.0, 20.0, 0.0, 0, 1, 0, 0, 1]


def test_uvw_xform() -> None:
    """Flips turn 0 to 1 over, before the tiles (public samples of the 3ds Max SDK)."""
    mesh = with_block(UVW_XFORM, XFORM, base=MAPPED).mesh()
    assert mesh.maps[1].vertices.tolist() == [[10, 23, 0], [12, 23, 0], [11, 17, 0]]


def test_uvw_xform_turns_first() -> None:
    turned = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0, 0, 0, 0, 1, radians(90), 0, 1]
    mesh = with_block(UVW_XFORM, turned, base=MAPPED).mesh()
    expected = np.array([[0, 0, 0], [0, 1, 0], [-2, 0.5, 0]])
    assert np.abs(mesh.maps[1].vertices - expected).max() < 1e-6
    turned[12] = 1
    mesh = with_block(UVW_XFORM, turned, base=MAPPED).mesh()
    assert np.abs(mesh.maps[1].vertices - expected - [1, 0, 0]).max() < 1e-6


def test_uvw_xform_of_selected_faces_and_of_no_channel() -> None:
    some = [*XFORM, 0.0, 0, 0]
    mesh = with_block(UVW_XFORM, some, selected(0, 0x0210, "100"), base=MAPPED).mesh()
    found = mesh.maps[1].vertices[mesh.maps[1].corners]
    assert found[0].tolist() == [10, 23, 0]
    assert found[3].tolist() == [0, 0, 0]
    entire = [*XFORM, 0.0, 0, 1]
    mesh = with_block(UVW_XFORM, entire, selected(0, 0x0210, "100"), base=MAPPED).mesh()
    assert mesh.maps[1].vertices.tolist() == [[10, 23, 0], [12, 23, 0], [11, 17, 0]]
    assert with_block(UVW_XFORM, XFORM).mesh().maps == {}
    other = with_block(UVW_XFORM, [*XFORM[:10], 3], base=MAPPED).mesh()
    assert other.maps[1].vertices[1].tolist() == [1, 0, 0]


# --- Turn to, Poly Select -------------------------------------------------------------------------

TURN_TO_MESH, TURN_TO_POLY = (0x5C5B50F7, 0x60397CA1), (0x2F494E50, 0x5C376942)
POLY_SELECT = (0x7CE5206B, 0x31181505)


def test_turn_to_mesh() -> None:
    maker = SceneMaker()
    block = new_block(maker, (*TURN_TO_MESH, 0x810), {0: (BOOLEAN, 1), 1: (INTEGER, 0)})
    layer = Layer(TURN_TO_MESH, references=[block])
    mesh = Stack([layer], square_poly(), EDITABLE_POLY, maker).mesh()
    assert not mesh.is_polygons
    assert mesh.polygon_count == 3
    assert not mesh.edge_visible.all()
    maker = SceneMaker()
    block = new_block(maker, (*TURN_TO_MESH, 0x810), {0: (BOOLEAN, 0), 1: (INTEGER, 0)})
    layer = Layer(TURN_TO_MESH, references=[block])
    assert Stack([layer], square_poly(), EDITABLE_POLY, maker).mesh().edge_visible.all()


@pytest.mark.parametrize(
    ("kind", "level", "name", "chosen"),
    [(0, 0, "face", [1]), (1, 2, "vertex", None), (2, 4, "face", [0, 2])],
)
def test_turn_to_mesh_converts_the_selection(
    kind: int, level: int, name: str, chosen: list[int] | None
) -> None:
    values = {0: (BOOLEAN, 1), 1: (INTEGER, kind), 3: (INTEGER, level)}
    below = selected(3, 0x0210, "010")
    selection = with_block(TURN_TO_MESH, values, below).mesh().selection
    assert selection.level == name
    found = selection.polygons
    assert (None if found is None else found.nonzero()[0].tolist()) == chosen


def test_turn_to_poly() -> None:
    values: dict[int, tuple[int, object]] = {1: (BOOLEAN, 0), 2: (INTEGER, 4)}
    mesh = with_block(TURN_TO_POLY, values).mesh()
    assert faces(mesh) == [(0, 1, 2, 3), (1, 4, 2)]
    values |= {1: (BOOLEAN, 1), 2: (INTEGER, 3)}
    mesh = with_block(TURN_TO_POLY, values).mesh()
    assert mesh.is_polygons
    assert faces(mesh) == SQUARE_FACES
    stack = with_block(TURN_TO_POLY, {0: (BOOLEAN, 1)})
    assert stack.reasons() == ["that polygons be convex is left out"]


def test_poly_select() -> None:
    local: list[ChunkTree] = [
        (0x0210, [(0x2700, bits("01"))]),
        (0x0220, [(0x2700, bits("100000"))]),
    ]
    mesh = poly_stack([Layer(POLY_SELECT, [(0x0100, u32(4))], local=local)]).mesh()
    selection = mesh.selection
    assert selection.level == "face"
    assert selection.polygons is not None
    assert selection.polygons.tolist() == [False, True]
    # The first edge is that between the vertices 0 and 1, a side of the quad alone.
    assert selection.corners is not None
    assert selection.corners.nonzero()[0].tolist() == [0]
    stack = poly_stack([Layer(POLY_SELECT, [(0x0100, u32(6))], local=local)])
    assert stack.reasons() == ["its level 6 is not known"]


# --- Delete Mesh ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("below", "left"),
    [
        (selected(3, 0x0210, "010"), [0, 2]),
        (selected(1, 0x0200, "00001"), [0, 1]),
        (selected(2, 0x0220, "001000000"), [1, 2]),
        (selected(0, 0x0210, "010"), []),
    ],
)
def test_delete_mesh(below: Layer, left: list[int]) -> None:
    mesh = Stack([Layer(DELETE_MESH), below]).mesh()
    before = Stack([]).mesh()
    assert mesh.positions[mesh.corners].tolist() == [
        place for n in left for place in before.positions[list(SQUARE_FACES[n])].tolist()
    ]


# --- Edit Normals ---------------------------------------------------------------------------------


def test_edit_normals_replace_the_normals_of_the_mesh() -> None:
    spec = normals([b"\7\0\0\0", None, b"\1\0\0\0"])
    container = next(item for item in spec if item[0] == 0x23A0)[1]
    stack = Stack([Layer(EDIT_NORMALS, local=[(0x0250, container)])])
    found = stack.mesh().normals
    assert found is not None
    assert found.corners.tolist() == [1, 0, 1, -1, -1, -1, 1, -1, -1]
    # Without any that somebody set, the smoothing groups decide on all.
    spec = normals([None, None, None])
    container = next(item for item in spec if item[0] == 0x23A0)[1]
    base = tri_chunks(more=normals([b"\7\0\0\0"] * 3))
    stack = Stack([Layer(EDIT_NORMALS, local=[(0x0250, container)])], base)
    assert stack.mesh().normals is None


def test_normals_of_another_mesh_are_refused() -> None:
    spec = normals([b"\7\0\0\0", None])
    container = next(item for item in spec if item[0] == 0x23A0)[1]
    (reason,) = Stack([Layer(EDIT_NORMALS, local=[(0x0250, container)])]).reasons()
    assert reason == "normals for another number of faces: 3 and 2"


# --- colours --------------------------------------------------------------------------------------


def test_vertex_colors() -> None:
    rows = [f32(*(number / 16 for number in range(9 * f, 9 * f + 9))) for f in range(3)]
    stack = Stack([Layer(VERTEX_COLORS, [(0x0120, row) for row in rows])])
    channel = stack.mesh().maps[0]
    expected = (np.arange(27) / 16).reshape(9, 3)
    assert channel.vertices[channel.corners].tolist() == expected.tolist()
    assert Stack([Layer(VERTEX_COLORS)]).mesh().maps == {}
    stack = Stack([Layer(VERTEX_COLORS, [(0x0120, rows[0])])])
    assert stack.reasons() == ["it has colours of 1 faces, and there are 3"]
    (reason,) = Stack([Layer(VERTEX_COLORS, [(0x0120, rows[0][:-4])])]).reasons()
    assert "another number of colours" in reason


def test_vertex_tree_paint() -> None:
    """Colours are 0x00bbggrr (public source of the plug-in)."""
    local: list[ChunkTree] = [
        (0x0100, u32(1)),
        (0x0120, u32(5, 0x0000FF, 0x00FF00, 0xFF0000, 0x336699, 0)),
    ]
    mesh = Stack([Layer(TREE_PAINT, local=local)]).mesh()
    channel = mesh.maps[0]
    assert channel.vertices[channel.corners][0].tolist() == [1, 0, 0]
    assert np.allclose(channel.vertices[3], [0.6, 0.4, 0.2])
    assert channel.corners.tolist() == mesh.corners.tolist()
    local[1] = (0x0120, u32(1, 0))
    stack = Stack([Layer(TREE_PAINT, local=local)])
    assert stack.reasons() == ["it has colours of 1 vertices, and there are 5"]
    assert poly_stack([Layer(TREE_PAINT, local=[])]).mesh().is_polygons is False
