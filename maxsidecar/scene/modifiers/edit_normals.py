"""Edit Normals: replaces the explicit normals of a mesh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maxsidecar.errors import DecodeError
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_polygons, to_triangles
from maxsidecar.scene.geometry.stored.normal_specs import read_normal_spec
from maxsidecar.scene.modifiers.edit_normals_views import EDIT_NORMALS, POLYGONS, TRIANGLES
from maxsidecar.scene.modifiers.view_base import local_container

__all__ = ["edit_normals"]


@modifier(EDIT_NORMALS)
def edit_normals(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Put the stored normals in place of those below; the smoothing groups decide on the others."""
    mesh = call.convert(geometry)
    context = None if call.context is None else call.context.container()
    local = local_container(context)
    if local is None:
        return geometry
    for chunk_id in (POLYGONS, TRIANGLES):
        chunk = local.find(chunk_id)
        if chunk is None or not chunk.container:
            continue
        fitting = _form(mesh, polygons=chunk_id == POLYGONS)
        try:
            normals = read_normal_spec(
                chunk.data,
                fitting.degrees.astype(np.int64),
                np.ones(fitting.polygon_count, np.bool_),
            )
        except DecodeError as error:
            reason = f"{error.message}: {error.expected} and {error.found}"
            raise NotSupportedError(reason) from None
        used = bool((normals.corners >= 0).any())
        return replace(fitting, normals=normals if used else None)
    return geometry


def _form(mesh: Mesh, *, polygons: bool) -> Mesh:
    if polygons:
        return mesh if mesh.is_polygons else to_polygons(mesh)
    return to_triangles(mesh)
