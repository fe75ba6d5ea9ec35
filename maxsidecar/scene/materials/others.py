"""Materials of which only a part is known, or that only hold other materials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.fields import MARK, U32, UTF16, Array
from maxsidecar.io.views import ChunkChild, ChunkField
from maxsidecar.scene.animated import number_at, parameter_of, value_at
from maxsidecar.scene.lights import Exclusion
from maxsidecar.scene.materials.base import MATERIAL, MapSlot, SubMaterial
from maxsidecar.scene.materials.material import MapRole, Material
from maxsidecar.scene.materials.standard import Exposure
from maxsidecar.scene.materials.values import Color, color_at, inverted, mean, scaled
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.tab import TabParameter
from maxsidecar.scene.registry import register

__all__ = [
    "ArchDesignMaterial",
    "AutodeskMaterial",
    "CompositeMaterial",
    "DoubleSidedMaterial",
    "MetalRoughMaterial",
    "RaytraceMaterial",
    "ScriptedMaterial",
    "ShellMaterial",
]


@register(superclass=MATERIAL, class_id=(0x70B05735, 0x4A163654))
class ArchDesignMaterial(Material):
    """Arch & Design (mental ray)."""

    __slots__ = ()
    chunk_0101 = ChunkField(0x0101, Array(U32, 2), doc="open; a constant")

    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {
        "base_color": ("diffuse_color",),
        "bump": ("bump",),
        "displacement": ("displacement",),
        "emission": ("self_illumination",),
        "glossiness": ("reflection_glossiness",),
        "opacity": ("cutout",),
        "specular_color": ("reflection_color",),
    }

    def base_color(self, time: int = 0) -> Color | None:
        """Return the diffuse colour; the diffuse weight is not in it."""
        return color_at(self, "diffuse_color", time)

    def opacity(self, time: int = 0) -> float | None:
        """Return 1 - transparency."""
        return inverted(number_at(self, "transparency", time))

    def roughness(self, time: int = 0) -> float | None:
        """Return 1 - glossiness of reflections."""
        return inverted(self.glossiness(time))

    def glossiness(self, time: int = 0) -> float | None:
        """Return the glossiness of reflections."""
        return number_at(self, "reflection_glossiness", time)

    def metalness(self, time: int = 0) -> float | None:
        """Return 1 for what reflects as metal does, else 0 (documented)."""
        metal = value_at(parameter_of(self, "reflection_metal"), time)
        return None if metal is None else float(bool(metal))

    def specular_color(self, time: int = 0) -> Color | None:
        """Return the colour of reflections."""
        return color_at(self, "reflection_color", time)

    def specular_level(self, time: int = 0) -> float | None:
        """Return how much is reflected."""
        return number_at(self, "reflectivity", time)

    def ior(self, time: int = 0) -> float | None:
        """Return the index of refraction."""
        return number_at(self, "ior", time)


@register(superclass=MATERIAL, class_id=(0xD00F1E00, 0xBE77E500))
class MetalRoughMaterial(Material):
    """PBR Material (Metal/Rough); no scene of the corpus has one, names as documented."""

    __slots__ = ()

    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {
        "base_color": ("base_color",),
        "metalness": ("metalness",),
        "roughness": ("roughness",),
    }

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

    @property
    def two_sided(self) -> bool | None:
        """Always, as far as the material for the backs is switched on."""
        value = value_at(parameter_of(self, "back_on"))
        return None if value is None else bool(value)


@register(superclass=MATERIAL, class_id=(0x61DC0CD7, 0x13640AF6))
class CompositeMaterial(Material):
    """Composite: a base material and others laid over it; names as documented, unproven."""

    __slots__ = ()

    @property
    def sub_materials(self) -> list[SubMaterial]:
        """The base material first, then the others; the base has no switch.

        Raises:
            DecodeError: A table of the block cannot be read.
        """
        materials, enabled = parameter_of(self, "materials"), parameter_of(self, "enabled")
        if not isinstance(materials, TabParameter):
            return super().sub_materials
        targets = materials.targets
        switches = list(enabled.value) if isinstance(enabled, TabParameter) else []
        # The table of switches is documented as one shorter; when it is not, each has its own.
        switches = [None] * (len(targets) - len(switches)) + switches
        return [
            SubMaterial(slot, None, found, on=None if on is None else bool(on))
            for slot, (found, on) in enumerate(zip(targets, switches, strict=False))
        ]


@register(superclass=MATERIAL, class_id=(0x255, 0))
class ShellMaterial(Material):
    """Shell: a material and what was baked of it; names as documented, unproven."""

    __slots__ = ()

    @property
    def rendered(self) -> SceneObject | None:
        """The material that is rendered: 0 the original, 1 the baked one.

        Raises:
            DecodeError: A parameter cannot be read.
        """
        which = value_at(parameter_of(self, "render_material"))
        name = {0: "original_material", 1: "baked_material"}.get(which)
        parameter = parameter_of(self, name) if name is not None else None
        return parameter.target if parameter is not None else None


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

    def base_color(self, time: int = 0) -> Color | None:
        """Return the diffuse colour."""
        return color_at(self, "diffuse", time)

    def opacity(self, time: int = 0) -> float | None:
        """Return 1 - transparency, of a colour the mean of its parts."""
        if self._is_color("transparency", time):
            return inverted(mean(color_at(self, "transparency", time)))
        return inverted(number_at(self, "transparency_amount", time))

    def specular_color(self, time: int = 0) -> Color | None:
        """Return the colour of highlights."""
        return color_at(self, "specular", time)

    def specular_level(self, time: int = 0) -> float | None:
        """Return the strength of highlights; 1 is 100 %."""
        return number_at(self, "specular_level", time)

    def glossiness(self, time: int = 0) -> float | None:
        """Return how small highlights are, from 0 to 1."""
        return number_at(self, "glossiness", time)

    def ior(self, time: int = 0) -> float | None:
        """Return the index of refraction."""
        return number_at(self, "ior", time)

    def emission(self, time: int = 0) -> Color | None:
        """Return the luminosity, given as a colour or as an amount of the diffuse colour."""
        if self._is_color("luminosity", time):
            return color_at(self, "luminosity", time)
        return scaled(self.base_color(time), number_at(self, "luminosity_amount", time))

    def _is_color(self, name: str, time: int) -> bool:
        """Whether a colour counts, not an amount (documented)."""
        return bool(value_at(parameter_of(self, f"{name}_color_on"), time))

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what is wrong with the exclusion list."""
        yield from self.exclusion.problems() if self.exclusion is not None else ()


#: In front of the names of maps that are the delegate's.
_DELEGATE: Final = "delegate"
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

    def roughness(self, time: int = 0) -> float | None:
        """As the delegate."""
        inner = self._inner
        return inner.roughness(time) if inner is not None else None

    def metalness(self, time: int = 0) -> float | None:
        """As the delegate."""
        inner = self._inner
        return inner.metalness(time) if inner is not None else None

    def specular_color(self, time: int = 0) -> Color | None:
        """As the delegate."""
        inner = self._inner
        return inner.specular_color(time) if inner is not None else None

    def specular_level(self, time: int = 0) -> float | None:
        """As the delegate."""
        inner = self._inner
        return inner.specular_level(time) if inner is not None else None

    def glossiness(self, time: int = 0) -> float | None:
        """As the delegate."""
        inner = self._inner
        return inner.glossiness(time) if inner is not None else None

    def ior(self, time: int = 0) -> float | None:
        """As the delegate."""
        inner = self._inner
        return inner.ior(time) if inner is not None else None

    def emission(self, time: int = 0) -> Color | None:
        """As the delegate."""
        inner = self._inner
        return inner.emission(time) if inner is not None else None

    def map_for(self, role: MapRole, maps: Mapping[str, MapSlot] | None = None) -> MapSlot | None:
        """As the delegate."""
        inner = self._inner
        if inner is None:
            return None
        if maps is not None:
            start = f"{_DELEGATE}."
            maps = {key.removeprefix(start): s for key, s in maps.items() if key.startswith(start)}
        return inner.map_for(role, maps)

    @property
    def maps(self) -> dict[str, MapSlot]:
        """Its own maps, then those of the delegate as ``delegate.diffuse`` and so on."""
        out = super().maps
        inner = self._inner
        for name, slot in inner.maps.items() if inner is not None else ():
            out[f"{_DELEGATE}.{name}"] = slot
        return out


for _class in _SCRIPTED:
    register(superclass=MATERIAL, class_id=_class)(ScriptedMaterial)
