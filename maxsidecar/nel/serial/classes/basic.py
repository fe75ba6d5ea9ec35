"""Classes that many others hold: matrices and boxes."""

from __future__ import annotations

from maxsidecar.nel.serial.conditions import Bits
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import F32, U32, VEC3, VEC4, Row, Vec3, Vec4, Version

__all__ = ["CAABBox", "CMatrix"]


class CMatrix(Serial):
    """A 4×4 matrix; parts that are those of the identity are left out (``src/misc/matrix.cpp``)."""

    version: int = field(Version(0), "format of the matrix")
    state: int = field(
        U32, "bits: 1 translation, 2 rotation, 4 uniform scale, 8 other scale, 16 projection, "
        "64 and 128 validity of the inverse"
    )  # fmt: skip
    scale33: float = field(F32, "scale; 1.0 unless it is uniform", default=1.0)
    rotation: tuple[float, ...] = field(
        Row("f", 9, "9 × f32", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)),
        "rotation and scale, row by row: the x components of I, J, K, then y, then z",
        when=Bits("state", 14),
    )
    translation: Vec3 = field(VEC3, "translation", when=Bits("state", 1))
    projection: Vec4 = field(
        VEC4, "last row of a projection", default=(0.0, 0.0, 0.0, 1.0), when=Bits("state", 16)
    )


class CAABBox(Serial):
    """A box along the axes."""

    version: int = field(Version(0), "format of the box")
    center: Vec3 = field(VEC3, "centre")
    half_size: Vec3 = field(VEC3, "half of the size along each axis")
