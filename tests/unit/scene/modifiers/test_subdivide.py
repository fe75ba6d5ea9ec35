"""TurboSmooth and MeshSmooth; expected values are arithmetic on a cube."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.polygons import polygon_mesh
from maxsidecar.scene.modifiers.catmull_clark import catmull_clark
from maxsidecar.scene.modifiers.subdivide import MESH_SMOOTH, TURBO_SMOOTH
from tests.support.blocks import BOOLEAN, FLOAT, INTEGER, new_block
from tests.support.scenes import SceneMaker, u32
from tests.support.stacks import EDITABLE_POLY, Layer, Stack
from tests.support.stored_meshes import square_poly

#: Vertex number is x + 2 y + 4 z, each 0 or 1.
CUBE = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
FACES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]


def cube(material_ids: npt.ArrayLike = 0) -> Mesh:
    corners = np.array(FACES).reshape(-1)
    return polygon_mesh(CUBE, corners, np.arange(0, 25, 4), material_ids=material_ids)


def soft(mesh: Mesh) -> npt.NDArray[np.bool_]:
    return np.zeros(len(edge_list(mesh).vertices), np.bool_)


def test_a_cube_without_sharp_edges() -> None:
    mesh = cube(material_ids=np.arange(6))
    out, hard = catmull_clark(mesh, soft(mesh), alternate=True)
    assert not hard.any()
    # Corner: (face mean 1/3 + 2 edge mean 2/3 + 0) / 3 = 5/9; face points; edges at 3/4.
    assert np.allclose(out.positions[:8], np.array(CUBE) * 5 / 9)
    assert np.allclose(out.positions[8], (0, 0, -1))
    assert np.allclose(out.positions[9], (0, 0, 1))
    # The first edge is the first polygon's from vertex 0 to 2.
    assert np.allclose(out.positions[14], (-0.75, 0, -0.75))
    assert len(out.positions) == 8 + 6 + 12
    assert out.polygon_count == 24
    assert out.material_ids.tolist() == np.repeat(np.arange(6), 4).tolist()
    # Quads: old vertex, edge behind it, polygon, edge in front of it.
    assert out.corners[:8].tolist() == [0, 14, 8, 17, 2, 15, 8, 14]


def test_diagonals_alternate_or_start_at_the_old_vertex() -> None:
    mesh = cube()
    first, _ = catmull_clark(mesh, soft(mesh), alternate=True)
    assert first.faces[:4].tolist() == [[0, 14, 8], [8, 17, 0], [14, 2, 15], [15, 8, 14]]
    second, _ = catmull_clark(mesh, soft(mesh), alternate=False)
    assert second.faces[2:4].tolist() == [[2, 15, 8], [8, 14, 2]]


def test_sharp_edges_stay_and_are_inherited() -> None:
    mesh = cube()
    edges = edge_list(mesh)
    top = np.all(edges.vertices >= 4, axis=1)
    out, hard = catmull_clark(mesh, top, alternate=True)
    # On two sharp edges: 3/4 of the corner and 1/8 of both neighbours.
    assert np.allclose(out.positions[4], (-0.75, -0.75, 1))
    assert int(hard.sum()) == 8
    ends = out.positions[edge_list(out).vertices[hard]]
    assert np.allclose(ends[..., 2], 1)
    again, _ = catmull_clark(out, hard, alternate=True)
    assert np.isclose(again.positions[:, 2].max(), 1)


def test_three_sharp_edges_hold_a_vertex() -> None:
    mesh = cube()
    out, _ = catmull_clark(mesh, np.ones(12, np.bool_), alternate=True)
    assert np.allclose(out.positions[:8], CUBE)


def test_corners_of_a_border_stay() -> None:
    square = polygon_mesh([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)], [0, 1, 2, 3], [0, 4])
    out, _ = catmull_clark(square, soft(square), alternate=True)
    assert np.allclose(out.positions[:4], square.positions)
    assert np.allclose(out.positions[4], (1, 1, 0))
    assert np.allclose(out.positions[5], (1, 0, 0))


def test_maps_are_divided_by_the_same_rule_and_seams_are_borders() -> None:
    mesh = cube()
    # The map is the cube itself, but the first polygon has map vertices of its own.
    vertices = np.array([*CUBE, *[CUBE[n] for n in FACES[0]]], np.float32)
    corners = np.concatenate([np.arange(8, 12), mesh.corners[4:]]).astype(np.int32)
    mesh.maps[2] = MapChannel(vertices, corners)
    out, _ = catmull_clark(mesh, soft(mesh), alternate=True)
    channel = out.maps[2]
    assert len(channel.corners) == len(out.corners)
    # Far from the seam as the vertices; on it each side has three quarters and two eighths.
    assert np.allclose(channel.vertices[7], out.positions[7])
    assert np.allclose(channel.vertices[0], (-0.75, -0.75, -1))
    # A polygon alone in the map has corners, which stay.
    assert np.allclose(channel.vertices[8], CUBE[0])


def test_a_face_of_two_corners_is_refused() -> None:
    mesh = Mesh.of_triangles(np.zeros((3, 3)), [(0, 1, 2)])
    mesh.starts = np.array([0, 2, 3], np.int32)
    mesh.material_ids = np.zeros(2, np.int32)
    with pytest.raises(Exception, match="fewer than three corners"):
        catmull_clark(mesh, soft(mesh), alternate=True)


def stack(
    class_id: tuple[int, int],
    values: Mapping[int, tuple[int, object]],
    local: Sequence[ChunkTree] | None = None,
) -> Stack:
    maker = SceneMaker()
    block = new_block(maker, (*class_id, 0x810), values)
    layer = Layer(class_id, references=[block], local=local)
    return Stack([layer], square_poly(), EDITABLE_POLY, maker)


def turbo(iterations: int, by_smoothing: int = 0, smooth: int = 1) -> Stack:
    values = {
        0: (INTEGER, iterations),
        3: (BOOLEAN, 0),
        4: (BOOLEAN, smooth),
        5: (BOOLEAN, 0),
        6: (BOOLEAN, by_smoothing),
    }
    return stack(TURBO_SMOOTH, values)


@pytest.mark.parametrize(("iterations", "polygons"), [(0, 2), (1, 7), (2, 28)])
def test_turbo_smooth_divides_as_often_as_it_says(iterations: int, polygons: int) -> None:
    mesh = turbo(iterations).mesh()
    assert mesh.polygon_count == polygons
    assert mesh.is_polygons
    if iterations:
        assert set(mesh.smoothing.tolist()) == {1}


def test_turbo_smooth_is_bounded() -> None:
    assert turbo(-1).reasons() == ["it has -1 iterations"]
    assert turbo(200).reasons() == ["it has 200 iterations"]
    (reason,) = turbo(12).reasons()
    assert reason.startswith("it would have ")


def test_polygons_without_a_group_get_a_free_one_when_groups_are_kept_apart() -> None:
    below = turbo(0).mesh().smoothing
    found = turbo(1, by_smoothing=1).mesh().smoothing
    used = int(np.bitwise_or.reduce(below))
    assert 0 not in found
    assert {int(g) for g in found} - {int(g) for g in below if g} <= {
        1 << bit for bit in range(32) if not used >> bit & 1
    }
    assert turbo(1, smooth=0).mesh().smoothing.tolist() == np.repeat(below, [4, 3]).tolist()


def nurms(local: Sequence[ChunkTree] | None = None, **changes: tuple[int, object]) -> Stack:
    values: dict[int, tuple[int, object]] = {
        2: (FLOAT, 1.0), 3: (INTEGER, 1), 4: (INTEGER, 1), 5: (BOOLEAN, 1), 6: (BOOLEAN, 0),
        7: (BOOLEAN, 0), 8: (BOOLEAN, 1), 9: (INTEGER, 2), 25: (BOOLEAN, 0),
    }  # fmt: skip
    values.update({int(name[1:]): value for name, value in changes.items()})
    return stack(MESH_SMOOTH, values, local)


def test_mesh_smooth() -> None:
    assert nurms().mesh().polygon_count == 7
    assert nurms(_9=(INTEGER, 0)).reasons() == ["only its method NURMS is known, and it has 0"]
    assert nurms(_2=(FLOAT, 0.5)).reasons() == ["its smoothness is below 1 and taken as 1"]
    assert nurms(_25=(BOOLEAN, 1)).reasons() == ["its mapping of old style is left out"]


def test_an_edited_control_mesh_is_told() -> None:
    assert nurms([(0x0530, u32(2, 0, 0))]).mesh().polygon_count == 7
    assert nurms([(0x0530, u32(2, 0, 5))]).reasons() == [
        "what was edited in its control mesh is left out"
    ]
