"""Nodes as plain data, for tables and JSON; what cannot be read becomes ``None`` and a problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, ParamSpec, TypeVar, cast

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.scene.objects import SceneObject

__all__ = ["ROOT_NAME", "SHOWN_FLAGS", "NodeReader"]

P = ParamSpec("P")
T = TypeVar("T")

ROOT_NAME: Final = "Scene Root"

#: Flags that a table shows; the others are on for most nodes.
SHOWN_FLAGS: Final = ("hidden", "frozen", "bone", "group_head", "group_member", "target")


@dataclass(slots=True)
class NodeReader:
    """Reads nodes, damaged ones too.

    Attributes:
        problems: What could not be read so far.
    """

    problems: list[MaxSidecarError] = field(default_factory=list)

    def attempt(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Return what ``read`` returns, or ``None`` where the file is damaged."""
        try:
            return read(*args, **kwargs)
        except MaxSidecarError as error:
            self.problems.append(error)
            return None

    def get(self, obj: SceneObject, name: str) -> Any:
        """Return an attribute, or ``None`` where the file is damaged."""
        return self.attempt(getattr, obj, name)

    def name(self, node: Node) -> str:
        """Return the name that a person sees."""
        return ROOT_NAME if isinstance(node, RootNode) else self.get(node, "name") or ""

    def flags(self, node: Node) -> dict[str, bool]:
        """Return the flags that the node stores."""
        found = {name: self.attempt(node.flag, name) for name in NODE_FLAGS}
        return {name: value for name, value in found.items() if value is not None}

    def layer(self, node: Node) -> str | None:
        """Return the name of the node's layer."""
        layer = self.get(node, "layer")
        return None if layer is None else cast("str | None", self.get(layer, "name"))

    def summary(self, node: Node) -> dict[str, Any]:
        """Return what a list of nodes tells about each."""
        base = self.get(node, "base_object") or node
        color = self.get(node, "wire_color")
        parent = node.parent
        return {
            "index": node.index,
            "handle": self.get(node, "handle"),
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
        obj: SceneObject | None = self.get(node, "object")
        seen: set[int] = set()
        while obj is not None and obj.is_derived and obj.index not in seen:
            seen.add(obj.index)
            slots = self.get(obj, "references") or {}
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
