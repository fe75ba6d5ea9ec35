"""Meshes, skeletons and motions as plain numbers: what one format hands to another.

Readers of a format fill these records and writers of another one take them, so that neither knows
the other.  Lengths are metres, times seconds, Z is up; points are columns, so that matrices have
their translation in the last column; quaternions are (x, y, z, w); colours are as shown (sRGB), 0
to 1; texture coordinates have their origin at the top left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = [
    "BoneRecord",
    "MaterialRecord",
    "MeshRecord",
    "ModelRecord",
    "MotionRecord",
    "PartRecord",
    "PlaceRecord",
]

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]

Blending = Literal["opaque", "mask", "blend"]


@dataclass(slots=True)
class MaterialRecord:
    """How faces look.

    Attributes:
        color: Red, green, blue, alpha.
        textures: Names of picture files, the first one for the colour.
        cutoff: Least alpha that is drawn, with ``mask``.
        lit: Whether light changes it.
    """

    name: str = ""
    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    textures: tuple[str, ...] = ()
    double_sided: bool = False
    blending: Blending = "opaque"
    cutoff: float = 0.5
    lit: bool = True


@dataclass(slots=True)
class PartRecord:
    """Faces of one material.

    Attributes:
        triangles: (t, 3) int32: vertices, counter-clockwise seen from outside.
        material: Index of the material.
    """

    triangles: I32
    material: int = 0


@dataclass(slots=True)
class PlaceRecord:
    """Where something stands relative to its parent."""

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(slots=True)
class MeshRecord:
    """A mesh of triangles.

    Attributes:
        positions: (v, 3) float32.
        normals: (v, 3) float32, or ``None``.
        uvs: Sets of texture coordinates, (v, 2) float32 each.
        colors: (v, 4) uint8, or ``None``.
        bones: (v, 4) int32: indices of ``bone_names``, or ``None`` for a rigid mesh.
        weights: (v, 4) float32, in sum 1; or ``None``.
        bone_names: Bones that move it.
        parts: Its faces.
        materials: Its materials.
        place: Where it stands; a mesh with bones stands in the space of the skeleton.
    """

    positions: F32
    normals: F32 | None = None
    uvs: list[F32] = field(default_factory=list)
    colors: U8 | None = None
    bones: I32 | None = None
    weights: F32 | None = None
    bone_names: list[str] = field(default_factory=list)
    parts: list[PartRecord] = field(default_factory=list)
    materials: list[MaterialRecord] = field(default_factory=list)
    place: PlaceRecord = field(default_factory=PlaceRecord)


@dataclass(slots=True)
class BoneRecord:
    """One bone of a skeleton.

    Attributes:
        parent: Index of its parent, which comes before it; -1 for none.
        inverse_bind: (4, 4) float64: from the space of the skeleton to the bone, as it stands where
            meshes were bound to it.
    """

    name: str
    parent: int
    inverse_bind: F64


@dataclass(slots=True)
class MotionRecord:
    """How bones move, or with no bones how the mesh does.

    Attributes:
        times: (k,) float64, ascending.
        matrices: For each bone (k, 4, 4) float64: where it is in the space of the skeleton; for
            a mesh without bones one entry, its place.
    """

    times: F64
    matrices: list[F64]
    name: str = ""


@dataclass(slots=True)
class ModelRecord:
    """What is to be shown together.

    Attributes:
        notes: What is not shown as it is.
    """

    name: str = ""
    mesh: MeshRecord | None = None
    bones: list[BoneRecord] = field(default_factory=list)
    motion: MotionRecord | None = None
    notes: list[str] = field(default_factory=list)
