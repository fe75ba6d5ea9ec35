"""Edges of a mesh: pairs of corners that lie on the two sides of one.

An edge joins a polygon side that goes from one vertex to another with a side that goes back.  A
third polygon at the same vertices gets an edge of its own, as in a stored polygon mesh, where no
edge has more than two polygons (docs/format/mesh.md, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Edges, Mesh

__all__ = ["EdgeList", "edge_list", "twin_corners"]

I32: TypeAlias = npt.NDArray[np.int32]
Ints: TypeAlias = npt.NDArray[np.int64]


@dataclass(slots=True)
class EdgeList:
    """Edges with the corners that they belong to.

    Attributes:
        vertices: (e, 2) int32.
        of_corner: (c,) int32: edge from each corner to the next one, -1 where none is known.
        corners: (e, 2) int32: corners whose edge it is, -1 where there is no second one; the
            first has the lower number.
    """

    vertices: I32
    of_corner: I32
    corners: I32


def _ranks(keys: Ints) -> tuple[Ints, Ints]:
    """Return the order that sorts keys, and which of its equals each one is, from 0."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    fresh = np.append(True, ordered[1:] != ordered[:-1]) if len(keys) else np.zeros(0, bool)
    begin = np.maximum.accumulate(np.where(fresh, np.arange(len(keys)), 0))
    rank = np.empty(len(keys), np.int64)
    rank[order] = np.arange(len(keys)) - begin
    return order, rank


def twin_corners(mesh: Mesh) -> I32:
    """Return for each corner the corner whose side runs the other way along the same edge.

    Returns:
        (c,) int32, -1 at borders.  Where more than two polygons meet, the first that runs one way
        belongs to the first that runs the other way, and so on.
    """
    a = mesh.corners.astype(np.int64)
    b = a[mesh.next_corners]
    return _twins(a, b, max(1, len(mesh.positions)))


def _twins(a: Ints, b: Ints, count: int) -> I32:
    """Return the twins of sides from vertices ``a`` to vertices ``b``."""
    total = len(a)
    out = np.full(total, -1, np.int32)
    if not total:
        return out
    backward = a > b
    keys = np.where(backward, b * count + a, a * count + b)
    # Sides along the same two vertices come together, those that run up before those that run down.
    order = np.argsort(2 * keys + backward, kind="stable")
    ordered, down = keys[order], backward[order]
    place = np.arange(total)
    fresh = np.append(True, ordered[1:] != ordered[:-1])
    begins = np.flatnonzero(fresh)
    group = np.cumsum(fresh) - 1
    downs = np.add.reduceat(down.astype(np.int64), begins)
    ups = np.diff(begins, append=total) - downs
    rank = place - begins[group] - np.where(down, ups[group], 0)
    good = rank < np.where(down, ups[group], downs[group])
    # A side from a vertex to itself is nobody's twin.
    good &= (a != b)[order]
    found = begins[group] + rank + np.where(down, 0, ups[group])
    out[order[good]] = order[found[good]]
    return out


def edge_list(mesh: Mesh, twins: I32 | None = None) -> EdgeList:
    """Return the edges of a mesh in the order of its own list, else as 3ds Max numbers new ones.

    New edges are numbered polygon by polygon, side by side, and run as the first side that uses
    them does (85 of 142 stored polygon meshes are exactly so; the others were edited).
    Degenerate sides from a vertex to itself have edges, too.

    Args:
        mesh: The mesh.
        twins: What :func:`twin_corners` gives of it, where that is at hand.
    """
    if mesh.edges is not None:
        return _stored(mesh, mesh.edges)
    if twins is None:
        twins = twin_corners(mesh)
    corner = np.arange(len(mesh.corners), dtype=np.int32)
    first = (twins < 0) | (twins > corner)
    number = np.cumsum(first, dtype=np.int32) - 1
    of_corner = np.where(first, number, number[twins])
    vertices = np.stack([mesh.corners, mesh.corners[mesh.next_corners]], axis=1)[first]
    corners = np.stack([corner, twins], axis=1)[first]
    return EdgeList(vertices, of_corner.astype(np.int32), corners)


def _stored(mesh: Mesh, edges: Edges) -> EdgeList:
    """Return a mesh's own edge list with its corners."""
    count = max(1, len(mesh.positions))
    a = mesh.corners.astype(np.int64)
    b = a[mesh.next_corners]
    twins = _twins(a, b, count)
    corner = np.arange(len(a), dtype=np.int32)
    leader = np.where((twins >= 0) & (twins < corner), twins, corner)
    ends = edges.vertices.astype(np.int64)
    edge_keys = ends.min(axis=1) * count + ends.max(axis=1) if len(ends) else np.zeros(0, np.int64)
    leaders = np.unique(leader)
    side_keys = np.minimum(a, b)[leaders] * count + np.maximum(a, b)[leaders]
    # The first edge at two vertices belongs to the first side there, and so on.
    edge_order, edge_rank = _ranks(edge_keys)
    _, side_rank = _ranks(side_keys)
    of_leader = np.full(len(a), -1, np.int32)
    if len(edge_keys):
        place = np.searchsorted(edge_keys[edge_order], side_keys) + side_rank
        inside = place < len(edge_keys)
        found = edge_order[np.where(inside, place, 0)]
        good = inside & (edge_keys[found] == side_keys) & (edge_rank[found] == side_rank)
        of_leader[leaders[good]] = found[good]
    of_corner = of_leader[leader]
    corners = np.full((len(ends), 2), -1, np.int32)
    for side, chosen in enumerate((leader == corner, leader != corner)):
        used = np.nonzero(chosen & (of_corner >= 0))[0]
        corners[of_corner[used], side] = used
    return EdgeList(edges.vertices, of_corner, corners)
