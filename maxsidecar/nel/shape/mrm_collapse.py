"""Simplification of a mesh: the cheapest edge shrinks to a point until few faces are left.

(spec: nel-export-rules 3.4)
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.shape.mrm_cost import Costs
from maxsidecar.nel.shape.mrm_level import I64, Level
from maxsidecar.nel.shape.mrm_state import State, Weights
from maxsidecar.nel.shape.skin import INFLUENCES

__all__ = ["Reduction", "Simplified", "simplify"]

#: How many bones a merged point keeps: as the end with fewer, with more, or as many as there are.
Reduction: TypeAlias = Literal["min", "max", "best"]
Row: TypeAlias = npt.NDArray[np.float32]

_MIDDLE: Final = 0.5
#: Place of a row that no face has any more.
_GONE: Final = -2


@dataclass(slots=True)
class Simplified:
    """A coarser level.

    Attributes:
        level: The level.
        faces: (t, 3) point there of each corner of the finer level.
        wedges: (a, t, 3) row there of each attribute at each corner of the finer level.
    """

    level: Level
    faces: I64
    wedges: I64


def simplify(level: Level, wanted: int, reduction: Reduction = "max") -> Simplified:
    """Return a coarser level.

    Args:
        level: The finer level.
        wanted: Number of faces that are to be left; the last edge may take one more with it, and
            more are left where no edge can shrink.
        reduction: How many bones merged points keep.
    """
    work = _Collapse(level, reduction)
    work.run(wanted)
    return work.result()


class _Collapse:
    """A mesh whose edges shrink."""

    def __init__(self, level: Level, reduction: Reduction) -> None:
        self.level, self.reduction = level, reduction
        self.state = State(level)
        self.costs = Costs(self.state)
        self.point_to = [-1] * len(level.points)
        self.wedge_to = [[-1] * len(rows) for rows in level.values]
        # Cost, turn, face, the face's stamp and the edge: old entries of a face have old stamps.
        self.heap: list[tuple[float, int, int, int, int, int]] = []
        self.stamps = [0] * len(level.faces)
        self.turn = 0

    def run(self, wanted: int) -> None:
        """Let edges shrink until so many faces are left."""
        state = self.state
        left = len(state.faces)
        if left <= wanted:
            return
        for face in range(left):
            self._push(face)
        while left > wanted and self.heap:
            _, _, face, stamp, kept, lost = heappop(self.heap)
            if state.deleted[face] or stamp != self.stamps[face]:
                continue
            if kept == lost or self.point_to[kept] >= 0 or self.point_to[lost] >= 0:
                continue
            if len(state.at_edge(kept, lost)) == left:
                # A level shows something.
                continue
            left -= self._shrink(kept, lost)
            for other in state.around[kept]:
                self.stamps[other] += 1
                self._push(other)

    def _push(self, face: int) -> None:
        a, b, c = self.state.faces[face]
        for one, two in ((a, b), (b, c), (c, a)):
            self.turn += 1
            entry = self.costs.of_edge(one, two), self.turn, face, self.stamps[face], one, two
            heappush(self.heap, entry)

    def _share(self, kept: int, lost: int) -> float:
        """Return where the point goes: 0 stays, 1 is the other end; borders stay where they are."""
        for fixed in (self.costs.is_closed, self.costs.is_smooth):
            inner = fixed(kept), fixed(lost)
            if inner == (False, True):
                return 0.0
            if inner == (True, False):
                return 1.0
        return _MIDDLE

    def _shrink(self, kept: int, lost: int) -> int:
        """Let an edge shrink to a point; return how many faces went."""
        state = self.state
        share = np.float32(self._share(kept, lost))
        around = state.around
        near = list(dict.fromkeys(around[kept] + around[lost]))
        gone = state.at_edge(kept, lost)
        state.points[kept] = state.points[kept] * (1 - share) + state.points[lost] * share
        self.point_to[lost] = kept
        if state.skin is not None:
            state.skin[kept] = _merged(
                state.skin[kept], state.skin[lost], float(share), self.reduction
            )
        for attribute in range(len(state.values)):
            self._merge_wedges(attribute, kept, lost, share, near, gone)
        dead = set(gone)
        for face in gone:
            state.deleted[face] = True
        for face in near:
            corners = state.faces[face]
            if lost in corners:
                state.faces[face] = [kept if vertex == lost else vertex for vertex in corners]
            for attribute, rows in enumerate(state.wedges[face]):
                to = self.wedge_to[attribute]
                state.wedges[face][attribute] = [to[row] if to[row] >= 0 else row for row in rows]
        around[kept] = [face for face in around[kept] + around[lost] if face not in dead]
        around[lost] = []
        for face in gone:
            for vertex in state.faces[face]:
                if vertex != kept:
                    around[vertex] = [other for other in around[vertex] if other not in dead]
        self.costs.forget({vertex for face in near for vertex in state.faces[face]} | {lost})
        return len(gone)

    def _merge_wedges(
        self, attribute: int, kept: int, lost: int, share: np.float32, near: list[int],
        gone: list[int],
    ) -> None:  # fmt: skip
        """Blend what faces have at the two ends, and let it become one where it was on both."""
        state, values = self.state, self.state.values[attribute]
        ends: dict[int, tuple[int, int]] = {}
        blends: dict[int, Row] = {}
        for face in gone:
            one, two = state.wedge(face, attribute, kept), state.wedge(face, attribute, lost)
            ends[face] = one, two
            blends[face] = values[one] * (1 - share) + values[two] * share
        rows: dict[int, None] = {}
        for face in near:
            for vertex in (kept, lost):
                row = state.wedge(face, attribute, vertex)
                if row >= 0:
                    rows[row] = None
        uses = dict.fromkeys(rows, 0)
        last: dict[int, int] = {}
        for face in near:
            for row in set(state.wedges[face][attribute]):
                if row in uses:
                    uses[row] += 1
        for face in gone:
            for row in set(state.wedges[face][attribute]):
                if row in uses:
                    uses[row] -= 1
                    last[row] = face
        for row in rows:
            # What is on no vanished face stays as it is.
            if row not in last:
                continue
            if not uses[row]:
                self.wedge_to[attribute][row] = _GONE
                continue
            face = last[row]
            values[row] = blends[face]
            one, two = ends[face]
            if row == two and one in last and uses[one]:
                self.wedge_to[attribute][row] = one

    def result(self) -> Simplified:
        """Return what is left, and where the corners of the finer level went."""
        level, state = self.level, self.state
        point_to = np.array(self.point_to, np.int64)
        left = point_to == -1
        place = np.cumsum(left) - 1
        faces = place[_ends(point_to)[level.faces]]
        values, wedges, places = [], [], []
        for attribute, rows in enumerate(state.values):
            to = np.array(self.wedge_to[attribute], np.int64)
            # What went as a whole stays for the finer level, whose corners end there.
            stays = to < 0
            number = np.cumsum(stays) - 1
            values.append(rows[stays])
            places.append(number)
            wedges.append(number[_ends(to)[level.wedges[attribute]]])
        alive = [face for face, deleted in enumerate(state.deleted) if not deleted]
        new_faces = np.array([state.faces[face] for face in alive], np.int64).reshape(-1, 3)
        shape = (len(alive), len(values), 3)
        stored = np.array([state.wedges[face] for face in alive], np.int64).reshape(shape)
        new_wedges = np.empty((len(values), len(alive), 3), np.int64)
        for attribute, number in enumerate(places):
            new_wedges[attribute] = number[stored[:, attribute]]
        bones, weights = state.skin_arrays(left)
        coarser = Level(
            state.points[left], values, place[new_faces], new_wedges, level.materials[alive],
            bones, weights,
        )  # fmt: skip
        empty = np.empty((0, *level.faces.shape), np.int64)
        return Simplified(coarser, faces, np.stack(wedges) if wedges else empty)


def _ends(to: I64) -> I64:
    """Return where each place leads in the end."""
    out = np.where(to >= 0, to, np.arange(len(to)))
    while True:
        further = out[out]
        if np.array_equal(further, out):
            return np.asarray(out)
        out = further


def _merged(one: Weights, two: Weights, share: float, reduction: Reduction) -> Weights:
    """Return the bones of a point between two others, the strongest first."""
    if share == 0.0:
        return one
    if share == 1.0:
        return two
    sums: dict[int, float] = {}
    for weights, part in ((one, 1 - share), (two, share)):
        for bone, weight in weights:
            sums[bone] = sums.get(bone, 0.0) + weight * part
    ordered = sorted(sums.items(), key=lambda item: -item[1])
    most = INFLUENCES
    if reduction != "best":
        most = (min if reduction == "min" else max)(len(one), len(two))
    ordered = ordered[:most]
    total = sum(weight for _, weight in ordered)
    return [(bone, weight / total) for bone, weight in ordered]
