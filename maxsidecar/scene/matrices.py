"""Transform matrices from their parts: 4x4 row-vector float64 matrices, for many times at once."""

from __future__ import annotations

import numpy as np

from maxsidecar.scene.controllers.rotations import (
    FloatArray,
    normalized,
    quaternion_to_matrix,
)

__all__ = ["compose", "look_at", "turn_of"]


def compose(position: FloatArray, rotation: FloatArray, scale: FloatArray) -> FloatArray:
    """Return matrices ``scale · rotation · translation``.

    Args:
        position: Shape (T, 3) or (1, 3).
        rotation: Quaternions in the usual convention, (T, 4) or (1, 4).
        scale: Factors and rotation of their frame, (T, 7) or (1, 7).

    Returns:
        (T, 4, 4), or (1, 4, 4) where nothing changes.
    """
    rows = max(len(position), len(rotation), len(scale))
    out = np.zeros((rows, 4, 4))
    linear = out[:, :3, :3]
    if len(rotation) == rows:
        quaternion_to_matrix(rotation, linear)
    else:
        linear[:] = quaternion_to_matrix(rotation)
    factors, axes = scale[:, :3, None], scale[:, 3:]
    if np.any(axes[:, :3]):
        frame = quaternion_to_matrix(axes)
        linear[:] = np.swapaxes(frame, 1, 2) @ (factors * frame) @ linear
    elif np.any(factors != 1.0):
        linear *= factors
    out[:, 3, :3] = position
    out[:, 3, 3] = 1.0
    return out


def look_at(place: FloatArray, goal: FloatArray, roll: FloatArray, scale: FloatArray) -> FloatArray:
    """Return matrices that stand at a place and turn -Z towards a goal.

    Args:
        place: (T, 3) or (1, 3).
        goal: (T, 3) or (1, 3).
        roll: Radians about the line of sight, (T,) or (1,).
        scale: Factors and rotation of their frame, (T, 7) or (1, 7).

    Returns:
        (T, 4, 4) or (1, 4, 4).
    """
    z = normalized(place - goal, (0.0, 0.0, 1.0))
    x = normalized(np.stack([-z[:, 1], z[:, 0], np.zeros(len(z))], axis=1), (1.0, 0.0, 0.0))
    y = np.cross(z, x)
    rows = max(len(z), len(roll), len(scale))
    frame = np.stack([x, y, z], axis=1)
    half = roll / 2
    zero = np.zeros_like(half)
    spin = np.stack([zero, zero, np.sin(half), np.cos(half)], axis=1)
    out = np.zeros((rows, 4, 4))
    out[:, :3, :3] = compose(np.zeros((1, 3)), spin, scale)[:, :3, :3] @ frame
    out[:, 3, :3] = place
    out[:, 3, 3] = 1.0
    return out


def turn_of(m: FloatArray) -> FloatArray:
    """Return the nearest rotations, or rotations with a mirror, of matrices: (T, 3, 3)."""
    product = m @ np.swapaxes(m, 1, 2)
    if np.all(np.abs(product - np.eye(3)) < 1e-9):
        return m
    finite = np.asarray(np.isfinite(m).all(axis=(1, 2))).reshape(-1, 1, 1)
    usable = np.where(finite, m, np.eye(3))
    u, _, v = np.linalg.svd(usable)
    out: FloatArray = u @ v
    return out
