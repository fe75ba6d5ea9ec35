"""What reference slots lead to, by superclass, where every slot of the corpus agrees.

Counted on the reference lists of 141 scenes: 1,840 nodes, 1,569 Position/Rotation/Scale, 1,274
Euler XYZ, 1,314 Position XYZ and 354 Scale XYZ controllers, 39 LookAt controllers, 227 modifiers in
stacks, 3,479 Standard and 62 Multi/Sub-Object materials, 285 lists of maps, 456 bitmap textures.  A
class that is not listed may refer to anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from maxsidecar.errors import EditError, Where
from maxsidecar.scene.objects import SceneObject

__all__ = [
    "NO_NODES",
    "SHOWN",
    "check_kind",
    "check_slot",
    "kinds_of_class",
    "slot_kinds",
    "stack_kinds",
]

#: Superclasses by reference slot.
_Kinds: TypeAlias = Mapping[int, frozenset[int]]


def _one(**slots: int) -> dict[int, frozenset[int]]:
    return {int(name[1:]): frozenset((superclass,)) for name, superclass in slots.items()}


#: What nodes show: geometry, cameras, lights, shapes, helpers and modifier stacks (measured on
#: 1,840 nodes), and systems.
SHOWN: Final = frozenset((0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x1F0))
#: Modifiers of object space (227 of 227) and of world space.
_MODIFIERS: Final = frozenset((0x810, 0x820))

#: Transform controller, what it shows, material, layer.
_NODE: Final = {1: SHOWN, **_one(_0=0x9008, _3=0xC00, _6=0x10F0)}
#: Position, rotation and scale controllers.
_PRS: Final = _one(_0=0x900B, _1=0x900C, _2=0x900D)
_PRS_ID: Final = (0x2005, 0, 0x9008)
#: One controller of numbers for each axis.
_XYZ: Final = _one(_0=0x9003, _1=0x9003, _2=0x9003)
#: Target, position, roll, scale.
_LOOK_AT: Final = _one(_0=0x1, _1=0x900B, _2=0x9003, _3=0x900D)
_BLOCK: Final = frozenset((0x82,))
#: List of maps (of another superclass in R1/R2), shader, blocks, sampler.
_STANDARD: Final = {
    1: frozenset((0x1080, 0x100)),
    **dict.fromkeys(range(3, 8), _BLOCK),
    **_one(_2=0x10B0, _8=0x1110),
}
#: A block, which R1/R2 does not have, and up to a thousand materials.
_MULTI: Final = {
    0: frozenset((0x82, 0xC00)),
    **dict.fromkeys(range(1, 1001), frozenset((0xC00,))),
}
#: Amount and map by turns, from slot 2 on.
_MAPS: Final = {slot: frozenset((0xC10 if slot % 2 else 0x9003,)) for slot in range(2, 100)}
#: Mapping coordinates.
_BITMAP: Final = _one(_0=0xC20)
_NODE_ID: Final = (1, 0, 0x1)

_BY_SUPERCLASS: Final[Mapping[int, _Kinds]] = {0x1: _NODE}
_BY_CLASS: Final[Mapping[tuple[int, int, int], _Kinds]] = {
    _PRS_ID: _PRS,
    (0x2006, 0, 0x9008): _LOOK_AT,
    (0x2012, 0, 0x900C): _XYZ,
    (0x118F7E02, 0xFFEE238A, 0x900B): _XYZ,
    (0x118F7C01, 0xFEEE238B, 0x900D): _XYZ,
    (2, 0, 0xC00): _STANDARD,
    (0x200, 0, 0xC00): _MULTI,
    (0x1200, 0, 0x1080): _MAPS,
    (0x240, 0, 0xC10): _BITMAP,
}
#: Superclasses none of whose many references (some 400 at least, mostly thousands) leads to a node.
#: A plug-in may have one that does, so this tells what is odd, not what is wrong.
NO_NODES: Final = frozenset((
    0x1, 0x8, 0x10, 0xC00, 0xC10, 0xC20, 0xC40, 0x1080, 0x10B0, 0x1110, 0x1160,
    0x9003, 0x900B, 0x900C, 0x900D,
))  # fmt: skip
#: Slots that no object of the class leaves empty (measured on 1,840 nodes and 1,569 controllers).
_NEEDED: Final = {_NODE_ID: (0, 1), _PRS_ID: (0, 1, 2)}


def kinds_of_class(a: int, b: int, superclass: int) -> _Kinds | None:
    """Return which superclasses stand in the slots of a class, ``None`` when not known."""
    return _BY_SUPERCLASS.get(superclass) or _BY_CLASS.get((a, b, superclass))


def slot_kinds(obj: SceneObject) -> _Kinds | None:
    """Return which superclasses stand in the slots of an object, ``None`` when not known."""
    info = obj.info
    if info is None:
        return None
    return kinds_of_class(info.class_id.a, info.class_id.b, info.superclass)


def stack_kinds(obj: SceneObject) -> _Kinds:
    """Return which superclasses stand in the slots of a modifier stack: the object comes last.

    Raises:
        DecodeError: The reference list has an impossible size.
    """
    last = len(obj.dense_references or ()) - 1
    return {**dict.fromkeys(range(last), _MODIFIERS), last: SHOWN}


def check_slot(obj: SceneObject, slot: int, target: SceneObject | None) -> None:
    """Refuse what no object of the corpus has in a reference slot.

    Raises:
        EditError: The target is of another superclass, or the slot is never empty.
    """
    from maxsidecar.scene.params.block2 import ParamBlock2

    kinds, needed = slot_kinds(obj) or {}, False
    info = obj.info
    if info is not None:
        identity = (info.class_id.a, info.class_id.b, info.superclass)
        needed = slot in _NEEDED.get(identity, ())
    if obj.is_derived:
        kinds, needed = stack_kinds(obj), True
    if target is None:
        if needed:
            raise EditError(f"{obj.class_name}: slot {slot} is never empty", obj.where)
        return
    check_kind(kinds, slot, target, obj.where)
    if isinstance(obj, ParamBlock2):
        problem = obj.slot_problem(slot, target)
        if problem is not None:
            raise EditError(
                problem.message, obj.where, expected=problem.expected, found=problem.found
            )


def check_kind(kinds: _Kinds, slot: int, target: SceneObject, where: Where) -> None:
    """Refuse a target of another superclass than stands in a slot."""
    wanted = kinds.get(slot)
    if wanted is not None and target.superclass not in wanted:
        raise EditError(
            f"slot {slot} leads to something else",
            where,
            expected=" or ".join(f"superclass {one:x}" for one in sorted(wanted)),
            found=f"{target.class_name} ({target.superclass or 0:x})",
        )
