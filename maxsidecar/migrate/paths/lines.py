"""Texts of ``key = value`` lines, of which some values are paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from maxsidecar.migrate.paths.looks import kind_of, reads_as_path

__all__ = ["PathInText", "paths_in_lines", "replace_spans"]

_LINE: Final = re.compile(r"[^\r\n]+")


@dataclass(frozen=True, slots=True)
class PathInText:
    """A path within a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        path: The path.
        key: What stands in front of the ``=``; empty for a line without.
    """

    start: int
    end: int
    path: str
    key: str

    @property
    def kind(self) -> str:
        """Kind of file, by its extension."""
        return kind_of(self.path, "text")


def paths_in_lines(text: str) -> Iterator[PathInText]:
    """Yield each line, or value of a line, that reads as a path."""
    for line in _LINE.finditer(text):
        key, equals, _ = line[0].partition("=")
        starts = [(line.start() + len(key) + 1, key.strip())] if equals else []
        # A line with "=" in it may still be one path.
        for start, name in (*starts, (line.start(), "")):
            raw = text[start : line.end()]
            value = raw.strip(" \t")
            start += len(raw) - len(raw.lstrip(" \t"))
            if len(value) > 1 and value[0] == value[-1] == '"':
                value = value[1:-1]
                start += 1
            if reads_as_path(value):
                yield PathInText(start, start + len(value), value, name)
                break


def replace_spans(text: str, found: Mapping[int, PathInText], changes: Mapping[int, str]) -> str:
    """Return the text with other paths in place of some, by their numbers."""
    for number in sorted(changes, reverse=True):
        span = found[number]
        text = text[: span.start] + changes[number] + text[span.end :]
    return text
