"""Unwrap UVW: puts stored texture coordinates in place of a map channel."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_polygons, to_triangles
from maxsidecar.scene.modifiers.unwrap_records import UnwrapFaces
from maxsidecar.scene.modifiers.unwrap_views import UNWRAP_UVW, UnwrapUVW
from maxsidecar.scene.modifiers.uvw_space import chosen_faces

__all__ = ["aligned", "fitting", "unwrap_uvw"]

F32: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]


@modifier(UNWRAP_UVW)
def unwrap_uvw(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Replace the map channel."""
    obj = call.obj
    found = obj.read_map(call.context) if isinstance(obj, UnwrapUVW) else None
    if not isinstance(obj, UnwrapUVW) or found is None:
        return geometry  # nothing was edited
    vertices, faces = found
    if len(faces.handles):
        raise NotSupportedError("it was made for a patch")
    mesh = fitting(call.convert(geometry), faces)
    coordinates = np.array(vertices.coordinates, np.float32)
    order, strange = aligned(mesh, faces)
    if strange:
        call.approximate(f"{strange} faces have other vertices than it was made for")
    corners = faces.corners.astype(np.int64)[order]
    if len(corners) and int(corners.max()) >= len(coordinates):
        raise NotSupportedError(
            f"a corner of map vertex {int(corners.max())}, and there are {len(coordinates)}"
        )
    for vertex, controller in obj.vertex_controllers.items():
        if vertex < len(coordinates):
            coordinates[vertex] = controller.evaluate(call.time)
            if controller.reason is not None:
                call.approximate(f"map vertex {vertex} is animated: {controller.reason}")
    if vertices.controllers is not None and (vertices.controllers >= 0).any():
        call.approximate("map vertices have controllers: their stored places are used")
    number = obj.map_channel
    new = _compact(_mixed(mesh, number, coordinates, corners))
    return replace(mesh, maps={**mesh.maps, number: new})


def aligned(mesh: Mesh, faces: UnwrapFaces) -> tuple[Ints, int]:
    """Return which corner of the record belongs to each corner of the mesh.

    A polygon may begin with another of its corners than it did when it was unwrapped.

    Args:
        mesh: A mesh with the same degrees.
        faces: The faces of the record.

    Returns:
        (c,) indices, and the number of faces whose vertices are others.
    """
    order = np.arange(len(mesh.corners), dtype=np.int64)
    stored = faces.vertices.astype(np.int64)
    other = np.nonzero(stored != mesh.corners)[0]
    if not len(other) or not stored.any():
        return order, 0  # the first releases do not tell vertices
    wrong = np.unique(mesh.corner_polygons[other])
    degrees, strange = mesh.degrees[wrong], 0
    for degree in np.unique(degrees).tolist():
        starts = mesh.starts[:-1][wrong[degrees == degree]].astype(np.int64)
        places = starts[:, None] + np.arange(degree)
        ours, left = mesh.corners[places], np.ones(len(starts), np.bool_)
        for shift in range(1, degree):
            turned = np.roll(places, -shift, axis=1)
            same = left & (stored[turned] == ours).all(axis=1)
            order[places[same]] = turned[same]
            left &= ~same
            if not left.any():
                break
        strange += int(left.sum())
    return order, strange


def _mixed(mesh: Mesh, number: int, coordinates: F32, corners: Ints) -> MapChannel:
    """Return the record on the selected faces, what is below on the others."""
    chosen = chosen_faces(mesh)
    if chosen is None:
        return MapChannel(coordinates, corners.astype(np.int32))
    old = mesh.maps.get(number)
    if old is None or not len(old.vertices):
        old = MapChannel(np.zeros((1, 3), np.float32), np.zeros(len(corners), np.int32))
    here = np.repeat(chosen, mesh.degrees)
    both = np.concatenate([old.vertices, coordinates])
    mixed = np.where(here, corners + len(old.vertices), old.corners)
    return MapChannel(both, mixed.astype(np.int32))


def _compact(channel: MapChannel) -> MapChannel:
    """Return the channel without the map vertices that no face uses."""
    used = np.zeros(len(channel.vertices), np.bool_)
    used[channel.corners] = True
    if used.all():
        return channel
    numbers = (np.cumsum(used) - 1).astype(np.int32)
    return MapChannel(channel.vertices[used], numbers[channel.corners])


def fitting(mesh: Mesh, faces: UnwrapFaces) -> Mesh:
    """Return the mesh in the form whose polygons the faces describe.

    Raises:
        NotSupportedError: They describe another mesh.
    """
    if np.array_equal(mesh.degrees, faces.degrees):
        return mesh
    other = to_triangles(mesh) if mesh.is_polygons else to_polygons(mesh)
    if np.array_equal(other.degrees, faces.degrees):
        return other
    raise NotSupportedError(
        f"it was made for {len(faces.degrees)} faces with {int(faces.degrees.sum())} corners, "
        f"and there are {mesh.polygon_count} with {len(mesh.corners)}"
    )
