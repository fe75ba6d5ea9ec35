"""The files that a command line names: files as they are, folders searched for scenes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from maxsidecar.cli.output import error, progress
from maxsidecar.errors import MaxSidecarError

__all__ = ["each", "find_files"]

#: A path that could not be searched, and why.
Problem = tuple[Path, str]


def find_files(
    paths: Iterable[str | os.PathLike[str]], suffix: str = ".max"
) -> tuple[list[Path], list[Problem]]:
    """Return the files that paths stand for, and what is wrong with the other paths.

    A file stands for itself, whatever its name; a folder for every file below it whose name ends
    in ``suffix`` (in any case), sorted.  Links to folders are not followed.  No file comes twice.
    """
    found: dict[Path, None] = {}
    problems: list[Problem] = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            inside = list(_search(path, suffix, problems))
            if not inside:
                problems.append((path, f"there is no {suffix} file in this folder"))
            found |= dict.fromkeys(inside)
        elif path.is_file():
            found[path] = None
        elif path.exists():
            problems.append((path, "neither a file nor a folder"))
        else:
            problems.append((path, "there is no such file or folder"))
    return list(found), problems


def _search(folder: Path, suffix: str, problems: list[Problem]) -> Iterator[Path]:
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


def each(
    paths: Iterable[str | os.PathLike[str]],
    action: Callable[[Path], None],
    *,
    label: str = "",
    suffix: str = ".max",
) -> int:
    """Do something with each file; a file that fails is reported and the others go on.

    Returns:
        Exit code: 0, or 1 when anything failed.
    """
    files, problems = find_files(paths, suffix)
    for path, reason in problems:
        error(f"{path}: {reason}")
    failed = bool(problems)
    for path in progress(files, len(files), label):
        try:
            action(path)
        except BrokenPipeError:
            # Nobody reads the output any more: that is not the file's fault.
            raise
        except (MaxSidecarError, OSError) as problem:
            error(problem)
            failed = True
    return int(failed)
