"""What the flag word of a key means.

(Bit positions: 3ds Max SDK; the two tangent types, the broken bits and the stale bit are measured,
see docs/format/controllers.md section 3.)
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

__all__ = [
    "BROKEN_SHIFT",
    "IN_TYPE_SHIFT",
    "OUT_TYPE_SHIFT",
    "STALE_TURN",
    "TYPE_MASK",
    "TangentType",
    "in_type",
    "out_type",
    "with_types",
]

#: The first of three bits (x, y, z) that say that the handles of a Bezier key move on their own.
BROKEN_SHIFT: Final = 4
IN_TYPE_SHIFT: Final = 7
OUT_TYPE_SHIFT: Final = 10
TYPE_MASK: Final = 7
#: In TCB rotation keys: the stored relative turn is out of date; the quaternion is right.
STALE_TURN: Final = 0x10


class TangentType(IntEnum):
    """How a Bezier key meets one of its segments."""

    SMOOTH = 0
    LINEAR = 1
    STEP = 2
    FAST = 3
    SLOW = 4
    CUSTOM = 5
    AUTO = 6


def in_type(flags: int) -> int:
    """Return the tangent type of the segment before a Bezier key."""
    return flags >> IN_TYPE_SHIFT & TYPE_MASK


def out_type(flags: int) -> int:
    """Return the tangent type of the segment behind a Bezier key."""
    return flags >> OUT_TYPE_SHIFT & TYPE_MASK


def with_types(flags: int, in_: TangentType, out: TangentType) -> int:
    """Return the flags with other tangent types."""
    cleared = flags & ~(TYPE_MASK << IN_TYPE_SHIFT | TYPE_MASK << OUT_TYPE_SHIFT)
    return cleared | in_ << IN_TYPE_SHIFT | out << OUT_TYPE_SHIFT
