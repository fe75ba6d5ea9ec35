"""Morph targets in shapes against the glTF file that 3ds Max itself made of the scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import maxsidecar
from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.nel.serial import read_bytes
from maxsidecar.nel.shape import export_shape
from tests.support.gltf import Gltf
from tests.support.nel_mrm import check_structure

#: From Z up to Y up.
AXES = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
Moves = set[tuple[float, ...]]


def moves(points: npt.NDArray[Any], shifts: npt.NDArray[Any]) -> Moves:
    """Return what moves: places and shifts, rounded to a tenth of a millimetre."""
    moved = np.abs(shifts).max(axis=1) > 1e-3
    rows = np.concatenate([points, shifts], axis=1)[moved].astype(np.float64)
    return {tuple((np.round(row, 4) + 0.0).tolist()) for row in rows}


def gltf_moves(gltf: Gltf, name: str) -> list[Moves]:
    (node,) = (node for node in gltf.nodes if node.get("name") == name)
    out: list[Moves] = [set(), set()]
    for primitive in gltf.json["meshes"][node["mesh"]]["primitives"]:
        points = gltf.accessor(primitive["attributes"]["POSITION"])
        for number, target in enumerate(primitive["targets"]):
            out[number] |= moves(points, gltf.accessor(target["POSITION"]))
    return out


def shape_moves(points: npt.NDArray[Any], shapes: list[Any]) -> list[Moves]:
    return [moves(points[s.vertices] @ AXES.T, s.delta_pos @ AXES.T) for s in shapes]


@pytest.fixture(scope="module")
def pair(corpus: Path) -> tuple[Path, Gltf]:
    folder = corpus / "pairs" / "AnimatedMorphCube"
    (path,) = folder.glob("*.gltf")
    return folder / "scene.max", Gltf(path)


@pytest.mark.parametrize("name", ["Box001", "Box004"])
def test_targets_are_those_of_3ds_max(pair: tuple[Path, Gltf], name: str) -> None:
    scene_file = maxsidecar.open(pair[0])
    (node,) = scene_file.nodes.find(name)
    result = export_shape(scene_file, node)
    assert result.file is not None
    shape = read_bytes(result.file.to_bytes()).content
    assert shape.base.morph_names == ["Box002", "Box003"]
    geom = shape.geom
    shapes = geom.morpher.blend_shapes
    assert [s.name for s in shapes] == ["Box002", "Box003"]
    points = geom.vertex_buffer.vertices["position"]
    assert shape_moves(points, shapes) == gltf_moves(pair[1], name)
    # A mesh that changes is not kept on the graphics card.
    assert geom.vertex_buffer.header.preferred_memory == 0


def test_targets_of_levels_of_detail(pair: tuple[Path, Gltf]) -> None:
    scene_file = maxsidecar.open(pair[0])
    (node,) = scene_file.nodes.find("Box001")
    for name, value in (("LOD_MRM", True), ("LOD_NB_LOD", 3), ("LOD_DIVISOR", 3)):
        (prop,) = (prop for prop in PROPERTIES if prop.name == name)
        node.appdata.edit(prop, value)
    result = export_shape(scene_file, node)
    assert result.file is not None
    geom = read_bytes(result.file.to_bytes()).content.geom
    check_structure(geom)
    rows = np.concatenate([level.subset.vertices for level in geom.lods])
    found = shape_moves(rows["position"], geom.morpher.blend_shapes)
    # All of the mesh's own moves are there; coarser levels add those of points between.
    for ours, theirs in zip(found, gltf_moves(pair[1], "Box001"), strict=True):
        assert theirs <= ours
