"""Values as a user sees them.

=================  ==============================================================================
numbers            ``float`` or ``int``; angles in radians, percent as fractions, times in ticks
                   (4,800 a second), world units as stored
boolean            ``bool``; an ``int`` where the file holds something other than 0 and 1
colour, vector     ``tuple`` of floats; colour components are 1.0 at full brightness
text, file name    ``str``, ``None`` for the null string, ``bytes`` where it is not a text
matrix             :class:`~maxsidecar.scene.params.types.Matrix`
reference          storage index of the target, ``None`` when empty
bitmap             path of the file, ``None`` when there is none
=================  ==============================================================================
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from maxsidecar.errors import EditError
from maxsidecar.io.new_values import check_new
from maxsidecar.scene.params.types import Kind, Matrix, ParamType

__all__ = ["new_value", "read_value"]

_F32 = Struct("<f")


def read_value(kind: ParamType, stored: Any) -> Any:
    """Return a stored constant value as a user sees it."""
    if kind.kind is Kind.BOOLEAN and stored in (0, 1):
        return bool(stored)
    return None if kind.kind is Kind.VOID else stored


def new_value(kind: ParamType, value: Any, old: Any = None) -> Any:
    """Return what is stored for a value that a user gives.

    Floats are rounded to the 32 bits that are stored.

    Args:
        kind: The type.
        value: The value.
        old: What is stored now; a number in it that is infinite or none may stay.

    Raises:
        EditError: The value does not fit the type, a number is not finite, or a text holds a NUL
            or half of a surrogate pair.
    """
    new = _new_value(kind, value)
    check_new(new, old)
    return new


def _new_value(kind: ParamType, value: Any) -> Any:
    if kind.kind is Kind.BOOLEAN:
        if not isinstance(value, int) or value not in (0, 1):
            raise EditError("not a boolean", expected=kind.name, found=_shown(value))
        return int(value)
    if kind.kind is Kind.TEXT:
        if value is not None and not isinstance(value, str):
            raise EditError("not text", expected=kind.name, found=_shown(value))
        return value
    if kind.kind is Kind.FLOATS and isinstance(value, list):
        value = tuple(value)
    kind.check(value)
    if kind.kind is Kind.FLOAT:
        return _rounded(value)
    if kind.kind is Kind.FLOATS:
        return tuple(map(_rounded, value))
    if isinstance(value, Matrix):
        return Matrix(tuple(map(_rounded, value.rows)), value.flags)
    return value


def _rounded(value: float) -> float:
    return float(_F32.unpack(_F32.pack(value))[0])


def _shown(value: object) -> str:
    # Python refuses to write out an integer of thousands of digits.
    if isinstance(value, int) and value.bit_length() <= 64:
        return str(value)
    return type(value).__name__
