"""Moving the vertices of a mesh that is already written: as a whole, or each by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from maxsidecar.gltf import model
    from maxsidecar.gltf.export.context import ExportedMesh

__all__ = ["bend", "move"]

Array = npt.NDArray[Any]
Bits = npt.NDArray[np.bool_]
F64 = npt.NDArray[np.float64]
F32 = npt.NDArray[np.float32]

_LEAST: Final = 1e-30


def move(made: ExportedMesh, matrix: F64) -> None:
    """Write a mesh in another space.

    Args:
        made: The mesh; its ``to_gltf`` follows.
        matrix: (4, 4) row-vector matrix from the space it is in to the new one; it has an inverse.
    """
    linear = matrix[:3, :3]
    around = np.linalg.inv(linear).T
    mirrored = bool(np.linalg.det(linear) < 0)
    changes = _Changes(
        lambda rows, _: rows @ linear + matrix[3, :3],
        lambda rows, _: rows @ around,
        lambda rows, _: rows @ linear,
    )
    for number, primitive in enumerate(made.mesh.primitives):
        changes.apply(primitive, made.vertices[number])
        if mirrored:
            _turn_over(made, number, np.ones(len(made.vertices[number]), np.bool_))
    made.to_gltf = made.to_gltf @ matrix


def bend(made: ExportedMesh, matrices: F64, *, mirrored: bool = False) -> None:
    """Write a mesh with its vertices elsewhere; normals go along as directions.

    Args:
        made: The mesh.
        matrices: (v, 4, 4) row-vector matrices, for each vertex of the source.
        mirrored: Whether the joints mirror what is written.
    """
    turns = made.turns = matrices[:, :3, :3]
    over = (np.linalg.det(turns) < 0) != mirrored

    def turned(rows: F64, vertices: Array) -> F64:
        out: F64 = np.einsum("vi,vij->vj", rows, turns[vertices])
        return out

    changes = _Changes(
        lambda rows, vertices: turned(rows, vertices) + matrices[vertices, 3, :3], turned, turned
    )
    for number, primitive in enumerate(made.mesh.primitives):
        vertices = made.vertices[number]
        changes.apply(primitive, vertices)
        if over.any():
            _turn_over(made, number, over[vertices])


class _Changes:
    """New arrays for old ones; one that several primitives have stays one.

    Args:
        places, normals, tangents: Make new rows, (n, 3), of old ones and their vertices.
    """

    def __init__(
        self,
        places: Callable[[F64, Array], F64],
        normals: Callable[[F64, Array], F64],
        tangents: Callable[[F64, Array], F64],
    ) -> None:
        self._functions = {"POSITION": places, "NORMAL": normals, "TANGENT": tangents}
        self._done: dict[int, tuple[Array, Array]] = {}

    def apply(self, primitive: model.Primitive, vertices: Array) -> None:
        for name, function in self._functions.items():
            old = primitive.attributes.get(name)
            if old is None:
                continue
            if id(old) not in self._done:
                new = function(old[:, :3].astype(np.float64), vertices)
                rows = new.astype(np.float32) if name == "POSITION" else _directions(new, old)
                # The old array is kept, so that no other one gets its id.
                self._done[id(old)] = old, np.concatenate([rows, old[:, 3:]], axis=1)
            primitive.attributes[name] = self._done[id(old)][1]


def _turn_over(made: ExportedMesh, number: int, over: Bits) -> None:
    """Let triangles run the other way round, whose first vertex is one of those.

    What was counter-clockwise no longer is where a mirror comes in.
    """
    primitive = made.mesh.primitives[number]
    if primitive.indices is None:
        return
    triangles = primitive.indices.reshape(-1, 3).copy()
    chosen = over[triangles[:, 0]]
    triangles[chosen] = triangles[chosen, ::-1]
    primitive.indices = triangles.reshape(-1)
    if number < len(made.corners):
        corners = made.corners[number].reshape(-1, 3).copy()
        corners[chosen] = corners[chosen, ::-1]
        made.corners[number] = corners.reshape(-1)
    tangents = primitive.attributes.get("TANGENT")
    if tangents is not None:
        tangents = tangents.copy()
        tangents[over, 3] *= -1
        primitive.attributes["TANGENT"] = tangents


def _directions(vectors: F64, otherwise: Array) -> F32:
    """Return vectors of length 1; those that have no length stay as they were."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    usable = length > _LEAST
    scaled = vectors / np.where(usable, length, 1.0)
    out: F32 = np.where(usable, scaled, otherwise[:, :3]).astype(np.float32)
    return out
