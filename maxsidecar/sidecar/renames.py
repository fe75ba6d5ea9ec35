"""Following nodes that were renamed in the scene: their tables' headers get the new name.

A node is known by its id.  A handle stays with its node, but the highest one is given again once
its node was deleted and the scene was loaded anew.  So where another name came to a handle, and not
all else is as it was at extraction, the table follows, but its edits need a decision.  A storage
index goes to another node when nodes come and go, so there the old name must be gone from the
scene, and parent and values must be the same as well.
"""

from __future__ import annotations

from maxsidecar.scene.node import Node
from maxsidecar.sidecar.base import Base
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.objects import is_same_info
from maxsidecar.sidecar.relabel import relabelled
from maxsidecar.sidecar.traces import agrees

__all__ = ["follow_renames"]


def follow_renames(
    document: SidecarDocument, labels: Labels, *, same_scene: bool = False
) -> tuple[SidecarDocument, set[int]]:
    """Return the sidecar with the labels that its nodes have now.

    Args:
        document: The sidecar.
        labels: Labels of the scene's nodes.
        same_scene: Whether the scene is the very file that the sidecar was extracted from.

    Returns:
        The sidecar, and the storage indices of nodes that may be others than those of the
        extraction.

    Raises:
        SidecarError: A node was renamed, and its table is not written as ``[node.NAME]``.
    """
    new: dict[str, str] = {}
    doubtful: set[int] = set()
    for table in document.tables:
        node = _node(table, labels)
        if node is None or labels.label(node) == table.label:
            continue
        # Without a handle another node may have taken the number, and the name in part.
        same = node.index in labels.ids.handles and labels.matches(table.label, node)
        if same or _is_renamed(table, node, document, labels):
            new[table.label] = labels.label(node)
            if not same and not same_scene and not _is_as_before(table, node, document, labels):
                doubtful.add(node.index)
    changed = relabelled(document, {("node", label): name for label, name in new.items()})
    return changed, doubtful


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


def _is_as_before(
    table: ObjectTable, node: Node, document: SidecarDocument, labels: Labels
) -> bool:
    """Return whether parent and values are those of the extraction, as far as they are known."""
    base = document.base.get(labels.ids.key(node))
    if not is_same_info("parent", table, node, base) and not _is_parent_renamed(
        node, document, labels, base
    ):
        return False
    return base is None or agrees(node, base)


def _is_parent_renamed(
    node: Node, document: SidecarDocument, labels: Labels, base: Base | None
) -> bool:
    """Return whether the parent is listed under its name at extraction, and is as it was."""
    parent = node.parent
    if parent is None or base is None:
        return False
    before = document.base.get(labels.ids.key(parent))
    return any(
        base.unchanged(("parent",), table.label) and before is not None and agrees(parent, before)
        for table in document.tables
        if table.kind == "node" and _node(table, labels) is parent
    )
