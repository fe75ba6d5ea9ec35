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
_NEW_MAPS: Final = "no file proves the texture coordinates of new faces"
#: Most vertices that are put in one by one.
_MOST: Final = 10_000
#: Most vertices of a face that are connected: files prove no more.
_CORNERS: Final = 3


@operation(66)
def insert_vertex_in_edge(work: PolyWork, op: Operation) -> None:
    """Divide edges at places along them, one by one."""
    leaf = None if op.data is None else op.data.find(_PLACES)
    if leaf is None:
        return
    edges, shares = _places(leaf)
    if len(edges) > _MOST:
        raise NotSupportedError(f"{len(edges)} vertices are put into edges")
    for edge, share in zip(edges.tolist(), shares.tolist(), strict=True):
        if not 0 <= edge < len(work.ends) or work.unsure[edge]:
            raise NotSupportedError("no file proves the numbers of edges that are new")
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
    keep_diagonals(work, new, faces, degrees == faces.degrees)


@operation(44)
def connect_vertex(work: PolyWork, op: Operation) -> None:
    """Connect vertices of the same face; those that have none in common stay as they are."""
    chosen = op.chosen(len(work.positions), "vertices")
    faces = work.faces
    at = np.nonzero(chosen[faces.corners])[0]
    owner = faces.owner
    counts = np.bincount(owner[at], minlength=len(faces.degrees))
    cuts: list[tuple[int, list[tuple[int, int]]]] = []
    for face in np.nonzero(counts > 1)[0].tolist():
        start, degree = int(faces.starts[face]), int(faces.degrees[face])
        places = (at[owner[at] == face] - start).tolist()
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
    for face, pairs in cuts:
        _cut(work, face, pairs)
    work.finish()


def _cut(work: PolyWork, face: int, pairs: list[tuple[int, int]]) -> None:
    """Cut a face along lines between its corners.

    What lies between both corners of a pair becomes a new face behind all others; the rest keeps
    the number.
    """
    todo = [(face, a, b) for a, b in pairs]
    known = len(pairs) == 1
    while todo:
        (where, a, b), *rest = todo
        fresh = len(work.faces.degrees)
        _cut_once(work, where, a, b, known=known)
        todo = [_behind(item, (where, a, b), fresh) for item in rest]


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


def _cut_once(work: PolyWork, face: int, a: int, b: int, *, known: bool) -> None:
    faces = work.faces
    start, degree = int(faces.starts[face]), int(faces.degrees[face])
    edge = work.new_edges(1, known=known)[0]
    work.ends[edge] = faces.corners[[start + a, start + b]]
    inner = np.arange(start + a, start + b + 1)
    count = len(faces.corners)
    rows = np.concatenate([np.arange(start + a + 1), np.arange(start + b, count)])
    sides = faces.sides[rows]
    sides[start + a] = edge
    visible = faces.visible[rows]
    visible[start + a] = True
    degrees = faces.degrees.copy()
    degrees[face] = degree - (b - a - 1)
    kept = replace(
        faces,
        degrees=degrees,
        corners=faces.corners[rows],
        sides=sides,
        visible=visible,
        maps={key: values[rows] for key, values in faces.maps.items()},
    )
    keep_diagonals(work, kept, faces, degrees == faces.degrees)
    new = Faces(
        np.array([len(inner)], np.int64),
        faces.corners[inner],
        np.append(faces.sides[inner[:-1]], edge),
        np.append(faces.visible[inner[:-1]], True),
        {key: values[inner] for key, values in faces.maps.items()},
        faces.materials[[face]],
        faces.smoothing[[face]],
        np.zeros((0, 2), np.int64),
    )
    work.faces = Faces.joined([work.faces, work.cut_anew(new)])


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
