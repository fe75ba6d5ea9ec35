"""How a leg of a CAT rig reaches: two bones that bend in the plane that they stand in."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.rigging.turns import about, between, moved, unit

__all__ = ["reach"]

F64: TypeAlias = npt.NDArray[np.float64]


def reach(first: F64, second: F64, length: float, goal: F64) -> tuple[F64, F64] | None:
    """Return the world matrices of two bones whose end is at a goal.

    The bones are swung from where they end to the goal, then bent: sides of the triangle are the
    distance of the joints, the length of the second bone and the distance of the goal.

    Args:
        first: World matrix of the first bone, (4, 4), as it stands freely; bones lie along x.
        second: The same of the second, whose joint need not be at the end of the first.
        length: Length of the second bone.
        goal: Place, (3,).

    Returns:
        ``None`` where the goal is out of reach, or the first bone is flat.
    """
    start = first[3, :3]
    free_end = moved(second, np.array([length, 0.0, 0.0]))[3, :3]
    swing = between(free_end - start, goal - start)
    bone = _turned(first, swing)
    reached = float(np.linalg.norm(second[3, :3] - start))
    distance, line = float(np.linalg.norm(goal - start)), unit(goal - start)
    if reached * distance <= 0.0 or not abs(reached - length) < distance < reached + length:
        return None
    cosine = (reached**2 + distance**2 - length**2) / (2.0 * reached * distance)
    bent = float(np.arccos(np.clip(bone[0, :3] @ line, -1.0, 1.0)))
    bone = _turned(bone, about(np.cross(line, bone[0, :3]), float(np.arccos(cosine)) - bent))
    shin = _turned(second, swing)
    try:
        shin[3] = (second @ np.linalg.inv(first) @ bone)[3]
    except np.linalg.LinAlgError:
        return None
    return bone, _turned(shin, between(shin[0, :3], goal - shin[3, :3]))


def _turned(matrix: F64, turn: F64) -> F64:
    out = matrix @ turn
    out[3] = matrix[3]
    return out
