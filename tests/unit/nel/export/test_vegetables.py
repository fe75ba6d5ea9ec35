"""Vegetables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.export.registry import Failure, Job, LeftOut, Product
from maxsidecar.nel.export.vegetables import export, vegetable
from maxsidecar.nel.flags import Flags
from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.serial.classes.buffers import CIndexBuffer, CVertexBuffer
from maxsidecar.nel.serial.classes.mesh import CMatrixBlock, CMeshGeom, CRdrPass
from tests.support.nel_scenes import GameScene, steps_by_node, viewed


def flags(folder: Path, **entries: Any) -> Flags:
    scene = GameScene()
    scene.box_node("node", **entries)
    with viewed(scene, folder) as view:
        return Flags(view.nodes[0])


def grass(passes: int = 1, **more: Any) -> CMeshGeom:
    geom = CMeshGeom()
    slots: dict[str, Any] = {
        "position": [(0, 0, -1), (0, 0, 2), (0, 0, 4)],
        "normal": [(0, 0, 1)] * 3,
        "uv0": [(0, 0), (1, 0), (1, 1)],
    }
    slots |= more
    kept = {name: values for name, values in slots.items() if values is not None}
    geom.vertex_buffer = CVertexBuffer.of(preferred_memory=2, **kept)
    faces = [CRdrPass(primitives=CIndexBuffer.of([[0, 1, 2]])) for _ in range(passes)]
    geom.matrix_blocks.append(CMatrixBlock(rdr_passes=faces))
    return geom


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        # Lighted, double sided, lit once, blended, better side.
        ({}, (True, True, True, True, False)),
        ({"VEGETABLE_ALPHA_BLEND_ON_LIGHTED": 1}, (False, True, False, True, False)),
        ({"VEGETABLE_FORCE_BEST_SIDED": 1}, (True, True, True, True, True)),
        ({"VEGETABLE_ALPHA_BLEND": 1}, (True, False, True, False, False)),
        (
            {"VEGETABLE_ALPHA_BLEND": 1, "VEGETABLE_ALPHA_BLEND_OFF_LIGHTED": 1},
            (True, False, False, False, False),
        ),
        (
            {
                "VEGETABLE_ALPHA_BLEND": 1,
                "VEGETABLE_ALPHA_BLEND_OFF_LIGHTED": 2,
                "VEGETABLE_ALPHA_BLEND_OFF_DOUBLE_SIDED": 1,
                "VEGETABLE_FORCE_BEST_SIDED": 1,
            },
            (False, True, False, False, False),
        ),
    ],
)
def test_lighting(entries: dict[str, Any], expected: tuple[bool, ...], tmp_path: Path) -> None:
    made = vegetable(flags(tmp_path, **entries), grass())
    found = (
        made.lighted,
        made.double_sided,
        made.pre_compute_lighting,
        made.alpha_blend,
        made.best_sided_pre_compute_lighting,
    )
    assert found == expected
    assert ("normal" in (made.vertex_buffer.vertices.dtype.names or ())) is made.lighted


def test_without_normals_there_is_no_light(tmp_path: Path) -> None:
    made = vegetable(flags(tmp_path), grass(normal=None))
    assert (made.lighted, made.pre_compute_lighting, made.alpha_blend) == (False, False, True)


def test_bending_follows_the_height(tmp_path: Path) -> None:
    entries: dict[str, Any] = {"VEGETABLE_BEND_FACTOR": "0.5", "VEGETABLE_BEND_CENTER": 1}
    made = vegetable(flags(tmp_path, **entries), grass())
    assert made.vertex_buffer.vertices["uv1"].tolist() == [[0, 0], [0.25, 0], [0.5, 0]]
    assert made.bend_center_mode == 1
    assert made.triangle_indices.tolist() == [0, 1, 2]


def test_bending_follows_the_colour_where_there_is_one(tmp_path: Path) -> None:
    made = vegetable(flags(tmp_path), grass(color=[(255, 0, 0, 0), (51, 9, 9, 9), (0, 9, 9, 9)]))
    bend = made.vertex_buffer.vertices["uv1"][:, 0]
    assert np.allclose(bend, [1.0, 0.2, 0.0], atol=1e-7)


def test_a_plant_below_the_ground_does_not_bend(tmp_path: Path) -> None:
    low = grass(position=[(0, 0, -1), (0, 0, -2), (0, 0, -4)])
    assert not vegetable(flags(tmp_path), low).vertex_buffer.vertices["uv1"].any()


@pytest.mark.parametrize(
    ("geom", "reason"),
    [(grass(uv0=None), "texture coordinates"), (grass(2), "one material"), (grass(0), "one")],
)
def test_what_is_no_vegetable(geom: CMeshGeom, reason: str, tmp_path: Path) -> None:
    with pytest.raises(MaxSidecarError, match=reason):
        vegetable(flags(tmp_path), geom)


def test_export(tmp_path: Path) -> None:
    scene = GameScene()
    points, faces = [(0, 0, 0), (1, 0, 0), (0, 0, 1)], [(0, 1, 2)]
    material = scene.add_standard_material(
        "leaf", diffuse_map=scene.add_bitmap_map("leaf.tga", (4, 4))
    )
    mesh = scene.add_mesh(points, faces, uv=([(0, 0), (1, 0), (0, 1)], faces))
    grass_node = scene.add_node("Grass", mesh, material=material)
    scene.flag(grass_node, VEGETABLE=1)
    scene.flag(scene.add_node("child", mesh, parent=grass_node, material=material), VEGETABLE=1)
    scene.flag(scene.add_node("off", mesh, material=material), VEGETABLE=1, DONTEXPORT=1)
    scene.flag(scene.add_node("plain", mesh, material=material), VEGETABLE=0)
    scene.flag(scene.add_node("unmapped", scene.add_mesh(points, faces)), VEGETABLE=1)
    with viewed(scene, tmp_path) as view:
        steps = steps_by_node(export(Job(view, "scene")))
    product = steps["Grass"]
    assert isinstance(product, Product)
    assert (product.name, product.suffix) == ("Grass", ".veget")
    made = read_bytes(product.file.to_bytes()).content
    assert made.lighted
    assert len(made.vertex_buffer.vertices) == 3
    assert isinstance(steps["child"], LeftOut)
    assert "hangs on Grass" in steps["child"].reason
    assert isinstance(steps["off"], LeftOut)
    assert "DONTEXPORT" in steps["off"].reason
    assert isinstance(steps["plain"], LeftOut)
    assert not steps["plain"].chosen
    assert isinstance(steps["unmapped"], Failure)
    assert "texture coordinates" in steps["unmapped"].reason
