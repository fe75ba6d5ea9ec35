"""Map Extender: puts its stored map in place of a map channel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maxsidecar.scene.geometry.mesh import MapChannel
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.modifiers.map_extender_views import MAP_EXTENDER, MapExtender

__all__ = ["map_extender"]


@modifier(MAP_EXTENDER)
def map_extender(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Replace the channel; a map for another number of faces is refused."""
    obj, mesh = call.obj, to_triangles(call.convert(geometry))
    found = obj.read_map(call.context) if isinstance(obj, MapExtender) else None
    if found is None:
        return mesh
    if len(found.faces) != mesh.polygon_count:
        raise NotSupportedError(
            f"it was made for {len(found.faces)} faces, and there are {mesh.polygon_count}"
        )
    corners = found.faces.reshape(-1).astype(np.int64)
    if len(corners) and int(corners.max()) >= len(found.vertices):
        raise NotSupportedError(
            f"a corner of map vertex {int(corners.max())}, and there are {len(found.vertices)}"
        )
    channel = MapChannel(np.array(found.vertices, np.float32), corners.astype(np.int32))
    return replace(mesh, maps={**mesh.maps, found.channel: channel})
