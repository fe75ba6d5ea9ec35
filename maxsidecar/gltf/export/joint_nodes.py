"""The glTF nodes that joints of a skin are, where need be added ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf import model
from maxsidecar.gltf.axes import change_of_basis
from maxsidecar.gltf.export.nodes import local_matrix
from maxsidecar.gltf.export.sampling import to_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maxsidecar.gltf.export.context import Export
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.transform import Pose

__all__ = ["JointNodes", "join_roots"]

F64 = npt.NDArray[np.float64]

#: In the extras of nodes that are not in the scene: why they are there.
ADDED = "max_added"


class JointNodes:
    """Gives joints their glTF nodes, and tells where those stand.

    Args:
        export: The export, with all its nodes.
        pose: The scene at the time of the export.
    """

    def __init__(self, export: Export, pose: Pose) -> None:
        """Look at the nodes that are there."""
        self.export = export
        self.pose = pose
        self._worlds: dict[int, F64] = {}
        self._parents: dict[int, model.Node] = {}
        for node in export.nodes.values():
            self._parents.update((id(child), node) for child in node.children)
        self._added: dict[tuple[int, int], model.Node] = {}

    def node(self, joint: Node, number: int = 0) -> model.Node:
        """Return the node of a joint.

        A joint that is not exported gets a node of its own, which stands still to the next
        exported node above it.

        Args:
            joint: The joint.
            number: 0; for a joint that was bound more than once in one skin the number of the
                binding, since a glTF skin has each node but once.
        """
        found = self.export.nodes.get(joint.index)
        if found is not None and not number:
            return found
        key = joint.index, number
        if key not in self._added:
            if found is not None:
                above: model.Node | None = found
                inner = model.Node(found.name, extras={ADDED: "bound twice"})
            else:
                above = self._above(joint)
                inner = self._standing(joint, above)
            self._added[key] = inner
            self._hang(inner, above)
        return self._added[key]

    def _hang(self, node: model.Node, above: model.Node | None) -> None:
        if above is None:
            self.export.document.roots.append(node)
        else:
            above.children.append(node)
            self._parents[id(node)] = above

    def holder(self, node: Node, others: Iterable[model.Node]) -> model.Node:
        """Return the joint for vertices of a mesh that no bone moves.

        It is the mesh's own node where that hangs on the same node as the bones do; else a node
        that stands still in its place, below the bones' topmost one.

        Args:
            node: The mesh's node.
            others: The joints of the skin.
        """
        own = self.export.nodes[node.index]
        tops = {id(top): top for top in map(self._top, others)}
        if len(tops) != 1 or id(self._top(own)) in tops:
            return own
        key = node.index, -1
        if key not in self._added:
            (top,) = tops.values()
            inner = self._standing(node, top)
            inner.extras = {ADDED: "vertices without bones"}
            self._added[key] = inner
            self._hang(inner, top)
        return self._added[key]

    def _top(self, node: model.Node) -> model.Node:
        for _ in range(len(self._parents) + 1):
            above = self._parents.get(id(node))
            if above is None:
                break
            node = above
        return node

    def _above(self, joint: Node) -> model.Node | None:
        above, seen = joint.parent, {joint.index}
        while above is not None and above.index not in seen:
            if above.index in self.export.nodes:
                return self.export.nodes[above.index]
            seen.add(above.index)
            above = above.parent
        return None

    def _standing(self, joint: Node, above: model.Node | None) -> model.Node:
        node = model.Node(joint.name, extras={ADDED: "joint that is not exported"})
        local = self.true_world(joint)
        if above is not None:
            local = local @ np.linalg.pinv(self.world(above))
        columns = local.T[None]
        if np.isfinite(columns).all():
            move, turn, size, _ = to_parts(columns, (1.0, 1.0, 1.0))
            x, y, z = (float(part) for part in move[0])
            node.translation = x, y, z
            x, y, z, w = (float(part) for part in turn[0])
            node.rotation = x, y, z, w
            x, y, z = (float(part) for part in size[0])
            node.scale = x, y, z
        return node

    def true_world(self, joint: Node) -> F64:
        """Return where a joint is in the scene, in glTF's terms: (4, 4) row-vector matrix."""
        basis = change_of_basis(self.export.scale)
        out: F64 = np.linalg.inv(basis) @ self.pose.world(joint)[0] @ basis
        return out

    def world(self, node: model.Node) -> F64:
        """Return where a glTF node is as it is written: (4, 4) row-vector matrix."""
        line: list[model.Node] = []
        above: model.Node | None = node
        while (
            above is not None and id(above) not in self._worlds and len(line) <= len(self._parents)
        ):
            line.append(above)
            above = self._parents.get(id(above))
        world = np.eye(4) if above is None else self._worlds[id(above)]
        for item in reversed(line):
            world = local_matrix(item).T @ world
            self._worlds[id(item)] = world
        return world


def join_roots(export: Export, skins: Iterable[model.Skin]) -> set[int]:
    """See to it that the joints of each skin hang on one node, as glTF wants it.

    Where they do not, their topmost nodes get one above them, which changes nothing else.

    Returns:
        Ids (``id()``) of the skins for which that was done.
    """
    tops: dict[int, model.Node] = {}
    waiting = [(root, root) for root in export.document.roots]
    while waiting:
        node, top = waiting.pop()
        if id(node) not in tops:
            tops[id(node)] = top
            waiting += [(child, top) for child in node.children]
    joined: dict[int, model.Node] = {}
    changed: set[int] = set()
    for skin in skins:
        found = {id(tops[id(j)]): tops[id(j)] for j in skin.joints if id(j) in tops}
        if len(found) > 1:
            joined |= found
            changed.add(id(skin))
    if joined:
        roots = export.document.roots
        # A new list: the order among the rest stays.
        above = model.Node(
            "joints", children=list(joined.values()), extras={ADDED: "joints need one root"}
        )
        roots[:] = [root for root in roots if id(root) not in joined] + [above]
    return changed
