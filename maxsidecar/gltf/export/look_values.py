"""The values that glTF has for what a material looks like."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from maxsidecar.scene.materials.values import Color

__all__ = ["Look", "roughness_of_glossiness"]

_WHITE: Final = (1.0, 1.0, 1.0)
_BLACK: Final = (0.0, 0.0, 0.0)
#: Roughness of a material that does not say how it shines; that of a Standard material with the
#: default glossiness.
_ROUGH: Final = 0.45
#: Colour where a class says none: that of a new Standard material (measured: most of the corpus).
_GREY: Final = (0.588, 0.588, 0.588)
#: Index of refraction that glTF assumes.
_IOR: Final = 1.5


@dataclass(slots=True)
class Look:
    """Values of a material.

    Attributes:
        specular: Strength of the reflection of what is no metal; ``None`` for glTF's own.
        alpha_mode: What the material itself says; ``None`` where alpha decides.
        reasons: What is not as in 3ds Max.
    """

    color: Color = _GREY
    alpha: float = 1.0
    metallic: float = 0.0
    roughness: float = _ROUGH
    specular: float | None = None
    specular_color: Color = _WHITE
    ior: float | None = None
    transmission: float = 0.0
    clearcoat: float = 0.0
    clearcoat_roughness: float = 0.0
    sheen: Color = _BLACK
    sheen_roughness: float = 0.0
    emissive: Color = _BLACK
    two_sided: bool = False
    unlit: bool = False
    alpha_mode: str | None = None
    alpha_cutoff: float = 0.5
    reasons: list[str] = field(default_factory=list)

    def because(self, reason: str) -> None:
        """Add a reason, once."""
        if reason not in self.reasons:
            self.reasons.append(reason)

    def limit(self) -> None:
        """Bring the values into what glTF allows."""
        for name in (
            "alpha",
            "metallic",
            "roughness",
            "transmission",
            "clearcoat",
            "clearcoat_roughness",
            "sheen_roughness",
        ):
            setattr(self, name, min(max(getattr(self, name), 0.0), 1.0))
        for name in ("color", "sheen"):
            setattr(self, name, tuple(min(max(part, 0.0), 1.0) for part in getattr(self, name)))
        for name in ("specular_color", "emissive"):
            setattr(self, name, tuple(max(part, 0.0) for part in getattr(self, name)))
        self.alpha_cutoff = max(self.alpha_cutoff, 0.0)
        if self.specular is not None:
            strength = max(self.specular, 0.0)
            self.specular = min(strength, 1.0)
            if strength > 1.0:
                red, green, blue = self.specular_color
                self.specular_color = (red * strength, green * strength, blue * strength)
        if self.ior is not None and (self.ior < 1.0 or abs(self.ior - _IOR) < 1e-6):
            self.ior = None


def roughness_of_glossiness(glossiness: float) -> float:
    """Return the roughness that 3ds Max's exporter gives a Standard material.

    It depends on nothing but the glossiness (measured to 1e-6 on 4 values in 26 materials; its
    first releases wrote 1 - glossiness).
    """
    part = min(max(glossiness, 0.0), 1.0) * 256 / 1300
    return float(0.1 + 0.9 * (1 - part ** (1 / 3)) ** 3)
