"""Edit Poly: bridges and connections of edges, as far as files prove them."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_work import Faces, PolyWork
from maxsidecar.scene.modifiers.face_sets import components

__all__: list[str] = []

Ints: TypeAlias = npt.NDArray[np.int64]

_UNPROVED: Final = "no file proves the first corner of a bridge, its ids and smoothing groups"
_NEW_MAPS: Final = "no file proves the texture coordinates of new faces"


@operation(43)
def connect_edge(work: PolyWork, op: Operation) -> None:
    """Connect edges of the same face; those that have none in common stay as they are."""
    chosen = op.chosen_edges(work)
    faces = work.faces
    if np.any(np.bincount(faces.owner[chosen[faces.sides]], minlength=1) > 1):
        raise NotSupportedError("edges of the same face are connected")


@operation(82)
def bridge_edge(work: PolyWork, op: Operation) -> None:
    """Close the gap in front of a chain of border edges.

    A border that is chosen all around stays as it is (MEASURED: docs/format/edit-poly.md).
    """
    chosen = op.chosen_edges(work)
    faces = work.faces
    twins = work.twins()
    sides = np.nonzero(chosen[faces.sides])[0]
    if not len(sides):
        return
    if np.any(twins[sides] >= 0):
        raise NotSupportedError("edges that are no border are bridged")
    chain = _chain(faces.corners[sides], faces.corners[faces.following[sides]])
    if chain is None:
        return
    if len(chain) < 3:
        raise NotSupportedError(f"a chain of {len(chain)} edges is bridged")
    order = sides[chain[::-1]]  # the new face runs the other way
    closing = work.new_edges(1, known=True)
    _add_face(work, np.append(faces.following[order], order[-1]), order, closing)


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
    for loop in np.unique(loops[chosen[faces.sides[sides]]]):
        own = sides[loops == loop]
        at = dict(zip(faces.corners[own].tolist(), own.tolist(), strict=True))
        order = [int(own[np.argmin(faces.sides[own])])]
        while (step := at[int(faces.corners[faces.following[order[-1]]])]) != order[0]:
            order.append(step)
        turned = np.array(order[::-1], np.int64)
        _add_face(work, faces.following[turned], turned, np.zeros(0, np.int64))


def _add_face(work: PolyWork, rows: Ints, order: Ints, closing: Ints) -> None:
    """Add a face in front of sides of a border.

    Args:
        work: The mesh.
        rows: Corners whose vertices and map vertices it gets.
        order: The sides, in the order of the face.
        closing: Edges behind those of the sides.
    """
    faces = work.faces
    corners, maps = faces.corners[rows], {}
    for key, values in faces.maps.items():
        maps[key] = values[rows]
        work.notes[_NEW_MAPS] = None
    beside = faces.owner[order[:1]]
    new = Faces(
        np.array([len(corners)], np.int64),
        corners,
        np.append(faces.sides[order], closing),
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
