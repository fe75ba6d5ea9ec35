"""XForm: moves, turns and scales what is selected (docs/format/modifiers-shape.md, section 2)."""

from __future__ import annotations

from typing import Final

import numpy as np

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.rebuild import elements_of, turned
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
#: Less is no change of place.
_LEAST: Final = 1e-6


@modifier(XFORM)
def xform(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Apply the centre's and the gizmo's transformation."""
    context, centre = context_space(call), controller_space(call, _CENTRE)
    gizmo = controller_space(call, _GIZMO)
    if np.abs(centre - np.eye(4)).max() > _LEAST:
        call.approximate("no file proves how the centre takes part")
    matrix = context @ centre @ gizmo @ inverse(context)
    out = deform(geometry, lambda points: moved(points, matrix))
    preserve = Values(call.obj, call).switch("preserve_normals")
    if isinstance(out, Mesh) and preserve and np.linalg.det(gizmo[:3, :3]) < 0:
        call.approximate("no file proves how a reflection turns polygons round")
        return _turned_round(out)
    return out


def _turned_round(mesh: Mesh) -> Mesh:
    """Turn polygons round, of a face selection those that are selected."""
    polygons = np.arange(mesh.polygon_count)
    if mesh.selection.level == "face":
        chosen = mesh.selection.polygons
        polygons = polygons[:0] if chosen is None else np.nonzero(chosen)[0]
        if mesh.is_polygons:
            polygons = elements_of(mesh, polygons)
    return turned(mesh, polygons)
