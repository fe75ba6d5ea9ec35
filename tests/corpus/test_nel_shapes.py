"""What real shapes and skeletons hold makes sense: the fields are where the declarations say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.nel.serial import read_file
from maxsidecar.nel.serial.classes.mesh import CMesh, CMeshGeom
from maxsidecar.nel.serial.classes.mesh_mrm import CMeshMRM, CMeshMRMGeom
from maxsidecar.nel.serial.classes.mesh_mrm_skinned import CMeshMRMSkinned
from maxsidecar.nel.serial.classes.mesh_multi_lod import CMeshMultiLod


@pytest.fixture(scope="module")
def shapes(corpus: Path) -> dict[str, Any]:
    paths = [*(corpus / "nel" / "shape").iterdir(), *(corpus / "nel-pairs").rglob("*.shape")]
    return {path.name: read_file(path).content for path in sorted(paths)}


@pytest.fixture(scope="module")
def skeletons(corpus: Path) -> dict[str, Any]:
    return {path.name: read_file(path).content for path in (corpus / "nel" / "skel").iterdir()}


def geoms(shapes: dict[str, Any]) -> Iterator[tuple[str, Any, int]]:
    """Yield name, geometry and number of materials of every mesh."""
    for name, shape in shapes.items():
        count = len(shape.base.materials)
        if isinstance(shape, CMeshMultiLod):
            yield from ((name, slot.geom, count) for slot in shape.slots)
        else:
            yield name, shape.geom, count


def test_classes(shapes: dict[str, Any]) -> None:
    assert {type(shape) for shape in shapes.values()} == {CMesh, CMeshMultiLod, CMeshMRMSkinned}
    assert CMeshMRMGeom in {type(geom) for _, geom, _ in geoms(shapes)}
    assert CMeshMRM not in {type(shape) for shape in shapes.values()}


def test_old_exporters_wrote_addresses(shapes: dict[str, Any]) -> None:
    """The id of sphere01.shape, from the notes on the format."""
    spheres = [shape for name, shape in shapes.items() if name.endswith("__sphere01.shape")]
    assert {shape.pointer_id for shape in spheres} == {909842848}


def test_boxes_hold_the_vertices(shapes: dict[str, Any]) -> None:
    """Boxes are those of the positions, to rounding; other writers may have made them larger."""
    exact = checked = 0
    for name, geom, _ in geoms(shapes):
        if not isinstance(geom, CMeshGeom):
            continue
        position = geom.vertex_buffer.vertices["position"]
        low, high = position.min(axis=0), position.max(axis=0)
        center, half = np.array(geom.bbox.center), np.array(geom.bbox.half_size)
        slack = 1e-4 * (1 + np.abs(position).max())
        assert (low >= center - half - slack).all(), name
        assert (high <= center + half + slack).all(), name
        exact += bool(np.allclose(high - low, 2 * half, atol=slack))
        checked += 1
    assert checked > 100
    assert exact > 0.9 * checked


def test_faces_lead_to_vertices_and_materials(shapes: dict[str, Any]) -> None:
    checked = 0
    for name, geom, materials in geoms(shapes):
        if not isinstance(geom, CMeshGeom):
            continue
        used = np.zeros(len(geom.vertex_buffer.vertices), np.bool_)
        for block in geom.matrix_blocks:
            for part in block.rdr_passes:
                triangles = part.primitives.triangles
                assert triangles.max(initial=0) < len(used), name
                assert part.material_id < materials, name
                used[triangles.ravel()] = True
                checked += len(triangles)
        assert used.all(), name
    assert checked > 10_000


def test_normals_have_length_one(shapes: dict[str, Any]) -> None:
    lengths = [
        np.linalg.norm(geom.vertex_buffer.vertices["normal"], axis=1)
        for _, geom, _ in geoms(shapes)
        if isinstance(geom, CMeshGeom) and geom.vertex_buffer.header.flags & 2
    ]
    every = np.concatenate(lengths)
    assert len(every) > 10_000
    assert (np.abs(every - 1) < 1e-3).mean() > 0.99


def test_skin(shapes: dict[str, Any]) -> None:
    """Weights sum to 1 and lead to matrices of their block; at most 15 are in use."""
    skinned = [geom for _, geom, _ in geoms(shapes) if isinstance(geom, CMeshGeom) and geom.skinned]
    assert skinned
    for geom in skinned:
        weight = geom.vertex_buffer.vertices["weight"]
        assert np.allclose(weight.sum(axis=1), 1, atol=1e-3)
        for block in geom.matrix_blocks:
            assert 0 < block.num_matrices <= 15
            used = block.matrix_ids[: block.num_matrices]
            assert used.max() < len(geom.bone_names)
            vertices = np.unique(np.concatenate([p.primitives.indices for p in block.rdr_passes]))
            palette = geom.vertex_buffer.vertices["palette_skin"][vertices]
            assert palette[weight[vertices] > 0].max() < block.num_matrices


def test_levels_of_progressive_meshes(shapes: dict[str, Any]) -> None:
    found = [geom for _, geom, _ in geoms(shapes) if isinstance(geom, CMeshMRMGeom)]
    assert len(found) == 3
    for geom in found:
        ends = [info.end_add_wedge for info in geom.lod_infos]
        assert ends == [level.lod.num_wedges for level in geom.lods]
        assert ends[-1] == geom.num_wedges
        assert all(a.end_add_wedge == b.start_add_wedge for a, b in pairwise(geom.lod_infos))
        counts = []
        for level in geom.lods:
            triangles = [part.primitives.triangles for part in level.lod.rdr_passes]
            assert max(part.max() for part in triangles) < level.lod.num_wedges
            counts.append(sum(map(len, triangles)))
        assert counts == sorted(counts)
        assert (counts[0], counts[-1]) == (geom.min_face_used, geom.max_face_used)
        span = geom.distance_coarsest - geom.distance_finest
        assert geom.oo_distance_delta == pytest.approx(1 / span)


def test_packed_vertices(shapes: dict[str, Any]) -> None:
    found = [shape.geom for shape in shapes.values() if isinstance(shape, CMeshMRMSkinned)]
    assert found
    for geom in found:
        packed = geom.vertex_buffer.vertices
        assert (packed["skin"]["weight"].sum(axis=1) == 255).all()
        assert packed["skin"]["matrix"].max() < len(geom.bone_names)
        # The first vertices are filled while levels blend, and empty in the file.
        blending = max(len(level.geomorphs) for level in geom.lods)
        assert not packed["normal"][:blending].any()
        length = np.linalg.norm(packed["normal"][blending:] / 32767, axis=1)
        assert (length > 0.9).all()
        assert (length < 1.001).all()
        position = packed["position"][blending:] * geom.vertex_buffer.decompact_scale
        center, half = np.array(geom.bbox.center), np.array(geom.bbox.half_size)
        slack = geom.vertex_buffer.decompact_scale
        assert (np.abs(position - center) <= half + slack).all()
        for level in geom.lods:
            assert max(part.indices.max() for part in level.rdr_passes) < level.num_wedges


def test_skeletons(skeletons: dict[str, Any]) -> None:
    assert len(skeletons) >= 16
    for name, skeleton in skeletons.items():
        bones = skeleton.bones
        assert skeleton.bone_map == {bone.name: number for number, bone in enumerate(bones)}, name
        assert bones[0].father_id == -1
        assert all(bone.father_id < number for number, bone in enumerate(bones))
        assert all(len(lod.active_bones) == len(bones) for lod in skeleton.lods)
        assert skeleton.lods[0].distance == 0
        assert (skeleton.lods[0].active_bones == 255).all()


def test_bind_poses(skeletons: dict[str, Any]) -> None:
    """Matrices of the bind pose are invertible; the root's is the inverse of its default place."""
    for name, skeleton in skeletons.items():
        for bone in skeleton.bones:
            rotation = np.reshape(bone.inv_bind_pos.rotation, (3, 3))
            assert abs(np.linalg.det(rotation)) > 1e-6, (name, bone.name)
