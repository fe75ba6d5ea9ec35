"""Edit Poly: operations on a polygon mesh, made by hand (docs/format/edit-poly.md)."""

from __future__ import annotations

from typing import Final

from maxsidecar.io.codecs import U32
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView
from maxsidecar.scene.geometry.stored.layouts import POLY_MESH
from maxsidecar.scene.geometry.stored.tables import Rows
from maxsidecar.scene.layouts import COMMON, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.object_chunks import ModifierHead
from maxsidecar.scene.registry import register

__all__ = ["EDIT_POLY", "EditPoly"]

EDIT_POLY: Final = (0x79AA6E1D, 0x71A075B7)

_MAPS: Final = "0500=u8 0510=u8"


def _data() -> Layout:
    """Return what an operation stores about the mesh; no two operations use an id differently."""
    layout = Layout.read(
        "0608:face_count=u32 0610:created_face=u32s 0640:vertex_pairs=u32s 0680:diagonals=u32s"
        " 06c0:sources=u32s 06c4:targets=u32s 06f0:turned_diagonals=u32s 06f2:turned_faces=u32s"
        " 0840:cuts=u32s 0e00:attached@mesh 0e04:attached_count=u32 0e08:attached_number=u32"
        " 0e0c:material_counts=u32s 1235:deformed_count=u32 12c3:move_count=u32 12c5:node=text"
        " 12c6=i32 1600:edge_places=u32s 1608:face_place_count=u32 1610:face_place=u32s"
        " 32f0:hinge=i32",
        {**COMMON, "mesh": POLY_MESH},
    )
    layout.leaves |= {
        0x0600: ("created_vertices", Rows("created vertices", "f", 3)),
        0x1236: ("deformation", Rows("moves", "f", 3, counted=False)),
        0x12C4: ("moves", Rows("moves", "f", 3, counted=False)),
    }
    return layout


def _local() -> Layout:
    data = _data()
    layout = Layout.read(
        "0200:selected_vertices@bits 0210:selected_edges@bits 0220:selected_faces@bits"
        " 0224:hidden_vertices@bits 0228:hidden_faces@bits 0230:operation=i32 0240=mark"
        " 0234:settings{ 0601:as_clone=u8 1601:with_vertices=u8 0644@matrix"
        " 0600{ 0400=mark 0400:selection@bits 0410:parameter=u32s 0420:transform@matrix"
        f" 0430:context@matrix 0440:preserved_maps{{ {_MAPS} }} 0450=i32 0470=i32 }} }}"
        " 0238:no_data=mark 0260:current_operation=i32 0268:no_current_data=mark",
        COMMON,
    )
    layout.containers |= {0x0238: ("data", data), 0x0268: ("current_data", data)}
    return layout


class _Base(ChunkView):
    __slots__ = ()
    modifier_head = ChunkChild(0x39BF, ModifierHead, doc="name and switches")


@register(superclass=0x810, class_id=EDIT_POLY)
class EditPoly(LocalModifier):
    """Operations on a polygon mesh, made by hand."""

    __slots__ = ()
    layout = Layout.read(
        "0110:preserved_maps{ " + _MAPS + " } 0120:painting{ 0000=u32 0001=u32 } 0150=u32"
    )
    local = _local()
    level = ChunkField(0x0100, U32, default=0, doc="0 object, 1 vertex, 2 edge, 3 border, 4, 5")

    base = ChunkChild(0x0080, _Base, doc="what most modifiers have a level higher")

    @property
    def modifier_head(self) -> ModifierHead | None:  # type: ignore[override]
        """Name and switches of the modifier."""
        base = self.base
        return None if base is None else base.modifier_head
