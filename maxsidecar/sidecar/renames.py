"""Following nodes that were renamed in the scene: their tables' headers get the new name.

A node is known by its id.  A handle stays with its node, so that is enough where the class is still
the one of the extraction.  A storage index goes to another node when nodes come and go, so there
the old name must be gone from the scene, and parent and values must be the same as well.
"""

from __future__ import annotations

from maxsidecar.scene.node import Node
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.objects import is_same_info
from maxsidecar.sidecar.relabel import relabelled
from maxsidecar.sidecar.traces import agrees

__all__ = ["follow_renames"]


def follow_renames(document: SidecarDocument, labels: Labels) -> SidecarDocument:
    """Return the sidecar with the labels that its nodes have now.

    Args:
        document: The sidecar.
        labels: Labels of the scene's nodes.

    Raises:
        SidecarError: A node was renamed, and its table is not written as ``[node.NAME]``.
    """
    new: dict[str, str] = {}
    for table in document.tables:
        node = _node(table, labels)
        if node is None or labels.label(node) == table.label:
            continue
        # Without a handle another node may have taken the number, and the name in part.
        same = node.index in labels.ids.handles and labels.matches(table.label, node)
        if same or _is_renamed(table, node, document, labels):
            new[table.label] = labels.label(node)
    return relabelled(document, {("node", label): name for label, name in new.items()})


def _node(table: ObjectTable, labels: Labels) -> Node | None:
    """Return the node whose number a table gives."""
    numbers = {key: table.info[key] for key in ("id", "index") if key in table.info}
    if table.kind != "node" or any(type(number) is not int for number in numbers.values()):
        return None
    found = {labels.ids.find(key, number) for key, number in numbers.items()}
    return found.pop() if len(found) == 1 else None


def _is_renamed(table: ObjectTable, node: Node, document: SidecarDocument, labels: Labels) -> bool:
    base = document.base.get(labels.ids.key(node))
    if not is_same_info("class", table, node, base):
        return False
    if node.index in labels.ids.handles:
        return True
    # Where a node was deleted, the next one gets its number.  That one had a table of its own, if
    # it was listed, and hardly all the values of the other.
    known = any(other.here == ("node", labels.label(node)) for other in document.tables)
    if known or labels.is_taken(table.label):
        return False
    return is_same_info("parent", table, node, base) and (base is None or agrees(node, base))
