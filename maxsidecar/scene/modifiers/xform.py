"""XForm: moves, turns and scales what is selected (docs/format/modifiers-shape.md, section 2)."""

from __future__ import annotations

from typing import Final

import numpy as np

from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.modifiers.spaces import (
    context_space,
    controller_space,
    deform,
    inverse,
    moved,
)

__all__ = ["XFORM", "xform"]

XFORM: Final = (0x25215824, 0)
_GIZMO, _CENTRE = 0, 1


@modifier(XFORM)
def xform(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Apply the gizmo's transformation about the centre."""
    context, centre = context_space(call), controller_space(call, _CENTRE)
    if np.abs(centre - np.eye(4)).max() > 1e-6:
        call.approximate("no file proves how the centre takes part")
    gizmo = controller_space(call, _GIZMO)
    matrix = context @ inverse(centre) @ gizmo @ centre @ inverse(context)
    return deform(geometry, lambda points: moved(points, matrix))
