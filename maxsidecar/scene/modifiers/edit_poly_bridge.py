"""Edit Poly: bridges and connections of edges, as far as files prove them."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_work import NEW_MAPS, Faces, PolyWork
from maxsidecar.scene.modifiers.face_sets import components

__all__: list[str] = []

Ints: TypeAlias = npt.NDArray[np.int64]

_UNPROVED: Final = "no file proves the first corner of a bridge, its ids and smoothing groups"
_SEGMENTS: Final = 64


@operation(43)
def connect_edge(work: PolyWork, op: Operation) -> None:
    """Connect edges of the same face; those that have none in common stay as they are."""
    chosen = op.chosen_edges(work)
    faces = work.faces
    if np.any(np.bincount(faces.owner[chosen[faces.sides]], minlength=1) > 1):
        raise NotSupportedError("edges of the same face are connected")


@operation(82)
def bridge_edge(work: PolyWork, op: Operation) -> None:
    """Close the gap in front of a chain of border edges, or between two border edges.

    A border that is chosen all around stays as it is, unless it has three edges (MEASURED:
    docs/format/edit-poly.md).
    """
    chosen = op.chosen_edges(work)
    faces = work.faces
    twins = work.twins()
    sides = np.nonzero(chosen[faces.sides])[0]
    sides = sides[np.argsort(faces.sides[sides], kind="stable")]
    if not len(sides):
        return
    if np.any(twins[sides] >= 0):
        raise NotSupportedError("edges that are no border are bridged")
    if _SEGMENTS in op.parameters and op.integer(_SEGMENTS) != 1:
        raise NotSupportedError(f"bridges of {op.integer(_SEGMENTS)} segments")
    starts, ends = faces.corners[sides], faces.corners[faces.following[sides]]
    if len(sides) == 2 and not np.intersect1d(starts, ends).size:
        order = sides[::-1]  # a face with a side to each of them, the later edge first
    else:
        chain = _chain(starts, ends)
        if chain is None and len(sides) != 3:
            return
        if len(sides) < 2:
            raise NotSupportedError("a single edge is bridged")
        # The new face runs the other way.
        order = sides[_around(starts, ends) if chain is None else chain[::-1]]
    _close_gap(work, order, twins)


def _around(starts: Ints, ends: Ints) -> Ints:
    """Return three sides of a closed border in the order of the face in front of them."""
    following = np.nonzero(starts == ends[0])[0]
    return np.array([0, 3 - following[0], following[0]], np.int64)


def _close_gap(work: PolyWork, order: Ints, twins: Ints) -> None:
    """Add a face in front of border sides, with edges where one does not go on to the next.

    An edge of the border that is there already closes the gap between two of them.
    """
    faces = work.faces
    tails, heads = faces.corners[faces.following[order]], faces.corners[order]
    rim = np.nonzero(twins < 0)[0]
    count = max(1, len(work.positions))
    keys = faces.corners[rim] * count + faces.corners[faces.following[rim]]
    rows, sides = [], []
    for place, side in enumerate(order.tolist()):
        after = int(tails[(place + 1) % len(order)])
        rows.append(int(faces.following[side]))
        sides.append(int(faces.sides[side]))
        if heads[place] == after:
            continue
        # From the end of this side to the start of the next one.
        found = rim[keys == after * count + heads[place]]
        edge = work.new_edges(1, known=True)[0] if not len(found) else faces.sides[found[0]]
        rows.append(side)
        sides.append(int(edge))
    counts = np.array([len(rows)], np.int64)
    _add_faces(work, counts, np.array(rows, np.int64), order, np.array(sides, np.int64))


@operation(9)
def cap(work: PolyWork, op: Operation) -> None:
    """Close borders of which an edge is selected."""
    chosen = op.chosen_edges(work)
    faces, twins = work.faces, work.twins()
    sides = np.nonzero(twins < 0)[0]
    if not np.any(chosen[faces.sides[sides]]):
        return
    starts, ends = faces.corners[sides], faces.corners[faces.following[sides]]
    if len(np.unique(starts)) != len(starts) or len(np.unique(ends)) != len(ends):
        raise NotSupportedError("borders meet at a vertex")
    loops = components(len(work.positions), starts, ends)[starts]
    # Loops by their lowest vertex, each from its side with the lowest edge.
    by_edge = np.lexsort((faces.sides[sides], loops))
    wanted = np.unique(loops[chosen[faces.sides[sides]]])
    heads = sides[by_edge[np.searchsorted(loops[by_edge], wanted)]].tolist()
    at = dict(zip(starts.tolist(), sides.tolist(), strict=True))
    ahead = dict(zip(sides.tolist(), ends.tolist(), strict=True))
    order: list[int] = []
    degrees: list[int] = []
    for head in heads:
        loop, step = [], at.get(ahead[head])
        while step is not None and step != head:
            loop.append(step)
            step = at.get(ahead[step])
        if step is None:
            raise NotSupportedError("a border does not close")
        order += [*loop[::-1], head]
        degrees.append(len(loop) + 1)
    turned = np.array(order, np.int64)
    _add_faces(work, np.array(degrees), faces.following[turned], turned, faces.sides[turned])


def _add_faces(work: PolyWork, degrees: Ints, rows: Ints, order: Ints, sides: Ints) -> None:
    """Add faces in front of sides of borders.

    Args:
        work: The mesh.
        degrees: (n,) number of corners of each face.
        rows: (c,) corners whose vertices and map vertices it gets, face by face.
        order: (c,) sides of the border in front of it; it is like the face behind the first.
        sides: (c,) its edges.
    """
    faces = work.faces
    corners, maps = faces.corners[rows], {}
    for key, values in faces.maps.items():
        maps[key] = values[rows]
        work.notes[NEW_MAPS] = None
    beside = faces.owner[order[np.cumsum(degrees) - degrees]]
    new = Faces(
        degrees,
        corners,
        sides,
        np.ones(len(corners), np.bool_),
        maps,
        faces.materials[beside],
        faces.smoothing[beside],
        np.zeros((0, 2), np.int64),
    )
    work.faces = Faces.joined([faces, work.cut_anew(new)])
    work.notes[_UNPROVED] = None
    work.finish()


def _chain(starts: Ints, ends: Ints) -> Ints | None:
    """Return sides in their order along one open chain; ``None`` for a closed one.

    Args:
        starts: (n,) first vertices of the sides.
        ends: (n,) last vertices.

    Raises:
        NotSupportedError: They are several chains.
    """
    at = {vertex: place for place, vertex in enumerate(starts.tolist())}
    heads = np.nonzero(~np.isin(starts, ends))[0].tolist()
    if len(at) != len(starts) or len(heads) > 1:
        raise NotSupportedError("several chains of edges are bridged")
    step: int | None = heads[0] if heads else 0
    last = ends.tolist()
    out: dict[int, None] = {}
    while step is not None and step not in out:
        out[step] = None
        step = at.get(last[step])
    if len(out) != len(starts):
        raise NotSupportedError("several chains of edges are bridged")
    return np.array(list(out), np.int64) if heads else None
