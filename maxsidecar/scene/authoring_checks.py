"""Checks of what callers give to make objects of: each returns the value in its plain form.

Whatever is wrong is an :class:`EditError` that says what was expected, never an error of Python's.
Numbers of numpy are as good as Python's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set, Sized
from math import isfinite
from operator import index
from typing import Any, Final, SupportsFloat, SupportsIndex, TypeVar

from maxsidecar.errors import EditError, shorten
from maxsidecar.io.codecs import UTF16

__all__ = [
    "bits",
    "flag",
    "items",
    "mapping",
    "number",
    "numbers",
    "text",
    "typed",
    "whole",
]

T = TypeVar("T")
_SHOWN: Final = 60
#: More values than any mesh that 3ds Max could show.
_MOST: Final = 1 << 24


def _refused(what: str, expected: object, value: object) -> EditError:
    return EditError(f"{what} is wrong", expected=expected, found=shorten(value, _SHOWN))


def typed(value: Any, what: str, kind: type[T]) -> T:
    """Return a value of a type."""
    if not isinstance(value, kind):
        raise _refused(what, kind.__name__, value)
    return value


def number(value: Any, what: str) -> float:
    """Return a finite number."""
    if isinstance(value, SupportsFloat | SupportsIndex):
        try:
            found = float(value)
        except (TypeError, ValueError, OverflowError):
            raise _refused(what, "a number", value) from None
        if not isfinite(found):
            raise EditError(f"{what}: a number must be finite", found=found)
        return found
    raise _refused(what, "a number", value)


def numbers(value: Any, what: str, *counts: int) -> tuple[float, ...]:
    """Return finite numbers; there are as many as one of the counts."""
    found = items(value, what)
    if len(found) not in counts:
        expected = " or ".join(map(str, counts))
        raise EditError(f"{what}: wrong number of values", expected=expected, found=len(found))
    return tuple(number(one, what) for one in found)


def whole(value: Any, what: str, low: int, high: int) -> int:
    """Return a whole number in a range."""
    try:
        if isinstance(value, bool):
            raise TypeError
        found = index(value)
    except TypeError:
        raise _refused(what, "a whole number", value) from None
    if not low <= found <= high:
        raise EditError(
            f"{what}: out of range", expected=f"{low} to {high}", found=shorten(found, _SHOWN)
        )
    return found


def bits(value: Any, what: str) -> int:
    """Return 32 bits."""
    return whole(value, what, 0, 0xFFFFFFFF)


def flag(value: Any, what: str) -> bool:
    """Return ``True`` or ``False``; numbers 0 and 1 count as such."""
    return value if isinstance(value, bool) else bool(whole(value, what, 0, 1))


def text(value: Any, what: str) -> str:
    """Return text without NUL and halves of surrogate pairs."""
    try:
        UTF16.encode_new(value)
    except EditError as error:
        error.message = f"{what}: {error.message}"
        raise
    return str(value)


def items(value: Any, what: str) -> list[Any]:
    """Return what a list, tuple or array holds; a text, mapping or set is none."""
    if isinstance(value, str | bytes | bytearray | Mapping | Set) or not isinstance(value, Sized):
        raise _refused(what, "a list", value)
    try:
        count = len(value)
        if count > _MOST:
            raise EditError(f"{what}: too many values", expected=f"at most {_MOST}", found=count)
        return list(value)  # type: ignore[call-overload, no-any-return]
    except (TypeError, OverflowError):  # no list at all, or an array of no axis
        raise _refused(what, "a list", value) from None


def mapping(value: Any, what: str, key: Callable[[Any], T]) -> dict[T, Any]:
    """Return a mapping with its keys checked."""
    if not isinstance(value, Mapping):
        raise _refused(what, "a mapping", value)
    return {key(one): part for one, part in value.items()}
