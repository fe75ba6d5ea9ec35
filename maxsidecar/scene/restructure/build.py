"""New objects, and references to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass, encode_chunks, pack_values
from maxsidecar.scene.object_list import NewObject
from maxsidecar.scene.objects import DENSE_REFERENCES, SPARSE_REFERENCES, SceneObject
from maxsidecar.scene.restructure.classes import class_chunk_id
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
        slots: Number in front of the sparse form.

    Raises:
        EditError: Something referred to is not in the scene, or the class cannot be added.
        ChunkError: An object is damaged.
    """
    trees: list[ChunkTree] = []
    if isinstance(references, Mapping):
        pairs = [n for slot in sorted(references) for n in (slot, _index(scene, references[slot]))]
        trees.append((SPARSE_REFERENCES, pack_values(f"I{len(pairs)}i", slots, *pairs)))
    elif references is not None:
        indices = [-1 if obj is None else _index(scene, obj) for obj in references]
        trees.append((DENSE_REFERENCES, pack_values(f"{len(indices)}i", *indices)))
    body = encode_chunks([*trees, *chunks], chunk_form(scene))
    with Transaction(scene):
        return append_objects(scene, [NewObject(class_chunk_id(scene, new), body)])[0]


def _index(scene: Scene, obj: SceneObject) -> int:
    if not 0 <= obj.index < len(scene) or scene[obj.index] is not obj:
        raise EditError("not an object of this scene", obj.where)
    if obj.index == len(scene) - 1:
        raise EditError("nothing refers to the Scene object", obj.where)
    return obj.index


def set_reference(obj: SceneObject, slot: int, target: SceneObject | None) -> None:
    """Make a reference slot point to an object, or to none.

    Raises:
        EditError: The target is not in the scene, there is no such slot, or the object has no
            reference list.
        DecodeError: The list does not have the layout that is known.
    """
    index = -1 if target is None else _index(obj.scene, target)
    dense, sparse = obj.dense_references, obj.sparse_references
    if dense is not None:
        if not 0 <= slot < len(dense):
            raise EditError(
                "no such slot", obj.where, expected=f"0 to {len(dense) - 1}", found=slot
            )
        chunk = obj.find(DENSE_REFERENCES)
        values = [index if number == slot else old for number, old in enumerate(dense)]
        if chunk is not None:
            chunk.replace(Struct(f"<{len(values)}i").pack(*values))
        return
    if sparse is None:
        raise EditError("the object has no reference list", obj.where)
    head, pairs = sparse
    # Pairs are sorted by slot, and an empty slot has none (measured).
    changed = {**pairs, slot: index}
    kept = {number: changed[number] for number in sorted(changed) if changed[number] >= 0}
    obj.sparse_references = (head, kept)
