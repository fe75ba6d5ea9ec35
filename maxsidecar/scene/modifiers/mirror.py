"""Mirror: reflects what is selected, or a copy of it.

Facts: docs/format/modifiers-shape.md, section 5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import edge_list, twin_corners
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.rebuild import flipped_corners, mirrored_copy, with_creases
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
        return out if odd else _turned(out, behind)
    mesh = _moved(geometry, polygons, matrix)
    if geometry.is_polygons:
        # Only whole elements of a polygon mesh can be turned round.
        polygons = _elements(geometry, polygons)
    return _turned(mesh, polygons) if odd else mesh


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


def _elements(mesh: Mesh, polygons: Ints) -> Ints:
    """Return all polygons that hang together with some."""
    chosen = np.zeros(mesh.polygon_count, np.bool_)
    chosen[polygons] = True
    if chosen.all():
        return polygons
    twins = twin_corners(mesh)
    sides = np.nonzero(twins >= 0)[0]
    owner = mesh.corner_polygons
    labels = np.arange(mesh.polygon_count)
    one, other = owner[sides], owner[twins[sides]]
    while True:
        least = labels.copy()
        np.minimum.at(least, one, labels[other])
        least = np.minimum(least, least[least])
        if np.array_equal(least, labels):
            break
        labels = least
    return np.nonzero(np.isin(labels, labels[chosen]))[0]


def _turned(mesh: Mesh, polygons: Ints) -> Mesh:
    """Return the mesh with some polygons in the other direction."""
    order = np.arange(len(mesh.corners))
    chosen = np.zeros(mesh.polygon_count, np.bool_)
    chosen[polygons] = True
    here = np.repeat(chosen, mesh.degrees)
    turned = flipped_corners(mesh, polygons)
    order[here] = turned
    # The side behind a turned corner is that behind the corner which follows it there.
    sides = np.arange(len(order))
    sides[here] = order[mesh.next_corners[here]]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    triangles = place[mesh.triangles]
    rows = chosen[mesh.triangle_polygons]
    triangles[rows] = triangles[rows][:, [0, 2, 1] if mesh.is_polygons else [1, 0, 2]]
    old = mesh.selection
    out = replace(
        mesh,
        corners=mesh.corners[order],
        edge_visible=mesh.edge_visible[sides],
        triangles=triangles.astype(np.int32),
        maps={
            number: MapChannel(channel.vertices, channel.corners[order])
            for number, channel in mesh.maps.items()
        },
        normals=None,
        edges=None,
        selection=replace(old, corners=None if old.corners is None else old.corners[sides]),
    )
    if mesh.is_polygons:
        out.edges = Edges(edge_list(mesh).vertices)
        out = with_creases(mesh, out, sides)
    return out
