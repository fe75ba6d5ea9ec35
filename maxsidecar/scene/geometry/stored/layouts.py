"""Chunks of stored meshes: the triangle mesh, the polygon mesh, and what stands beside them.

Measured on every mesh of the corpus (docs/format/mesh.md).
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.geometry.stored.ragged import (
    ADJACENCY,
    EDGES,
    FACES,
    MAP_FACES,
    VERTICES,
)
from maxsidecar.scene.geometry.stored.tables import Rows, WeightsCodec
from maxsidecar.scene.layouts import COMMON, Layout

__all__ = [
    "BOOLEAN_RESULT",
    "EDITABLE_MESH",
    "EDITABLE_POLY",
    "POLY_MESH",
    "TESSELLATION",
    "TRI_MESH",
]

#: Container of the mesh in Editable Mesh and Editable Poly.
MESH: Final = 0x08FE

_SHARED: Final = {
    **COMMON,
    # How surfaces are divided when they are displaced.
    "tessellation": Layout.read(
        "300d=u32 300e=u32 300f=u32 3010=f32 3012=f32 3013=u32 3014=u32 3015=u32 3016=u32 3017=f32"
        " 3019=u32 301a=u32 301b=u32 301c=u32 301d=u32 301e=u32"
    ),
}
TESSELLATION: Final = _SHARED["tessellation"]

_VECTORS: Final = Rows("vectors", "f", 3)


def _normals(face: str) -> Layout:
    layout = Layout.read(
        "0130=u32 0100:state=u32 0114:explicit@bits 0120:face_count=u32 0124:face=u32 "
        + f"0128:face_normals{{ 0200:normals={face} }}",
        _SHARED,
    )
    layout.leaves[0x0110] = "normals", _VECTORS
    return layout


def _tri_mesh() -> Layout:
    layout = Layout.read(
        "0906:flags=u32 0908=f32 0924=u32 0928:display_flags=u32 092a:selection_level=u32"
        " 092c:selected_vertices@bits 092d:selected_faces@bits 092e:selected_edges@bits"
        " 094c:hidden_vertices@bits 0952:weight_slots=u32 0956:map_slots=u32 0959:channel=i32"
        " 2398:map_flags=u32 23a2{ 0200=u32 } 23a4=u32",
        _SHARED,
    )
    map_faces = Rows("map faces", "I", 3)
    layout.leaves |= {
        0x0912: ("faces", Rows("faces", "I", 5)),
        0x0914: ("vertices", _VECTORS),
        0x0916: ("early_map_vertices", _VECTORS),
        0x0918: ("early_map_faces", Rows("map faces", "I", 3, counted=None)),
        0x0938: ("early_colors", _VECTORS),
        0x0942: ("early_color_faces", Rows("map faces", "I", 3, counted=None)),
        0x0953: ("weights", WeightsCodec()),
        0x2394: ("map_vertices", _VECTORS),
        0x2396: ("map_faces", map_faces),
    }
    normals = _normals("i32x3")
    normals.containers[0x0128][1].leaves |= Layout.read("0210:specified=u32").leaves
    layout.containers[0x23A0] = "explicit_normals", normals
    return layout


def _poly_mesh() -> Layout:
    layout = Layout.read(
        "0110:face_count=u32 0114:face=u32"
        " 0118:early_face{ 0100:flags=u32 0110:vertices=u32s 0114:selected_edges@bits"
        " 0118:visible_edges@bits 0130:material_id=u16 0140:smoothing=u32 0160:diagonals=u32s }"
        " 0120:map_slots=u32 0124:channel=i32 0130:selection_level=u32 0140:display_flags=u32"
        " 0150:flags=u32 0200:vertex_weight_slots=u32 0240:edge_weight_slots=u32"
        " 0320:generation=u32 0330{ 0200=u32 }",
        _SHARED,
    )
    layout.leaves |= {
        0x0100: ("vertices", VERTICES),
        0x0108: ("early_edges", Rows("edges", "i", 6)),
        0x010A: ("edges", EDGES),
        0x011A: ("faces", FACES),
        0x0128: ("map_vertices", _VECTORS),
        0x012B: ("map_faces", MAP_FACES),
        0x0210: ("vertex_weights", WeightsCodec()),
        0x0250: ("edge_weights", WeightsCodec()),
        0x0310: ("adjacency", ADJACENCY),
    }
    normals = _normals("i32s")
    normals.containers[0x0128][1].containers |= Layout.read(
        "0210:specified@bits", _SHARED
    ).containers
    layout.containers[0x0300] = "explicit_normals", normals
    return layout


#: The triangle mesh: 08fe of an Editable Mesh, 0150 of ProBoolean and ProCutter.
TRI_MESH: Final = _tri_mesh()
#: The polygon mesh: 08fe of an Editable Poly.
POLY_MESH: Final = _poly_mesh()

EDITABLE_MESH: Final = Layout.read(
    "3001=mark 3002=u32 4020:affect_region=u32 4024:falloff=f32 4025:pinch=f32 4026:bubble=f32"
    " 402c:use_edge_distance=u32 402d:edge_iterations=u32 4030:ignore_backfacing=u32"
    " 4034:object_flags=u32 4038:selection_level=u32 403b:layout_version=u32 08ff=i32x9 0900=i32x11"
    " 0901@tessellation 0902=u32 0903=u32 0904=u32 08fe:mesh@mesh",
    {**_SHARED, "mesh": TRI_MESH},
)
EDITABLE_POLY: Final = Layout.read(
    "4038:selection_level=u32 4039{ 0000:soft_selection_painted=u32 0001:deformation_painted=u32 }"
    " 403a=mark 0900=i32x11 0906@tessellation 0908=u8 090a=u8 090c=u8 08fe:mesh@mesh 3002=u32"
    " 5000=u32",
    {**_SHARED, "mesh": POLY_MESH},
)
#: ProBoolean and ProCutter, which keep their result; not in the corpus (spec: meshes).
BOOLEAN_RESULT: Final = Layout.read("0150:result@mesh", {**_SHARED, "mesh": TRI_MESH})
