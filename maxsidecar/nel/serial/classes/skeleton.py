"""Skeletons (``.skel``): bones with their bind poses, and levels of detail."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array
from maxsidecar.nel.serial.classes.basic import CMatrix
from maxsidecar.nel.serial.containers import List, Map, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import (
    BOOL,
    F32,
    I32,
    QUAT,
    STRING,
    U32,
    VEC3,
    Tracked,
    Vec3,
    Vec4,
    Version,
)

__all__ = ["CBoneBase", "CSkeletonLod", "CSkeletonShape"]


class CBoneBase(Serial):
    """One bone of a skeleton."""

    version: int = field(Version(2), "format of the bone")
    name: str = field(STRING, "name of the bone")
    inv_bind_pos: CMatrix = field(Nested(CMatrix), "inverse of the bone's matrix in the bind pose")
    father_id: int = field(I32, "index of the parent bone, -1 for a root", default=-1)
    unherit_scale: bool = field(BOOL, "whether the parent's scale is not inherited")
    lod_disable_distance: float = field(
        F32, "distance in metres from which the bone stands still; 0: never", since=1
    )
    default_pos: Vec3 = field(Tracked(VEC3), "position without animation")
    default_rot_euler: Vec3 = field(Tracked(VEC3), "Euler angles without animation")
    default_rot_quat: Vec4 = field(Tracked(QUAT), "rotation without animation")
    default_scale: Vec3 = field(Tracked(VEC3, (1.0, 1.0, 1.0)), "scale without animation")
    default_pivot: Vec3 = field(Tracked(VEC3), "pivot without animation")
    skin_scale: Vec3 = field(VEC3, "scale of the bone's skin", default=(1.0, 1.0, 1.0), since=2)


class CSkeletonLod(Serial, nel="CSkeletonShape::CLod"):
    """Which bones move at a distance."""

    version: int = field(Version(0), "format of the level")
    distance: float = field(F32, "distance in metres from which it holds")
    active_bones: NDArray[np.uint8] = field(Array("u1", "u8"), "per bone 255 moves, 0 stands still")


class CSkeletonShape(Serial, bases=("IShape",)):
    """A skeleton."""

    version: int = field(Version(1), "format of the skeleton")
    bones: list[CBoneBase] = field(List(Nested(CBoneBase)), "bones, parents before children")
    bone_map: dict[str, int] = field(Map(STRING, U32), "index of each bone by name")
    lods: list[CSkeletonLod] = field(
        List(Nested(CSkeletonLod)), "levels of detail, the first at distance 0", since=1
    )
