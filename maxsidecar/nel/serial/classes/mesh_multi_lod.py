"""Meshes with a geometry for each range of distances (``src/3d/mesh_multi_lod.cpp``)."""

from __future__ import annotations

from maxsidecar.nel.serial.classes.mesh_base import CMeshBase
from maxsidecar.nel.serial.containers import List, Nested, PolyPtr
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import BOOL, F32, U8, Version

__all__ = ["CMeshMultiLod", "CMeshSlot"]


class CMeshSlot(Serial, nel="CMeshMultiLod::CMeshSlot"):
    """A geometry and the distances at which it is drawn.

    The bits of ``flags`` are 1 blend in, 2 blend out, 4 coarse mesh, 8 opaque, 16 transparent.
    """

    version: int = field(Version(0), "format of the slot")
    geom: Serial | None = field(PolyPtr("IMeshGeom"), "geometry")
    a: float = field(F32, "slope of the number of faces with distance")
    b: float = field(F32, "number of faces at distance 0")
    dist_max: float = field(F32, "distance in metres up to which it is drawn")
    end_polygon_count: float = field(F32, "number of faces at that distance")
    blend_length: float = field(F32, "length in metres of the blending into the next slot")
    flags: int = field(U8, "bits, see the class")


class CMeshMultiLod(Serial, bases=("IShape",)):
    """A mesh with a geometry for each range of distances."""

    version: int = field(Version(0), "format of the mesh")
    base: CMeshBase = field(Nested(CMeshBase), "what all meshes have")
    static_lod: bool = field(BOOL, "whether the load balancing leaves it alone")
    slots: list[CMeshSlot] = field(List(Nested(CMeshSlot)), "geometries, the nearest first")
