"""Going through the files that a command line names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from maxsidecar.batch.files import find_files
from maxsidecar.cli.output import error, progress
from maxsidecar.errors import MaxSidecarError

__all__ = ["each"]


def each(
    paths: Iterable[str | os.PathLike[str]],
    action: Callable[[Path], None],
    *,
    label: str = "",
    suffix: str | tuple[str, ...] = ".max",
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
