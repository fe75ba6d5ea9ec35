"""Plain meshes, rigid and skinned (``src/3d/mesh.cpp``)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array, FixedArray
from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.buffers import CIndexBuffer, CVertexBuffer
from maxsidecar.nel.serial.classes.mesh_base import CMeshBase
from maxsidecar.nel.serial.containers import Fixed, List, Nested, PolyPtr
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import BOOL, F32, STRING, U32, Version

__all__ = [
    "MAX_MATRICES",
    "CBlendShape",
    "CMatrixBlock",
    "CMesh",
    "CMeshGeom",
    "CMeshMorpher",
    "CMeshVPPerPixelLight",
    "CMeshVPWindTree",
    "CRdrPass",
    "CWindLevel",
]

#: Matrices that a block may use; there is room for one more.
MAX_MATRICES: Final = 15

_VEC3: Final = ("<f4", 3)
VERTEX_PROGRAM: Final = PolyPtr("IMeshVertexProgram")


class CBlendShape(Serial):
    """A morph target: what it adds to some vertices."""

    version: int = field(Version(1), "format of the target")
    name: str = field(STRING, "name of the target")
    delta_pos: NDArray[np.float32] = field(Array(_VEC3, "3 × f32"), "shifts of positions")
    delta_norm: NDArray[np.float32] = field(Array(_VEC3, "3 × f32"), "changes of normals")
    delta_uv: NDArray[np.float32] = field(Array(("<f4", 2), "2 × f32"), "changes of coordinates")
    delta_color: NDArray[np.float32] = field(Array(("<f4", 4), "4 × f32"), "changes of colours")
    delta_tangent: NDArray[np.float32] = field(
        Array(_VEC3, "3 × f32"), "changes of tangents", since=1
    )
    vertices: NDArray[np.uint32] = field(Array("<u4", "u32"), "numbers of the vertices")


class CMeshMorpher(Serial):
    """All morph targets of a mesh."""

    version: int = field(Version(0), "format of the list")
    blend_shapes: list[CBlendShape] = field(List(Nested(CBlendShape)), "the targets")


class CMeshVPPerPixelLight(Serial, bases=("IMeshVertexProgram",)):
    """Vertex program that prepares lighting of each pixel."""

    version: int = field(Version(0), "format of the program")
    specular_lighting: bool = field(BOOL, "whether there are highlights")


class CWindLevel(Serial, nel="CMeshVPWindTree level"):
    """How one level of a tree (trunk, branches, leaves) moves in the wind."""

    frequency: float = field(F32, "frequency")
    frequency_wind_factor: float = field(F32, "what the wind adds to it")
    power_xy: float = field(F32, "movement in the plane")
    power_z: float = field(F32, "movement upwards")
    bias: float = field(F32, "shift of the movement")


class CMeshVPWindTree(Serial, bases=("IMeshVertexProgram",)):
    """Vertex program that moves a tree in the wind."""

    version: int = field(Version(0), "format of the program")
    levels: list[CWindLevel] = field(Fixed(Nested(CWindLevel), 3), "the three levels")
    specular_lighting: bool = field(BOOL, "whether there are highlights")


class CRdrPass(Serial, nel="CMeshGeom::CRdrPass"):
    """The faces of one material."""

    version: int = field(Version(0), "format of the pass")
    material_id: int = field(U32, "index of the material")
    primitives: CIndexBuffer = field(Nested(CIndexBuffer), "the faces")


class CMatrixBlock(Serial, nel="CMeshGeom::CMatrixBlock"):
    """The faces that a set of matrices moves.

    Without skin, identifiers and number mean nothing, and old exporters left them uninitialised.
    """

    version: int = field(Version(0), "format of the block")
    matrix_ids: NDArray[np.uint32] = field(
        FixedArray("<u4", 16, "u32"), "bones, as indices of the bone names"
    )
    num_matrices: int = field(U32, "number of matrices in use", most=MAX_MATRICES)
    rdr_passes: list[CRdrPass] = field(List(Nested(CRdrPass)), "faces by material")


class CMeshGeom(Serial, bases=("IMeshGeom",)):
    """The geometry of a plain mesh."""

    version: int = field(Version(4), "format of the geometry")
    bone_names: list[str] = field(List(STRING), "names of the bones in use", since=4)
    vertex_program: Serial | None = field(VERTEX_PROGRAM, "vertex program", since=3)
    morpher: CMeshMorpher = field(Nested(CMeshMorpher), "morph targets", since=1)
    vertex_buffer: CVertexBuffer = field(Nested(CVertexBuffer), "vertices")
    matrix_blocks: list[CMatrixBlock] = field(List(Nested(CMatrixBlock)), "faces by matrices")
    bbox: CAABBox = field(Nested(CAABBox), "box around the vertices")
    skinned: bool = field(BOOL, "whether bones move it")


class CMesh(Serial, bases=("IShape",)):
    """A plain mesh.  The game refuses versions before 6."""

    version: int = field(Version(6, oldest=6), "format of the mesh")
    base: CMeshBase = field(Nested(CMeshBase), "what all meshes have")
    geom: CMeshGeom = field(Nested(CMeshGeom), "geometry")
