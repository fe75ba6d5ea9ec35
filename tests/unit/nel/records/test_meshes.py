"""Shapes as mesh records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.nel.records.meshes import mesh_of
from maxsidecar.nel.serial.classes.buffers import CIndexBuffer, CVertexBuffer
from maxsidecar.nel.serial.classes.material import CMaterial
from maxsidecar.nel.serial.classes.mesh import CBlendShape, CMatrixBlock, CMesh, CMeshGeom, CRdrPass
from maxsidecar.nel.serial.classes.mesh_mrm import WEDGE_RANGE
from maxsidecar.nel.serial.classes.mesh_mrm_skinned import (
    PACKED_VERTEX,
    CMeshMRMSkinned,
    CSkinnedLod,
    CSkinnedRdrPass,
)
from maxsidecar.nel.serial.classes.mesh_multi_lod import CMeshMultiLod, CMeshSlot
from maxsidecar.nel.serial.classes.other_shapes import CFlareShape
from maxsidecar.nel.serial.classes.texture import CTextureFile

POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


def plain(*blocks: CMatrixBlock, skinned: bool = False, **slots: Any) -> CMesh:
    mesh = CMesh()
    mesh.base.materials.append(CMaterial())
    given = {"position": POINTS, **slots}
    mesh.geom.vertex_buffer = CVertexBuffer.of(0, **given)
    mesh.geom.matrix_blocks += blocks
    mesh.geom.skinned = skinned
    return mesh


def block(triangles: Any, ids: tuple[int, ...] = (), material: int = 0) -> CMatrixBlock:
    made = CMatrixBlock(
        rdr_passes=[CRdrPass(material_id=material, primitives=CIndexBuffer.of(triangles))]
    )
    matrix_ids = np.zeros(16, "<u4")
    matrix_ids[: len(ids)] = ids
    made.matrix_ids, made.num_matrices = matrix_ids, len(ids)
    return made


def test_a_plain_mesh() -> None:
    mesh = plain(
        block([(0, 1, 2)]),
        normal=[(0, 0, 1)] * 4,
        uv0=[(0, 0)] * 4,
        uv1=[(1, 0)] * 4,
        color=[(1, 2, 3, 4)] * 4,
    )
    mesh.base.default_pos = (1.0, 2.0, 3.0)
    mesh.base.default_rot_quat = (-0.0, -0.0, -0.0, -1.0)
    notes: list[str] = []
    found = mesh_of(mesh, notes)
    assert found.positions.tolist() == [list(point) for point in POINTS]
    assert [uv[0].tolist() for uv in found.uvs] == [[0, 0], [1, 0]]
    assert found.colors is not None
    assert found.colors[0].tolist() == [1, 2, 3, 4]
    assert found.parts[0].triangles.tolist() == [[0, 1, 2]]
    assert found.place.position == (1.0, 2.0, 3.0)
    assert found.place.rotation == (0.0, 0.0, 0.0, 1.0)
    assert found.bones is None
    assert not notes


def test_bones_go_through_the_list_of_the_block() -> None:
    mesh = plain(
        block([(0, 1, 2)], (2, 0)),
        block([(1, 2, 3)], (1,)),
        skinned=True,
        weight=[(0.5, 0.5), (1, 0), (3, 1), (0, 0)],
        palette_skin=[(0, 1, 99, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 0)],
    )
    mesh.geom.bone_names = ["a", "b", "c"]
    found = mesh_of(mesh, [])
    # Vertices 1 and 2 are in both blocks, and so there twice.
    assert len(found.positions) == 6
    assert [part.triangles.tolist() for part in found.parts] == [[[0, 1, 2]], [[3, 4, 5]]]
    assert found.bones is not None
    assert found.weights is not None
    assert found.bones.tolist() == [
        [2, 0, 0, 0],
        [0, 0, 0, 0],
        [2, 0, 0, 0],
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [1, 0, 0, 0],
    ]
    assert found.weights[2].tolist() == [0.75, 0.25, 0, 0]
    assert found.weights[5].tolist() == [1, 0, 0, 0]
    assert np.allclose(found.weights.sum(axis=1), 1.0)


def test_packed_vertices_and_vertices_that_slide() -> None:
    shape = CMeshMRMSkinned()
    geom = shape.geom
    geom.bone_names = ["hip"]
    packed = np.zeros(5, PACKED_VERTEX)
    packed["position"] = [(9, 9, 9), (0, 0, 0), (100, 0, 0), (0, 100, 0), (50, 50, 0)]
    packed["normal"] = (0, 0, 32767)
    packed["uv"] = (8192, 4096)
    packed["skin"]["weight"][:, 0] = 255
    geom.vertex_buffer.vertices = packed
    geom.vertex_buffer.decompact_scale = 0.01
    coarse = CSkinnedLod(rdr_passes=[CSkinnedRdrPass(indices=np.array([1, 2, 3], "<u2"))])
    fine = CSkinnedLod(rdr_passes=[CSkinnedRdrPass(indices=np.array([1, 2, 0], "<u2"))])
    fine.geomorphs = np.array([(4, 3)], WEDGE_RANGE)
    geom.lods += [coarse, fine]
    notes: list[str] = []
    found = mesh_of(shape, notes)
    assert found.positions[2].tolist() == pytest.approx([1.0, 0.0, 0.0])
    assert found.uvs[0][0].tolist() == [1.0, 0.5]
    # Number 0 stands for a vertex between 4 and 3, which is at 4 in the finest level.
    assert found.parts[0].triangles.tolist() == [[1, 2, 4]]
    assert notes == ["of 2 levels of detail the finest is shown"]


def test_several_distances_give_the_nearest() -> None:
    shape = CMeshMultiLod()
    near = plain(block([(0, 1, 2)]))
    shape.base.materials.append(CMaterial())
    shape.slots += [CMeshSlot(geom=None), CMeshSlot(geom=near.geom), CMeshSlot(geom=CMeshGeom())]
    notes: list[str] = []
    assert len(mesh_of(shape, notes).positions) == 4
    assert notes == ["of 2 distances the nearest is shown"]


def test_materials() -> None:
    mesh = plain(block([(0, 1, 2)]))
    lit = CMaterial(diffuse=(255, 0, 51, 102), flags=0x14 | 0x80 | 0x100)
    lit.stages[0].texture = CTextureFile(file_name="bark.tga")
    plain_color = CMaterial(color=(0, 255, 0, 9), flags=0x4 | 0x200, alpha_test_threshold=0.25)
    mesh.base.materials[:] = [lit, plain_color]
    first, second = mesh_of(mesh, []).materials
    assert first.color == (1.0, 0.0, 0.2, 0.4)
    assert (first.blending, first.double_sided, first.lit) == ("blend", True, True)
    assert first.textures == ("bark.tga",)
    assert (second.color[:3], second.blending, second.cutoff) == ((0.0, 1.0, 0.0), "mask", 0.25)
    assert not second.lit


def test_morph_targets_are_told() -> None:
    mesh = plain(block([(0, 1, 2)]))
    mesh.geom.morpher.blend_shapes.append(CBlendShape())
    notes: list[str] = []
    mesh_of(mesh, notes)
    assert notes == ["1 morph targets are not shown"]


def test_damaged_meshes_are_refused() -> None:
    with pytest.raises(DecodeError, match="a face names a vertex"):
        mesh_of(plain(block([(0, 1, 9)])), [])
    skin = {"weight": [(1, 0)] * 4, "palette_skin": [(0, 0, 0, 0)] * 4}
    mesh = plain(block([(0, 1, 9)], (0,)), skinned=True, **skin)
    mesh.geom.bone_names = ["a"]
    with pytest.raises(DecodeError, match="a face names a vertex"):
        mesh_of(mesh, [])
    mesh = plain(block([(0, 1, 2)], (7,)), skinned=True, **skin)
    mesh.geom.bone_names = ["a"]
    with pytest.raises(DecodeError, match="a vertex names a bone"):
        mesh_of(mesh, [])
    with pytest.raises(DecodeError, match="has no mesh"):
        mesh_of(CFlareShape(), [])
    with pytest.raises(DecodeError, match="has no mesh"):
        mesh_of(CMeshMultiLod(), [])
    with pytest.raises(DecodeError, match="no positions"):
        mesh_of(CMesh(), [])


def test_a_material_that_is_not_there_is_none() -> None:
    assert mesh_of(plain(block([(0, 1, 2)], material=5)), []).parts[0].material == -1
