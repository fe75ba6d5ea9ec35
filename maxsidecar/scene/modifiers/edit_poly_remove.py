"""Edit Poly: edges and vertices that are removed, so that the faces around become one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.stored.walk import ragged_index
from maxsidecar.scene.geometry.triangulate import default_diagonals
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_work import Faces, PolyWork
from maxsidecar.scene.modifiers.face_sets import components

__all__: list[str] = []

Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_UNPROVED: Final = "no file proves the first corners of faces that became one"


@operation(50)
def remove_edge(work: PolyWork, op: Operation) -> None:
    """Take edges away; faces on both sides become one."""
    chosen = op.chosen_edges(work)
    before = work.faces.corners
    ends = work.ends[chosen].reshape(-1)
    _join_faces(work, chosen)
    if op.with_vertices:
        _dissolve(work, _between_two(work, ends))
    work.notes[_UNPROVED] = None
    work.finish(before)


@operation(49)
def remove_vertex(work: PolyWork, op: Operation) -> None:
    """Take vertices away; the faces around become one."""
    chosen = op.chosen(len(work.positions), "vertices")
    before = work.faces.corners
    valence = np.bincount(work.ends.reshape(-1), minlength=len(chosen))
    many: Bits = chosen & (valence > 2)
    if many.any():
        work.notes["no file proves vertices that are removed with more than two edges"] = None
    _join_faces(work, many[work.ends[:, 0]] | many[work.ends[:, 1]])
    _dissolve(work, chosen)
    work.notes[_UNPROVED] = None
    work.finish(before)


def _between_two(work: PolyWork, vertices: Ints) -> Bits:
    """Return which of some vertices have two edges only."""
    used = np.unique(work.faces.sides)
    valence = np.bincount(work.ends[used].reshape(-1), minlength=len(work.positions))
    out = np.zeros(len(work.positions), np.bool_)
    out[vertices] = True
    out &= valence == 2
    return out


def _join_faces(work: PolyWork, edges: Bits) -> None:
    """Join the faces on both sides of edges; those at borders stay."""
    faces, twins = work.faces, work.twins()
    owner, following = faces.owner, faces.following
    gone = edges[faces.sides] & (twins >= 0)
    if not gone.any():
        return
    labels = components(len(faces.degrees), owner[gone], owner[twins[gone]])
    # The side behind one: around the vertex at its end, past the sides that go, twice as many in
    # each round.
    turn = np.where(gone, following[twins], np.arange(len(gone)))
    for _ in range(len(turn).bit_length()):
        turn = turn[turn]
    after = turn[following]
    sides = np.nonzero(~gone)[0]
    if gone[after[sides]].any():
        raise NotSupportedError("the sides of a face do not close")
    rings = components(len(after), sides, after[sides])
    of_ring = labels[owner[sides]]
    heads = np.unique(np.stack([of_ring, rings[sides]], axis=1), axis=0)
    if len(np.unique(heads[:, 0])) != len(heads):
        raise NotSupportedError("a face with a hole would be left")
    if len(heads) != len(np.unique(labels)):
        raise NotSupportedError("all sides of a face are removed")
    _rebuild(work, labels, after, gone)


def _rebuild(work: PolyWork, labels: Ints, after: Ints, gone: Bits) -> None:
    """Make the faces of rings of sides: each starts with the first side of its first face."""
    faces = work.faces
    owner = faces.owner
    sides = np.nonzero(~gone)[0]
    label = labels[owner[sides]]
    order = sides[np.lexsort((sides, label))]
    _, starts = np.unique(np.sort(label), return_index=True)
    out: list[int] = []
    degrees: list[int] = []
    follow = after.tolist()
    for head in order[starts].tolist():
        first = len(out)
        step = head
        while True:
            out.append(step)
            step = follow[step]
            if step == head or len(out) > len(sides):
                break
        degrees.append(len(out) - first)
    if len(out) != len(sides):
        raise NotSupportedError("the sides of a face do not close")
    rows = np.array(out, np.int64)
    numbers = np.unique(labels)
    same = np.bincount(labels, minlength=len(labels))[numbers] == 1
    joined = Faces(
        np.array(degrees, np.int64),
        faces.corners[rows],
        faces.sides[rows],
        faces.visible[rows],
        {key: values[rows] for key, values in faces.maps.items()},
        faces.materials[numbers],
        faces.smoothing[numbers],
        np.zeros((0, 2), np.int64),
    )
    work.faces = keep_diagonals(work, joined, faces.take(numbers), same)


def keep_diagonals(work: PolyWork, new: Faces, old: Faces, same: Bits) -> Faces:
    """Return faces with diagonals: old ones where nothing changed, the others are divided anew.

    Args:
        work: The mesh.
        new: Faces whose diagonals are not known.
        old: A face for each of them.
        same: (p,) which of them are the same.
    """
    here = np.repeat(same, np.maximum(new.degrees - 3, 0))
    there = np.repeat(same, np.maximum(old.degrees - 3, 0))
    diagonals = np.empty((len(here), 2), np.int64)
    diagonals[here] = old.diagonals[there]
    changed = np.nonzero(~same)[0]
    rows = ragged_index(new.starts[:-1][changed], new.degrees[changed])
    starts = np.append(0, np.cumsum(new.degrees[changed]))
    diagonals[~here] = default_diagonals(work.positions, new.corners[rows], starts)
    return replace(new, diagonals=diagonals)


def _dissolve(work: PolyWork, vertices: Bits) -> None:
    """Take vertices out of the faces; the edges on both sides become one.

    Raises:
        NotSupportedError: A face would have fewer than three corners.
    """
    faces = work.faces
    gone = vertices[faces.corners]
    if not gone.any():
        return
    previous = faces.previous
    # Which of both edges keeps its number is not known: two rules fit most of one stack, none all.
    work.unsure = np.ones_like(work.unsure)
    _, at = np.unique(faces.corners, return_index=True)
    at = at[gone[at]]
    labels = np.arange(len(work.ends))
    labels[faces.sides[at]] = faces.sides[previous[at]]
    for _ in range(len(labels).bit_length()):
        labels = labels[labels]
    degrees = faces.degrees - np.bincount(faces.owner[gone], minlength=len(faces.degrees))
    if np.any(degrees < 3):
        raise NotSupportedError("a face would have fewer than three corners")
    stay = ~gone
    same = degrees == faces.degrees
    new = replace(
        faces,
        degrees=degrees,
        corners=faces.corners[stay],
        sides=labels[faces.sides[stay]],
        visible=faces.visible[stay],
        maps={key: values[stay] for key, values in faces.maps.items()},
    )
    work.faces = keep_diagonals(work, new, faces, same)
