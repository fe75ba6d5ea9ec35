"""Sets of faces that hang together, found without a loop over them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["components", "face_normals", "neighbours"]

Ints: TypeAlias = npt.NDArray[np.int64]
F64: TypeAlias = npt.NDArray[np.float64]


def components(count: int, one: Ints, other: Ints) -> Ints:
    """Return for each of ``count`` things the lowest number of a thing that it is joined with.

    Args:
        count: Number of things.
        one: (n,) one thing of each pair that is joined.
        other: (n,) the other thing.
    """
    labels = np.arange(count, dtype=np.int64)
    while True:
        least = np.minimum(labels[one], labels[other])
        new = labels.copy()
        np.minimum.at(new, labels[one], least)
        np.minimum.at(new, labels[other], least)
        # Labels of labels: long chains become short in a few rounds.
        while True:
            jumped = new[new]
            if np.array_equal(jumped, new):
                break
            new = jumped
        if np.array_equal(new, labels):
            return labels
        labels = new


def neighbours(mesh: Mesh) -> tuple[Ints, Ints]:
    """Return corners whose sides lie on the same edge and run in opposite directions, as pairs."""
    twins = twin_corners(mesh).astype(np.int64)
    corners = np.nonzero(twins > np.arange(len(twins)))[0].astype(np.int64)
    return corners, twins[corners]


def face_normals(mesh: Mesh) -> F64:
    """Return the normals of the polygons, (p, 3), of length 1; 0 for those without an area."""
    points = mesh.positions.astype(np.float64)[mesh.corners]
    crosses = np.cross(points, points[mesh.next_corners])
    normals = np.zeros((mesh.polygon_count, 3))
    filled = mesh.degrees > 0
    if filled.any():
        normals[filled] = np.add.reduceat(crosses, mesh.starts[:-1][filled], axis=0)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    out: F64 = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    return out
