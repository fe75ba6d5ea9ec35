"""Mirror: reflects what is selected, or a copy of it.

Facts: docs/format/modifiers-shape.md, section 5.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import twin_corners
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.rebuild import elements_of, mirrored_copy, turned
from maxsidecar.scene.modifiers.spaces import (
    check_corners,
    chosen_vertices,
    deform,
    deform_mesh,
    inverse,
    modifier_space,
    moved,
)

__all__ = ["MIRROR", "mirror"]

Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

MIRROR: Final = (0xEF92AA7C, 0x511BBE75)
#: Axes that change sign: X, Y, Z, XY, YZ, ZX.
_FLIPPED: Final = ((0,), (1,), (2,), (0, 1), (1, 2), (2, 0))


@modifier(MIRROR)
def mirror(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Reflect the geometry at the gizmo."""
    values = Values(call.obj, call)
    choice, offset = int(values.number("axis")), values.number("offset", 0.0)
    if not 0 <= choice < len(_FLIPPED):
        raise NotSupportedError(f"its axis {choice} is not known")
    axes = _FLIPPED[choice]
    to = modifier_space(call, 0, None)
    image = np.eye(4)
    for axis in axes:
        image[axis, axis] = -1.0
        image[3, axis] = offset
    matrix = to @ image @ inverse(to)
    copy = values.switch("copy")
    if not isinstance(geometry, Mesh):
        if copy:
            raise NotSupportedError("a mirrored copy of a shape is not known")
        return deform(geometry, lambda points: moved(points, matrix))
    polygons = np.nonzero(_chosen(geometry))[0]
    odd = len(axes) % 2 == 1
    if copy:
        check_corners(len(geometry.corners) * 2)
        images = moved(geometry.positions.astype(np.float64), matrix).astype(np.float32)
        out = mirrored_copy(geometry, polygons, images)
        behind = np.arange(geometry.polygon_count, out.polygon_count)
        # Turned at two axes a copy keeps its direction.
        return out if odd else turned(out, behind)
    mesh = _moved(geometry, polygons, matrix)
    if geometry.is_polygons:
        # Only whole elements of a polygon mesh can be turned round.
        polygons = elements_of(geometry, polygons)
    return turned(mesh, polygons) if odd else mesh


def _chosen(mesh: Mesh) -> Bits:
    """Return the polygons that it works on: those of which something is selected."""
    weights = chosen_vertices(mesh)
    if weights is None:
        return np.ones(mesh.polygon_count, np.bool_)
    if mesh.selection.level == "face":
        chosen = mesh.selection.polygons
        return np.zeros(mesh.polygon_count, np.bool_) if chosen is None else chosen
    if mesh.selection.level == "edge":
        corners = mesh.selection.corners
        touched = np.zeros(len(mesh.corners), np.bool_) if corners is None else corners.copy()
        twins = twin_corners(mesh)
        touched[twins[touched & (twins >= 0)]] = True
    else:
        chosen_now = mesh.selection.vertices
        touched = np.zeros(len(mesh.corners), np.bool_)
        if chosen_now is not None:
            touched = chosen_now[mesh.corners]
    out = np.zeros(mesh.polygon_count, np.bool_)
    out[mesh.corner_polygons[touched]] = True
    return out


def _moved(mesh: Mesh, polygons: Ints, matrix: npt.NDArray[np.float64]) -> Mesh:
    """Return the mesh with the vertices of some polygons moved."""
    used = np.zeros(len(mesh.positions), np.bool_)
    chosen = np.zeros(mesh.polygon_count, np.bool_)
    chosen[polygons] = True
    used[mesh.corners[np.repeat(chosen, mesh.degrees)]] = True
    if chosen.all() and mesh.selection.level == "object":
        used[:] = True
    return deform_mesh(mesh, lambda points: moved(points, matrix), used.astype(np.float64))
