"""Names and ids by which a text addresses the objects of a scene.

A node's label is its name, or ``name@id`` where several nodes share the name (whatever its case).
The id is the node's handle where the file stores handles, else the storage index.  A node without
a handle in a file that has them is ``name@#index``; objects that are no nodes are addressed by
storage index.
"""

from __future__ import annotations

import re
from typing import Final

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.scene import Scene
from maxsidecar.sidecar.toml_text import scrub, shorten

__all__ = ["Labels", "shown_name"]

ROOT_NAME: Final = "Scene Root"
_WITH_ID: Final = re.compile(r"(.*)@(#?)([0-9]{1,10})", re.DOTALL)


def shown_name(node: Node) -> str:
    """Return the name that a person sees; the root node has none of its own.

    Unpaired surrogates are shown as U+FFFD, a name that cannot be read as nothing.
    """
    if isinstance(node, RootNode):
        return ROOT_NAME
    try:
        return scrub(node.name)
    except MaxSidecarError:
        return ""


def _handle(node: Node) -> int | None:
    try:
        return node.handle
    except MaxSidecarError:
        return None


class Labels:
    """Labels of all nodes of a scene, both ways."""

    def __init__(self, scene: Scene) -> None:
        """Read every node's name and handle."""
        self.scene = scene
        self._names: dict[int, str] = {}
        self._by_name: dict[str, list[Node]] = {}
        self._handles: dict[int, int] = {}
        self._by_handle: dict[int, Node] = {}
        for node in scene.nodes.values():
            name = self._names[node.index] = shown_name(node)
            self._by_name.setdefault(name.casefold(), []).append(node)
            handle = _handle(node)
            if handle is not None:
                self._handles[node.index] = handle
                self._by_handle[handle] = node
        #: Whether ids are handles; handles that repeat identify nothing, so then they are indices.
        self.handles = 0 < len(self._handles) == len(self._by_handle)

    def id_of(self, obj: SceneObject) -> tuple[str, int]:
        """Return the key (``id`` or ``index``) and number that identify an object."""
        if isinstance(obj, Node):
            if not self.handles:
                return "id", obj.index
            handle = self._handles.get(obj.index)
            if handle is not None:
                return "id", handle
        return "index", obj.index

    def key(self, obj: SceneObject) -> str:
        """Return a short text that identifies an object: ``366``, or ``#12`` for an index."""
        key, number = self.id_of(obj)
        return str(number) if key == "id" else f"#{number}"

    def name(self, node: Node) -> str:
        """Return the name that a person sees."""
        return self._names[node.index]

    def label(self, node: Node) -> str:
        """Return the label of a node."""
        name = self.name(node)
        if name and len(self._by_name[name.casefold()]) == 1 and not _WITH_ID.fullmatch(name):
            return name
        return self._long(node)

    def _long(self, node: Node) -> str:
        return f"{self.name(node)}@{self.key(node)}"

    def by_id(self, key: str, number: int) -> Node | None:
        """Return the node with an ``id`` or ``index``."""
        if key == "id" and self.handles:
            return self._by_handle.get(number)
        return self.scene.nodes.get(number)

    def matches(self, label: str, node: Node) -> bool:
        """Return whether a label may stand for a node that is identified by its id."""
        return label in (self.name(node), self._long(node))

    def find(self, label: str) -> Node:
        """Return the node that a label stands for.

        Raises:
            EditError: There is none, or there are several.
        """
        found = {node.index: node for node in self._by_name.get(label.casefold(), ())}
        match = _WITH_ID.fullmatch(label)
        if match:
            node = self.by_id("index" if match[2] else "id", int(match[3]))
            if node is not None and self._suits(node, match[1], match[2]):
                found[node.index] = node
        if not found:
            raise EditError(f"there is no node {shorten(label)}")
        if len(found) > 1:
            nodes = list(found.values())
            known = ", ".join(shorten(self._long(node)) for node in nodes[:5])
            more = ", ..." if len(nodes) > 5 else ""
            raise EditError(f"{shorten(label)} may be any of {len(nodes)} nodes: {known}{more}")
        return next(iter(found.values()))

    def _suits(self, node: Node, name: str, mark: str) -> bool:
        # "@366" is any node with that id; a handle says more than an index, so "a@#3" is no
        # other way to write "a@366".
        return (not name or self.name(node).casefold() == name.casefold()) and (
            self.key(node).startswith("#") == bool(mark)
        )
