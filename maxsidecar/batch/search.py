"""Files below folders, one after the other: memory does not grow with their number.

:func:`~maxsidecar.batch.files.find_files` lists all files at once and keeps them apart by name.
Here folders are kept apart instead: none is searched twice, however the paths are spelled.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from maxsidecar.batch.files import Problem

__all__ = ["FileSearch", "FoundFile"]

#: Which folder or file it is, under whatever name.
_Identity: TypeAlias = tuple[int, int] | str

#: More messages than this help nobody; they are counted.
_MOST_PROBLEMS: Final = 1000


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file.

    Attributes:
        path: Absolute path without links.
        relative: Path below the folder that was searched, with the name of that folder in front.
    """

    path: str
    relative: str


class FileSearch:
    """The files that paths stand for, found anew whenever :meth:`files` is called.

    A file stands for itself, whatever its name; a folder for every file below it whose name ends
    in the suffix (in any case), in a stable order.  Links to folders are not followed.  A folder
    below two of the paths is searched once, and a link to a file that is found anyway is left out.

    Args:
        paths: Files and folders.
        suffix: End of the names that count in folders.
        skip: Folders that are not searched.
        marker: A folder that holds a file of this name is not searched.

    Attributes:
        problems: What was wrong with paths or folders in the last search, at most 1000.
    """

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        suffix: str = ".max",
        *,
        skip: Iterable[str | os.PathLike[str]] = (),
        marker: str = "",
    ) -> None:
        """Look at the paths."""
        self.problems: list[Problem] = []
        self._suffix = suffix.lower()
        self._marker = marker
        self._skip = frozenset(i for i in map(_identity, skip) if i is not None)
        self._paths = [os.fspath(path) for path in paths]

    def count(self) -> int:
        """Return how many files there are."""
        return sum(1 for _ in self.files())

    def files(self) -> Iterator[FoundFile]:
        """Yield the files; :attr:`problems` is complete at the end."""
        self.problems = []
        roots = [os.path.realpath(path) for path in self._paths if path]
        folders = {i for path in roots if os.path.isdir(path) if (i := _identity(path)) is not None}
        done: set[_Identity] = set()
        named: set[_Identity] = set()
        for path in self._paths:
            root = os.path.realpath(path)
            if not path:
                self._problem(path, "an empty path; an unset variable?")
            elif os.path.isdir(root):
                yield from self._search(root, folders, done, named)
            elif os.path.isfile(root):
                identity = _spelled(root)
                if identity not in named and not _is_below(root, done):
                    named.add(identity)
                    yield FoundFile(root, os.path.basename(path))
            elif os.path.exists(root):
                self._problem(path, "neither a file nor a folder")
            else:
                self._problem(path, "there is no such file or folder")

    def _search(
        self,
        root: str,
        roots: Collection[_Identity],
        done: set[_Identity],
        named: Collection[_Identity],
    ) -> Iterator[FoundFile]:
        """Yield the files below a folder; folders of ``done`` were searched before."""
        identity = _identity(root)
        if identity is None or identity in done or _is_below(root, done):
            return
        found = 0
        parent = os.path.dirname(root)
        pending = [root]
        while pending:
            folder = pending.pop()
            here = _identity(folder)
            if here in self._skip or (here in done and folder != root):
                continue
            files, folders = self._list(folder)
            pending += reversed(folders)
            for path in files:
                target = path
                if os.path.islink(path):
                    target = os.path.realpath(path)
                    if target.lower().endswith(self._suffix) and _is_below(target, roots):
                        continue
                found += 1
                if not named or _spelled(target) not in named:
                    yield FoundFile(target, os.path.relpath(path, parent))
        done.add(identity)
        if not found:
            self._problem(root, f"there is no {self._suffix} file in this folder")

    def _list(self, folder: str) -> tuple[list[str], list[str]]:
        """Return the files that count and the folders in a folder, sorted."""
        files: list[str] = []
        folders: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name == self._marker:
                        return [], []
                    # One that cannot be looked at, such as a link to itself, hides no other.
                    try:
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                        elif entry.name.lower().endswith(self._suffix):
                            if entry.is_file():
                                files.append(entry.path)
                            else:
                                self._problem(entry.path, "not a file that can be read")
                    except OSError as error:
                        self._problem(entry.path, error.strerror or str(error))
        except OSError as error:
            self._problem(folder, error.strerror or str(error))
        return sorted(files), sorted(folders)

    def _problem(self, path: str, reason: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append((Path(path), reason))


def _identity(path: str | os.PathLike[str]) -> _Identity | None:
    """Return which folder a path leads to; ``None`` where there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    # Some network drives of Windows number nothing.
    return (status.st_dev, status.st_ino) if status.st_ino else _spelled(path)


def _spelled(path: str | os.PathLike[str]) -> str:
    return os.path.normcase(os.path.realpath(path))


def _is_below(path: str, folders: Collection[_Identity]) -> bool:
    """Return whether one of the folders is above a path."""
    if not folders:
        return False
    parent = os.path.realpath(os.path.dirname(path))
    while True:
        if _identity(parent) in folders:
            return True
        above = os.path.dirname(parent)
        if above == parent:
            return False
        parent = above
