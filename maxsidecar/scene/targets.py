"""Where cameras and lights look: the target of a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxsidecar.scene.node import Node

__all__ = ["target_of"]

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject


def target_of(node: Node) -> Node | None:
    """Return the node that a node is turned to by its Look At controller, ``None`` without one.

    That is the target of every target camera and target light of the corpus; a node whose
    controller was changed keeps its target object without being bound to it.

    Raises:
        DecodeError: The references of the node or its controller cannot be read.
    """
    from maxsidecar.scene.controllers.composite import LookAt

    controller: SceneObject | None = node.controller
    if not isinstance(controller, LookAt) or controller.target is None:
        return None
    index = controller.target
    found = node.scene[index] if 0 <= index < len(node.scene) else None
    return found if isinstance(found, Node) else None
