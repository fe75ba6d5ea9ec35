"""Meshes with a geometry for each range of distances (CMeshMultiLod).

(spec: nel-export-rules 3, 3.4; the slots' numbers as in three real files)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from maxsidecar.nel.serial.classes.mesh import CMeshGeom
from maxsidecar.nel.serial.classes.mesh_mrm import CMeshMRMGeom
from maxsidecar.nel.serial.classes.mesh_multi_lod import CMeshMultiLod, CMeshSlot
from maxsidecar.nel.shape.base import animated_material, mesh_base
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.material_state import BLEND, LIGHTING
from maxsidecar.nel.shape.mrm import mrm_geometry
from maxsidecar.nel.shape.mrm_detail import Detail
from maxsidecar.nel.shape.node_mesh import NodeMesh, node_mesh
from maxsidecar.nel.shape.placement import inverse
from maxsidecar.nel.shape.plain import plain_geometry

__all__ = ["level_nodes", "multi_lod", "number_slots", "triangle_count"]

_BLEND_IN, _BLEND_OUT, _COARSE, _OPAQUE, _TRANSPARENT = 1, 2, 4, 8, 16
_MOST_LEVELS: Final = 10


@dataclass(slots=True)
class _Part:
    """A level: its node, mesh and slot."""

    context: ShapeContext
    found: NodeMesh
    slot: CMeshSlot


def level_nodes(context: ShapeContext) -> list[str]:
    """Return the names of the nodes that are levels of detail below a node."""
    count = min(context.flags.integer("LOD_NAME_COUNT"), _MOST_LEVELS)
    return [context.flags.text(f"LOD_NAME_{number}") for number in range(count)]


def multi_lod(context: ShapeContext) -> CMeshMultiLod | str:
    """Return the shape of a node and its levels of detail, or why there is none.

    Args:
        context: The node.
    """
    first = _part(context, 0, None)
    if isinstance(first, str):
        return first
    parts = [first]
    placed = np.array(context.shared.pose.local(context.node)[0])
    for name in level_nodes(context):
        nodes = context.shared.scene.nodes.find(name)
        if not nodes:
            context.notes.append(f"the level of detail {name!r} is missing")
            continue
        other = ShapeContext(context.shared, nodes[0])
        local = np.array(context.shared.pose.local(other.node)[0])
        basis = None if first.found.build.skin is not None else local @ inverse(placed)
        part = _part(other, sum(len(old.found.materials.materials) for old in parts), basis)
        context.notes += [f"{name}: {note}" for note in other.notes]
        if isinstance(part, str):
            context.notes.append(f"the level of detail {name!r} is left out: {part}")
        else:
            parts.append(part)
    base = mesh_base(context, first.found)
    base.dist_max = -1.0
    animated = context.flags.on("EXPORT_ANIMATED_MATERIALS")
    for part in parts:
        materials = part.found.materials
        for material, info in zip(materials.materials, materials.infos, strict=True):
            if animated:
                number = len(base.materials)
                base.animated_materials[number] = animated_material(material, info.name)
            base.materials.append(material)
    base.lightable = any(material.flags & LIGHTING for material in base.materials)
    slots = number_slots([part.slot for part in parts])
    static = not context.flags.on("LOD_DYNAMIC_MESH")
    return CMeshMultiLod(base=base, static_lod=static, slots=slots)


def _part(context: ShapeContext, first_material: int, basis: Any) -> _Part | str:
    flags = context.flags
    coarse = flags.on("LOD_COARSE_MESH")
    found = node_mesh(context, basis=basis, first_material=first_material, skinned=not coarse)
    if isinstance(found, str):
        return found
    geom: CMeshGeom | CMeshMRMGeom
    if flags.on("LOD_MRM") and not coarse and len(found.build.faces):
        detail = Detail.of(flags, context.notes)
        geom = mrm_geometry(context, found, detail)
    else:
        if coarse:
            _strip(found)
        geom = plain_geometry(context, found)
    blends = [bool(material.flags & BLEND) for material in found.materials.materials]
    bits = (
        (_BLEND_IN, flags.on("LOD_BLEND_IN")),
        (_BLEND_OUT, flags.on("LOD_BLEND_OUT")),
        (_COARSE, coarse),
        (_OPAQUE, not all(blends)),
        (_TRANSPARENT, any(blends)),
    )
    slot = CMeshSlot(
        geom=geom,
        dist_max=flags.number("LOD_DIST_MAX"),
        blend_length=flags.number("LOD_BLEND_LENGTH"),
        flags=sum(bit for bit, on in bits if on),
    )
    return _Part(context, found, slot)


def _strip(found: NodeMesh) -> None:
    """Leave a coarse mesh what the game's manager of coarse meshes takes: places and one map."""
    build = found.build
    zeros = np.zeros((*build.faces.shape, 2), np.float32)
    build.uvs = {0: build.uvs.get(0, zeros)}
    build.colors = None
    build.without_normals = True


def number_slots(slots: list[CMeshSlot]) -> list[CMeshSlot]:
    """Return slots by distance, each with how its number of faces falls.

    Args:
        slots: The slots, with geometry and largest distance.
    """
    ordered = sorted(slots, key=lambda slot: slot.dist_max)
    start_distance = 0.0
    for place, slot in enumerate(ordered):
        distance = slot.dist_max
        start = triangle_count(slot.geom, start_distance)
        following = ordered[place + 1].geom if place + 1 < len(ordered) else slot.geom
        end = triangle_count(following, distance)
        if place + 1 == len(ordered) and end == start:
            end = start / 2
        slot.end_polygon_count = end
        length = distance - start_distance
        slope = np.float32(end - start) / np.float32(length) if length else np.float32(0)
        slot.a = float(slope)
        slot.b = float(np.float32(end) - slope * np.float32(distance))
        start_distance = distance
    return ordered


def triangle_count(geom: Any, distance: float) -> float:
    """Return how many faces a geometry has at a distance in metres."""
    if isinstance(geom, CMeshMRMGeom):
        if distance <= geom.distance_finest:
            return float(geom.max_face_used)
        if distance >= geom.distance_coarsest:
            return float(geom.min_face_used)
        share = (geom.distance_coarsest - distance) * geom.oo_distance_delta
        span = geom.max_face_used - geom.min_face_used
        return float(geom.min_face_used + span * share**geom.distance_pow)
    passes = [rdr for block in geom.matrix_blocks for rdr in block.rdr_passes]
    return float(sum(len(rdr.primitives.triangles) for rdr in passes))
