"""What a rule does with a path that it matches."""

from __future__ import annotations

import csv
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from maxsidecar.errors import RulesError, Where
from maxsidecar.migrate.rules.files import Root, file_index
from maxsidecar.migrate.rules.patterns import Match
from maxsidecar.migrate.rules.windows import (
    SEPARATORS,
    extension_of,
    file_name,
    fold,
    split_name,
    with_extension,
)

__all__ = ["Action", "Extension", "Lookup", "NewPrefix", "Refused", "Roots", "Template"]

_FIELD: Final = re.compile(r"\{\{|\}\}|\{([A-Za-z_0-9]*)\}|[{}]")
_DOUBLED: Final = re.compile(r"([\\/])[\\/]+")
#: What a replacement may use of every path.
PARTS: Final = frozenset({"dir", "file", "stem", "ext"})
_MOST_ROWS: Final = 10_000_000


class Refused(Exception):
    """A rule is meant for a path, and cannot say what becomes of it."""


class Action(ABC):
    """Gives the new path of a match."""

    @abstractmethod
    def apply(self, match: Match) -> str | None:
        """Return the new path; ``None`` leaves the path to the next rule.

        Raises:
            Refused: What the new path is cannot be told.
        """


class NewPrefix(Action):
    """Another prefix of folders; what is below it already stays."""

    def __init__(self, prefix: str) -> None:
        """Remember the prefix."""
        self._prefix = prefix.rstrip(SEPARATORS)
        self._folded = fold(self._prefix)

    def apply(self, match: Match) -> str | None:
        """Return the path below the new prefix."""
        path, size = match.path, len(self._prefix)
        # "C:\a" to "C:\a\b" must not go on to "C:\a\b\b" when it runs again.
        inside = size > match.end and fold(path[:size]) == self._folded
        if inside and (len(path) == size or path[size] in SEPARATORS):
            return path
        rest = path[match.end :]
        if not self._prefix:
            return rest.lstrip(SEPARATORS)
        # "D:" alone would be the current folder of the drive.
        is_drive = len(self._prefix) == 2 and self._prefix[1] == ":"
        return self._prefix + (rest or ("\\" if is_drive else ""))


class Template(Action):
    """A text with ``{1}``, ``{name}``, ``{dir}``, ``{file}``, ``{stem}``, ``{ext}`` in it.

    It takes the place of what the pattern matched.  Where that is the file name of a path, a text
    with folders is the whole new path.

    Raises:
        ValueError: There is no such group, or a brace stands alone.
    """

    def __init__(self, text: str, group_names: frozenset[str], is_glob: bool) -> None:
        """Check the text."""
        self._text = text
        self._is_glob = is_glob
        for found in _FIELD.finditer(text):
            name = found[1]
            if found[0] in ("{", "}"):
                raise ValueError("a brace alone; a literal one is doubled: {{ or }}")
            if name is not None and name not in group_names | PARTS:
                known = ", ".join(sorted(group_names | PARTS))
                raise ValueError(f"there is no {{{name}}} here; there are {known}")

    def apply(self, match: Match) -> str | None:
        """Return the text with what it names filled in."""
        path = match.path
        name = file_name(path)
        extension = extension_of(path)
        parts = {
            "dir": path[: split_name(path)].rstrip(SEPARATORS),
            "file": name,
            "stem": name[: len(name) - len(extension)],
            "ext": extension,
            **match.groups,
        }

        def fill(found: re.Match[str]) -> str:
            return found[0][0] if found[1] is None else parts[found[1]]

        new = _FIELD.sub(fill, self._text)
        if not self._is_glob:
            return path[: match.start] + new + path[match.end :]
        # What stands for no folder at all leaves no empty name behind.
        new = new[:1] + _DOUBLED.sub(r"\1", new[1:])
        folders = any(char in SEPARATORS for char in new) or new[1:2] == ":"
        return new if folders else path[: match.start] + new


class Extension(Action):
    """Another extension: one for all, or by the old one."""

    def __init__(self, new: str | dict[str, str]) -> None:
        """Remember the new extension, with its dot, or the new ones by the old ones."""
        self._all = new if isinstance(new, str) else None
        self._by_old = {} if isinstance(new, str) else {fold(k): v for k, v in new.items()}

    def apply(self, match: Match) -> str | None:
        """Return the path with the new extension; a path without one is left to others."""
        old = fold(extension_of(match.path))
        new = self._by_old.get(old) if self._all is None else self._all
        if not old or new is None:
            return None
        # "A.PNG" has the extension ".png" already.
        return match.path if fold(new) == old else with_extension(match.path, new)


class Lookup(Action):
    """A table of old and new paths, or of old and new file names.

    Attributes:
        file: The CSV file: two columns; a first row ``old,new`` is taken as the heading.
    """

    def __init__(self, file: Path) -> None:
        """Read the table.

        Raises:
            RulesError: It is no such table.
            OSError: It cannot be read.
        """
        self.file = file
        self._new: dict[str, str] = {}
        try:
            with file.open(encoding="utf-8-sig", newline="") as lines:
                reader = csv.reader(lines, strict=True)
                try:
                    for row in reader:
                        self._add(row, reader.line_num)
                except csv.Error as error:
                    raise self._wrong(str(error), reader.line_num) from None
        except UnicodeDecodeError:
            raise self._wrong("the table is not UTF-8", None) from None

    def _wrong(self, message: str, line: int | None) -> RulesError:
        return RulesError(message, Where(str(self.file)), line=line)

    def _add(self, row: Sequence[str], line: int) -> None:
        if not row or (line == 1 and [cell.strip().lower() for cell in row] == ["old", "new"]):
            return
        if len(row) != 2:
            raise self._wrong("a row is not an old and a new path", line)
        if len(self._new) >= _MOST_ROWS:
            raise self._wrong(f"the table has more than {_MOST_ROWS} rows", line)
        old, new = row
        if not old or not new:
            raise self._wrong("a row with an empty path", line)
        if self._new.setdefault(fold(old), new) != new:
            raise self._wrong(f"{old!r} has two new paths", line)

    def apply(self, match: Match) -> str | None:
        """Return what the table has for the path, else for its file name."""
        path = match.path
        new = self._new.get(fold(path))
        if new is not None:
            return new
        new = self._new.get(fold(file_name(path)))
        if new is None or any(char in SEPARATORS for char in new):
            return new
        return path[: split_name(path)] + new


class Roots(Action):
    """The file of the same name under some folders.

    Args:
        roots: The folders.
        extensions: Other extensions that a file may have, in order of preference.
    """

    def __init__(self, roots: Sequence[Root], extensions: Sequence[str] = ()) -> None:
        """Remember the folders; they are searched when the first path is looked up."""
        self._roots = tuple(roots)
        self._extensions = tuple(extensions)

    def apply(self, match: Match) -> str | None:
        """Return the path of the file; without one, the path is left to the next rule."""
        found, count = file_index(self._roots).find(match.path, self._extensions)
        if found is not None:
            return found.path
        if count:
            raise Refused(f"{count} files under the roots have this name, and fit equally well")
        return None
