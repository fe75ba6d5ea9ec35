"""Skinned meshes with progressive detail and packed vertices (``src/3d/mesh_mrm_skinned.cpp``)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array
from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.mesh_base import CMeshBase
from maxsidecar.nel.serial.classes.mesh_mrm import SHADOW_VERTEX, WEDGE_RANGE
from maxsidecar.nel.serial.containers import Fixed, List, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import F32, STRING, U32, Version

__all__ = [
    "PACKED_VERTEX",
    "CMeshMRMSkinned",
    "CMeshMRMSkinnedGeom",
    "CPackedVertexBuffer",
    "CSkinnedLod",
    "CSkinnedRdrPass",
]

#: A vertex of 25 bytes: position × scale, normal / 32767, coordinates / 8192, weights / 255.
PACKED_VERTEX: Final = np.dtype(
    [
        ("version", "u1"),
        ("position", "<i2", (3,)),
        ("normal", "<i2", (3,)),
        ("uv", "<i2", (2,)),
        ("skin", [("matrix", "u1"), ("weight", "u1")], (4,)),
    ]
)


class CPackedVertexBuffer(Serial, nel="CMeshMRMSkinnedGeom::CPackedVertexBuffer"):
    """The vertices, packed into whole numbers."""

    version: int = field(Version(0), "format of the buffer")
    vertices: NDArray[np.void] = field(
        Array(PACKED_VERTEX, "packed vertices of 25 bytes", zero=("version",)),
        "version 0, position × scale, normal / 32767, coordinates / 8192, matrices with weights / "
        "255",
    )
    decompact_scale: float = field(F32, "what packed positions are multiplied with, in metres")


class CSkinnedRdrPass(Serial, nel="CMeshMRMSkinnedGeom::CRdrPass"):
    """The faces of one material at one level of detail."""

    version: int = field(Version(0), "format of the pass")
    material_id: int = field(U32, "index of the material")
    indices: NDArray[np.uint16] = field(Array("<u2", "u16"), "vertex numbers, three for each face")


class CSkinnedLod(Serial, nel="CMeshMRMSkinnedGeom::CLod"):
    """The faces of one level of detail."""

    version: int = field(Version(0), "format of the level")
    num_wedges: int = field(U32, "number of vertices in use")
    rdr_passes: list[CSkinnedRdrPass] = field(List(Nested(CSkinnedRdrPass)), "faces by material")
    geomorphs: NDArray[np.void] = field(
        Array(WEDGE_RANGE, "2 × u32"), "vertices that move from one level's place to the next's"
    )
    matrix_influences: NDArray[np.uint32] = field(Array("<u4", "u32"), "matrices in use")
    influenced_vertices: list[NDArray[np.uint32]] = field(
        Fixed(Array("<u4", "u32"), 4), "vertices with one, two, three and four matrices"
    )


class CMeshMRMSkinnedGeom(Serial, bases=("IMeshGeom",)):
    """The geometry of a skinned mesh with progressive detail, the coarsest level first."""

    version: int = field(Version(0), "format of the geometry")
    bone_names: list[str] = field(List(STRING), "names of the bones in use")
    bbox: CAABBox = field(Nested(CAABBox), "box around the vertices")
    max_face_used: int = field(U32, "faces of the finest level")
    min_face_used: int = field(U32, "faces of the coarsest level")
    distance_finest: float = field(F32, "distance in metres up to which it is finest")
    distance_middle: float = field(F32, "distance in metres at which half of the faces are left")
    distance_coarsest: float = field(F32, "distance in metres from which it is coarsest")
    oo_distance_delta: float = field(F32, "1 / (coarsest - finest)")
    distance_pow: float = field(F32, "exponent of the fall of faces with distance")
    vertex_buffer: CPackedVertexBuffer = field(Nested(CPackedVertexBuffer), "vertices")
    shadow_vertices: NDArray[np.void] = field(
        Array(SHADOW_VERTEX, "(version 0, 3 × f32, u32)", zero=("version",)),
        "vertices of the shadow mesh, with their bones",
    )
    shadow_triangles: NDArray[np.uint32] = field(Array("<u4", "u32"), "faces of the shadow mesh")
    lods: list[CSkinnedLod] = field(List(Nested(CSkinnedLod)), "the levels")


class CMeshMRMSkinned(Serial, bases=("IShape",)):
    """A skinned mesh with progressive detail."""

    version: int = field(Version(0), "format of the mesh")
    base: CMeshBase = field(Nested(CMeshBase), "what all meshes have")
    geom: CMeshMRMSkinnedGeom = field(Nested(CMeshMRMSkinnedGeom), "geometry")
