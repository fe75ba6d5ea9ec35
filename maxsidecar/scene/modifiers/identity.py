"""Modifiers that leave the geometry as it is.

Skin, Physique and Morpher deform it over time, but not in the pose that they were set up in; who
exports a skin or morph targets takes bones, weights and targets from the modifier itself.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier

__all__ = ["MORPHER", "PHYSIQUE", "SKIN", "unchanged"]

SKIN: Final = (0x95C723, 0x15666)
PHYSIQUE: Final = (0x100, 0)
MORPHER: Final = (0x17BB6854, 0xA5CBA2A3)


@modifier(SKIN, PHYSIQUE, MORPHER)
def unchanged(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the geometry at rest."""
    return geometry
