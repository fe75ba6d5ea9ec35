"""UVW Map and Mesh Select on bytes made by hand; expected values are arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.modifiers.uvw_map import BOX, CYLINDER, SPHERE, project
from tests.support.blocks import old_block
from tests.support.scenes import SceneMaker, u32
from tests.support.stacks import Layer, Stack
from tests.support.stored_meshes import bits, map_chunks, tri_chunks

UVW_MAP = (0xF72B1, 0)
MESH_SELECT = (0x73D8FF93, 0)
#: Marks the gizmo of release 2 and later.
TURNED = [(0x0100, b"")]
SETTINGS: dict[str, float | int] = {
    "type": 0, "u": 1.0, "v": 1.0, "w": 1.0, "u_flip": 0, "v_flip": 0, "w_flip": 0, "cap": 0,
    "colors": 0, "length": 2.0, "width": 4.0, "height": 1.0, "axis": 2, "channel": 1,
}  # fmt: skip


def mapped(
    layers: Sequence[Layer] = (),
    *,
    position: Sequence[float] = (0, 0, 0),
    matrix: Sequence[float] | None = None,
    turned: bool = True,
    **changes: float,
) -> Stack:
    """Return a UVW Map above other layers; its gizmo is 4 along x and 2 along y."""
    maker = SceneMaker()
    block = old_block(maker, list({**SETTINGS, **changes}.values()))
    gizmo = maker.transform(position)
    layer = Layer(UVW_MAP, TURNED if turned else (), [gizmo, block], matrix=matrix)
    return Stack([layer, *layers], maker=maker)


def coordinates(mesh: Mesh, channel: int = 1) -> list[list[float]]:
    found = mesh.maps[channel]
    rows: list[list[float]] = found.vertices[found.corners].tolist()
    return rows


# SQUARE: (0,0,0) (1,0,0) (1,1,0) (0,1,0) (2,0,1), faces 0 1 2, 2 3 0, 1 4 2.
PLANAR_UV = {0: (0.5, 0.5), 1: (0.25, 0.5), 2: (0.25, 0.0), 3: (0.5, 0.0), 4: (0.0, 0.5)}
ORDER = (0, 1, 2, 2, 3, 0, 1, 4, 2)


def test_planar() -> None:
    mesh = mapped().mesh()
    assert np.allclose(coordinates(mesh), [[*PLANAR_UV[vertex], 0.0] for vertex in ORDER])
    assert len(mesh.maps[1].vertices) == 5


def test_the_gizmo_moves_the_map_and_tiles_multiply_it() -> None:
    found = coordinates(mapped(position=(4, 0, 0), u=2.0, v=3.0, channel=2).mesh(), 2)
    expected = [[2 * (PLANAR_UV[n][0] + 1), 3 * PLANAR_UV[n][1], 0.0] for n in ORDER]
    assert np.allclose(found, expected, atol=1e-6)


def test_the_context_comes_before_the_gizmo() -> None:
    moved = (1, 0, 0, 0, 1, 0, 0, 0, 1, -4, 0, 0)
    found = coordinates(mapped(matrix=moved).mesh())
    assert np.allclose(found, [[PLANAR_UV[n][0] + 1, PLANAR_UV[n][1], 0] for n in ORDER])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"type": 3}, "its projection is not known: shrink wrap"),
        ({"type": 5}, "its projection is not known: face"),
        ({"type": 9}, "its projection is not known: 9"),
    ],
)
def test_what_is_not_known_is_told(changes: dict[str, int], reason: str) -> None:
    stack = mapped(**changes)  # type: ignore[arg-type]
    assert stack.reasons() == [reason]
    assert not stack.evaluation().complete


def test_a_flip_is_told_to_be_unproved() -> None:
    stack = mapped(u_flip=1)
    assert stack.reasons() == ["no file proves what a flip of u does"]
    assert np.allclose(coordinates(stack.mesh())[1], [-0.25, 0.5, 0.0])


def test_a_gizmo_without_extent_is_refused() -> None:
    stack = mapped(length=0.0)
    assert stack.reasons() == ["its gizmo has no extent"]
    assert not stack.evaluation().complete


def test_vertex_colours_are_channel_0() -> None:
    mesh = mapped(colors=1, channel=3).mesh()
    assert list(mesh.maps) == [0]


def test_the_first_release_does_not_turn_the_gizmo() -> None:
    stack = mapped(turned=False)
    assert stack.reasons() == ["a gizmo of release 1; no file at hand proves it"]
    expected = [[1 - u, 1 - v, 0.0] for u, v in (PLANAR_UV[vertex] for vertex in ORDER)]
    assert np.allclose(coordinates(stack.mesh()), expected)


def test_a_gizmo_along_x_looks_along_it() -> None:
    """Turned by -90 degrees about its y: its x is the object's z, so v stays as it was."""
    stack = mapped(axis=0, width=1.0)
    assert stack.reasons() == ["no file proves how a gizmo is aligned to X or Y"]
    found = np.array(coordinates(stack.mesh()))
    assert np.allclose(found[:, 1], [PLANAR_UV[vertex][1] for vertex in ORDER])
    heights = np.array([0, 0, 0, 0, 0, 0, 0, 1, 0])
    assert np.allclose(np.abs(found[:, 0] - 0.5), heights)


def test_xyz_are_the_places_of_the_vertices() -> None:
    found = coordinates(mapped(type=6, u=2.0, position=(9, 9, 9)).mesh())
    assert found[:3] == [[0, 0, 0], [2, 0, 0], [2, 1, 0]]
    assert found[7] == [4, 0, 1]


def corners_of(points: list[tuple[float, float, float]], kind: int) -> list[list[float]]:
    mesh = Mesh.of_triangles(points, np.arange(len(points)).reshape(-1, 3))
    vertices, corners = project(mesh, np.array(points, np.float64), kind)
    rows: list[list[float]] = vertices[corners].tolist()
    return rows


@pytest.mark.parametrize("kind", [CYLINDER, SPHERE])
def test_u_runs_around_the_axis_from_minus_x(kind: int) -> None:
    found = corners_of([(1, 0, 0), (0, 1, 0), (1, 1, 0)], kind)
    assert np.allclose(found, [(0.5, 0.5, 0), (0.75, 0.5, 0), (0.625, 0.5, 0)])


def test_a_face_across_the_seam_has_no_jump() -> None:
    found = corners_of([(-1, 1, 0), (-1, -1, 0), (-1, -0.1, 0)], CYLINDER)
    # u of (-1, 1) is 7/8: higher than the others, which lie beyond the seam.
    assert found[0][0] == pytest.approx(-0.125)
    assert found[1][0] == pytest.approx(0.125)
    assert 0 < found[2][0] < 0.125


def test_the_pole_lies_midway_between_the_other_corners() -> None:
    found = corners_of([(1e-9, -1e-9, 2), (1, 0, 0), (0, 1, 0)], SPHERE)
    assert np.allclose(found, [(0.625, 1, 0), (0.5, 0.5, 0), (0.75, 0.5, 0)])
    # It takes no part in telling whether a face lies across the seam.
    found = corners_of([(1e-9, -1e-9, -2), (-0.01, 1, 0), (-1, 1, 0)], SPHERE)
    assert 0.75 < found[0][0] < 0.875


def test_v_of_a_sphere_is_the_latitude() -> None:
    found = corners_of([(1, 0, 1), (1, 0, -1), (1, 0.1, 0)], SPHERE)
    assert np.allclose([row[1] for row in found], [0.75, 0.25, 0.5])


@pytest.mark.parametrize(
    ("normal", "uv"),
    [  # notes 4.5, measured on a box, in the turned gizmo: x, y, z = 0.1, 0.2, 0.3
        ((1, 0, 0), (0.7, 0.8)),
        ((-1, 0, 0), (0.3, 0.8)),
        ((0, 1, 0), (0.4, 0.8)),
        ((0, -1, 0), (0.6, 0.8)),
        ((0, 0, 1), (0.6, 0.7)),
        ((0, 0, -1), (0.4, 0.7)),
    ],
)
def test_box(normal: tuple[int, int, int], uv: tuple[float, float]) -> None:
    axis = next(i for i in range(3) if normal[i])
    one, two = np.eye(3)[[(axis + 1) % 3, (axis + 2) % 3]]
    point = np.array([0.1, 0.2, 0.3])
    sides = [one, two] if sum(normal) > 0 else [two, one]
    rows = [point, *[point + side for side in sides]]
    found = corners_of([tuple(map(float, row)) for row in rows], BOX)  # type: ignore[misc]
    assert found[0][:2] == pytest.approx(uv)


def test_only_selected_faces_are_mapped() -> None:
    """A channel that was not there is 0 on the others."""
    local = [(0x0210, [(0x2700, bits("010"))])]
    select = Layer(MESH_SELECT, [(0x0100, u32(3))], local=local)
    rows = [[*PLANAR_UV[vertex], 0.0] for vertex in ORDER]
    found = coordinates(mapped([select]).mesh())
    assert np.allclose(found, [[0.0] * 3] * 3 + rows[3:6] + [[0.0] * 3] * 3)
    base = tri_chunks(more=map_chunks(1, [(7, 8, 9)], [(0, 0, 0)] * 3))
    maker = SceneMaker()
    block, gizmo = old_block(maker, list(SETTINGS.values())), maker.transform()
    layers = [Layer(UVW_MAP, TURNED, [gizmo, block]), select]
    found = coordinates(Stack(layers, base, maker=maker).mesh())
    assert np.allclose(found, [[7, 8, 9]] * 3 + rows[3:6] + [[7, 8, 9]] * 3)


@pytest.mark.parametrize(
    ("level", "name"), [*enumerate(["object", "vertex", "edge", "face", "face", "face"])]
)
def test_mesh_select(level: int, name: str) -> None:
    local = [
        (0x0200, [(0x2700, bits("10001"))]),
        (0x0210, [(0x2700, bits("011"))]),
        (0x0220, [(0x2700, bits("100000001"))]),
    ]
    selection = Stack([Layer(MESH_SELECT, [(0x0100, u32(level))], local=local)]).mesh().selection
    assert selection.level == name
    assert selection.vertices is not None
    assert selection.polygons is not None
    assert selection.corners is not None
    assert selection.vertices.nonzero()[0].tolist() == [0, 4]
    assert selection.polygons.nonzero()[0].tolist() == [1, 2]
    assert selection.corners.nonzero()[0].tolist() == [0, 8]


def test_a_selection_for_another_mesh_is_refused() -> None:
    local = [(0x0210, [(0x2700, bits("0110"))])]
    stack = Stack([Layer(MESH_SELECT, [(0x0100, u32(3))], local=local)])
    assert stack.reasons() == ["it selects in a mesh that has not 3 of a kind"]
    stack = Stack([Layer(MESH_SELECT, [(0x0100, u32(6))])])
    assert stack.reasons() == ["its level 6 is not known"]


VOLUME_SELECT = (0xF8611, 0)


def test_volume_select_of_the_whole_object() -> None:
    maker = SceneMaker()
    blocks = [old_block(maker, [level, 0]) for level in (0, 2)]
    select = Layer(MESH_SELECT, [(0x0100, u32(3))], local=[(0x0210, [(0x2700, bits("010"))])])
    whole = Stack([Layer(VOLUME_SELECT, references=[blocks[0]]), select], maker=maker)
    assert whole.mesh().selection.level == "object"
    maker = SceneMaker()
    block = old_block(maker, [2, 0])
    some = Stack([Layer(VOLUME_SELECT, references=[block])], maker=maker)
    assert some.reasons() == ["no file proves which vertices or faces its volume selects"]


def test_select_by_channel_leaves_the_shape() -> None:
    stack = Stack([Layer((0x31F9C666, 0x3B4A588))])
    assert stack.reasons() == ["the selection that it makes is left out"]
    assert stack.mesh().positions.tolist() == Stack([]).mesh().positions.tolist()
