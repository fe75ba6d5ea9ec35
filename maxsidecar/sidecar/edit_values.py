"""Keys and values of a sidecar, written as single words."""

from __future__ import annotations

import tomllib
from typing import Any

from maxsidecar.errors import EditError, shorten
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.sidecar.fields import MISSING, check_value, read_fields, remove, same_value, write
from maxsidecar.sidecar.groups import groups_of
from maxsidecar.sidecar.labels import shown_name
from maxsidecar.sidecar.paths import KeyPath

__all__ = ["NAME", "change_value", "check_name", "parse_key", "parse_value"]

#: Key of a node's name, which is no value of the sidecar.
NAME: KeyPath = ("name",)


def parse_key(text: str) -> KeyPath:
    """Return the path of a dotted key; parts with dots in them are quoted as in TOML.

    Raises:
        EditError: The quotation marks do not fit together, or a part is empty.
    """
    if '"' in text or "'" in text:
        try:
            table: Any = tomllib.loads(f"{text}=0")
        except (tomllib.TOMLDecodeError, RecursionError):
            raise EditError(f"not a key: {shorten(text)}") from None
        path: list[str] = []
        while isinstance(table, dict) and len(table) == 1:
            ((part, table),) = table.items()
            path.append(part)
        if table != 0:
            raise EditError(f"not a key: {shorten(text)}")
        return tuple(path)
    parts = tuple(text.split("."))
    if not all(parts):
        raise EditError(f"not a key: {shorten(text)}")
    return parts


def parse_value(path: KeyPath, text: str, node: Node) -> Any:
    """Return the value that a word of the command line stands for.

    A TOML value is taken as such; what is none, or does not fit the field, as text.

    Raises:
        EditError: The field does not take such a value.
    """
    value = _toml(text)
    if value is None:
        return check_value(node, path, text)
    try:
        return check_value(node, path, value)
    except EditError as error:
        try:
            return check_value(node, path, text)
        except EditError:
            raise error from None


def _toml(text: str) -> Any:
    """Return the TOML value of a text, ``None`` where it is not exactly one value."""
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return None
    return table["value"] if len(table) == 1 else None


def change_value(node: Node, path: KeyPath, text: str | None) -> tuple[Any, Any]:
    """Change a value of a node, or its name; nothing is written where it is the same already.

    Args:
        node: The node.
        path: The value, or :data:`NAME`.
        text: The new value as a word, ``None`` to take it away.

    Returns:
        The old and the new value; :data:`~maxsidecar.sidecar.fields.MISSING` for none.

    Raises:
        EditError: The value does not fit, cannot be taken away, or is read-only.
    """
    if path == NAME:
        if text is None:
            raise EditError("a name cannot be taken away, only changed")
        old_name = shown_name(node)
        # As for any text: a TOML string is taken as such, everything else as it is.
        name = _toml(text)
        node.name = check_name(node, name if isinstance(name, str) else text)
        return old_name, node.name
    groups = groups_of([path])
    old = read_fields(node, None, groups).get(path, MISSING)
    if text is None:
        remove(node, path)
    else:
        value = parse_value(path, text, node)
        if old is MISSING or not same_value(old, value):
            write(node, path, value)
    return old, read_fields(node, None, groups).get(path, MISSING)


def check_name(node: Node, name: str) -> str:
    """Return a new name of a node.

    Raises:
        EditError: The node has no name, or the name cannot be stored.
    """
    if isinstance(node, RootNode):
        raise EditError("the root node has no name")
    if not name or "\0" in name:
        raise EditError("a name must not be empty or hold NUL")
    try:
        name.encode("utf-16-le")
    except UnicodeEncodeError:
        raise EditError("the name is not text") from None
    return name
