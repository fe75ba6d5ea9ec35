"""Taking objects out of a scene.

A slot that becomes free is filled with an empty object that nothing refers to, so that no other
object is renumbered: plug-ins hold indices in places that nobody knows.  :func:`close_gaps` takes
the empty objects out where that is safe.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from struct import Struct
from typing import Any, Final

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_checks import typed
from maxsidecar.scene.authoring_objects import TRACK_NODE
from maxsidecar.scene.node import RootNode
from maxsidecar.scene.object_list import NewObject
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.classes import class_chunk_id
from maxsidecar.scene.restructure.dependants import refuse_dependants
from maxsidecar.scene.restructure.graph import Graph, subtree
from maxsidecar.scene.restructure.handles import highest_handle, holders
from maxsidecar.scene.restructure.hidden import refuse_hidden
from maxsidecar.scene.restructure.renumber import renumber
from maxsidecar.scene.restructure.transaction import Transaction
from maxsidecar.scene.scene import Scene

__all__ = ["close_gaps", "delete", "gaps", "order_without"]

_LAYER: Final = 0x10F0
_NODE: Final = 0x1
_CONTEXT: Final = 0x2500
_TRACK_NODE: Final = (TRACK_NODE.a, TRACK_NODE.b)


def delete(scene: Scene, objects: Iterable[SceneObject], *, force: bool = False) -> int:
    """Take objects out of a scene, with all nodes below nodes and with what only they use.

    What others use stays.  References to what goes become empty; a modifier leaves its stack, a
    node the exclusion lists of lights.  A node that a controller or a skin of another node needs,
    such as the target of a camera or a bone, is not taken from it without ``force``: what hangs on
    it would turn, move or lose its shape.

    Args:
        scene: The scene.
        objects: Nodes, or other objects.
        force: Take nodes away from controllers and skins that need them.  Do it even if objects
            of classes that were not searched may hold their numbers, too; no object that is added
            later gets such a number then.

    Returns:
        How many objects went.

    Raises:
        EditError: One of them belongs to every scene, or an object that stays cannot do without
            one, or may hold its number where that is not known.  The scene is as it was then.
        DecodeError: An object holds indices in a layout that is not known.
        ChunkError: An object is damaged.
    """
    wanted = [typed(obj, "what is taken out", SceneObject) for obj in _listed(objects)]
    for obj in wanted:
        if not 0 <= obj.index < len(scene) or scene[obj.index] is not obj:
            raise EditError("not an object of this scene", obj.where)
    graph = Graph.of(scene)
    roots = {obj.index for obj in wanted if obj.superclass != _NODE}
    roots |= subtree(scene, (obj for obj in wanted if obj.superclass == _NODE))
    last = len(scene) - 1
    everywhere = {last, *graph.owned(last)}
    for index in roots:
        obj = scene[index]
        if index in everywhere or isinstance(obj, RootNode) or obj.superclass == _LAYER:
            raise EditError("an object of this kind cannot be taken out", obj.where)
    stop = everywhere | {
        i for i, node in enumerate(scene) if node.superclass in (_NODE, _LAYER) and i not in roots
    }
    gone = graph.only_used_by(roots, stop)
    _check_holders(scene, graph, gone)
    if not force:
        refuse_dependants(scene, graph, gone)
    hidden = refuse_hidden(scene, gone, "objects would go", besides=gone, force=force)
    # No node that is made later gets a handle that one of these had.
    highest_handle(scene)
    with Transaction(scene):
        for obj in _holding(scene, graph, gone):
            _leave_stack(obj, gone)
        _leave_lists(scene, gone)
        renumber(scene, order_without(scene, gone, hidden))
    return len(gone)


def _listed(objects: object) -> list[Any]:
    if not isinstance(objects, Iterable):
        raise EditError("what is taken out is wrong", expected="a list of objects")
    return list(objects)


def _holding(scene: Scene, graph: Graph, gone: Collection[int]) -> list[SceneObject]:
    """Return the objects that stay and hold one that goes."""
    return [
        scene[index]
        for index, held in enumerate(graph.holds)
        if index not in gone and any(one.index in gone for one in held)
    ]


def _leave_lists(scene: Scene, gone: Collection[int]) -> None:
    """Take nodes out of the lists that name them by their handles."""
    handles = {node.handle for i, node in scene.nodes.items() if i in gone}
    handles -= {node.handle for i, node in scene.nodes.items() if i not in gone}
    for obj, place in list(holders(scene)) if handles else ():
        if obj.index not in gone:
            place.rewrite(obj, lambda handle: None if handle in handles else handle)


def _check_holders(scene: Scene, graph: Graph, gone: Collection[int]) -> None:
    """Refuse what would leave an object without something that it needs."""
    for index, held in enumerate(graph.holds):
        if index in gone:
            continue
        for one in held:
            if one.index not in gone:
                continue
            obj = scene[index]
            needed = not one.can_be_empty
            if obj.superclass == _NODE:
                needed = needed or one.slot in (0, 1)
            elif obj.is_derived and one.slot is not None:
                needed = needed or one.slot == max(obj.references)
            if needed:
                lost = scene[one.index]
                raise EditError(
                    f"{obj.class_name} {index} stays and cannot do without "
                    f"{lost.class_name} {one.index}",
                    obj.where,
                )


def _leave_stack(obj: SceneObject, gone: Collection[int]) -> None:
    """Take modifiers out of a stack, with what the stack keeps for each."""
    slots = obj.dense_references if obj.is_derived else None
    if slots is None:
        return
    positions = [slot for slot, index in enumerate(slots[:-1]) if index in gone]
    contexts = [chunk.position for chunk in obj.chunks() if chunk.id == _CONTEXT]
    if positions and len(contexts) != len(slots) - 1:
        raise EditError("the stack does not have one context for each modifier", obj.where)
    for slot in reversed(positions):
        list(obj.chunks())[contexts[slot]].remove()
    if positions:
        kept = [index for slot, index in enumerate(slots) if slot not in positions]
        chunk = obj.find(0x2034)
        if chunk is not None:
            chunk.replace(Struct(f"<{len(kept)}i").pack(*kept))


def order_without(
    scene: Scene, gone: Collection[int], kept: Collection[int] = ()
) -> list[int | NewObject]:
    """Return the order of a scene in which empty objects stand for some of its objects.

    Free slots right in front of the Scene object are left out, since nothing moves then but it;
    up to one whose number is ``kept``, since somebody may hold it: what is added next would get it.
    """
    last = len(scene) - 1
    end = last
    while end and end - 1 in gone and end - 1 not in kept:
        end -= 1
    empty: NewObject | None = None
    order: list[int | NewObject] = []
    for index in range(end):
        if index not in gone:
            order.append(index)
            continue
        if empty is None:
            empty = NewObject(class_chunk_id(scene, TRACK_NODE), b"")
        order.append(empty)
    return [*order, last]


def gaps(scene: Scene) -> list[int]:
    """Return the storage indices of empty objects that nothing refers to.

    Real scenes have none: somebody refers to every object but nodes (measured).
    """
    return _gaps(scene, Graph.of(scene))


def _gaps(scene: Scene, graph: Graph) -> list[int]:
    held = {one.index for holds in graph.holds for one in holds}
    return [
        obj.index
        for obj in scene.of_superclass(TRACK_NODE.superclass)
        if obj.index not in held
        and obj.is_instance(TRACK_NODE.superclass, _TRACK_NODE)
        and not scene.is_container(obj.index)
        and _is_empty(scene, obj.index)
    ]


def _is_empty(scene: Scene, index: int) -> bool:
    _, _, body, end, _, _ = scene.span(index)
    return body == end


def close_gaps(scene: Scene, *, force: bool = False) -> int:
    """Take out the empty objects that deleted ones left behind; all objects behind them move up.

    Args:
        scene: The scene.
        force: Do it even if objects of classes that were not searched may hold their numbers.

    Returns:
        How many slots were closed.

    Raises:
        EditError: An object may hold a number that changes, or that of an empty object, where that
            is not known.
        DecodeError: An object holds indices in a layout that is not known.
        ChunkError: An object is damaged.
    """
    free = frozenset(gaps(scene))
    if not free:
        return 0
    last = len(scene) - 1
    moved = range(min(free), last)
    refuse_hidden(scene, moved, force=force)
    with Transaction(scene):
        renumber(scene, [index for index in range(last + 1) if index not in free])
    return len(free)
