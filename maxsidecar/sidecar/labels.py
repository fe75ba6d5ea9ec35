"""Names and ids by which a text addresses the objects of a scene.

A node's label is its name, or ``name@id`` where several nodes share the name (whatever its case).
The id is the node's handle where the file stores handles, else the storage index.  A node without
a handle in a file that has them is ``name@#index``; objects that are no nodes are addressed by
storage index.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.scene.node import ROOT_NAME, Node, RootNode
from maxsidecar.scene.node_ids import NodeIds
from maxsidecar.scene.scene import Scene
from maxsidecar.sidecar.toml_text import scrub

__all__ = ["Labels", "shown_name"]

#: A near name is looked for up to this length, and among so many.
_LONGEST: Final = 80
_MANY: Final = 5000
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


class Labels:
    """Labels of all nodes of a scene, both ways.

    Attributes:
        scene: The scene.
        ids: Ids of its nodes.
    """

    def __init__(self, scene: Scene) -> None:
        """Read every node's name and handle."""
        self.scene = scene
        self.ids = NodeIds(scene)
        self._names: dict[int, str] = {}
        self._by_name: dict[str, list[Node]] = {}
        for node in scene.nodes.values():
            name = self._names[node.index] = shown_name(node)
            self._by_name.setdefault(name.casefold(), []).append(node)

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
        return f"{self.name(node)}@{self.ids.key(node)}"

    def matches(self, label: str, node: Node) -> bool:
        """Return whether a label may stand for a node that is identified by its id."""
        return label in (self.name(node), self._long(node))

    def is_taken(self, name: str) -> bool:
        """Return whether a node has this name, whatever the case of its letters."""
        return name.casefold() in self._by_name

    def is_unique(self, node: Node) -> bool:
        """Return whether a node has a name, and no other node has it in any case."""
        name = self.name(node)
        return bool(name) and len(self._by_name[name.casefold()]) == 1

    def called(self, name: str) -> list[Node]:
        """Return the nodes with a name, in any case."""
        return list(self._by_name.get(name.casefold(), ()))

    @staticmethod
    def split(label: str) -> tuple[str, int | None]:
        """Return the name and the number that a label may be made of."""
        match = _WITH_ID.fullmatch(label)
        return (match[1], int(match[3])) if match else (label, None)

    def find(self, label: str) -> Node:
        """Return the node that a label stands for.

        Raises:
            EditError: There is none, or there are several.
        """
        found = {node.index: node for node in self._by_name.get(label.casefold(), ())}
        match = _WITH_ID.fullmatch(label)
        if match:
            node = self.ids.find("index" if match[2] else "id", int(match[3]))
            if node is not None and self._suits(node, match[1], match[2]):
                found[node.index] = node
        if not found:
            raise EditError(f"there is no node {shorten(label)}{self._near(label)}")
        if len(found) > 1:
            nodes = list(found.values())
            known = ", ".join(shorten(self._long(node)) for node in nodes[:5])
            more = ", ..." if len(nodes) > 5 else ""
            raise EditError(f"{shorten(label)} may be any of {len(nodes)} nodes: {known}{more}")
        return next(iter(found.values()))

    def _near(self, label: str) -> str:
        if len(label) > _LONGEST or len(self._by_name) > _MANY:
            return "; maxsidecar tree lists all"
        names = [name for name in self._by_name if len(name) <= _LONGEST]
        near = get_close_matches(label.casefold(), names, 3)
        known = ", ".join(shorten(self.label(self._by_name[name][0])) for name in near)
        return f"; {f'near names: {known}; ' if near else ''}maxsidecar tree lists all"

    def _suits(self, node: Node, name: str, mark: str) -> bool:
        # "@366" is any node with that id; a handle says more than an index, so "a@#3" is no
        # other way to write "a@366".
        return (not name or self.name(node).casefold() == name.casefold()) and (
            self.ids.key(node).startswith("#") == bool(mark)
        )
