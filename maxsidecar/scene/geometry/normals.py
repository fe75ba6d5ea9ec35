"""Normals that 3ds Max computes from smoothing groups.

Around each vertex the faces that share smoothing groups, also by way of other faces of that
vertex, form a cluster; its normal is the sum of their face normals.  How they are weighted depends
on the release (docs/format/mesh.md, section 6): by the angle at the corner in newer ones, all
equal in old ones.  Triangles count, not polygons, and vertices at the same place stay apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["Weighting", "corner_normals", "smoothing_clusters", "triangle_normals"]

#: ``angle``: interior angle at the corner; ``unit``: every face alike; ``area``: area of the face.
Weighting: TypeAlias = Literal["angle", "unit", "area"]

F32: TypeAlias = npt.NDArray[np.float32]
F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

#: What 3ds Max gives where face normals cancel out.
_NONE: Final = (1.0, 0.0, 0.0)
#: Sums shorter than this have no direction left.
_TINY: Final = 1e-20
_NO_SUM: Final = 1e-6
#: Triangles that are computed at once.
_BLOCK: Final = 1 << 16
#: More numbers of clusters than this times the corners are renumbered instead of counted.
_SPARSE: Final = 8


def corner_normals(mesh: Mesh, weighting: Weighting = "angle") -> F32:
    """Return the normal of each corner, (c, 3) float32 of length 1.

    Explicit normals are taken as they are.  A flat polygon (smoothing groups 0) has one normal for
    all its corners; the triangles of one that is not plane have normals of their own, see
    :func:`triangle_normals`.

    Args:
        mesh: The mesh.
        weighting: How face normals count.
    """
    # Positions may be anything; what is no finite number counts as a face without an area.
    with np.errstate(all="ignore"):
        return _corner_normals(mesh, weighting)


def _corner_normals(mesh: Mesh, weighting: Weighting) -> F32:
    cross = _crosses(mesh)
    found = _triangle_normals(mesh, weighting, cross)
    out = np.empty((len(mesh.corners), 3), np.float32)
    out[:] = _NONE
    out[mesh.triangles.reshape(-1)] = found.reshape(-1, 3)
    flat = (mesh.smoothing == 0) & (mesh.degrees > 3)
    if np.any(flat):
        sums = np.stack(
            [
                np.bincount(mesh.triangle_polygons, cross[:, axis], mesh.polygon_count)
                for axis in range(3)
            ],
            axis=1,
            dtype=np.float64,
        )
        own = np.repeat(flat, mesh.degrees)
        out[own] = np.repeat(_unit(sums), mesh.degrees, axis=0)[own]
    _use_explicit(mesh, out, np.arange(len(out)))
    return out


def triangle_normals(mesh: Mesh, weighting: Weighting = "angle") -> F32:
    """Return the normal of each corner of each triangle, (t, 3, 3) float32 of length 1.

    Args:
        mesh: The mesh.
        weighting: How face normals count.
    """
    with np.errstate(all="ignore"):
        out = _triangle_normals(mesh, weighting, _crosses(mesh))
    rows = out.reshape(-1, 3)
    _use_explicit(mesh, rows, mesh.triangles.reshape(-1))
    return out


def _use_explicit(mesh: Mesh, out: F32, corners: npt.NDArray[Any]) -> None:
    explicit = mesh.normals
    if explicit is None or not len(explicit.vectors):
        return
    number = explicit.corners[corners]
    used = number >= 0
    out[used] = explicit.vectors[number[used]]


def _crosses(mesh: Mesh) -> F64:
    """Return twice the area of each triangle as a vector along its normal, (t, 3)."""
    points, faces = mesh.positions.astype(np.float64), mesh.faces
    out = np.empty((len(faces), 3))
    for part in _parts(len(faces)):
        a, b, c = (points[faces[part, corner]] for corner in range(3))
        out[part] = _cross(b - a, c - a)
    return out


def _parts(count: int) -> Iterator[slice]:
    """Yield parts of some triangles, so that what is computed on the way stays small."""
    for start in range(0, count, _BLOCK):
        yield slice(start, start + _BLOCK)


def _cross(a: F64, b: F64) -> F64:
    # numpy.cross copies its arguments around, which takes longer than the products.
    out = np.empty_like(a)
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        out[:, axis] = a[:, one] * b[:, two] - a[:, two] * b[:, one]
    return out


def _unit(vectors: F64, least: float = _TINY) -> F64:
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    empty = ~((length > least) & (length < np.inf))
    out = vectors / np.where(empty, 1.0, length)[:, None]
    out[empty] = _NONE
    return out


def _angles(positions: F64, faces: npt.NDArray[Any]) -> F64:
    """Return the interior angles of triangles, (t, 3), in radians."""
    out = np.empty(faces.shape)
    for part in _parts(len(faces)):
        points = positions[faces[part]]
        for corner in range(3):
            here = points[:, corner]
            a, b = points[:, (corner + 1) % 3] - here, points[:, (corner + 2) % 3] - here
            across = _cross(a, b)
            out[part, corner] = np.arctan2(
                np.sqrt(np.einsum("ij,ij->i", across, across)), np.einsum("ij,ij->i", a, b)
            )
    return out


def _triangle_normals(mesh: Mesh, weighting: Weighting, cross: F64) -> F32:
    faces = mesh.faces
    length = np.sqrt(np.einsum("ij,ij->i", cross, cross))
    empty = ~((length > _TINY) & (length < np.inf))
    normal = cross / np.where(empty, 1.0, length)[:, None]
    normal[empty] = 0.0
    if weighting == "angle":
        weights = _angles(mesh.positions.astype(np.float64), faces)
    else:
        weight = np.ones(len(faces)) if weighting == "unit" else length
        weights = np.repeat(weight[:, None], 3, axis=1)
    weights[empty] = 0.0
    groups = mesh.smoothing[mesh.triangle_polygons]
    flat = groups == 0
    out = np.empty((len(faces), 3, 3), np.float32)
    smooth = np.flatnonzero(~flat)
    if len(smooth) < len(faces):
        own = normal[flat]
        own[empty[flat]] = _NONE
        out[flat] = own[:, None, :]
        if not len(smooth):
            return out
        faces, groups, weights, normal = (
            faces[smooth],
            groups[smooth],
            weights[smooth],
            normal[smooth],
        )
    clusters, count = smoothing_clusters(faces, groups)
    of_corner = clusters.reshape(-1)
    sums = np.empty((count, 3))
    for axis in range(3):
        parts = weights * normal[:, axis, None]
        sums[:, axis] = np.bincount(of_corner, parts.reshape(-1), count)
    # Sums that cancel out leave rounding errors; those of unit normals and of areas differ in size.
    scale = np.bincount(of_corner, np.abs(weights).reshape(-1), count)
    sums[np.abs(sums).max(axis=1) <= _NO_SUM * scale] = 0.0
    found = _unit(sums).astype(np.float32)
    if len(smooth) < len(out):
        out[smooth] = found[clusters]
    else:
        for part in _parts(len(out)):
            out[part] = found[clusters[part]]
    return out


def smoothing_clusters(faces: npt.NDArray[Any], groups: npt.NDArray[Any]) -> tuple[Ints, int]:
    """Return which corners have a normal in common.

    Args:
        faces: (t, 3) vertices.
        groups: (t,) uint32 smoothing groups, none of them 0.

    Returns:
        (t, 3) int64 numbers of clusters, and a number that none of them reaches.
    """
    masks, kind = np.unique(groups.astype(np.uint32), return_inverse=True)
    kinds = len(masks)
    vertices = faces.astype(np.int64)
    top = (int(vertices.max()) + 1) if vertices.size else 0
    keys = vertices * kinds + kind.reshape(-1)[:, None]
    if np.all(masks & (masks - np.uint32(1)) == 0) or kinds == 1:
        if top * kinds <= _SPARSE * keys.size:
            return keys, top * kinds
        used, number = np.unique(keys, return_inverse=True)
        return number.reshape(keys.shape), len(used)
    pairs, number = np.unique(keys, return_inverse=True)
    closed = _closed(pairs // kinds, masks[pairs % kinds])
    _, cluster = np.unique(
        (pairs // kinds) << np.int64(32) | closed.astype(np.int64), return_inverse=True
    )
    clusters = cluster.reshape(-1)[number.reshape(keys.shape)]
    return clusters, int(cluster.max()) + 1


def _closed(vertices: Ints, masks: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return the masks with all groups that they share at their vertex, directly or not.

    Args:
        vertices: (n,) vertex of each mask.
        masks: (n,).
    """
    row, bit = np.nonzero((masks[:, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1))
    key = vertices[row] * 32 + bit
    order = np.argsort(key, kind="stable")
    begins = np.nonzero(np.append(True, np.diff(key[order]) != 0))[0]
    group = np.empty(len(key), np.int64)
    group[order] = np.cumsum(np.append(False, np.diff(key[order]) != 0))
    first = np.searchsorted(row, np.arange(len(masks)))
    while True:
        shared = np.bitwise_or.reduceat(masks[row[order]], begins)
        more = np.bitwise_or.reduceat(shared[group], first)
        if np.array_equal(more, masks):
            return masks
        masks = more
