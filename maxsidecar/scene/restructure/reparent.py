"""Another parent for a node.

In every real scene the parent of a node stands in front of it.  A node that would stand in front of
its new parent therefore moves, with all nodes below it, to the end of the scene; what it leaves
behind is as in :mod:`maxsidecar.scene.restructure.delete`.
"""

from __future__ import annotations

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_checks import typed
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.restructure.delete import order_without
from maxsidecar.scene.restructure.graph import subtree
from maxsidecar.scene.restructure.hidden import refuse_hidden
from maxsidecar.scene.restructure.renumber import renumber
from maxsidecar.scene.restructure.transaction import Transaction

__all__ = ["reparent"]


def reparent(node: Node, parent: Node, *, force: bool = False) -> None:
    """Give a node another parent.

    Its controller stays as it is, so the node keeps its place relative to the parent and moves in
    the world.

    Args:
        node: The node.
        parent: Its new parent; the root node for none.
        force: Move nodes even if objects of classes that were not searched may hold their numbers.

    Raises:
        EditError: The parent is the node or below it, or in another scene; or an object may hold
            the number of a node that moves where that is not known.
        DecodeError: An object holds indices in a layout that is not known.
        ChunkError: An object is damaged.
    """
    scene = typed(node, "the node", Node).scene
    typed(parent, "the new parent", Node)
    for one in (node, parent):
        if scene.nodes.get(one.index) is not one:
            raise EditError("not a node of this scene", one.where)
    if isinstance(node, RootNode) or node.parent_link is None:
        raise EditError("this node has no parent", node.where)
    moving = subtree(scene, [node])
    if parent.index in moving:
        raise EditError("a node cannot hang below itself", node.where)
    moves = parent.index > node.index
    hidden = refuse_hidden(scene, moving, force=force) if moves else frozenset()
    with Transaction(scene):
        if moves:
            *rest, last = order_without(scene, moving, hidden)
            renumber(scene, [*rest, *sorted(moving), last])
        link = node.parent_link
        if link is not None:
            node.parent_link = link.replace(parent=parent.index)
