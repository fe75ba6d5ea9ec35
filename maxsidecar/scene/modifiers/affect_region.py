"""Affect Region: moves what is near a point (docs/format/modifiers-unproved.md, section 6)."""

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
from maxsidecar.scene.modifiers.spaces import context_space, deform, inverse, moved, point_at

__all__ = ["AFFECT_REGION", "affect_region"]

F64: TypeAlias = npt.NDArray[np.float64]

AFFECT_REGION: Final = (0xC4E32, 0)
_START, _END = 1, 2


@modifier(AFFECT_REGION)
def affect_region(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Move points around the start of an arrow towards its end, the nearer the more."""
    values = Values(call.obj, call)
    reach = max(values.number("falloff"), 0.0)
    if values.number("pinch", 0.0) or values.number("bubble", 0.0):
        raise NotSupportedError("the curve of its pinch and bubble is not public")
    if values.switch("ignore_backfacing"):
        raise NotSupportedError("it leaves out what faces away, by a rule that is not public")
    start, end = point_at(call, _START), point_at(call, _END)
    to = context_space(call)
    back = inverse(to)

    def function(points: F64) -> F64:
        with np.errstate(all="ignore"):
            here = moved(points, to)
            away = np.linalg.norm(here - start, axis=1)
            share = np.clip(away / reach, 0.0, 1.0) if reach else np.where(away > 0.0, 1.0, 0.0)
            # The cubic from 1 to 0 that is level at both ends.
            weight = 1.0 - share**2 * (3.0 - 2.0 * share)
            return moved(here + weight[:, None] * (end - start), back)

    new = deform(geometry, function)
    call.approximate(UNPROVED)
    return new
