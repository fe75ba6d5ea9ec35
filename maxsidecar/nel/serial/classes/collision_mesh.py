"""Collision meshes (``.cmb``), from which surfaces to walk on are computed."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array
from maxsidecar.nel.serial.declare import Serial, field

__all__ = ["CCollisionMeshBuild"]

#: A face: corners, which edges are seen, surface (-1 outside), material.
COLLISION_FACE: Final = np.dtype(
    [
        ("vertices", "<u4", (3,)),
        ("visibility", "u1", (3,)),
        ("surface", "<i4"),
        ("material", "<i4"),
    ]
)


class CCollisionMeshBuild(Serial):
    """A collision mesh; the file has neither magic nor version."""

    vertices: NDArray[np.float32] = field(Array(("<f4", 3), "3 × f32"), "positions in metres")
    faces: NDArray[np.void] = field(
        Array(COLLISION_FACE, "(3 × u32, 3 × bool, i32, i32)"),
        "corners, which edges are seen, surface (-1 outside), material",
    )
