"""What a glTF document shows: skinned vertices in the world, as the standard says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf import model
from tests.support.gltf import Gltf, matrix

Array = npt.NDArray[np.float64]


def node_worlds(document: model.Document) -> dict[int, Array]:
    """Return the column-vector matrix of each node to the world, by ``id()``."""
    out: dict[int, Array] = {}
    waiting = [(root, np.eye(4)) for root in document.roots]
    while waiting:
        node, above = waiting.pop()
        assert id(node) not in out, "a node hangs in two places"
        parts = (node.translation, node.rotation, node.scale)
        world = above @ matrix(*(np.array(part) for part in parts))
        out[id(node)] = world
        waiting += [(child, world) for child in node.children]
    return out


def joint_sets(attributes: Mapping[str, npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], Array]:
    """Return joints and weights of all sets side by side, (n, 4 s)."""
    count = sum(name.startswith("JOINTS_") for name in attributes)
    joints = [attributes[f"JOINTS_{n}"].astype(int) for n in range(count)]
    weights = [attributes[f"WEIGHTS_{n}"].astype(np.float64) for n in range(count)]
    return np.hstack(joints), np.hstack(weights)


def skinned_positions(
    document: model.Document, node: model.Node, primitive: model.Primitive
) -> tuple[Array, Array]:
    """Return where the vertices of a skinned primitive are, and their normals, (n, 3)."""
    assert node.skin is not None
    worlds = node_worlds(document)
    matrices = np.stack(
        [
            worlds[id(joint)] @ inverse.astype(np.float64)
            for joint, inverse in zip(
                node.skin.joints, node.skin.inverse_bind_matrices, strict=True
            )
        ]
    )
    joints, weights = joint_sets(primitive.attributes)
    blended = np.einsum("vk,vkij->vij", weights, matrices[joints])
    points = primitive.attributes["POSITION"].astype(np.float64)
    for target, weight in zip(primitive.targets, (node.mesh or model.Mesh()).weights, strict=True):
        points = points + weight * target["POSITION"]
    places = np.einsum("vij,vj->vi", blended[:, :3, :3], points) + blended[:, :3, 3]
    normals = np.einsum("vij,vj->vi", blended[:, :3, :3], primitive.attributes["NORMAL"])
    return places, normals / np.linalg.norm(normals, axis=1, keepdims=True)


def named_weights(skin: model.Skin, primitive: model.Primitive) -> dict[str, Array]:
    """Return the weight of each joint by name, (n,)."""
    joints, weights = joint_sets(primitive.attributes)
    out: dict[str, Array] = {}
    for number, joint in enumerate(skin.joints):
        mine = np.where(joints == number, weights, 0.0).sum(axis=1)
        out[joint.name] = out.get(joint.name, 0.0) + mine
    return out


def reference_weights(gltf: Gltf, index: int) -> dict[str, Array]:
    """Return the same of a node with one primitive in a file, by corner."""
    node = gltf.nodes[index]
    (primitive,) = gltf.json["meshes"][node["mesh"]]["primitives"]
    order = gltf.accessor(primitive["indices"])[:, 0].astype(int)
    names = [gltf.nodes[j]["name"] for j in gltf.json["skins"][node["skin"]]["joints"]]
    at = primitive["attributes"]
    joints = gltf.accessor(at["JOINTS_0"])[order].astype(int)
    weights = gltf.accessor(at["WEIGHTS_0"])[order]
    return {
        name: np.where(joints == number, weights, 0.0).sum(axis=1)
        for number, name in enumerate(names)
    }
