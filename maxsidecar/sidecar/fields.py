"""The values of an object that the text form shows, and how each is read, checked and written.

A value is addressed by its path below the object's table: ``("flags", "hidden")``,
``("nel", "lod", "dist_max")``, ``("appdata", "04d64858-16d1751d/1020/77")``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Any, Final

from maxsidecar.errors import DecodeError, EditError, MaxSidecarError, shorten
from maxsidecar.scene.appdata import AppDataEdit
from maxsidecar.scene.appdata_bits import OTHER_BITS
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey, Property
from maxsidecar.scene.attempts import Attempts
from maxsidecar.scene.node import Node, WireColor
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.groups import is_optional
from maxsidecar.sidecar.optional import field_at, optional_fields
from maxsidecar.sidecar.paths import (
    Entry,
    KeyPath,
    all_paths,
    canonical,
    path_order,
    registered_tables,
    resolve,
)
from maxsidecar.sidecar.raw_text import parse_raw, show_raw
from maxsidecar.sidecar.toml_text import format_path, has_surrogate

__all__ = [
    "MISSING",
    "Missing",
    "absent",
    "all_paths",
    "canonical",
    "check",
    "check_value",
    "encode_named",
    "is_appdata",
    "read_fields",
    "registered_tables",
    "removable",
    "remove",
    "resolve",
    "same_value",
    "write",
]


class Missing(Enum):
    """Stands for a value that is not there."""

    MISSING = "(not set)"

    def __repr__(self) -> str:
        """Return how a person is shown it."""
        return self.value


MISSING: Final = Missing.MISSING

#: Longest bytes whose value is remembered.
_SHORT: Final = 64

_COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}")


def same_value(a: Any, b: Any) -> bool:
    """Compare as a person would: ``1`` and ``1.0`` are the same number, ``1`` and ``true`` not."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return bool(a == b)


def absent(path: KeyPath) -> Any:
    """Return the value that is not shown because it says nothing, else :data:`MISSING`."""
    if path == ("user_properties",):
        return ""
    return 0 if path[-1] == OTHER_BITS and path[0] != "appdata" else MISSING


# --- reading -------------------------------------------------------------------------------------


def read_fields(
    obj: SceneObject, problems: list[str] | None = None, groups: frozenset[str] = frozenset()
) -> dict[KeyPath, Any]:
    """Return every value of an object by path, in the order of the text form.

    Args:
        obj: A node or another object.
        problems: Takes what cannot be shown, one line each.  Such values are left out.
        groups: Which groups to read besides those that are always read, see
            :data:`maxsidecar.sidecar.groups.OPTIONAL_GROUPS`.
    """
    out: dict[KeyPath, Any] = {}
    notes: list[str] = [] if problems is None else problems
    if isinstance(obj, Node):
        _read_node(obj, out, notes)
    try:
        _read_appdata(obj, out)
    except MaxSidecarError as error:
        notes.append(f"the AppData cannot be read: {error.message}")
    if groups:
        shown = ((path, f.shown) for path, f in optional_fields(obj, groups, notes).items())
        out.update((path, value) for path, value in shown if value is not None)
    return out


def _read_node(node: Node, out: dict[KeyPath, Any], notes: list[str]) -> None:
    def attempt(path: KeyPath, read: Callable[[], Any]) -> None:
        attempts = Attempts()
        value = attempts(read)
        notes.extend(f"{path[0]} cannot be read: {e.message}" for e in attempts.problems)
        if value is not None:
            out[path] = value

    def user_properties() -> str | None:
        text = node.user_properties_text
        if has_surrogate(text):
            raise DecodeError("the text holds unpaired surrogates")
        return show_lines(text) if text else None

    def wire_color() -> str | None:
        color = node.wire_color
        return None if color is None else str(color)

    def flags() -> None:
        for name, flag in NODE_FLAGS.items():
            value = node.flag(name) if flag.editable else None
            if value is not None:
                out["flags", name] = value

    attempt(("wire_color",), wire_color)
    attempt(("user_properties",), user_properties)
    attempt(("flags",), flags)


def _read_appdata(obj: SceneObject, out: dict[KeyPath, Any]) -> None:
    named: dict[KeyPath, Any] = {}
    raw: dict[KeyPath, Any] = {}
    seen: dict[AppDataKey, int] = {}
    code_page = obj.scene.code_page
    for key, value in obj.appdata:
        occurrence = seen.get(key, 0)
        seen[key] = occurrence + 1
        prop = REGISTRY.by_key(key) if not occurrence else None
        if prop is None or not _put(named, prop, value, code_page):
            suffix = f"#{occurrence + 1}" if occurrence else ""
            raw["appdata", f"{key}{suffix}"] = show_raw(value, code_page)
    order = path_order()
    for path in sorted(named, key=order.__getitem__):
        out[path] = named[path]
    out.update(raw)


def _put(named: dict[KeyPath, Any], prop: Property, raw: bytes, code_page: str) -> bool:
    """Show an entry by name, where its bytes are of the declared type."""
    decode = _decode if len(raw) <= _SHORT else _decode.__wrapped__
    value = decode(prop, raw, code_page)
    if isinstance(value, dict):
        for key, part in value.items():
            named[*prop.path, key] = part
    elif value is not None:
        named[prop.path] = list(value) if isinstance(value, list) else value
    return value is not None


@lru_cache(maxsize=4096)
def _decode(prop: Property, raw: bytes, code_page: str) -> Any:
    """Return the value of an entry, ``None`` where it is not of its type; many are the same."""
    try:
        return prop.decode(raw, code_page).value
    except DecodeError:
        return None


def show_lines(text: str) -> str:
    """Return text with plain line breaks, where that can be undone; else as it is."""
    plain = text.replace("\r\n", "\n")
    return plain if _store_lines(plain) == text and "\r" not in plain else text


def _store_lines(text: str) -> str:
    """Return text with the line breaks that 3ds Max stores."""
    return text if "\r" in text else text.replace("\n", "\r\n")


# --- checking and writing ------------------------------------------------------------------------


def check(path: KeyPath, value: Any, *, code_page: str, node: bool = True) -> Any:
    """Return a new value in its normal form, the one that reading it back would give.

    Raises:
        EditError: Unknown key, wrong type, or out of range.
    """
    entry = resolve(path, node=node)
    if entry.prop is not None:
        if entry.bit is None:
            return entry.prop.check(value)
        checked = entry.prop.check(_whole(entry.prop, entry.bit, value))
        return checked.get(entry.bit, 0) if isinstance(checked, dict) else value
    if path[0] == "flags":
        return _typed(path, value, bool, "true or false")
    text: str = _typed(path, value, str, "text")
    if path == ("wire_color",):
        if not _COLOR.fullmatch(text):
            raise EditError("wire_color: not a colour", expected="#rrggbb", found=shorten(text))
        return text.lower()
    if entry.key is None:
        return show_lines(_store_lines(text))
    raw = parse_raw(text, code_page)
    _refuse_named(entry, raw, code_page)
    return show_raw(raw, code_page)


def check_value(obj: SceneObject, path: KeyPath, value: Any) -> Any:
    """Return a new value of an object in its normal form, whatever its group.

    Raises:
        EditError: Unknown key, wrong type, out of range, or read-only.
    """
    if is_optional(path):
        return field_at(obj, path).check(value)
    return check(path, value, code_page=obj.scene.code_page, node=isinstance(obj, Node))


def _typed(path: KeyPath, value: Any, kind: type, expected: str) -> Any:
    if not isinstance(value, kind):
        raise EditError(f"{format_path(path)}: wrong type", expected=expected, found=shorten(value))
    return value


def _whole(prop: Property, bit: str, value: Any) -> dict[str, Any]:
    """Return a bit field's table with one new value, since only whole tables can be checked."""
    table = prop.default if prop.default is not None else prop.codec.parse("0")
    return {**table, bit: value} if isinstance(table, dict) else {bit: value}


def _refuse_named(entry: Entry, raw: bytes, code_page: str) -> None:
    """Refuse a raw value for an entry that the text form shows by name."""
    prop = REGISTRY.by_key(entry.key) if entry.key and not entry.occurrence else None
    if prop is None:
        return
    try:
        prop.decode(raw, code_page)
    except DecodeError:
        return
    raise EditError(f"AppData {entry.key} has a name: write {format_path(prop.path)}")


def removable(path: KeyPath) -> bool:
    """Return whether a value can be taken away, rather than only changed."""
    return path[0] not in ("wire_color", "flags") and not is_optional(path)


def is_appdata(path: KeyPath) -> bool:
    """Return whether a value is an AppData entry, or part of one."""
    return path[0] not in ("wire_color", "user_properties", "flags") and not is_optional(path)


def write(obj: SceneObject, path: KeyPath, value: Any, entries: AppDataEdit | None = None) -> None:
    """Write a checked value.

    Args:
        obj: The object.
        path: The value.
        value: What it will be.
        entries: The object's AppData, where several of them are edited at once.

    Raises:
        EditError: The value does not fit, or the record is read-only.
    """
    if is_optional(path):
        field_at(obj, path).write(value)
        return
    entry = resolve(path, node=isinstance(obj, Node))
    code_page = obj.scene.code_page
    appdata = obj.appdata if entries is None else entries
    if entry.prop is not None:
        new = encode_named(obj, entry.prop, entry.bit, value, entries)
        appdata.set(entry.prop.key, new)
    elif entry.key is not None:
        appdata.set(entry.key, parse_raw(value, code_page), occurrence=entry.occurrence)
    elif isinstance(obj, Node):
        if path == ("wire_color",):
            red, green, blue = (int(value[i : i + 2], 16) for i in (1, 3, 5))
            old = obj.wire_color or WireColor(red=0, green=0, blue=0, unused=0)
            obj.wire_color = old.replace(red=red, green=green, blue=blue)
        elif path == ("user_properties",):
            old_text = obj.user_properties_text
            plain = "\n" in old_text and "\r" not in old_text
            obj.user_properties_text = value if plain else _store_lines(value)
        else:
            obj.set_flag(path[1], value)


def encode_named(
    obj: SceneObject,
    prop: Property,
    bit: str | None,
    value: Any,
    entries: AppDataEdit | None = None,
) -> bytes:
    """Return the bytes of a named AppData entry with a checked value.

    Args:
        obj: The object.
        prop: Which entry.
        bit: Key within its table, if it is a bit field.
        value: What it will be.
        entries: The object's AppData, where they are being edited.

    Raises:
        EditError: Text that the entry's code page cannot hold.
    """
    code_page = obj.scene.code_page
    old = (obj.appdata if entries is None else entries).get(prop.key)
    if old is not None and not _put({}, prop, old, code_page):
        # Bytes that were not of its type, so the sidecar listed them raw, and no longer does.
        old = None
    if bit is not None:
        value = _whole(prop, bit, value) if old is None else {bit: value}
    return prop.edit(old, value, code_page)


def remove(obj: SceneObject, path: KeyPath, entries: AppDataEdit | None = None) -> None:
    """Take a value away; user-defined properties become empty.

    Args:
        obj: The object.
        path: The value; of a bit field the whole table.
        entries: The object's AppData, where several of them are edited at once.

    Raises:
        EditError: It cannot be taken away.
    """
    if is_optional(path):
        raise EditError(f"{format_path(path)} cannot be removed, only changed")
    entry = resolve(path, node=isinstance(obj, Node), table=True)
    key = entry.prop.key if entry.prop is not None else entry.key
    if key is not None:
        try:
            appdata = obj.appdata if entries is None else entries
            appdata.remove(key, occurrence=entry.occurrence)
        except KeyError:
            raise EditError(f"there is no {format_path(path)}") from None
    elif isinstance(obj, Node) and path == ("user_properties",):
        obj.user_properties_text = ""
    else:
        raise EditError(f"{format_path(path)} cannot be removed, only changed")
