"""Animations (``.anim``): named tracks (``src/3d/animation.cpp``)."""

from __future__ import annotations

from maxsidecar.nel.serial.containers import List, Map, PolyPtr
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import F32, STRING, U32, Magic, Version

__all__ = ["CAnimation"]

_LOWEST = -3.4028234663852886e38  # the 32-bit float that is the farthest below 0


class CAnimation(Serial):
    """An animation."""

    magic: bytes = field(Magic(b"NEL_ANIM"), "magic")
    version: int = field(Version(2), "format of the animation")
    name: str = field(STRING, "name; empty in real files")
    id_by_name: dict[str, int] = field(
        Map(STRING, U32), "number of each track by node and value: `Bip01 Head.rotquat`"
    )
    tracks: list[Serial | None] = field(List(PolyPtr("ITrack")), "the tracks")
    min_end_time: float = field(
        F32, "time in seconds before which it does not end", default=_LOWEST, since=1
    )
    sss_shapes: list[str] = field(List(STRING), "names of the shapes it shows", since=2)
