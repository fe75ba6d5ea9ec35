"""Division of polygons from their middle or from the middles of their sides, flat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.polygons import polygon_mesh, to_triangles
from maxsidecar.scene.geometry.stored.walk import ragged_index
from maxsidecar.scene.geometry.triangulate import default_diagonals, diagonals_of
from maxsidecar.scene.modifiers.rebuild import with_creases

__all__ = ["divide"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_LEAST_SIDES: Final = 3


@dataclass(slots=True)
class _Pieces:
    """New polygons.

    What their corners are is told by numbers: below c, the number of corners, that old corner;
    from c on the middle of the side behind a corner; from 2c on the middle of a polygon.

    Attributes:
        owner: (n,) old polygon of each.
        degrees: (n,) number of corners of each.
        corners: (m,) what each corner is.
        sides: (m,) old corner whose side goes on behind each, -1 for a new side.
    """

    owner: Ints
    degrees: Ints
    corners: Ints
    sides: Ints

    @classmethod
    def of(cls, owner: Ints, corners: Ints, sides: Ints) -> _Pieces:
        """Return polygons of the same degree: (n,), (n, d), (n, d)."""
        degrees = np.full(len(corners), corners.shape[1], np.int64)
        return cls(owner, degrees, corners.reshape(-1), sides.reshape(-1))


def divide(mesh: Mesh, chosen: Bits, *, centre: bool) -> tuple[Mesh, Bits]:
    """Return the mesh with some of its polygons divided.

    Args:
        mesh: Triangles or polygons.
        chosen: (p,) which of them.
        centre: Whether a polygon becomes one triangle for each side, with its middle.  Else a
            triangle of a triangle mesh becomes four, between the middles of its sides; a polygon
            one quad for each corner, and its other sides get their middles where polygons beside
            it were divided.

    Returns:
        A mesh of the same kind, which still has all old vertices, those of the middles behind them;
        and which polygons are parts of chosen ones.  They stand where the old ones stood.
    """
    chosen = chosen & (mesh.degrees >= _LEAST_SIDES)
    count, corner_count = len(mesh.positions), len(mesh.corners)
    edges = edge_list(mesh)
    if np.any(edges.of_corner < 0):  # a damaged list
        edges = edge_list(replace(mesh, edges=None))
    owner = mesh.corner_polygons.astype(np.int64)
    cut = np.zeros(len(edges.vertices), np.bool_)
    if not centre:
        cut[edges.of_corner[chosen[owner]]] = True
    split = cut[edges.of_corner]
    whole = not centre and not mesh.is_polygons
    parts = _parts(mesh, chosen, split, centre=centre, whole=whole)
    pieces = _ordered(parts)

    middles = np.zeros(0, np.int64) if whole else np.nonzero(chosen)[0]
    number = np.zeros(2 * corner_count + mesh.polygon_count, np.int64)
    number[:corner_count] = mesh.corners
    number[corner_count : 2 * corner_count] = count + (np.cumsum(cut) - 1)[edges.of_corner]
    number[2 * corner_count + middles] = count + int(cut.sum()) + np.arange(len(middles))
    places = mesh.positions.astype(np.float64)
    halves = places[edges.vertices[cut]].mean(axis=1)
    positions = np.concatenate([places, halves, _means(mesh, places[mesh.corners], middles)])
    corners = number[pieces.corners]
    starts = np.append(0, np.cumsum(pieces.degrees))
    visible = np.where(pieces.sides < 0, True, mesh.edge_visible[pieces.sides])
    out = polygon_mesh(
        positions,
        corners,
        starts,
        diagonals=_diagonals(mesh, positions, corners, starts, pieces),
        material_ids=mesh.material_ids[pieces.owner],
        smoothing=mesh.smoothing[pieces.owner],
        edge_visible=visible,
        maps={
            key: _map(mesh, channel, edges.of_corner, split, middles, pieces)
            for key, channel in mesh.maps.items()
        },
        # Triangles have no list of edges, and need none on the way.
        edges=None if mesh.is_polygons else Edges(np.zeros((0, 2), np.int32)),
        selection=_selection(mesh, pieces, len(positions) - count),
    )
    parts_of_chosen: Bits = chosen[pieces.owner]
    if mesh.is_polygons:
        return with_creases(mesh, out, pieces.sides), parts_of_chosen
    return to_triangles(out), parts_of_chosen[out.triangle_polygons]


def _parts(
    mesh: Mesh, chosen: Bits, split: Bits, *, centre: bool, whole: bool
) -> list[tuple[Ints, _Pieces]]:
    """Return the new polygons, and by which corner they come in their old polygon."""
    owner = mesh.corner_polygons.astype(np.int64)
    size = len(owner)
    following = mesh.next_corners.astype(np.int64)
    before = np.empty(size, np.int64)
    before[following] = np.arange(size)
    mid, none = size + np.arange(size), np.full(size, -1, np.int64)
    at = np.nonzero(chosen[owner])[0]
    after, back = following[at], before[at]
    middle = 2 * size + owner[at]
    rows: tuple[Ints, ...]
    sides: tuple[Ints, ...]
    if centre:
        rows, sides = (at, after, middle), (at, none[at], none[at])
    elif whole:
        rows, sides = (at, mid[at], mid[back]), (at, none[at], back)
    else:
        rows, sides = (at, mid[at], middle, mid[back]), (at, none[at], none[at], back)
    parts = [
        (at, _Pieces.of(owner[at], np.stack(rows, axis=1), np.stack(sides, axis=1))),
    ]
    if whole:
        firsts = mesh.starts[:-1].astype(np.int64)[chosen]
        three = firsts[:, None] + np.arange(3)
        inner = _Pieces.of(owner[firsts], mid[three], np.full(three.shape, -1, np.int64))
        parts.append((firsts + 2, inner))
    # The others keep their corners, with the middle of a side behind those where it is cut.
    rest = np.nonzero(~chosen)[0]
    corners = np.nonzero(~chosen[owner])[0]
    twice = np.repeat(corners, 1 + split[corners])
    second = np.append(False, twice[1:] == twice[:-1]) if len(twice) else np.zeros(0, np.bool_)
    degrees = np.bincount(owner[twice], minlength=mesh.polygon_count)[rest]
    kept = _Pieces(rest, degrees, np.where(second, mid[twice], twice), twice)
    parts.append((mesh.starts[:-1].astype(np.int64)[rest], kept))
    return parts


def _ordered(parts: list[tuple[Ints, _Pieces]]) -> _Pieces:
    """Return the pieces in the order of their old polygons, and of the corners there."""
    owner = np.concatenate([part.owner for _, part in parts])
    degrees = np.concatenate([part.degrees for _, part in parts])
    at = np.concatenate([place for place, _ in parts])
    order = np.lexsort((at, owner))
    rows = ragged_index((np.cumsum(degrees) - degrees)[order], degrees[order])
    return _Pieces(
        owner[order],
        degrees[order],
        np.concatenate([part.corners for _, part in parts])[rows],
        np.concatenate([part.sides for _, part in parts])[rows],
    )


def _means(mesh: Mesh, values: F64, polygons: Ints) -> F64:
    """Return the (n, 3) means of the (c, 3) values at the corners of some polygons."""
    if not len(polygons):
        return np.zeros((0, 3))
    degrees = mesh.degrees.astype(np.int64)[polygons]
    rows = ragged_index(mesh.starts[:-1].astype(np.int64)[polygons], degrees)
    sums = np.add.reduceat(values[rows], np.cumsum(degrees) - degrees, axis=0)
    out: F64 = sums / degrees[:, None]
    return out


def _map(
    mesh: Mesh,
    channel: MapChannel,
    of_corner: npt.NDArray[np.int32],
    split: Bits,
    middles: Ints,
    pieces: _Pieces,
) -> MapChannel:
    """Return a map channel with the middles of sides and polygons."""
    size = len(mesh.corners)
    old = channel.vertices.astype(np.float64)
    corners = channel.corners.astype(np.int64)
    ends = np.stack([corners, corners[mesh.next_corners]], axis=1)
    cut = np.nonzero(split)[0]
    # Both sides of an edge have the same middle where they have the same map vertices.
    first, place = _distinct(of_corner[cut].astype(np.int64), np.sort(ends[cut], axis=1))
    number = np.zeros(2 * size + mesh.polygon_count, np.int64)
    number[:size] = corners
    number[size + cut] = len(old) + place
    number[2 * size + middles] = len(old) + len(first) + np.arange(len(middles))
    halves = old[ends[cut[first]]].mean(axis=1) if len(cut) else np.zeros((0, 3))
    vertices = np.concatenate([old, halves, _means(mesh, old[corners], middles)])
    return MapChannel(vertices.astype(np.float32), number[pieces.corners].astype(np.int32))


def _distinct(edges: Ints, pairs: Ints) -> tuple[Ints, Ints]:
    """Return the first of equal rows of an edge and a pair, in their order, and each one's."""
    if not len(edges):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], edges))
    rows = np.column_stack([edges, pairs])[order]
    fresh = np.append(True, np.any(rows[1:] != rows[:-1], axis=1))
    place = np.empty(len(edges), np.int64)
    place[order] = np.cumsum(fresh) - 1
    return order[fresh], place


def _diagonals(mesh: Mesh, positions: F64, corners: Ints, starts: Ints, pieces: _Pieces) -> Ints:
    """Return diagonals: the old ones of polygons that are as before, else by shape."""
    old, _ = diagonals_of(mesh.starts, mesh.triangles, mesh.triangle_polygons)
    before = np.maximum(mesh.degrees.astype(np.int64) - _LEAST_SIDES, 0)
    counts = np.maximum(pieces.degrees - _LEAST_SIDES, 0)
    at = np.cumsum(counts) - counts
    out = np.zeros((int(counts.sum()), 2), np.int64)
    # Only a polygon that is whole has as many corners from its old one as before.
    own = np.bincount(
        np.repeat(np.arange(len(counts)), pieces.degrees),
        pieces.corners < len(mesh.corners),
        len(counts),
    )
    same = (own == mesh.degrees[pieces.owner]) & (own == pieces.degrees)
    kept, anew = np.nonzero(same)[0], np.nonzero(~same & (counts > 0))[0]
    rows = pieces.owner[kept]
    first = np.cumsum(before) - before
    out[ragged_index(at[kept], counts[kept])] = old[ragged_index(first[rows], before[rows])]
    if len(anew):
        degrees = pieces.degrees[anew]
        used = corners[ragged_index(starts[anew], degrees)]
        new = default_diagonals(positions.astype(np.float32), used, np.append(0, degrees.cumsum()))
        out[ragged_index(at[anew], counts[anew])] = new
    return out


def _selection(mesh: Mesh, pieces: _Pieces, more: int) -> Selection:
    old = mesh.selection

    def longer(values: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
        return None if values is None else np.append(values, np.zeros(more, values.dtype))

    return replace(
        old,
        vertices=longer(old.vertices),
        weights=longer(old.weights),
        polygons=None if old.polygons is None else old.polygons[pieces.owner],
        corners=None if old.corners is None else (pieces.sides >= 0) & old.corners[pieces.sides],
    )
