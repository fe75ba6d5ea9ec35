"""Values as the command line writes them: keys, values, and which node is meant."""

from __future__ import annotations

import tomllib
from typing import Any

from maxsidecar.cli.parsers import UsageError
from maxsidecar.errors import EditError
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.scene import Scene
from maxsidecar.sidecar.fields import Path, check
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.text_values import quoted
from maxsidecar.sidecar.toml_text import format_value

__all__ = ["NAME", "check_name", "find_node", "one_line", "parse_key", "parse_value"]

#: Key of a node's name, which is no value of the sidecar.
NAME: Path = ("name",)


def find_node(scene: Scene, label: str) -> Node:
    """Return the node that a label stands for: ``name``, ``name@id`` or ``@id``.

    Raises:
        EditError: There is none, or there are several.
    """
    return Labels(scene).find(label)


def parse_key(text: str) -> Path:
    """Return the path of a dotted key; parts with dots in them are quoted as in TOML.

    Raises:
        UsageError: The quotation marks do not fit together, or a part is empty.
    """
    if '"' in text or "'" in text:
        try:
            table: Any = tomllib.loads(f"{text}=0")
        except (tomllib.TOMLDecodeError, RecursionError):
            raise UsageError(f"not a key: {text}") from None
        path: list[str] = []
        while isinstance(table, dict) and len(table) == 1:
            ((part, table),) = table.items()
            path.append(part)
        if table != 0:
            raise UsageError(f"not a key: {text}")
        return tuple(path)
    parts = tuple(text.split("."))
    if not all(parts):
        raise UsageError(f"not a key: {text}")
    return parts


def parse_value(path: Path, text: str, node: Node) -> Any:
    """Return the value that a word of the command line stands for.

    A TOML value is taken as such; what is none, or does not fit the field, as text.

    Raises:
        EditError: The field does not take such a value.
    """
    code_page = node.scene.code_page
    value = _toml(text)
    if value is None:
        return check(path, text, code_page=code_page)
    try:
        return check(path, value, code_page=code_page)
    except EditError as error:
        try:
            return check(path, text, code_page=code_page)
        except EditError:
            raise error from None


def _toml(text: str) -> Any:
    """Return the TOML value of a text, ``None`` where it is not exactly one value."""
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return None
    return table["value"] if len(table) == 1 else None


def check_name(node: Node, name: str) -> str:
    """Return a new name of a node.

    Raises:
        EditError: The node has no name, or the name cannot be stored.
    """
    if isinstance(node, RootNode):
        raise EditError("the root node has no name", node.where)
    if not name or "\0" in name:
        raise EditError("a name must not be empty or hold NUL", node.where)
    try:
        name.encode("utf-16-le")
    except UnicodeEncodeError:
        raise EditError("the name is not text", node.where) from None
    return name


def one_line(value: Any) -> str:
    """Return a value as TOML on one line."""
    return quoted(value) if isinstance(value, str) else format_value(value)
