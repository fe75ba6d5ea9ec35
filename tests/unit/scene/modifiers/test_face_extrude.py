"""Face Extrude; expected values are arithmetic on a cube."""

from __future__ import annotations

import numpy as np
import pytest

from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.face_extrude import FACE_EXTRUDE
from maxsidecar.scene.modifiers.select_views import MESH_SELECT, POLY_SELECT
from tests.support.blocks import old_block
from tests.support.cubes import (
    CORNERS,
    area_of,
    cube_polygons,
    cube_triangles,
    face_selection,
    volume_of,
)
from tests.support.scenes import POSITION_XYZ, SceneMaker, u32
from tests.support.stacks import EDITABLE_MESH, EDITABLE_POLY, Layer, Stack

#: The two triangles of the side above, of the cube's twelve.
ABOVE = "001100000000"
FRONT_AND_RIGHT = "000011110000"


def stack(
    amount: float,
    scale: float = 100.0,
    centre: tuple[float, float, float] | None = None,
    select: str = ABOVE,
    *,
    polygons: bool = False,
) -> Stack:
    maker = SceneMaker()
    at = maker.add(POSITION_XYZ, (), [maker.number(v) for v in centre or (0, 0, 0)])
    block = old_block(maker, [amount, scale, int(centre is not None)])
    layers = [Layer(FACE_EXTRUDE, references=[block, at])]
    if select:
        kind, level = (POLY_SELECT, 4) if polygons else (MESH_SELECT, 3)
        layers.append(Layer(kind, [(0x0100, u32(level))], local=face_selection(select)))
    base, base_class = (
        (cube_polygons(), EDITABLE_POLY) if polygons else (cube_triangles(), EDITABLE_MESH)
    )
    return Stack(layers, base, base_class, maker=maker)


def closed(mesh: Mesh) -> bool:
    return not np.any(twin_corners(mesh) < 0)


def test_a_side_moves_along_its_normal() -> None:
    made = stack(3.0)
    mesh = made.mesh()
    assert UNPROVED in made.reasons()
    assert not mesh.is_polygons
    # Four walls of two triangles each; the four corners above are doubled.
    assert (len(mesh.positions), mesh.polygon_count) == (12, 20)
    assert closed(mesh)
    assert volume_of(mesh.positions, mesh.faces) == pytest.approx(8 + 4 * 3)
    assert area_of(mesh.positions, mesh.faces) == pytest.approx(24 + 4 * 2 * 3)
    assert np.allclose(mesh.positions[:8], CORNERS)
    assert mesh.positions[:, 2].max() == 4
    assert mesh.faces[2:4].min() >= 8
    # Walls are as the side that they belong to; the side stays selected, they are not.
    assert mesh.smoothing[12:].tolist() == [2] * 8
    assert mesh.material_ids[12:].tolist() == [1] * 8
    assert mesh.selection.polygons is not None
    assert np.nonzero(mesh.selection.polygons)[0].tolist() == [2, 3]
    assert len(mesh.maps[1].corners) == 60
    # Walls show their sides and hide their diagonals.
    assert mesh.edge_visible[36:].sum() == 16


def test_a_side_gets_smaller() -> None:
    mesh = stack(1.0, 50.0).mesh()
    top = mesh.positions[mesh.positions[:, 2] > 1.5]
    assert np.allclose(np.abs(top[:, :2]), 0.5)
    # A frustum: h / 3 (a + b + sqrt(a b)).
    assert volume_of(mesh.positions, mesh.faces) == pytest.approx(8 + (4 + 1 + 2) / 3)


@pytest.mark.parametrize("polygons", [False, True])
def test_sides_that_hang_together_move_along_mean_normals(polygons: bool) -> None:
    select = "001100" if polygons else FRONT_AND_RIGHT
    mesh = stack(np.sqrt(2.0), select=select, polygons=polygons).mesh()
    assert closed(mesh)
    moved = mesh.positions[np.unique(mesh.faces[4:8])]
    far = np.sqrt(2.0) + 1
    expected = [(-1, -far, z) for z in (-1, 1)] + [(far, 1, z) for z in (-1, 1)]
    if polygons:
        expected += [(2, -2, z) for z in (-1, 1)]
    else:
        # Of triangles one side has two at a corner, the other one.
        one, two = np.sqrt(2 / 5), 2 * np.sqrt(2 / 5)
        expected += [(1 + two, -1 - one, -1), (1 + one, -1 - two, 1)]
    assert np.allclose(sorted(map(tuple, moved)), sorted(expected))


def test_from_the_centre() -> None:
    mesh = stack(np.sqrt(3.0), centre=(0.0, 0.0, 0.0)).mesh()
    top = mesh.positions[np.unique(mesh.faces[2:4])]
    assert np.allclose(np.abs(top), 2)
    elsewhere = stack(3.0, centre=(1.0, 1.0, 0.0)).mesh()
    moved = elsewhere.positions[np.unique(elsewhere.faces[2:4])]
    assert any(np.allclose(point, (1, 1, 4)) for point in moved)
    assert any(np.allclose(point, (-1 - 2, -1 - 2, 1 + 1)) for point in moved)


def test_everything_moves_without_a_selection() -> None:
    mesh = stack(np.sqrt(3.0), select="", polygons=True).mesh()
    assert (len(mesh.positions), mesh.polygon_count) == (8, 6)
    assert np.allclose(mesh.positions, 2 * np.array(CORNERS))


def test_polygons_stay_polygons() -> None:
    mesh = stack(3.0, select="010000", polygons=True).mesh()
    assert mesh.is_polygons
    assert (len(mesh.positions), mesh.polygon_count) == (12, 10)
    assert closed(mesh)
    assert mesh.edges is not None
    # 12 of the cube, 4 around the side that was moved, 4 upright ones.
    assert len(mesh.edges.vertices) == 20
    assert volume_of(mesh.positions, mesh.faces) == pytest.approx(20)


def test_nothing_selected() -> None:
    assert stack(3.0, select="0" * 12).mesh().polygon_count == 12
