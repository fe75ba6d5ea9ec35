"""Lists of objects that come with a count: reference slots, and a number that must agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError
from maxsidecar.io.fields import U32
from maxsidecar.scene.appdata import APPDATA
from maxsidecar.scene.objects import DENSE_REFERENCES, SPARSE_REFERENCES, SceneObject

__all__ = ["count_problems", "slots_of", "write_members"]


def slots_of(obj: SceneObject) -> int:
    """Return how many reference slots an object has; of a sparse list, up to the last one."""
    dense = obj.dense_references
    if dense is not None:
        return len(dense)
    sparse = obj.sparse_references
    return max(sparse[1], default=-1) + 1 if sparse is not None else 0


def write_members(
    obj: SceneObject, members: Sequence[SceneObject | None], kind: type[SceneObject], count: int
) -> None:
    """Make an object refer to some others, in this order, and write their number.

    Args:
        obj: The object.
        members: What it refers to, slot by slot; ``None`` for an empty slot.
        kind: What they have to be.
        count: Id of the chunk with their number; it stays absent where it is.

    Raises:
        EditError: One of them is of another kind, or not in the scene of the object; or the object
            does not store the list as is known.
    """
    indices = [-1 if member is None else _index(obj, member, kind) for member in members]
    number = obj.find(count)
    if number is not None and (number.container or len(number.data) != 4):
        raise EditError("the number of members is not stored as is known", obj.where)
    sparse = obj.find(SPARSE_REFERENCES)
    if sparse is not None:
        pairs = {slot: index for slot, index in enumerate(indices) if index >= 0}
        obj.sparse_references = (len(indices), pairs)
    else:
        body = Struct(f"<{len(indices)}i").pack(*indices)
        dense = obj.find(DENSE_REFERENCES)
        if dense is not None:
            dense.replace(body)
        else:
            obj.insert(DENSE_REFERENCES, body, (APPDATA,))
    number = obj.find(count)
    if number is not None:
        number.replace(U32.encode(len(indices)))


def _index(obj: SceneObject, member: SceneObject, kind: type[SceneObject]) -> int:
    scene = obj.scene
    if not isinstance(member, kind):
        raise EditError(f"not a {kind.__name__}", obj.where, found=repr(member))
    if not 0 <= member.index < len(scene) or scene[member.index] is not member:
        raise EditError("not an object of this scene", member.where)
    return member.index


def count_problems(
    obj: SceneObject, kind: type[SceneObject], count: int | None
) -> Iterator[MaxSidecarError]:
    """Yield slots that lead to anything else than a kind, and a number that does not agree.

    Args:
        obj: The object.
        kind: What its slots lead to; a slot may be empty.
        count: The stored number, ``None`` where there is none.

    Raises:
        DecodeError: The reference list cannot be read.
    """
    for slot in sorted(obj.references):
        if not isinstance(obj.reference(slot), kind):
            yield DecodeError(
                f"reference slot {slot} leads to something else",
                obj.where,
                expected=kind.__name__,
                found=obj.references[slot],
            )
    if count is not None and count != slots_of(obj):
        yield DecodeError(
            "the number of members is another one", obj.where, expected=count, found=slots_of(obj)
        )
