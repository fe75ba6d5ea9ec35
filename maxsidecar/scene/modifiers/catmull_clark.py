"""One step of Catmull-Clark subdivision, as TurboSmooth and MeshSmooth do it.

A polygon becomes one quad for each corner.  New vertices come behind the old ones: a point for
each polygon, then one for each edge (docs/format/modifiers-shape.md, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import EdgeList, edge_list, twin_corners
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.pipeline import NotSupportedError

__all__ = ["catmull_clark"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[Any]
Bits: TypeAlias = npt.NDArray[np.bool_]

_LEAST_SIDES: Final = 3
#: A line of sharp edges runs through a vertex; more of them meet in a corner.
_MOST_SEAMS: Final = 2


@dataclass(slots=True)
class _Topology:
    """Polygons over vertices, or over map vertices, with edges that both have.

    Attributes:
        corners: (c,) vertex of each corner.
        polygons: (c,) polygon of each corner.
        following: (c,) next corner.
        edges: (e, 2) vertices.
        of_corner: (c,) edge from each corner to the next one.
        sides: (e, 2) corners of each edge, -1 for none.
    """

    corners: Ints
    polygons: Ints
    following: Ints
    edges: Ints
    of_corner: Ints
    sides: Ints


def catmull_clark(mesh: Mesh, hard: Bits, *, alternate: bool) -> tuple[Mesh, Bits]:
    """Return the mesh with its polygons divided once.

    Args:
        mesh: A mesh of polygons.
        hard: (e,) bool: edges of :func:`edge_list` that stay sharp.
        alternate: Whether the diagonals of quads run from the old vertex, then between the edge
            points, in turn around a polygon, instead of always from the old vertex.

    Returns:
        The mesh, and which of the edges of its :func:`edge_list` stay sharp.

    Raises:
        NotSupportedError: A polygon has fewer than three corners.
    """
    if mesh.polygon_count and int(mesh.degrees.min()) < _LEAST_SIDES:
        raise NotSupportedError("a polygon has fewer than three corners")
    found = edge_list(mesh)
    topology = _Topology(
        mesh.corners,
        mesh.corner_polygons,
        mesh.next_corners,
        found.vertices,
        found.of_corner,
        found.corners,
    )
    count, polygons = len(mesh.positions), mesh.polygon_count
    positions = _points(topology, mesh.positions, polygons, hard)
    corners = _quads(topology, count, polygons)
    owners = topology.polygons
    total = len(owners)
    out = Mesh(
        positions=positions.astype(np.float32),
        corners=corners,
        starts=np.arange(0, 4 * total + 1, 4, dtype=np.int32),
        material_ids=mesh.material_ids[owners],
        smoothing=mesh.smoothing[owners],
        edge_visible=np.ones(4 * total, np.bool_),
        triangles=_triangles(mesh, alternate),
        triangle_polygons=np.repeat(np.arange(total, dtype=np.int32), 2),
        maps={
            number: _divide_map(mesh, found, channel, hard) for number, channel in mesh.maps.items()
        },
        selection=_selection(mesh, owners),
        is_polygons=True,
    )
    new = edge_list(out)
    out.edges = Edges(new.vertices)
    return out, _still_hard(new, hard, count + polygons, len(found.vertices))


def _points(
    topology: _Topology, places: Ints, polygons: int, hard: Bits, fixed: Bits | None = None
) -> F64:
    """Return old, polygon and edge points, (v + p + e, 3); old ones that are fixed stay."""
    old = places.astype(np.float64)
    faces = _mean(topology.polygons, old[topology.corners], polygons)
    middles = old[topology.edges].mean(axis=1)
    first, second = topology.sides.T
    soft = ~hard & (first >= 0) & (second >= 0)
    edges = middles.copy()
    edges[soft] = 0.5 * middles[soft] + 0.25 * (
        faces[topology.polygons[first[soft]]] + faces[topology.polygons[second[soft]]]
    )
    moved = _vertices(topology, old, faces, middles, soft)
    if fixed is not None:
        moved[fixed] = old[fixed]
    return np.concatenate([moved, faces, edges])


def _mean(keys: Ints, values: F64, count: int) -> F64:
    """Return the mean of the values of each key, 0 for none."""
    sums = _sum(keys, values, count)
    number = np.bincount(keys, minlength=count)
    out: F64 = sums / np.maximum(number, 1)[:, None]
    return out


def _sum(keys: Ints, values: F64, count: int) -> F64:
    columns = [np.bincount(keys, values[:, axis], count) for axis in range(values.shape[1])]
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


def _vertices(topology: _Topology, old: F64, faces: F64, middles: F64, soft: Bits) -> F64:
    """Return where the old vertices go."""
    count = len(old)
    used = np.bincount(topology.corners, minlength=count)
    ends = topology.edges.reshape(-1)
    each = np.repeat(middles, 2, axis=0)
    rough = np.repeat(~soft, 2)
    hard_edges = np.bincount(ends[rough], minlength=count)
    valence = np.bincount(ends, minlength=count).astype(np.float64)
    mean_face = _mean(topology.corners, faces[topology.polygons], count)
    mean_edge = _mean(ends, each, count)
    out = old.copy()
    smooth = (hard_edges < 2) & (used > 0) & (valence > 0)
    n = valence[smooth, None]
    out[smooth] = (mean_face[smooth] + 2.0 * mean_edge[smooth] + (n - 3.0) * old[smooth]) / n
    # Of two sharp edges the middles' mean is 1/2 V + 1/4 of both neighbours.
    crease = (hard_edges == 2) & (used > 1)
    along = _mean(ends[rough], each[rough], count)
    out[crease] = 0.5 * old[crease] + 0.5 * along[crease]
    return out


def _quads(topology: _Topology, count: int, polygons: int) -> npt.NDArray[np.int32]:
    """Return the corners of the quads: old vertex, edge behind, polygon, edge in front."""
    edge = count + polygons + topology.of_corner.astype(np.int64)
    before = np.empty_like(edge)
    before[topology.following] = edge
    quads = np.stack([topology.corners, edge, count + topology.polygons, before], axis=1)
    return quads.astype(np.int32).reshape(-1)


def _triangles(mesh: Mesh, alternate: bool) -> npt.NDArray[np.int32]:
    """Return the triangles of the quads."""
    total = len(mesh.corners)
    first = np.arange(0, 4 * total, 4, dtype=np.int32)
    local = np.arange(total) - np.repeat(mesh.starts[:-1], mesh.degrees)
    even = np.array([0, 1, 2, 2, 3, 0], np.int32)
    odd = np.array([3, 0, 1, 1, 2, 3], np.int32)
    offsets = np.where(((local % 2 == 0) | (not alternate))[:, None], even, odd)
    return (first[:, None] + offsets).astype(np.int32).reshape(-1, 3)


def _still_hard(new: EdgeList, hard: Bits, before: int, count: int) -> Bits:
    """Return which new edges are halves of sharp ones: from an old vertex to an edge point."""
    old_edge = new.vertices.max(axis=1).astype(np.int64) - before
    half = (old_edge >= 0) & (old_edge < count)
    # Edges from a polygon's point to that of an edge are always soft.
    half[new.of_corner.reshape(-1, 4)[:, 1:3].reshape(-1)] = False
    out = np.zeros(len(new.vertices), np.bool_)
    out[half] = hard[old_edge[half]]
    return out


def _divide_map(mesh: Mesh, found: EdgeList, channel: MapChannel, hard: Bits) -> MapChannel:
    """Return a map channel, divided by the rule for positions.

    Its seams are borders, and edges that are sharp in the mesh are sharp in it.  Where three of
    them or more meet at a vertex of the mesh, map vertices stay where they are.
    """
    like = replace(mesh, positions=channel.vertices, corners=channel.corners, edges=None, maps={})
    twins = twin_corners(like)
    # Sides that meet in the map and not in the mesh are no edge.
    corner = np.arange(len(twins), dtype=np.int64)
    leader = np.where((twins >= 0) & (twins < corner), twins, corner)
    first_side = leader == corner
    heads = np.nonzero(first_side)[0]
    of_corner = (np.cumsum(first_side) - 1)[leader]
    sides = np.stack([heads, twins[heads]], axis=1)
    following = mesh.next_corners
    edges = np.stack([channel.corners[heads], channel.corners[following[heads]]], axis=1)
    topology = _Topology(channel.corners, mesh.corner_polygons, following, edges, of_corner, sides)
    sharp = hard[found.of_corner[heads]]
    first, second = found.corners.T
    rough = hard | (second < 0) | (first < 0) | (twins[first] != second)
    meeting = np.bincount(found.vertices[rough].reshape(-1), minlength=len(mesh.positions))
    fixed = np.zeros(len(channel.vertices), np.bool_)
    fixed[channel.corners[meeting[mesh.corners] > _MOST_SEAMS]] = True
    places = _points(topology, channel.vertices, mesh.polygon_count, sharp, fixed)
    corners = _quads(topology, len(channel.vertices), mesh.polygon_count)
    return MapChannel(places.astype(np.float32), corners)


def _selection(mesh: Mesh, owners: Ints) -> Selection:
    """Return what is selected: quads of selected polygons."""
    old = mesh.selection
    if old.level != "face" or old.polygons is None:
        return Selection(old.level)
    return Selection("face", polygons=old.polygons[owners])
