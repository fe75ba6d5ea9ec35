"""Meshes where their nodes put them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from maxsidecar.preview.collect import ShownNode

__all__ = ["cofactors", "mirrors", "placed"]

F64 = npt.NDArray[np.float64]


def placed(node: ShownNode, positions: npt.NDArray[np.float32]) -> F64:
    """Return points of a node's geometry in the world, in the shape that they come in.

    Args:
        node: A node that has a place in the world.
        positions: (..., 3).
    """
    world = node.world
    if world is None:
        world = np.eye(4)
    with np.errstate(all="ignore"):
        points = positions.astype(np.float64) @ world[:3, :3] + world[3, :3]
    return np.where(np.isfinite(points), points, 0.0)


def cofactors(world: F64) -> F64:
    """Return the (3, 3) matrix that turns normals (rows), which get another length.

    It is the transposed inverse times the absolute determinant, so it exists for flat ones, too.
    """
    x, y, z = world[:3, :3]
    with np.errstate(all="ignore"):
        out = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)])
        out = out / max(float(np.abs(out).max()), 1e-300)
    return -out if mirrors(world) else out


def mirrors(world: F64) -> bool:
    """Return whether a matrix turns faces inside out."""
    with np.errstate(all="ignore"):
        return bool(np.linalg.det(world[:3, :3]) < 0)
