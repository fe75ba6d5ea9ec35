"""A mesh as the game's exporter sees it: vertices, and what each corner of each face has.

(spec: nel-export-rules 3.1)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.shape.colors import color_bytes
from maxsidecar.nel.shape.material_state import LIGHTING, MaterialInfo
from maxsidecar.nel.shape.materials import STAGES, MaterialSet
from maxsidecar.nel.shape.placement import move_normals, move_points
from maxsidecar.nel.shape.textures import Channel
from maxsidecar.scene.geometry.mesh import COLOR, Mesh
from maxsidecar.scene.geometry.normals import Weighting, triangle_normals

__all__ = ["MeshBuild", "SkinWeights", "build_mesh"]

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]

_WHITE: Final = 255


@dataclass(slots=True)
class SkinWeights:
    """Which bones move the vertices.

    Attributes:
        bones: (v, 4) int32: bones, as indices of ``names``; those without weight repeat the first.
        weights: (v, 4) float32: what each counts, in sum 1.
        names: Names of the bones of the skeleton.
    """

    bones: I32
    weights: F32
    names: list[str]


@dataclass(slots=True)
class MeshBuild:
    """A mesh that is to become a shape.

    Attributes:
        positions: (v, 3) float32, in the space of the shape.
        faces: (t, 3) int32: vertices.
        materials: (t,) int32: material of each face.
        normals: (t, 3, 3) float32 of length 1.
        uvs: Coordinates by stage, (t, 3, 2) float32, or (t, 3, 3) for tangents.
        colors: (t, 3, 4) uint8, or ``None``.
        routing: For each stage the set of coordinates that it takes.
        skin: What moves the vertices, or ``None``.
        without_normals: Whether vertices have none, in coarse meshes.
    """

    positions: F32
    faces: I32
    materials: I32
    normals: F32
    uvs: dict[int, F32] = field(default_factory=dict)
    colors: U8 | None = None
    routing: tuple[int, ...] = tuple(range(STAGES))
    skin: SkinWeights | None = None
    without_normals: bool = False


def build_mesh(
    mesh: Mesh,
    materials: MaterialSet,
    matrix: npt.NDArray[np.float64],
    weighting: Weighting,
    *,
    first_material: int = 0,
    force_colors: bool = False,
    normals: F32 | None = None,
) -> MeshBuild:
    """Return what a mesh gives to a shape.

    Args:
        mesh: The mesh in object space.
        materials: The materials of the node.
        matrix: (4, 4) from object space to that of the shape, for row vectors.
        weighting: How the normals of faces count.
        first_material: Number of the first of the materials in the shape.
        force_colors: Whether vertices have colours and no material changes them, for trees.
        normals: (t, 3, 3) normals in object space in place of those of the smoothing groups.
    """
    if normals is None:
        normals = triangle_normals(mesh, weighting)
    count = len(materials.materials)
    of_face = mesh.material_ids[mesh.triangle_polygons] % count
    out = MeshBuild(
        positions=move_points(mesh.positions, matrix),
        faces=mesh.faces.astype(np.int32),
        materials=(of_face + first_material).astype(np.int32),
        normals=move_normals(normals, matrix),
        routing=tuple(
            stage if target is None else target for stage, target in enumerate(materials.routing)
        ),
    )
    for stage, target in enumerate(materials.routing):
        if target == stage:
            out.uvs[stage] = _coordinates(mesh, materials.infos, of_face, stage)
    if COLOR in mesh.maps and (force_colors or materials.needs_color):
        out.colors = _colors(mesh, materials, of_face, forced=force_colors)
    return out


def _coordinates(
    mesh: Mesh, infos: list[MaterialInfo], of_face: npt.NDArray[Any], stage: int
) -> F32:
    """Return the coordinates of a stage; faces whose material has none have (0, 0)."""
    out = np.zeros((len(of_face), 3, 2), np.float32)
    for number, info in enumerate(infos):
        if stage >= len(info.channels):
            continue
        chosen = of_face == number
        if not chosen.any():
            continue
        channel = info.channels[stage]
        map_channel = channel.number
        if map_channel >= 0 and map_channel not in mesh.maps:
            map_channel = channel.alternative
        if map_channel <= COLOR or map_channel not in mesh.maps:
            continue
        found = mesh.maps[map_channel]
        uv = found.vertices[found.corners[mesh.triangles[chosen]]]
        out[chosen] = _moved(uv, channel, keep=info.texture_matrix)
    return out


def _moved(uvw: F32, channel: Channel, *, keep: bool) -> F32:
    """Return coordinates in the picture that is shown; v runs down in the game."""
    u, v = uvw[..., 0].astype(np.float32), uvw[..., 1].astype(np.float32)
    if channel.matrix is not None and not keep:
        m = channel.matrix
        u, v = u * m[0, 0] + v * m[1, 0] + m[2, 0], u * m[0, 1] + v * m[1, 1] + m[2, 1]
    left, top, width, height = (np.float32(number) for number in channel.crop)
    return np.stack([u * width + left, (np.float32(1) - v) * height + top], axis=-1)


def _colors(mesh: Mesh, materials: MaterialSet, of_face: npt.NDArray[Any], *, forced: bool) -> U8:
    """Return the colours of corners, multiplied with those of their materials."""
    out = np.full((len(of_face), 3, 4), _WHITE, np.int64)
    found = mesh.maps[COLOR]
    stored = color_bytes(found.vertices)[found.corners[mesh.triangles]].astype(np.int64)
    for number, (material, info) in enumerate(
        zip(materials.materials, materials.infos, strict=True)
    ):
        chosen = of_face == number
        if not chosen.any():
            continue
        if info.alpha_vertex and info.alpha_channel in mesh.maps:
            alphas = mesh.maps[info.alpha_channel]
            values = alphas.vertices[alphas.corners[mesh.triangles[chosen]]]
            mean = (values * np.float32(255) + np.float32(0.5)).sum(axis=-1) / np.float32(3)
            out[chosen, :, 3] = np.clip(np.nan_to_num(mean), 0, 255).astype(np.int64)
        lit = bool(material.flags & LIGHTING)
        own = material.diffuse if lit else material.color
        out[chosen, :, 3] = out[chosen, :, 3] * material.diffuse[3] // 255
        if info.color_vertex or forced:
            out[chosen, :, :3] = stored[chosen]
        if not forced:
            out[chosen, :, :3] = out[chosen, :, :3] * np.array(own[:3]) >> 8
    return out.astype(np.uint8)
