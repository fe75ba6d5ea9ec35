"""Where the keys of a small TOML file stand, for messages with line and column.

It reads text that ``tomllib`` accepted: tables, arrays of tables, and the keys right below them.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["TomlPlaces"]

#: Table, number of the table among those of its name, key; empty parts stand for "none".
Place = tuple[str, int, str]

_STRING: Final = (
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
)
_TOKEN: Final = re.compile(
    rf"({_STRING})|(#[^\n]*)|([\[{{])|([\]}}])|(\n)|[^\"'#\[\]{{}}\n]+", re.S
)
_HEADER: Final = re.compile(r"[ \t]*\[(\[)?[ \t]*([^\]\n]*?)[ \t]*\]")
_KEY: Final = re.compile(r"""[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*[=.]""")


class TomlPlaces:
    """Offsets of tables and keys."""

    def __init__(self, text: str) -> None:
        """Scan the text once."""
        self._text = text
        self._offsets: dict[Place, int] = {}
        self._scan()

    def find(self, table: str = "", number: int = 0, key: str = "") -> tuple[int, int]:
        """Return line and column of a key, else of its table, else of the beginning."""
        for place in ((table, number, key), (table, number, "")):
            if place in self._offsets:
                return self.position(self._offsets[place])
        return 1, 1

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        line = self._text.count("\n", 0, offset)
        return line + 1, offset - self._text.rfind("\n", 0, offset)

    def _scan(self) -> None:
        text = self._text
        table, counts = "", {"": 0}
        pos = depth = 0
        fresh = True  # at the start of a line that no value runs over
        while pos < len(text):
            if fresh:
                fresh = False
                header = _HEADER.match(text, pos)
                key = _KEY.match(text, pos)
                start = pos + len(text[pos:]) - len(text[pos:].lstrip(" \t"))
                if header is not None:
                    outer, _, inner = header[2].partition(".")
                    if inner:  # a table below the last one of an array
                        self._offsets.setdefault((outer, counts.get(outer, 0), inner), start)
                    else:
                        table = header[2]
                        counts[table] = counts.get(table, -1) + 1
                        self._offsets.setdefault((table, counts[table], ""), start)
                    pos = header.end()
                    continue
                if key is not None:
                    name = next(part for part in key.groups() if part is not None)
                    self._offsets.setdefault((table, counts[table], name), start)
            token = _TOKEN.match(text, pos)
            if token is None:  # no TOML; it must not keep us here
                pos += 1
                continue
            depth += bool(token[3]) - bool(token[4])
            fresh = bool(token[5]) and depth <= 0
            pos = token.end()
