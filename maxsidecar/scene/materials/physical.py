"""The Physical material."""

from __future__ import annotations

from typing import ClassVar

from maxsidecar.scene.animated import number_at, parameter_of, value_at
from maxsidecar.scene.materials.base import MATERIAL
from maxsidecar.scene.materials.material import MapRole, Material
from maxsidecar.scene.materials.values import Color, color_at, inverted, scaled
from maxsidecar.scene.registry import register

__all__ = ["PhysicalMaterial"]


@register(superclass=MATERIAL, class_id=(0x3D6B1CEC, 0xDEADC001))
class PhysicalMaterial(Material):
    """The Physical material; ``diffuse_roughness`` is where exporters look for occlusion."""

    __slots__ = ()

    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {
        "base_color": ("base_color",),
        "bump": ("bump",),
        "displacement": ("displacement",),
        "emission": ("emission_color",),
        "metalness": ("metalness",),
        "opacity": ("cutout",),
        "roughness": ("roughness",),
        "specular_color": ("reflection_color",),
        "specular_level": ("reflectivity",),
        "transparency": ("transparency",),
    }

    def _slots_for(self, role: MapRole) -> tuple[str, ...]:
        """As the table says, but where glossiness is stored for roughness the map is for it."""
        if role in ("roughness", "glossiness"):
            stored = "glossiness" if self._inverted else "roughness"
            return ("roughness",) if role == stored else ()
        return super()._slots_for(role)

    @property
    def _inverted(self) -> bool:
        return bool(value_at(parameter_of(self, "roughness_inverted")))

    def base_color(self, time: int = 0) -> Color | None:
        """Return the base colour; the base weight is not in it."""
        return color_at(self, "base_color", time)

    def opacity(self, time: int = 0) -> float | None:
        """Return 1 - transparency."""
        return inverted(number_at(self, "transparency", time))

    def roughness(self, time: int = 0) -> float | None:
        """Return the roughness; turned round where it is stored as glossiness (documented)."""
        value = number_at(self, "roughness", time)
        return inverted(value) if self._inverted else value

    def metalness(self, time: int = 0) -> float | None:
        """Return the metalness."""
        return number_at(self, "metalness", time)

    def specular_color(self, time: int = 0) -> Color | None:
        """Return the colour of reflections."""
        return color_at(self, "reflection_color", time)

    def specular_level(self, time: int = 0) -> float | None:
        """Return how much is reflected."""
        return number_at(self, "reflectivity", time)

    def ior(self, time: int = 0) -> float | None:
        """Return the index of refraction."""
        return number_at(self, "ior", time)

    def emission(self, time: int = 0) -> Color | None:
        """Return emission weight times emission colour; luminance and temperature aside."""
        return scaled(color_at(self, "emission_color", time), number_at(self, "emission", time))
