"""Copies of objects and of whole branches of the scene tree.

A copy has the bytes of its original, with new storage indices where both ends were copied: links
from a copy to something that was not copied still lead to the original.  Copies stand in the order
of their originals, in front of the Scene object.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping
from typing import Final

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import ChunkData
from maxsidecar.scene.authoring_checks import typed
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.object_list import NewObject
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.graph import Graph, subtree
from maxsidecar.scene.restructure.handles import handle_places, highest_handle
from maxsidecar.scene.restructure.hidden import hides_indices
from maxsidecar.scene.restructure.places import places_of
from maxsidecar.scene.restructure.renumber import append_objects
from maxsidecar.scene.restructure.transaction import Transaction
from maxsidecar.scene.scene import Scene

__all__ = ["clone", "clone_node"]

_NODE: Final = 0x1
#: Superclasses of objects that copies share with their originals: layers, materials, maps, and the
#: masters of rigs, which belong to the whole rig.
_SHARED: Final = frozenset((0x10F0, 0xC00, 0xC10, 0x60))
#: Reference slots of a node whose targets are its own: controllers, and the object that it shows.
_CONTROLLERS: Final = (0, 4, 5)
_OBJECT: Final = 1


def clone(obj: SceneObject, *, force: bool = False) -> SceneObject:
    """Copy an object that is no node, with what only it uses.

    Nothing refers to the copy yet: put it into a slot with
    :func:`~maxsidecar.scene.restructure.build.set_reference`.  3ds Max has no objects that nothing
    refers to.

    Raises:
        EditError: It is a node or belongs to every scene; or it holds links in a form that is not
            known (``force`` copies it all the same).
        DecodeError: An object holds indices in a layout that is not known.
        ChunkError: An object is damaged.
    """
    scene = typed(obj, "what is copied", SceneObject).scene
    if not 0 <= obj.index < len(scene) or scene[obj.index] is not obj:
        raise EditError("not an object of this scene", obj.where)
    if obj.superclass == _NODE or obj.index == len(scene) - 1:
        raise EditError("an object of this kind cannot be copied so", obj.where)
    graph = Graph.of(scene)
    chosen = _private(scene, graph, {obj.index}, set(), wanted=obj.index)
    return scene[_copy(scene, chosen, force=force)[obj.index]]


def clone_node(
    node: Node,
    *,
    parent: Node | None = None,
    name: str | None = None,
    instance: bool = False,
    children: bool = True,
    force: bool = False,
) -> Node:
    """Copy a node, and the nodes below it.

    Controllers, objects and custom attributes are copied with all that only they use; materials and
    layers are shared.  Each copy has a handle that no other node has.

    Args:
        node: The node.
        parent: Parent of the copy; ``None`` for that of the node.
        name: Name of the copy; ``None`` for that of the node.  Names below it stay as they are.
        instance: Show the same objects instead of copies.
        children: Copy the nodes below it, too.
        force: Copy objects that hold links in a form that is not known; these links still lead to
            the parts of the original.

    Raises:
        EditError: It is the root node, or holds links in a form that is not known.
        DecodeError: An object holds indices in a layout that is not known.
        ChunkError: An object is damaged.
    """
    scene = typed(node, "what is copied", Node).scene
    if isinstance(node, RootNode) or scene.nodes.get(node.index) is not node:
        raise EditError("only a node of the scene can be copied, not the root", node.where)
    if parent is not None and (
        scene.nodes.get(typed(parent, "the new parent", Node).index) is not parent
    ):
        raise EditError("the new parent is not a node of this scene", parent.where)
    graph = Graph.of(scene)
    nodes = subtree(scene, [node]) if children else {node.index}
    parts: set[int] = set()
    shown: set[int] = set()
    for index in nodes:
        for held in graph.holds[index]:
            if held.slot == _OBJECT:
                shown.add(held.index)
            elif held.slot in _CONTROLLERS or (held.slot is None and held.owns):
                parts.add(held.index)
    shared = shown if instance else set()
    chosen = _private(scene, graph, (parts | shown) - shared, nodes, shared)
    parents = {} if parent is None else {node.index: parent.index}
    names = {} if name is None else {node.index: name}
    return scene.node(_copy(scene, chosen, parents, names, force=force)[node.index])


def _private(
    scene: Scene,
    graph: Graph,
    parts: Iterable[int],
    nodes: Collection[int],
    shared: Collection[int] = (),
    wanted: int | None = None,
) -> set[int]:
    """Return what is to be copied: nodes, some parts of theirs, and what only these use.

    ``wanted`` is copied even when it is of a kind that copies share otherwise.
    """
    last = len(scene) - 1
    stop = _Fence(scene, nodes, {*shared, last, *graph.owned(last)}, wanted)
    seeds = {index for index in parts if index not in stop}
    # Stacks stand on objects that others may use, too; they are copied all the same.
    todo = list(seeds)
    while todo:
        obj = scene[todo.pop()]
        slots = obj.references if obj.is_derived else {}
        base = slots[max(slots)] if slots else None
        if base is not None and base < len(scene) and base not in seeds and base not in stop:
            seeds.add(base)
            todo.append(base)
    return graph.only_used_by({*seeds, *nodes}, stop)


class _Fence(Container[int]):
    """Objects that are not copied; looked at when asked for, since a scene may have many."""

    def __init__(
        self, scene: Scene, nodes: Collection[int], fixed: Collection[int], wanted: int | None
    ) -> None:
        self._scene = scene
        self._nodes = nodes
        self._fixed = fixed
        self._wanted = wanted

    def __contains__(self, index: object) -> bool:
        if index == self._wanted or not isinstance(index, int):
            return False
        superclass = self._scene[index].superclass
        if index in self._fixed or superclass in _SHARED:
            return True
        return superclass == _NODE and index not in self._nodes


def _copy(
    scene: Scene,
    chosen: set[int],
    parents: Mapping[int, int] | None = None,
    names: Mapping[int, str] | None = None,
    *,
    force: bool,
) -> dict[int, int]:
    """Append copies; returns the storage index of each copy by that of its original."""
    last = len(scene) - 1
    order = sorted(chosen)
    if not force:
        for index in order:
            if hides_indices(scene[index]):
                raise EditError("its links are not understood, so no copy", scene[index].where)
    copies = {index: last + number for number, index in enumerate(order)}
    # The copies push the Scene object back.
    moved = {**copies, last: last + len(order)}
    handles, renamed = _new_handles(scene, order)
    new: list[NewObject] = []
    for index in order:
        draft = _draft(scene[index])
        _relink(draft, moved)
        # A copied light leaves out the copies of nodes where it left out the originals.
        for place in handle_places(draft):
            place.rewrite(draft, lambda handle: renamed.get(handle, handle))
        if isinstance(draft, Node):
            _adapt(draft, (parents or {}).get(index), (names or {}).get(index), handles.get(index))
        new.append(NewObject(scene.chunk_id(index), bytes(draft.data.data)))
    with Transaction(scene):
        append_objects(scene, new)
    return copies


def _draft(obj: SceneObject) -> SceneObject:
    """Return a view of an object's bytes that can be changed without changing the object."""
    data = ChunkData(obj.data.data, obj.data.base, obj.data.where, form=obj.data.form)
    return type(obj)(obj.scene, obj.index, obj.info, data)


def _new_handles(scene: Scene, order: Iterable[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return handles that nobody has: by the index of each node that is copied, by its old one."""
    by_index: dict[int, int] = {}
    by_handle: dict[int, int] = {}
    new = highest_handle(scene)
    for index in order:
        old = scene.nodes[index].handle if index in scene.nodes else None
        if old is not None:
            new += 1
            by_index[index] = new
            by_handle.setdefault(old, new)
    return by_index, by_handle


def _adapt(draft: Node, parent: int | None, name: str | None, handle: int | None) -> None:
    """Give the copy of a node its parent, name and handle."""
    link = draft.parent_link
    if parent is not None:
        if link is None:
            raise EditError("the node does not store a parent", draft.where)
        draft.parent_link = link.replace(parent=parent)
    if name is not None:
        draft.name = name
    if handle is not None:
        draft.handle = handle


def _relink(draft: SceneObject, moved: Mapping[int, int]) -> None:
    for place in reversed(places_of(draft)):
        place.rewrite(draft, lambda index: moved.get(index, index))
