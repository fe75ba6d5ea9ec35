"""The mesh of a node with everything that its shape takes from it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.serial.declare import Serial
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.interfaces import apply_borders
from maxsidecar.nel.shape.materials import MaterialSet, material_set
from maxsidecar.nel.shape.mesh_build import MeshBuild, build_mesh
from maxsidecar.nel.shape.morph import Target, targets_of
from maxsidecar.nel.shape.placement import inverse
from maxsidecar.nel.shape.radial import corner_normals
from maxsidecar.nel.shape.skin import read_skin
from maxsidecar.nel.shape.vertex_program import (
    add_tangents,
    is_tree,
    per_pixel_program,
    wind_tree,
)
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.transform import object_offset

__all__ = ["NodeMesh", "node_mesh"]

F64 = npt.NDArray[np.float64]


@dataclass(slots=True)
class NodeMesh:
    """A node's mesh, ready to become a geometry.

    Attributes:
        build: The mesh.
        materials: Materials of the node.
        program: Vertex program, or ``None``.
        tangents: Stage of the coordinates that are tangents, or ``None``.
        morph_names: Names of all morph targets.
        targets: Names and meshes of the morph targets that have one.
    """

    build: MeshBuild
    materials: MaterialSet
    program: Serial | None = None
    tangents: int | None = None
    morph_names: list[str] = field(default_factory=list)
    targets: list[tuple[str, MeshBuild]] = field(default_factory=list)


def node_mesh(
    context: ShapeContext,
    *,
    basis: F64 | None = None,
    first_material: int = 0,
    skinned: bool = True,
) -> NodeMesh | str:
    """Return the mesh of a node, or why there is none.

    Args:
        context: The node.
        basis: (4, 4) from the node to the space of the shape, for row vectors.
        first_material: Number of the first of its materials in the shape.
        skinned: Whether bones may move it.
    """
    mesh = context.mesh()
    if mesh is None:
        return "it has no surface"
    node, pose = context.node, context.shared.pose
    materials = material_set(node, context.time, context.notes, lightmaps=context.options.lightmaps)
    skin = read_skin(context, mesh) if skinned else None
    if skin is not None:
        # Skinned vertices are in the world, as bones are.
        matrix = np.array(pose.object(node)[0])
    else:
        matrix = context.offset() if basis is None else context.offset() @ basis
    out = NodeMesh(_build(context, mesh, materials, matrix, first_material), materials)
    out.build.skin = skin
    to_world = np.eye(4) if skin is not None else np.array(pose.world(node)[0])
    if skin is None and basis is not None:
        to_world = inverse(basis) @ to_world
    groups = mesh.smoothing[mesh.triangle_polygons]
    joined = apply_borders(context, out.build, groups, to_world)
    _add_program(context, out)
    targets = targets_of([modifier for _, modifier in context.modifiers()], context.notes)
    out.morph_names = [target.name for target in targets]
    world = None if skin is None else np.array(pose.world(node)[0])
    for target in targets:
        found = _target(context, target, world)
        if isinstance(found, str):
            context.notes.append(f"the morph target {target.name!r} is left out: {found}")
        else:
            if joined is not None and found.normals.shape == out.build.normals.shape:
                # Seams stay as they are, whatever the target does there.
                kept = joined[out.build.faces]
                found.normals[kept] = out.build.normals[kept]
            if out.tangents is not None:
                add_tangents(found)
            out.targets.append((target.name, found))
    return out


def _build(
    context: ShapeContext, mesh: Mesh, materials: MaterialSet, matrix: F64, first_material: int
) -> MeshBuild:
    return build_mesh(
        mesh,
        materials,
        matrix,
        context.options.weighting,
        first_material=first_material,
        force_colors=is_tree(context.flags),
        normals=corner_normals(context, mesh),
    )


def _add_program(context: ShapeContext, found: NodeMesh) -> None:
    program = per_pixel_program(found.materials)
    if program is not None:
        # Materials that are lit by the pixel come before what the flags say.
        if add_tangents(found.build):
            found.program, found.tangents = program, 1
        else:
            context.notes.append("lighting by the pixel needs one set of coordinates: left out")
    elif is_tree(context.flags):
        found.program = wind_tree(context.flags)


def _target(context: ShapeContext, target: Target, world: F64 | None) -> MeshBuild | str:
    other = ShapeContext(context.shared, target.node)
    mesh = other.mesh()
    if mesh is None:
        return "it has no surface"
    materials = material_set(
        target.node, context.time, other.notes, lightmaps=context.options.lightmaps
    )
    matrix = object_offset(target.node)
    if world is not None:
        matrix = matrix @ world
    return _build(other, mesh, materials, matrix, 0)
