"""Mesh Select and Poly Select: selections for the modifiers above (docs/format/modifiers.md)."""

from __future__ import annotations

from typing import Final

from maxsidecar.io.codecs import U32
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.layouts import COMMON, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.registry import register

__all__ = ["MESH_SELECT", "POLY_SELECT", "MeshSelect", "PolySelect"]

MESH_SELECT: Final = (0x73D8FF93, 0)
POLY_SELECT: Final = (0x7CE5206B, 0x31181505)


@register(superclass=0x810, class_id=MESH_SELECT)
class MeshSelect(LocalModifier):
    """A selection for the modifiers above it."""

    __slots__ = ()
    layout = Layout.read("0100:level=u32 0230=u32 0240=u32", COMMON)
    local = Layout.read("0200:vertices@bits 0210:faces@bits 0220:edges@bits", COMMON)
    level = ChunkField(0x0100, U32, default=0, doc="0 object, 1 vertex, 2 edge, 3 to 5 face")


@register(superclass=0x810, class_id=POLY_SELECT)
class PolySelect(LocalModifier):
    """A selection in polygons; chunks as those of Mesh Select (public samples of the SDK)."""

    __slots__ = ()
    layout = Layout.read("0100:level=u32")
    local = MeshSelect.local
    level = ChunkField(
        0x0100, U32, default=0, doc="0 object, 1 vertex, 2 edge, 3 border, 4, 5 face"
    )
