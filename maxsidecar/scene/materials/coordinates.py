"""Where a map lies and what is done with its colours: UVGen, XYZGen and Output objects."""

from __future__ import annotations

from maxsidecar.io.fields import U32
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.animated import number_at, numbers_at
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

__all__ = ["MapOutput", "UVCoordinates", "XYZCoordinates"]


def _pair(obj: SceneObject, first: str, second: str, time: int) -> tuple[float, float] | None:
    u, v = number_at(obj, first, time), number_at(obj, second, time)
    return None if u is None or v is None else (u, v)


@register(superclass=0xC20)
class UVCoordinates(SceneObject):
    """Coordinates of a map on a surface."""

    __slots__ = ()
    flags = ChunkField(0x9002, U32, default=0, doc="bits 0, 1: repeats in u, in v (likely)")
    chunk_9003 = ChunkField(0x9003, U32, doc="open; 0")
    old_mapping = ChunkField(0x9004, U32, doc="open; R1, R2")
    environment = ChunkField(0x9005, U32, doc="1: mapped on the surroundings (likely)")
    chunk_9006 = ChunkField(0x9006, U32, doc="open; 0")
    mapping = ChunkField(0x9009, U32, doc="open; 4, or 1 with surroundings")
    stored_channel = ChunkField(0x900B, U32, default=1, doc="map channel (likely); 1 in all files")

    @property
    def map_channel(self) -> int:
        """The map channel of the mesh (likely)."""
        return self.stored_channel

    @property
    def repeats(self) -> tuple[bool, bool]:
        """Whether the map repeats along u and along v (likely)."""
        return bool(self.flags & 1), bool(self.flags & 2)

    def offset(self, time: int = 0) -> tuple[float, float] | None:
        """Return the shift along u and v.

        Raises:
            DecodeError: It cannot be read.
        """
        return _pair(self, "u_offset", "v_offset", time)

    def tiling(self, time: int = 0) -> tuple[float, float] | None:
        """Return how often the map repeats along u and v.

        Raises:
            DecodeError: It cannot be read.
        """
        return _pair(self, "u_tiling", "v_tiling", time)

    def angle(self, time: int = 0) -> float | None:
        """Return the turn in the plane, w, in radians; its sign is open.

        Raises:
            DecodeError: It cannot be read.
        """
        return number_at(self, "w_angle", time)


@register(superclass=0xC30)
class XYZCoordinates(SceneObject):
    """Coordinates of a map in space."""

    __slots__ = ()
    chunk_0002 = ChunkField(0x0002, U32, doc="open")
    chunk_0004 = ChunkField(0x0004, U32, doc="open; 1")
    chunk_0010 = ChunkField(0x0010, U32, doc="open; 1")

    def offset(self, time: int = 0) -> tuple[float, ...] | None:
        """Return the shift along x, y, z.

        Raises:
            DecodeError: It cannot be read.
        """
        return numbers_at(self, "offset", time)

    def tiling(self, time: int = 0) -> tuple[float, ...] | None:
        """Return how often the map repeats along x, y, z.

        Raises:
            DecodeError: It cannot be read.
        """
        return numbers_at(self, "tiling", time)


@register(superclass=0xC40)
class MapOutput(SceneObject):
    """What is done with the colours of a map."""

    __slots__ = ()
    flags = ChunkField(0x0002, U32, default=0, doc="open; 0 or 2")

    def level(self, time: int = 0) -> float | None:
        """Return the factor on red, green, blue.

        Raises:
            DecodeError: It cannot be read.
        """
        return number_at(self, "rgb_level", time)

    def amount(self, time: int = 0) -> float | None:
        """Return the strength of the map.

        Raises:
            DecodeError: It cannot be read.
        """
        return number_at(self, "output_amount", time)
