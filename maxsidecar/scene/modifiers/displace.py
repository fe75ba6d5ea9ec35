"""Displace: moves vertices by a map, which is not evaluated."""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values

__all__ = ["DISPLACE", "displace"]

DISPLACE: Final = (0xC4D32, 0)


@modifier(DISPLACE)
def displace(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Leave what has no strength."""
    values = Values(call.obj, call)
    if values.number("strength", 0.0):
        raise NotSupportedError("it displaces by an image or a map, and those are not evaluated")
    if values.switch("apply_mapping"):
        call.approximate("the mapping that it applies is left out")
    return geometry
