"""Slice; expected values are counts, areas and volumes of a cube."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.select_views import MESH_SELECT
from maxsidecar.scene.modifiers.slicing import SLICE
from tests.support.blocks import INTEGER, new_block, old_block
from tests.support.cubes import CORNERS, area_of, cube_triangles, face_selection, volume_of
from tests.support.scenes import SceneMaker, u32
from tests.support.stacks import Layer, Stack

REFINE, SPLIT, REMOVE_TOP, REMOVE_BOTTOM = range(4)


def stack(
    kind: int,
    height: float = 0.0,
    *,
    polygons: bool = True,
    angle: float = 0.0,
    select: str = "",
    first: bool = True,
) -> Stack:
    maker = SceneMaker()
    gizmo = maker.transform((0, 0, height), (0, angle, 0), (3, 3, 3))
    if first:
        references = [gizmo, old_block(maker, [kind, int(polygons)])]
    else:
        values = {0: (INTEGER, kind), 1: (INTEGER, int(polygons))}
        references = [new_block(maker, (*SLICE, 0x810), values), gizmo]
    layers = [Layer(SLICE, references=references)]
    if select:
        layers.append(Layer(MESH_SELECT, [(0x0100, u32(3))], local=face_selection(select)))
    return Stack(layers, cube_triangles(), maker=maker)


def numbers(mesh: Mesh) -> tuple[int, int]:
    return len(mesh.positions), mesh.polygon_count


def borders(mesh: Mesh) -> int:
    return int(np.count_nonzero(twin_corners(mesh) < 0))


def chart_area(mesh: Mesh) -> float:
    channel = mesh.maps[1]
    return area_of(channel.vertices, channel.corners[mesh.triangles])


@pytest.mark.parametrize("first", [True, False])
def test_refine(first: bool) -> None:
    made = stack(REFINE, first=first)
    mesh = made.mesh()
    assert made.reasons() == [UNPROVED]
    assert mesh.is_polygons
    # Four sides are cut in two, at four edges.
    assert numbers(mesh) == (12, 10)
    assert borders(mesh) == 0
    assert np.allclose(mesh.positions[:8], CORNERS)
    assert np.allclose(mesh.positions[8:, 2], 0)
    assert volume_of(mesh.positions, mesh.faces) == pytest.approx(8)
    assert area_of(mesh.positions, mesh.faces) == pytest.approx(24)
    assert chart_area(mesh) == pytest.approx(6)
    assert np.bincount(mesh.material_ids).tolist() == [1, 1, 2, 2, 2, 2]
    assert np.array_equal(mesh.smoothing, 1 << mesh.material_ids.astype(np.uint32))
    assert mesh.edges is not None
    assert len(mesh.edges.vertices) == 20


def test_triangles_are_cut_one_by_one() -> None:
    mesh = stack(REFINE, polygons=False).mesh()
    assert not mesh.is_polygons
    # Diagonals have a vertex, too; eight triangles become three each.
    assert numbers(mesh) == (8 + 4 + 4, 4 + 24)
    assert borders(mesh) == 0
    assert area_of(mesh.positions, mesh.faces) == pytest.approx(24)
    assert chart_area(mesh) == pytest.approx(6)


def test_split() -> None:
    mesh = stack(SPLIT, 0.5).mesh()
    assert numbers(mesh) == (16, 10)
    # Both parts have a border of four edges.
    assert borders(mesh) == 8
    assert area_of(mesh.positions, mesh.faces) == pytest.approx(24)
    assert np.count_nonzero(np.isclose(mesh.positions[:, 2], 0.5)) == 8


@pytest.mark.parametrize(
    ("kind", "height", "area", "low", "high"),
    [
        (REMOVE_TOP, 0.5, 4 + 8 * 1.5, -1, 0.5),
        (REMOVE_BOTTOM, 0.5, 4 + 8 * 0.5, 0.5, 1),
    ],
)
def test_remove(kind: int, height: float, area: float, low: float, high: float) -> None:
    mesh = stack(kind, height).mesh()
    assert numbers(mesh) == (8, 5)
    assert borders(mesh) == 4
    assert area_of(mesh.positions, mesh.faces) == pytest.approx(area)
    assert mesh.positions[:, 2].min() == pytest.approx(low)
    assert mesh.positions[:, 2].max() == pytest.approx(high)


def test_the_plane_turns_with_its_gizmo() -> None:
    # Its normal points along x.
    mesh = stack(REMOVE_TOP, angle=pi / 2).mesh()
    assert numbers(mesh) == (8, 5)
    assert mesh.positions[:, 0].max() == pytest.approx(0, abs=1e-6)
    # Along an edge and the one opposite: two sides are cut from corner to corner.
    diagonal = stack(REFINE, angle=pi / 4).mesh()
    assert numbers(diagonal) == (8, 8)
    assert borders(diagonal) == 0
    assert volume_of(diagonal.positions, diagonal.faces) == pytest.approx(8)


@pytest.mark.parametrize(
    ("kind", "polygons"), [(REFINE, 6), (SPLIT, 6), (REMOVE_TOP, 6), (REMOVE_BOTTOM, 1)]
)
def test_a_side_in_the_plane_stays(kind: int, polygons: int) -> None:
    mesh = stack(kind, 1.0).mesh()
    assert mesh.polygon_count == polygons
    assert borders(mesh) == (8 if kind == SPLIT else 4 * (polygons == 1))


@pytest.mark.parametrize(("kind", "polygons"), [(REFINE, 6), (REMOVE_TOP, 6), (REMOVE_BOTTOM, 0)])
def test_a_plane_that_cuts_nothing(kind: int, polygons: int) -> None:
    mesh = stack(kind, 5.0).mesh()
    assert mesh.polygon_count == polygons
    assert len(mesh.positions) == (8 if polygons else 0)


def test_what_cannot_be_done() -> None:
    assert stack(4).reasons() == ["its type 4 is not known"]
    assert "selected faces only" in stack(REFINE, select="1" + "0" * 11).reasons()[0]
    maker = SceneMaker()
    newer = old_block(maker, [0, 1, 0])
    layer = Layer(SLICE, references=[maker.transform(), newer])
    reasons = Stack([layer], cube_triangles(), maker=maker).reasons()
    assert reasons == ["the file does not tell its slice_type"]
