"""What meshes of all kinds begin with: materials, placement, collision, distances."""

from __future__ import annotations

from maxsidecar.nel.serial.classes.material import CMaterial, CMaterialBase
from maxsidecar.nel.serial.classes.mesh_base import CMeshBase
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.material_state import LIGHTING
from maxsidecar.nel.shape.materials import MaterialSet
from maxsidecar.nel.shape.placement import placement_of

__all__ = ["animate_materials", "mesh_base", "use_materials"]

#: Highest value of the game's own enumeration; 3 of the flag also hides the instance.
_FORCE_COLLISION = 2


def mesh_base(context: ShapeContext, *, per_pixel: bool = False) -> CMeshBase:
    """Return the part with all but the materials.

    Args:
        context: The node.
        per_pixel: Whether a material is lit by the pixel, which knows no fading within the mesh.
    """
    flags = context.flags
    placement = placement_of(context.shared.pose, context.node)
    return CMeshBase(
        default_pos=placement.position,
        default_rot_quat=placement.rotation,
        default_scale=placement.scale,
        use_lighting_local_attenuation=flags.integer("USE_LIGHT_LOCAL_ATTENUATION") == 1
        and not per_pixel,
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


def animate_materials(base: CMeshBase, names: dict[int, str]) -> None:
    """Let animations change materials.

    Args:
        base: The mesh.
        names: Names of the scene's materials by their numbers in the mesh.
    """
    for number, name in sorted(names.items()):
        base.animated_materials[number] = _animated(base.materials[number], name)


def _animated(material: CMaterial, name: str) -> CMaterialBase:
    return CMaterialBase(
        name=name,
        ambient=material.ambient,
        diffuse=material.diffuse,
        specular=material.specular,
        shininess=material.shininess,
        emissive=material.emissive,
        opacity=material.diffuse[3] / 255,
    )
