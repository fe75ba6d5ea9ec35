"""Generators of objects that hold their mesh, and of those that have none."""

from __future__ import annotations

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError, generator
from maxsidecar.scene.geometry.stored.mesh_views import (
    EDITABLE_MESH_ID,
    EDITABLE_POLY_ID,
    PRO_BOOLEAN_ID,
    PRO_CUTTER_ID,
    BooleanResult,
    EditablePoly,
    StoredMesh,
)
from maxsidecar.scene.geometry.stored.read_poly import read_poly
from maxsidecar.scene.geometry.stored.read_tri import read_tri
from maxsidecar.scene.objects import SceneObject

__all__: list[str] = []


@generator(EDITABLE_MESH_ID, EDITABLE_POLY_ID)
def stored_mesh(obj: SceneObject, call: GeneratorCall) -> Mesh | None:
    """Return the mesh of an Editable Mesh or Editable Poly."""
    chunk = obj.mesh_container() if isinstance(obj, StoredMesh) else None
    if chunk is None or not isinstance(obj, StoredMesh):
        raise NotSupportedError("the object holds no mesh")
    if isinstance(obj, EditablePoly):
        mesh = read_poly(chunk, call.approximate)
        if obj.subdivisions:
            call.leave_out(f"the surface is divided {obj.subdivisions} times by its own setting")
    else:
        mesh = read_tri(chunk)
    for vertex, controller in obj.vertex_controllers.items():
        if vertex < len(mesh.positions):
            mesh.positions[vertex] = controller.evaluate(call.time)
            if controller.reason is not None:
                call.approximate(f"vertex {vertex} is animated: {controller.reason}")
    return mesh


@generator(PRO_BOOLEAN_ID, PRO_CUTTER_ID)
def boolean_result(obj: SceneObject, call: GeneratorCall) -> Mesh | None:
    """Return the result that a ProBoolean or ProCutter keeps."""
    mesh = obj.read_mesh() if isinstance(obj, BooleanResult) else None
    if mesh is None:
        raise NotSupportedError("the object holds no result")
    return mesh
