"""Levels of detail against those of real shapes, and of real scenes with the flags set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxsidecar
from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.nel.serial import read_bytes, read_file
from maxsidecar.nel.serial.classes.mesh import CMeshGeom
from maxsidecar.nel.serial.classes.mesh_mrm import CMeshMRM, CMeshMRMGeom
from maxsidecar.nel.serial.classes.mesh_mrm_skinned import CMeshMRMSkinned
from maxsidecar.nel.serial.classes.mesh_multi_lod import CMeshMultiLod, CMeshSlot
from maxsidecar.nel.shape import ShapeResult, export_shape
from maxsidecar.nel.shape.mrm_chain import build_chain
from maxsidecar.nel.shape.mrm_detail import Detail
from maxsidecar.nel.shape.mrm_level import base_level
from maxsidecar.nel.shape.mrm_skinned import skinned_geometry
from maxsidecar.nel.shape.multi_lod import number_slots
from maxsidecar.scene.node import Node
from tests.support.nel_mrm import check_structure, finest, geomorphs, level_faces

FLAGS = {prop.name: prop for prop in PROPERTIES}
#: Shape, number of levels, and what its faces were divided by.
REAL = (
    ("4c98c273__PI_PO_pinetree_A", 5, 2),
    ("7ec70f98__PI_PO_Igloo_A", 2, 2),
    ("6b4de4ac__PI_PO_Igloo_B", 5, 5),
    ("c890cd78__sphere_bottom", 11, 20),
)


def flagged(node: Node, **flags: object) -> None:
    for name, value in flags.items():
        node.appdata.edit(FLAGS[name], value)


def real_geometry(corpus: Path, name: str) -> Any:
    shape = read_file(corpus / "nel" / "shape" / f"{name}.shape").content
    return shape.slots[0].geom if isinstance(shape, CMeshMultiLod) else shape.geom


def written(result: ShapeResult) -> Any:
    """Return the shape as it is read from the file that is written."""
    assert result.file is not None, result.reason
    return read_bytes(result.file.to_bytes()).content


@pytest.mark.parametrize(("name", "levels", "divisor"), REAL)
def test_levels_of_a_real_shape_made_again(
    corpus: Path, name: str, levels: int, divisor: int
) -> None:
    """The finest level of a shape gives nearly the same levels as the game's exporter made."""
    geom = real_geometry(corpus, name)
    check_structure(geom)
    chain = build_chain(base_level(finest(geom), []), levels, divisor, "max")
    assert len(chain.levels) == len(geom.lods)
    theirs = [len(faces) for faces in level_faces(geom)]
    ours = [sum(len(faces) for _, faces in level.passes) for level in chain.levels]
    # An edge takes one or two faces with it, and which goes first hangs on the last bits.
    assert max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) <= 3
    assert ours[-1] == theirs[-1]
    moving = [len(geomorphs(level)) for level in geom.lods]
    assert chain.space == pytest.approx(max(moving), rel=0.15)
    vertices = [getattr(level, "lod", level).num_wedges for level in geom.lods]
    assert [level.vertices for level in chain.levels] == pytest.approx(vertices, rel=0.09)


def test_a_packed_shape_made_again(corpus: Path) -> None:
    geom = real_geometry(corpus, "c890cd78__sphere_bottom")
    ours = skinned_geometry(finest(geom), Detail())
    check_structure(ours)
    for name in (
        "bone_names", "distance_finest", "distance_middle", "distance_coarsest",
        "oo_distance_delta", "distance_pow", "max_face_used", "min_face_used",
    ):  # fmt: skip
        assert getattr(ours, name) == getattr(geom, name), name
    mine, theirs = ours.vertex_buffer, geom.vertex_buffer
    assert mine.decompact_scale == theirs.decompact_scale
    assert mine.vertices["skin"][0].tolist() == theirs.vertices["skin"][0].tolist()
    # The vertices of the finest level come back from the packed ones.
    whole = {row.tobytes() for row in theirs.vertices["position"][380:]}
    assert whole <= {row.tobytes() for row in mine.vertices["position"]}


@pytest.mark.parametrize("name", [name for name, *_ in REAL[:3]])
def test_slots_of_real_shapes_numbered_again(corpus: Path, name: str) -> None:
    shape = read_file(corpus / "nel" / "shape" / f"{name}.shape").content
    bare = [CMeshSlot(geom=slot.geom, dist_max=slot.dist_max) for slot in reversed(shape.slots)]
    for ours, theirs in zip(number_slots(bare), shape.slots, strict=True):
        assert ours.geom is theirs.geom
        assert ours.end_polygon_count == theirs.end_polygon_count
        assert ours.a == pytest.approx(theirs.a, rel=1e-6)
        assert ours.b == pytest.approx(theirs.b, rel=1e-6)


@pytest.fixture
def target(corpus: Path) -> tuple[maxsidecar.MaxFile, Node]:
    folder = corpus / "nel-pairs" / "mtp-target"
    scene_file = maxsidecar.open(folder / "1f98a6dd__snow_target_50.max")
    (node,) = scene_file.nodes.find("Score50")
    return scene_file, node


def test_flag_makes_levels_of_detail(target: tuple[maxsidecar.MaxFile, Node]) -> None:
    scene_file, node = target
    flagged(node, LOD_MRM=True, LOD_NB_LOD=4, LOD_DIVISOR=10, LOD_DISTANCE_COARSEST=120.0)
    shape = written(export_shape(scene_file, node))
    assert isinstance(shape, CMeshMRM)
    geom = shape.geom
    check_structure(geom)
    counts = [len(faces) for faces in level_faces(geom)]
    # 692 faces: 69 and thirds of what is between.
    for found, wanted in zip(counts, (69, 276, 484, 692), strict=True):
        assert wanted - 1 <= found <= wanted
    assert geom.distance_coarsest == 120.0
    assert not geom.skinned
    assert geom.vertex_header.preferred_memory == 2
    assert [level.lod.num_wedges for level in geom.lods] == [
        info.end_add_wedge for info in geom.lod_infos
    ]
    rows = np.concatenate([level.subset.vertices for level in geom.lods])
    room = max(len(geomorphs(level)) for level in geom.lods)
    assert not rows["position"][:room].any()
    assert np.abs(np.linalg.norm(rows["normal"][room:], axis=1) - 1).max() < 1.0
    plain = export_shape_without(scene_file, node)
    finest_points = {row.tobytes() for row in plain.geom.vertex_buffer.vertices}
    assert finest_points <= {row.tobytes() for row in rows}


def export_shape_without(scene_file: maxsidecar.MaxFile, node: Node) -> Any:
    flagged(node, LOD_MRM=False)
    return written(export_shape(scene_file, node))


def test_distances_that_do_not_rise_are_told(target: tuple[maxsidecar.MaxFile, Node]) -> None:
    scene_file, node = target
    flagged(node, LOD_MRM=True, LOD_NB_LOD=2, LOD_DISTANCE_MIDDLE=500.0)
    result = export_shape(scene_file, node)
    assert result.shape.geom.distance_middle == 30.0
    assert any("do not rise" in note for note in result.notes)


@pytest.mark.parametrize(("name", "packed"), [("Object09", True), ("Object04", False)])
def test_flag_makes_levels_of_skins(corpus: Path, name: str, packed: bool) -> None:
    """A small skin is packed; one of more than 5,000 vertices is not."""
    path = sorted((corpus / "max").rglob("*Walk_Russian blue.max"))[0]
    scene_file = maxsidecar.open(path)
    (node,) = scene_file.nodes.find(name)
    flagged(node, LOD_MRM=True, LOD_NB_LOD=3)
    result = export_shape(scene_file, node)
    shape = written(result)
    assert any("not packed" in note for note in result.notes) != packed
    assert isinstance(shape, CMeshMRMSkinned if packed else CMeshMRM)
    check_structure(shape.geom)
    assert set(shape.geom.bone_names) <= {child.name for _, child in scene_file.nodes.walk()}


def test_flags_make_a_shape_of_several_meshes(corpus: Path) -> None:
    scene_file = maxsidecar.open(corpus / "nel-pairs" / "opennel_svn" / "e599c832__street.max")
    (near,), (far,), (last,) = (
        scene_file.nodes.find(name) for name in ("Sphere01", "Sphere02", "Sphere03")
    )
    flagged(near, LOD_NAME_COUNT=2, LOD_NAME_0="sphere03", LOD_NAME_1="Sphere02", LOD_MRM=True)
    flagged(near, LOD_DIST_MAX=50.0, LOD_NB_LOD=3, LOD_BLEND_OUT=False, LOD_DYNAMIC_MESH=True)
    flagged(far, LOD_DIST_MAX=100.0)
    flagged(last, LOD_DIST_MAX=300.0, LOD_COARSE_MESH=True, LOD_BLEND_LENGTH=2.0)
    result = export_shape(scene_file, near)
    shape = written(result)
    assert isinstance(shape, CMeshMultiLod)
    assert not shape.static_lod
    assert [slot.dist_max for slot in shape.slots] == [50.0, 100.0, 300.0]
    assert [type(slot.geom) for slot in shape.slots] == [CMeshMRMGeom, CMeshGeom, CMeshGeom]
    # 1 in, 2 out, 4 coarse, 8 opaque
    assert [slot.flags for slot in shape.slots] == [9, 11, 15]
    assert shape.slots[2].blend_length == 2.0
    geoms: list[Any] = [slot.geom for slot in shape.slots]
    coarse = geoms[2].vertex_buffer.vertices
    assert coarse.dtype.names == ("position", "uv0")
    # The spheres are elsewhere in the scene; all are placed against the first one.
    assert shape.base.default_pos == pytest.approx(local_place(near), abs=1e-5)
    shift = np.subtract(local_place(last), local_place(near))
    center = np.array(geoms[2].bbox.center)
    assert center == pytest.approx(shift + np.array(geoms[0].bbox.center), abs=1e-4)
    assert shape.slots[0].a == pytest.approx((224 - 224) / 50)
    assert shape.slots[2].end_polygon_count == 112
    assert [material.flags for material in shape.base.materials] == [0x14] * 3


def local_place(node: Node) -> Any:
    return node.local_matrix()[3, :3]


def test_missing_level_is_told(target: tuple[maxsidecar.MaxFile, Node]) -> None:
    scene_file, node = target
    flagged(node, LOD_NAME_COUNT=1, LOD_NAME_0="nowhere")
    result = export_shape(scene_file, node)
    assert isinstance(result.shape, CMeshMultiLod)
    assert "the level of detail 'nowhere' is missing" in result.notes
