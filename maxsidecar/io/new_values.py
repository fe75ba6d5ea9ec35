"""What a value that a user gives must not hold, though its layout could store it.

Numbers that are infinite or none at all make 3ds Max show nothing or crash; a text with a NUL is
read up to it; half of a surrogate pair is no character.  Files hold all of these, so codecs store
them: what is read must be written the same.  What is *new* goes through :func:`check_new`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any, Final

from maxsidecar.errors import EditError

__all__ = ["check_new"]

_DEEPEST: Final = 16


def check_new(value: Any, old: Any = None) -> None:
    """Refuse numbers that are not finite, and text with a NUL or half of a surrogate pair.

    Lists, records and dataclasses are looked into; what is neither number nor text passes.

    Args:
        value: The value, which fits its layout.
        old: The value that is there: what such a number or text it holds may stay where it is.

    Raises:
        EditError: There is such a number or text.
    """
    _check(value, old, 0)


def _check(value: Any, old: Any, depth: int) -> None:
    if isinstance(value, float):
        # Nothing but what is no number differs from itself.
        if not isfinite(value) and not (
            isinstance(old, float) and (value == old or (value != value and old != old))
        ):
            raise EditError("a number must be finite", found=value)
    elif isinstance(value, str):
        for sort, found in _faults(value).items():
            if found and not (isinstance(old, str) and _faults(old)[sort]):
                raise EditError(f"a text cannot hold {sort}", found=ascii(value[:40])[1:-1])
    elif depth < _DEEPEST:
        before = dict(_parts(old))
        for key, part in _parts(value):
            _check(part, before.get(key), depth + 1)


def _faults(text: str) -> dict[str, bool]:
    half = not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)
    return {"the character NUL": "\0" in text, "half of a surrogate pair": half}


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the parts of a value, each with what tells it from the others."""
    if isinstance(value, tuple | list):
        yield from enumerate(value)
    elif isinstance(value, Mapping):
        yield from value.items()
    elif is_dataclass(value) and not isinstance(value, type):
        yield from ((field.name, getattr(value, field.name)) for field in fields(value))
    elif isinstance(getattr(value, "fields", None), Mapping):
        yield from ((name, getattr(value, name)) for name in value.fields)
