"""Edit Normals: explicit normals of one object (docs/format/modifiers.md, section 7)."""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.geometry.stored.layouts import POLY_MESH, TRI_MESH
from maxsidecar.scene.layouts import Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.registry import register

__all__ = ["EDIT_NORMALS", "POLYGONS", "TRIANGLES", "EditNormals"]

EDIT_NORMALS: Final = (0x4AA52AE3, 0x35CA1CDE)
#: Normals of a polygon mesh, and of a triangle mesh.
POLYGONS, TRIANGLES = 0x0240, 0x0250


def _local() -> Layout:
    layout = Layout()
    layout.containers |= {
        POLYGONS: ("polygon_normals", POLY_MESH.containers[0x0300][1]),
        TRIANGLES: ("triangle_normals", TRI_MESH.containers[0x23A0][1]),
    }
    return layout


@register(superclass=0x810, class_id=EDIT_NORMALS)
class EditNormals(LocalModifier):
    """Normals made by hand."""

    __slots__ = ()
    layout = Layout.read("0100:level=u32")
    local = _local()
