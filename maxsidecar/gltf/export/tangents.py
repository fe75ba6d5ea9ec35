"""Tangents for pictures of normals, as glTF means them where a file has none: MikkTSpace.

The tangent of a corner is the mean of those of the triangles that share its vertex, its normal, its
texture coordinates and the way round these go, each weighed by its angle at the corner.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf.export.welding import weld

__all__ = ["tangents"]

Array = npt.NDArray[Any]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]


def tangents(
    positions: F32, normals: F32, coordinates: F32, vertices: npt.NDArray[np.int32]
) -> F32:
    """Return the tangents of the corners of triangles, (3 t, 4): direction, and 1 or -1.

    The last number says on which side of normal and tangent the picture's upward direction is.
    Triangles without an area in the picture have any tangent that is across the normal.

    Args:
        positions: (3 t, 3) in the node's space.
        normals: (3 t, 3) of length 1.
        coordinates: (3 t, 2) texture coordinates, v downwards.
        vertices: (3 t,) the vertex of each corner.
    """
    along, side = _of_triangles(positions, coordinates)
    along, side = np.repeat(along, 3, axis=0), np.repeat(side, 3)
    normal = normals.astype(np.float64)
    flat = _unit(along - normal * _dot(along, normal)[:, None])
    weighed = flat * _angles(positions, normal)[:, None]
    first, group = weld(vertices, [normals, coordinates, side])
    sums = np.zeros((len(first), 3))
    for axis in range(3):
        sums[:, axis] = np.bincount(group, weighed[:, axis], len(first))
    mean = sums[group]
    mean = _unit(mean - normal * _dot(mean, normal)[:, None])
    bad = _dot(mean, mean) < 0.5
    mean[bad] = _across(normal[bad])
    return np.concatenate([mean, side[:, None]], axis=1).astype(np.float32)


def _of_triangles(positions: F32, coordinates: F32) -> tuple[F64, F32]:
    """Return the direction of u of each triangle, of any length, and which way round it goes."""
    corners = positions.astype(np.float64).reshape(-1, 3, 3)
    flat = coordinates.astype(np.float64).reshape(-1, 3, 2) * (1.0, -1.0)
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    (u1, v1), (u2, v2) = (flat[:, 1] - flat[:, 0]).T, (flat[:, 2] - flat[:, 0]).T
    with np.errstate(all="ignore"):
        side = np.where(u1 * v2 - u2 * v1 < 0.0, -1.0, 1.0)
        along = (one * v2[:, None] - two * v1[:, None]) * side[:, None]
    return _unit(along), side.astype(np.float32)


def _angles(positions: F32, normal: F64) -> F64:
    """Return the angle of each corner, as seen along its normal."""
    corners = positions.astype(np.float64).reshape(-1, 3, 3)
    sides = []
    for step in (1, 2):
        way = (np.roll(corners, -step, axis=1) - corners).reshape(-1, 3)
        sides.append(_unit(way - normal * _dot(way, normal)[:, None]))
    out: F64 = np.arccos(np.clip(_dot(*sides), -1.0, 1.0))
    return out


def _across(normal: F64) -> F64:
    """Return directions at a right angle to others."""
    least = np.eye(3)[np.abs(normal).argmin(axis=-1)]
    return _unit(np.cross(normal, least))


def _dot(one: F64, other: F64) -> F64:
    out: F64 = np.einsum("ij,ij->i", one, other)
    return out


def _unit(ways: F64) -> F64:
    """Return directions of length 1; 0 for those without one."""
    with np.errstate(all="ignore"):
        length = np.sqrt(_dot(ways, ways))
        bad = ~((length > 1e-30) & np.isfinite(length))
        out: F64 = ways / np.where(bad, 1.0, length)[:, None]
    out[bad] = 0.0
    return out
