"""Which bones move the vertices of a shape (spec: nel-export-rules 3, 3.1, 3.2)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.mesh_build import SkinWeights
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.node import Node
from maxsidecar.scene.skin.binding import SkinBinding
from maxsidecar.scene.skin.bindings import read_binding
from maxsidecar.scene.skin.carry import carry_binding

__all__ = ["INFLUENCES", "bone_names", "read_skin", "skeleton_root", "strongest"]

#: Bones that may move a vertex.
INFLUENCES: Final = 4


def read_skin(context: ShapeContext, mesh: Mesh) -> SkinWeights | None:
    """Return what moves the vertices of a mesh; ``None`` where nothing does, or it is not known.

    Args:
        context: The node.
        mesh: Its mesh.
    """
    node = context.node
    try:
        binding = read_binding(node)
        if binding is None or not len(binding.joints):
            return None
        binding = carry_binding(binding, context.shared.evaluator, node.object, mesh)
    except MaxSidecarError as error:
        context.notes.append(f"the skin is left out: {error}")
        return None
    context.notes += binding.notes
    root = skeleton_root(binding.joints[0])
    numbers, names = bone_names(root)
    bones = np.array([numbers.get(joint.index, -1) for joint in binding.joints], np.int32)
    lost = [joint for joint in binding.joints if joint.index not in numbers]
    if lost and any(joint.index != node.index for joint in lost):
        outside = next(joint for joint in lost if joint.index != node.index)
        context.notes.append(
            f"the skin is left out: the bone {outside.name!r} does not hang on {root.name!r}"
        )
        return None
    if lost:
        # Vertices that no bone moves would stay with the mesh; the game has no such vertices.
        context.notes.append(f"{binding.loose} vertices without bones follow {root.name!r}")
        bones[bones < 0] = 0
    return SkinWeights(*strongest(binding, bones), names)


def skeleton_root(bone: Node) -> Node:
    """Return the topmost node that a bone hangs on, the scene itself left out."""
    seen: set[int] = set()
    while bone.index not in seen:
        seen.add(bone.index)
        parent = bone.parent
        if parent is None or parent.parent is None:
            break
        bone = parent
    return bone


def bone_names(root: Node) -> tuple[dict[int, int], list[str]]:
    """Return the bones of a skeleton: all nodes below its root, depth first.

    A name that is taken gets an addition, as in skeleton files.

    Args:
        root: The root bone.

    Returns:
        Numbers by storage index, and names by number.
    """
    numbers: dict[int, int] = {}
    names: list[str] = []
    taken: set[str] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.index in numbers:
            continue
        name = node.name
        numbers[node.index] = len(names)
        names.append(f"{name}_Second" if name in taken else name)
        # The addition itself takes no name away.
        taken.add(name)
        waiting += reversed(node.children)
    return numbers, names


def strongest(
    binding: SkinBinding, bones: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return the four strongest bones of each vertex, the strongest first.

    Of equal ones the last comes first, as in the plug-in; places without weight repeat the first
    bone.

    Args:
        binding: The skin; each vertex has a joint.
        bones: (j,) number of each joint in the skeleton.

    Returns:
        (v, 4) int32 bones, and (v, 4) float32 weights that sum to 1.
    """
    count = binding.vertex_count
    vertex = binding.vertex
    order = np.lexsort((-np.arange(len(vertex)), -binding.weight, vertex))
    rank = np.arange(len(order)) - binding.starts[:-1][vertex[order]]
    order, rank = order[rank < INFLUENCES], rank[rank < INFLUENCES]
    numbers = np.full((count, INFLUENCES), -1, np.int32)
    weights = np.zeros((count, INFLUENCES), np.float32)
    rows = vertex[order]
    numbers[rows, rank] = bones[binding.joint[order]]
    weights[rows, rank] = binding.weight[order]
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), np.float32(1e-30))
    numbers = np.where(weights > 0, numbers, numbers[:, :1])
    return np.maximum(numbers, 0).astype(np.int32), weights
