"""Turn to Mesh and Turn to Poly (class ids and parameters: public samples of the 3ds Max SDK)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from maxsidecar.scene.geometry.mesh import Mesh, Selection
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.polygons import polygon_mesh, to_triangles
from maxsidecar.scene.modifiers.as_polygons import as_polygons
from maxsidecar.scene.modifiers.uvw_space import numbers_of

__all__ = ["TURN_TO_MESH", "TURN_TO_POLY", "turn_to_mesh", "turn_to_poly"]

TURN_TO_MESH: Final = (0x5C5B50F7, 0x60397CA1)
TURN_TO_POLY: Final = (0x2F494E50, 0x5C376942)
_CLEAR, _INVERT = 1, 2
#: By parameter: what comes, then object, vertex, edge, face.
_LEVELS: Final = (None, "object", "vertex", "edge", "face")
_TRIANGLE: Final = 3


@modifier(TURN_TO_MESH)
def turn_to_mesh(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the mesh as triangles."""
    mesh = to_triangles(call.convert(geometry))
    # 0 keep hidden edges, 1 selection, 3 its level.
    numbers = numbers_of(call, 0, 1, 3)
    if not numbers.get(0, 1.0):
        mesh = replace(mesh, edge_visible=np.ones(len(mesh.corners), np.bool_))
    return _selected(mesh, numbers.get(1, 0.0), numbers.get(3, 0.0))


@modifier(TURN_TO_POLY)
def turn_to_poly(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the mesh as polygons."""
    mesh = call.convert(geometry)
    # 0 convex, 1 limit the size, 2 to this, 3 planar, 5 selection, 7 its level.
    numbers = numbers_of(call, 0, 1, 2, 3, 5, 7)
    limit = int(numbers.get(2, 4.0)) if numbers.get(1) else 0
    if limit == _TRIANGLE:
        triangles = to_triangles(mesh)
        mesh = polygon_mesh(
            triangles.positions,
            triangles.corners,
            triangles.starts,
            material_ids=triangles.material_ids,
            smoothing=triangles.smoothing,
            maps=triangles.maps,
            selection=triangles.selection,
        )
    else:
        mesh = replace(as_polygons(geometry, call), normals=None)
        left_out = [name for name, n in (("convex", 0), ("planar", 3)) if numbers.get(n)]
        if limit and int(mesh.degrees.max(initial=0)) > limit:
            left_out.append(f"of at most {limit} corners")
        if left_out:
            call.approximate(f"that polygons be {' and '.join(left_out)} is left out")
    return _selected(mesh, numbers.get(5, 0.0), numbers.get(7, 0.0))


def _selected(mesh: Mesh, kind: float, level: float) -> Mesh:
    """Return the mesh with its selection kept, cleared or inverted, at a level."""
    old = mesh.selection
    name = _LEVELS[int(level)] if 0 <= int(level) < len(_LEVELS) else None
    new = replace(old, level=name or old.level)
    if int(kind) == _CLEAR:
        new = Selection(new.level)
    elif int(kind) == _INVERT:
        new = Selection(
            new.level,
            vertices=_inverted(old.vertices, len(mesh.positions)),
            polygons=_inverted(old.polygons, mesh.polygon_count),
            corners=_inverted(old.corners, len(mesh.corners)),
        )
    return replace(mesh, selection=new)


def _inverted(
    bits: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None, count: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.ones(count, np.bool_) if bits is None else ~bits
