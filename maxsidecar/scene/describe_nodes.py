"""Nodes as plain data, for tables and JSON; what cannot be read becomes ``None`` and a problem."""

from __future__ import annotations

from typing import Any, cast

from maxsidecar.scene.attempts import Attempts
from maxsidecar.scene.node import ROOT_NAME, Node, RootNode
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.scene.objects import SceneObject

__all__ = ["NodeReader"]


class NodeReader:
    """Describes nodes, damaged ones too.

    Attributes:
        attempt: Reads; its ``problems`` are what could not be read so far.
    """

    def __init__(self) -> None:
        """Start without problems."""
        self.attempt = Attempts()

    def name(self, node: Node) -> str:
        """Return the name that a person sees."""
        return ROOT_NAME if isinstance(node, RootNode) else self.attempt.get(node, "name") or ""

    def flags(self, node: Node) -> dict[str, bool]:
        """Return the flags that the node stores."""
        found = {name: self.attempt(node.flag, name) for name in NODE_FLAGS}
        return {name: value for name, value in found.items() if value is not None}

    def layer(self, node: Node) -> str | None:
        """Return the name of the node's layer."""
        layer = self.attempt.get(node, "layer")
        return None if layer is None else cast("str | None", self.attempt.get(layer, "name"))

    def summary(self, node: Node) -> dict[str, Any]:
        """Return what a list of nodes tells about each."""
        base = self.attempt.get(node, "base_object") or node
        color = self.attempt.get(node, "wire_color")
        parent = node.parent
        return {
            "index": node.index,
            "handle": self.attempt.get(node, "handle"),
            "name": self.name(node),
            "parent": parent.index if parent is not None else None,
            "class": base.class_name,
            "class_id": str(base.class_id) if base.class_id is not None else None,
            "superclass": f"{base.superclass:x}" if base.superclass is not None else None,
            "layer": self.layer(node),
            "flags": self.flags(node),
            "wire_color": str(color) if color is not None else None,
            "appdata": self.attempt(len, node.appdata) or 0,
        }

    def parts(self, node: Node) -> dict[str, Any]:
        """Return the classes of the objects that make up a node; modifiers from the top down."""
        modifiers: list[str | None] = []
        obj: SceneObject | None = self.attempt.get(node, "object")
        seen: set[int] = set()
        while obj is not None and obj.is_derived and obj.index not in seen:
            seen.add(obj.index)
            slots = self.attempt.get(obj, "references") or {}
            base = max(slots, default=-1)
            modifiers += [self._class(obj, slot) for slot in sorted(slots) if slot != base]
            obj = self.attempt(obj.reference, base)
        return {
            "modifiers": modifiers,
            "object": obj.class_name if obj is not None else None,
            "controller": self._class(node, 0),
            "material": self._class(node, 3),
        }

    def _class(self, obj: SceneObject, slot: int) -> str | None:
        target = self.attempt(obj.reference, slot)
        return target.class_name if target is not None else None
