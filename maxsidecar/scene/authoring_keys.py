"""Controllers with keys for new scenes.

Keys are those of :mod:`maxsidecar.scene.controllers.layouts`.  Chunks of Bezier Float are measured
on controllers with keys of root id 2009, of Bezier Scale on those of 200a, of the linear ones on
those of 2006; the key selections between them, which came later, are those of every keyframe
controller of 2009.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from typing import Any, Final, Literal, TypeAlias

from maxsidecar.errors import EditError
from maxsidecar.scene.authoring_checks import mapping, numbers, text, whole
from maxsidecar.scene.authoring_chunks import ChunkTree, NewClass, pack_values
from maxsidecar.scene.controllers import layouts
from maxsidecar.scene.controllers.layouts import KeyLayout, KeyRow, KeyTable

__all__ = [
    "LINEAR_POSITION",
    "LINEAR_ROTATION",
    "Curve",
    "TransformKeys",
    "bezier_float_keys",
    "bezier_scale_keys",
    "linear_position_keys",
    "linear_rotation_keys",
]

LINEAR_POSITION: Final = NewClass("Linear Position", 0x2002, 0, 0x900B)
LINEAR_ROTATION: Final = NewClass("Linear Rotation", 0x2003, 0, 0x900C)

#: How values run between keys: on a straight line, or easing out of one and into the next.
Curve: TypeAlias = Literal["linear", "ease"]
#: Values by time in ticks, 4800 a second.
Values: TypeAlias = Mapping[int, Sequence[float]]

#: Types of both sides of a Bezier key: 1 linear, or 5 custom with the slopes that are stored.
_BEZIER_FLAGS: Final = {"linear": 0x0480, "ease": 0x1680}
#: Length of a handle, and that of one without a segment (measured).
_THIRD: Final = 0.3333
_UNSET: Final = -1.0
_IDENTITY: Final = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class TransformKeys:
    """Keys of a transform controller: values by time in ticks, 4800 a second.

    Attributes:
        position: Positions, 3 numbers; none for a position without keys.
        rotation: Rotations as unit quaternions x, y, z, w, counter-clockwise; they run on the
            shortest arc.
        euler: Rotations as X, Y and Z angles in radians instead, which may go round more than once.
        scale: Scale factors along the object's axes, 3 numbers.
        curve: ``linear`` or ``ease``; rotations given as quaternions are always linear.
    """

    position: Values = field(default_factory=dict)
    rotation: Values = field(default_factory=dict)
    euler: Values = field(default_factory=dict)
    scale: Values = field(default_factory=dict)
    curve: Curve = "linear"

    def __post_init__(self) -> None:
        """Check what the key tables cannot.

        Raises:
            EditError: Numbers are missing or not finite, both kinds of rotation are given, or the
                curve is not known.
        """
        for name, count in (("position", 3), ("rotation", 4), ("euler", 3), ("scale", 3)):
            values = mapping(getattr(self, name), f"the keys of {name}", _time)
            checked = {t: numbers(row, f"a key of {name}", count) for t, row in values.items()}
            object.__setattr__(self, name, checked)
        if self.rotation and self.euler:
            raise EditError("rotation keys are quaternions or angles, not both")
        if text(self.curve, "the curve") not in _BEZIER_FLAGS:
            raise EditError("unknown curve", expected=list(_BEZIER_FLAGS), found=self.curve)


def _time(value: Any) -> int:
    return whole(value, "the time of a key", -(2**31), 2**31 - 1)


def bezier_float_keys(values: Mapping[int, float], curve: Curve) -> list[ChunkTree]:
    """Return a float controller with at least one key."""
    keys = []
    rows = _bezier_rows({time: (value,) for time, value in values.items()}, curve)
    for time, flags, *columns in rows:
        keys.append((time, flags, *(column[0] for column in columns)))
    return _keyed(0x2501, 0x2525, layouts.BEZIER_FLOAT, keys, 4)


def bezier_scale_keys(values: Values, curve: Curve) -> list[ChunkTree]:
    """Return a scale controller with at least one key; every frame is the object's own."""
    keys = []
    for time, flags, *columns in _bezier_rows(values, curve):
        framed = (part for column in columns for part in (column, _IDENTITY))
        keys.append((time, flags, *framed))
    return _keyed(0x2505, 0x2528, layouts.BEZIER_SCALE, keys, 4)


def linear_position_keys(values: Values) -> list[ChunkTree]:
    """Return a linear position controller with at least one key."""
    keys = [(time, 0, _floats(values[time])) for time in sorted(values)]
    return _keyed(0x2503, 0x2513, layouts.LINEAR_POSITION, keys, 0)


def linear_rotation_keys(values: Values) -> list[ChunkTree]:
    """Return a linear rotation controller with at least one key; files hold conjugates.

    Raises:
        EditError: A quaternion is 0.
    """
    keys: list[KeyRow] = []
    for time in sorted(values):
        x, y, z, w = _floats(values[time])
        length = sqrt(x * x + y * y + z * z + w * w)
        if not length:
            raise EditError("a rotation is no quaternion", found=values[time])
        keys.append((time, 0, (-x / length, -y / length, -z / length, w / length)))
    return _keyed(0x2504, 0x2514, layouts.LINEAR_ROTATION, keys, 0)


def _floats(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(map(float, values))


def _bezier_rows(values: Values, curve: Curve) -> list[KeyRow]:
    """Return time, flags, value, slopes and lengths of Bezier keys.

    Slopes are per tick, the one on the left backwards in time: along the line to the neighbour,
    or 0 to ease.
    """
    times = sorted(values)
    points = [_floats(values[time]) for time in times]
    flat = tuple(0.0 for _ in points[0])
    slopes = [flat] * (len(times) - 1)
    if curve == "linear":
        slopes = [
            tuple((b - a) / (end - start) for a, b in zip(first, last, strict=True))
            for (start, end), (first, last) in zip(pairwise(times), pairwise(points), strict=True)
        ]
    rows: list[KeyRow] = []
    for n, (time, point) in enumerate(zip(times, points, strict=True)):
        before = tuple(-slope for slope in slopes[n - 1]) if n else flat
        after = slopes[n] if n < len(slopes) else flat
        lengths = (_THIRD if n else _UNSET, _THIRD if n < len(slopes) else _UNSET)
        handles = (tuple(length for _ in point) for length in lengths)
        rows.append((time, _BEZIER_FLAGS[curve], point, before, after, *handles))
    return rows


def _keyed(
    value_id: int, table_id: int, layout: KeyLayout, keys: Sequence[KeyRow], flags: int
) -> list[ChunkTree]:
    """Return the chunks of a controller whose stored value is that of its first key.

    Raises:
        EditError: A time or value does not fit.
    """
    table = KeyTable(layout).encode(tuple(keys))
    first, last = keys[0][0], keys[-1][0]
    frame = _IDENTITY if value_id == 0x2505 else ()
    value = keys[0][2] if isinstance(keys[0][2], tuple) else (keys[0][2],)
    numbers = (*value, *frame)
    # One bit per key, in words of 32 bits.
    selection = pack_values("I", len(keys)) + bytes((len(keys) + 31) // 32 * 4)
    return [
        (value_id, pack_values(f"{len(numbers)}f", *numbers)),
        (0x2500, pack_values("ii", first, first)),
        (0x3002, pack_values("I", flags)),
        (0x3003, pack_values("ii", first, last)),
        *((0x2532 + n, [(0x2700, selection)]) for n in range(3)),
        (table_id, table),
        (0x3005, pack_values("I", 0x186)),
    ]
