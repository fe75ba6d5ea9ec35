"""Where each key and value stands in a TOML text.

``tomllib`` says what a text means but not where; messages need line and column, and updating two
lines in a file that a person edited needs offsets.  This scanner reads text that ``tomllib``
already accepted, so it has to be right only about valid TOML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["KeyLocator", "Spot"]

_SPACE: Final = " \t"
_ESCAPES: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


@dataclass(frozen=True, slots=True)
class Spot:
    """Offsets of a statement: its key, its value, and the end of the value."""

    key: int
    value: int
    end: int


class KeyLocator:
    """Finds the statements of a TOML text.

    Attributes:
        spots: Place of each key by full path.
        tables: Place of each table header by full path.
    """

    def __init__(self, text: str) -> None:
        """Scan the text once."""
        self.text = text
        self.spots: dict[tuple[str, ...], Spot] = {}
        self.tables: dict[tuple[str, ...], Spot] = {}
        self._scan()

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - (self.text.rfind("\n", 0, offset) + 1) + 1

    def find(self, path: tuple[str, ...]) -> tuple[int | None, int | None]:
        """Return line and column of a key, or of the nearest table around it."""
        for length in range(len(path), 0, -1):
            spot = self.spots.get(path[:length]) or self.tables.get(path[:length])
            if spot is not None:
                return self.position(spot.key)
        return None, None

    def _scan(self) -> None:
        text, pos, end = self.text, 0, len(self.text)
        table: tuple[str, ...] = ()
        while pos < end:
            char = text[pos]
            if char in " \t\r\n\ufeff":
                pos += 1
            elif char == "#":
                pos = self._line_end(pos)
            elif char == "[":
                start = pos
                depth = 2 if text.startswith("[[", pos) else 1
                table, pos = self._key(pos + depth)
                pos += depth
                self.tables.setdefault(table, Spot(start, start, pos))
            else:
                start = pos
                key, pos = self._key(pos)
                value = self._skip_space(pos + 1)
                pos = self._value(value)
                self.spots.setdefault(table + key, Spot(start, value, pos))

    def _line_end(self, pos: int) -> int:
        found = self.text.find("\n", pos)
        return len(self.text) if found < 0 else found

    def _skip_space(self, pos: int) -> int:
        while pos < len(self.text) and self.text[pos] in _SPACE:
            pos += 1
        return pos

    def _key(self, pos: int) -> tuple[tuple[str, ...], int]:
        """Read a dotted key; returns it and the offset of ``=`` or ``]``."""
        parts: list[str] = []
        text = self.text
        while pos < len(text):
            pos = self._skip_space(pos)
            if text[pos : pos + 1] in ('"', "'"):
                stop = self._string_end(pos)
                parts.append(self._unquote(text[pos:stop]))
            else:
                stop = pos
                while stop < len(text) and text[stop] not in " \t.=]\n":
                    stop += 1
                parts.append(text[pos:stop])
            pos = self._skip_space(stop)
            if text[pos : pos + 1] != ".":
                break
            pos += 1
        return tuple(parts), pos

    @staticmethod
    def _unquote(token: str) -> str:
        body = token[1:-1]
        if token[0] == "'" or "\\" not in body:
            return body
        out: list[str] = []
        pos = 0
        while pos < len(body):
            char = body[pos]
            if char != "\\":
                out.append(char)
                pos += 1
                continue
            mark = body[pos + 1 : pos + 2]
            width = {"x": 2, "u": 4, "U": 8}.get(mark, 0)
            if width:
                out.append(chr(int(body[pos + 2 : pos + 2 + width], 16)))
            else:
                out.append(_ESCAPES.get(mark, mark))
            pos += 2 + width
        return "".join(out)

    def _string_end(self, pos: int) -> int:
        """Return the offset behind the string that starts at ``pos``."""
        text = self.text
        mark = text[pos]
        fence = mark * 3 if text.startswith(mark * 3, pos) else mark
        pos += len(fence)
        while pos < len(text):
            if text[pos] == "\\" and mark == '"':
                pos += 2
            elif text.startswith(fence, pos):
                pos += len(fence)
                # A multi-line string may end in up to two more quotation marks of its own.
                while len(fence) == 3 and text[pos : pos + 1] == mark:
                    pos += 1
                return pos
            else:
                pos += 1
        return pos

    def _value(self, pos: int) -> int:
        """Return the offset behind the value that starts at ``pos``."""
        text, depth = self.text, 0
        last = pos
        while pos < len(text):
            char = text[pos]
            if char in "\"'":
                pos = last = self._string_end(pos)
                continue
            if char == "#":
                pos = self._line_end(pos)
                continue
            if char == "\n" and depth == 0:
                break
            if char in "[{":
                depth += 1
            elif char in "]}":
                depth -= 1
            pos += 1
            if not char.isspace():
                last = pos
        return last
