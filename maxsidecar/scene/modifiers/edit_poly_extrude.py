"""Edit Poly: extruded vertices and edges (docs/format/edit-poly.md, section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.modifiers.edit_poly_faces import normals, unit
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_work import NEW_MAPS, Faces, PolyWork

__all__: list[str] = []

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_VERTEX_WIDTH, _VERTEX_HEIGHT = 29, 30
_EDGE_HEIGHT, _EDGE_WIDTH = 33, 34
_PLACES: Final = "no file proves where extruded vertices and edges go that are not flat"
_WIDTH: Final = "no file proves the width of extruded vertices and edges"
#: Cosine above which faces lie in one plane.
_FLAT: Final = 0.99999


@operation(39)
def extrude_vertex(work: PolyWork, op: Operation) -> None:
    """Move vertices along their normals, with a triangle to each face around them."""
    chosen = op.chosen(len(work.positions), "vertices")
    height, width = op.real(_VERTEX_HEIGHT), op.real(_VERTEX_WIDTH)
    faces = work.faces
    at = chosen[faces.corners]
    if not at.any():
        return
    _check(work, chosen)
    spokes = _split_spokes(work, chosen)
    _widen(work, spokes, width)
    _raise(work, chosen, height)
    _cut_corners(work, at, spokes)
    work.finish()


@operation(40)
def extrude_edge(work: PolyWork, op: Operation) -> None:
    """Move edges along their normals, with a quad to each face beside them."""
    cut = op.chosen_edges(work)
    height, width = op.real(_EDGE_HEIGHT), op.real(_EDGE_WIDTH)
    faces = work.faces
    cut = cut & (np.bincount(faces.sides, minlength=len(cut)) > 0)
    if not cut.any():
        return
    chosen = np.zeros(len(work.positions), np.bool_)
    chosen[work.ends[cut].reshape(-1)] = True
    _check(work, chosen)
    at = chosen[faces.corners]
    previous = faces.previous
    if np.any(at & cut[faces.sides] & cut[faces.sides[previous]]):
        raise NotSupportedError("two extruded edges side by side at a face")
    ends = work.ends.copy()
    base = np.full((len(ends), 2), -1, np.int64)
    spoke = chosen[ends] & ~cut[:, None]
    rows = np.nonzero(spoke.reshape(-1))[0]  # by edge, its first end before its second
    base.reshape(-1)[rows] = work.new_vertices(work.positions[ends.reshape(-1)[rows]])
    short = np.full((len(ends), 2), -1, np.int64)
    short.reshape(-1)[rows] = work.new_edges(len(rows))
    spokes = _Spokes(ends, base, short, np.arange(len(ends)))
    _widen(work, spokes, width)
    _raise(work, chosen, height)
    _cut_corners(work, at, spokes, cut)
    work.finish()


def _check(work: PolyWork, chosen: Bits) -> None:
    """Refuse edges from a vertex to itself.

    Raises:
        NotSupportedError: There is one at a chosen vertex.
    """
    ends = work.ends
    if np.any(chosen[ends[:, 0]] & (ends[:, 0] == ends[:, 1])):
        raise NotSupportedError("an edge from a vertex to itself")


@dataclass(frozen=True, slots=True)
class _Spokes:
    """Edges that were divided near their ends; -1 where there is nothing.

    Attributes:
        ends: (e, 2) ends of the edges before.
        base: (e, 2) new vertices at both ends.
        short: (e, 2) edges from the ends to the new vertices.
        long: (e,) what is left of each edge.
    """

    ends: Ints
    base: Ints
    short: Ints
    long: Ints


def _split_spokes(work: PolyWork, chosen: Bits) -> _Spokes:
    """Divide the edges at vertices, vertex by vertex, edge by edge."""
    ends = work.ends.copy()
    spoke = chosen[ends]
    base, short = np.full((len(ends), 2), -1, np.int64), np.full((len(ends), 2), -1, np.int64)
    long = np.arange(len(ends))
    edge, end = np.nonzero(spoke)
    vertex = ends[edge, end]
    order = np.lexsort((edge, vertex))
    edge, end, vertex = edge[order], end[order], vertex[order]
    starts = np.nonzero(np.append(True, vertex[1:] != vertex[:-1]))[0]
    # A new edge is the part towards the second end; it comes last in the list of that end.
    number = len(ends)
    after = long.tolist()
    places: list[tuple[int, int]] = []
    for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(edge)], strict=True):
        group = sorted(
            zip(edge[first:last].tolist(), end[first:last].tolist(), strict=True),
            key=lambda item: after[item[0]],
        )
        for e, side in group:
            if side == 0:
                short[e, 0], after[e] = after[e], number
            else:
                short[e, 1] = number
            places.append((e, side))
            number += 1
    rows = np.array(places, np.int64)
    base[rows[:, 0], rows[:, 1]] = work.new_vertices(work.positions[ends[rows[:, 0], rows[:, 1]]])
    work.new_edges(number - len(ends), known=True)
    return _Spokes(ends, base, short, np.array(after, np.int64))


def _widen(work: PolyWork, spokes: _Spokes, width: float) -> None:
    """Move new vertices along their edges, away from the end where they are."""
    if not width:
        return
    ends, base = spokes.ends, spokes.base
    points = work.positions.astype(np.float64)
    edge, end = np.nonzero(base >= 0)
    here, there = ends[edge, end], ends[edge, 1 - end]
    moved = work.positions.copy()
    moved[base[edge, end]] = points[here] + width * unit(points[there] - points[here])
    work.positions = moved
    work.notes[_WIDTH] = None


def _raise(work: PolyWork, chosen: Bits, height: float) -> None:
    """Move vertices along the mean of the normals of the faces around them."""
    if not height:
        return
    faces = work.faces
    normal = unit(normals(work, faces))
    sums = np.zeros((len(work.positions), 3))
    np.add.at(sums, faces.corners, normal[faces.owner])
    way = unit(sums)
    at = chosen[faces.corners]
    cosine = (normal[faces.owner[at]] * way[faces.corners[at]]).sum(axis=1)
    if np.any((cosine < _FLAT) & normal[faces.owner[at]].any(axis=1)):
        work.notes[_PLACES] = None
    move = np.where(chosen[:, None], height * way[: len(chosen)], 0.0)
    moved = work.positions.astype(np.float64)
    moved[: len(chosen)] += move
    work.positions = moved.astype(np.float32)


def _cut_corners(work: PolyWork, at: Bits, spokes: _Spokes, cut: Bits | None = None) -> None:
    """Cut corners off faces, and put triangles and quads in their place, face by face.

    Args:
        work: The mesh; its edges and vertices are the new ones.
        at: (c,) corners.
        spokes: The edges at them.
        cut: (e,) edges that are extruded; ``None`` for none.
    """
    faces = work.faces
    ends, base, long = spokes.ends, spokes.base, spokes.long
    old_count = len(ends)
    previous = faces.previous
    goes, comes = faces.sides, faces.sides[previous]
    cut = np.zeros(old_count, np.bool_) if cut is None else cut
    goes_on, comes_on = cut[goes], cut[comes]
    out = (ends[goes, 0] != faces.corners).astype(np.int64)  # the end of each side at its corner
    into = (ends[comes, 0] != faces.corners).astype(np.int64)
    loop = ends[goes, 0] == ends[goes, 1]
    if np.any(at & (loop | loop[previous])):
        raise NotSupportedError("an edge from a vertex to itself")
    twice = at & ~goes_on & ~comes_on
    rows = np.repeat(np.arange(len(faces.corners)), 1 + twice)
    first = np.zeros(len(rows), np.bool_)
    first[(np.cumsum(1 + twice) - 1 - twice)[twice]] = True
    on_way_in = at[rows] & (first | goes_on[rows])
    on_way_out = at[rows] & ~on_way_in
    corners, sides = faces.corners[rows], long[faces.sides[rows]]
    corners[on_way_in] = base[comes, into][rows[on_way_in]]
    corners[on_way_out] = base[goes, out][rows[on_way_out]]
    # Below every triangle, and below every quad, a new edge.
    below = np.nonzero(twice | goes_on)[0]
    under = np.full(len(faces.corners), -1, np.int64)
    under[below] = work.new_edges(len(below))
    low = (first & twice[rows]) | (goes_on[rows] & ~first)
    sides[low] = under[rows[low]]
    degrees = faces.degrees + np.bincount(faces.owner[twice], minlength=len(faces.degrees))
    maps = {key: values[rows] for key, values in faces.maps.items()}
    kept = Faces(
        degrees,
        corners,
        sides,
        faces.visible[rows],
        maps,
        faces.materials,
        faces.smoothing,
        np.zeros((0, 2), np.int64),
    )
    corner = _Corners(below, twice, out, into, under)
    added = _walls(work, spokes, corner)
    kept = work.cut_anew(kept)
    work.faces = Faces.joined([kept, work.cut_anew(added)])
    if work.maps:
        work.notes[NEW_MAPS] = None


@dataclass(frozen=True, slots=True)
class _Corners:
    """Corners of faces, and what is new at them.

    Attributes:
        below: (n,) corners that get a triangle or a quad.
        twice: (c,) which get a triangle.
        out: (c,) which end of the side that goes on from a corner is there.
        into: (c,) the same of the side that comes in.
        under: (c,) new edges; -1 where there is none.
    """

    below: Ints
    twice: Bits
    out: Ints
    into: Ints
    under: Ints


def _walls(work: PolyWork, spokes: _Spokes, corner: _Corners) -> Faces:
    """Return a triangle for each corner that was cut off, a quad for each extruded side."""
    faces = work.faces
    base, short, long = spokes.base, spokes.short, spokes.long
    below, twice, under = corner.below, corner.twice, corner.under
    out, into = corner.out, corner.into
    goes, comes = faces.sides, faces.sides[faces.previous]
    following = faces.following
    ahead = following[below]
    three = twice[below]
    after = goes[ahead]
    near, far = base[comes, into][below], np.where(three, base[goes, out][below], 0)
    near_edge = short[comes, into][below]
    far_edge = short[goes, out][below]
    quad_far, quad_far_edge = base[after, out[ahead]], short[after, out[ahead]]
    # A triangle is (old, out, in); a quad (start, end, below the end, below the start).
    grid = np.stack(
        [
            faces.corners[below],
            np.where(three, far, faces.corners[ahead]),
            np.where(three, near, quad_far),
            near,
        ],
        axis=1,
    )
    edges = np.stack(
        [
            np.where(three, far_edge, long[goes[below]]),
            np.where(three, under[below], quad_far_edge),
            np.where(three, near_edge, under[below]),
            near_edge,
        ],
        axis=1,
    )
    there = np.where(three, below, ahead)
    source = np.stack([below, there, there, below], axis=1)
    keep = np.ones(grid.shape, np.bool_)
    keep[three, 3] = False
    owner = faces.owner[below]
    return Faces(
        np.where(three, 3, 4).astype(np.int64),
        grid[keep],
        edges[keep],
        np.ones(int(keep.sum()), np.bool_),
        {key: values[source[keep]] for key, values in faces.maps.items()},
        faces.materials[owner],
        faces.smoothing[owner],
        np.zeros((0, 2), np.int64),
    )
