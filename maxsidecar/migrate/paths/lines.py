"""Texts of ``key = value`` lines, of which some values are paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from maxsidecar.migrate.paths.looks import is_absolute, kind_of, reads_as_path

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
        whole = _found(text, line.start(), line.end(), "")
        value = (
            _found(text, line.start() + len(key) + 1, line.end(), key.strip()) if equals else whole
        )
        # A line with "=" in it may still be one path.
        for test in (is_absolute, reads_as_path):
            found = next((part for part in (value, whole) if test(part.path)), None)
            if found is not None:
                yield found
                break


def _found(text: str, start: int, end: int, key: str) -> PathInText:
    """Return a part of a line, without the spaces and quotes around it."""
    raw = text[start:end]
    value = raw.strip(" \t")
    start += len(raw) - len(raw.lstrip(" \t"))
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = value[1:-1]
        start += 1
    return PathInText(start, start + len(value), value, key)


def replace_spans(text: str, found: Mapping[int, PathInText], changes: Mapping[int, str]) -> str:
    """Return the text with other paths in place of some, by their numbers."""
    for number in sorted(changes, reverse=True):
        span = found[number]
        text = text[: span.start] + changes[number] + text[span.end :]
    return text
