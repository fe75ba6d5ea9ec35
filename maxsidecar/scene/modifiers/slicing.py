"""Slice: cuts a mesh at a plane (docs/format/modifiers-unproved.md, section 5)."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.controllers import Controller
from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.edit import add_polygons, keep_polygons
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.as_polygons import as_polygons
from maxsidecar.scene.modifiers.clip import clip
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.spaces import check_corners, check_places, modifier_space, moved
from maxsidecar.scene.modifiers.uvw_space import chosen_faces

__all__ = ["SLICE", "slice_mesh"]

F64: TypeAlias = npt.NDArray[np.float64]
I32: TypeAlias = npt.NDArray[np.int32]
Ints: TypeAlias = npt.NDArray[np.int64]

SLICE: Final = (0x2E3741FE, 0x12702AB7)
_TRANSFORM: Final = 0x9008
_REFINE, _SPLIT, _REMOVE_TOP, _REMOVE_BOTTOM = range(4)
#: Nearer to the plane than this a vertex lies on it, as for Symmetry.
_ON: Final = 1e-4
#: A map channel that no mesh has: the vertices themselves, so that both halves number them alike.
_VERTICES: Final = -(2**31)
_TWICE: Final = 2


@modifier(SLICE)
def slice_mesh(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Cut faces at the plane of the gizmo; what is above or below may go."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    kind, polygons = int(values.number("slice_type")), values.switch("polygons", True)
    if kind not in range(4):
        raise NotSupportedError(f"its type {kind} is not known")
    chosen = chosen_faces(mesh)
    if chosen is not None and not chosen.all():
        raise NotSupportedError("it cuts selected faces only")
    mesh = as_polygons(geometry, call) if polygons else to_triangles(mesh)
    mesh = replace(mesh, normals=None, is_polygons=True, edges=mesh.edges if polygons else None)
    check_places(mesh)
    to = modifier_space(call, _gizmo(call), None)
    # Distances are those in the object.
    unit = 1.0 / max(float(np.linalg.norm(to[:3, 2])), 1e-30)
    distances = moved(mesh.positions.astype(np.float64), to)[:, 2] * unit
    check_corners(4 * len(mesh.corners))
    if mesh.edges is not None and mesh.edges.crease is not None:
        call.approximate("creases of edges are left out")
    if _crossings(mesh, distances) > _TWICE:
        call.approximate("polygons cross the plane more than once")
    out = _sliced(mesh, distances, kind)
    call.approximate(UNPROVED)
    return out if polygons else to_triangles(out)


def _gizmo(call: ModifierCall) -> int:
    """Return the reference slot of the gizmo; 0 where there is none."""
    for slot in sorted(call.obj.references):
        controller = call.obj.reference(slot)
        if isinstance(controller, Controller) and controller.superclass == _TRANSFORM:
            return slot
    return 0


def _crossings(mesh: Mesh, distances: F64) -> int:
    """Return how often the polygon that crosses the plane most does so."""
    here = distances[mesh.corners] > 0
    changes = here != here[mesh.next_corners]
    owners = mesh.corner_polygons[changes]
    return int(np.bincount(owners, minlength=1).max())


def _sliced(mesh: Mesh, distances: F64, kind: int) -> Mesh:
    own = MapChannel(mesh.positions, mesh.corners)
    marked = replace(mesh, maps={**mesh.maps, _VERTICES: own})
    flat = (np.abs(distances) <= _ON)[mesh.corners]
    level = np.bincount(mesh.corner_polygons, ~flat, mesh.polygon_count) == 0
    pieces: list[Mesh] = []
    if kind != _REMOVE_TOP:
        pieces.append(clip(marked, distances))
    # What lies in the plane stays.
    pieces.append(keep_polygons(marked, level, vertices=False)[0])
    if kind != _REMOVE_BOTTOM:
        pieces.append(clip(marked, -distances))
    # Both halves have the same new map vertices, in the same order.
    longest = max(pieces, key=lambda piece: len(piece.maps[_VERTICES].vertices))
    points = longest.maps[_VERTICES].vertices
    corners = [piece.maps[_VERTICES].corners for piece in pieces]
    source = np.arange(len(points))
    if kind == _SPLIT:
        source, corners[-1] = _apart(corners, len(points))
    whole = reduce(lambda one, other: add_polygons(one, other)[0], pieces)
    vertices = np.concatenate(corners)
    # Vertices that lost all of their faces go.
    stay = np.ones(len(source), np.bool_)
    stay[mesh.corners] = False
    stay[len(mesh.positions) :] = False
    stay[vertices] = True
    number = np.cumsum(stay) - 1
    maps = {
        key: MapChannel(
            longest.maps[key].vertices,
            np.concatenate([piece.maps[key].corners for piece in pieces]),
        )
        for key in mesh.maps
    }
    old = mesh.selection

    def longer(values: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
        if values is None:
            return None
        more = np.zeros(len(points) - len(values), values.dtype)
        out: npt.NDArray[Any] = np.append(values, more)[source[stay]]
        return out

    out = replace(
        whole,
        positions=np.ascontiguousarray(points[source[stay]], np.float32),
        corners=number[vertices].astype(np.int32),
        maps=maps,
        edges=None,
        selection=replace(
            whole.selection, vertices=longer(old.vertices), weights=longer(old.weights)
        ),
    )
    out.edges = Edges(edge_list(out).vertices)
    return out


def _apart(corners: list[I32], count: int) -> tuple[Ints, I32]:
    """Return the old vertex of each, and the corners of the last piece with vertices of its own."""
    last = corners[-1]
    used = np.zeros(count, np.bool_)
    for piece in corners[:-1]:
        used[piece] = True
    shared = np.zeros(count, np.bool_)
    shared[last] = True
    shared &= used
    number = np.arange(count)
    number[shared] = count + np.arange(int(shared.sum()))
    return np.append(np.arange(count), np.nonzero(shared)[0]), number[last].astype(np.int32)
