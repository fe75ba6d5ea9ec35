"""Stretch: longer along an axis, thinner across it (docs/format/modifiers-unproved.md)."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.spaces import (
    context_box,
    context_space,
    deform,
    inverse,
    modifier_space,
    moved,
)

__all__ = ["STRETCH", "stretch"]

F64: TypeAlias = npt.NDArray[np.float64]

STRETCH: Final = (0x100B0, 0xBC2D21)
_X, _Y, _Z = range(3)


@modifier(STRETCH)
def stretch(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Scale along an axis, and by the inverse across it, most in the middle between the ends."""
    values = Values(call.obj, call)
    axis = int(values.number("axis", _Z))
    if axis not in range(3):
        raise NotSupportedError(f"its axis {axis} is not known")
    amount = values.number("stretch", 0.0)
    along = _factor(amount)
    across = 1.0 / _factor(amount * _factor(values.number("amplify", 0.0)))
    limited = values.switch("limit_effect")
    to = modifier_space(call)
    if limited:
        low, high = values.number("limit_from", 0.0), values.number("limit_to", 0.0)
        high = max(low, high)
    else:
        low, high = _extent(call, geometry, to, axis)
    back = inverse(to)

    def function(points: F64) -> F64:
        with np.errstate(all="ignore"):
            out = moved(points, to)
            height = out[:, axis]
            inside = np.clip(height, low, high)
            length = high - low
            share = (inside - low) / length if length > 0.0 else np.zeros(len(out))
            # Nothing at both ends, all of it in the middle.
            factor = 1.0 + (across - 1.0) * 4.0 * share * (1.0 - share)
            new = out * factor[:, None]
            new[:, axis] = inside * along + (height - inside) if limited else height * along
            return moved(new, back)

    new = deform(geometry, function)
    call.approximate(UNPROVED)
    return new


def _factor(amount: float) -> float:
    """Return the factor of an amount: amounts of different sign have inverse factors."""
    return amount + 1.0 if amount >= 0.0 else -1.0 / (amount - 1.0)


def _extent(call: ModifierCall, geometry: Geometry, to: F64, axis: int) -> tuple[float, float]:
    """Return how far the box of what is modified goes along the axis of the gizmo."""
    with np.errstate(all="ignore"):
        box = np.stack(context_box(call, geometry))
        corners = np.array(np.meshgrid(*box.T, indexing="ij")).reshape(3, -1).T
        heights = moved(moved(corners, inverse(context_space(call))), to)[:, axis]
    return float(heights.min()), float(heights.max())
