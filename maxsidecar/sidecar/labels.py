"""Names and ids by which a text addresses the objects of a scene.

A node's label is its name, or ``name@id`` where several nodes share the name (whatever its case).
The id is the node's handle where the file stores handles, else the storage index; objects that are
no nodes, and nodes without a handle in files that have them, are addressed by storage index.
"""

from __future__ import annotations

import re
from typing import Final

from maxsidecar.errors import EditError
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.scene import Scene

__all__ = ["Labels"]

ROOT_NAME: Final = "Scene Root"
_WITH_ID: Final = re.compile(r"(.*)@([0-9]{1,10})", re.DOTALL)


def shown_name(node: Node) -> str:
    """Return the name that a person sees; the root node has none of its own."""
    return ROOT_NAME if isinstance(node, RootNode) else node.name


class Labels:
    """Labels of all nodes of a scene, both ways."""

    def __init__(self, scene: Scene) -> None:
        """Read every node's name and handle."""
        self.scene = scene
        self._by_name: dict[str, list[Node]] = {}
        self._by_handle: dict[int, Node] = {}
        clashes = False
        for node in scene.nodes.values():
            self._by_name.setdefault(shown_name(node).casefold(), []).append(node)
            handle = node.handle
            if handle is not None:
                clashes = clashes or handle in self._by_handle
                self._by_handle[handle] = node
        #: Whether ids are handles; handles that repeat identify nothing, so then they are indices.
        self.handles = bool(self._by_handle) and not clashes

    def id_of(self, obj: SceneObject) -> tuple[str, int]:
        """Return the key (``id`` or ``index``) and number that identify an object."""
        if isinstance(obj, Node):
            if not self.handles:
                return "id", obj.index
            if obj.handle is not None:
                return "id", obj.handle
        return "index", obj.index

    def label(self, node: Node) -> str:
        """Return the label of a node."""
        name = shown_name(node)
        if name and len(self._by_name[name.casefold()]) == 1 and not _WITH_ID.fullmatch(name):
            return name
        return f"{name}@{self.id_of(node)[1]}"

    def by_id(self, key: str, number: int) -> Node | None:
        """Return the node with an ``id`` or ``index``."""
        if key == "id" and self.handles:
            return self._by_handle.get(number)
        return self.scene.nodes.get(number)

    def matches(self, label: str, node: Node) -> bool:
        """Return whether a label may stand for a node that is identified by its id."""
        name = shown_name(node)
        return label in (name, f"{name}@{self.id_of(node)[1]}")

    def find(self, label: str) -> Node:
        """Return the node that a label stands for.

        Raises:
            EditError: There is none, or there are several.
        """
        named = self._by_name.get(label.casefold(), [])
        if len(named) == 1:
            return named[0]
        match = _WITH_ID.fullmatch(label)
        if match and not named:
            number = int(match.group(2))
            for key in ("id", "index"):
                node = self.by_id(key, number)
                if node is not None and shown_name(node).casefold() == match.group(1).casefold():
                    return node
            if not match.group(1):
                node = self.by_id("id", number) or self.by_id("index", number)
                if node is not None:
                    return node
        if named:
            known = ", ".join(f"{shown_name(n)}@{self.id_of(n)[1]}" for n in named[:5])
            raise EditError(f"{len(named)} nodes are named {label!r}: {known}")
        raise EditError(f"there is no node {label!r}")
