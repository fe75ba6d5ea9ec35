"""A mesh as it is simplified: points, and what faces have at their corners, each with an index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.shape.corners import merge_corners
from maxsidecar.nel.shape.geometry import slots_of
from maxsidecar.nel.shape.materials import STAGES
from maxsidecar.nel.shape.mesh_build import MeshBuild

__all__ = ["Level", "attribute_names", "base_level"]

F32 = npt.NDArray[np.float32]
I64 = npt.NDArray[np.int64]


@dataclass(slots=True)
class Level:
    """One level of detail.

    Everything that is interpolated when edges shrink stands in rows: behind the values of the mesh
    itself those of its morph targets.

    Attributes:
        points: (v, 3 + 3 m) float32: positions, with m morph targets.
        values: By attribute (n, w + w m) float32: normals, colours from 0 to 255, coordinates.
        faces: (t, 3) int64: points.
        wedges: (a, t, 3) int64: for each of the a attributes its row at each corner.
        materials: (t,) int64.
        bones: (v, 4) int32: bones of the points, or ``None``.
        weights: (v, 4) float32: their weights, falling, or ``None``.
    """

    points: F32
    values: list[F32]
    faces: I64
    wedges: I64
    materials: I64
    bones: npt.NDArray[np.int32] | None = None
    weights: F32 | None = None


#: Slots of attributes in the order in which they are looked at.
_ORDER: Final = ("normal", "color", *(f"uv{stage}" for stage in range(STAGES)))


def attribute_names(build: MeshBuild) -> list[str]:
    """Return the slots that a mesh has besides positions, in the order of ``Level.values``."""
    slots = slots_of(build)
    return [name for name in _ORDER if name in slots]


def base_level(build: MeshBuild, targets: list[MeshBuild]) -> Level:
    """Return the finest level of a mesh.

    Values at two corners are the same where vertex and value are.

    Args:
        build: The mesh.
        targets: Its morph targets, each with as many vertices and faces.
    """
    meshes = [build, *targets]
    slots = [slots_of(mesh) for mesh in meshes]
    vertex = build.faces.reshape(-1).astype(np.uint32)
    values: list[F32] = []
    wedges = []
    for name in attribute_names(build):
        own = slots[0][name]
        first, number = merge_corners([vertex, own])
        rows: list[npt.NDArray[Any]] = []
        for found in slots:
            part = found.get(name)
            fitting = part is not None and part.shape == own.shape
            rows.append((part if fitting and part is not None else own)[first])
        values.append(np.concatenate(rows, axis=1).astype(np.float32))
        wedges.append(number.reshape(-1, 3))
    points = np.concatenate([mesh.positions for mesh in meshes], axis=1).astype(np.float32)
    bones = weights = None
    if build.skin is not None:
        weights = build.skin.weights
        bones = np.where(weights > 0, build.skin.bones, 0).astype(np.int32)
    return Level(
        points,
        values,
        build.faces.astype(np.int64),
        np.stack(wedges) if wedges else np.empty((0, len(build.faces), 3), np.int64),
        build.materials.astype(np.int64),
        bones,
        weights,
    )
