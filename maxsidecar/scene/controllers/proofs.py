"""Which keys use formulas that no file proves (docs/format/controllers.md, sections 4 and 10).

Their controllers are evaluated all the same, and say so.
"""

from __future__ import annotations

from functools import cache
from struct import Struct
from typing import Final

from maxsidecar.io.headers import Buffer
from maxsidecar.scene.controllers.key_flags import TangentType, in_type, out_type
from maxsidecar.scene.controllers.layouts import BEZIER_ROTATION, KeyLayout

__all__ = ["open_formula"]

_TCB: Final = ("tension", "continuity", "bias", "ease_in", "ease_out")


def open_formula(layout: KeyLayout, data: Buffer) -> str | None:
    """Return which formula, of those that these keys need, is not proved; ``None`` for none.

    Args:
        layout: How a key is stored.
        data: The key table, of two whole keys or more.
    """
    names = [column.name for column in layout.columns]
    if layout is BEZIER_ROTATION:
        return "Bezier rotation keys, whose formula is not proved"
    if "tension" in names:
        rows = _columns(layout, names.index("tension"), len(_TCB)).iter_unpack(data)
        if any(map(any, rows)):
            return "TCB parameters other than 0, whose formula is not proved"
    if "out_tangent" in names and "tension" not in names:
        # Few keys have flags of their own.
        flags = set(_flags(layout.size).iter_unpack(data))
        if any(TangentType.STEP in (in_type(flag), out_type(flag)) for (flag,) in flags):
            return "step keys, whose formula is not proved"
    if "axis" in names and len(set(_columns(layout, names.index("axis"), 1).iter_unpack(data))) > 1:
        return "a scale frame that changes, whose formula is not proved"
    return None


@cache
def _flags(size: int) -> Struct:
    """Return what unpacks the flags of a key of a size."""
    return Struct(f"<4xI{size - 8}x")


def _columns(layout: KeyLayout, first: int, number: int) -> Struct:
    """Return what unpacks the floats of some columns that stand side by side, of one key."""
    columns = layout.columns
    before = 4 * sum(column.count for column in columns[:first])
    count = sum(column.count for column in columns[first : first + number])
    return Struct(f"<{before}x{count}f{layout.size - before - 4 * count}x")
