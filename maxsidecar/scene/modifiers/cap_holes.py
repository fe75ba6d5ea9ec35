"""Cap Holes: a polygon for each border (docs/format/modifiers-shape.md, section 8)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.polygons import polygon_mesh, to_triangles
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.geometry.triangulate import (
    default_diagonals,
    diagonals_of,
    distinct_degrees,
)
from maxsidecar.scene.modifiers.spaces import check_corners

__all__ = ["CAP_HOLES", "border_loops", "cap_holes"]

Ints: TypeAlias = npt.NDArray[np.int64]

CAP_HOLES: Final = (0x470A1D7A, 0x53955C31)
_LEAST_SIDES: Final = 3


@modifier(CAP_HOLES)
def cap_holes(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Close all holes; a cap has the vertices and map vertices of its border."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    smooth = values.switch("smooth_new_faces", default=True)
    with_old = values.switch("smooth_with_old_faces", default=True)
    sides, lengths = border_loops(mesh)
    if not len(lengths):
        return mesh
    check_corners(len(mesh.corners) + len(sides))
    firsts = np.cumsum(lengths) - lengths
    old = mesh.smoothing[mesh.corner_polygons[sides]]
    if with_old:
        groups = np.bitwise_or.reduceat(old, firsts)
    else:
        groups = np.full(len(lengths), 1 if smooth else 0, np.uint32)
        call.approximate("no file proves which smoothing group a cap gets that is not smoothed in")
    out = _with_polygons(mesh, sides, lengths, groups)
    if mesh.is_polygons:
        return out
    triangles = to_triangles(out)
    if values.switch("visible_edges", default=True):
        visible = triangles.edge_visible.copy()
        visible[len(mesh.corners) :] = True
        triangles = replace(triangles, edge_visible=visible)
    return triangles


def border_loops(mesh: Mesh) -> tuple[Ints, Ints]:
    """Return the borders of the holes of a mesh.

    Returns:
        (n,) corners whose side lies on a border, border after border, as a polygon that closes it
        runs: each ends where the one before begins, and the second is the first of the mesh; and
        how many sides each border has.  Borders of fewer than three sides are left out.
    """
    twins = twin_corners(mesh).astype(np.int64)
    before = np.empty(len(twins), np.int64)
    before[mesh.next_corners] = np.arange(len(twins))
    border = np.nonzero(twins < 0)[0]
    # Around the vertex where a side begins, to the side of the border that ends there.
    following = before[border]
    turn = np.where(twins >= 0, before[twins], np.arange(len(twins)))
    for _ in range(len(turn).bit_length()):  # twice as many triangles in each round
        turn = turn[turn]
    following = turn[following]
    after = dict(zip(border.tolist(), following.tolist(), strict=True))
    sides: list[int] = []
    lengths: list[int] = []
    while after:
        side = start = next(iter(after))
        loop = [start]
        side = after.pop(start)
        while side != start:
            loop.append(side)
            side = after.pop(side)
        if len(loop) >= _LEAST_SIDES:
            sides += [loop[-1], *loop[:-1]]
            lengths.append(len(loop))
    return np.array(sides, np.int64), np.array(lengths, np.int64)


def _with_polygons(mesh: Mesh, sides: Ints, lengths: Ints, groups: npt.NDArray[np.uint32]) -> Mesh:
    """Return the mesh with caps behind its polygons."""
    corners = np.append(mesh.corners, mesh.corners[sides]).astype(np.int32)
    ends = np.cumsum(lengths)
    starts = np.append(mesh.starts, mesh.starts[-1] + ends).astype(np.int32)
    owners = mesh.corner_polygons[sides[ends - lengths]]
    diagonals, _ = diagonals_of(mesh.starts, mesh.triangles, mesh.triangle_polygons)
    new = _diagonals(mesh.positions, mesh.corners[sides].astype(np.int64), lengths)
    out = polygon_mesh(
        mesh.positions,
        corners,
        starts,
        diagonals=np.concatenate([diagonals, new]),
        material_ids=np.append(mesh.material_ids, mesh.material_ids[owners]),
        smoothing=np.append(mesh.smoothing, groups),
        edge_visible=np.append(mesh.edge_visible, np.ones(len(sides), np.bool_)),
        maps={
            number: MapChannel(channel.vertices, np.append(channel.corners, channel.corners[sides]))
            for number, channel in mesh.maps.items()
        },
    )
    selection = mesh.selection
    if selection.polygons is not None:
        more = np.zeros(len(lengths), np.bool_)
        selection = replace(selection, polygons=np.append(selection.polygons, more))
    if selection.corners is not None:
        none = np.zeros(len(sides), np.bool_)
        selection = replace(selection, corners=np.append(selection.corners, none))
    return replace(out, selection=selection)


def _diagonals(positions: npt.NDArray[np.float32], corners: Ints, lengths: Ints) -> Ints:
    """Return diagonals of caps: every second corner is cut off, again and again.

    Caps that are not convex are divided by shape.
    """
    counts, starts = lengths - 3, np.cumsum(lengths) - lengths
    first = np.cumsum(counts) - counts
    out = np.empty((int(counts.sum()), 2), np.int64)
    for length in distinct_degrees(lengths[lengths > 3]).tolist():
        caps = np.nonzero(lengths == length)[0]
        own = corners[starts[caps][:, None] + np.arange(length)]
        convex = _convex(positions[own])
        pairs = np.empty((len(caps), length - 3, 2), np.int64)
        pairs[~convex] = _by_shape(positions, own[~convex])
        pairs[convex] = _halved(positions, own[convex])
        out[first[caps][:, None] + np.arange(length - 3)] = pairs
    return out


def _by_shape(positions: npt.NDArray[np.float32], rings: Ints) -> Ints:
    """Return diagonals, (k, n - 3, 2), of (k, n) rings of vertices."""
    count, length = rings.shape
    starts = np.arange(0, rings.size + 1, length)
    found = default_diagonals(positions, rings.reshape(-1), starts)
    return found.astype(np.int64).reshape(count, length - 3, 2)


def _halved(positions: npt.NDArray[np.float32], rings: Ints) -> Ints:
    """Return diagonals, (k, n - 3, 2), that cut off every second corner of (k, n) rings."""
    count, length = rings.shape
    left = np.arange(length)
    parts = [np.empty((count, 0, 2), np.int64)]
    while len(left) > 4:
        stay = left[::2]
        # With an odd number the last corner and the first have nothing between them.
        pairs = np.stack([stay, np.roll(stay, -1)], axis=1)[: len(left) // 2]
        parts.append(np.broadcast_to(pairs, (count, *pairs.shape)))
        left = stay
    if len(left) == 4:
        parts.append(left[_by_shape(positions, rings[:, left])])
    return np.concatenate(parts, axis=1)


def _convex(points: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """Return which rings of points, (k, n, 3), turn to one side everywhere."""
    places = points.astype(np.float64)
    sides = np.roll(places, -1, axis=1) - places
    turns = np.cross(sides, np.roll(sides, -1, axis=1))
    found = np.einsum("knc,kc->kn", turns, turns.sum(axis=1))
    return np.asarray(np.all(found > 0, axis=1))
