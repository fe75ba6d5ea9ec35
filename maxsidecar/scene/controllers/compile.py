"""From the keys of a controller to a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.controllers.curves import (
    Constant,
    Cubic,
    Curve,
    Extended,
    Scales,
    Spherical,
)
from maxsidecar.scene.controllers.handles import bezier_segments, hermite_segments, line_segments
from maxsidecar.scene.controllers.rotations import FloatArray

if TYPE_CHECKING:
    from maxsidecar.scene.controllers.keyed import KeyedController

__all__ = ["compile_curve", "tcb_tangents"]


def compile_curve(controller: KeyedController) -> Curve:
    """Return the curve of a keyframe controller, of values as stored (rotations conjugated).

    Raises:
        DecodeError: The keys or the value are not stored as is known.
    """
    keys = controller.keys
    if keys is None or not len(keys):
        stored = controller.body.value
        return Constant(np.atleast_1d(np.asarray(stored, np.float64)))
    if len(keys) == 1:
        return Constant(_row(keys))
    curve = _curve(controller.kind, keys)
    before, after = controller.out_of_range
    if (before, after) == (1, 1):
        return curve
    span = controller.range
    return curve if span is None else Extended(curve, span, before, after)


def _row(keys: npt.NDArray[np.void]) -> FloatArray:
    """Return the value of the first key, with the axis of scales."""
    value = np.atleast_1d(keys["value"][0].astype(np.float64))
    if "axis" in (keys.dtype.names or ()):
        return np.concatenate([value, keys["axis"][0].astype(np.float64)])
    return value


def _curve(kind: str, keys: npt.NDArray[np.void]) -> Curve:
    times = keys["time"].astype(np.float64)
    values = keys["value"].astype(np.float64).reshape(len(keys), -1)
    names = keys.dtype.names or ()
    if kind == "rotation":
        controls = None
        if "out_control" in names:
            controls = np.stack([keys["out_control"][:-1], keys["in_control"][1:]], axis=1)
            controls = controls.astype(np.float64)
        return Spherical(times, values, controls, _eases(keys))
    if "tension" in names:
        if "out_tangent" in names:
            leave = keys["out_tangent"][:-1].astype(np.float64)
            arrive = keys["in_tangent"][1:].astype(np.float64)
        else:
            leave, arrive = tcb_tangents(keys)
        cubic = Cubic(times, values, hermite_segments(values, leave, arrive), eases=_eases(keys))
    elif "out_tangent" in names:
        coefficients, handles = bezier_segments(keys, values)
        cubic = Cubic(times, values, coefficients, handles)
    else:
        cubic = Cubic(times, values, line_segments(values))
    if "axis" in names:
        return Scales(cubic, keys["axis"].astype(np.float64))
    return cubic


def _eases(keys: npt.NDArray[np.void]) -> FloatArray | None:
    """Return how much each segment eases out of its first and into its last key."""
    if "ease_out" not in (keys.dtype.names or ()):
        return None
    pairs: FloatArray = np.stack([keys["ease_out"][:-1], keys["ease_in"][1:]], axis=1)
    return pairs.astype(np.float64)


def tcb_tangents(keys: npt.NDArray[np.void]) -> tuple[FloatArray, FloatArray]:
    """Return the tangents of TCB keys, in value per segment.

    Between two segments they are those of Kochanek and Bartels, weighted by the lengths of the
    segments; at the ends they follow from the neighbour.  (With all parameters 0, the only case
    seen, this equals the tangents stored in the position keys of the corpus.)

    Args:
        keys: At least two keys with the TCB columns.

    Returns:
        Tangents at the first and at the last key of each segment, each (n - 1, w).
    """
    values = keys["value"].astype(np.float64).reshape(len(keys), -1)
    tension, continuity, bias = (
        keys[name].astype(np.float64)[:, None] for name in ("tension", "continuity", "bias")
    )
    steps = np.diff(keys["time"].astype(np.float64))[:, None]
    moves = np.diff(values, axis=0)
    leave, arrive = np.zeros_like(moves), np.zeros_like(moves)
    t, c, b = tension[1:-1], continuity[1:-1], bias[1:-1]
    before, after = moves[:-1], moves[1:]
    total = steps[:-1] + steps[1:]
    total = np.where(total > 0, total, 1.0)
    arrive[:-1] = ((1 + b) * (1 - c) * before + (1 - b) * (1 + c) * after) * (1 - t) / 2
    leave[1:] = ((1 + b) * (1 + c) * before + (1 - b) * (1 - c) * after) * (1 - t) / 2
    arrive[:-1] *= 2 * steps[:-1] / total
    leave[1:] *= 2 * steps[1:] / total
    if len(moves) == 1:
        leave[0] = (1 - tension[0]) * moves[0]
        arrive[0] = (1 - tension[1]) * moves[0]
    else:
        leave[0] = (1 - tension[0]) * (1.5 * moves[0] - 0.5 * arrive[0])
        arrive[-1] = (1 - tension[-1]) * (1.5 * moves[-1] - 0.5 * leave[-1])
    return leave, arrive
