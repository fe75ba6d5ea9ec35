"""Materials of any class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

from maxsidecar.io.fields import U32, Array
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.materials.base import MATERIAL, MapSlot, MaterialBase
from maxsidecar.scene.registry import register

__all__ = ["MapRole", "Material"]

#: What a map can be for, in words that do not depend on the class of the material.
MapRole: TypeAlias = Literal[
    "ambient_occlusion",
    "base_color",
    "bump",
    "displacement",
    "emission",
    "glossiness",
    "metalness",
    "opacity",
    "roughness",
    "specular_color",
    "specular_level",
    "transparency",
]


@register(superclass=MATERIAL)
class Material(MaterialBase):
    """Any material.

    What a class does not say is ``None``.  Materials of unknown classes have a name, maps and
    sub-materials as far as their parameters tell, and everything else in ``parameters``.
    """

    __slots__ = ()
    stored_scripted = ChunkField(0x0010, Array(U32, 2), doc="open; on scripted classes")

    #: Slots in ``maps`` by what they are for, the first that is used counts.
    map_roles: ClassVar[dict[MapRole, tuple[str, ...]]] = {}

    def map_for(self, role: MapRole, maps: Mapping[str, MapSlot] | None = None) -> MapSlot | None:
        """Return the slot of the map that is for something, whatever the class calls it.

        A map for transparency darkens what a map for opacity lightens, and so do glossiness and
        roughness: each class has one of the two.

        Args:
            role: What the map is for.
            maps: What ``maps`` gave, for those who ask for several roles.

        Returns:
            The slot, also when it is switched off; ``None`` without a map, and where the class
            does not say.

        Raises:
            DecodeError: A parameter cannot be read.
        """
        names = self._slots_for(role)
        if maps is None:
            maps = self.maps if names else {}
        return next((maps[name] for name in names if name in maps), None)

    def _slots_for(self, role: MapRole) -> tuple[str, ...]:
        """Return the slots for a role."""
        return self.map_roles.get(role, ())

    @property
    def two_sided(self) -> bool | None:
        """Whether the backs of faces are seen."""
        return None

    def base_color(self, time: int = 0) -> tuple[float, float, float] | None:
        """Return the diffuse or base colour, from 0 to 1, without any map.

        Raises:
            DecodeError: It cannot be read.
        """
        return None

    def opacity(self, time: int = 0) -> float | None:
        """Return how opaque it is, from 0 to 1, without any map.

        Raises:
            DecodeError: It cannot be read.
        """
        return None

    def roughness(self, time: int = 0) -> float | None:
        """Return how rough it is, from 0 to 1, without any map.

        Raises:
            DecodeError: It cannot be read.
        """
        return None

    def metalness(self, time: int = 0) -> float | None:
        """Return how much of a metal it is, from 0 to 1, without any map.

        Raises:
            DecodeError: It cannot be read.
        """
        return None

    def specular_color(self, time: int = 0) -> tuple[float, float, float] | None:
        """Return the colour of highlights or reflections, from 0 to 1, without any map.

        Raises:
            DecodeError: It cannot be read.
        """
        return None

    def specular_level(self, time: int = 0) -> float | None:
        """Return how strong highlights or reflections are; 1 is 100 %; without any map.

        Raises:
            DecodeError: It cannot be read.
        """
        return None

    def glossiness(self, time: int = 0) -> float | None:
        """Return how small highlights are, from 0 to 1, of classes that do not store roughness.

        Raises:
            DecodeError: It cannot be read.
        """
        return None

    def ior(self, time: int = 0) -> float | None:
        """Return the index of refraction.

        Raises:
            DecodeError: It cannot be read.
        """
        return None

    def emission(self, time: int = 0) -> tuple[float, float, float] | None:
        """Return the colour that it gives off by itself, weight included, without any map.

        Raises:
            DecodeError: It cannot be read.
        """
        return None
