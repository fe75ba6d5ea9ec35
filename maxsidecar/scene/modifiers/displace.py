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

#: Reference slot of the map (measured: 37 nodes of one scene).
_MAP: Final = 2


@modifier(DISPLACE)
def displace(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Leave what has no strength."""
    values = Values(call.obj, call)
    if values.number("strength", 0.0):
        shown = call.obj.reference(_MAP)
        name = "an image" if shown is None else f"the map {shown.class_name}"
        raise NotSupportedError(f"it displaces by {name}, which is not evaluated")
    if values.switch("apply_mapping"):
        call.approximate("the mapping that it applies is left out")
    return geometry
