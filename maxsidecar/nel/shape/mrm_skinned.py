"""Packed skinned meshes with progressive detail (CMeshMRMSkinned).

(spec: nel-export-rules 3, 3.4; nel-format-corrections 5)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.mesh_mrm_skinned import (
    PACKED_VERTEX,
    CMeshMRMSkinnedGeom,
    CPackedVertexBuffer,
    CSkinnedLod,
    CSkinnedRdrPass,
)
from maxsidecar.nel.shape.corners import bounding_box
from maxsidecar.nel.shape.geometry import slots_of
from maxsidecar.nel.shape.mesh_build import MeshBuild
from maxsidecar.nel.shape.mrm_bones import (
    bone_numbers,
    influenced,
    level_bones,
    renumbered,
    wedge_ranges,
)
from maxsidecar.nel.shape.mrm_chain import Chain, build_chain
from maxsidecar.nel.shape.mrm_level import base_level

if TYPE_CHECKING:
    from maxsidecar.nel.shape.mrm_detail import Detail
    from maxsidecar.nel.shape.node_mesh import NodeMesh

__all__ = ["MOST_VERTICES", "is_packable", "skinned_geometry"]

#: Vertices for which the game has room.
MOST_VERTICES: Final = 5000
#: Bones that a byte can number.
_MOST_BONES: Final = 256
_HALF_WORD: Final = 32767
_UV: Final = 8192
#: Coarsest step of positions.
_LEAST_SIZE: Final = 8.0
_WEIGHTS: Final = 255


def is_packable(found: NodeMesh) -> bool:
    """Return whether a mesh has just what packed vertices have."""
    build = found.build
    return (
        build.skin is not None
        and not found.morph_names
        and found.program is None
        and set(slots_of(build)) == {"position", "normal", "uv0"}
        and len(build.positions) < MOST_VERTICES
        and len(np.unique(build.skin.bones[build.faces])) <= _MOST_BONES
    )


def skinned_geometry(build: MeshBuild, detail: Detail) -> CMeshMRMSkinnedGeom:
    """Return the packed geometry of a mesh.

    Args:
        build: The mesh, skinned and with at least one face.
        detail: How detail falls with distance.
    """
    chain = build_chain(base_level(build, []), detail.levels, detail.divisor, detail.reduction)
    geom = CMeshMRMSkinnedGeom()
    numbers = bone_numbers(chain)
    for level in chain.levels:
        lod = CSkinnedLod(
            num_wedges=level.vertices,
            rdr_passes=[
                CSkinnedRdrPass(material_id=material, indices=faces.reshape(-1).astype("<u2"))
                for material, faces in level.passes
            ],
            geomorphs=wedge_ranges(level),
            matrix_influences=level_bones(chain, level, numbers),
            influenced_vertices=influenced(chain, level),
        )
        geom.lods.append(lod)
    if build.skin is not None:
        geom.bone_names = [build.skin.names[bone] for bone in numbers]
    geom.vertex_buffer = pack(chain, renumbered(chain, numbers))
    center, half = bounding_box(build.positions)
    geom.bbox = CAABBox(center=center, half_size=half)
    detail.fill(geom, chain)
    return geom


def pack(chain: Chain, bones: npt.NDArray[np.int64]) -> CPackedVertexBuffer:
    """Return vertices as whole numbers, rounded; the first weight takes what is missing to 255.

    Args:
        chain: All levels, with normals and one set of coordinates.
        bones: (n, 4) bones of the vertices.
    """
    position, normal, uv = chain.rows
    weights = np.zeros((len(position), 4)) if chain.weights is None else chain.weights
    largest = float(np.abs(position).max(initial=0.0))
    scale = np.float32(max(_LEAST_SIZE, largest) / _HALF_WORD)
    vertices: npt.NDArray[Any] = np.zeros(len(position), PACKED_VERTEX)
    vertices["position"] = _rounded(position / scale)
    vertices["normal"] = _rounded(normal * np.float32(_HALF_WORD))
    vertices["uv"] = _rounded(uv * np.float32(_UV))
    shares = _rounded(np.asarray(weights, np.float32) * np.float32(_WEIGHTS))
    shares[:, 0] = _WEIGHTS - shares[:, 1:].sum(axis=1)
    vertices["skin"]["weight"] = np.clip(shares, 0, _WEIGHTS)
    vertices["skin"]["matrix"] = bones
    return CPackedVertexBuffer(vertices=vertices, decompact_scale=float(scale))


def _rounded(values: npt.NDArray[np.float32]) -> npt.NDArray[np.int16]:
    numbers = np.floor(np.nan_to_num(values).astype(np.float64) + 0.5)
    return np.asarray(np.clip(numbers, -_HALF_WORD - 1, _HALF_WORD), np.int16)
