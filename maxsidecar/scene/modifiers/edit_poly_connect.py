"""Edit Poly: vertices put into edges, and vertices of a face that are connected.

(docs/format/edit-poly.md, section 8)
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import U32, Array
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_remove import keep_diagonals
from maxsidecar.scene.modifiers.edit_poly_work import Faces, PolyWork

__all__: list[str] = []

Ints: TypeAlias = npt.NDArray[np.int64]
Reals: TypeAlias = npt.NDArray[np.float64]

_PLACES: Final = 0x1600
_WORDS: Final = Array(U32)
#: How much longer a vertex that is put in takes than other operations.
_DIVIDE_STEPS: Final = 2
#: Most vertices of a face that are connected: files prove no more.
_CORNERS: Final = 3


@operation(66)
def insert_vertex_in_edge(work: PolyWork, op: Operation) -> None:
    """Divide edges at places along them, one by one."""
    leaf = None if op.data is None else op.data.find(_PLACES)
    if leaf is None:
        return
    edges, shares = _places(leaf)
    for edge, share in zip(edges.tolist(), shares.tolist(), strict=True):
        if not 0 <= edge < len(work.ends) or work.unsure[edge]:
            raise NotSupportedError("no file proves the numbers of edges that are new")
        work.spend(_DIVIDE_STEPS * len(work.faces.corners))
        _divide(work, edge, share)
    work.finish()


def _places(leaf: Chunk) -> tuple[Ints, Reals]:
    """Return edges, and how far along them the vertices lie."""
    words = np.array(decode(leaf, _WORDS), np.uint32)
    count = int(words[0]) if len(words) else 0
    if len(words) != 2 * count + 1:
        raise NotSupportedError("the places of its vertices have another layout")
    shares = words[count + 1 :].view(np.float32).astype(np.float64)
    if not np.isfinite(shares).all():
        raise NotSupportedError("the places of its vertices are no numbers")
    return words[1 : count + 1].view(np.int32).astype(np.int64), shares


def _divide(work: PolyWork, edge: int, share: float) -> None:
    """Put a vertex into an edge: the part towards its second end is a new edge."""
    faces = work.faces
    first, second = work.ends[edge].tolist()
    points = work.positions.astype(np.float64)
    vertex = int(
        work.new_vertices((points[first] + share * (points[second] - points[first]))[None])[0]
    )
    fresh = int(work.new_edges(1, known=True)[0])
    work.ends[edge], work.ends[fresh] = (first, vertex), (vertex, second)
    at = np.nonzero(faces.sides == edge)[0]
    twice = np.zeros(len(faces.corners), np.int64)
    twice[at] = 1
    rows = np.repeat(np.arange(len(twice)), 1 + twice)
    placed = np.nonzero(np.append(False, rows[1:] == rows[:-1]))[0]
    corners, sides = faces.corners[rows], faces.sides[rows]
    corners[placed] = vertex
    ahead = faces.corners[at] == first
    sides[placed] = np.where(ahead, fresh, edge)
    sides[placed - 1] = np.where(ahead, edge, fresh)
    maps = {}
    for key, values in faces.maps.items():
        known = work.maps[key].astype(np.float64)
        start, end = known[values[at]], known[values[faces.following[at]]]
        part = np.where(ahead, share, 1 - share)[:, None]
        maps[key] = values[rows]
        maps[key][placed] = work.new_map_vertices(key, start + part * (end - start))
    degrees = faces.degrees + np.bincount(faces.owner[at], minlength=len(faces.degrees))
    new = replace(
        faces,
        degrees=degrees,
        corners=corners,
        sides=sides,
        visible=faces.visible[rows],
        maps=maps,
    )
    work.faces = keep_diagonals(work, new, faces, degrees == faces.degrees)


@operation(44)
def connect_vertex(work: PolyWork, op: Operation) -> None:
    """Connect vertices of the same face; those that have none in common stay as they are."""
    chosen = op.chosen(len(work.positions), "vertices")
    faces = work.faces
    at = np.nonzero(chosen[faces.corners])[0]
    owner = faces.owner
    counts = np.bincount(owner[at], minlength=len(faces.degrees))
    first = np.cumsum(counts) - counts
    starts = faces.starts
    cuts: list[tuple[int, list[tuple[int, int]]]] = []
    for face in np.nonzero(counts > 1)[0].tolist():
        degree = int(faces.degrees[face])
        places = (at[first[face] : first[face] + counts[face]] - starts[face]).tolist()
        if len(places) > _CORNERS:
            raise NotSupportedError("more than three vertices of a face are connected")
        pairs = list(pairwise(places))
        if len(places) == _CORNERS:
            pairs.append((places[0], places[-1]))
        pairs = [(a, b) for a, b in pairs if b - a > 1 and b - a < degree - 1]
        if pairs:
            cuts.append((face, pairs))
    if not cuts:
        return
    edges = iter(work.new_edges(sum(len(pairs) for _, pairs in cuts)).tolist())
    parts = []
    for face, pairs in cuts:
        lines = [(pair, next(edges)) for pair in pairs]
        for pair, edge in lines:
            work.ends[edge] = faces.corners[starts[face] + np.array(pair)]
        parts.append(_cut(faces.take(np.array([face])), lines))
        if len(pairs) == 1:
            work.unsure[lines[0][1]] = False
    chosen_faces = np.array([face for face, _ in cuts])
    sizes = np.array([len(part.degrees) for part in parts])
    heads = len(faces.degrees) + np.cumsum(sizes) - sizes
    # The first part of a face keeps its number; the others come behind all faces, face by face.
    order = np.arange(len(faces.degrees))
    order[chosen_faces] = heads
    more = np.setdiff1d(len(faces.degrees) + np.arange(sizes.sum()), heads)
    pieces = work.cut_anew(Faces.joined(parts))
    work.faces = Faces.joined([faces, pieces]).take(np.append(order, more))
    work.finish()


def _cut(face: Faces, lines: list[tuple[tuple[int, int], int]]) -> Faces:
    """Return the parts of a face that is cut along lines between its corners, without diagonals.

    What lies between both corners of a line becomes a new face; the first one is the rest.

    Args:
        face: One face.
        lines: Both corners and the new edge of each.
    """
    parts = replace(face, diagonals=np.zeros((0, 2), np.int64))
    todo = [((0, a, b), edge) for (a, b), edge in lines]
    while todo:
        (cut, edge), *rest = todo
        fresh = len(parts.degrees)
        parts = _cut_once(parts, cut, edge)
        todo = [(_behind(line, cut, fresh), other) for line, other in rest]
    return parts


def _behind(
    line: tuple[int, int, int], cut: tuple[int, int, int], fresh: int
) -> tuple[int, int, int]:
    """Return the face and the corners that a line has behind a cut."""
    face, c, d = line
    where, a, b = cut
    if face != where:
        return line
    if a <= c and d <= b:
        return fresh, c - a, d - a
    gone = b - a - 1
    return face, c if c <= a else c - gone, d if d <= a else d - gone


def _cut_once(faces: Faces, cut: tuple[int, int, int], edge: int) -> Faces:
    """Return faces of which one is cut between two corners; the new one comes last."""
    face, a, b = cut
    start = int(faces.starts[face])
    inner = np.arange(start + a, start + b + 1)
    rows = np.concatenate([np.arange(start + a + 1), np.arange(start + b, len(faces.corners))])
    sides, visible = faces.sides[rows], faces.visible[rows]
    sides[start + a] = edge
    visible[start + a] = True
    degrees = faces.degrees.copy()
    degrees[face] -= b - a - 1
    rows = np.append(rows, inner)
    return replace(
        faces,
        degrees=np.append(degrees, len(inner)),
        corners=faces.corners[rows],
        sides=np.concatenate([sides, faces.sides[inner[:-1]], [edge]]),
        visible=np.concatenate([visible, faces.visible[inner[:-1]], [True]]),
        maps={key: values[rows] for key, values in faces.maps.items()},
        materials=np.append(faces.materials, faces.materials[face]),
        smoothing=np.append(faces.smoothing, faces.smoothing[face]),
    )


@operation(14)
def split(work: PolyWork, op: Operation) -> None:
    """Tear the mesh along edges; a single one in the middle of the mesh tears nothing."""
    chosen = op.chosen_edges(work)
    uses = np.bincount(work.faces.sides, minlength=len(chosen))
    count = len(work.positions)
    torn = np.bincount(work.ends[chosen & (uses > 1)].reshape(-1), minlength=count)
    rim = np.bincount(work.ends[uses == 1].reshape(-1), minlength=count) > 0
    if np.any(torn + rim > 1):
        raise NotSupportedError("it tears the mesh apart")
