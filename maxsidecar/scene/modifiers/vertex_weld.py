"""Vertex Weld: joins vertices that are near (docs/format/modifiers-unproved.md, section 7)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import polygon_mesh, to_triangles
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.geometry.stored.walk import ragged_index
from maxsidecar.scene.geometry.triangulate import default_diagonals, diagonals_of
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.face_sets import components
from maxsidecar.scene.modifiers.rebuild import with_creases
from maxsidecar.scene.modifiers.spaces import check_places, chosen_vertices

__all__ = ["VERTEX_WELD", "near_pairs", "vertex_weld"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

VERTEX_WELD: Final = (0x709029E0, 0x2CFA07BD)
_LEAST_SIDES: Final = 3
#: Most pairs of places that are compared: some seconds of work.
_MOST_PAIRS: Final = 20_000_000
#: More cells than this along an axis have no numbers; then only equal places are near.
_MOST_CELLS: Final = 1e15
#: Factors that make one number of the three of a cell.
_HASH: Final = np.array([73_856_093, 19_349_663, 83_492_791], np.int64)


@modifier(VERTEX_WELD)
def vertex_weld(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Join vertices within the threshold in their middle; faces that lose their extent go."""
    mesh = call.convert(geometry)
    check_places(mesh)
    threshold = max(Values(call.obj, call).number("threshold"), 0.0)
    weights = chosen_vertices(mesh)
    chosen = np.ones(len(mesh.positions), np.bool_) if weights is None else weights == 1.0
    numbers = np.nonzero(chosen)[0]
    points = mesh.positions.astype(np.float64)
    one, other = near_pairs(points[numbers], threshold)
    one, other = numbers[one], numbers[other]
    if mesh.is_polygons:
        fits = _joinable(mesh, one, other)
        one, other = one[fits], other[fits]
    call.approximate(UNPROVED)
    if not len(one):
        return mesh
    target = components(len(points), one, other)
    sizes = np.bincount(target, minlength=len(points))
    sums = np.stack([np.bincount(target, points[:, axis], len(points)) for axis in range(3)], 1)
    places = np.where((sizes > 1)[:, None], sums / np.maximum(sizes, 1)[:, None], points)
    out = _joined(mesh, target, places)
    return out if mesh.is_polygons else to_triangles(out)


def near_pairs(points: F64, distance: float) -> tuple[Ints, Ints]:
    """Return pairs of points that hang together all points no farther apart than a distance.

    Points at equal places are paired with the first of them only, so that many of them are few.

    Args:
        points: (n, 3).
        distance: At least 0.

    Raises:
        NotSupportedError: Too many places are near to one another.
    """
    places, first, number = np.unique(points, axis=0, return_index=True, return_inverse=True)
    number = number.reshape(-1)
    equal = np.nonzero(first[number] != np.arange(len(points)))[0]
    one, other = [first[number[equal]]], [equal]
    if not len(places) or distance == 0.0:
        return one[0], other[0]
    if float(np.ptp(places, axis=0).max()) / distance < _MOST_CELLS:
        cells = np.floor((places - places.min(axis=0)) / distance).astype(np.int64)
        keys = cells @ _HASH
        order = np.argsort(keys)
        ordered = keys[order]
        for step in product((-1, 0, 1), repeat=3):
            # Cells of the same number are compared for nothing, which does no harm.
            wanted = keys + int(np.array(step) @ _HASH)
            low = np.searchsorted(ordered, wanted, "left")
            counts = np.searchsorted(ordered, wanted, "right") - low
            if int(counts.sum()) > _MOST_PAIRS:
                raise NotSupportedError(f"more than {_MOST_PAIRS} pairs of vertices are near")
            a = np.repeat(np.arange(len(places)), counts)
            b = order[ragged_index(low, counts)]
            a, b = a[a < b], b[a < b]
            near = np.linalg.norm(places[a] - places[b], axis=1) <= distance
            one.append(first[a[near]])
            other.append(first[b[near]])
    return np.concatenate(one), np.concatenate(other)


def _joinable(mesh: Mesh, one: Ints, other: Ints) -> Bits:
    """Return which pairs a polygon mesh can join: those on borders, and ends of one edge."""
    count = len(mesh.positions)
    start = mesh.corners.astype(np.int64)
    end = start[mesh.next_corners]
    border = np.ones(count, np.bool_)
    border[start] = False
    rim = twin_corners(mesh) < 0
    border[start[rim]] = border[end[rim]] = True
    edges = np.minimum(start, end) * count + np.maximum(start, end)
    pairs = np.minimum(one, other) * count + np.maximum(one, other)
    out: Bits = (border[one] & border[other]) | np.isin(pairs, edges)
    return out


def _joined(mesh: Mesh, target: Ints, places: F64) -> Mesh:
    """Return a polygon mesh with vertices replaced by others.

    Args:
        mesh: The mesh.
        target: (v,) the vertex that takes the place of each; itself where it stays.
        places: (v, 3) where those that stay are.
    """
    left = target == np.arange(len(target))
    number = (np.cumsum(left) - 1)[target]
    corners = number[mesh.corners]
    owner = mesh.corner_polygons
    longer = corners != corners[mesh.next_corners]
    degrees = np.bincount(owner[longer], minlength=mesh.polygon_count)
    alive = degrees >= _LEAST_SIDES
    rows = np.nonzero(longer & alive[owner])[0]
    polygons = np.nonzero(alive)[0]
    starts = np.append(0, np.cumsum(degrees[polygons]))
    positions = places[left].astype(np.float32)
    out = polygon_mesh(
        positions,
        corners[rows],
        starts,
        diagonals=_diagonals(mesh, positions, corners[rows], starts, polygons),
        material_ids=mesh.material_ids[polygons],
        smoothing=mesh.smoothing[polygons],
        edge_visible=mesh.edge_visible[rows],
        maps={
            key: MapChannel(channel.vertices, channel.corners[rows])
            for key, channel in mesh.maps.items()
        },
        selection=_selection(mesh.selection, left, polygons, rows),
    )
    return with_creases(mesh, out, rows) if mesh.is_polygons else out


def _diagonals(
    mesh: Mesh, positions: npt.NDArray[np.float32], corners: Ints, starts: Ints, polygons: Ints
) -> Ints:
    """Return diagonals: the old ones of polygons with as many corners as before, else by shape."""
    old, _ = diagonals_of(mesh.starts, mesh.triangles, mesh.triangle_polygons)
    before = np.maximum(mesh.degrees.astype(np.int64) - _LEAST_SIDES, 0)
    first = np.cumsum(before) - before
    degrees = np.diff(starts)
    counts = degrees - _LEAST_SIDES
    at = np.cumsum(counts) - counts
    out = np.zeros((int(counts.sum()), 2), np.int64)
    same = degrees == mesh.degrees[polygons]
    kept, anew = np.nonzero(same)[0], np.nonzero(~same & (counts > 0))[0]
    rows = polygons[kept]
    out[ragged_index(at[kept], counts[kept])] = old[ragged_index(first[rows], before[rows])]
    if len(anew):
        own = corners[ragged_index(starts[anew], degrees[anew])]
        ends = np.append(0, np.cumsum(degrees[anew]))
        out[ragged_index(at[anew], counts[anew])] = default_diagonals(positions, own, ends)
    return out


def _selection(old: Selection, left: Bits, polygons: Ints, rows: Ints) -> Selection:
    return replace(
        old,
        vertices=None if old.vertices is None else old.vertices[left],
        weights=None if old.weights is None else old.weights[left],
        polygons=None if old.polygons is None else old.polygons[polygons],
        corners=None if old.corners is None else old.corners[rows],
    )
