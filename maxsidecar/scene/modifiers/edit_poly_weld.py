"""Edit Poly: vertices that are welded."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.modifiers.edit_poly_records import Operation, operation
from maxsidecar.scene.modifiers.edit_poly_remove import keep_diagonals
from maxsidecar.scene.modifiers.edit_poly_work import PolyWork
from maxsidecar.scene.modifiers.face_sets import components

__all__: list[str] = []

Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

#: Vertices on borders are compared with one another; more would take too long.
_MOST_BORDER: Final = 1500


@operation(22)
def weld_vertex(work: PolyWork, op: Operation) -> None:
    """Join selected vertices that are near: those of one edge, and those on borders."""
    chosen = op.chosen(len(work.positions), "vertices")
    edges, rim = _pairs(work, chosen, op.real(27))
    one, other = np.concatenate([edges, rim], axis=1)
    if not len(one):
        return
    if rim.size:
        work.notes["no file proves which of welded vertices on borders keeps its number"] = None
    target = _kept(len(work.positions), one, other)
    sums, sizes = np.zeros((len(target), 3)), np.bincount(target, minlength=len(target))
    np.add.at(sums, target, work.positions)
    places = (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
    work.positions = np.where((sizes > 1)[:, None], places, work.positions)
    before = work.faces.corners
    _close(work, target)
    work.finish(before)
    work.number_edges()


def _kept(count: int, one: Ints, other: Ints) -> Ints:
    """Return the vertex that each one becomes: of a pair the first stays, pair after pair."""
    target = np.arange(count, dtype=np.int64)
    above: dict[int, int] = {}

    def find(vertex: int) -> int:
        while (further := above.get(vertex)) is not None:
            above[vertex] = above.get(further, further)  # the way gets shorter
            vertex = further
        return vertex

    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        first, second = find(a), find(b)
        if first != second:
            above[second] = first
    gone = list(above)
    target[gone] = [find(vertex) for vertex in gone]
    return target


def _pairs(work: PolyWork, chosen: Bits, threshold: float) -> tuple[Ints, Ints]:
    """Return pairs of selected vertices that are welded, (2, n): ends of edges, then on borders."""
    points, ends = work.positions.astype(np.float64), work.ends
    length = np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1)
    near = chosen[ends[:, 0]] & chosen[ends[:, 1]] & (length <= threshold)
    rim = np.bincount(work.faces.sides, minlength=len(ends)) == 1
    border = np.zeros(len(chosen), np.bool_)
    border[ends[rim].reshape(-1)] = True
    loose = np.nonzero(border & chosen)[0]
    if len(loose) > _MOST_BORDER:
        raise NotSupportedError(f"{len(loose)} vertices on borders are welded")
    apart = np.linalg.norm(points[loose][:, None] - points[loose], axis=2)
    a, b = np.nonzero(np.triu(apart <= threshold, 1))
    return ends[near].T, np.stack([loose[a], loose[b]])


def _close(work: PolyWork, target: Ints) -> None:
    """Put vertices in place of others; sides without length go, and faces without sides.

    Raises:
        NotSupportedError: An edge would have more than two faces.
    """
    faces = work.faces
    corners = target[faces.corners]
    stay = corners != corners[faces.following]
    owner = faces.owner
    degrees = np.bincount(owner[stay], minlength=len(faces.degrees))
    # A face of two sides goes, and both become one edge.
    flat = np.nonzero(stay & (degrees[owner] == 2))[0]
    labels = components(len(work.ends), faces.sides[flat[::2]], faces.sides[flat[1::2]])
    alive = degrees > 2
    rows = stay & alive[owner]
    sides = labels[faces.sides]
    sewn = _sewn(corners, corners[faces.following], sides, np.nonzero(rows)[0], len(work.ends))
    labels = sewn[labels]
    sides = labels[faces.sides]
    if np.any(np.bincount(sides[rows], minlength=1) > 2):
        raise NotSupportedError("an edge would have more than two faces")
    old = faces.take(alive)
    new = replace(
        old,
        degrees=degrees[alive],
        corners=corners[rows],
        sides=sides[rows],
        visible=faces.visible[rows],
        maps={key: values[rows] for key, values in faces.maps.items()},
    )
    work.ends = target[work.ends]
    work.faces = keep_diagonals(work, new, old, new.degrees == old.degrees)


def _sewn(starts: Ints, ends: Ints, sides: Ints, rows: Ints, count: int) -> Ints:
    """Return edges, where two border sides that now run along one another have the same."""
    out = np.arange(count, dtype=np.int64)
    uses = np.bincount(sides[rows], minlength=count)
    loose = rows[uses[sides[rows]] == 1]
    size = int(starts.max(initial=0)) + 1
    ahead, back = starts[loose] * size + ends[loose], ends[loose] * size + starts[loose]
    if len(np.unique(ahead)) != len(ahead):
        raise NotSupportedError("an edge would have more than two faces")
    order = np.argsort(ahead)
    place = np.minimum(np.searchsorted(ahead[order], back), max(len(ahead) - 1, 0))
    found = ahead[order[place]] == back if len(ahead) else np.zeros(0, np.bool_)
    a, b = sides[loose[found]], sides[loose[order[place[found]]]]
    out[a] = np.minimum(a, b)
    return out
