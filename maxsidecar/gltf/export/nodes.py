"""The tree of nodes: places, names, and what is known of each, as extras.

A node's place below its parent is that of 3ds Max in glTF's terms: no node is added for a pivot,
and none above the scene.  A node whose parent is not exported hangs on the next one above that is.
"""

from __future__ import annotations

from math import copysign
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.axes import change_of_basis, matrices_to_gltf
from maxsidecar.gltf.export.choose import choose
from maxsidecar.gltf.export.extras import node_extras
from maxsidecar.gltf.export.sampling import to_parts
from maxsidecar.scene.controllers.composite import PRS
from maxsidecar.scene.describe_nodes import NodeReader
from maxsidecar.scene.transform import Pose

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export
    from maxsidecar.scene.node import Node

__all__ = [
    "_SHEARED",
    "add_nodes",
    "below",
    "local_matrix",
    "residue",
    "shears_its_mesh",
    "world_matrix",
]

F64 = npt.NDArray[np.float64]

#: Products of such numbers still fit into 32-bit floats.
_FARTHEST: Final = 1e18
_NOWHERE: Final = "its place is no number, or far too large: it stands on its parent"
#: Superclasses of objects with meshes: geometry and shapes.
_SHOWN: Final = frozenset({0x10, 0x40})
_SHEARED: Final = "glTF nodes cannot be sheared: the nearest turn and scale are written"


def add_nodes(export: Export) -> None:
    """Write the chosen nodes.

    Raises:
        EditError: The options name a node or selection set that is not there.
    """
    pose = Pose(export.scene_file.scene, export.time, export.rest)
    chosen = choose(export)
    pose.prepare(chosen)
    reader = NodeReader()
    lines: list[tuple[Node, str, list[str]]] = []
    locals_: dict[int, F64] = {}
    for scene_node in chosen:
        index = scene_node.index
        node = model.Node(name=reader.name(scene_node))
        node.extras = node_extras(export, scene_node, reader)
        above = _above(export, scene_node)
        local = below(pose, scene_node, above)
        base = reader.attempt.get(scene_node, "base_object") or scene_node
        reasons: list[str] = []
        if (np.abs(local) <= _FARTHEST).all():
            locals_[index] = local
        else:
            reasons.append(_NOWHERE)
        if pose.problems.get(index):
            reasons.append(pose.problems[index])
        lines.append((scene_node, base.class_name, reasons))
        export.nodes[index], export.scene_nodes[index] = node, scene_node
        if above is None:
            export.document.roots.append(node)
        else:
            export.nodes[above.index].children.append(node)
    _place(export, pose, locals_)
    for scene_node, class_name, reasons in lines:
        # Without anything below it, the shape of a node can be sheared in its stead.
        if scene_node.index in export.sheared and not shears_its_mesh(export, scene_node):
            reasons.append(_SHEARED)
        line = ("node", export.nodes[scene_node.index].name, export.id_of(scene_node), class_name)
        if reasons:
            export.report.approximated(*line, "; ".join(reasons))
        else:
            export.report.converted(*line)


def shears_its_mesh(export: Export, node: Node) -> bool:
    """Return whether the part of a node's matrix that glTF nodes cannot have is in its mesh."""
    if node.index not in export.sheared or export.nodes[node.index].children:
        return False
    try:
        base = node.base_object
    except MaxSidecarError:
        return False
    return base is not None and base.superclass in _SHOWN and not export.options.rig_only


def _above(export: Export, node: Node) -> Node | None:
    """Return the nearest ancestor that is exported; all of those are there already."""
    above, seen = node.parent, {node.index}
    while above is not None and above.index not in seen:
        if above.index in export.nodes:
            return above
        seen.add(above.index)
        above = above.parent
    return None


def below(pose: Pose, node: Node, above: Node | None) -> F64:
    """Return the row-vector matrix of a node below one of those above it, (4, 4).

    Args:
        pose: The pose at one time.
        node: The node.
        above: The node above it in the export; ``None`` for the world.
    """
    parent = node.parent
    if above is not None and parent is not None and above.index == parent.index:
        return np.asarray(pose.local(node)[0])
    world = np.asarray(pose.world(node)[0])
    if above is None:
        return world
    with np.errstate(all="ignore"):
        outer = pose.world(above)[0]
        if not np.isfinite(outer).all() or abs(np.linalg.det(outer[:3, :3])) < 1e-30:
            return world
        return np.asarray(world @ np.linalg.inv(outer))


def _place(export: Export, pose: Pose, matrices: dict[int, F64]) -> None:
    """Put nodes in their places, and note those whose parts do not say all of their matrix."""
    by_signs: dict[tuple[float, float, float], list[int]] = {}
    for index in matrices:
        by_signs.setdefault(_signs(pose, export.scene_nodes[index]), []).append(index)
    for signs, indices in by_signs.items():
        local = np.stack([matrices[index] for index in indices])
        columns = np.swapaxes(matrices_to_gltf(local, export.scale), 1, 2)
        moves, turns, sizes, whole = to_parts(columns, signs)
        for number, index in enumerate(indices):
            node = export.nodes[index]
            node.translation = _numbers3(moves[number])
            x, y, z, w = turns[number].tolist()
            node.rotation = (x, y, z, w)
            node.scale = _numbers3(sizes[number])
            if not whole and not to_parts(columns[number : number + 1], signs)[3]:
                export.sheared[index] = matrices[index]


def _signs(pose: Pose, node: Node) -> tuple[float, float, float]:
    """Return the signs of the stored scale factors along glTF's axes."""
    try:
        controller = None if node.index in pose.rest else node.controller
        scale = controller.part(2) if isinstance(controller, PRS) else None
        x, y, z = (float(part) for part in pose.sampler.value(scale, "scale")[0, :3])
    except MaxSidecarError:
        return 1.0, 1.0, 1.0  # told where the node's place is computed
    return copysign(1.0, x), copysign(1.0, z), copysign(1.0, y)


def _numbers3(values: F64) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def local_matrix(node: model.Node) -> F64:
    """Return the column-vector matrix of a glTF node below its parent, (4, 4)."""
    x, y, z, w = node.rotation
    out = np.eye(4)
    out[:3, :3] = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    ) * np.asarray(node.scale)
    out[:3, 3] = node.translation
    return out


def world_matrix(export: Export, index: int) -> F64:
    """Return the column-vector matrix from an exported node to glTF's world, (4, 4)."""
    out = np.eye(4)
    node: Node | None = export.scene_nodes[index]
    while node is not None:
        out = local_matrix(export.nodes[node.index]) @ out
        node = _above(export, node)
    return out


def residue(export: Export, index: int) -> F64:
    """Return what of a node's matrix its parts lack, row-vector, in 3ds Max's terms, (4, 4).

    It is what the mesh has to be transformed with, so that it stands right in the node's place.
    """
    basis = change_of_basis(export.scale)
    parts = basis @ local_matrix(export.nodes[index]).T @ np.linalg.inv(basis)
    with np.errstate(all="ignore"):
        out: F64 = export.sheared[index] @ np.linalg.inv(parts)
    return out
