"""Controllers that put others together: transforms, three axes, lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from maxsidecar.errors import DecodeError
from maxsidecar.io.codecs import F32, I32, U8, U32, Array
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView
from maxsidecar.scene.controllers.base import (
    Controller,
    FloatController,
    Point3Controller,
    Point4Controller,
    PositionController,
    RotationController,
    ScaleController,
    TransformController,
)
from maxsidecar.scene.controllers.bodies import ORT, OutOfRange
from maxsidecar.scene.controllers.weights import MAX_ENTRIES, averages, list_weights
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

__all__ = [
    "PRS",
    "EulerXYZ",
    "InheritOffset",
    "ListController",
    "LookAt",
    "TripleController",
]

#: Bits of the inheritance flags: what a node does **not** take from its parent.
MOVE: Final = 0x007
ROTATE: Final = 0x038
SCALE: Final = 0x1C0


class InheritOffset(ChunkView):
    """Offset kept with switched-off inheritance (open)."""

    __slots__ = ()
    matrix = ChunkField(0x03E8, Array(F32, 12), doc="three rows and a position")
    flags = ChunkField(0x03F2, U32, doc="open")


class _Assembled(Controller):
    """A controller that computes its value of those of others only."""

    __slots__ = ()
    known = True
    range_types = ChunkChild(0x8499, OutOfRange, doc="seen once; not taken into account")

    @property
    def doubt(self) -> str | None:
        """Why the computed value need not be right."""
        return self.lost_part or self._outside()

    def _outside(self) -> str | None:
        """Return what it would do outside its range, were that known of such a controller."""
        types = self.range_types
        if types is None or (types.before, types.behind) == (1, 1):
            return None
        before, behind = (ORT.get(kind, str(kind)) for kind in (types.before, types.behind))
        return f"out-of-range types {before!r} and {behind!r} of its own, which are not applied"


class _Inheriting(_Assembled, TransformController):
    """Flags of inheritance, which transform controllers keep."""

    __slots__ = ()
    inheritance = ChunkField(
        0x7230, U32, default=0, doc="bit set: not inherited; 3 each for move, rotate, scale"
    )
    inheritance_copy = ChunkField(0x7231, U32, default=0, doc="same value where seen")
    inherit_offset = ChunkChild(0x7232, InheritOffset)

    @property
    def doubt(self) -> str | None:
        """Why the computed value need not be right.

        That all three bits of scale are set together is proved, and nothing else about the flags.
        """
        flags = self.inheritance & (MOVE | ROTATE | SCALE)
        if flags & (MOVE | ROTATE) or flags & SCALE not in (0, SCALE):
            return f"does not inherit {_named(flags)}, whose effect is not proved"
        if self.inherit_offset is not None:
            return "an offset for what is not inherited, which is not applied"
        return super().doubt


def _named(flags: int) -> str:
    """Return inheritance flags in words: ``move z, rotate x y z``."""
    groups = []
    for number, name in enumerate(("move", "rotate", "scale")):
        axes = [axis for bit, axis in enumerate("xyz") if flags >> (3 * number + bit) & 1]
        if axes:
            groups.append(" ".join([name, *axes]))
    return ", ".join(groups)


@register(superclass=0x9008, class_id=(0x2005, 0))
class PRS(_Inheriting):
    """Position, rotation and scale."""

    __slots__ = ()
    slots = (0, 1, 2)

    @property
    def position(self) -> Controller | None:
        """The position controller."""
        return self.part(0)

    @property
    def rotation(self) -> Controller | None:
        """The rotation controller."""
        return self.part(1)

    @property
    def scale(self) -> Controller | None:
        """The scale controller."""
        return self.part(2)


@register(superclass=0x9008, class_id=(0x2006, 0))
class LookAt(_Inheriting):
    """Look At: turns its node's -Z axis towards a target node."""

    __slots__ = ()
    slots = (1, 2, 3)
    axis = ChunkField(0x0100, U32, default=2, doc="axis that looks; 2 = Z in all files")
    flip = ChunkField(0x0201, U8, default=0, doc="look the other way; 0 in all files")

    @property
    def target(self) -> int | None:
        """Storage index of the target node."""
        index = self.references.get(0)
        return index if index is not None and index < len(self.scene) else None

    @property
    def position(self) -> Controller | None:
        """The position controller."""
        return self.part(1)

    @property
    def roll(self) -> Controller | None:
        """The roll controller: radians about the looking axis."""
        return self.part(2)

    @property
    def scale(self) -> Controller | None:
        """The scale controller."""
        return self.part(3)

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be evaluated: an axis that no file proves, or no target."""
        if self.axis != 2 or self.flip:
            return f"looks along axis {self.axis}, flip {self.flip}, which is not proved"
        if self.target is None:
            return "has no target"
        return None


class TripleController(_Assembled):
    """Three float controllers, one per axis."""

    __slots__ = ()
    slots = (0, 1, 2)
    #: What an empty slot gives.
    missing: ClassVar[float] = 0.0


@register(superclass=0x900B, class_id=(0x118F7E02, 0xFFEE238A))
class PositionXYZ(TripleController, PositionController):
    """Position XYZ."""

    __slots__ = ()


@register(superclass=0x9005, class_id=(0x118F7E02, 0xFEEE238B))
class Point3XYZ(TripleController, Point3Controller):
    """Point3 XYZ."""

    __slots__ = ()


@register(superclass=0x9005, class_id=(0x118F7C01, 0xFEEE238A))
class ColorRGB(TripleController, Point3Controller):
    """Color RGB."""

    __slots__ = ()


@register(superclass=0x900D, class_id=(0x118F7C01, 0xFEEE238B))
class ScaleXYZ(TripleController, ScaleController):
    """ScaleXYZ; the scale frame is not rotated."""

    __slots__ = ()
    missing = 1.0


@register(superclass=0x900C, class_id=(0x2012, 0))
class EulerXYZ(TripleController, RotationController):
    """Euler XYZ: angles about x, y and z in radians.  Not conjugated, unlike quaternions."""

    __slots__ = ()
    axis_order = ChunkField(0x1003, I32, default=0, doc="order of the axes; 0 = XYZ in all files")

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be evaluated."""
        order = self.axis_order
        return None if 0 <= order < 9 else f"unknown axis order {order}"

    @property
    def doubt(self) -> str | None:
        """Why the computed value need not be right: only order 0 is proved."""
        order = self.axis_order
        return f"axis order {order}, which is not proved" if order else super().doubt


class ListController(_Assembled):
    """A list of controllers whose values add up by weight."""

    __slots__ = ()
    count = ChunkField(0x1010, I32, default=0, doc="number of entries")
    active = ChunkField(0x1020, I32, default=0, doc="entry that the user edits")

    def _count(self) -> int:
        count = self.count
        if not 0 <= count <= MAX_ENTRIES:
            raise DecodeError("a list has an impossible number of entries", self.where, found=count)
        return count

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be evaluated.

        Raises:
            DecodeError: The stored number of entries is impossible.
        """
        self._count()
        return None

    @property
    def doubt(self) -> str | None:
        """Why the computed value need not be right: averages and other weights are not proved."""
        count = self._count()
        if not count:
            return None
        if averages(self._block()):
            return "averages its entries, which is not applied"
        if any(weight not in (0.0, 1.0) for weight in self.weights()):
            return "weights its entries, in a way that is not proved"
        return super().doubt

    def part_slots(self) -> Iterable[int]:
        """Return the slots of the entries.

        Raises:
            DecodeError: The stored number of entries is impossible.
        """
        return range(self._count())

    def entries(self) -> list[Controller | None]:
        """Return the entries in order; ``None`` for an empty one.

        Raises:
            DecodeError: The stored number of entries is impossible.
        """
        return [self.part(slot) for slot in range(self._count())]

    def weights(self) -> list[float | Controller]:
        """Return the weight of each entry: a number, or the controller that animates it.

        Lists before release 5 have no weights; all are 1 then.

        Raises:
            DecodeError: They are not stored as is known.
        """
        return list_weights(self._block(), self._count())

    def _block(self) -> SceneObject | None:
        slot = self._count() + 2
        found = self.reference(slot)
        if found is None and slot in self.references:
            raise DecodeError(f"slot {slot} of a list leads to no object", self.where)
        return found

    def parts(self) -> Iterator[Controller]:
        """Yield the entries and the controllers of their weights."""
        yield from super().parts()
        yield from (weight for weight in self.weights() if isinstance(weight, Controller))


@register(superclass=0x9003, class_id=(0x4B4B1000, 0))
class FloatList(ListController, FloatController):
    """Float List."""

    __slots__ = ()


@register(superclass=0x9005, class_id=(0x4B4B1001, 0))
class Point3List(ListController, Point3Controller):
    """Point3 List."""

    __slots__ = ()


@register(superclass=0x900B, class_id=(0x4B4B1002, 0))
class PositionList(ListController, PositionController):
    """Position List."""

    __slots__ = ()


@register(superclass=0x900C, class_id=(0x4B4B1003, 0))
class RotationList(ListController, RotationController):
    """Rotation List."""

    __slots__ = ()


@register(superclass=0x900D, class_id=(0x4B4B1004, 0))
class ScaleList(ListController, ScaleController):
    """Scale List."""

    __slots__ = ()


@register(superclass=0x9012, class_id=(0x4B4B1005, 0))
class Point4List(ListController, Point4Controller):
    """Point4 List."""

    __slots__ = ()
