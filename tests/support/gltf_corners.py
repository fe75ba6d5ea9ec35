"""The triangles that a glTF file shows, in the world: as its nodes, or joints, place them."""

from __future__ import annotations

import numpy as np

from tests.support.gltf import Array, Gltf
from tests.support.mesh_compare import Corners

__all__ = ["world_corners"]


def world_corners(file: Gltf, index: int, world: Array | None = None) -> Corners:
    """Return the triangles of a node's mesh.

    Args:
        file: The file.
        index: The node.
        world: Where it is, if not where the file says.
    """
    node = file.nodes[index]
    world = file.world(index) if world is None else world
    parts = []
    for primitive in file.json["meshes"][node["mesh"]]["primitives"]:
        at = primitive["attributes"]
        points, normals = file.accessor(at["POSITION"]), file.accessor(at["NORMAL"])
        order = np.arange(len(points))
        if "indices" in primitive:
            order = file.accessor(primitive["indices"])[:, 0].astype(int)
        matrices = np.tile(world, (len(points), 1, 1))
        if "skin" in node and "JOINTS_0" in at:
            matrices = _bent(file, node["skin"], at)
        elif np.linalg.det(world[:3, :3]) < 0:
            order = order.reshape(-1, 3)[:, ::-1].reshape(-1)
        linear = matrices[:, :3, :3]
        points = np.einsum("vij,vj->vi", linear, points) + matrices[:, :3, 3]
        normals = np.einsum("vji,vj->vi", np.linalg.inv(linear), normals)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        uv = file.accessor(at["TEXCOORD_0"]) if "TEXCOORD_0" in at else None
        triangles = order.reshape(-1, 3)
        parts.append(
            Corners(points[triangles], normals[triangles], None if uv is None else uv[triangles])
        )
    uvs = [part.coordinates for part in parts if part.coordinates is not None]
    return Corners(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate(uvs) if len(uvs) == len(parts) else None,
    )


def _bent(file: Gltf, number: int, attributes: dict[str, int]) -> Array:
    """Return what the joints do to each vertex, (v, 4, 4)."""
    skin = file.json["skins"][number]
    inverse = file.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    joints = np.array([file.world(j) @ m for j, m in zip(skin["joints"], inverse, strict=True)])
    out = np.zeros((len(file.accessor(attributes["JOINTS_0"])), 4, 4))
    for name in [name for name in attributes if name.startswith("JOINTS_")]:
        numbers = file.accessor(attributes[name]).astype(int)
        weights = file.accessor(attributes[name.replace("JOINTS", "WEIGHTS")])
        # Some exporters name joints that are not there, with no weight.
        numbers = np.where(weights > 0, numbers, 0)
        out += np.einsum("vk,vkij->vij", weights, joints[numbers])
    return out
