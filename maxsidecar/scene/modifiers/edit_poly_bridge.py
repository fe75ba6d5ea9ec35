"""Edit Poly: bridges and connections of edges, as far as files prove them."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_work import Faces, PolyWork

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
    sure = work.sure + int(work.sure == len(work.ends))
    closing = work.new_edges(1)
    work.sure = sure
    corners = np.append(faces.corners[faces.following[order]], faces.corners[order[-1]])
    maps = {}
    for key, values in faces.maps.items():
        maps[key] = np.append(values[faces.following[order]], values[order[-1]])
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
