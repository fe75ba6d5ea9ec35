"""Moving the vertices of a mesh that is already written: as a whole, or each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import ExportedMesh

__all__ = ["bend", "move"]

F64 = npt.NDArray[np.float64]
F32 = npt.NDArray[np.float32]

_LEAST: float = 1e-30


def move(made: ExportedMesh, matrix: F64) -> None:
    """Write a mesh in another space.

    Args:
        made: The mesh; its ``to_gltf`` follows.
        matrix: (4, 4) row-vector matrix from the space it is in to the new one; it has an inverse.
    """
    linear = matrix[:3, :3]
    around = np.linalg.inv(linear).T
    mirrored = np.linalg.det(linear) < 0
    for primitive in made.mesh.primitives:
        attributes = primitive.attributes
        places = attributes["POSITION"].astype(np.float64) @ linear + matrix[3, :3]
        attributes["POSITION"] = places.astype(np.float32)
        if "NORMAL" in attributes:
            turned = attributes["NORMAL"].astype(np.float64) @ around
            attributes["NORMAL"] = _directions(turned, attributes["NORMAL"])
        if mirrored and primitive.indices is not None:
            # What was counter-clockwise no longer is.
            triangles = primitive.indices.reshape(-1, 3)[:, ::-1]
            primitive.indices = np.ascontiguousarray(triangles).reshape(-1)
    made.to_gltf = made.to_gltf @ matrix


def bend(made: ExportedMesh, matrices: F64, *, mirrored: bool = False) -> None:
    """Write a mesh with its vertices elsewhere; normals go along as directions.

    Args:
        made: The mesh.
        matrices: (v, 4, 4) row-vector matrices, for each vertex of the source.
        mirrored: Whether the joints mirror what is written.
    """
    made.turns = matrices[:, :3, :3]
    turned_over = (np.linalg.det(made.turns) < 0) != mirrored
    for primitive, vertices in zip(made.mesh.primitives, made.vertices, strict=True):
        own, attributes = matrices[vertices], primitive.attributes
        places = np.einsum("vi,vij->vj", attributes["POSITION"], own[:, :3, :3])
        attributes["POSITION"] = (places + own[:, 3, :3]).astype(np.float32)
        if "NORMAL" in attributes:
            turned = np.einsum("vi,vij->vj", attributes["NORMAL"], own[:, :3, :3])
            attributes["NORMAL"] = _directions(turned, attributes["NORMAL"])
        if primitive.indices is not None and turned_over.any():
            triangles = primitive.indices.reshape(-1, 3).copy()
            over = turned_over[vertices][triangles[:, 0]]
            triangles[over] = triangles[over, ::-1]
            primitive.indices = triangles.reshape(-1)


def _directions(vectors: F64, otherwise: npt.NDArray[np.generic]) -> F32:
    """Return vectors of length 1; those that have no length stay as they were."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    usable = length > _LEAST
    out: F32 = np.where(usable, vectors / np.where(usable, length, 1.0), otherwise).astype(
        np.float32
    )
    return out
