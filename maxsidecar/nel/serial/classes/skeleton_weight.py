"""Skeleton weights (``.swt``): how much each track of an animation counts."""

from __future__ import annotations

from maxsidecar.nel.serial.containers import List, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import F32, STRING, Magic, Version

__all__ = ["CSkeletonWeight", "CSkeletonWeightNode"]


class CSkeletonWeightNode(Serial, nel="CSkeletonWeight::CNode"):
    """The weight of one track."""

    version: int = field(Version(0), "format of the weight")
    name: str = field(STRING, "node and track: `Bip01 Spine.rotquat`")
    weight: float = field(F32, "weight, 0 to 1", default=1.0)


class CSkeletonWeight(Serial):
    """A skeleton weight file."""

    magic: bytes = field(Magic(b"SKWT"), "magic")
    version: int = field(Version(0), "format of the file")
    elements: list[CSkeletonWeightNode] = field(
        List(Nested(CSkeletonWeightNode)), "weights of the tracks"
    )
