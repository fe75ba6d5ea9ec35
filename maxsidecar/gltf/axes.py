"""From 3ds Max's space (Z up, units of the scene) to glTF's (Y up, metres), and back.

The change is made once, in every number that is written: a point ``(x, y, z)`` becomes
``scale · (x, z, -y)``.  No node above the scene turns or scales it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["TURN", "change_of_basis", "matrices_to_gltf", "points_to_gltf"]

Array = npt.NDArray[np.float64]

#: (3, 3) row-vector matrix: ``(x, y, z) @ TURN`` is ``(x, z, -y)``.
TURN: Final = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def change_of_basis(scale: float) -> Array:
    """Return the (4, 4) row-vector matrix from 3ds Max's space to glTF's."""
    out = np.eye(4)
    out[:3, :3] = TURN * scale
    return out


def points_to_gltf(points: npt.ArrayLike, scale: float = 1.0) -> Array:
    """Return points, or with a scale of 1 directions, of shape (..., 3) in glTF's space."""
    out: Array = np.asarray(points, np.float64) @ (TURN * scale)
    return out


def matrices_to_gltf(matrices: npt.ArrayLike, scale: float) -> Array:
    """Return row-vector matrices (..., 4, 4), from one space to another, in glTF's terms.

    A matrix of 3ds Max that takes points of a node to the world becomes one that takes the
    *changed* points of the node to the changed world.
    """
    source = np.asarray(matrices, np.float64)
    basis = change_of_basis(scale)
    out: Array = np.linalg.inv(basis) @ source @ basis
    return out
