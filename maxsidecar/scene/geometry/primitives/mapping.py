"""Mapping around the axis, as primitives ask for it: with a seam at one meridian.

The map starts with one vertex for each vertex of the mesh.  Each corner of a face that needs
another u gets a vertex of its own, in the order of the faces; the last one that uses a vertex keeps
it.
(A collapsed GeoSphere: all map faces and vertices.  Values: glTF and POD exports too.)
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


def close_seam(
    vertices: F32, faces: I32, poles: npt.NDArray[np.bool_] | None = None
) -> tuple[F32, I32]:
    """Return map vertices and map faces, none of them across the seam.

    Corners on the high side of a face that spans more than half of u go one turn back.

    Args:
        vertices: (v, 3): one for each vertex of the mesh.
        faces: (t, 3).
        poles: (v,): vertices on the axis, which get the middle of the other two u in each face.
    """
    u = vertices[faces, 0]
    wide = (u.max(axis=1, initial=0.0) - u.min(axis=1, initial=1.0)) > 0.5
    moved = wide[:, None] & (u > 0.5)
    u = np.where(moved, u - np.float32(1.0), u)
    if poles is not None:
        at = poles[faces]
        others = (u.sum(axis=1, keepdims=True) - u) * np.float32(0.5)
        u = np.where(at, others, u)
        moved |= at
    corner = np.flatnonzero(moved)
    vertex, value = faces.reshape(-1)[corner], u.reshape(-1)[corner]
    uses, replaced = (np.bincount(n, minlength=len(vertices)) for n in (faces.reshape(-1), vertex))
    last = np.zeros(len(vertices), np.int64)
    last[vertex] = np.arange(len(vertex))
    keeps = (uses == replaced)[vertex] & (last[vertex] == np.arange(len(vertex)))
    made, found = vertices.copy(), faces.reshape(-1).copy()
    made[vertex[keeps], 0] = value[keeps]
    extra = vertices[vertex[~keeps]]
    extra[:, 0] = value[~keeps]
    found[corner[~keeps]] = len(vertices) + np.arange(len(extra))
    return np.concatenate([made, extra]), found.reshape(-1, 3)
