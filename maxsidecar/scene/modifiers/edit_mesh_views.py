"""Edit Mesh: what was changed in a triangle mesh (docs/format/modifiers.md, section 6)."""

from __future__ import annotations

from typing import Final

from maxsidecar.io.codecs import U16
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.geometry.stored.tables import Rows, WeightsCodec
from maxsidecar.scene.layouts import COMMON, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.registry import register

__all__ = ["EDIT_MESH", "EditMesh"]

EDIT_MESH: Final = (0x50, 0)


def _delta() -> Layout:
    layout = Layout.read(
        "0100:input_vertices=u32 0110:input_faces=u32 0170:deleted_vertices@bits"
        " 0270:deleted_faces@bits 0300=u32 0320:channel=u32 0324:input_map_vertices=u32"
        " 0328:input_map_faces=u32 0340:deleted_map_vertices@bits"
        " 0400:selected_vertices@bits 0410:selected_edges@bits 0420:selected_faces@bits",
        COMMON,
    )
    layout.leaves |= {
        0x0130: ("created_vertices", Rows("created vertices", "I", 4)),
        0x0140: ("moved_vertices", Rows("moved vertices", "I", 4)),
        0x0208: ("created_faces", Rows("created faces", "I", 6)),
        0x0210: ("corner_changes", Rows("changes of corners", "I", 5)),
        0x0220: ("attribute_changes", Rows("changes of attributes", "I", 3)),
        0x0230: ("smoothing_changes", Rows("changes of smoothing groups", "I", 3)),
        0x0334: ("created_map_vertices", Rows("created map vertices", "f", 3)),
        0x0338: ("created_map_faces", Rows("created map faces", "I", 3)),
        0x033B: ("map_corner_changes", Rows("changes of map corners", "I", 5)),
        0x0360: ("weights", WeightsCodec()),
    }
    return layout


def _early() -> Layout:
    layout = Layout.read(
        "2820:input_vertices=u32 2810:input_faces=u32 2770:cloned_vertices=u32s"
        " 2790:deleted_vertices=u32s 2800:deleted_faces=u32s 2830:attributes=u32s"
        " 2840:smoothing=u32s 3010:no_corner_changes=u32 3020:no_map_corner_changes=u32"
        " 3030:no_attributes=u32 3040:same_smoothing=u32x2",
        COMMON,
    )
    layout.leaves |= {
        0x2771: ("created_vertices", Rows("created vertices", "f", 3, counted=False)),
        0x2772: ("created_map_vertices", Rows("created map vertices", "f", 3, counted=False)),
        0x2775: ("created_faces", Rows("created faces", "I", 5, counted=False)),
        0x2776: ("created_map_faces", Rows("created map faces", "I", 3, counted=False)),
        0x2780: ("corner_changes", Rows("changes of corners", "I", 3, counted=False)),
        0x2781: ("map_corner_changes", Rows("changes of map corners", "I", 3, counted=False)),
    }
    return layout


def _local() -> Layout:
    layout = Layout.read(
        "2740:flags=u32 2750:early_vertices@bits 2755:early_faces@bits 2756:early_edges@bits"
        " 2761:early_hidden@bits 3000:early_unmoved=u32",
        COMMON,
    )
    layout.leaves[0x2760] = "early_moves", Rows("moves", "f", 3, counted=False)
    layout.containers |= {0x4000: ("delta", _delta()), 0x2765: ("early_delta", _early())}
    return layout


@register(superclass=0x810, class_id=EDIT_MESH)
class EditMesh(LocalModifier):
    """Changes of a triangle mesh, made by hand."""

    __slots__ = ()
    layout = Layout.read(
        "2800:level=u16 2820:affect_region=u32 2822:falloff=f32 2824:pinch=f32 2826:bubble=f32"
        " 2828:use_edge_distance=u32 282a:edge_iterations=u32 282c:ignore_backfacing=u32"
        " 2830:flags=u32"
    )
    local = _local()
    level = ChunkField(0x2800, U16, default=0, doc="0 object, 1 vertex, 2 edge, 3 to 5 face")
