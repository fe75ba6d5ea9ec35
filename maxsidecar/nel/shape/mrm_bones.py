"""Bones of levels of detail: which ones a level needs, and which vertices they move."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.serial.classes.mesh_mrm import VERTEX_BLOCK, WEDGE_RANGE
from maxsidecar.nel.shape.mrm_chain import Chain, ChainLevel
from maxsidecar.nel.shape.mrm_level import I64
from maxsidecar.nel.shape.skin import INFLUENCES

__all__ = ["bone_numbers", "influenced", "level_bones", "renumbered", "runs", "wedge_ranges"]


def wedge_ranges(level: ChainLevel) -> npt.NDArray[np.void]:
    """Return the moving vertices of a level as the game stores them."""
    out: npt.NDArray[Any] = np.zeros(len(level.geomorphs), WEDGE_RANGE)
    out["start"], out["end"] = level.geomorphs[:, 0], level.geomorphs[:, 1]
    return out


def bone_numbers(chain: Chain) -> dict[int, int]:
    """Return new numbers of bones by their number in the skeleton, in the order of first use.

    The game goes through the vertices, and through the bones of each that move it.
    """
    numbers: dict[int, int] = {}
    if chain.bones is not None and chain.weights is not None:
        for bone in chain.bones[chain.weights > 0].tolist():
            numbers.setdefault(bone, len(numbers))
    return numbers


def level_bones(chain: Chain, level: ChainLevel, numbers: dict[int, int]) -> npt.NDArray[np.uint32]:
    """Return the new numbers of the bones that move a level, by ascending skeleton number."""
    if chain.bones is None or chain.weights is None:
        return np.empty(0, "<u4")
    bones, weights = chain.bones[level.used], chain.weights[level.used]
    used = np.unique(bones[weights > 0]).tolist()
    return np.array([numbers[bone] for bone in used], "<u4")


def influenced(chain: Chain, level: ChainLevel) -> list[npt.NDArray[np.uint32]]:
    """Return the vertices of a level that one, two, three and four bones move."""
    if chain.weights is None:
        return [np.empty(0, "<u4")] * INFLUENCES
    count = np.count_nonzero(chain.weights[level.used] > 0, axis=1)
    return [level.used[count == number + 1].astype("<u4") for number in range(INFLUENCES)]


def renumbered(chain: Chain, numbers: dict[int, int]) -> npt.NDArray[np.int64]:
    """Return the bones of all vertices with their new numbers, 0 where they have no weight."""
    if chain.bones is None or chain.weights is None:
        return np.zeros((len(chain.rows[0]), INFLUENCES), np.int64)
    table = np.zeros(max(numbers, default=0) + 1, np.int64)
    table[list(numbers)] = list(numbers.values())
    known = np.where(chain.weights > 0, chain.bones, 0)
    return np.where(chain.weights > 0, table[np.minimum(known, len(table) - 1)], 0)


def runs(used: I64) -> npt.NDArray[np.void]:
    """Return ascending numbers as runs: first and how many."""
    breaks = np.nonzero(np.diff(used) != 1)[0] + 1
    starts = np.concatenate([[0], breaks]).astype(np.int64) if len(used) else np.empty(0, np.int64)
    out: npt.NDArray[Any] = np.zeros(len(starts), VERTEX_BLOCK)
    if len(used):
        out["start"] = used[starts]
        out["count"] = np.diff(np.concatenate([starts, [len(used)]]))
    return out
