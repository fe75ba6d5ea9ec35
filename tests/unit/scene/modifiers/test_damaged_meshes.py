"""Meshes that are empty, flat or at no finite places, under modifiers that no file proves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan

import numpy as np
import pytest

from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.modifiers.affect_region import AFFECT_REGION
from maxsidecar.scene.modifiers.face_extrude import FACE_EXTRUDE
from maxsidecar.scene.modifiers.slicing import SLICE
from maxsidecar.scene.modifiers.stretch import STRETCH
from maxsidecar.scene.modifiers.tessellate import TESSELLATE
from maxsidecar.scene.modifiers.vertex_weld import VERTEX_WELD
from maxsidecar.scene.modifiers.waves import RIPPLE, WAVE
from tests.support.blocks import FLOAT, new_block, old_block
from tests.support.cubes import CORNERS, TRIANGLES
from tests.support.scenes import SceneMaker
from tests.support.stacks import EDITABLE_MESH, EDITABLE_POLY, Layer, Stack
from tests.support.stored_meshes import poly_chunks, square_poly, tri_chunks, vertex

Values = Sequence[float]


def gizmo_layer(class_id: tuple[int, int], values: Values) -> Callable[[SceneMaker], Layer]:
    def make(maker: SceneMaker) -> Layer:
        parts = [maker.transform((0, 0, 0.25), (0.3, 0.2, 0.1)), maker.transform()]
        return Layer(class_id, references=[*parts, old_block(maker, list(values))])

    return make


def layer(class_id: tuple[int, int], values: Values) -> Callable[[SceneMaker], Layer]:
    return lambda maker: Layer(class_id, references=[old_block(maker, list(values))])


def slices(kind: int, polygons: int) -> Callable[[SceneMaker], Layer]:
    def make(maker: SceneMaker) -> Layer:
        gizmo = maker.transform((0, 0, 0.25), (0.3, 0.2, 0.1))
        return Layer(SLICE, references=[gizmo, old_block(maker, [kind, polygons])])

    return make


def weld(threshold: float) -> Callable[[SceneMaker], Layer]:
    def make(maker: SceneMaker) -> Layer:
        block = new_block(maker, (*VERTEX_WELD, 0x810), {0: (FLOAT, threshold)})
        return Layer(VERTEX_WELD, references=[block])

    return make


LAYERS = [
    gizmo_layer(STRETCH, [1.5, -2.0, 0, 0, 0.0, 0.0]),
    gizmo_layer(STRETCH, [1e9, 1e9, 2, 1, 5.0, -5.0]),
    gizmo_layer(RIPPLE, [1.0, 2.0, 1e-20, 1e9, -5.0]),
    gizmo_layer(WAVE, [1e9, 1e9, 1e9, 1e9, 1e9]),
    layer(FACE_EXTRUDE, [1e9, 1e9, 0]),
    layer(FACE_EXTRUDE, [-1.0, 0.0, 1]),
    *(layer(TESSELLATE, [kind, 25.0, 1, faces, 0]) for kind in (0, 1) for faces in (0, 1)),
    *(slices(kind, polygons) for kind in range(4) for polygons in (0, 1)),
    layer(AFFECT_REGION, [1e9, 0.0, 0.0, 0]),
    layer(AFFECT_REGION, [1e-30, 0.0, 0.0, 0]),
    *(weld(threshold) for threshold in (0.0, 1e-30, 0.5, 1e9)),
]


def cube_with(bad: float) -> list[ChunkTree]:
    points = [list(map(float, corner)) for corner in CORNERS]
    points[0][0], points[3][2] = bad, -bad
    return tri_chunks(points, TRIANGLES, smoothing=[1] * 12, flags=[7] * 12)


MESHES = {
    "empty": (tri_chunks([], [], smoothing=(), flags=()), EDITABLE_MESH),
    "no faces": (tri_chunks([(0, 0, 0), (1, 1, 1)], [], smoothing=(), flags=()), EDITABLE_MESH),
    "no polygons": (poly_chunks([vertex(0, 0, 0)], [], []), EDITABLE_POLY),
    "some": (square_poly(), EDITABLE_POLY),
    "flat": (
        tri_chunks(
            [(0, 0, 0), (1, 0, 0)],
            [(0, 0, 1), (1, 1, 1), (0, 1, 0)],
            smoothing=[1] * 3,
            flags=[7] * 3,
        ),
        EDITABLE_MESH,
    ),
    "three at an edge": (
        tri_chunks(
            CORNERS,
            [(0, 1, 2), (0, 1, 3), (1, 0, 4), (0, 1, 5)],
            smoothing=[1] * 4,
            flags=[0] * 4,
        ),
        EDITABLE_MESH,
    ),
    **{str(bad): (cube_with(bad), EDITABLE_MESH) for bad in (nan, inf, -inf, 3e38)},
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("make", LAYERS)
def test_what_comes_out_is_sound(name: str, make: Callable[[SceneMaker], Layer]) -> None:
    base, kind = MESHES[name]
    maker = SceneMaker()
    mesh = Stack([make(maker)], base, kind, maker=maker).evaluation().mesh
    assert mesh is not None
    count = len(mesh.corners)
    assert mesh.starts[-1] == count == len(mesh.edge_visible)
    assert mesh.corners.max(initial=-1) < len(mesh.positions)
    assert mesh.triangles.max(initial=-1) < count
    assert len(mesh.triangles) == len(mesh.triangle_polygons)
    assert len(mesh.smoothing) == len(mesh.material_ids) == mesh.polygon_count
    for channel in mesh.maps.values():
        assert len(channel.corners) == count
        assert channel.corners.max(initial=-1) < len(channel.vertices)
    if name in ("empty", "no faces", "no polygons"):
        assert not count
    if name in ("nan", "inf", "-inf"):
        # Left as it was.
        assert not np.isfinite(mesh.positions).all()
