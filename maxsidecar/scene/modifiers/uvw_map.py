"""UVW Map: projects texture coordinates on a mesh (docs/format/modifiers.md, section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.uvw_space import (
    F64,
    context_matrix,
    gizmo_matrix,
    put_coordinates,
)

__all__ = ["UVW_MAP", "project", "uvw_map"]

Ints: TypeAlias = npt.NDArray[np.int64]

UVW_MAP: Final = (0xF72B1, 0)
PLANAR, CYLINDER, SPHERE, SHRINK_WRAP, BOX, FACE, XYZ = range(7)
_Z: Final = 2
#: Parameter of real-world map size, since 2006.
_REAL_WORLD: Final = 15
#: A gizmo without extent in a direction has this one there.
_LEAST: Final = 1e-30
#: Nearer to the axis than this, in sizes of the gizmo, a vertex lies on it.
_POLE: Final = 1e-5


@modifier(UVW_MAP)
def uvw_map(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Replace the map channel by a projection."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    kind = int(values.number("map_type"))
    if kind not in _PROJECTIONS:
        names = {SHRINK_WRAP: "shrink wrap", FACE: "face", XYZ: "XYZ to UVW"}
        raise NotSupportedError(f"its projection is not known: {names.get(kind, kind)}")
    if int(values.number("axis", _Z)) != _Z:
        raise NotSupportedError("only a gizmo along Z is known")
    sizes = [values.number(name, 1.0) for name in ("width", "length", "height")]
    gizmo = gizmo_matrix(call)
    scales = np.linalg.norm(gizmo[:3, :3], axis=1)
    if np.abs(scales - 1.0).max() > 1e-4:
        call.approximate("its gizmo is scaled, which is left out; no file proves it")
    turn = gizmo[:3, :3] / np.maximum(scales, _LEAST)[:, None]
    if kind in (CYLINDER, SPHERE):
        sizes[0], sizes[1] = sizes[1], sizes[0]
    space = np.eye(4)
    space[:3, :3] = turn * np.maximum(np.abs(sizes), _LEAST)[:, None] * np.sign(sizes)[:, None]
    space[3, :3] = gizmo[3, :3]
    try:
        to_gizmo = context_matrix(call) @ np.linalg.inv(space)
    except np.linalg.LinAlgError:
        raise NotSupportedError("its gizmo has no extent") from None
    with np.errstate(all="ignore"):
        points = mesh.positions.astype(np.float64) @ to_gizmo[:3, :3] + to_gizmo[3, :3]
    cap = kind == CYLINDER and values.switch("cap")
    if cap:
        call.approximate("no file proves how a cylinder is capped")
    coordinates, corners = project(mesh, points, kind, cap=cap)
    for axis, name in enumerate("uvw"):
        if values.switch(f"{name}_flip"):
            call.approximate(f"no file proves what a flip of {name} does")
            coordinates[:, axis] = 1.0 - coordinates[:, axis]
        coordinates[:, axis] *= values.number(f"{name}_tile", 1.0)
    _check_real_world(call)
    channel = int(values.number("map_channel", 0.0)) or 1
    return put_coordinates(mesh, channel, coordinates, corners)


def _check_real_world(call: ModifierCall) -> None:
    for block in call.obj.param_blocks:
        parameter = block.get(_REAL_WORLD)
        if parameter is not None and parameter.value:
            call.approximate("real-world map size is left out; no file proves it")


def project(mesh: Mesh, points: F64, kind: int, *, cap: bool = False) -> tuple[F64, Ints]:
    """Return map vertices and the corners that use them.

    Args:
        mesh: The mesh.
        points: (v, 3) its vertices in the space of the gizmo, which is 1 wide around the origin.
        kind: Number of the projection.
        cap: Whether faces that look along the axis of a cylinder are mapped flat.

    Returns:
        (m, 3) coordinates and (c,) indices.
    """
    corner_points = points[mesh.corners]
    with np.errstate(all="ignore"):
        each = _PROJECTIONS[kind](mesh, corner_points)
        if cap:
            sides = _sides(mesh, corner_points)
            flat = np.repeat(sides >= 4, mesh.degrees)
            each = np.where(flat[:, None], _box(mesh, corner_points), each)
    # Corners of one vertex with the same coordinates share a map vertex.
    keys = np.column_stack([mesh.corners.astype(np.float64), each])
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    out: Ints = inverse.reshape(-1).astype(np.int64)
    return each[first], out


def _planar(mesh: Mesh, points: F64) -> F64:
    return np.column_stack([0.5 - points[:, 0], 0.5 - points[:, 1], np.zeros(len(points))])


def _around(mesh: Mesh, points: F64) -> F64:
    """Return u around the axis, (c,), without seams inside a face.

    A corner on the axis has no direction: it lies midway between the other corners of its face.
    """
    u = np.mod(0.25 + np.arctan2(points[:, 1], points[:, 0]) / (2.0 * np.pi), 1.0)
    filled = mesh.degrees > 0
    if not filled.any():
        return u
    starts, degrees = mesh.starts[:-1][filled], mesh.degrees[filled]
    pole = np.hypot(points[:, 0], points[:, 1]) < _POLE
    most = np.maximum.reduceat(np.where(pole, -np.inf, u), starts)
    least = np.minimum.reduceat(np.where(pole, np.inf, u), starts)
    across = np.repeat(most - least > 0.5, degrees)
    out: F64 = np.where(across & (u >= 0.5), u - 1.0, u)
    others = np.add.reduceat(~pole, starts)
    sums = np.add.reduceat(np.where(pole, 0.0, out), starts)
    middle = np.repeat(sums / np.maximum(others, 1), degrees)
    return np.where(pole & np.repeat(others > 0, degrees), middle, out)


def _cylinder(mesh: Mesh, points: F64) -> F64:
    u = _around(mesh, points)
    return np.column_stack([u, 0.5 + points[:, 2], np.zeros(len(points))])


def _sphere(mesh: Mesh, points: F64) -> F64:
    length = np.maximum(np.linalg.norm(points, axis=1), _LEAST)
    v = 0.5 + np.arcsin(np.clip(points[:, 2] / length, -1.0, 1.0)) / np.pi
    return np.column_stack([_around(mesh, points), v, np.zeros(len(points))])


def _sides(mesh: Mesh, points: F64) -> Ints:
    """Return for each polygon which side of a box it looks at: +X, -X, +Y, -Y, +Z, -Z."""
    following = points[mesh.next_corners]
    normals = np.zeros((mesh.polygon_count, 3))
    crosses = np.cross(points, following)
    filled = mesh.degrees > 0
    if filled.any():
        normals[filled] = np.add.reduceat(crosses, mesh.starts[:-1][filled], axis=0)
    axis = np.abs(normals).argmax(axis=1)
    negative = normals[np.arange(len(normals)), axis] < 0
    out: Ints = 2 * axis + negative
    return out


def _box(mesh: Mesh, points: F64) -> F64:
    side = np.repeat(_sides(mesh, points), mesh.degrees)
    x, y, z = points.T
    u = np.choose(side, [0.5 + y, 0.5 - y, 0.5 - x, 0.5 + x, 0.5 - x, 0.5 + x])
    v = np.where(side < 4, 0.5 + z, 0.5 - y)
    return np.column_stack([u, v, np.zeros(len(points))])


_PROJECTIONS: Final[dict[int, Callable[[Mesh, F64], F64]]] = {
    PLANAR: _planar,
    CYLINDER: _cylinder,
    SPHERE: _sphere,
    BOX: _box,
}
