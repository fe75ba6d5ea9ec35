"""Tessellate: divides faces, again and again (docs/format/modifiers-unproved.md, section 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.modifiers.as_polygons import as_polygons
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.division import divide
from maxsidecar.scene.modifiers.spaces import check_places
from maxsidecar.scene.modifiers.uvw_space import chosen_faces

__all__ = ["TESSELLATE", "tessellate"]

TESSELLATE: Final = (0xA3B26FF2, 0)
_EDGE, _CENTRE = 0, 1
_FACES, _POLYGONS = 0, 1
#: Four times as many triangles each time: even one triangle would become too many.
_MOST_TIMES: Final = 10


@modifier(TESSELLATE)
def tessellate(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Divide the selected faces, else all, by their edges or from their middles."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    kind, faces = int(values.number("type")), int(values.number("face_type", _FACES))
    if kind not in (_EDGE, _CENTRE) or faces not in (_FACES, _POLYGONS):
        raise NotSupportedError(f"its type {kind} or what it operates on, {faces}, is not known")
    # The number of the button: 0 for once.
    times = max(int(values.number("iterations", 0.0)), 0) + 1
    if times > _MOST_TIMES:
        raise NotSupportedError(f"it divides faces {times} times, more than {_MOST_TIMES}")
    check_places(mesh)
    triangles = not mesh.is_polygons
    mesh = as_polygons(geometry, call) if faces == _POLYGONS else to_triangles(mesh)
    # A triangle as a polygon becomes three quads, and anything else four times as much at most.
    check_triangles(len(mesh.triangles) * (6 * 4 ** (times - 1) if kind == _EDGE else 3**times))
    chosen = chosen_faces(mesh)
    if chosen is None:
        chosen = np.ones(mesh.polygon_count, np.bool_)
    for _ in range(times):
        mesh, chosen = divide(replace(mesh, normals=None), chosen, centre=kind == _CENTRE)
    call.approximate(UNPROVED)
    if kind == _EDGE and values.number("tension", 0.0):
        call.approximate("its tension is left out: how far it moves new vertices is not public")
    if values.number("update", 0.0):
        call.approximate("it is updated by hand or for renders only; it is taken as up to date")
    return to_triangles(mesh) if triangles else mesh
