"""New objects, and references to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_checks import bits, items, mapping, typed
from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass, encode_chunks, pack_values
from maxsidecar.scene.authoring_store import slot_number
from maxsidecar.scene.object_list import NewObject
from maxsidecar.scene.objects import DENSE_REFERENCES, SPARSE_REFERENCES, SceneObject
from maxsidecar.scene.restructure.classes import class_chunk_id
from maxsidecar.scene.restructure.graph import Graph
from maxsidecar.scene.restructure.kinds import check_kind, check_slot, kinds_of_class
from maxsidecar.scene.restructure.renumber import append_objects, chunk_form
from maxsidecar.scene.restructure.transaction import Transaction
from maxsidecar.scene.scene import Scene

__all__ = ["add_object", "set_reference"]


def add_object(
    scene: Scene,
    new: NewClass,
    chunks: Sequence[ChunkTree] = (),
    references: Sequence[SceneObject | None] | Mapping[int, SceneObject] | None = None,
    *,
    slots: int = 2,
) -> SceneObject:
    """Put a new object in front of the Scene object; no other object is renumbered.

    Args:
        scene: The scene.
        new: Its class; the directories gain an entry when the scene has no such class yet.
        chunks: Its chunks behind the reference list.  Layouts differ between releases.
        references: What it refers to: a list gives each slot, a mapping gives slot to object (the
            sparse form), ``None`` writes no list.
        slots: Number in front of the sparse form, which is more than the last slot.

    Raises:
        EditError: Something referred to is not in the scene or of a class that never stands in
            its slot, the chunks are none, or the class cannot be added.
        ChunkError: An object is damaged.
    """
    typed(new, "the class of an object", NewClass)
    trees: list[ChunkTree] = []
    targets: Mapping[int, SceneObject | None] = {}
    if isinstance(references, Mapping):
        bits(slots, "the number of slots")
        targets = mapping(references, "the references", slot_number)
        # No slot of 25,148 lists is as large as the number in front (measured).
        slots = max(slots, max(targets, default=-1) + 1)
        pairs = [n for slot in sorted(targets) for n in (slot, _index(scene, targets[slot]))]
        trees.append((SPARSE_REFERENCES, pack_values(f"I{len(pairs)}i", slots, *pairs)))
    elif references is not None:
        targets = dict(enumerate(items(references, "the references")))
        indices = [-1 if obj is None else _index(scene, obj) for obj in targets.values()]
        trees.append((DENSE_REFERENCES, pack_values(f"{len(indices)}i", *indices)))
    kinds = kinds_of_class(new.a, new.b, new.superclass) or {}
    for slot, target in targets.items():
        if target is not None:
            check_kind(kinds, slot, target, scene.where)
    body = encode_chunks([*trees, *items(chunks, "the chunks")], chunk_form(scene))
    with Transaction(scene):
        return append_objects(scene, [NewObject(class_chunk_id(scene, new), body)])[0]


def _index(scene: Scene, obj: SceneObject | None) -> int:
    obj = typed(obj, "what is referred to", SceneObject)
    if not 0 <= obj.index < len(scene) or scene[obj.index] is not obj:
        raise EditError("not an object of this scene", obj.where)
    if obj.index == len(scene) - 1:
        raise EditError("nothing refers to the Scene object", obj.where)
    return obj.index


def _check(obj: SceneObject, slot: int, target: SceneObject | None) -> None:
    """Refuse a target that cannot stand in a slot, or that the object is a part of."""
    check_slot(obj, slot, target)
    if target is None:
        return
    # Rings through nodes are nothing odd: monitors watch the nodes that keep them.
    nodes = obj.scene.nodes
    if target is obj or (
        target.index not in nodes
        and obj.index in Graph.of(obj.scene, lenient=True).below([target.index], nodes)
    ):
        raise EditError("an object cannot hold itself", obj.where, found=target.class_name)


def set_reference(obj: SceneObject, slot: int, target: SceneObject | None) -> None:
    """Make a reference slot point to an object, or to none.

    Raises:
        EditError: The target is not in the scene, of a class that never stands there, or holds the
            object itself; the slot is never empty; there is no such slot, or the object has no
            reference list.
        DecodeError: The list does not have the layout that is known.
        ChunkError: An object is damaged.
    """
    typed(obj, "the object", SceneObject)
    slot = slot_number(slot)
    index = -1 if target is None else _index(obj.scene, target)
    dense, sparse = obj.dense_references, obj.sparse_references
    if dense is not None:
        if not 0 <= slot < len(dense):
            raise EditError(
                "no such slot", obj.where, expected=f"0 to {len(dense) - 1}", found=slot
            )
        _check(obj, slot, target)
        chunk = obj.find(DENSE_REFERENCES)
        values = [index if number == slot else old for number, old in enumerate(dense)]
        if chunk is not None:
            chunk.replace(Struct(f"<{len(values)}i").pack(*values))
        return
    if sparse is None:
        raise EditError("the object has no reference list", obj.where)
    head, pairs = sparse
    if slot >= head and slot not in pairs:
        raise EditError("no such slot", obj.where, expected=f"0 to {head - 1}", found=slot)
    _check(obj, slot, target)
    # Pairs are sorted by slot, and an empty slot has none (measured).
    changed = {**pairs, slot: index}
    kept = {number: changed[number] for number in sorted(changed) if changed[number] >= 0}
    obj.sparse_references = (head, kept)
