"""The unit of lengths in a scene.

The Scene object, the last one of every scene, holds it in chunk 0x8520: a type and a factor.
(Measured on the corpus; only scenes of R1/R2 have none.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import DecodeError
from maxsidecar.io.fields import Record, f32, record_codec, u32

if TYPE_CHECKING:
    from maxsidecar.scene.scene import Scene

__all__ = ["SystemUnit", "read_unit"]

_SCENE_CLASS: Final = (0x2222, 0)
_SCENE_SUPERCLASS: Final = 0x100
_UNIT: Final = 0x8520

#: Name and metres of each unit type.
_TYPES: Final = (
    ("inches", 0.0254),
    ("feet", 0.3048),
    ("miles", 1609.344),
    ("millimetres", 0.001),
    ("centimetres", 0.01),
    ("metres", 1.0),
    ("kilometres", 1000.0),
)


class UnitRecord(Record):
    """The stored form."""

    type: int = u32(doc="0 inch, 1 foot, 2 mile, 3 mm, 4 cm, 5 m, 6 km")
    factor: float = f32(default=1.0, doc="how many of that a scene unit is")


@dataclass(frozen=True, slots=True)
class SystemUnit:
    """What one unit of length in the scene is.

    Attributes:
        name: The unit, such as ``"metres"``.
        factor: How many of it.
        metres: The length in metres.
    """

    name: str
    factor: float
    metres: float


def read_unit(scene: Scene) -> SystemUnit | None:
    """Return the unit of a scene, ``None`` where it is not stored.

    Raises:
        DecodeError: The unit is of a type that is not known.
    """
    if not len(scene):
        return None
    obj = scene[-1]
    chunk = obj.find(_UNIT) if obj.is_instance(_SCENE_SUPERCLASS, _SCENE_CLASS) else None
    if chunk is None:
        return None
    record = record_codec(UnitRecord).decode(chunk.data)
    if record.type >= len(_TYPES):
        raise DecodeError(
            "unknown unit of length", chunk.where, expected="0 to 6", found=record.type
        )
    name, metres = _TYPES[record.type]
    return SystemUnit(name, record.factor, record.factor * metres)
