"""Bezier handles: control values of each segment, and the time that runs through them."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.controllers.key_flags import (
    BROKEN_SHIFT,
    IN_TYPE_SHIFT,
    OUT_TYPE_SHIFT,
    TYPE_MASK,
    TangentType,
)
from maxsidecar.scene.controllers.rotations import FloatArray

__all__ = ["bezier_segments", "hermite_segments", "line_segments", "solve"]

_THIRD: Final = 1.0 / 3.0
#: Lengths that are a third, rounded when they were written.
_ROUNDED_THIRD: Final = 0.3333
_ROUNDING: Final = 1e-3
#: Newton's method needs about ten rounds, halving alone that many.
_ROUNDS: Final = 60
_CLOSE: Final = 1e-15


def line_segments(values: FloatArray) -> FloatArray:
    """Return the cubics of straight lines between values: (n, w) to (4, n - 1, w)."""
    out = np.zeros((4, len(values) - 1, values.shape[1]))
    out[0] = values[:-1]
    out[1] = values[1:] - values[:-1]
    return out


def hermite_segments(values: FloatArray, leave: FloatArray, arrive: FloatArray) -> FloatArray:
    """Return the cubics with given end tangents, in value per segment: (4, n - 1, w).

    Args:
        values: Shape (n, w).
        leave: Tangent at the first key of each segment, (n - 1, w).
        arrive: Tangent at its last key.
    """
    v0, v1 = values[:-1], values[1:]
    return np.stack([v0, leave, 3 * (v1 - v0) - 2 * leave - arrive, 2 * (v0 - v1) + leave + arrive])


def bezier_segments(
    keys: npt.NDArray[np.void], values: FloatArray
) -> tuple[FloatArray, FloatArray | None]:
    """Return the cubics between Bezier keys and the handle lengths that bend time.

    A step on either side holds the first value.  A straight line takes both sides; every other
    pair uses the stored tangents.  A length of 1/3 leaves time straight (measured).

    Args:
        keys: Keys with the Bezier columns; those of 1997 have no lengths, which means 1/3.
        values: Their values, (n, w).

    Returns:
        Coefficients (4, n - 1, w), and lengths (n - 1, 2, w) with NaN where time is straight;
        ``None`` where it is straight everywhere.
    """
    shape = values.shape
    flags = keys["flags"].astype(np.int64)
    steps = np.diff(keys["time"].astype(np.float64))[:, None]
    tangent_in = keys["in_tangent"].astype(np.float64).reshape(shape)[1:]
    tangent_out = keys["out_tangent"].astype(np.float64).reshape(shape)[:-1]
    broken = (flags[:, None] >> (BROKEN_SHIFT + np.arange(shape[1]))) & 1 == 1
    names = keys.dtype.names or ()
    if "in_length" in names:
        length_in = _lengths(keys["in_length"], shape, broken)[1:]
        length_out = _lengths(keys["out_length"], shape, broken)[:-1]
    else:
        length_in = length_out = np.full((shape[0] - 1, shape[1]), _THIRD)
    v0, v1 = values[:-1], values[1:]
    p1 = v0 + tangent_out * steps * length_out
    p2 = v1 + tangent_in * steps * length_in
    out = np.stack([v0, 3 * (p1 - v0), 3 * (v0 - 2 * p1 + p2), v1 - v0 + 3 * (p1 - p2)])
    straight = (length_out == _THIRD) & (length_in == _THIRD)
    leave = flags[:-1] >> OUT_TYPE_SHIFT & TYPE_MASK
    arrive = flags[1:] >> IN_TYPE_SHIFT & TYPE_MASK
    line = (leave == TangentType.LINEAR) & (arrive == TangentType.LINEAR)
    step = (leave == TangentType.STEP) | (arrive == TangentType.STEP)
    if line.any():
        out[:, line] = line_segments(values)[:, line]
    if step.any():
        out[1:, step] = 0.0
    straight |= (line | step)[:, None]
    if straight.all():
        return out, None
    lengths = np.stack([length_out, length_in], axis=1)
    return out, np.where(straight[:, None], np.nan, lengths)


def _lengths(
    stored: npt.NDArray[np.float32], shape: tuple[int, ...], broken: npt.NDArray[np.bool_]
) -> FloatArray:
    """Return handle lengths as 3ds Max takes them, (n, w)."""
    lengths = stored.astype(np.float64).reshape(shape)
    rounded = (np.abs(lengths - _ROUNDED_THIRD) < _ROUNDING) & ~broken
    return np.where(rounded | ~(lengths >= 0.0), _THIRD, lengths)


def solve(share: FloatArray, leave: FloatArray, arrive: FloatArray) -> FloatArray:
    """Return where on a Bezier curve in time a share of the segment has passed.

    The time is ``3(1-u)²u·a + 3(1-u)u²(1-b) + u³`` with handle lengths a and b.  Newton's method
    inside a shrinking bracket.

    Args:
        share: Shape (m,), 0 to 1.
        leave: Length a of the handle at the first key.
        arrive: Length b of the handle at the last key.
    """
    # Beyond 1 time would run backwards; files do not have that.
    a, b = np.clip(leave, 0.0, 1.0), np.clip(arrive, 0.0, 1.0)
    c1, c2, c3 = 3 * a, 3 * (1 - b) - 6 * a, 1 + 3 * a - 3 * (1 - b)
    low, high = np.zeros_like(share), np.ones_like(share)
    u = share.copy()
    for _ in range(_ROUNDS):
        miss = ((c3 * u + c2) * u + c1) * u - share
        slope = (3 * c3 * u + 2 * c2) * u + c1
        with np.errstate(all="ignore"):
            guess = u - miss / slope
        # Beside its root a curve may miss by its own rounding; what cannot move closer stays.
        settled = (np.abs(miss) <= _CLOSE) | (guess == u)
        if settled.all():
            break
        below = miss < 0
        low, high = np.where(below, u, low), np.where(below, high, u)
        good = (guess > low) & (guess < high)
        u = np.where(settled, u, np.where(good, guess, (low + high) / 2))
    return u
