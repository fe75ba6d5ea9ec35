"""Materials of any class."""

from __future__ import annotations

from maxsidecar.io.fields import U32, Array
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.materials.base import MATERIAL, MaterialBase
from maxsidecar.scene.registry import register

__all__ = ["Material"]


@register(superclass=MATERIAL)
class Material(MaterialBase):
    """Any material.

    What a class does not say is ``None``.  Materials of unknown classes have a name, maps and
    sub-materials as far as their parameters tell, and everything else in ``parameters``.
    """

    __slots__ = ()
    stored_scripted = ChunkField(0x0010, Array(U32, 2), doc="open; on scripted classes")

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

    def emission(self, time: int = 0) -> tuple[float, float, float] | None:
        """Return the colour that it gives off by itself, weight included, without any map.

        Raises:
            DecodeError: It cannot be read.
        """
        return None
