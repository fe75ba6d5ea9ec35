"""UVW Map: projects texture coordinates on a mesh (docs/format/modifiers.md, section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import COLOR, Mesh
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
    numbers_of,
    put_coordinates,
)

__all__ = ["UVW_MAP", "project", "uvw_map"]

Ints: TypeAlias = npt.NDArray[np.int64]

UVW_MAP: Final = (0xF72B1, 0)
PLANAR, CYLINDER, SPHERE, SHRINK_WRAP, BOX, FACE, XYZ = range(7)
#: Parameters: vertex colours instead of coordinates, map channel, real-world size since 2006.
_COLORS, _CHANNEL, _REAL_WORLD = 8, 13, 15
#: Marks a modifier of release 2 and later, whose gizmo is turned so that the seam is at the back.
_TURNED: Final = 0x0100
#: Anything smaller is nothing.
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
        names = {SHRINK_WRAP: "shrink wrap", FACE: "face"}
        raise NotSupportedError(f"its projection is not known: {names.get(kind, kind)}")
    points = mesh.positions.astype(np.float64)
    if kind != XYZ:
        to_gizmo = _to_gizmo(call, values, kind)
        with np.errstate(all="ignore"):
            points = points @ to_gizmo[:3, :3] + to_gizmo[3, :3]
    cap = kind == CYLINDER and values.switch("cap")
    if cap:
        call.approximate("no file proves how a cylinder is capped")
    coordinates, corners = project(mesh, points, kind, cap=cap)
    for axis, name in enumerate("uvw"):
        coordinates[:, axis] *= values.number(f"{name}_tile", 1.0)
        if values.switch(f"{name}_flip"):
            call.approximate(f"no file proves what a flip of {name} does")
            coordinates[:, axis] *= -1.0
    return put_coordinates(mesh, _channel(call), coordinates, corners)


def _to_gizmo(call: ModifierCall, values: Values, kind: int) -> F64:
    """Return the (4, 4) row-vector matrix from the object to the gizmo, which is 1 wide.

    The gizmo has its sizes, then a turn about its axis, then its alignment, then its transform
    (public samples of the 3ds Max SDK, and docs/format/modifiers.md).
    """
    gizmo = gizmo_matrix(call)
    scales = np.linalg.norm(gizmo[:3, :3], axis=1)
    if np.abs(scales - 1.0).max() > 1e-4:
        call.approximate("its gizmo is scaled; no file proves how that counts")
    if call.obj.find(_TURNED) is not None:
        gizmo = _rotation(2, np.pi / (1 if kind in (PLANAR, BOX) else 2)) @ gizmo
    else:
        call.approximate("a gizmo of release 1; no file at hand proves it")
    axis = int(values.number("axis", 2.0))
    if axis != 2:
        call.approximate("no file proves how a gizmo is aligned to X or Y")
        gizmo = _rotation(1, -np.pi / 2) @ gizmo if axis == 0 else _rotation(0, np.pi / 2) @ gizmo
    sizes = [values.number(name, 1.0) for name in ("width", "length", "height")]
    if min(abs(size) for size in sizes) < _LEAST:
        raise NotSupportedError("its gizmo has no extent")
    scale = np.diag([*sizes, 1.0])
    try:
        return context_matrix(call) @ np.linalg.inv(scale @ gizmo)
    except np.linalg.LinAlgError:
        raise NotSupportedError("its gizmo has no extent") from None


def _rotation(axis: int, angle: float) -> F64:
    """Return the (4, 4) row-vector matrix of a turn about axis 0, 1 or 2."""
    matrix = np.eye(4)
    one, other = (axis + 1) % 3, (axis + 2) % 3
    matrix[one, one] = matrix[other, other] = np.cos(angle)
    matrix[one, other], matrix[other, one] = np.sin(angle), -np.sin(angle)
    return matrix


def _channel(call: ModifierCall) -> int:
    """Return the number of the map channel: 0 for vertex colours."""
    numbers = numbers_of(call, _COLORS, _CHANNEL, _REAL_WORLD)
    if numbers.get(_REAL_WORLD):
        call.approximate("real-world map size is left out; no file proves it")
    return COLOR if numbers.get(_COLORS) else int(numbers.get(_CHANNEL) or 1)


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
    if kind in _OF_VERTICES:
        return _PROJECTIONS[kind](mesh, points), mesh.corners.astype(np.int64)
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
    return np.column_stack([0.5 + points[:, 0], 0.5 + points[:, 1], np.zeros(len(points))])


def _around(mesh: Mesh, points: F64) -> F64:
    """Return u around the axis, (c,), without seams inside a face.

    A corner on the axis has no direction: it lies midway between the other corners of its face.
    """
    u = np.mod(0.5 + np.arctan2(points[:, 1], points[:, 0]) / (2.0 * np.pi), 1.0)
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
    u = np.choose(side, [0.5 + y, 0.5 - y, 0.5 - x, 0.5 + x, 0.5 + x, 0.5 - x])
    v = np.where(side < 4, 0.5 + z, 0.5 + y)
    return np.column_stack([u, v, np.zeros(len(points))])


def _xyz(mesh: Mesh, points: F64) -> F64:
    return points.copy()


_PROJECTIONS: Final[dict[int, Callable[[Mesh, F64], F64]]] = {
    PLANAR: _planar,
    CYLINDER: _cylinder,
    SPHERE: _sphere,
    BOX: _box,
    XYZ: _xyz,
}
#: Those whose coordinates depend on the vertex alone: each has one map vertex.
_OF_VERTICES: Final = frozenset({PLANAR, XYZ})
