"""The unit of lengths in a scene.

The Scene object, the last one of every scene, holds it in chunk 0x8520: a type and a factor.
(Measured on the corpus; only scenes of R1/R2 have none.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.fields import U32, Record, f32, record_codec, u32
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.layouts import COMMON, LaidOut, Layout
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.scene import Scene

__all__ = ["INCH", "SceneSettings", "SystemUnit", "metres_per_unit", "read_unit"]

_SCENE_CLASS: Final = (0x2222, 0)
_SCENE_SUPERCLASS: Final = 0x100
_UNIT: Final = 0x8520

#: Metres of the unit that scenes without one count in.
INCH: Final = 0.0254

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


@register(superclass=_SCENE_SUPERCLASS, class_id=_SCENE_CLASS)
class SceneSettings(LaidOut):
    """The object at the end of the scene that names its parts and keeps its unit."""

    __slots__ = ()
    layout = Layout.read(
        "8500=u32 8530=u32 9000=u32 9500=u32x4 9510=u32 9600=u32 9700=mark"
        " 9700{ 0001{ 0002=u8 0003@matrix 0004=u32 0005=i32 0006=u32 0009=u32x26 } }"
        " 9800{ 0001=u32 0002=u8 } 9810=mark",
        COMMON,
    )
    ticks_per_second = ChunkField(0x8510, U32, doc="4800 in all files")
    system_unit = ChunkField(_UNIT, record_codec(UnitRecord), doc="unit of the scene")

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield a unit of a type that is not known, or that is no length."""
        yield from super().problems()
        chunk = self.find(_UNIT)
        if chunk is not None:
            try:
                _unit_of(chunk)
            except DecodeError as error:
                yield error


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
        DecodeError: The unit is of a type that is not known, or no length.
        ChunkError: The Scene object is damaged.
    """
    if not len(scene):
        return None
    obj = scene[-1]
    chunk = obj.find(_UNIT) if obj.is_instance(_SCENE_SUPERCLASS, _SCENE_CLASS) else None
    return None if chunk is None else _unit_of(chunk)


def _unit_of(chunk: Chunk) -> SystemUnit:
    try:
        record = record_codec(UnitRecord).decode(chunk.data)
    except DecodeError as error:
        where = chunk.where
        raise error.locate(file=where.file, stream=where.stream, path=where.path) from None
    if record.type >= len(_TYPES):
        raise DecodeError(
            "unknown unit of length", chunk.where, expected="0 to 6", found=record.type
        )
    name, metres = _TYPES[record.type]
    unit = SystemUnit(name, record.factor, record.factor * metres)
    if not 0.0 < unit.metres < inf:
        raise DecodeError(
            "the unit is no length", chunk.where, expected="above 0", found=record.factor
        )
    return unit


def metres_per_unit(scene: Scene) -> float:
    """Return the length of a scene unit in metres; an inch where the scene does not say.

    Raises:
        DecodeError: The unit is of a type that is not known, or no length.
        ChunkError: The Scene object is damaged.
    """
    unit = read_unit(scene)
    return unit.metres if unit is not None else INCH
