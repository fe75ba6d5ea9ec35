"""Angles around the axis: whole turns, and what a slice leaves of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from maxsidecar.scene.geometry.primitives.arithmetic import Arithmetic

__all__ = ["PI", "between", "slice_angles"]

#: Pi as 3ds Max has it: a float32.
PI: Final = float(np.float32(3.14159265))


def between(upper: float, lower: float, one: Arithmetic) -> tuple[Any, Any]:
    """Return the end of a slice and its extent.

    Args:
        upper: Angle where the slice ends; turned until it is above ``lower``.
        lower: Angle where it begins.
        one: Arithmetic of the release.

    Returns:
        ``upper``, by whole turns between ``lower`` and one turn more, and the extent, which is a
        whole turn when both angles are the same.
    """
    tau = one.number(2.0 * PI)
    first, last = one.number(lower), one.number(upper)
    turns = np.ceil((first - last) / tau) if last < first else -np.ceil((last - first) / tau - 1.0)
    last = last + tau * one.work(turns)
    return last, (tau if last == first else last - first)


def slice_angles(
    cut: tuple[float, float] | None, segments: int, zero: float, one: Arithmetic
) -> tuple[Any, Any, int]:
    """Return first angle, step, and number of points around the axis.

    Args:
        cut: Slice from and to, in radians; ``None`` for a whole turn.
        segments: Around the axis.
        zero: Angle where a whole turn begins.
        one: Arithmetic of the release.
    """
    if cut is None:
        tau = one.number(2.0) * one.number(PI)
        return one.number(zero), one.stored(tau / one.number(segments)), segments
    lower = one.number(cut[1]) + one.number(zero)
    _, extent = between(float(one.number(cut[0]) + one.number(zero)), float(lower), one)
    return lower, one.stored(extent / one.number(segments)), segments + 1
