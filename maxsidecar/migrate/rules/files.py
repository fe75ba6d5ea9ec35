"""Finding files by name under folders, where paths come from another machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from maxsidecar.migrate.rules.windows import SEPARATORS, file_name, fold, with_extension

__all__ = ["FileIndex", "FoundFile", "Root", "file_index"]


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to search.

    Attributes:
        folder: Where it is on this machine.
        stored: What scenes call it; empty where that is the same.
    """

    folder: str
    stored: str = ""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file under a root.

    Attributes:
        root: The root.
        parts: Folders and name below it.
    """

    root: Root
    parts: tuple[str, ...]

    @property
    def path(self) -> str:
        """Path as scenes store it: with backslashes, unless the root has slashes only."""
        root = self.root.stored or self.root.folder
        separator = "/" if "/" in root and "\\" not in root else "\\"
        return separator.join((root.rstrip(SEPARATORS), *self.parts))

    @property
    def local(self) -> Path:
        """Path on this machine."""
        return Path(self.root.folder, *self.parts)


class FileIndex:
    """Every file under some folders, by name without regard to case.

    Attributes:
        problems: Folders that could not be searched, and why.
    """

    def __init__(self, roots: Iterable[Root]) -> None:
        """Search the folders once; links to folders are not followed."""
        self.problems: list[str] = []
        self._by_name: dict[str, list[FoundFile]] = {}
        for root in dict.fromkeys(roots):
            for found in self._walk(root):
                self._by_name.setdefault(fold(found.parts[-1]), []).append(found)

    def _walk(self, root: Root) -> Iterator[FoundFile]:
        def failed(problem: OSError) -> None:
            self.problems.append(
                f"{problem.filename or root.folder}: {problem.strerror or problem}"
            )

        for folder, folders, names in os.walk(root.folder, onerror=failed):
            folders.sort()
            below = Path(folder).relative_to(root.folder).parts
            for name in sorted(names):
                yield FoundFile(root, (*below, name))

    def find(self, path: str, extensions: Sequence[str] = ()) -> tuple[FoundFile | None, int]:
        """Return the file that a path most likely means, and how many it may mean.

        Of several files with the name, the one whose folders agree with most of the path's last
        folders is meant; where two agree equally, none is.

        Args:
            path: A path of any machine.
            extensions: Other extensions to try when there is no file with the path's own, in order
                of preference.
        """
        names = [file_name(path), *(file_name(with_extension(path, ext)) for ext in extensions)]
        wanted = fold(path).split("\\")[:-1][::-1]
        for name in names:
            alike = self._by_name.get(fold(name), []) if name else []
            if not alike:
                continue
            scores = [_agreeing(found, wanted) for found in alike]
            best = max(scores)
            # One file may be found through two roots.
            chosen = {
                fold(found.path): found
                for found, score in zip(alike, scores, strict=True)
                if score == best
            }
            return next(iter(chosen.values())) if len(chosen) == 1 else None, len(chosen)
        return None, 0

    def __len__(self) -> int:
        """Return the number of files."""
        return sum(map(len, self._by_name.values()))


def _agreeing(found: FoundFile, wanted: Sequence[str]) -> int:
    """Return how many folders agree, from the file upwards; those of the root count too."""
    parts = fold(found.path).split("\\")[:-1][::-1]
    count = 0
    for ours, theirs in zip(parts, wanted, strict=False):
        if ours != theirs:
            break
        count += 1
    return count


@lru_cache(maxsize=16)
def file_index(roots: tuple[Root, ...]) -> FileIndex:
    """Return the index of some folders; each process searches them once."""
    return FileIndex(roots)
