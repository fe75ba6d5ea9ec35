"""The files that paths stand for: files as they are, folders searched for scenes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from unicodedata import normalize

__all__ = ["Problem", "find_files"]

#: A path that could not be searched, and why.
Problem = tuple[Path, str]


def find_files(
    paths: Iterable[str | os.PathLike[str]], suffix: str | tuple[str, ...] = ".max"
) -> tuple[list[Path], list[Problem]]:
    """Return the files that paths stand for, and what is wrong with the other paths.

    A file stands for itself, whatever its name; a folder for every file below it whose name ends
    in ``suffix``, or one of several, in any case, sorted.  Links to folders are not followed.  No
    file comes twice, however its path is spelled; two names of one file in a folder are two files.
    """
    found = _Files()
    problems: list[Problem] = []
    for name in paths:
        path = Path(name)
        if not os.fspath(name):
            problems.append((path, "an empty path; an unset variable?"))
        elif path.is_dir():
            inside = list(_search(path, suffix, problems))
            if not inside:
                wanted = suffix if isinstance(suffix, str) else " or ".join(suffix)
                problems.append((path, f"there is no {wanted} file in this folder"))
            for file in inside:
                found.add(file)
        elif path.is_file() or path.is_fifo():
            # A pipe, such as the shell's <(...), can be read once.
            found.add(path)
        elif path.exists():
            problems.append((path, "neither a file nor a folder"))
        else:
            problems.append((path, "there is no such file or folder"))
    return found.paths, problems


class _Files:
    """Paths in the order in which they came, each file once."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self._folders: dict[Path, str] = {}
        self._same: dict[tuple[str, str], list[Path]] = {}

    def add(self, path: Path) -> None:
        folder = self._folders.get(path.parent)
        if folder is None:
            folder = self._folders[path.parent] = os.path.realpath(path.parent)
        # File systems may take names for the same that differ in case or in composed letters.
        alike = self._same.setdefault((folder, normalize("NFC", path.name).casefold()), [])
        if not any(path.name == other.name or _is_same(path, other) for other in alike):
            alike.append(path)
            self.paths.append(path)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return os.path.samestat(path.lstat(), other.lstat())
    except OSError:
        return False


def _search(folder: Path, suffix: str | tuple[str, ...], problems: list[Problem]) -> Iterator[Path]:
    def failed(problem: OSError) -> None:
        problems.append((Path(problem.filename or folder), problem.strerror or str(problem)))

    for root, folders, names in os.walk(folder, onerror=failed):
        folders.sort()
        for name in sorted(names):
            if not name.lower().endswith(suffix):
                continue
            path = Path(root, name)
            if path.is_file():
                yield path
            else:
                problems.append((path, "not a file that can be read"))
