"""A mesh while it is simplified: lists that change."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.shape.mrm_level import Level
from maxsidecar.nel.shape.skin import INFLUENCES

__all__ = ["State", "Weights"]

#: Bones of a point with their weights, the strongest first.
Weights: TypeAlias = list[tuple[int, float]]


class State:
    """Points, faces and what faces have at their corners, as they are now.

    Attributes:
        points: (v, 3 + 3 m) float32.
        values: By attribute (n, w) float32.
        faces: Points of each face, also of those that went.
        wedges: By face and attribute the rows at its three corners.
        materials: Material of each face.
        around: Faces at each point that are left, in a fixed order.
        deleted: Whether a face went.
        skin: Bones of each point, or ``None``.
    """

    def __init__(self, level: Level) -> None:
        """Copy a level."""
        self.points = level.points.copy()
        self.values = [rows.copy() for rows in level.values]
        self.faces: list[list[int]] = level.faces.tolist()
        self.wedges: list[list[list[int]]] = level.wedges.swapaxes(0, 1).tolist()
        self.materials: list[int] = level.materials.tolist()
        self.around: list[list[int]] = [[] for _ in range(len(self.points))]
        for face, corners in enumerate(self.faces):
            for vertex in corners:
                self.around[vertex].append(face)
        self.deleted = [False] * len(self.faces)
        self.skin: list[Weights] | None = None
        if level.bones is not None and level.weights is not None:
            pairs = zip(level.bones.tolist(), level.weights.tolist(), strict=True)
            self.skin = [
                [(bone, weight) for bone, weight in zip(*pair, strict=True) if weight > 0]
                for pair in pairs
            ]

    def at_edge(self, one: int, two: int) -> list[int]:
        """Return the faces at an edge, each once."""
        return [face for face in dict.fromkeys(self.around[one]) if two in self.faces[face]]

    def wedge(self, face: int, attribute: int, vertex: int) -> int:
        """Return what a face has at a point, -1 where the point is not its corner."""
        corners = self.faces[face]
        if vertex not in corners:
            return -1
        return self.wedges[face][attribute][corners.index(vertex)]

    def skin_arrays(
        self, chosen: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.int32] | None, npt.NDArray[np.float32] | None]:
        """Return bones and weights of some points, (n, 4) each, or ``None``."""
        if self.skin is None:
            return None, None
        rows = [self.skin[number] for number in np.nonzero(chosen)[0].tolist()]
        bones = np.zeros((len(rows), INFLUENCES), np.int32)
        weights = np.zeros((len(rows), INFLUENCES), np.float32)
        for number, row in enumerate(rows):
            for place, (bone, weight) in enumerate(row[:INFLUENCES]):
                bones[number, place], weights[number, place] = bone, weight
        return bones, weights
