"""Delete Mesh: takes away what is selected."""

from __future__ import annotations

from typing import Final

import numpy as np

from maxsidecar.scene.geometry.edit import keep_polygons
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.polygons import to_triangles

__all__ = ["DELETE_MESH", "delete_mesh"]

DELETE_MESH: Final = (0xF826EE01, 0)


@modifier(DELETE_MESH)
def delete_mesh(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Delete the selected vertices, edges or faces with the faces around; else everything."""
    mesh = to_triangles(call.convert(geometry))
    call.approximate("no file proves what it deletes")
    gone = np.zeros(mesh.polygon_count, np.bool_)
    selection = mesh.selection
    corners = _selected_corners(mesh)
    if selection.level == "object":
        gone[:] = True
    elif selection.level == "face" and selection.polygons is not None:
        gone = selection.polygons
    elif corners is not None:
        gone[mesh.corner_polygons[corners]] = True
    out, _ = keep_polygons(mesh, ~gone)
    return out


def _selected_corners(mesh: Mesh) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None:
    selection = mesh.selection
    if selection.level == "vertex" and selection.vertices is not None:
        return selection.vertices[mesh.corners]
    return selection.corners if selection.level == "edge" else None
