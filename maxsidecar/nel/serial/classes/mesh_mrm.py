"""Meshes with progressive detail (``src/3d/mesh_mrm.cpp``)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.nel.serial.arrays import Array, put_array, take_array
from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.buffers import (
    CIndexBuffer,
    CVertexBufferHeader,
    CVertexBufferSubset,
    Layout,
)
from maxsidecar.nel.serial.classes.mesh import VERTEX_PROGRAM, CMeshMorpher
from maxsidecar.nel.serial.classes.mesh_base import CMeshBase
from maxsidecar.nel.serial.conditions import Condition
from maxsidecar.nel.serial.containers import Fixed, List, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import BOOL, F32, STRING, U32, Kind, Version
from maxsidecar.nel.serial.stream import Reader, Writer, inside

__all__ = [
    "SHADOW_VERTEX",
    "SKIN_WEIGHT",
    "CLod",
    "CLodInfo",
    "CMeshMRM",
    "CMeshMRMGeom",
    "CMeshMRMLod",
    "CMeshMRMRdrPass",
]

#: Four matrices with their weights; the weights sum to 1.
SKIN_WEIGHT: Final = np.dtype([("matrix_id", "<u4"), ("weight", "<f4")])
#: A vertex of the shadow mesh, with a version byte.
SHADOW_VERTEX: Final = np.dtype([("version", "u1"), ("vertex", "<f4", (3,)), ("matrix_id", "<u4")])
#: First number and number behind the last.
WEDGE_RANGE: Final = np.dtype([("start", "<u4"), ("end", "<u4")])
VERTEX_BLOCK: Final = np.dtype([("start", "<u4"), ("count", "<u4")])
_OFFSET: Final = np.dtype("<i4")


class CMeshMRMRdrPass(Serial, nel="CMeshMRMGeom::CRdrPass"):
    """The faces of one material at one level of detail."""

    version: int = field(Version(0), "format of the pass")
    material_id: int = field(U32, "index of the material")
    primitives: CIndexBuffer = field(Nested(CIndexBuffer), "the faces")


class CLodInfo(Serial, nel="CMeshMRMGeom::CLodInfo"):
    """Which vertices a level of detail adds."""

    version: int = field(Version(0), "format of the record")
    start_add_wedge: int = field(U32, "number of its first vertex")
    end_add_wedge: int = field(U32, "number behind its last vertex")


class CLod(Serial, nel="CMeshMRMGeom::CLod"):
    """The faces of one level of detail."""

    version: int = field(Version(2), "format of the level")
    num_wedges: int = field(U32, "number of vertices in use")
    rdr_passes: list[CMeshMRMRdrPass] = field(List(Nested(CMeshMRMRdrPass)), "faces by material")
    geomorphs: NDArray[np.void] = field(
        Array(WEDGE_RANGE, "2 × u32"), "vertices that move from one level's place to the next's"
    )
    matrix_influences: NDArray[np.uint32] = field(Array("<u4", "u32"), "matrices in use")
    influenced_vertices: list[NDArray[np.uint32]] = field(
        Fixed(Array("<u4", "u32"), 4), "vertices with one, two, three and four matrices"
    )
    skin_vertex_blocks: NDArray[np.void] = field(
        Array(VERTEX_BLOCK, "2 × u32"), "runs of vertices in use: first and number", since=1
    )


class _SkinWeights(Kind[NDArray[np.void]]):
    """Skin weights of the vertices of an old level, as many as the context tells."""

    label = "4 × (u32, f32) for each vertex"

    def fresh(self) -> NDArray[np.void]:
        return np.empty((0, 4), SKIN_WEIGHT)

    def read(self, reader: Reader) -> NDArray[np.void]:
        _, count = reader.context
        reader.check_count(count, 4 * SKIN_WEIGHT.itemsize, reader.pos)
        return take_array(reader, np.dtype((SKIN_WEIGHT, 4)), count)

    def write(self, writer: Writer, value: NDArray[np.void]) -> None:
        _, count = writer.context
        put_array(writer, value, np.dtype((SKIN_WEIGHT, 4)), count)


class _OldSkin(Condition):
    text = "if `skinned` and the format of the vertices is 0"

    def holds(self, obj: Any) -> bool:
        return bool(obj.skinned) and obj.vertex_version < 1


class _Skinned(Kind[bool]):
    """Whether the mesh around is skinned; takes no bytes."""

    label = "that of the mesh around"
    initial = False
    stored = False

    def read(self, reader: Reader) -> bool:
        geom: Any = reader.stack[-2]
        return bool(geom.skinned)

    def write(self, writer: Writer, value: bool) -> None:
        geom: Any = writer.stack[-2]
        writer.stack[-1].__dict__["skinned"] = bool(geom.skinned)


class CMeshMRMLod(Serial, nel="CMeshMRMGeom level"):
    """One level of detail: its faces, and the vertices that it adds."""

    lod: CLod = field(Nested(CLod), "faces")
    skinned: bool = field(_Skinned(), "whether bones move it")
    vertex_version: int = field(Version(1), "format of the vertices")
    subset: CVertexBufferSubset = field(Nested(CVertexBufferSubset), "vertices that it adds")
    skin_weights: NDArray[np.void] = field(
        _SkinWeights(), "matrices and weights of these vertices", when=_OldSkin()
    )


class _Lods(Kind[list[CMeshMRMLod]]):
    """A table of offsets from its own start, then the levels, as many as ``lod_infos``."""

    label = "i32 offset of each level from here, then the levels"

    def fresh(self) -> list[CMeshMRMLod]:
        return []

    def read(self, reader: Reader) -> list[CMeshMRMLod]:
        geom: Any = reader.stack[-1]
        start = reader.pos
        offsets = take_array(reader, _OFFSET, len(geom.lod_infos)).tolist()
        lods: list[CMeshMRMLod] = []
        try:
            for info, offset in zip(geom.lod_infos, offsets, strict=True):
                if offset != reader.pos - start:
                    at = start + _OFFSET.itemsize * len(lods)
                    raise reader.fail(
                        "a level of detail is not where its offset says", reader.pos - start,
                        offset, at,
                    )  # fmt: skip
                reader.context = _layout(geom, info)
                lods.append(CMeshMRMLod.read(reader))
        except EditError as error:
            found = reader.fail(error.message, error.expected, error.found)
            raise inside(found, f"[{len(lods)}]") from error
        except MaxSidecarError as error:
            raise inside(error, f"[{len(lods)}]") from error.__cause__
        return lods

    def write(self, writer: Writer, value: list[CMeshMRMLod]) -> None:
        geom: Any = writer.stack[-1]
        if len(value) != len(geom.lod_infos):
            raise EditError(
                "wrong number of levels", expected=len(geom.lod_infos), found=len(value)
            )
        start = len(writer.out)
        writer.out += bytes(_OFFSET.itemsize * len(value))
        for number, (info, lod) in enumerate(zip(geom.lod_infos, value, strict=True)):
            at = start + _OFFSET.itemsize * number
            offset = len(writer.out) - start
            writer.out[at : at + _OFFSET.itemsize] = offset.to_bytes(4, "little", signed=True)
            try:
                writer.context = _layout(geom, info)
                lod.write(writer)
            except MaxSidecarError as error:
                raise inside(error, f"[{number}]") from error.__cause__


def _layout(geom: CMeshMRMGeom, info: CLodInfo) -> Layout:
    count = info.end_add_wedge - info.start_add_wedge
    if count < 0:
        raise EditError(
            "a level of detail ends before it begins", expected="0 or more", found=count
        )
    return geom.vertex_header.dtype, count


class CMeshMRMGeom(Serial, bases=("IMeshGeom",)):
    """The geometry of a mesh with progressive detail, the coarsest level first."""

    version: int = field(Version(5), "format of the geometry")
    bone_names: list[str] = field(List(STRING), "names of the bones in use", since=3)
    vertex_program: Serial | None = field(VERTEX_PROGRAM, "vertex program", since=2)
    morpher: CMeshMorpher = field(Nested(CMeshMorpher), "morph targets", since=1)
    skinned: bool = field(BOOL, "whether bones move it")
    bbox: CAABBox = field(Nested(CAABBox), "box around the vertices")
    max_face_used: int = field(U32, "faces of the finest level")
    min_face_used: int = field(U32, "faces of the coarsest level")
    distance_finest: float = field(F32, "distance in metres up to which it is finest")
    distance_middle: float = field(F32, "distance in metres at which half of the faces are left")
    distance_coarsest: float = field(F32, "distance in metres from which it is coarsest")
    oo_distance_delta: float = field(F32, "1 / (coarsest - finest)")
    distance_pow: float = field(F32, "exponent of the fall of faces with distance")
    lod_infos: list[CLodInfo] = field(List(Nested(CLodInfo)), "vertices of each level")
    num_wedges: int = field(U32, "number of vertices of all levels")
    vertex_header: CVertexBufferHeader = field(Nested(CVertexBufferHeader), "layout of a vertex")
    skin_weights: NDArray[np.void] = field(
        Array((SKIN_WEIGHT, 4), "4 × (u32, f32)"), "matrices and weights of each vertex", since=4
    )
    shadow_vertices: NDArray[np.void] = field(
        Array(SHADOW_VERTEX, "(version 0, 3 × f32, u32)", zero=("version",)),
        "vertices of the shadow mesh, with their bones",
        since=5,
    )
    shadow_triangles: NDArray[np.uint32] = field(
        Array("<u4", "u32"), "faces of the shadow mesh", since=5
    )
    lods: list[CMeshMRMLod] = field(_Lods(), "the levels")


class CMeshMRM(Serial, bases=("IShape",)):
    """A mesh with progressive detail."""

    version: int = field(Version(0), "format of the mesh")
    base: CMeshBase = field(Nested(CMeshBase), "what all meshes have")
    geom: CMeshMRMGeom = field(Nested(CMeshMRMGeom), "geometry")
