"""Materials of renderers and exchange formats.

OpenPBR is that of 18 materials of the corpus; no scene of it has the others, which are read as
public lists of their parameters say (see :mod:`maxsidecar.scene.params.names_renderers`).
"""

from __future__ import annotations

from typing import ClassVar

from maxsidecar.scene.animated import number_at, parameter_of, value_at
from maxsidecar.scene.materials.base import MATERIAL
from maxsidecar.scene.materials.material import MapRole, Material
from maxsidecar.scene.materials.values import Color, color_at, inverted, mean, scaled
from maxsidecar.scene.registry import register

__all__ = [
    "CoronaPhysicalMaterial",
    "GltfMaterial",
    "OpenPbrMaterial",
    "StandardSurfaceMaterial",
    "VRayMaterial",
]


@register(superclass=MATERIAL, class_id=(0xF1551E33, 0x37FB1337))
class OpenPbrMaterial(Material):
    """OpenPBR."""

    __slots__ = ()

    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {
        "base_color": ("base_color",),
        "bump": ("bump", "geometry_normal"),
        "displacement": ("displacement",),
        "emission": ("emission_color",),
        "metalness": ("base_metalness",),
        "opacity": ("geometry_opacity",),
        "roughness": ("specular_roughness",),
        "specular_color": ("specular_color",),
        "specular_level": ("specular_weight",),
        "transparency": ("transmission_weight",),
    }

    def base_color(self, time: int = 0) -> Color | None:
        """Return the base colour; the base weight is not in it."""
        return color_at(self, "base_color", time)

    def opacity(self, time: int = 0) -> float | None:
        """Return 1 - the weight of transmission; the opacity of the surface is only a map."""
        return inverted(number_at(self, "transmission_weight", time))

    def roughness(self, time: int = 0) -> float | None:
        """Return the roughness of reflections."""
        return number_at(self, "specular_roughness", time)

    def metalness(self, time: int = 0) -> float | None:
        """Return the metalness."""
        return number_at(self, "base_metalness", time)

    def specular_color(self, time: int = 0) -> Color | None:
        """Return the colour of reflections."""
        return color_at(self, "specular_color", time)

    def specular_level(self, time: int = 0) -> float | None:
        """Return the weight of reflections."""
        return number_at(self, "specular_weight", time)

    def ior(self, time: int = 0) -> float | None:
        """Return the index of refraction."""
        return number_at(self, "specular_ior", time)

    def emission(self, time: int = 0) -> Color | None:
        """Return emission weight times emission colour; luminance aside."""
        weight = number_at(self, "emission_weight", time)
        return scaled(color_at(self, "emission_color", time), weight)


@register(superclass=MATERIAL, class_id=(0x37BF3F2F, 0x7034695C))
class VRayMaterial(Material):
    """VRayMtl (unproven)."""

    __slots__ = ()

    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {
        "base_color": ("diffuse",),
        "bump": ("bump",),
        "displacement": ("displacement",),
        "emission": ("self_illumination",),
        "metalness": ("metalness",),
        "opacity": ("opacity",),
        "specular_color": ("reflection",),
        "transparency": ("refraction",),
    }

    def _slots_for(self, role: MapRole) -> tuple[str, ...]:
        """As the table says; one map is for roughness or glossiness, whichever is stored."""
        if role in ("roughness", "glossiness"):
            stored = "roughness" if self._stores_roughness else "glossiness"
            return ("reflection_glossiness",) if role == stored else ()
        return super()._slots_for(role)

    @property
    def _stores_roughness(self) -> bool:
        return bool(value_at(parameter_of(self, "use_roughness")))

    @property
    def two_sided(self) -> bool | None:
        """Whether the backs of faces are seen."""
        value = value_at(parameter_of(self, "double_sided"))
        return None if value is None else bool(value)

    def base_color(self, time: int = 0) -> Color | None:
        """Return the diffuse colour."""
        return color_at(self, "diffuse", time)

    def opacity(self, time: int = 0) -> float | None:
        """Return 1 - the mean of the refraction colour; opacity itself is only a map."""
        return inverted(mean(color_at(self, "refraction", time)))

    def roughness(self, time: int = 0) -> float | None:
        """Return the roughness of reflections, also where glossiness is stored."""
        value = number_at(self, "reflection_glossiness", time)
        return value if self._stores_roughness else inverted(value)

    def glossiness(self, time: int = 0) -> float | None:
        """Return the glossiness of reflections; ``None`` where roughness is stored."""
        if self._stores_roughness:
            return None
        return number_at(self, "reflection_glossiness", time)

    def metalness(self, time: int = 0) -> float | None:
        """Return the metalness."""
        return number_at(self, "metalness", time)

    def specular_color(self, time: int = 0) -> Color | None:
        """Return the colour of reflections; black reflects nothing."""
        return color_at(self, "reflection", time)

    def ior(self, time: int = 0) -> float | None:
        """Return the index of refraction."""
        return number_at(self, "ior", time)

    def emission(self, time: int = 0) -> Color | None:
        """Return the self-illumination times its multiplier."""
        factor = number_at(self, "self_illumination_multiplier", time)
        return scaled(color_at(self, "self_illumination", time), factor)


@register(superclass=MATERIAL, class_id=(0x38420192, 0x45FE4E1B))
class GltfMaterial(Material):
    """glTF Material (unproven)."""

    __slots__ = ()

    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {
        "ambient_occlusion": ("ambient_occlusion",),
        "base_color": ("base_color",),
        "bump": ("normal",),
        "emission": ("emission",),
        "metalness": ("metalness",),
        "opacity": ("alpha",),
        "roughness": ("roughness",),
    }

    @property
    def two_sided(self) -> bool | None:
        """Whether the backs of faces are seen."""
        value = value_at(parameter_of(self, "double_sided"))
        return None if value is None else bool(value)

    def base_color(self, time: int = 0) -> Color | None:
        """Return the base colour."""
        return color_at(self, "base_color", time)

    def roughness(self, time: int = 0) -> float | None:
        """Return the roughness."""
        return number_at(self, "roughness", time)

    def metalness(self, time: int = 0) -> float | None:
        """Return the metalness."""
        return number_at(self, "metalness", time)

    def emission(self, time: int = 0) -> Color | None:
        """Return the colour of emission."""
        return color_at(self, "emission_color", time)


@register(superclass=MATERIAL, class_id=(0x7E73161F, 0x62F74B4C))
class StandardSurfaceMaterial(Material):
    """Arnold Standard Surface (unproven)."""

    __slots__ = ()

    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {
        "base_color": ("base_color",),
        "emission": ("emission_color",),
        "metalness": ("metalness",),
        "opacity": ("opacity",),
        "roughness": ("specular_roughness",),
        "specular_color": ("specular_color",),
        "specular_level": ("specular",),
        "transparency": ("transmission",),
    }

    def base_color(self, time: int = 0) -> Color | None:
        """Return the base colour; the base weight is not in it."""
        return color_at(self, "base_color", time)

    def opacity(self, time: int = 0) -> float | None:
        """Return the mean of the opacity, which is a colour."""
        return mean(color_at(self, "opacity", time))

    def roughness(self, time: int = 0) -> float | None:
        """Return the roughness of reflections."""
        return number_at(self, "specular_roughness", time)

    def metalness(self, time: int = 0) -> float | None:
        """Return the metalness."""
        return number_at(self, "metalness", time)

    def specular_color(self, time: int = 0) -> Color | None:
        """Return the colour of reflections."""
        return color_at(self, "specular_color", time)

    def specular_level(self, time: int = 0) -> float | None:
        """Return the weight of reflections."""
        return number_at(self, "specular", time)

    def ior(self, time: int = 0) -> float | None:
        """Return the index of refraction."""
        return number_at(self, "specular_ior", time)

    def emission(self, time: int = 0) -> Color | None:
        """Return emission weight times emission colour."""
        return scaled(color_at(self, "emission_color", time), number_at(self, "emission", time))


@register(superclass=MATERIAL, class_id=(0x6912AB89, 0x87151720))
class CoronaPhysicalMaterial(Material):
    """Corona Physical (unproven); whether roughness or glossiness is stored is open."""

    __slots__ = ()

    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {
        "base_color": ("base",),
        "bump": ("bump",),
        "displacement": ("displacement",),
        "emission": ("self_illumination",),
        "metalness": ("metalness",),
        "opacity": ("opacity",),
        "transparency": ("refraction_amount",),
    }

    def base_color(self, time: int = 0) -> Color | None:
        """Return the base colour; its level is not in it."""
        return color_at(self, "base_color", time)

    def opacity(self, time: int = 0) -> float | None:
        """Return the level of opacity."""
        return number_at(self, "opacity_level", time)

    def ior(self, time: int = 0) -> float | None:
        """Return the index of refraction."""
        return number_at(self, "ior", time)

    def emission(self, time: int = 0) -> Color | None:
        """Return the self-illumination times its level."""
        level = number_at(self, "self_illumination_level", time)
        return scaled(color_at(self, "self_illumination_color", time), level)
