"""Edit Poly: chamfered edges (docs/format/edit-poly.md, section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.triangulate import triangulate
from maxsidecar.scene.modifiers.edit_poly_chamfer_two import Chamfer, divide
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_work import NEW_MAPS, Faces, PolyWork

__all__: list[str] = []

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_AMOUNT, _SEGMENTS, _OPEN = 35, 86, 101


@dataclass(slots=True)
class _Around:
    """The mesh around chamfered edges.

    A spoke is an edge that is not chamfered, at one of its ends; it is called after the corner
    whose side it is and that lies there.

    Attributes:
        faces: The faces before.
        chosen: (e,) chamfered edges.
        twins: (c,) corners on the other side of the sides.
        previous: (c,) corners before.
        number: (c,) new vertex of each spoke.
        gap: (c,) new edge from the vertex of a spoke to that of the next one, counter-clockwise.
        parallel: (e,) new edge on the second face of each chamfered edge.
        moved: Old vertices, and where they go.
    """

    faces: Faces
    chosen: Bits
    twins: Ints
    previous: Ints
    number: Ints
    gap: Ints
    parallel: Ints
    moved: tuple[Ints, F64]

    def incoming(self, corners: Ints) -> Ints:
        """Return the spokes on which the sides before corners come in."""
        out: Ints = self.twins[self.previous[corners]]
        return out


@operation(34)
def chamfer_edge(work: PolyWork, op: Operation) -> None:
    """Replace edges by faces."""
    chosen = op.chosen_edges(work)
    amount = op.real(_AMOUNT)
    segments = op.integer(_SEGMENTS) if _SEGMENTS in op.parameters else 1
    if segments not in (1, 2):
        raise NotSupportedError(f"chamfers of {segments} segments")
    if _OPEN in op.parameters and op.integer(_OPEN):
        raise NotSupportedError("chamfers that stay open")
    around, at = _look(work, chosen)
    if not len(at):
        return  # nothing is chosen, or edges that no face uses
    rings = list(_rings(around, at))
    _new_places(work, around, rings, amount)
    kept, twice = _kept_faces(work, around, at, amount)
    polygons = [ring for ring in rings if len(ring) > 2]
    at_vertices = _cut(work, _vertex_faces(work, around, polygons, amount))
    at_edges = _cut(work, _edge_faces(work, around, amount))
    old, places = around.moved
    tops = work.positions.astype(np.float64)
    positions = work.positions.copy()
    positions[old] = places
    work.positions = positions
    kept.diagonals = _kept_diagonals(work, around.faces, kept, twice)
    if segments == 1:
        work.faces = Faces.joined([kept, at_vertices, at_edges])
    else:
        work.faces = divide(
            work, _one_segment(work, around, rings, (kept, at_vertices, at_edges), tops)
        )
    work.notes["no file proves the smoothing groups and ids of chamfers"] = None
    if work.maps:
        work.notes[NEW_MAPS] = None
    work.finish()


def _look(work: PolyWork, chosen: Bits) -> tuple[_Around, Ints]:
    """Return the mesh around chamfered edges, and the corners at their ends."""
    faces, twins = work.faces, work.twins()
    previous = faces.previous
    touched = np.zeros(len(work.positions), np.bool_)
    touched[work.ends[chosen].reshape(-1)] = True
    at = np.nonzero(touched[faces.corners])[0]
    if np.any(twins[at] < 0) or np.any(twins[previous[at]] < 0):
        raise NotSupportedError("chamfers at a border")
    if np.any(chosen[faces.sides[at]] & chosen[faces.sides[previous[at]]]):
        raise NotSupportedError("two chamfered edges side by side at a face")
    if np.any(work.ends[faces.sides, 0] == work.ends[faces.sides, 1]):
        raise NotSupportedError("an edge from a vertex to itself")
    empty = np.full(len(previous), -1, np.int64)
    parallel = np.full(len(work.ends), -1, np.int64)
    moved = np.zeros(0, np.int64), np.zeros((0, 3))
    return _Around(faces, chosen, twins, previous, empty, empty.copy(), parallel, moved), at


def _rings(around: _Around, at: Ints) -> Iterator[list[int]]:
    """Yield the spokes of each vertex, counter-clockwise, first the one that keeps its number."""
    faces = around.faces
    order = at[np.lexsort((at, faces.corners[at]))]
    vertices, starts = np.unique(faces.corners[order], return_index=True)
    bounds = np.append(starts, len(order)).tolist()
    onward = around.incoming(np.arange(len(faces.corners))).tolist()
    cut = around.chosen[faces.sides].tolist()
    owner = faces.owner.tolist()
    for place in range(len(vertices)):
        corners = order[bounds[place] : bounds[place + 1]].tolist()
        cycle = [corners[0]]
        while (corner := onward[cycle[-1]]) != cycle[0] and len(cycle) <= len(corners):
            cycle.append(corner)
        if len(cycle) != len(corners):
            raise NotSupportedError("chamfers at a vertex that joins several surfaces")
        first = _keeper(owner, cycle, cut)
        turned = cycle[first:] + cycle[:first]
        spokes = [corner for corner in turned if not cut[corner]]
        if len(spokes) < 2:
            raise NotSupportedError("chamfers at a vertex with a single other edge")
        yield spokes


def _keeper(owner: list[int], cycle: list[int], cut: list[bool]) -> int:
    """Return the place of the spoke whose new vertex has the number of the old one."""
    count = len(cycle)
    for place, corner in enumerate(cycle):
        beside = cut[cycle[place - 1]], cut[cycle[(place + 1) % count]]
        if not cut[corner] and not any(beside):
            return place
    # Else the first one from the edge between the two faces with the lowest numbers.
    left = [owner[corner] for corner in cycle]
    lowest = sorted(range(count), key=left.__getitem__)[:2]
    first = next((p for p in lowest if (p - 1) % count in lowest), lowest[0])
    return next(p % count for p in range(first, first + count) if not cut[cycle[p % count]])


def _one_segment(
    work: PolyWork,
    around: _Around,
    rings: list[list[int]],
    parts: tuple[Faces, Faces, Faces],
    tops: F64,
) -> Chamfer:
    """Return the chamfer as it is divided further.

    Raises:
        NotSupportedError: More than one chamfered edge ends at a vertex with three others.
    """
    ends = work.ends[: len(around.chosen)][around.chosen].reshape(-1)
    chamfered = np.bincount(ends, minlength=len(tops))
    corner = around.faces.corners
    if any(len(ring) > 2 and chamfered[corner[ring[0]]] > 1 for ring in rings):
        raise NotSupportedError("chamfers of 2 segments that meet at a vertex with a face")
    spokes = [ring[:1] if len(ring) == 2 else ring for ring in rings]
    start = np.array([spoke for ring in spokes for spoke in ring], np.int64)
    turned = [ring[1:2] if len(ring) == 2 else ring[1:] + ring[:1] for ring in rings]
    end = np.array([spoke for ring in turned for spoke in ring], np.int64)
    flat = np.repeat([len(ring) > 2 for ring in rings], [len(ring) for ring in spokes])
    return Chamfer(
        *parts,
        around.gap[start],
        around.number[start],
        around.number[end],
        len(around.chosen),
        np.where(flat[:, None], np.nan, tops[corner[start]]),
    )


def _share(work: PolyWork, around: _Around, spokes: Ints, amount: float) -> F64:
    """Return how far along spokes the new vertices lie, from 0 to 1 at the other end."""
    faces = around.faces
    points = work.positions.astype(np.float64)
    way = points[faces.corners[faces.following[spokes]]] - points[faces.corners[spokes]]
    length = np.linalg.norm(way, axis=1)
    out: F64 = np.divide(amount, length, out=np.zeros(len(spokes)), where=length > 0)
    return out


def _new_places(work: PolyWork, around: _Around, rings: list[list[int]], amount: float) -> None:
    """Number the new vertices and the edges between them."""
    faces = around.faces
    spokes = np.array([spoke for ring in rings for spoke in ring], np.int64)
    kept = np.zeros(len(spokes), np.bool_)
    lengths = np.array([len(ring) for ring in rings])
    kept[np.cumsum(lengths) - lengths] = True
    old = faces.corners[spokes]
    points = work.positions.astype(np.float64)
    ahead = points[faces.corners[faces.following[spokes]]]
    places = points[old] + _share(work, around, spokes, amount)[:, None] * (ahead - points[old])
    around.number[spokes] = old
    around.number[spokes[~kept]] = work.new_vertices(places[~kept])
    single = lengths == 2  # both new vertices are joined by one edge
    edges = work.new_edges(int(np.where(single, 1, lengths).sum()))
    steps = np.repeat(np.where(single, 0, 1), lengths)
    first = np.cumsum(np.where(single, 1, lengths)) - np.where(single, 1, lengths)
    inner = np.arange(len(spokes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    around.gap[spokes] = edges[np.repeat(first, lengths) + steps * inner]
    around.moved = (old[kept], places[kept])


def _map_values(
    work: PolyWork, around: _Around, corners: Ints, other: Ints, share: F64
) -> dict[int, Ints]:
    """Return new map vertices on the way from corners to others of the same faces."""
    out = {}
    for key, values in around.faces.maps.items():
        vertices = work.maps[key].astype(np.float64)
        start, end = vertices[values[corners]], vertices[values[other]]
        out[key] = work.new_map_vertices(key, start + share[:, None] * (end - start))
    return out


def _kept_faces(work: PolyWork, around: _Around, at: Ints, amount: float) -> tuple[Faces, Bits]:
    """Return the old faces with their new corners, and which old corners became two."""
    faces = around.faces
    count = len(faces.corners)
    cut_out = around.chosen[faces.sides]
    cut_in = around.chosen[faces.sides[around.previous]]
    touched = np.zeros(count, np.bool_)
    touched[at] = True
    twice = touched & ~cut_out & ~cut_in
    rows = np.repeat(np.arange(count), 1 + twice)
    # Where a corner becomes two, the first lies on the side that comes in.
    first = np.zeros(len(rows), np.bool_)
    first[(np.cumsum(1 + twice) - 1 - twice)[twice]] = True
    comes = touched[rows] & (first | cut_out[rows])
    goes = touched[rows] & ~comes
    corners, sides = faces.corners[rows], faces.sides[rows]
    spokes = np.where(comes, around.incoming(rows), rows)
    moved = comes | goes
    corners[moved] = around.number[spokes[moved]]
    # Counter-clockwise the side that goes out comes before the one that comes in.
    sides[first] = around.gap[rows[first]]
    second = cut_out[rows] & (faces.corners[rows] != work.ends[faces.sides[rows], 0])
    chosen = np.nonzero(around.chosen)[0]
    around.parallel[chosen] = work.new_edges(len(chosen))
    sides[second] = around.parallel[sides[second]]
    other = np.where(comes, around.previous[rows], faces.following[rows])
    share = np.zeros(len(rows))
    share[moved] = _share(work, around, spokes[moved], amount)
    maps = {key: values[rows] for key, values in faces.maps.items()}
    for key, fresh in _map_values(work, around, rows[moved], other[moved], share[moved]).items():
        maps[key][moved] = fresh
    degrees = faces.degrees + np.bincount(faces.owner[twice], minlength=len(faces.degrees))
    visible, none = faces.visible[rows], np.zeros((0, 2), np.int64)
    kept = Faces(degrees, corners, sides, visible, maps, faces.materials, faces.smoothing, none)
    return kept, twice


def _kept_diagonals(work: PolyWork, old: Faces, new: Faces, twice: Bits) -> Ints:
    """Return the diagonals of faces, some corners of which became two.

    The second of two has the diagonals of the old corner; one more cuts off the first.
    """
    owner = old.owner
    before: Ints = np.cumsum(twice) - twice
    inside = np.arange(len(twice)) - old.starts[:-1][owner]
    # Place of each old corner, the second of two, in its new face.
    extra = before - before[old.starts[:-1][owner]] + twice
    place = inside + extra
    counts = np.maximum(old.degrees - 3, 0)
    of_pair = np.repeat(np.arange(len(counts)), counts)
    pairs = place[old.starts[:-1][of_pair][:, None] + old.diagonals]
    cut = np.nonzero(twice)[0]
    more = np.stack([place[old.previous[cut]], place[cut]], axis=1)
    both = np.sort(np.concatenate([pairs, more]), axis=1)
    of_both = np.concatenate([of_pair, owner[cut]])
    changed = new.degrees != old.degrees
    # Faces that did not change keep the order, and the direction, of their diagonals.
    same = ~changed[of_both]
    both[same] = pairs[same[: len(pairs)]]
    rank = np.where(same, np.arange(len(both)), both[:, 0] * len(twice) + both[:, 1])
    out: Ints = both[np.lexsort((rank, of_both))]
    _, _, sound = triangulate(new.starts, out)
    if not sound.all():
        rows = np.repeat(~sound, np.maximum(new.degrees - 3, 0))
        out[rows] = work.cut_anew(new).diagonals[rows]
    return out


def _cut(work: PolyWork, faces: Faces) -> Faces:
    """Return new faces with their diagonals: quads from their first corner, others by shape."""
    out = work.cut_anew(faces)
    counts = np.maximum(out.degrees - 3, 0)
    out.diagonals[np.repeat(out.degrees == 4, counts)] = (0, 2)
    return out


def _vertex_faces(work: PolyWork, around: _Around, rings: list[list[int]], amount: float) -> Faces:
    """Return a face for each vertex with three new vertices or more."""
    faces = around.faces
    spokes = np.array([spoke for ring in rings for spoke in ring], np.int64)
    lengths = np.array([len(ring) for ring in rings], np.int64)
    first = faces.owner[spokes[np.cumsum(lengths) - lengths]]
    share = _share(work, around, spokes, amount)
    return Faces(
        lengths,
        around.number[spokes],
        around.gap[spokes],
        np.ones(len(spokes), np.bool_),
        _map_values(work, around, spokes, faces.following[spokes], share),
        faces.materials[first],
        faces.smoothing[first],
        np.zeros((0, 2), np.int64),
    )


def _edge_faces(work: PolyWork, around: _Around, amount: float) -> Faces:
    """Return a face for each chamfered edge."""
    faces = around.faces
    sides = np.nonzero(around.chosen[faces.sides])[0]
    forward = sides[faces.corners[sides] == work.ends[faces.sides[sides], 0]]
    if 2 * len(forward) != len(sides):
        raise NotSupportedError("the faces of a chamfered edge run in the same direction")
    one = forward[np.argsort(faces.sides[forward], kind="stable")]
    other = around.twins[one]
    edge = faces.sides[one]
    ahead, behind = faces.following[one], faces.following[other]
    spokes = np.stack([around.incoming(one), behind, around.incoming(other), ahead], axis=1)
    # The edge between the spokes on both sides of the chamfered edge.
    across = np.stack([around.gap[behind], around.gap[ahead]], axis=1)
    quads = np.stack([across[:, 0], around.parallel[edge], across[:, 1], edge], axis=1)
    corners = np.stack([one, behind, other, ahead], axis=1).reshape(-1)
    nearby = np.stack(
        [
            around.previous[one],
            faces.following[behind],
            around.previous[other],
            faces.following[ahead],
        ],
        axis=1,
    ).reshape(-1)
    flat = spokes.reshape(-1)
    share = _share(work, around, flat, amount)
    owner = faces.owner[one]
    return Faces(
        np.full(len(one), 4, np.int64),
        around.number[flat],
        quads.reshape(-1),
        np.ones(len(flat), np.bool_),
        _map_values(work, around, corners, nearby, share),
        faces.materials[owner],
        faces.smoothing[owner],
        np.zeros((0, 2), np.int64),
    )
