"""Plain meshes (CMesh)."""

from __future__ import annotations

from maxsidecar.nel.serial.classes.mesh import CMesh
from maxsidecar.nel.shape.base import animate_materials, mesh_base, use_materials
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.geometry import empty_geometry, make_geometry
from maxsidecar.nel.shape.materials import MaterialSet
from maxsidecar.nel.shape.mesh_build import MeshBuild

__all__ = ["plain_mesh"]


def plain_mesh(context: ShapeContext, build: MeshBuild, materials: MaterialSet) -> CMesh:
    """Return the shape of a mesh.

    Args:
        context: The node.
        build: Its mesh.
        materials: Its materials.
    """
    base = mesh_base(context)
    if not len(build.faces):
        context.notes.append("the mesh has no faces")
        remap = use_materials(base, materials, set())
        geom = empty_geometry()
    else:
        remap = use_materials(base, materials, set(build.materials.tolist()))
        geom = make_geometry(build).geom
        for block in geom.matrix_blocks:
            for rdr in block.rdr_passes:
                rdr.material_id = remap[rdr.material_id]
    if context.flags.on("EXPORT_ANIMATED_MATERIALS"):
        animate_materials(base, {new: materials.infos[old].name for old, new in remap.items()})
    return CMesh(base=base, geom=geom)
