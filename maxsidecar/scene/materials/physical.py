"""The Physical material."""

from __future__ import annotations

from maxsidecar.scene.animated import number_at, parameter_of, value_at
from maxsidecar.scene.materials.base import MATERIAL
from maxsidecar.scene.materials.material import Material
from maxsidecar.scene.materials.values import Color, color_at, scaled
from maxsidecar.scene.registry import register

__all__ = ["PhysicalMaterial"]


@register(superclass=MATERIAL, class_id=(0x3D6B1CEC, 0xDEADC001))
class PhysicalMaterial(Material):
    """The Physical material; ``diffuse_roughness`` is where exporters look for occlusion."""

    __slots__ = ()

    def base_color(self, time: int = 0) -> Color | None:
        """Return the base colour; the base weight is not in it."""
        return color_at(self, "base_color", time)

    def opacity(self, time: int = 0) -> float | None:
        """Return 1 - transparency."""
        transparency = number_at(self, "transparency", time)
        return None if transparency is None else 1.0 - transparency

    def roughness(self, time: int = 0) -> float | None:
        """Return the roughness; turned round where it is stored as glossiness (documented)."""
        value = number_at(self, "roughness", time)
        if value is not None and value_at(parameter_of(self, "roughness_inverted")):
            return 1.0 - value
        return value

    def metalness(self, time: int = 0) -> float | None:
        """Return the metalness."""
        return number_at(self, "metalness", time)

    def emission(self, time: int = 0) -> Color | None:
        """Return emission weight times emission colour; luminance and temperature aside."""
        return scaled(color_at(self, "emission_color", time), number_at(self, "emission", time))
