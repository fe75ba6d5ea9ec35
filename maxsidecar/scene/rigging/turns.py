"""Row-vector matrices of rigs: turns about axes, shares of turns, and moves along axes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["about", "between", "blend", "half_turn", "moved", "rigid", "unit"]

F64: TypeAlias = npt.NDArray[np.float64]

#: Lengths and angles below count as none.
_NOTHING = 1e-12


def unit(vector: F64) -> F64:
    """Return a vector of length 1 in the same direction; zeros for none."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > _NOTHING else np.zeros_like(vector)


def about(axis: F64, angle: float) -> F64:
    """Return the matrix (4, 4) that turns by an angle in radians about an axis, right-handed."""
    x, y, z = unit(np.asarray(axis, np.float64))
    cross = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    out = np.eye(4)
    out[:3, :3] += np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
    return out


def between(start: F64, goal: F64) -> F64:
    """Return the matrix of the smallest turn from one direction to another."""
    start, goal = unit(start), unit(goal)
    axis = np.cross(start, goal)
    return about(axis, float(np.arctan2(np.linalg.norm(axis), start @ goal)))


def blend(start: F64, goal: F64, share: float) -> F64:
    """Return a turn on the way from one to another, or beyond; the place is that of the start."""
    turn = start[:3, :3].T @ goal[:3, :3]
    axis = np.array([turn[1, 2] - turn[2, 1], turn[2, 0] - turn[0, 2], turn[0, 1] - turn[1, 0]])
    angle = float(np.arctan2(np.linalg.norm(axis), np.trace(turn) - 1.0))
    out = start.copy()
    out[:3, :3] = start[:3, :3] @ about(axis, share * angle)[:3, :3]
    return out


def half_turn(matrix: F64) -> F64:
    """Return a matrix that is turned by half a circle about its own Y axis."""
    out = matrix.copy()
    out[0] *= -1.0
    out[2] *= -1.0
    return out


def moved(matrix: F64, offset: F64) -> F64:
    """Return a matrix that is moved along its own axes."""
    out = matrix.copy()
    out[3, :3] += np.asarray(offset, np.float64) @ matrix[:3, :3]
    return out


def rigid(matrix: F64) -> F64 | None:
    """Return a matrix with axes of length 1; ``None`` where one has none."""
    lengths = np.linalg.norm(matrix[:3, :3], axis=1, keepdims=True)
    if not np.isfinite(matrix).all() or (lengths <= _NOTHING).any():
        return None
    out = matrix.copy()
    out[:3, :3] /= lengths
    return out
