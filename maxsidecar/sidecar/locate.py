"""Where each key and value stands in a TOML text.

``tomllib`` says what a text means but not where; messages need line and column, and updating two
lines in a file that a person edited needs offsets.  This scanner reads text that ``tomllib``
already accepted, so it has to be right only about valid TOML.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from maxsidecar.sidecar.paths import KeyPath

__all__ = ["KeyLocator", "Section", "Spot"]


_BLANK: Final = re.compile(r"(?:[ \t\r\n\ufeff]+|#[^\n]*)*+")
_SPACE: Final = re.compile(r"[ \t]*+")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_STRING: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\]|\\.)*+"'
    r"|'[^']*+'",
    re.DOTALL,
)
#: The usual statement: a line with a bare key and a value without escapes.
_USUAL: Final = re.compile(
    r'([A-Za-z0-9_-]++)[ \t]*+=[ \t]*+("[^"\\\n]*+"(?!")|[-+.:\w]++)[ \t]*+(?:\n[ \t\n]*+|\Z)'
)
#: A number, a date (which may hold one space), true or false.
_PLAIN: Final = re.compile(r"[^\s,\]}#]+(?: [0-9][^\s,\]}#]*)?")
_ESCAPE: Final = re.compile(r"\\(?:x(..)|u(.{4})|U(.{8})|(.))", re.DOTALL)
_ESCAPES: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


@dataclass(slots=True)
class Spot:
    """Offsets of a statement.

    Attributes:
        key: Where the key begins.
        value: Where the value begins.
        end: Offset behind the value.
        header: The table whose header the statement stands below.
        inline: Whether it stands in an inline table.
    """

    key: int
    value: int
    end: int
    header: KeyPath = ()
    inline: bool = False


@dataclass(slots=True)
class Section:
    """A table header and the statements below it.

    Attributes:
        path: The table; empty for the statements in front of the first header.
        start: Where the header begins.
        end: Offset behind the last statement, or behind the header.
    """

    path: KeyPath
    start: int
    end: int


@dataclass(slots=True)
class _Frame:
    """A table or array that is being read; an array has no path."""

    path: KeyPath | None
    spot: Spot | None = field(default=None)


class KeyLocator:
    """Finds the statements of a TOML text.

    Attributes:
        spots: Place of each key by full path, keys of inline tables too.
        sections: The table headers in order, with what stands below each.
    """

    def __init__(self, text: str) -> None:
        """Scan the text once."""
        self.text = text
        self.spots: dict[KeyPath, Spot] = {}
        self.sections: list[Section] = [Section((), 0, 0)]
        self._first: dict[KeyPath, int] = {}
        self._scan()

    @cached_property
    def _lines(self) -> list[int]:
        """Offsets of the line breaks."""
        return [match.start() for match in re.finditer("\n", self.text)]

    @cached_property
    def tables(self) -> dict[KeyPath, Section]:
        """The first section of each table."""
        return {section.path: section for section in reversed(self.sections[1:])}

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        line = bisect_right(self._lines, offset - 1)
        start = self._lines[line - 1] + 1 if line else 0
        return line + 1, offset - start + 1

    def find(self, path: KeyPath, *, value: bool = False) -> tuple[int | None, int | None]:
        """Return line and column of a key, or of the nearest table around it.

        Args:
            path: The key.
            value: Return the place of its value instead, where the key is found itself.
        """
        if value and path in self.spots:
            return self.position(self.spots[path].value)
        for length in range(len(path), 0, -1):
            spot = self.spots.get(path[:length])
            offset = spot.key if spot is not None else self._first.get(path[:length])
            if offset is not None:
                return self.position(offset)
        return None, None

    def tables_below(self, *names: str) -> int:
        """Return how many keys stand below some keys of the root."""
        return sum(len(path) == 2 and path[0] in names for path in self._first)

    def line_end(self, offset: int) -> int:
        """Return the offset of the line break behind an offset, or of the end."""
        found = self.text.find("\n", offset)
        return len(self.text) if found < 0 else found

    def _note(self, path: KeyPath, start: int) -> None:
        """Remember where a table first shows, for every table around it too."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._first:
                return
            self._first[path[:length]] = start

    def _scan(self) -> None:
        text, end = self.text, len(self.text)
        section = self.sections[0]
        pos = _skip(_BLANK, text, 0)
        while pos < end:
            start = pos
            if text[pos] == "[":
                depth = 2 if text.startswith("[[", pos) else 1
                path, pos = self._key(pos + depth)
                pos += depth
                section = Section(path, start, pos)
                self.sections.append(section)
                self._note(path, start)
            elif usual := _USUAL.match(text, pos):
                path = (*section.path, usual[1])
                section.end = usual.end(2)
                spot = Spot(start, usual.start(2), section.end, section.path)
                self._note(path, start)
                self.spots.setdefault(path, spot)
                pos = _skip(_BLANK, text, usual.end())
                continue
            else:
                key, pos = self._key(pos)
                path = section.path + key
                spot = Spot(start, _skip(_SPACE, text, pos + 1), 0, section.path)
                self._note(path, start)
                self.spots.setdefault(path, spot)
                pos = spot.end = section.end = self._value(path, spot)
            after = _skip(_BLANK, text, pos)
            # Text that is no TOML must not keep us here.
            pos = after if after > start else start + 1

    def _key(self, pos: int) -> tuple[KeyPath, int]:
        """Read a dotted key; returns it and the offset of ``=`` or ``]``."""
        parts: list[str] = []
        text = self.text
        while True:
            pos = _skip(_SPACE, text, pos)
            quoted = text[pos : pos + 1] in ('"', "'")
            match = (_STRING if quoted else _BARE).match(text, pos)
            if match is None:
                break
            parts.append(_unquote(match.group()) if quoted else match.group())
            pos = _skip(_SPACE, text, match.end())
            if text[pos : pos + 1] != ".":
                break
            pos += 1
        return tuple(parts), pos

    def _value(self, path: KeyPath, outer: Spot) -> int:
        """Return the offset behind the value at ``outer``; notes keys of inline tables."""
        text = self.text
        stack: list[_Frame] = []
        pos = outer.value
        where: KeyPath | None = path
        while pos < len(text):
            char = text[pos]
            if char in "[{":
                stack.append(_Frame(where if char == "{" else None))
                pos += 1
            elif char in "]}":
                pos += 1
                if stack:
                    stack.pop()
                _close(stack, pos)
            elif char == ",":
                pos += 1
            else:
                string = _STRING.match(text, pos) if char in "\"'" else None
                match = string or _PLAIN.match(text, pos)
                pos = match.end() if match else pos + 1
                _close(stack, pos)
            if not stack:
                break
            pos = _skip(_BLANK, text, pos)
            where = None
            frame = stack[-1]
            if frame.path is not None and text[pos : pos + 1] not in ("", ",", "}"):
                start = pos
                key, pos = self._key(pos)
                where = frame.path + key
                frame.spot = Spot(start, _skip(_BLANK, text, pos + 1), 0, outer.header, True)
                self._note(where, start)
                self.spots.setdefault(where, frame.spot)
                pos = frame.spot.value
        return pos


def _close(stack: list[_Frame], pos: int) -> None:
    """Note where the value ended that stands in the innermost table."""
    if stack and stack[-1].spot is not None:
        stack[-1].spot.end = pos
        stack[-1].spot = None


def _skip(pattern: re.Pattern[str], text: str, pos: int) -> int:
    match = pattern.match(text, pos)
    return match.end() if match else pos


def _unquote(token: str) -> str:
    body = token[1:-1]
    return body if token[0] == "'" or "\\" not in body else _ESCAPE.sub(_unescape, body)


def _unescape(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    return chr(int(digits, 16)) if digits else _ESCAPES.get(match[4], match[4])
