"""Plain meshes (CMesh)."""

from __future__ import annotations

from maxsidecar.nel.serial.classes.mesh import CMesh, CMeshGeom
from maxsidecar.nel.shape.base import animate_materials, mesh_base, use_materials
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.geometry import make_geometry
from maxsidecar.nel.shape.morph import blend_shapes
from maxsidecar.nel.shape.node_mesh import NodeMesh

__all__ = ["plain_geometry", "plain_mesh"]


def plain_geometry(context: ShapeContext, found: NodeMesh) -> CMeshGeom:
    """Return the geometry of a mesh, with its program and morph targets.

    Args:
        context: The node.
        found: Its mesh.
    """
    made = make_geometry(found.build, morphed=bool(found.targets))
    geom = made.geom
    if not len(found.build.faces):
        context.notes.append("the mesh has no faces")
        return geom
    geom.vertex_program = found.program
    geom.morpher.blend_shapes = blend_shapes(
        found.build, made.vertices, found.targets, found.tangents, context.notes
    )
    return geom


def plain_mesh(context: ShapeContext, found: NodeMesh) -> CMesh:
    """Return the shape of a mesh.

    Args:
        context: The node.
        found: Its mesh.
    """
    base = mesh_base(context, found)
    geom = plain_geometry(context, found)
    passes = [rdr for block in geom.matrix_blocks for rdr in block.rdr_passes]
    remap = use_materials(base, found.materials, {rdr.material_id for rdr in passes})
    for rdr in passes:
        rdr.material_id = remap[rdr.material_id]
    animate_materials(context, base, found.materials, remap)
    return CMesh(base=base, geom=geom)
