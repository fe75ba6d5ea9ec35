"""Relax: moves vertices towards the mean of their neighbours.

(Public samples of the 3ds Max SDK; docs/format/modifiers-shape.md, section 10.)
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.spaces import chosen_vertices, deform_mesh

__all__ = ["RELAX", "relax"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

RELAX: Final = (0x64, 0x7F9E)
#: How often it is done at most, and steps from vertex to vertex: some seconds of work.
_MOST_TIMES: Final = 10_000
_MOST_STEPS: Final = 50_000_000
#: How much longer a step takes where the angles at the vertices are measured, too.
_ANGLE_STEPS: Final = 5
#: Corners whose angles add up to less than a full turn stick out.
_FULL: Final = 2.0 * np.pi * 0.99999


@modifier(RELAX)
def relax(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Move each vertex a part of the way to the mean of its neighbours, again and again."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    share = min(max(values.number("relax", 0.5), -1.0), 1.0)
    times = max(int(values.number("iterations", 1.0)), 0)
    pairs, still = _neighbours(mesh)
    corners = values.switch("save_outer_corners")
    steps = times * len(pairs) * (_ANGLE_STEPS if corners else 1)
    if times > _MOST_TIMES or steps > _MOST_STEPS:
        raise NotSupportedError(f"it relaxes {len(mesh.positions)} vertices {times} times")
    call.approximate(UNPROVED)
    if not values.switch("keep_boundary", True):
        still = np.zeros(len(still), np.bool_)
    weights = chosen_vertices(mesh)

    def function(points: F64) -> F64:
        for _ in range(times):
            frozen = still
            if corners:
                frozen = still | (_angles(mesh, points) <= _FULL)
            moved = _relaxed(points, pairs, frozen, share if weights is None else share * weights)
            if np.array_equal(moved, points):
                break
            points = moved
        return points

    # Each step counts the weights itself.
    return deform_mesh(mesh, function, None)


def _neighbours(mesh: Mesh) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return (n, 2) vertices with each vertex beside them, and which vertices are at a border.

    Edges of a triangle mesh count where they are shown.  A vertex is at a border where it has more
    neighbours, hidden ones too, than faces.
    """
    count = len(mesh.positions)
    a = mesh.corners.astype(np.int64)
    b = a[mesh.next_corners]
    keys = np.minimum(a, b) * count + np.maximum(a, b)
    edges, place = np.unique(keys, return_inverse=True)
    shown = np.ones(len(edges), np.bool_)
    if not mesh.is_polygons:
        shown = np.bincount(place.reshape(-1), mesh.edge_visible, len(edges)) > 0
    ends = np.stack([edges // max(count, 1), edges % max(count, 1)], axis=1)
    beside = np.bincount(ends.reshape(-1), minlength=count)
    still = np.bincount(a, minlength=count) < beside
    ends = ends[shown]
    return np.concatenate([ends, ends[:, ::-1]]), still


def _relaxed(points: F64, pairs: Ints, frozen: npt.NDArray[np.bool_], share: float | F64) -> F64:
    count = len(points)
    number = np.bincount(pairs[:, 0], minlength=count)
    sums = np.stack(
        [np.bincount(pairs[:, 0], points[pairs[:, 1], axis], count) for axis in range(3)], axis=1
    )
    part = np.where(frozen | (number == 0), 0.0, share)[:, None]
    mean = sums / np.maximum(number, 1)[:, None]
    out: F64 = np.where(part == 0.0, points, points * (1.0 - part) + mean * part)
    return out


def _angles(mesh: Mesh, points: F64) -> F64:
    """Return the sum of the angles of the polygons at each vertex."""
    here = points[mesh.corners]
    ahead = points[mesh.corners[mesh.next_corners]] - here
    behind = np.empty_like(ahead)
    behind[mesh.next_corners] = -ahead
    lengths = np.linalg.norm(ahead, axis=1) * np.linalg.norm(behind, axis=1)
    with np.errstate(all="ignore"):
        cosine = np.einsum("ij,ij->i", ahead, behind) / lengths
    angle = np.where(lengths > 0, np.arccos(np.clip(cosine, -1.0, 1.0)), 0.0)
    return np.asarray(np.bincount(mesh.corners, angle, len(points)), np.float64)
