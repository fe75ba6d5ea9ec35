"""The values of an object that the text form shows, and how each is read, checked and written.

A value is addressed by its path below the object's table: ``("flags", "hidden")``,
``("nel", "lod", "dist_max")``, ``("appdata", "04d64858-16d1751d/1020/77")``.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.appdata_bits import BitFieldCodec
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey, Property
from maxsidecar.scene.node import Node, WireColor
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.raw_text import parse_raw, show_raw

__all__ = ["MISSING", "Missing", "Path", "check", "read_fields", "removable", "remove", "write"]

Path = tuple[str, ...]


class Missing(Enum):
    """Stands for a value that is not there."""

    MISSING = "(not set)"

    def __repr__(self) -> str:
        """Return how a person is shown it."""
        return self.value


MISSING: Final = Missing.MISSING

_COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}")
_OCCURRENCE: Final = re.compile(r"(.*)#([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a path means."""

    prop: Property | None = None
    bit: str | None = None
    key: AppDataKey | None = None
    occurrence: int = 0


def read_fields(obj: SceneObject) -> dict[Path, Any]:
    """Return every value of an object by path, in the order of the text form."""
    out: dict[Path, Any] = {}
    if isinstance(obj, Node):
        _read_node(obj, out)
    named: dict[Path, Any] = {}
    raw: dict[Path, Any] = {}
    seen: dict[AppDataKey, int] = {}
    code_page = obj.scene.code_page
    for key, value in obj.appdata:
        occurrence = seen.get(key, 0)
        seen[key] = occurrence + 1
        prop = REGISTRY.by_key(key) if not occurrence else None
        if prop is not None:
            try:
                decoded = prop.decode(value, code_page).value
            except DecodeError:
                pass
            else:
                _put(named, prop, decoded)
                continue
        suffix = f"#{occurrence + 1}" if occurrence else ""
        raw["appdata", f"{key}{suffix}"] = show_raw(value, code_page)
    if named:
        for props in registered_tables().values():
            for prop in props:
                _take(named, prop, out)
    out.update(raw)
    return out


def registered_tables() -> dict[Path, list[Property]]:
    """Return the registered properties of each table, in the order of the text form.

    A bit field is a table of its own, behind the table that it belongs to.
    """
    return _tables(len(REGISTRY))


@lru_cache(maxsize=1)
def _tables(_count: int) -> dict[Path, list[Property]]:
    tables: dict[Path, list[Property]] = {}
    for group, props in REGISTRY.groups().items():
        tables.setdefault(group, [])
        for prop in props:
            table = prop.path if isinstance(prop.codec, BitFieldCodec) else group
            tables.setdefault(table, []).append(prop)
    return tables


def _read_node(node: Node, out: dict[Path, Any]) -> None:
    try:
        color = node.wire_color
        if color is not None:
            out["wire_color",] = str(color)
        text = node.user_properties_text
        if text:
            out["user_properties",] = _show_lines(text)
        for name, flag in NODE_FLAGS.items():
            value = node.flag(name) if flag.editable else None
            if value is not None:
                out["flags", name] = value
    except DecodeError:
        # What cannot be decoded cannot be edited; the check command reports it.
        return


def _put(named: dict[Path, Any], prop: Property, value: Any) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            named[*prop.path, key] = part
    else:
        named[prop.path] = value


def _take(named: dict[Path, Any], prop: Property, out: dict[Path, Any]) -> None:
    if isinstance(prop.codec, BitFieldCodec):
        for path in [p for p in named if p[:-1] == prop.path]:
            out[path] = named[path]
    elif prop.path in named:
        out[prop.path] = named[prop.path]


def _show_lines(text: str) -> str:
    """Return text with plain line breaks, where that can be undone; else as it is."""
    plain = text.replace("\r\n", "\n")
    return plain if _store_lines(plain) == text and "\r" not in plain else text


def _store_lines(text: str) -> str:
    """Return text with the line breaks that 3ds Max stores."""
    return text if "\r" in text else text.replace("\n", "\r\n")


def resolve(path: Path, *, node: bool = True) -> _Entry:
    """Return what a path means.

    Raises:
        EditError: There is no such key; the message suggests a near one.
    """
    if node and (path in {("wire_color",), ("user_properties",)}):
        return _Entry()
    if node and len(path) == 2 and path[0] == "flags" and path[1] in NODE_FLAGS:
        if not NODE_FLAGS[path[1]].editable:
            raise EditError(f"{path[1]} is read-only")
        return _Entry()
    if len(path) == 2 and path[0] == "appdata":
        return _raw_entry(path[1])
    prop = REGISTRY.by_toml_path(path)
    if prop is not None and not isinstance(prop.codec, BitFieldCodec):
        return _Entry(prop)
    outer = REGISTRY.by_toml_path(path[:-1])
    if outer is not None and isinstance(outer.codec, BitFieldCodec):
        known = [*outer.codec.fields, "other_bits"]
        if path[-1] in known:
            return _Entry(outer, path[-1])
    raise EditError(f"unknown key {'.'.join(path)}{_suggest(path, node)}")


def _raw_entry(text: str) -> _Entry:
    match = _OCCURRENCE.fullmatch(text)
    key = AppDataKey.parse(match.group(1) if match else text)
    return _Entry(key=key, occurrence=int(match.group(2)) - 1 if match else 0)


def _suggest(path: Path, node: bool) -> str:
    known = [".".join(p) for p in all_paths(node=node)]
    near = difflib.get_close_matches(".".join(path), known, 1, 0.7)
    if not near:
        ends = [k for k in known if k.rsplit(".", 1)[-1] == path[-1]]
        near = ends[:1]
    return f"; did you mean {near[0]}?" if near else ""


def all_paths(*, node: bool = True) -> list[Path]:
    """Return every path that can be written, without the raw AppData entries."""
    paths: list[Path] = []
    if node:
        paths += [("wire_color",), ("user_properties",)]
        paths += [("flags", name) for name, flag in NODE_FLAGS.items() if flag.editable]
    for prop in REGISTRY:
        if isinstance(prop.codec, BitFieldCodec):
            paths += [(*prop.path, bit) for bit in prop.codec.fields]
        else:
            paths.append(prop.path)
    return paths


def check(path: Path, value: Any, *, node: bool = True, code_page: str = "cp1252") -> Any:
    """Return a new value in its normal form.

    Raises:
        EditError: Unknown key, wrong type, or out of range.
    """
    entry = resolve(path, node=node)
    name = ".".join(path)
    if entry.prop is not None:
        if entry.bit is not None:
            checked = entry.prop.check({entry.bit: value})
            return checked[entry.bit] if isinstance(checked, dict) else value
        return entry.prop.check(value)
    if path[0] == "flags":
        if not isinstance(value, bool):
            raise EditError(f"{name}: wrong type", expected="true or false", found=repr(value))
        return value
    if not isinstance(value, str):
        raise EditError(f"{name}: wrong type", expected="text", found=repr(value))
    if path == ("wire_color",):
        if not _COLOR.fullmatch(value):
            raise EditError(f"{name}: not a colour", expected="#rrggbb", found=value)
        return value.lower()
    if entry.key is not None:
        return show_raw(parse_raw(value, code_page), code_page)
    return value


def removable(path: Path) -> bool:
    """Return whether a value can be taken away, rather than only changed."""
    return path[0] not in ("wire_color", "flags")


def write(obj: SceneObject, path: Path, value: Any) -> None:
    """Write a checked value.

    Raises:
        EditError: The value does not fit, or the record is read-only.
    """
    is_node = isinstance(obj, Node)
    value = check(path, value, node=is_node, code_page=obj.scene.code_page)
    entry = resolve(path, node=is_node)
    if entry.prop is not None:
        old = obj.appdata.get(entry.prop.key)
        new = {entry.bit: value} if entry.bit is not None else value
        obj.appdata.set(entry.prop.key, entry.prop.edit(old, new, obj.scene.code_page))
    elif entry.key is not None:
        raw = parse_raw(value, obj.scene.code_page)
        _refuse_named(obj, entry.key, entry.occurrence, raw)
        obj.appdata.set(entry.key, raw, occurrence=entry.occurrence)
    elif isinstance(obj, Node):
        if path == ("wire_color",):
            parts = [int(value[i : i + 2], 16) for i in (1, 3, 5)]
            old_color = obj.wire_color or WireColor(red=0, green=0, blue=0, unused=0)
            obj.wire_color = old_color.replace(red=parts[0], green=parts[1], blue=parts[2])
        elif path == ("user_properties",):
            obj.user_properties_text = _store_lines(value)
        else:
            obj.set_flag(path[1], value)


def _refuse_named(obj: SceneObject, key: AppDataKey, occurrence: int, raw: bytes) -> None:
    """Refuse a raw value for an entry that the text form shows by name."""
    prop = REGISTRY.by_key(key) if not occurrence else None
    if prop is None:
        return
    try:
        prop.decode(raw, obj.scene.code_page)
    except DecodeError:
        return
    raise EditError(f"AppData {key} has a name: write {'.'.join(prop.path)}")


def remove(obj: SceneObject, path: Path) -> None:
    """Take a value away; user-defined properties become empty.

    Raises:
        EditError: It cannot be taken away.
    """
    entry = resolve(path, node=isinstance(obj, Node))
    key = entry.prop.key if entry.prop is not None else entry.key
    if key is not None:
        try:
            obj.appdata.remove(key, occurrence=entry.occurrence)
        except KeyError:
            return
    elif isinstance(obj, Node) and path == ("user_properties",):
        obj.user_properties_text = ""
    else:
        raise EditError(f"{'.'.join(path)} cannot be removed, only changed")
