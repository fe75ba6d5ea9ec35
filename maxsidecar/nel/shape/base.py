"""What meshes of all kinds begin with: materials, placement, collision, distances."""

from __future__ import annotations

from maxsidecar.nel.serial.classes.material import CMaterial, CMaterialBase
from maxsidecar.nel.serial.classes.mesh_base import CMeshBase
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.material_state import LIGHTING
from maxsidecar.nel.shape.materials import MaterialSet
from maxsidecar.nel.shape.node_mesh import NodeMesh
from maxsidecar.nel.shape.placement import placement_of
from maxsidecar.nel.shape.texture_matrix import still_movements
from maxsidecar.nel.shape.vertex_program import per_pixel_program

__all__ = ["animate_materials", "animated_material", "mesh_base", "use_materials"]

#: Highest value of the game's own enumeration; 3 of the flag also hides the instance.
_FORCE_COLLISION = 2


def mesh_base(context: ShapeContext, found: NodeMesh) -> CMeshBase:
    """Return the part with all but the materials.

    Args:
        context: The node.
        found: Its mesh.
    """
    flags = context.flags
    placement = placement_of(context.shared.pose, context.node)
    return CMeshBase(
        morph_names=list(found.morph_names),
        default_pos=placement.position,
        default_rot_quat=placement.rotation,
        default_scale=placement.scale,
        use_lighting_local_attenuation=flags.integer("USE_LIGHT_LOCAL_ATTENUATION") == 1
        # Programs that light by the pixel know no fading within the mesh.
        and per_pixel_program(found.materials) is None,
        auto_anim=flags.on("AUTOMATIC_ANIMATION"),
        dist_max=flags.number("LOD_DIST_MAX"),
        camera_collision=min(
            max(flags.integer("CAMERA_COLLISION_MESH_GENERATION"), 0), _FORCE_COLLISION
        ),
    )


def use_materials(base: CMeshBase, materials: MaterialSet, used: set[int]) -> dict[int, int]:
    """Give a mesh the materials that its faces use.

    Args:
        base: The mesh.
        materials: All materials of the node.
        used: Numbers of those that faces use.

    Returns:
        The new number of each material in use.
    """
    remap = {old: new for new, old in enumerate(sorted(used))}
    base.materials = [materials.materials[old] for old in sorted(used)]
    base.lightable = any(material.flags & LIGHTING for material in base.materials)
    return remap


def animate_materials(
    context: ShapeContext, base: CMeshBase, materials: MaterialSet, remap: dict[int, int]
) -> None:
    """Let animations change materials, if the node says so.

    Args:
        context: The node.
        base: The mesh.
        materials: All materials of the node.
        remap: Their numbers in the mesh.
    """
    if not context.flags.on("EXPORT_ANIMATED_MATERIALS"):
        return
    for old, new in remap.items():
        base.animated_materials[new] = animated_material(
            base.materials[new], materials.infos[old].name
        )


def animated_material(material: CMaterial, name: str) -> CMaterialBase:
    """Return the animated part of a material: its values without animation."""
    return CMaterialBase(
        name=name,
        ambient=material.ambient,
        diffuse=material.diffuse,
        specular=material.specular,
        shininess=material.shininess,
        emissive=material.emissive,
        opacity=material.diffuse[3] / 255,
        tex_anim_tracks=still_movements(material),
    )
