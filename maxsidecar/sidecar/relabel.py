"""Other labels in the headers of a sidecar's tables, and tables taken out of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from maxsidecar.errors import SidecarError
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.locate import KeyLocator
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.toml_text import format_key, format_path

__all__ = ["relabelled", "without_tables"]

_WORD: Final = r"(?:[A-Za-z0-9_-]++|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+')"
#: A header of an object's table, also one that is a comment; the label is a group of its own.
_HEADER: Final = re.compile(
    rf"^([ \t]*+(?:#[# \t]*+)?\[[ \t]*+{_WORD}[ \t]*+\.[ \t]*+)({_WORD})(?=[ \t]*+[.\]])",
    re.MULTILINE,
)
_BLANK_LINE: Final = re.compile(r"^[ \t]*$", re.MULTILINE)


def _headers(document: SidecarDocument) -> Iterator[tuple[re.Match[str], int, KeyPath]]:
    """Yield each header of an object's table, its start, and the table; comments too."""
    text = document.text
    locator = document.locator
    headers = {section.start: section.path for section in locator.sections[1:]}
    values = sorted((s.value, s.end) for s in locator.spots.values() if not s.inline)
    number = 0
    for match in _HEADER.finditer(text):
        start = match.start() + len(match[1]) - len(match[1].lstrip(" \t"))
        while number < len(values) and values[number][1] <= start:
            number += 1
        if number < len(values) and values[number][0] < start:
            continue  # in a text of several lines
        path = headers.get(start)
        if path is None and "#" in match[1]:
            path = _commented(text[start : locator.line_end(start)])
        if path is not None and len(path) >= 2:
            yield match, start, path


def _commented(line: str) -> KeyPath | None:
    """Return the table whose header a comment holds."""
    sections = KeyLocator(line.lstrip("# \t")).sections
    return sections[1].path if len(sections) == 2 else None


def relabelled(document: SidecarDocument, new: Mapping[KeyPath, str]) -> SidecarDocument:
    """Return a sidecar with other labels in its headers, and in headers that are comments.

    Args:
        document: The sidecar.
        new: New labels, by kind and label of the table.

    Raises:
        SidecarError: A table is not written as ``[node.NAME]``.
    """
    if not new:
        return document
    text = document.text
    pieces: list[str] = []
    done = 0
    for match, _, path in _headers(document):
        if path[:2] in new:
            pieces += (text[done : match.start(2)], format_key(new[path[:2]]))
            done = match.end(2)
    try:
        changed = SidecarDocument("".join((*pieces, text[done:])), document.file)
    except SidecarError:
        changed = document
    old = [(t.kind, new.get(t.here, t.label), *_content(t)) for t in document.tables]
    if [(t.kind, t.label, *_content(t)) for t in changed.tables] != old:
        (kind, label), name = next(iter(new.items()))
        raise document.error(
            f"this {kind} is called {format_key(name)} now: rename its tables by hand, or write "
            f"them as [{format_path((kind, label))}]",
            (kind, label),
        )
    return changed


def _content(table: ObjectTable) -> tuple[object, ...]:
    return table.info, table.values, table.empty


def without_tables(document: SidecarDocument, gone: Collection[KeyPath]) -> SidecarDocument:
    """Return a sidecar without some tables; what stands right below their values goes with them.

    Args:
        document: The sidecar.
        gone: Kind and label of each.

    Raises:
        SidecarError: A table is not written as ``[object.INDEX]``.
    """
    if not gone:
        return document
    text = document.text
    locator = document.locator
    ends = {section.start: section.end for section in locator.sections[1:]}
    heads = [(match.start(), start, path) for match, start, path in _headers(document)]
    starts = sorted({*(line for line, _, _ in heads), *ends})
    pieces: list[str] = []
    done = 0
    for line, start, path in heads:
        if path[:2] not in gone or line < done:
            continue
        end = locator.line_end(ends.get(start, start))
        blank = _BLANK_LINE.search(text, min(end + 1, len(text)))
        end = len(text) if blank is None else blank.start()
        following = bisect_left(starts, line + 1)
        if following < len(starts):
            end = min(end, starts[following])
        # One of the blank lines around goes as well.
        if text[end : end + 1] == "\n":
            end += 1
        pieces.append(text[done:line])
        done = end
    try:
        changed = SidecarDocument("".join((*pieces, text[done:])), document.file)
    except SidecarError:
        changed = document
    old = [(t.here, *_content(t)) for t in document.tables if t.here not in gone]
    if [(t.here, *_content(t)) for t in changed.tables] != old:
        raise document.error("this is gone from the scene: delete the table", next(iter(gone)))
    return changed
