"""Cutting a mesh by a plane, as Symmetry does (docs/format/modifiers-shape.md, section 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.polygons import polygon_mesh
from maxsidecar.scene.geometry.stored.walk import ragged_index
from maxsidecar.scene.geometry.triangulate import default_diagonals, diagonals_of
from maxsidecar.scene.modifiers.rebuild import with_creases

__all__ = ["clip"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

#: Nearer to the plane than this a vertex lies on it (public header of the SDK: MNEPS).
_ON: Final = 1e-4


def clip(mesh: Mesh, distances: F64) -> Mesh:
    """Return what lies above a plane, without polygons that lie in it.

    Args:
        mesh: A mesh of polygons.
        distances: (v,) distances from the plane, positive above.

    Returns:
        The old vertices come first, without those that nothing uses any more; then those on the
        edges that were cut.
    """
    above, below = distances > _ON, distances < -_ON
    start = mesh.corners.astype(np.int64)
    end = start[mesh.next_corners]
    cut = (above[start] & below[end]) | (below[start] & above[end])
    kept = ~below[start]
    filled = mesh.degrees > 0
    alive = np.zeros(mesh.polygon_count, np.bool_)
    if filled.any():
        alive[filled] = np.logical_or.reduceat(above[start], mesh.starts[:-1][filled])
    if alive.all() and not below[start].any():
        return mesh
    owner = mesh.corner_polygons
    kept &= alive[owner]
    cut &= alive[owner]
    # Two places for each corner: itself, and the cut on the edge behind it.
    items = np.stack([kept, cut], axis=1).reshape(-1)
    places = np.nonzero(items)[0]
    corner, is_cut = places >> 1, (places & 1).astype(bool)
    vertices, points = _cut_points(mesh, distances, start, end, corner, is_cut)
    corners, positions, stay = _used(mesh, vertices, points)
    polygons = np.nonzero(alive)[0]
    starts = np.append(0, np.cumsum(np.bincount(owner[corner], minlength=len(alive))[polygons]))
    # An edge of the polygon goes on behind a place unless it leads into the plane.
    side = np.where(below[end[corner]] & (is_cut | ~above[start[corner]]), -1, corner)
    whole = np.ones(mesh.polygon_count, np.bool_)
    whole[owner[cut | (below[start] & alive[owner])]] = False
    visible = np.where(side < 0, True, mesh.edge_visible[corner])
    out = polygon_mesh(
        positions,
        corners,
        starts,
        diagonals=_diagonals(mesh, positions, corners, starts, polygons, whole),
        material_ids=mesh.material_ids[polygons],
        smoothing=mesh.smoothing[polygons],
        edge_visible=visible,
        maps={
            number: _cut_map(mesh, channel, distances, corner, is_cut)
            for number, channel in mesh.maps.items()
        },
        selection=_selection(mesh.selection, polygons, stay, len(positions)),
    )
    return with_creases(mesh, out, side)


def _ratios(distances: F64, one: Ints, other: Ints) -> F64:
    """Return how far from one to the other vertices the plane is."""
    a, b = distances[one], distances[other]
    with np.errstate(all="ignore"):
        out: F64 = np.clip(a / (a - b), 0.0, 1.0)
    return out


def _cut_points(
    mesh: Mesh, distances: F64, start: Ints, end: Ints, corner: Ints, is_cut: Bits
) -> tuple[Ints, F64]:
    """Return the vertex of each place, and new ones for each edge in order of first use."""
    count = len(mesh.positions)
    here = corner[is_cut]
    low, high = np.minimum(start[here], end[here]), np.maximum(start[here], end[here])
    _, first, number = np.unique(low * count + high, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    order = np.argsort(first)
    rank[order] = np.arange(len(first))
    chosen = first[order]
    one, other = low[chosen], high[chosen]
    ratio = _ratios(distances, one, other)[:, None]
    points = mesh.positions.astype(np.float64)
    vertices = start[corner]
    vertices[is_cut] = count + rank[number.reshape(-1)]
    return vertices, points[one] + (points[other] - points[one]) * ratio


def _used(mesh: Mesh, vertices: Ints, points: F64) -> tuple[Ints, F64, Bits]:
    """Return corners, positions, and which old vertices stay: those without polygons do, too."""
    count = len(mesh.positions)
    lost = np.zeros(count, np.bool_)
    lost[mesh.corners] = True
    lost[vertices[vertices < count]] = False
    stay = ~lost
    number = np.append(np.cumsum(stay) - 1, int(stay.sum()) + np.arange(len(points)))
    positions = np.concatenate([mesh.positions.astype(np.float64)[stay], points])
    return number[vertices], positions, stay


def _diagonals(
    mesh: Mesh, positions: F64, corners: Ints, starts: Ints, polygons: Ints, whole: Bits
) -> npt.NDArray[Any]:
    """Return diagonals: those of before for polygons that were not cut, new ones for others."""
    old, _ = diagonals_of(mesh.starts, mesh.triangles, mesh.triangle_polygons)
    before = np.maximum(mesh.degrees.astype(np.int64) - 3, 0)
    first = np.cumsum(before) - before
    counts = np.maximum(np.diff(starts) - 3, 0)
    at = np.cumsum(counts) - counts
    out = np.zeros((int(counts.sum()), 2), np.int64)
    same = np.nonzero(whole[polygons])[0]
    rows = polygons[same]
    out[ragged_index(at[same], counts[same])] = old[ragged_index(first[rows], before[rows])]
    anew = np.nonzero(~whole[polygons])[0]
    degrees = np.diff(starts)[anew]
    own = corners[ragged_index(starts[anew], degrees)]
    new = default_diagonals(positions.astype(np.float32), own, np.append(0, np.cumsum(degrees)))
    out[ragged_index(at[anew], counts[anew])] = new
    return out


def _cut_map(
    mesh: Mesh, channel: MapChannel, distances: F64, corner: Ints, is_cut: Bits
) -> MapChannel:
    old = channel.vertices.astype(np.float64)
    here = corner[is_cut]
    behind = mesh.next_corners[here]
    pairs = np.stack([channel.corners[here], channel.corners[behind]], axis=1).astype(np.int64)
    # The same way along the edge for both of its polygons.
    swap = mesh.corners[here] > mesh.corners[behind]
    pairs[swap] = pairs[swap, ::-1]
    one = np.where(swap, mesh.corners[behind], mesh.corners[here]).astype(np.int64)
    other = np.where(swap, mesh.corners[here], mesh.corners[behind]).astype(np.int64)
    ratio = _ratios(distances, one, other)[:, None]
    points = old[pairs[:, 0]] + (old[pairs[:, 1]] - old[pairs[:, 0]]) * ratio
    rows = np.column_stack([pairs, one, other])
    _, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    corners = channel.corners[corner].astype(np.int64)
    corners[is_cut] = len(old) + number.reshape(-1)
    return MapChannel(
        np.concatenate([old, points[first]]).astype(np.float32), corners.astype(np.int32)
    )


def _selection(old: Selection, polygons: Ints, stay: Bits, count: int) -> Selection:
    def vertices(values: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
        if values is None:
            return None
        out = np.zeros(count, values.dtype)
        out[: int(stay.sum())] = values[stay]
        return out

    return replace(
        old,
        vertices=vertices(old.vertices),
        weights=vertices(old.weights),
        polygons=None if old.polygons is None else old.polygons[polygons],
        corners=None,
    )
