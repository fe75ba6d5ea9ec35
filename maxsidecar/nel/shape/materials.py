"""All materials of a node, and what of the mesh they need (spec: nel-export-rules 3.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from maxsidecar.nel.serial.classes.material import CMaterial
from maxsidecar.nel.shape.material_nel import NEL_MATERIAL, nel_material
from maxsidecar.nel.shape.material_standard import standard_material
from maxsidecar.nel.shape.material_state import LIGHTING, MaterialInfo, lit_material
from maxsidecar.scene.materials.multi import MultiMaterial
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject

__all__ = ["STAGES", "MaterialSet", "is_nel_material", "material_set", "sub_materials"]

#: Sets of coordinates that a vertex may have.
STAGES: Final = 8


@dataclass(slots=True)
class MaterialSet:
    """The materials of a node, in the order of their slots.

    Attributes:
        materials: The game's materials; at least one.
        infos: What of the mesh each of them needs.
        routing: For each stage the set of coordinates that it takes, ``None`` for none.
    """

    materials: list[CMaterial] = field(default_factory=list)
    infos: list[MaterialInfo] = field(default_factory=list)
    routing: list[int | None] = field(default_factory=lambda: [None] * STAGES)

    @property
    def needs_color(self) -> bool:
        """Whether a material takes the colours of vertices."""
        return any(info.color_vertex or info.alpha_vertex for info in self.infos)

    @property
    def lightable(self) -> bool:
        """Whether a material is lit."""
        return any(material.flags & LIGHTING for material in self.materials)


def is_nel_material(material: SceneObject | None) -> bool:
    """Return whether a material is a NeL Material."""
    own = None if material is None else material.class_id
    return own is not None and (own.a, own.b) == NEL_MATERIAL


def sub_materials(material: SceneObject | None) -> list[SceneObject | None]:
    """Return the slots of a Multi/Sub-Object, else the material alone; nothing without one."""
    if material is None:
        return []
    if isinstance(material, MultiMaterial):
        return [slot.material for slot in material.sub_materials]
    return [material]


def material_set(node: Node, time: int, notes: list[str], *, lightmaps: bool) -> MaterialSet:
    """Return the materials of a node.

    Args:
        node: The node.
        time: Ticks (1/4800 s).
        notes: Takes what cannot be exported.
        lightmaps: Whether materials may keep the shader for light maps.
    """
    out = MaterialSet()
    slots = sub_materials(node.material)
    empty = [str(place + 1) for place, found in enumerate(slots) if found is None]
    if empty:
        notes.append(f"material slots without material are white: {', '.join(empty)}")
    for found in slots:
        if found is None:
            material, info = lit_material(), MaterialInfo("Default")
        elif is_nel_material(found):
            material, info = nel_material(found, time, notes, lightmaps=lightmaps)
        else:
            material, info = standard_material(found, time, notes, lightmaps=lightmaps)
        out.materials.append(material)
        out.infos.append(info)
    for stage in range(STAGES):
        for info in out.infos:
            wanted = info.routing.get(stage)
            if wanted is None:
                continue
            old = out.routing[stage]
            # Where materials disagree, the stage has coordinates of its own.
            out.routing[stage] = wanted if old is None or old == wanted else stage
    if not out.materials:
        out.materials.append(lit_material())
        out.infos.append(MaterialInfo("Default"))
    return out
