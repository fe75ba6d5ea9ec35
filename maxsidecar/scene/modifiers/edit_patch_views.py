"""Edit Patch, and NeL's modifiers for patches (docs/format/patch.md, section 5)."""

from __future__ import annotations

from typing import Final

from maxsidecar.io.codecs import I32
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.geometry.stored.layouts import TESSELLATION
from maxsidecar.scene.geometry.stored.patch_layouts import LOCAL_PATCH, TILE_SETTINGS
from maxsidecar.scene.layouts import LaidOut, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.registry import register

__all__ = [
    "EDIT_PATCH",
    "NEL_CONVERT",
    "NEL_EDIT",
    "NEL_PAINT",
    "EditPatch",
    "NelConvert",
    "NelEditPatch",
    "NelPaint",
]

MODIFIER: Final = 0x810
EDIT_PATCH: Final = (0x70, 0)
NEL_EDIT: Final = (0x4DD14A3C, 0x4AC23C0C)
NEL_PAINT: Final = (0x0C49560F, 0x3C3D68E7)
NEL_CONVERT: Final = (0x43BB65E6, 0x68935530)

_SETTINGS: Final = (
    "1100:set_names_sound=mark 1010:show_lattice=u32 1020:show_surface=u32"
    " 1040:steps=i32x2 10e0:render_steps=i32 10f0:show_interior=u32"
    " 1090:view_tessellation@tessellation 10a0:render_tessellation@tessellation"
    " 10b0:displacement_tessellation@tessellation 10c0:tessellated_normals=u32x2"
    " 10d0:tessellated_weld=u32x2 1050:vertex_sets{ 1080:name=text }"
    " 1060:edge_sets{ 1080:name=text } 1070:patch_sets{ 1080:name=text } 1000:early_level=u16"
)
_KNOWN: Final = {"tessellation": TESSELLATION}


@register(superclass=MODIFIER, class_id=EDIT_PATCH)
class EditPatch(LocalModifier):
    """Changes of patches, made by hand."""

    __slots__ = ()
    layout = Layout.read(_SETTINGS, _KNOWN)
    local = LOCAL_PATCH
    level = ChunkField(0x1001, I32, default=0, doc="0 object, 1 vertex, 2 edge, 3 patch, 4 tile")


@register(superclass=MODIFIER, class_id=NEL_EDIT)
class NelEditPatch(EditPatch):
    """Changes of NeL's patches, made by hand."""

    __slots__ = ()
    layout = Layout.read(_SETTINGS + " 2001:transition=i32 2002:include_meshes=u8", _KNOWN)
    tiles = ChunkField(0x2000, TILE_SETTINGS, doc="how tiles are shown")


@register(superclass=MODIFIER, class_id=NEL_PAINT)
class NelPaint(LocalModifier):
    """Tiles and colours of NeL's patches, painted by hand."""

    __slots__ = ()
    layout = Layout.read("2002:include_meshes=u8 2003:preload_tiles=u8")
    local = LOCAL_PATCH


@register(superclass=MODIFIER, class_id=NEL_CONVERT)
class NelConvert(LaidOut):
    """Makes NeL's patches of those of 3ds Max; it stores nothing of its own."""

    __slots__ = ()
