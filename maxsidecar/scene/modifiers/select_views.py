"""Mesh Select: which vertices, faces and edges it selects (docs/format/modifiers.md)."""

from __future__ import annotations

from typing import Final

from maxsidecar.io.codecs import U32
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.layouts import COMMON, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.registry import register

__all__ = ["MESH_SELECT", "MeshSelect"]

MESH_SELECT: Final = (0x73D8FF93, 0)


@register(superclass=0x810, class_id=MESH_SELECT)
class MeshSelect(LocalModifier):
    """A selection for the modifiers above it."""

    __slots__ = ()
    layout = Layout.read("0100:level=u32 0230=u32 0240=u32", COMMON)
    local = Layout.read("0200:vertices@bits 0210:faces@bits 0220:edges@bits", COMMON)
    level = ChunkField(0x0100, U32, default=0, doc="0 object, 1 vertex, 2 edge, 3 to 5 face")
