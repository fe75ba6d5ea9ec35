"""Views of modifiers that change the shape (docs/format/modifiers-shape.md)."""

from __future__ import annotations

from typing import Final

from maxsidecar.io.views import ChunkChild, ChunkView
from maxsidecar.scene.layouts import COMMON, LaidOut, Layout
from maxsidecar.scene.modifiers.view_base import LocalModifier
from maxsidecar.scene.object_chunks import ModifierHead
from maxsidecar.scene.registry import register

__all__ = [
    "FFD2",
    "FFD3",
    "FFD4",
    "FFDBox",
    "FFDCylinder",
    "MeshSmooth",
    "Mirror",
    "Symmetry",
    "XForm",
]

_LATTICE: Final = Layout.read(
    "0100:selected@bits 0200:points=f32s 0300=u32 0400:offsets=f32s 2000=u32", COMMON
)


@register(superclass=0x810, class_id=(0x21325596, 0x2CD10BD0))
class FFD2(LaidOut):
    """A lattice of 2 x 2 x 2 points."""

    __slots__ = ()
    layout = _LATTICE


@register(superclass=0x810, class_id=(0x21325596, 0x2CD10BD9))
class FFD3(LaidOut):
    """A lattice of 3 x 3 x 3 points."""

    __slots__ = ()
    layout = _LATTICE


@register(superclass=0x810, class_id=(0x21325596, 0x2CD10BD8))
class FFD4(LaidOut):
    """A lattice of 4 x 4 x 4 points."""

    __slots__ = ()
    layout = _LATTICE


_GRID: Final = Layout.read(
    "0100:selected@bits 0200:points=f32s 0300:sizes=i32x3 0400:level=u32 0500:offsets=f32s"
    " 2000=u32",
    COMMON,
)


@register(superclass=0x810, class_id=(0x8AB36CC5, 0x82D7FE74))
class FFDBox(LaidOut):
    """A lattice of any number of points (no file)."""

    __slots__ = ()
    layout = _GRID


@register(superclass=0x810, class_id=(0x98F37A63, 0x3FFE9BCA))
class FFDCylinder(LaidOut):
    """A round lattice of any number of points (no file)."""

    __slots__ = ()
    layout = _GRID


@register(superclass=0x810, class_id=(0x2D7E702B, 0x0BE41A6E))
class Symmetry(LaidOut):
    """Symmetry at a plane; its version is there since 2022."""

    __slots__ = ()
    layout = Layout.read("1000:version=u32")


@register(superclass=0x810, class_id=(0xEF92AA7C, 0x511BBE75))
class Mirror(LaidOut):
    """A reflection."""

    __slots__ = ()
    layout = Layout.read("1000:spline_method=u32")


class InnerHead(ChunkView):
    """What the class below keeps, in a chunk of its own."""

    __slots__ = ()
    head = ChunkChild(0x39BF, ModifierHead, doc="name and switches of a modifier")


@register(superclass=0x810, class_id=(0x25215824, 0))
class XForm(LaidOut):
    """A transformation; since 2023.3 its head lies deeper (publicly documented; no file)."""

    __slots__ = ()
    layout = Layout.read("0064=u32")
    inner = ChunkChild(0x00C8, InnerHead, doc="2023.3 and later: what holds the head")

    @property
    def modifier_switches(self) -> ModifierHead | None:
        """Name and switches; ``None`` where 3ds Max 2021 to 2023.2 wrote none."""
        inner = self.inner
        return self.modifier_head if inner is None else inner.head


@register(superclass=0x810, class_id=(0x32, 0x7F9E))
class MeshSmooth(LocalModifier):
    """Subdivision; what it keeps on the object is where its control mesh was edited."""

    __slots__ = ()
    layout = Layout.read("0700=u32")
    local = Layout.read("0530=u32s 0540=u32s 0550=u32s 0560=u32s")
