"""What the keys below an object's table mean, and in which order the text form shows them."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from maxsidecar.errors import EditError, cut, shorten
from maxsidecar.scene.appdata_bits import OTHER_BITS, BitFieldCodec
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey, Property
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.sidecar.toml_text import format_path

__all__ = [
    "Entry",
    "KeyPath",
    "all_paths",
    "canonical",
    "path_order",
    "registered_tables",
    "resolve",
]

#: The keys on the way down to a value, such as ``("nel", "lod", "dist_max")``.
KeyPath: TypeAlias = tuple[str, ...]

_OCCURRENCE: Final = re.compile(r"(.*)#([1-9][0-9]{0,5})", re.DOTALL)
_NODE_VALUES: Final = (("wire_color",), ("user_properties",))
#: No key is longer; the bound keeps the search for a similar key short.
_LONGEST_KEY: Final = 80


@dataclass(frozen=True, slots=True)
class Entry:
    """What a path means.

    Attributes:
        prop: A registered AppData entry.
        bit: Key within its table, if it is a bit field.
        key: An AppData entry without a name.
        occurrence: Which of several entries with the same key, from 0.
    """

    prop: Property | None = None
    bit: str | None = None
    key: AppDataKey | None = None
    occurrence: int = 0

    @property
    def target(self) -> tuple[AppDataKey, int] | None:
        """The AppData entry that is meant: key and occurrence."""
        key = self.prop.key if self.prop is not None else self.key
        return None if key is None else (key, self.occurrence)


def registered_tables() -> dict[KeyPath, list[Property]]:
    """Return the registered properties of each table, in the order of the text form.

    A bit field is a table of its own, behind the table that it belongs to.
    """
    return _tables(len(REGISTRY))


@lru_cache(maxsize=1)
def _tables(_count: int) -> dict[KeyPath, list[Property]]:
    tables: dict[KeyPath, list[Property]] = {}
    for group, props in REGISTRY.groups().items():
        tables.setdefault(group, [])
        for prop in props:
            table = prop.path if isinstance(prop.codec, BitFieldCodec) else group
            tables.setdefault(table, []).append(prop)
    return tables


def path_order() -> dict[KeyPath, int]:
    """Return the position of each registered path in the text form."""
    return _order(len(REGISTRY))


@lru_cache(maxsize=1)
def _order(_count: int) -> dict[KeyPath, int]:
    paths: list[KeyPath] = []
    for props in registered_tables().values():
        for prop in props:
            paths += _paths_of(prop)
    return {path: number for number, path in enumerate(paths)}


def _paths_of(prop: Property) -> list[KeyPath]:
    if isinstance(prop.codec, BitFieldCodec):
        return [(*prop.path, bit) for bit in (*prop.codec.fields, OTHER_BITS)]
    return [prop.path]


def all_paths(*, node: bool = True) -> list[KeyPath]:
    """Return every path that can be written, without the raw AppData entries."""
    paths: list[KeyPath] = []
    if node:
        paths += _NODE_VALUES
        paths += [("flags", name) for name, flag in NODE_FLAGS.items() if flag.editable]
    return paths + [path for prop in REGISTRY for path in _paths_of(prop)]


def known_tables(*, node: bool = True) -> set[KeyPath]:
    """Return the path of every table that may stand below an object."""
    return _known_tables(len(REGISTRY), node)


@lru_cache(maxsize=2)
def _known_tables(_count: int, node: bool) -> set[KeyPath]:
    paths = [*all_paths(node=node), ("appdata", "")]
    return {path[:n] for path in paths for n in range(len(path))}


def canonical(path: KeyPath) -> KeyPath:
    """Return a path with an AppData key in its normal spelling.

    Raises:
        EditError: It is no AppData key.
    """
    if len(path) != 2 or path[0] != "appdata":
        return path
    entry = _raw_entry(path[1])
    return "appdata", f"{entry.key}#{entry.occurrence + 1}" if entry.occurrence else str(entry.key)


def resolve(
    path: KeyPath, *, node: bool = True, table: bool = False, suggest: bool = True
) -> Entry:
    """Return what a path means.

    Args:
        path: The path below the object's table.
        node: Whether the object is a node.
        table: The path may also be that of a bit field as a whole.
        suggest: Look for a key that is spelled like an unknown one, which takes a while.

    Raises:
        EditError: There is no such key; the message suggests a near one.
    """
    if path[0] == "appdata" and len(path) == 2:
        return _raw_entry(path[1])
    return _resolve(len(REGISTRY), path, node, table, suggest)


@lru_cache(maxsize=1024)
def _resolve(_count: int, path: KeyPath, node: bool, table: bool, suggest: bool) -> Entry:
    if node and path in _NODE_VALUES:
        return Entry()
    if node and len(path) == 2 and path[0] == "flags" and path[1] in NODE_FLAGS:
        if not NODE_FLAGS[path[1]].editable:
            raise EditError(f"{path[1]} is read-only")
        return Entry()
    prop = REGISTRY.by_toml_path(path)
    if prop is not None and (table or not isinstance(prop.codec, BitFieldCodec)):
        return Entry(prop)
    outer = REGISTRY.by_toml_path(path[:-1])
    if (
        outer is not None
        and isinstance(outer.codec, BitFieldCodec)
        and path[-1] in (*outer.codec.fields, OTHER_BITS)
    ):
        return Entry(outer, path[-1])
    name = format_path(path)
    if node and path[0] == "user_properties":
        raise EditError("user_properties is one text, which can only be set as a whole")
    if path in known_tables(node=node):
        raise EditError(f"{name} is a table, not a value")
    raise EditError(
        f"unknown key {cut(name, _LONGEST_KEY)}{_suggest(name, node) if suggest else ''}"
    )


def _raw_entry(text: str) -> Entry:
    match = _OCCURRENCE.fullmatch(text)
    if match and match[2] == "1":
        raise EditError("not an AppData key", expected="#2 or more", found=shorten(text))
    key = AppDataKey.parse(match[1] if match else text)
    return Entry(key=key, occurrence=int(match[2]) - 1 if match else 0)


@lru_cache(maxsize=256)
def _suggest(name: str, node: bool) -> str:
    if len(name) > _LONGEST_KEY:
        return ""
    known = [".".join(path) for path in all_paths(node=node)]
    last = name.rpartition(".")[2]
    # The very key in another table: in a sidecar that happens below a header that is a comment.
    twins = [path for path in known if path.rpartition(".")[2] == last]
    if twins:
        return f"; did you mean {twins[0]}? In a sidecar its header may still be a comment"
    near = difflib.get_close_matches(name, known, 1, 0.8)
    return f"; did you mean {near[0]}?" if near else ""
