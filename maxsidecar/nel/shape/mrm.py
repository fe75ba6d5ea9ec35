"""Meshes with progressive detail: CMeshMRM and CMeshMRMSkinned (spec: nel-export-rules 3.4)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.buffers import (
    CIndexBuffer,
    CVertexBuffer,
    CVertexBufferSubset,
)
from maxsidecar.nel.serial.classes.mesh_mrm import (
    SKIN_WEIGHT,
    CLod,
    CLodInfo,
    CMeshMRM,
    CMeshMRMGeom,
    CMeshMRMLod,
    CMeshMRMRdrPass,
)
from maxsidecar.nel.serial.classes.mesh_mrm_skinned import CMeshMRMSkinned
from maxsidecar.nel.shape.base import animate_materials, mesh_base, use_materials
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.corners import bounding_box
from maxsidecar.nel.shape.mesh_build import MeshBuild
from maxsidecar.nel.shape.morph import fits
from maxsidecar.nel.shape.mrm_bones import (
    bone_numbers,
    influenced,
    level_bones,
    renumbered,
    runs,
    wedge_ranges,
)
from maxsidecar.nel.shape.mrm_chain import Chain, build_chain
from maxsidecar.nel.shape.mrm_detail import Detail
from maxsidecar.nel.shape.mrm_level import attribute_names, base_level
from maxsidecar.nel.shape.mrm_morph import chain_shapes
from maxsidecar.nel.shape.mrm_skinned import (
    MOST_VERTICES,
    is_packable,
    skinned_geometry,
)
from maxsidecar.nel.shape.node_mesh import NodeMesh
from maxsidecar.nel.shape.skin import INFLUENCES

__all__ = ["mrm_geometry", "mrm_mesh"]

_RAM, _STATIC = 0, 2
_BYTE: Final = 255


def mrm_mesh(context: ShapeContext, found: NodeMesh) -> CMeshMRM | CMeshMRMSkinned | str:
    """Return the shape of a mesh, or why there is none.

    A skinned mesh with just one set of coordinates is packed, if the game has room for it.

    Args:
        context: The node.
        found: Its mesh.
    """
    if not len(found.build.faces):
        return "a mesh without faces has no levels of detail"
    base = mesh_base(context, found)
    detail = Detail.of(context.flags, context.notes)
    packed = skinned_geometry(found.build, detail) if is_packable(found) else None
    if packed is not None and len(packed.vertex_buffer.vertices) > MOST_VERTICES:
        context.notes.append(
            f"its levels of detail have more than the {MOST_VERTICES} vertices of packed skins: "
            "it is not packed"
        )
        packed = None
    shape: CMeshMRM | CMeshMRMSkinned
    passes: list[Any]
    if packed is not None:
        shape = CMeshMRMSkinned(base=base, geom=packed)
        passes = [rdr for lod in packed.lods for rdr in lod.rdr_passes]
    else:
        plain = mrm_geometry(context, found, detail)
        shape = CMeshMRM(base=base, geom=plain)
        passes = [rdr for level in plain.lods for rdr in level.lod.rdr_passes]
    remap = use_materials(base, found.materials, {rdr.material_id for rdr in passes})
    for rdr in passes:
        rdr.material_id = remap[rdr.material_id]
    animate_materials(context, base, found.materials, remap)
    return shape


def mrm_geometry(context: ShapeContext, found: NodeMesh, detail: Detail) -> CMeshMRMGeom:
    """Return the geometry of a mesh that is not packed.

    Args:
        context: The node.
        found: Its mesh, with at least one face.
        detail: How detail falls with distance.
    """
    targets = []
    for name, target in found.targets:
        reason = fits(found.build, target)
        if reason:
            context.notes.append(f"the morph target {name!r} is left out: {reason}")
        else:
            targets.append((name, target))
    build = found.build
    finest = base_level(build, [target for _, target in targets])
    chain = build_chain(finest, detail.levels, detail.divisor, detail.reduction)
    names = ["position", *attribute_names(build)]
    widths = [3, *(rows.shape[1] // (1 + len(targets)) for rows in finest.values)]
    slots = {
        name: _slot(name, rows[:, :width])
        for name, rows, width in zip(names, chain.rows, widths, strict=True)
    }
    memory = _RAM if targets or chain.bones is not None else _STATIC
    buffer = CVertexBuffer.of(memory, **slots)
    geom = CMeshMRMGeom(
        vertex_program=found.program,
        skinned=chain.bones is not None,
        vertex_header=buffer.header,
        num_wedges=len(buffer.vertices),
    )
    geom.morpher.blend_shapes = chain_shapes(
        [name for name, _ in targets], names, widths, chain, found.tangents
    )
    _add_levels(geom, chain, buffer, build)
    center, half = bounding_box(build.positions)
    geom.bbox = CAABBox(center=center, half_size=half)
    detail.fill(geom, chain)
    return geom


def _slot(name: str, rows: npt.NDArray[np.float32]) -> npt.NDArray[Any]:
    return np.clip(rows, 0, _BYTE).astype(np.uint8) if name == "color" else rows


def _add_levels(geom: CMeshMRMGeom, chain: Chain, buffer: CVertexBuffer, build: MeshBuild) -> None:
    """Add the levels, with the bones that they use."""
    numbers = bone_numbers(chain)
    start = 0
    for level in chain.levels:
        influences = level_bones(chain, level, numbers)
        lod = CLod(
            num_wedges=level.vertices,
            rdr_passes=[
                CMeshMRMRdrPass(material_id=material, primitives=CIndexBuffer.of(faces))
                for material, faces in level.passes
            ],
            geomorphs=wedge_ranges(level),
            matrix_influences=influences,
        )
        if chain.bones is not None:
            lod.influenced_vertices = influenced(chain, level)
            lod.skin_vertex_blocks = runs(level.used)
        subset = CVertexBufferSubset(
            vertices=buffer.vertices[start : level.vertices], uv_routing=build.routing
        )
        geom.lods.append(CMeshMRMLod(lod=lod, subset=subset))
        geom.lod_infos.append(CLodInfo(start_add_wedge=start, end_add_wedge=level.vertices))
        start = level.vertices
    if chain.bones is not None and chain.weights is not None and build.skin is not None:
        geom.bone_names = [build.skin.names[bone] for bone in numbers]
        weights = np.zeros((len(chain.bones), INFLUENCES), SKIN_WEIGHT)
        weights["matrix_id"] = renumbered(chain, numbers)
        weights["weight"] = chain.weights
        geom.skin_weights = weights
