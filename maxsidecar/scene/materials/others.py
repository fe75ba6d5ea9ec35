"""Materials of which only a part is known, or that only hold other materials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.fields import MARK, U32, UTF16, Array
from maxsidecar.io.views import ChunkChild, ChunkField
from maxsidecar.scene.animated import number_at
from maxsidecar.scene.lights import Exclusion
from maxsidecar.scene.materials.base import MATERIAL, MapSlot
from maxsidecar.scene.materials.material import Material
from maxsidecar.scene.materials.standard import Exposure
from maxsidecar.scene.materials.values import Color, color_at
from maxsidecar.scene.registry import register

__all__ = [
    "ArchDesignMaterial",
    "AutodeskMaterial",
    "DoubleSidedMaterial",
    "MetalRoughMaterial",
    "RaytraceMaterial",
    "ScriptedMaterial",
]


@register(superclass=MATERIAL, class_id=(0x70B05735, 0x4A163654))
class ArchDesignMaterial(Material):
    """Arch & Design (mental ray)."""

    __slots__ = ()
    chunk_0101 = ChunkField(0x0101, Array(U32, 2), doc="open; a constant")

    def base_color(self, time: int = 0) -> Color | None:
        """Return the diffuse colour."""
        return color_at(self, "diffuse_color", time)


@register(superclass=MATERIAL, class_id=(0xD00F1E00, 0xBE77E500))
class MetalRoughMaterial(Material):
    """PBR Material (Metal/Rough); no scene of the corpus has one, names as documented."""

    __slots__ = ()

    def base_color(self, time: int = 0) -> Color | None:
        """Return the base colour."""
        return color_at(self, "base_color", time)

    def roughness(self, time: int = 0) -> float | None:
        """Return the roughness."""
        return number_at(self, "roughness", time)

    def metalness(self, time: int = 0) -> float | None:
        """Return the metalness."""
        return number_at(self, "metalness", time)


@register(superclass=MATERIAL, class_id=(0x1ED415E4, 0x213DAAF8))
class AutodeskMaterial(Material):
    """A material of the Autodesk library; its values are PB2Parameter objects."""

    __slots__ = ()
    chunk_1000 = ChunkField(0x1000, U32, doc="open; 100")
    library_name = ChunkField(0x1210, UTF16, default="", doc="name in the library")
    chunk_1220 = ChunkField(0x1220, U32, doc="open")
    chunk_1230 = ChunkField(0x1230, U32, doc="open; 1")


@register(superclass=MATERIAL, class_id=(0x210, 0))
class DoubleSidedMaterial(Material):
    """Double Sided: one material for the fronts of faces, one for their backs."""

    __slots__ = ()
    has_block = ChunkField(0x1010, MARK, doc="there is a parameter block")


@register(superclass=MATERIAL, class_id=(0x27190FF4, 0x329B106E))
class RaytraceMaterial(Material):
    """Raytrace; one scene of the corpus has one."""

    __slots__ = ()
    exclusion = ChunkChild(0x4001, Exclusion, doc="nodes left out (likely)")
    chunk_5000 = ChunkField(0x5000, U32, doc="open")
    chunk_5004 = ChunkField(0x5004, U32, doc="open")
    chunk_5007 = ChunkField(0x5007, U32, doc="open")
    chunk_5009 = ChunkField(0x5009, U32, doc="open")
    version = ChunkField(0x5300, U32, doc="12 (likely a version)")
    exposure = ChunkChild(0x5600, Exposure, doc="exposure control (likely)")

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what is wrong with the exclusion list."""
        yield from self.exclusion.problems() if self.exclusion is not None else ()


#: Materials that a script derives from another class: NeL Material.
_SCRIPTED: Final = ((0x64C75FEC, 0x222B9EB9),)


class ScriptedMaterial(Material):
    """A material that a script derives from another one; slot 0 is that one, the delegate."""

    __slots__ = ()

    @property
    def delegate(self) -> Material | None:
        """The material that it is derived from."""
        found = self.reference(0)
        return found if isinstance(found, Material) else None

    @property
    def two_sided(self) -> bool | None:
        """As the delegate."""
        inner = self._inner
        return inner.two_sided if inner is not None else None

    @property
    def _inner(self) -> Material | None:
        found = self.delegate
        # A damaged file may derive materials from one another in a circle.
        return None if isinstance(found, ScriptedMaterial) else found

    def base_color(self, time: int = 0) -> Color | None:
        """As the delegate."""
        inner = self._inner
        return inner.base_color(time) if inner is not None else None

    def opacity(self, time: int = 0) -> float | None:
        """As the delegate."""
        inner = self._inner
        return inner.opacity(time) if inner is not None else None

    def emission(self, time: int = 0) -> Color | None:
        """As the delegate."""
        inner = self._inner
        return inner.emission(time) if inner is not None else None

    @property
    def maps(self) -> dict[str, MapSlot]:
        """Its own maps, then those of the delegate as ``delegate.diffuse`` and so on."""
        out = super().maps
        inner = self._inner
        for name, slot in inner.maps.items() if inner is not None else ():
            out[f"delegate.{name}"] = slot
        return out


for _class in _SCRIPTED:
    register(superclass=MATERIAL, class_id=_class)(ScriptedMaterial)
