"""Mapping around the axis, as primitives ask for it: with a seam at one meridian.

The map starts with one vertex for each vertex of the mesh; a face across the seam gets vertices of
its own.  (Values: a collapsed cone, and glTF and POD exports; the order of the vertices of the seam
is not proved.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.primitives.arithmetic import Arithmetic
from maxsidecar.scene.geometry.primitives.slices import PI

__all__ = ["around_axis", "close_seam"]

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]


def around_axis(x: npt.ArrayLike, y: npt.ArrayLike, one: Arithmetic) -> Any:
    """Return u from 0 to 1: the angle around z, 0.5 at +x and on the axis."""
    # Adding 0 takes the sign from zeros: on the axis the angle is 0.
    angle = np.arctan2(np.asarray(y, np.float64) + 0.0, np.asarray(x, np.float64) + 0.0)
    angle = angle.astype(one.work)
    return one.number(0.5) + one.over(angle, 2.0 * PI)


def close_seam(vertices: F32, faces: I32) -> tuple[F32, I32]:
    """Return map vertices and map faces, none of them across the seam.

    Corners on the high side of a face that spans more than half of u go one turn back.

    Args:
        vertices: (v, 3): one for each vertex of the mesh.
        faces: (t, 3).
    """
    u = vertices[faces, 0]
    wide = (u.max(axis=1, initial=0.0) - u.min(axis=1, initial=1.0)) > 0.5
    moved = wide[:, None] & (u > 0.5)
    if not moved.any():
        return vertices, faces.copy()
    # Numbered in the order of the faces; the same vertex is made once.
    used, first, inverse = np.unique(faces[moved], return_index=True, return_inverse=True)
    rank = np.empty(len(used), np.int64)
    order = np.argsort(first)
    rank[order] = np.arange(len(used))
    extra = vertices[used[order]].copy()
    extra[:, 0] -= np.float32(1.0)
    found = faces.copy()
    found[moved] = len(vertices) + rank[inverse]
    return np.concatenate([vertices, extra]), found
