"""What a rule matches: a prefix of whole folders, a glob or a regular expression."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final

from maxsidecar.migrate.rules.regex import Regex
from maxsidecar.migrate.rules.regex_parse import RegexError
from maxsidecar.migrate.rules.windows import SEPARATORS, fold, split_name

__all__ = ["Glob", "Match", "Pattern", "Prefix", "RegularExpression"]


@dataclass(frozen=True, slots=True)
class Match:
    """A part of a path that a pattern matched.

    Attributes:
        path: The whole path.
        start: Where the part begins.
        end: Where it ends.
        groups: What groups or wildcards stand for, by number from 1 and by name.
    """

    path: str
    start: int
    end: int
    groups: dict[str, str]


class Pattern(ABC):
    """Says whether a path is meant, without regard to case and kind of slash.

    Attributes:
        group_names: Numbers and names that a replacement may use.
    """

    group_names: frozenset[str] = frozenset()

    @abstractmethod
    def match(self, path: str) -> Match | None:
        """Return the part of a path that is matched, ``None`` where none is."""


class Prefix(Pattern):
    r"""Whole folders, or a whole path: ``C:\maps`` does not match ``C:\maps2\a.tga``."""

    def __init__(self, prefix: str) -> None:
        """Remember the prefix; a separator at its end does not count."""
        stripped = prefix.rstrip(SEPARATORS)
        self._prefix = fold(stripped)

    def match(self, path: str) -> Match | None:
        """Return the folders in front."""
        size = len(self._prefix)
        if fold(path[:size]) != self._prefix or (len(path) > size and path[size] not in SEPARATORS):
            return None
        return Match(path, 0, size, {})


class RegularExpression(Pattern):
    """A regular expression that may match anywhere in the path.

    Raises:
        RegexError: It is not understood.
    """

    def __init__(self, pattern: str) -> None:
        """Read the pattern."""
        self._regex = Regex(pattern)
        program = self._regex.program
        numbers = {str(n) for n in range(program.groups + 1)}
        self.group_names = frozenset(numbers | program.names.keys())

    def match(self, path: str) -> Match | None:
        """Return the first match."""
        found = self._regex.search(path)
        if found is None:
            return None
        groups = {name: found.group(int(name) if name.isdecimal() else name)
                  for name in self.group_names}  # fmt: skip
        return Match(path, *found.span, groups)


class Glob(Pattern):
    """Wildcards: ``*`` and ``?`` within a name, ``**`` over folders, ``[...]`` a set.

    A glob without a slash is for the file name alone, one with a slash for the whole path.

    Raises:
        RegexError: A bracket is not closed.
    """

    def __init__(self, glob: str) -> None:
        """Read the glob."""
        self._whole = any(char in SEPARATORS for char in glob)
        pattern, wildcards = _translate(glob)
        self._regex = Regex(f"^{pattern}$")
        self.group_names = frozenset(str(n) for n in range(1, wildcards + 1))

    def match(self, path: str) -> Match | None:
        """Return the path, or the file name."""
        start = 0 if self._whole else split_name(path)
        found = self._regex.search(path[start:])
        if found is None:
            return None
        groups = {name: found.group(int(name)) for name in self.group_names}
        return Match(path, start, len(path), groups)


_ESCAPED: Final = frozenset("\\.[]{}()*+?|^$")


def _translate(glob: str) -> tuple[str, int]:
    """Return the regular expression of a glob, and how many wildcards it has."""
    out: list[str] = []
    count = pos = 0
    while pos < len(glob):
        char = glob[pos]
        if glob.startswith("**", pos):
            pos += 2
            count += 1
            if glob[pos : pos + 1] and glob[pos] in SEPARATORS:
                pos += 1
                out.append(r"(?:(.*)\\)?")
            else:
                out.append("(.*)")
            continue
        if char == "[":
            end = glob.find("]", pos + 2)
            if end < 0:
                raise RegexError("a bracket is not closed", pos)
            body = glob[pos + 1 : end].replace("\\", "\\\\")
            body = "^" + body[1:] if body.startswith("!") else body.replace("^", "\\^")
            out.append(f"([{body}])")
            count += 1
            pos = end + 1
            continue
        pos += 1
        if char in "*?":
            out.append(r"([^\\]*)" if char == "*" else r"([^\\])")
            count += 1
        elif char in SEPARATORS:
            out.append(r"\\")
        else:
            out.append("\\" + char if char in _ESCAPED else char)
    return "".join(out), count
