"""Nodes that others look at, follow or are bent by: they are not taken out without a word.

A reference to a node that goes becomes empty.  Selection sets and monitors do without; a camera
that looks at the node turns, and a mesh that the node bends loses its shape.  Who needs nodes:

* controllers (Look At 39, IK chains 14 references of the corpus), by reference or through a
  parameter block, as constraints do;
* the modifiers Skin (400) and Physique (369): their bones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.graph import Graph
from maxsidecar.scene.scene import Scene

__all__ = ["refuse_dependants"]

_NODE: Final = 0x1
_MODIFIER: Final = 0x810
_BLOCKS: Final = (0x8, 0x82)
_BENDING: Final = ((0x95C723, 0x15666), (0x100, 0))
_NAMED: Final = 3


def refuse_dependants(scene: Scene, graph: Graph, gone: Collection[int]) -> None:
    """Refuse to take nodes out that controllers or skins of nodes that stay need.

    Args:
        scene: The scene.
        graph: Its graph.
        gone: Storage indices of all objects that would go.

    Raises:
        EditError: There is such a node; the message names who needs it.
    """
    found = list(dict.fromkeys(_dependants(scene, graph, gone)))
    if found:
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        raise EditError(
            f"{'; '.join(found[:_NAMED])}{more}; force takes them out all the same",
            scene.where,
        )


def _dependants(scene: Scene, graph: Graph, gone: Collection[int]) -> Iterator[str]:
    for index in sorted(gone):
        if scene[index].superclass != _NODE:
            continue
        for holder in sorted(set(graph.owners(index)) - set(gone)):
            obj = scene[holder]
            if _needs_nodes(scene, graph, obj):
                users = ", ".join(_users(scene, graph, holder, gone)) or f"object {holder}"
                yield f"{obj.class_name} {holder} of {users} needs {_name(scene[index])}"


def _needs_nodes(scene: Scene, graph: Graph, obj: SceneObject) -> bool:
    from maxsidecar.scene.controllers.base import Controller

    holders = [obj]
    if obj.superclass in _BLOCKS:
        holders = [scene[owner] for owner in graph.owners(obj.index)]
    return any(
        isinstance(one, Controller) or any(one.is_instance(_MODIFIER, which) for which in _BENDING)
        for one in holders
    )


def _users(scene: Scene, graph: Graph, index: int, gone: Collection[int]) -> list[str]:
    """Return the names of the nodes that stay and use an object, a few of them."""
    seen = {index}
    todo = [index]
    found: list[str] = []
    while todo and len(found) < _NAMED:
        for owner in graph.owners(todo.pop(0)):
            if owner in seen or owner in gone:
                continue
            seen.add(owner)
            if scene[owner].superclass == _NODE:
                found.append(_name(scene[owner]))
            else:
                todo.append(owner)
    return found[:_NAMED]


def _name(node: SceneObject) -> str:
    try:
        name = str(getattr(node, "name", ""))
    except MaxSidecarError:
        name = ""
    return shorten(name, 60) if name else f"node {node.index}"
