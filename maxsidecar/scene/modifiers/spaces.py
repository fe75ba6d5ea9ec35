"""Where modifiers work, and on what: gizmo, centre, box, selection.

Measured facts: docs/format/modifiers-shape.md, section 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.controllers import Controller
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.patch import PatchMesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, NotSupportedError
from maxsidecar.scene.geometry.spline import Shape
from maxsidecar.scene.modifiers.uvw_space import context_matrix, gizmo_matrix

__all__ = [
    "check_corners",
    "check_places",
    "chosen_vertices",
    "context_box",
    "context_space",
    "controller_space",
    "deform",
    "deform_mesh",
    "inverse",
    "modifier_space",
    "moved",
    "point_at",
    "rotation",
]

F32: TypeAlias = npt.NDArray[np.float32]
F64: TypeAlias = npt.NDArray[np.float64]
Bits: TypeAlias = npt.NDArray[np.bool_]
#: Makes new places, (n, 3), of old ones.
Deformation: TypeAlias = Callable[[F64], F64]

#: Most corners of a result: numbers in a file must not fill the memory.  Subdividing to so many,
#: with a map channel, takes 1.4 GB.
_MOST_CORNERS: Final = 8_000_000
#: Products of a few such numbers are still finite.
_FARTHEST: Final = 1e30


def check_corners(count: int) -> None:
    """Refuse a result that is too large.

    Raises:
        NotSupportedError: It would have more corners than any real mesh.
    """
    if count > _MOST_CORNERS:
        raise NotSupportedError(f"it would have {count} corners, more than {_MOST_CORNERS}")


def check_places(mesh: Mesh) -> None:
    """Refuse a mesh with vertices at places that no arithmetic makes sense of.

    Raises:
        NotSupportedError: A place is no finite number.
    """
    if not np.isfinite(mesh.positions).all() or np.abs(mesh.positions).max(initial=0) > _FARTHEST:
        raise NotSupportedError("vertices below it are at places that are no finite numbers")


def moved(points: F64, matrix: F64) -> F64:
    """Return points, (n, 3), times a (4, 4) row-vector matrix."""
    out: F64 = points @ matrix[:3, :3] + matrix[3, :3]
    return out


def rotation(axis: int, angle: float) -> F64:
    """Return the (4, 4) row-vector matrix of a turn about axis 0, 1 or 2; radians."""
    matrix = np.eye(4)
    one, other = (axis + 1) % 3, (axis + 2) % 3
    cosine, sine = np.cos(angle), np.sin(angle)
    matrix[one, one] = matrix[other, other] = cosine
    matrix[one, other], matrix[other, one] = sine, -sine
    return matrix


def inverse(matrix: F64) -> F64:
    """Return the inverse of a (4, 4) matrix.

    Raises:
        NotSupportedError: There is none.
    """
    try:
        out = np.asarray(np.linalg.inv(matrix), np.float64)
    except np.linalg.LinAlgError:
        raise NotSupportedError("its gizmo or context has no extent") from None
    return out


def context_space(call: ModifierCall) -> F64:
    """Return the (4, 4) row-vector matrix from the object to the space of the context.

    Raises:
        NotSupportedError: It holds no finite numbers.
    """
    return _finite(context_matrix(call))


def controller_space(call: ModifierCall, slot: int) -> F64:
    """Return the (4, 4) row-vector matrix of the controller in a reference slot.

    Raises:
        NotSupportedError: It holds no finite numbers.
    """
    return _finite(gizmo_matrix(call, slot))


def point_at(call: ModifierCall, slot: int) -> F64:
    """Return the (3,) point of the controller in a reference slot; 0 where there is none.

    Raises:
        NotSupportedError: It gives no finite point.
    """
    controller = call.obj.reference(slot)
    if not isinstance(controller, Controller):
        return np.zeros(3)
    found = np.asarray(controller.evaluate(call.time), np.float64)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise NotSupportedError("a point of it has a controller that gives no point")
    return found


def _finite(matrix: F64) -> F64:
    if not np.isfinite(matrix).all() or np.abs(matrix).max() > _FARTHEST:
        raise NotSupportedError("its gizmo or context holds no finite numbers")
    return matrix


def modifier_space(call: ModifierCall, gizmo: int = 0, centre: int | None = 1) -> F64:
    """Return the (4, 4) row-vector matrix from the object to where a modifier works.

    This is context · inverse(gizmo) · inverse(centre), as the public samples of the 3ds Max SDK
    tell of all modifiers with a gizmo and a centre.

    Args:
        call: The evaluation.
        gizmo: Reference slot of the gizmo's controller.
        centre: Reference slot of the centre's controller, ``None`` for none.
    """
    matrix = context_space(call) @ inverse(controller_space(call, gizmo))
    if centre is not None:
        matrix = matrix @ inverse(controller_space(call, centre))
    return matrix


def context_box(call: ModifierCall, geometry: Geometry) -> tuple[F64, F64]:
    """Return least and greatest corner of what a modifier works on, in the space of its context.

    It is stored; where it is not, that of the geometry is taken, which is reported.
    """
    context = call.context
    chunk = None if context is None else context.container()
    box = context.box if context is not None and chunk is not None and chunk.container else None
    if box is not None:
        low = np.array([box.min_x, box.min_y, box.min_z])
        high = np.array([box.max_x, box.max_y, box.max_z])
        if np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all():
            return low, high
    points = _points(geometry)
    if not len(points):
        return np.zeros(3), np.zeros(3)
    call.approximate("its box is not stored: that of the geometry is taken")
    points = moved(points, context_space(call))
    return points.min(axis=0), points.max(axis=0)


def _points(geometry: Geometry) -> F64:
    if isinstance(geometry, Mesh):
        return geometry.positions.astype(np.float64)
    if isinstance(geometry, PatchMesh):
        return geometry.vertices.astype(np.float64)
    parts = [spline.points for spline in geometry.splines]
    return np.concatenate(parts).astype(np.float64) if parts else np.zeros((0, 3))


def chosen_vertices(mesh: Mesh) -> F64 | None:
    """Return how much of each vertex a modifier moves, (v,) from 0 to 1; ``None`` for all of it.

    Where edges or faces are selected, their vertices are; soft selection counts with vertices.
    """
    selection = mesh.selection
    count = len(mesh.positions)
    if selection.level == "object":
        return None
    chosen = np.zeros(count, np.bool_)
    if selection.level == "vertex":
        if selection.vertices is not None:
            chosen = selection.vertices
        if selection.weights is not None:
            soft: F64 = np.where(chosen, 1.0, selection.weights.astype(np.float64))
            return soft
    elif selection.level == "edge":
        if selection.corners is not None:
            chosen[mesh.corners[selection.corners]] = True
            chosen[mesh.corners[mesh.next_corners[selection.corners]]] = True
    elif selection.polygons is not None:
        chosen[mesh.corners[np.repeat(selection.polygons, mesh.degrees)]] = True
    return chosen.astype(np.float64)


def deform(geometry: Geometry, function: Deformation) -> Geometry:
    """Return the geometry with its vertices, or knots and handles, elsewhere.

    Args:
        geometry: A mesh, of which what is selected moves, a shape, or patches.
        function: Makes places of places, both in object space.

    Raises:
        NotSupportedError: A place is no finite number.
    """
    if isinstance(geometry, Mesh):
        return deform_mesh(geometry, function, chosen_vertices(geometry))
    if isinstance(geometry, PatchMesh):
        return _deform_patch(geometry, function)
    return _deform_shape(geometry, function)


def deform_mesh(mesh: Mesh, function: Deformation, weights: F64 | None) -> Mesh:
    """Return the mesh with its vertices elsewhere.

    Args:
        mesh: The mesh.
        function: Makes places of places, both in object space.
        weights: (v,) how much each vertex moves, ``None`` for all of it.

    Raises:
        NotSupportedError: A place is no finite number.
    """
    old = mesh.positions.astype(np.float64)
    new = _checked(function(old))
    if weights is not None:
        # What is not selected keeps its very bits.
        new = np.where(weights[:, None] > 0, old + (new - old) * weights[:, None], old)
    return mesh.with_positions(new.astype(np.float32))


def _moved_points(points: F32, function: Deformation) -> F32:
    return _checked(function(points.astype(np.float64))).astype(np.float32)


def _deform_patch(patch: PatchMesh, function: Deformation) -> PatchMesh:
    return replace(
        patch,
        vertices=_moved_points(patch.vertices, function),
        vectors=_moved_points(patch.vectors, function),
    )


def _deform_shape(shape: Shape, function: Deformation) -> Shape:
    splines = [
        replace(
            spline,
            points=_moved_points(spline.points, function),
            incoming=_moved_points(spline.incoming, function),
            outgoing=_moved_points(spline.outgoing, function),
        )
        for spline in shape.splines
    ]
    return replace(shape, splines=splines)


def _checked(points: F64) -> F64:
    if not np.isfinite(points).all() or np.abs(points).max(initial=0.0) > _FARTHEST:
        raise NotSupportedError("it moves vertices to places that are no finite numbers")
    return points
