"""Objects as plain data for JSON, and as lines of text for reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from maxsidecar.nel.serial.containers import Fixed, List, Map, Nested, Ptr, SameLength
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.nel.serial.kinds import Kind

__all__ = ["to_lines", "to_plain"]

#: Elements of a list that the short text form shows.
_SHOWN: Final = 4
_WIDTH: Final = 100


def to_plain(obj: Serial) -> dict[str, Any]:
    """Return an object as dicts, lists, text and numbers, complete.

    Objects carry their class as ``class``, and behind a pointer its id as ``id``.  An object that
    was shown already is ``{"class": ..., "same_as": id}``.  Structured arrays become one list for
    each of their fields.
    """
    return _plain_object(obj, set())


def _plain_object(obj: Serial, seen: set[int]) -> dict[str, Any]:
    out: dict[str, Any] = {"class": obj.nel_name}
    if id(obj) in seen:
        return {**out, "same_as": obj.pointer_id}
    seen.add(id(obj))
    if obj.pointer_id:
        out["id"] = obj.pointer_id
    for name, item, value in obj.present():
        if not item.kind.stored:
            continue
        out[name] = _plain(item.kind, value, seen)
    if not obj.pointer_id:
        # What stands in place is written as often as it is used; only a circle must end.
        seen.discard(id(obj))
    return out


def _plain(kind: Kind[Any], value: Any, seen: set[int]) -> Any:
    if isinstance(value, Serial):
        return _plain_object(value, seen)
    if isinstance(kind, List | Fixed | SameLength):
        return [_plain(kind.kind, item, seen) for item in value]
    if isinstance(kind, Map):
        return {str(kind.key.plain(k)): _plain(kind.kind, v, seen) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return _plain_array(value)
    if isinstance(kind, Nested | Ptr):
        return value
    return kind.plain(value)


def _plain_array(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.names:
        return {name: _plain_array(array[name]) for name in array.dtype.names}
    if array.dtype == np.float32:
        # The fewest digits that give the same 32-bit number.
        return array.astype(np.str_).astype(np.float64).tolist()
    return array.tolist()


def to_lines(obj: Serial, *, full: bool = False) -> Iterator[str]:
    """Yield an object as indented lines.

    Args:
        obj: The object.
        full: Whether long lists are shown whole, instead of their first elements and their count.
    """
    yield from _lines("", to_plain(obj), 0, full)


def _lines(name: str, value: Any, depth: int, full: bool) -> Iterator[str]:
    pad = "  " * depth
    label = f"{pad}{name}: " if name else pad
    if isinstance(value, dict):
        shown = dict(value)
        kind = shown.pop("class", None)
        number = shown.pop("id", None)
        title = " ".join(([str(kind)] if kind else []) + ([f"#{number}"] if number else []))
        if "same_as" in shown:
            title = f"{kind} same as #{shown.pop('same_as')}"
        yield f"{label}{title}".rstrip()
        for key, item in shown.items():
            yield from _lines(key, item, depth + 1, full)
    elif isinstance(value, list) and not _is_short(value):
        yield f"{label}{len(value)} element{'' if len(value) == 1 else 's'}"
        limit = len(value) if full or isinstance(value[0], dict) else _SHOWN
        for number, item in enumerate(value[:limit]):
            yield from _lines(f"[{number}]", item, depth + 1, full)
        if limit < len(value):
            yield f"{pad}  ... {len(value) - limit} more"
    elif isinstance(value, bytes):
        data = value if full else value[:16]
        more = f" ... {len(value) - len(data)} more" if len(value) > len(data) else ""
        yield f"{label}{len(value)} bytes {data.hex(' ')}{more}"
    else:
        yield f"{label}{value!r}"


def _is_short(value: list[Any]) -> bool:
    """Return whether a list fits on a line: a few numbers or texts."""
    return len(value) <= 16 and not any(isinstance(item, list | dict) for item in value)
