"""Unwrap UVW: puts stored texture coordinates in place of a map channel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_polygons, to_triangles
from maxsidecar.scene.modifiers.unwrap_records import DEAD, UnwrapFaces
from maxsidecar.scene.modifiers.unwrap_views import UNWRAP_UVW, UnwrapUVW

__all__ = ["fitting", "unwrap_uvw"]


@modifier(UNWRAP_UVW)
def unwrap_uvw(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Replace the map channel."""
    obj = call.obj
    found = obj.read_map(call.context) if isinstance(obj, UnwrapUVW) else None
    if not isinstance(obj, UnwrapUVW) or found is None:
        return geometry  # nothing was edited
    vertices, faces = found
    mesh = fitting(call.convert(geometry), faces)
    coordinates = np.array(vertices.coordinates, np.float32)
    corners = faces.corners.astype(np.int64)
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
    new = MapChannel(coordinates, corners.astype(np.int32))
    old = mesh.maps.get(number)
    spared = np.repeat((faces.flags & DEAD) != 0, faces.degrees)
    if old is not None and not np.array_equal(
        old.vertices[old.corners[spared]], coordinates[corners[spared]]
    ):
        call.approximate("faces that were not selected lie as it stores them; no file proves it")
    return replace(mesh, maps={**mesh.maps, number: new})


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
