"""All levels of detail of a mesh, and the vertices that they share.

(spec: nel-export-rules 3.4; the same in real files, docs/format/nel.md)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.shape.corners import merge_corners
from maxsidecar.nel.shape.mrm_collapse import Reduction, Simplified, simplify
from maxsidecar.nel.shape.mrm_level import I64, Level
from maxsidecar.nel.shape.vertex_cache import cache_order

__all__ = ["Chain", "ChainLevel", "build_chain"]

#: No level has fewer faces, unless the mesh has.
_FEWEST: Final = 4


@dataclass(slots=True)
class ChainLevel:
    """One level of detail.

    Attributes:
        vertices: Number of vertices that it and the coarser levels use, with the places in front.
        geomorphs: (g, 2) int64: vertices that move, from where in this level to where in the next
            coarser one; number n moves in place n.
        passes: Material and (t, 3) vertices of its faces.
        used: (n,) int64: vertices that are drawn or moved, ascending.
    """

    vertices: int
    geomorphs: I64
    passes: list[tuple[int, I64]]
    used: I64


@dataclass(slots=True)
class Chain:
    """All levels, the coarsest first.

    Attributes:
        levels: The levels.
        space: Places in front of the vertices, for those that move while levels blend.
        rows: Values of each vertex by column: positions, then the attributes, as in
            :class:`~maxsidecar.nel.shape.mrm_level.Level`; zeros for the places in front.
        bones: (n, 4) int32, or ``None``.
        weights: (n, 4) float32, or ``None``.
    """

    levels: list[ChainLevel] = field(default_factory=list)
    space: int = 0
    rows: list[npt.NDArray[np.float32]] = field(default_factory=list)
    bones: npt.NDArray[np.int32] | None = None
    weights: npt.NDArray[np.float32] | None = None


def build_chain(finest: Level, count: int, divisor: int, reduction: Reduction) -> Chain:
    """Return the levels of a mesh.

    Args:
        finest: The mesh.
        count: Number of levels, at least 1.
        divisor: The coarsest level has the faces divided by this, at least 4.
        reduction: How many bones merged points keep.
    """
    total = len(finest.faces)
    least = max(total // max(divisor, 1), _FEWEST)
    levels, steps = [finest], list[Simplified]()
    for number in range(count - 1, 0, -1):
        # Towards zero, as the game's whole numbers are divided.
        share = int((total - least) * (number - 1) / (count - 1))
        step = simplify(levels[0], max(least + share, _FEWEST), reduction)
        steps.insert(0, step)
        levels.insert(0, step.level)
    return _Finish(levels, steps).chain


class _Finish:
    """Puts the vertices of all levels into one list."""

    def __init__(self, levels: list[Level], steps: list[Simplified]) -> None:
        self.levels = levels
        # Of each corner of each level: where it starts, and where it ends in the coarser one.
        columns: list[list[npt.NDArray[Any]]] = []
        for number, level in enumerate(levels):
            start = _corners(level, level.faces, level.wedges)
            if number:
                step = steps[number - 1]
                end = _corners(levels[number - 1], step.faces, step.wedges)
            else:
                end = start
            pairs = [np.stack(pair, axis=1) for pair in zip(start, end, strict=True)]
            columns.append([pair.reshape(-1, pair.shape[-1]) for pair in pairs])
        joined = [np.concatenate(parts) for parts in zip(*columns, strict=True)]
        # Morph targets do not tell vertices apart.
        meshes = levels[0].points.shape[1] // 3
        shared = 1 + len(levels[0].values)
        own = [rows[:, : rows.shape[1] // meshes] for rows in joined[:shared]]
        first, vertex = merge_corners([*own, *joined[shared:]])
        self.chain = Chain()
        self._fill(first, vertex, joined)

    def _fill(self, first: I64, vertex: I64, joined: list[npt.NDArray[Any]]) -> None:
        at, starts, ends = 0, list[I64](), list[I64]()
        for level in self.levels:
            size = 6 * len(level.faces)
            pairs = vertex[at : at + size].reshape(-1, 2)
            starts.append(pairs[:, 0])
            ends.append(pairs[:, 1])
            at += size
        morphs = [
            _geomorphs(start, end) for start, end in zip(starts, ends, strict=True)
        ]  # fmt: skip
        chain = self.chain
        space = chain.space = max((len(pairs) for pairs, _ in morphs), default=0)
        chain.rows = [
            np.concatenate([np.zeros((space, rows.shape[1]), rows.dtype), rows[first]])
            for rows in joined[: 1 + len(self.levels[0].values)]
        ]
        if self.levels[0].bones is not None:
            chain.bones, chain.weights = (
                np.concatenate([np.zeros((space, rows.shape[1]), rows.dtype), rows[first]])
                for rows in joined[-2:]
            )
        known = 0
        for level, start, (pairs, place) in zip(self.levels, starts, morphs, strict=True):
            known = max(known, int(start.max(initial=-1)) + 1, int(pairs.max(initial=-1)) + 1)
            moved = place >= 0
            drawn = np.where(moved, place, start + space)
            used = np.unique(np.concatenate([pairs.reshape(-1), start[~moved]])) + space
            chain.levels.append(
                ChainLevel(known + space, pairs + space, _passes(level, drawn), used)
            )


def _corners(level: Level, faces: I64, wedges: I64) -> list[npt.NDArray[Any]]:
    """Return what corners have, by column."""
    out: list[npt.NDArray[Any]] = [level.points[faces.reshape(-1)]]
    out += [rows[wedges[n].reshape(-1)] for n, rows in enumerate(level.values)]
    if level.bones is not None and level.weights is not None:
        out += [level.bones[faces.reshape(-1)], level.weights[faces.reshape(-1)]]
    return out


def _geomorphs(start: I64, end: I64) -> tuple[I64, I64]:
    """Return pairs of different vertices, each once, and the place of each corner among them."""
    place = np.full(len(start), -1, np.int64)
    moved = np.nonzero(start != end)[0]
    if not len(moved):
        return np.empty((0, 2), np.int64), place
    pairs = np.stack([start[moved], end[moved]], axis=1)
    first, number = merge_corners([pairs])
    place[moved] = number
    return pairs[first], place


def _passes(level: Level, drawn: I64) -> list[tuple[int, I64]]:
    triangles = drawn.reshape(-1, 3)
    out = []
    for material in np.unique(level.materials).tolist():
        own = triangles[level.materials == material]
        out.append((material, own[cache_order(own)]))
    return out
