"""Keyframe controllers: linear, Bezier and TCB, for every kind of value.

Newer float, point and colour controllers wrap their chunks in container 0x7127; older ones, and
all others, have them at the top.  Both forms occur in one file (docs/format/controllers.md §2).
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any, ClassVar, Final

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.io.views import ChunkChild, ChunkField
from maxsidecar.scene.controllers.base import (
    Controller,
    FloatController,
    Point3Controller,
    PositionController,
    RotationController,
    ScaleController,
)
from maxsidecar.scene.controllers.bodies import (
    FOREVER,
    ORT,
    FloatBody,
    KeyBody,
    Point3Body,
    PositionBody,
    RotationBody,
    ScaleBody,
    Track,
)
from maxsidecar.scene.controllers.layouts import KeyTable
from maxsidecar.scene.controllers.proofs import open_formula
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["KeyedController", "TCBRotation"]

_RANGE_UNLOCKED: Final = 0x2
_FLAGS: Final = Struct("<I")
_LOOPED_BEFORE: Final = 0x8
_LOOPED_AFTER: Final = 0x10


class KeyedController(Controller):
    """A controller with keys, or with one value for all times."""

    __slots__ = ()
    known = True
    #: Name of the key table that new keys are stored in.
    new_table: ClassVar[str] = "bezier_keys"
    nested: ClassVar[ChunkChild[Any]]

    @property
    def body(self) -> KeyBody:
        """The view that holds the chunks: this object, or the container 0x7127 in it."""
        nested = self.nested
        found = nested if isinstance(nested, KeyBody) else self
        if not isinstance(found, KeyBody):  # every registered class is both
            raise EditError("this controller class stores no keys", self.where)
        return found

    @property
    def obstacle(self) -> str | None:
        """Why this very controller cannot be evaluated."""
        try:
            problem: str | None = self.cached("problem", self._problem)
        except MaxSidecarError as error:
            return f"damaged: {error.message}"
        return problem

    @property
    def doubt(self) -> str | None:
        """Why the computed value need not be right: a formula that no file proves."""
        try:
            doubt: str | None = self.cached("doubt", self._doubt)
        except MaxSidecarError as error:
            return f"damaged: {error.message}"
        return doubt

    def _doubt(self) -> str | None:
        track = self.track
        table, data = track.table, self.key_bytes()
        if table is None or data is None or len(data) < 2 * table.layout.size:
            return None  # one key is a constant
        if (found := open_formula(table.layout, data)) is not None:
            return found
        kinds = [ORT.get(kind, str(kind)) for kind in self.out_of_range if kind != 1]
        if kinds:
            return f"out-of-range type {kinds[0]!r}, whose formula is not proved"
        types = self.body.range_types if track.types is not None else None
        return "a disabled range, which is not applied" if types and types.disabled else None

    @property
    def track(self) -> Track:
        """Where its keys and flags are, kept until the object is edited.

        Raises:
            ChunkError: The chunks are damaged.
        """
        found: Track | None = self.kept().get("track")
        if found is None:
            found = self.kept()["track"] = self.body.find_track()
        return found

    def key_bytes(self) -> memoryview | None:
        """Return the bytes of the key table; ``None`` without one, or where it holds chunks."""
        span = self.track.keys
        if span is None or span[4]:
            return None
        return memoryview(self.data.data)[span[2] : span[3]]

    def _problem(self) -> str | None:
        table = self.track.table
        if table is not None:
            data = self.key_bytes()
            if data is not None:
                table.check_times(data)
            references = self.references
            if 0 in references or 1 in references:
                return "an ease or multiplier curve, which is not decoded"
        for what in self.out_of_range:
            if what not in ORT:
                return f"unknown out-of-range type {what}"
            if self.kind in ("rotation", "scale") and what in (5, 6, 7) and table is not None:
                return f"out-of-range type {ORT[what]!r} of a {self.kind}, whose formula is open"
        return None

    @property
    def constant(self) -> bool:
        """Whether it holds one value for all times, which :meth:`set_value` changes."""
        return self.body.table() is None

    @property
    def stored(self) -> tuple[float, ...]:
        """The stored value; rotations in the usual convention."""
        value = self.body.value
        numbers: tuple[float, ...] = value if isinstance(value, tuple) else (value,)
        if self.kind in ("rotation", "scale"):
            return (*numbers[:-4], *(-n for n in numbers[-4:-1]), numbers[-1])
        return numbers

    @property
    def out_of_range(self) -> tuple[int, int]:
        """Out-of-range types before and behind the keys, see :data:`ORT`.

        Without a chunk of their own the two loop bits of the track count (measured: they are set
        exactly where the stored type is 3).
        """
        track = self.track
        types, span = track.types, track.flags
        if types is not None and types[4]:
            view = self.body.range_types
            if view is not None:
                return view.before, view.behind
        if span is not None and span[3] - span[2] == 4 and not span[4]:
            (flags,) = _FLAGS.unpack_from(self.data.data, span[2])
        else:
            flags = self.body.track_flags
        return (3 if flags & _LOOPED_BEFORE else 1), (3 if flags & _LOOPED_AFTER else 1)

    @property
    def range(self) -> tuple[int, int] | None:
        """First and last time of the range that out-of-range types repeat, ``None`` without keys.

        It is that of the keys, unless the track says that its range was moved on its own.
        """
        keys = self.keys
        if keys is None or not len(keys):
            return None
        body = self.body
        start, end = body.key_range
        if body.track_flags & _RANGE_UNLOCKED and FOREVER[0] < start < end:
            return start, end
        return int(keys["time"][0]), int(keys["time"][-1])

    @property
    def keys(self) -> npt.NDArray[np.void] | None:
        """The keys as a numpy structured array of shape (n,); ``None`` without a key table.

        The columns are those of :mod:`maxsidecar.scene.controllers.layouts`: ``time`` (int32
        ticks), ``flags``, ``value`` and what the class stores besides.  Quaternions are as stored:
        conjugates of the usual ones.  The array is a copy; assign it back to change the keys.
        Their number may change.  The cached value is then marked as valid at no time, so that
        3ds Max computes it anew.  In TCB keys the columns that follow from the values (turns,
        controls, tangents) follow a change of values, see
        :mod:`maxsidecar.scene.controllers.derived_columns`; the slopes of Bezier keys do not:
        those that are stored count, whatever the type of the key.

        Raises:
            DecodeError: The table does not have the layout that is known.
        """
        track = self.track
        if track.table is None or track.keys is None:
            return None
        from maxsidecar.scene.controllers.key_arrays import read_keys

        return read_keys(self.body, track.table.layout, track.keys[0])

    @keys.setter
    def keys(self, keys: npt.NDArray[np.void]) -> None:
        """Write the keys.

        Raises:
            EditError: Other columns, times out of order, a number that does not fit, no key at
                all, or a table that is read-only.
        """
        from maxsidecar.scene.controllers.key_arrays import write_keys

        body = self.body
        table = body.table()
        if table is None:
            declared = body.declared[self.new_table]
            if not isinstance(declared, ChunkField):
                raise EditError("this controller class stores no keys", self.where)
            table = declared
        write_keys(self, body, table, keys)

    def new_keys(self, count: int) -> npt.NDArray[np.void]:
        """Return an array of zeros for ``count`` keys, in the layout of this controller."""
        import numpy as np

        body = self.body
        table = body.table() or body.declared[self.new_table]
        if not isinstance(table, ChunkField) or not isinstance(table.codec, KeyTable):
            raise EditError("this controller class stores no keys", self.where)
        return np.zeros(count, table.codec.layout.dtype())

    def set_value(self, value: float | tuple[float, ...]) -> None:
        """Change the value of a controller without keys; rotations in the usual convention.

        The validity interval stays as it is.  Without keys it says nothing: a third of such
        controllers in real files have that of one tick, or of none, and their value holds at all
        times (docs/format/controllers.md section 2).

        Raises:
            EditError: It has keys, so the stored value is only a cache; or the value does not fit.
        """
        body = self.body
        if isinstance(value, tuple | list) and self.kind in ("rotation", "scale"):
            if len(value) != self.width:
                raise EditError("wrong number of values", expected=self.width, found=len(value))
            value = (*value[:-4], *(-n for n in value[-4:-1]), value[-1])
        type(body).value.__set__(body, value)


def _nested(view: type[KeyBody]) -> Any:
    return ChunkChild(0x7127, view, doc="where newer releases put the other chunks")


class KeyedFloat(FloatController, KeyedController, FloatBody):
    """A float controller with keys."""

    __slots__ = ()
    nested = _nested(FloatBody)


class KeyedPoint3(Point3Controller, KeyedController, Point3Body):
    """A point or colour controller with keys."""

    __slots__ = ()
    nested = _nested(Point3Body)


class KeyedPosition(PositionController, KeyedController, PositionBody):
    """A position controller with keys."""

    __slots__ = ()
    nested = _nested(PositionBody)


class KeyedRotation(RotationController, KeyedController, RotationBody):
    """A rotation controller with keys."""

    __slots__ = ()
    nested = _nested(RotationBody)


class KeyedScale(ScaleController, KeyedController, ScaleBody):
    """A scale controller with keys."""

    __slots__ = ()
    nested = _nested(ScaleBody)


@register(superclass=0x9003, class_id=(0x2001, 0))
class LinearFloat(KeyedFloat):
    """Linear Float."""

    __slots__ = ()
    new_table = "linear_keys"


@register(superclass=0x9003, class_id=(0x2007, 0))
class BezierFloat(KeyedFloat):
    """Bezier Float."""

    __slots__ = ()


@register(superclass=0x9005, class_id=(0x200A, 0))
class BezierPoint3(KeyedPoint3):
    """Bezier Point3."""

    __slots__ = ()


@register(superclass=0x9005, class_id=(0x2011, 0))
class BezierColor(KeyedPoint3):
    """Bezier Color; a position controller has the same class id."""

    __slots__ = ()


@register(superclass=0x9005, class_id=(0x442314, 0))
class TCBPoint3(KeyedPoint3):
    """TCB Point3; its keys are those of TCB Position (reported by another reader)."""

    __slots__ = ()
    new_table = "tcb_keys"


@register(superclass=0x900B, class_id=(0x2002, 0))
class LinearPosition(KeyedPosition):
    """Linear Position."""

    __slots__ = ()
    new_table = "linear_keys"


@register(superclass=0x900B, class_id=(0x2008, 0))
class BezierPosition(KeyedPosition):
    """Bezier Position."""

    __slots__ = ()


@register(superclass=0x900B, class_id=(0x442312, 0))
class TCBPosition(KeyedPosition):
    """TCB Position."""

    __slots__ = ()
    new_table = "tcb_keys"


@register(superclass=0x900C, class_id=(0x2003, 0))
class LinearRotation(KeyedRotation):
    """Linear Rotation."""

    __slots__ = ()
    new_table = "linear_keys"


@register(superclass=0x900C, class_id=(0x2009, 0))
class BezierRotation(KeyedRotation):
    """Bezier (smooth) Rotation."""

    __slots__ = ()


@register(superclass=0x900C, class_id=(0x442313, 0))
class TCBRotation(KeyedRotation):
    """TCB Rotation."""

    __slots__ = ()
    new_table = "tcb_keys"

    def turns(self) -> npt.NDArray[np.float64]:
        """Return the turn of each key since the one before: axis x, y, z and angle in radians.

        The axis has length 1 and is in world space; the sign of the angle is as stored.  A turn
        that is marked as stale is derived from the quaternions.

        Returns:
            Shape (n, 4), float64.
        """
        from maxsidecar.scene.controllers.key_arrays import turns

        return turns(self.keys)


@register(superclass=0x900D, class_id=(0x2004, 0))
class LinearScale(KeyedScale):
    """Linear Scale."""

    __slots__ = ()
    new_table = "linear_keys"


@register(superclass=0x900D, class_id=(0x2010, 0))
class BezierScale(KeyedScale):
    """Bezier Scale."""

    __slots__ = ()


@register(superclass=0x900D, class_id=(0x442315, 0))
class TCBScale(KeyedScale):
    """TCB Scale."""

    __slots__ = ()
    new_table = "tcb_keys"
