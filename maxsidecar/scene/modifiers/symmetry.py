"""Symmetry: cuts by a plane, mirrors what is left, and joins both halves.

Facts: docs/format/modifiers-shape.md, section 4.
"""

from __future__ import annotations

from dataclasses import replace
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
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.clip import clip
from maxsidecar.scene.modifiers.rebuild import mirrored_copy, weld
from maxsidecar.scene.modifiers.spaces import check_corners, inverse, modifier_space, moved

__all__ = ["SYMMETRY", "symmetry"]

F64: TypeAlias = npt.NDArray[np.float64]

SYMMETRY: Final = (0x2D7E702B, 0x0BE41A6E)
_GIZMO: Final = 1
_AXES: Final = "xyz"
#: Format, axes and reference object, since 2022.
_FORMAT, _PLANAR, _FLIPS, _NODE = 5, 6, 9, 16


@modifier(SYMMETRY)
def symmetry(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Mirror the half on one side of each plane that is asked for."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    planes = _planes(call, values)
    to = modifier_space(call, _GIZMO, None)
    back = inverse(to)
    threshold = max(values.number("threshold", 0.0), 0.0)
    check_corners(len(mesh.corners) * 2 ** len(planes))
    triangles = not mesh.is_polygons
    if triangles:
        mesh = replace(mesh, is_polygons=True, edges=None)
    for axis, flip in planes:
        mesh = _mirrored(mesh, call, values, (to, back), axis, -1.0 if flip else 1.0, threshold)
    mesh = replace(mesh, normals=None)
    return to_triangles(mesh) if triangles else mesh


def _planes(call: ModifierCall, values: Values) -> list[tuple[int, bool]]:
    """Return axis and flip of each plane."""
    block = next(iter(call.obj.param_blocks), None)
    newer = block is not None and block.get(_PLANAR) is not None
    if block is None or not newer:
        axis = int(values.number("axis"))
        if axis not in range(3):
            raise NotSupportedError(f"its axis {axis} is not known")
        return [(axis, values.switch("flip"))]
    if values.number("format", 0.0):
        raise NotSupportedError("radial symmetry is not known")
    node = block.get(_NODE)
    if node is not None and node.value is not None:
        raise NotSupportedError("it mirrors at another node, which no file proves")
    planes = [
        (axis, values.switch(f"flip_{name}"))
        for axis, name in enumerate(_AXES)
        if values.switch(f"planar_{name}")
    ]
    if len(planes) > 1:
        call.approximate("no file proves symmetry at several planes")
    return planes


def _mirrored(
    mesh: Mesh,
    call: ModifierCall,
    values: Values,
    spaces: tuple[F64, F64],
    axis: int,
    sign: float,
    threshold: float,
) -> Mesh:
    to, back = spaces
    # Distances are those in the object, along the axis of the gizmo.
    points = moved(mesh.positions.astype(np.float64), to)
    unit = 1.0 / max(float(np.linalg.norm(to[:3, axis])), 1e-30)
    if values.switch("slice", default=True):
        sides = points[:, axis] * unit * sign
        if _crossings(mesh, sides) > 2:
            call.approximate("polygons cross the plane more than once")
        mesh = clip(mesh, sides)
        points = moved(mesh.positions.astype(np.float64), to)
    count = len(mesh.positions)
    other = points.copy()
    other[:, axis] *= -1.0
    images = moved(other, back).astype(np.float32)
    out = mirrored_copy(mesh, np.arange(mesh.polygon_count), images)
    if not values.switch("weld", default=True):
        return out
    return _welded(out, points, back, count, axis, unit, threshold)


def _crossings(mesh: Mesh, sides: F64) -> int:
    """Return how often the polygon that crosses a plane most does so."""
    here = sides[mesh.corners] > 0
    changes = here != here[mesh.next_corners]
    filled = mesh.degrees > 0
    if not filled.any():
        return 0
    return int(np.add.reduceat(changes, mesh.starts[:-1][filled]).max())


def _welded(
    mesh: Mesh,
    points: F64,
    back: F64,
    count: int,
    axis: int,
    unit: float,
    threshold: float,
) -> Mesh:
    """Join border vertices near the plane with their images; they go to the plane.

    Vertices of one half are never joined with one another, however near they are (MEASURED).
    """
    twins = twin_corners(mesh)
    border = np.zeros(len(mesh.positions), np.bool_)
    alone = np.nonzero(twins < 0)[0]
    border[mesh.corners[alone]] = True
    border[mesh.corners[mesh.next_corners[alone]]] = True
    distances = np.abs(points[:, axis]) * unit
    half = len(mesh.corners) // 2
    image = np.arange(count)
    image[mesh.corners[:half]] = _images(mesh, half)
    # A vertex and its image are twice as far from one another as from the plane.
    near = border[:count] & (2.0 * distances <= threshold) & (image != np.arange(count))
    chosen = np.nonzero(near)[0]
    target = np.arange(len(mesh.positions))
    target[image[chosen]] = chosen
    positions = mesh.positions.copy()
    flat = points[chosen]
    flat[:, axis] = 0.0
    positions[chosen] = moved(flat, back).astype(np.float32)
    return weld(mesh, target, positions)


def _images(mesh: Mesh, half: int) -> npt.NDArray[np.int64]:
    """Return the image of the vertex of each corner of the first half."""
    polygons = mesh.polygon_count // 2
    degrees = mesh.degrees[:polygons].astype(np.int64)
    starts = np.repeat(mesh.starts[:polygons].astype(np.int64), degrees)
    local = np.arange(half) - starts
    turned = starts + -local % np.repeat(degrees, degrees)
    out: npt.NDArray[np.int64] = mesh.corners[half + turned].astype(np.int64)
    return out
