"""Distant characters (``.clod``): one mesh of few faces (``src/3d/lod_character_shape.cpp``)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array
from maxsidecar.nel.serial.classes.mesh_mrm import SKIN_WEIGHT
from maxsidecar.nel.serial.containers import List
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import STRING, U32, Magic, Version

__all__ = ["CLodCharacterShapeBuild"]

#: A point of the texture: where on the mesh it lies.
PIXEL_INFO: Final = np.dtype([("position", "<f4", (3,)), ("normal", "<f4", (3,))])


class CLodCharacterShapeBuild(Serial):
    """The mesh of a distant character, before all of them are packed into one file."""

    magic: bytes = field(Magic(b"NEL_CLODBULD"), "magic")
    version: int = field(Version(1), "format of the mesh")
    vertices: NDArray[np.float32] = field(Array(("<f4", 3), "3 × f32"), "positions in metres")
    skin_weights: NDArray[np.void] = field(
        Array((SKIN_WEIGHT, 4), "4 × (u32, f32)"), "bones and weights of each vertex"
    )
    bone_names: list[str] = field(List(STRING), "names of the bones")
    triangle_indices: NDArray[np.uint32] = field(
        Array("<u4", "u32"), "vertex numbers, three for each face"
    )
    uvs: NDArray[np.float32] = field(Array(("<f4", 2), "2 × f32"), "texture coordinates", since=1)
    normals: NDArray[np.float32] = field(Array(("<f4", 3), "3 × f32"), "normals", since=1)
    width: int = field(U32, "width of the texture in points", since=1)
    height: int = field(U32, "height of the texture in points", since=1)
    texture_info: NDArray[np.void] = field(
        Array(PIXEL_INFO, "6 × f32"), "position and normal of each point, row by row", since=1
    )
