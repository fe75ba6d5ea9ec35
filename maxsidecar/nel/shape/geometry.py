"""The geometry of a plain mesh: vertex buffer, blocks of matrices, passes.

(spec: nel-export-rules 3.2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.buffers import CIndexBuffer, CVertexBuffer
from maxsidecar.nel.serial.classes.mesh import CMatrixBlock, CMeshGeom, CRdrPass
from maxsidecar.nel.shape.corners import bounding_box, merge_corners
from maxsidecar.nel.shape.matrix_blocks import matrix_blocks
from maxsidecar.nel.shape.mesh_build import MeshBuild
from maxsidecar.nel.shape.vertex_cache import cache_order

__all__ = ["Geometry", "empty_geometry", "make_geometry", "slots_of", "vertex_buffer"]

#: Where the game keeps vertices: those that never change go to the graphics card.
_RAM, _STATIC = 0, 2


@dataclass(slots=True)
class Geometry:
    """A geometry, and where its vertices come from.

    Attributes:
        geom: The geometry.
        first_corners: (n,) int64: the first corner (3 · face + corner) of each vertex.
        vertices: (3 t,) int64: vertex of each corner.
    """

    geom: CMeshGeom
    first_corners: npt.NDArray[np.int64]
    vertices: npt.NDArray[np.int64]


def slots_of(build: MeshBuild) -> dict[str, npt.NDArray[Any]]:
    """Return what a vertex has, by slot, one row for each corner."""
    slots: dict[str, npt.NDArray[Any]] = {"position": build.positions[build.faces].reshape(-1, 3)}
    if not build.without_normals:
        slots["normal"] = build.normals.reshape(-1, 3)
    for stage, uv in sorted(build.uvs.items()):
        slots[f"uv{stage}"] = uv.reshape(-1, uv.shape[-1])
    if build.colors is not None:
        slots["color"] = build.colors.reshape(-1, 4)
    return slots


def empty_geometry() -> CMeshGeom:
    """Return the geometry of a mesh without faces."""
    geom = CMeshGeom()
    geom.vertex_buffer.header.name = "CMeshGeom"
    return geom


def make_geometry(build: MeshBuild, *, morphed: bool = False) -> Geometry:
    """Return the geometry of a mesh.

    Args:
        build: The mesh.
        morphed: Whether it gets morph targets.
    """
    if not len(build.faces):
        none = np.empty(0, np.int64)
        return Geometry(empty_geometry(), none, none)
    slots = slots_of(build)
    blocks = None if build.skin is None else matrix_blocks(build.faces, build.skin)
    if blocks is not None and build.skin is not None:
        slots["weight"] = build.skin.weights[build.faces].reshape(-1, 4)
        slots["palette_skin"] = blocks.palette.reshape(-1, 4)
    columns = [build.faces.reshape(-1).astype(np.uint32), *list(slots.values())[1:]]
    first, vertices = merge_corners(columns)
    memory = _RAM if morphed or build.skin is not None else _STATIC
    geom = CMeshGeom(vertex_buffer=vertex_buffer(slots, first, memory, build.routing))
    triangles = vertices.reshape(-1, 3)
    if blocks is None or build.skin is None:
        geom.matrix_blocks.append(
            CMatrixBlock(rdr_passes=render_passes(build.materials, triangles))
        )
    else:
        geom.skinned = True
        for number, bones in enumerate(blocks.bones):
            own = blocks.of_face == number
            ids = np.zeros(16, "<u4")
            ids[: len(bones)] = len(geom.bone_names) + np.arange(len(bones))
            geom.bone_names += [build.skin.names[bone] for bone in bones]
            passes = render_passes(build.materials[own], triangles[own])
            block = CMatrixBlock(matrix_ids=ids, num_matrices=len(bones), rdr_passes=passes)
            geom.matrix_blocks.append(block)
    center, half = bounding_box(build.positions)
    geom.bbox = CAABBox(center=center, half_size=half)
    return Geometry(geom, first, vertices)


def vertex_buffer(
    slots: dict[str, npt.NDArray[Any]],
    first: npt.NDArray[np.int64],
    memory: int,
    routing: tuple[int, ...],
) -> CVertexBuffer:
    """Return a buffer with the first corner of each vertex."""
    buffer = CVertexBuffer.of(memory, **{name: rows[first] for name, rows in slots.items()})
    buffer.subset.uv_routing = routing
    return buffer


def render_passes(
    materials: npt.NDArray[np.int32], triangles: npt.NDArray[np.int64]
) -> list[CRdrPass]:
    """Return the faces by material, in the order that suits the cache of vertices.

    Args:
        materials: (t,) material of each face.
        triangles: (t, 3) vertices of each face.
    """
    passes = []
    for material in np.unique(materials).tolist():
        own = triangles[materials == material]
        ordered = own[cache_order(own)]
        passes.append(CRdrPass(material_id=material, primitives=CIndexBuffer.of(ordered)))
    return passes
