"""Putting polygon meshes together anew: mirrored copies, welded vertices, creases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import edge_list, twin_corners
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.stored.walk import ragged_index

__all__ = [
    "elements_of",
    "flipped_corners",
    "mirrored_copy",
    "turned",
    "weld",
    "with_creases",
]

Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]


def with_creases(old: Mesh, new: Mesh, sides: Ints) -> Mesh:
    """Return the new mesh with the creases of the old one.

    Args:
        old: Where creases are from.
        new: A mesh with edges.
        sides: (c,) for each corner of the new mesh the corner of the old one whose edge goes on
            behind it, -1 for a new edge.
    """
    crease = None if old.edges is None else old.edges.crease
    if crease is None or new.edges is None:
        return new
    before, after = edge_list(old), edge_list(new)
    values = np.zeros(len(after.vertices), np.float32)
    found = (sides >= 0) & (after.of_corner >= 0)
    edge = before.of_corner[sides[found]]
    values[after.of_corner[found][edge >= 0]] = crease[edge[edge >= 0]]
    return replace(new, edges=Edges(new.edges.vertices, values))


def flipped_corners(mesh: Mesh, polygons: Ints) -> Ints:
    """Return the corners of some polygons in the other direction.

    Polygons keep their first corner; triangles of a triangle mesh change the first two (MEASURED on
    collapsed meshes, docs/format/modifiers-shape.md, section 4).
    """
    degrees = mesh.degrees.astype(np.int64)[polygons]
    firsts = np.repeat(mesh.starts.astype(np.int64)[:-1][polygons], degrees)
    local = ragged_index(np.zeros(len(polygons), np.int64), degrees)
    size = np.repeat(degrees, degrees)
    turned = -local if mesh.is_polygons else 1 - local
    out: Ints = firsts + turned % np.maximum(size, 1)
    return out


def mirrored_copy(mesh: Mesh, polygons: Ints, positions: npt.NDArray[np.float32]) -> Mesh:
    """Return the mesh with copies of some polygons behind it, in the other direction.

    Args:
        mesh: The mesh.
        polygons: Numbers of polygons, ascending.
        positions: (v, 3) where copies of the vertices go.

    Returns:
        The vertices of the copies come in the order in which the polygons first use them.
    """
    count, corner_count = len(mesh.positions), len(mesh.corners)
    degrees = mesh.degrees.astype(np.int64)[polygons]
    own = ragged_index(mesh.starts.astype(np.int64)[:-1][polygons], degrees)
    used, first = np.unique(mesh.corners[own].astype(np.int64), return_index=True)
    used = used[np.argsort(first)]
    number = np.zeros(count, np.int64)
    number[used] = count + np.arange(len(used))
    turned = flipped_corners(mesh, polygons)
    place = np.empty(corner_count, np.int64)
    place[turned] = corner_count + np.arange(len(turned))
    # The side behind a turned corner is that behind the corner which follows it there.
    following = _following(degrees)
    side = turned[following]
    chosen = np.zeros(mesh.polygon_count, np.bool_)
    chosen[polygons] = True
    rows = np.nonzero(chosen[mesh.triangle_polygons])[0]
    triangles = place[mesh.triangles[rows][:, [0, 2, 1] if mesh.is_polygons else [1, 0, 2]]]
    new_number = np.cumsum(chosen) - 1 + mesh.polygon_count
    maps = {}
    for key, channel in mesh.maps.items():
        corners = np.append(channel.corners, channel.corners[turned])
        maps[key] = MapChannel(channel.vertices, corners.astype(np.int32))
    starts = np.append(mesh.starts, corner_count + np.cumsum(degrees)).astype(np.int32)
    out = replace(
        mesh,
        positions=np.concatenate([mesh.positions, positions[used]]),
        corners=np.append(mesh.corners, number[mesh.corners[turned]]).astype(np.int32),
        starts=starts,
        material_ids=np.append(mesh.material_ids, mesh.material_ids[polygons]),
        smoothing=np.append(mesh.smoothing, mesh.smoothing[polygons]),
        edge_visible=np.append(mesh.edge_visible, mesh.edge_visible[side]),
        triangles=np.concatenate([mesh.triangles, triangles]).astype(np.int32),
        triangle_polygons=np.append(
            mesh.triangle_polygons, new_number[mesh.triangle_polygons[rows]]
        ).astype(np.int32),
        maps=maps,
        normals=None,
        edges=None,
        selection=_doubled(mesh.selection, used, polygons, side),
    )
    if mesh.is_polygons:
        edges = edge_list(mesh)
        copied, at = np.unique(edges.of_corner[own], return_index=True)
        copied = copied[np.argsort(at)]
        ends = number[edges.vertices[copied[copied >= 0]][:, ::-1]]
        out.edges = _listed(out, np.concatenate([edges.vertices, ends]))
        out = with_creases(mesh, out, np.append(np.arange(corner_count), side))
    return out


def _listed(mesh: Mesh, vertices: npt.NDArray[Any]) -> Edges:
    """Return edges in the order of a list of pairs, of which the first of equals counts.

    Where polygons have edges that the list lacks, all come in the order of the polygons.
    """
    ends = vertices.astype(np.int64)
    keys = ends.min(axis=1) * max(1, len(mesh.positions)) + ends.max(axis=1)
    _, first = np.unique(keys, return_index=True)
    edges = Edges(np.ascontiguousarray(vertices[np.sort(first)], np.int32))
    if np.any(edge_list(replace(mesh, edges=edges)).of_corner < 0):
        edges = Edges(edge_list(replace(mesh, edges=None)).vertices)
    return edges


def _following(degrees: Ints) -> Ints:
    """Return the next corner of each corner of polygons that stand one behind the other."""
    total = int(degrees.sum())
    following = np.arange(1, total + 1)
    ends = np.cumsum(degrees)
    filled = degrees > 0
    following[ends[filled] - 1] = ends[filled] - degrees[filled]
    return following


def _doubled(old: Selection, used: Ints, polygons: Ints, side: Ints) -> Selection:
    def more(values: npt.NDArray[Any] | None, chosen: Ints) -> npt.NDArray[Any] | None:
        return None if values is None else np.append(values, values[chosen])

    return replace(
        old,
        vertices=more(old.vertices, used),
        weights=more(old.weights, used),
        polygons=more(old.polygons, polygons),
        corners=more(old.corners, side),
    )


def weld(mesh: Mesh, target: Ints, positions: npt.NDArray[np.float32]) -> Mesh:
    """Return the mesh with vertices replaced by others, and those that are replaced gone.

    Args:
        mesh: A mesh.
        target: (v,) vertex that takes the place of each; itself where it stays.
        positions: (v, 3) where vertices are afterwards.
    """
    stay = target == np.arange(len(target))
    number = (np.cumsum(stay) - 1)[target]
    old = mesh.selection
    out = replace(
        mesh,
        positions=positions[stay],
        corners=number[mesh.corners].astype(np.int32),
        edges=None,
        selection=replace(
            old,
            vertices=None if old.vertices is None else old.vertices[stay],
            weights=None if old.weights is None else old.weights[stay],
        ),
    )
    if mesh.is_polygons:
        out.edges = _listed(out, number[edge_list(mesh).vertices])
        out = with_creases(mesh, out, np.arange(len(mesh.corners)))
    return out


def elements_of(mesh: Mesh, polygons: Ints) -> Ints:
    """Return all polygons that hang together with some."""
    chosen = np.zeros(mesh.polygon_count, np.bool_)
    chosen[polygons] = True
    if chosen.all():
        return polygons
    twins = twin_corners(mesh)
    sides = np.nonzero(twins >= 0)[0]
    owner = mesh.corner_polygons
    labels = np.arange(mesh.polygon_count)
    one, other = owner[sides], owner[twins[sides]]
    while True:
        least = labels.copy()
        np.minimum.at(least, one, labels[other])
        least = np.minimum(least, least[least])
        if np.array_equal(least, labels):
            break
        labels = least
    return np.nonzero(np.isin(labels, labels[chosen]))[0]


def turned(mesh: Mesh, polygons: Ints) -> Mesh:
    """Return the mesh with some polygons in the other direction."""
    order = np.arange(len(mesh.corners))
    chosen = np.zeros(mesh.polygon_count, np.bool_)
    chosen[polygons] = True
    here = np.repeat(chosen, mesh.degrees)
    order[here] = flipped_corners(mesh, polygons)
    # The side behind a turned corner is that behind the corner which follows it there.
    sides = np.arange(len(order))
    sides[here] = order[mesh.next_corners[here]]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    triangles = place[mesh.triangles]
    rows = chosen[mesh.triangle_polygons]
    triangles[rows] = triangles[rows][:, [0, 2, 1] if mesh.is_polygons else [1, 0, 2]]
    old = mesh.selection
    out = replace(
        mesh,
        corners=mesh.corners[order],
        edge_visible=mesh.edge_visible[sides],
        triangles=triangles.astype(np.int32),
        maps={
            number: MapChannel(channel.vertices, channel.corners[order])
            for number, channel in mesh.maps.items()
        },
        normals=None,
        edges=None,
        selection=replace(old, corners=None if old.corners is None else old.corners[sides]),
    )
    if mesh.is_polygons:
        out.edges = Edges(edge_list(mesh).vertices)
        out = with_creases(mesh, out, sides)
    return out
