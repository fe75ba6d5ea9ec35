"""What reference slots lead to, by superclass, where every slot of the corpus agrees.

1,840 nodes, 1,569 Position/Rotation/Scale controllers and the lists of 141 scenes.  A class that is
not listed may refer to anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from maxsidecar.scene.objects import SceneObject

__all__ = ["slot_kinds"]

#: Superclasses by reference slot.
_Kinds: TypeAlias = Mapping[int, frozenset[int]]


def _one(**slots: int) -> _Kinds:
    return {int(name[1:]): frozenset((superclass,)) for name, superclass in slots.items()}


#: Transform controller, material, layer.
_NODE: Final = _one(_0=0x9008, _3=0xC00, _6=0x10F0)
#: Position, rotation and scale controllers.
_PRS: Final = _one(_0=0x900B, _1=0x900C, _2=0x900D)

_BY_SUPERCLASS: Final[Mapping[int, _Kinds]] = {0x1: _NODE}
_BY_CLASS: Final[Mapping[tuple[int, int, int], _Kinds]] = {(0x2005, 0, 0x9008): _PRS}


def slot_kinds(obj: SceneObject) -> _Kinds | None:
    """Return which superclasses stand in the slots of an object, ``None`` when not known."""
    info = obj.info
    if info is None:
        return None
    found = _BY_SUPERCLASS.get(info.superclass)
    return found or _BY_CLASS.get((info.class_id.a, info.class_id.b, info.superclass))
