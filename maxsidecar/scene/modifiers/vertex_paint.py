"""Vertex Colors and NeL's vertex tree paint: colours in map channel 0."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maxsidecar.scene.geometry.mesh import COLOR, MapChannel
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.modifiers.vertex_paint_views import (
    VERTEX_COLORS,
    VERTEX_TREE_PAINT,
    VertexColors,
    VertexTreePaint,
)
from maxsidecar.scene.modifiers.view_base import local_container

__all__ = ["vertex_colors", "vertex_tree_paint"]

_COLORS = 0x0120


@modifier(VERTEX_COLORS)
def vertex_colors(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Give each corner of each triangle its colour."""
    obj, mesh = call.obj, to_triangles(call.convert(geometry))
    colors = obj.read_colors() if isinstance(obj, VertexColors) else np.zeros((0, 3, 3))
    if not len(colors):
        return geometry  # nothing was assigned
    if len(colors) != mesh.polygon_count:
        raise NotSupportedError(
            f"it has colours of {len(colors)} faces, and there are {mesh.polygon_count}"
        )
    vertices, corners = np.unique(colors.reshape(-1, 3), axis=0, return_inverse=True)
    channel = MapChannel(vertices.astype(np.float32), corners.reshape(-1).astype(np.int32))
    return replace(mesh, maps={**mesh.maps, COLOR: channel})


@modifier(VERTEX_TREE_PAINT)
def vertex_tree_paint(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Give each vertex its colour (public source of the plug-in)."""
    obj, mesh = call.obj, to_triangles(call.convert(geometry))
    context = None if call.context is None else call.context.container()
    local = local_container(context)
    chunk = None if local is None else local.find(_COLORS)
    if chunk is None or not isinstance(obj, VertexTreePaint):
        return mesh  # nothing was painted
    packed = decode(chunk, VertexTreePaint.local.leaves[_COLORS][1]).array.reshape(-1)
    if not len(packed):
        return mesh
    if len(packed) != len(mesh.positions):
        raise NotSupportedError(
            f"it has colours of {len(packed)} vertices, and there are {len(mesh.positions)}"
        )
    # 0x00bbggrr.
    octets = np.ascontiguousarray(packed, "<u4").view(np.uint8).reshape(-1, 4)[:, :3]
    colors = (octets / np.float32(255)).astype(np.float32)
    return replace(mesh, maps={**mesh.maps, COLOR: MapChannel(colors, mesh.corners)})
