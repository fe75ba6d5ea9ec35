"""Following nodes that were renamed in the scene: their tables' headers get the new name.

A node is known by its id.  A handle stays with its node, so that is enough where the class is still
the one of the extraction.  A storage index goes to another node when nodes come and go, so there
the old name must be gone from the scene and the parent must be the same as well.
"""

from __future__ import annotations

import re
from typing import Final

from maxsidecar.errors import SidecarError
from maxsidecar.scene.node import Node
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.locate import KeyLocator
from maxsidecar.sidecar.objects import is_same_info
from maxsidecar.sidecar.toml_text import format_key

__all__ = ["follow_renames"]

_WORD: Final = r"(?:[A-Za-z0-9_-]++|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+')"
#: A header of a node's table, also one that is a comment; the label is a group of its own.
_HEADER: Final = re.compile(
    rf"^([ \t]*+(?:#[# \t]*+)?\[[ \t]*+{_WORD}[ \t]*+\.[ \t]*+)({_WORD})(?=[ \t]*+[.\]])",
    re.MULTILINE,
)


def follow_renames(document: SidecarDocument, labels: Labels) -> SidecarDocument:
    """Return the sidecar with the labels that its nodes have now.

    Args:
        document: The sidecar.
        labels: Labels of the scene's nodes.

    Raises:
        SidecarError: A node was renamed, and its table is not written as ``[node.NAME]``.
    """
    new: dict[str, str] = {}
    for table in document.tables:
        node = _node(table, labels)
        if node is None or labels.label(node) == table.label:
            continue
        if labels.matches(table.label, node) or _is_renamed(table, node, document, labels):
            new[table.label] = labels.label(node)
    if not new:
        return document
    text = _with_labels(document, new)
    try:
        changed = SidecarDocument(text, document.file)
    except SidecarError:
        changed = document
    old = [(t.kind, _renamed(t, new), t.info, t.values, t.empty) for t in document.tables]
    if [(t.kind, t.label, t.info, t.values, t.empty) for t in changed.tables] != old:
        label, name = next(iter(new.items()))
        raise document.error(
            f"this node is called {format_key(name)} now: rename its tables by hand, or write "
            f"them as [node.{format_key(label)}]",
            ("node", label),
        )
    return changed


def _renamed(table: ObjectTable, new: dict[str, str]) -> str:
    return new.get(table.label, table.label) if table.kind == "node" else table.label


def _node(table: ObjectTable, labels: Labels) -> Node | None:
    """Return the node whose number a table gives."""
    numbers = {key: table.info[key] for key in ("id", "index") if key in table.info}
    if table.kind != "node" or any(type(number) is not int for number in numbers.values()):
        return None
    found = {labels.ids.find(key, number) for key, number in numbers.items()}
    return found.pop() if len(found) == 1 else None


def _is_renamed(table: ObjectTable, node: Node, document: SidecarDocument, labels: Labels) -> bool:
    base = document.base.get(labels.ids.key(node))
    if not is_same_info("class", table, node, base):
        return False
    if node.index in labels.ids.handles:
        return True
    return not labels.is_taken(table.label) and is_same_info("parent", table, node, base)


def _with_labels(document: SidecarDocument, new: dict[str, str]) -> str:
    """Return the text with other labels in the headers, and in headers that are comments."""
    text = document.text
    locator = document.locator
    headers = {section.start: section.path for section in locator.sections[1:]}
    values = sorted((s.value, s.end) for s in locator.spots.values() if not s.inline)
    pieces: list[str] = []
    done = number = 0
    for match in _HEADER.finditer(text):
        start = match.start() + len(match[1]) - len(match[1].lstrip(" \t"))
        while number < len(values) and values[number][1] <= start:
            number += 1
        if number < len(values) and values[number][0] < start:
            continue  # in a text of several lines
        path = headers.get(start)
        if path is None and "#" in match[1]:
            path = _commented(text[start : locator.line_end(start)])
        if path is not None and len(path) >= 2 and path[0] == "node" and path[1] in new:
            pieces += (text[done : match.start(2)], format_key(new[path[1]]))
            done = match.end(2)
    return "".join((*pieces, text[done:]))


def _commented(line: str) -> tuple[str, ...] | None:
    """Return the table whose header a comment holds."""
    sections = KeyLocator(line.lstrip("# \t")).sections
    return sections[1].path if len(sections) == 2 else None
