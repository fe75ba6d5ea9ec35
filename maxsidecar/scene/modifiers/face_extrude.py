"""Face Extrude: selected faces move outwards (docs/format/modifiers-unproved.md, section 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh, Selection
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.edit_poly_faces import finish_walls, normals, raise_faces, unit
from maxsidecar.scene.modifiers.edit_poly_work import PolyWork
from maxsidecar.scene.modifiers.face_sets import components
from maxsidecar.scene.modifiers.spaces import (
    check_corners,
    check_places,
    context_space,
    inverse,
    moved,
    point_at,
)
from maxsidecar.scene.modifiers.uvw_space import chosen_faces

__all__ = ["FACE_EXTRUDE", "face_extrude"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

FACE_EXTRUDE: Final = (0xC3A32, 0)
_CENTRE: Final = 1
_PERCENT: Final = 100.0


@modifier(FACE_EXTRUDE)
def face_extrude(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Move the selected faces, else all, outwards, with new faces along their borders."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    amount, scale = values.number("amount"), values.number("scale", _PERCENT) / _PERCENT
    chosen = chosen_faces(mesh)
    if chosen is None:
        chosen = np.ones(mesh.polygon_count, np.bool_)
    if not chosen.any():
        return mesh
    check_places(mesh)
    # A wall of four corners for each side, at most.
    check_corners(5 * len(mesh.corners))
    work = PolyWork.of(mesh)
    _, source, _ = raise_faces(work, chosen)
    numbers = np.nonzero(chosen)[0]
    if values.switch("from_center"):
        centre = moved(point_at(call, _CENTRE)[None], inverse(context_space(call)))[0]
        used = np.unique(work.faces.take(numbers).corners)
        away = np.zeros(work.positions.shape)
        away[used] = unit(work.positions[used] - centre)
    else:
        away = _normals(work, numbers)
    work.positions = _placed(work, numbers, away * amount, scale)
    finish_walls(work, len(work.faces.degrees) - mesh.polygon_count)
    call.approximate(UNPROVED)
    out = work.mesh(_selection(mesh, source, len(work.faces.degrees)))
    return out if mesh.is_polygons else to_triangles(out)


def _normals(work: PolyWork, numbers: Ints) -> F64:
    """Return the (v, 3) means of the normals of some faces at their vertices, 0 elsewhere."""
    faces = work.faces.take(numbers)
    each = unit(normals(work, faces))[faces.owner]
    return unit(_sums(faces.corners, each, len(work.positions)))


def _sums(at: Ints, vectors: F64, count: int) -> F64:
    columns = [np.bincount(at, vectors[:, axis], count) for axis in range(3)]
    return np.stack(columns, axis=1).astype(np.float64)


def _placed(work: PolyWork, numbers: Ints, away: F64, scale: float) -> npt.NDArray[np.float32]:
    """Return the vertices moved, each set of faces that hang together scaled about its middle."""
    points = work.positions.astype(np.float64) + away
    if scale != 1.0:
        faces = work.faces.take(numbers)
        count = len(points)
        one = faces.corners
        labels = components(count, one, one[faces.following])
        used = np.unique(one)
        sizes = np.bincount(labels[used], minlength=count)[labels[used]]
        middle = _sums(labels[used], points[used], count)[labels[used]] / sizes[:, None]
        points[used] = middle + (points[used] - middle) * scale
    out = points.astype(np.float32)
    if not np.isfinite(out).all():
        raise NotSupportedError("it moves vertices to places that are no finite numbers")
    return out


def _selection(mesh: Mesh, source: Ints, polygons: int) -> Selection:
    """Return what is selected: new vertices as those that they are from, walls not."""
    old = mesh.selection
    walls = polygons - mesh.polygon_count

    def longer(values: npt.NDArray[Any] | None, count: int) -> npt.NDArray[Any] | None:
        return None if values is None else np.append(values, np.zeros(count, values.dtype))

    def doubled(values: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
        return None if values is None else np.append(values, values[source])

    return replace(
        old,
        vertices=doubled(old.vertices),
        weights=doubled(old.weights),
        polygons=longer(old.polygons, walls),
        corners=longer(old.corners, 4 * walls),
    )
