"""Whether a file may be written over: never what was read, never a file of another kind."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from maxsidecar.errors import SaveError, Where

__all__ = ["check_output", "is_same_file"]

#: How every compound file begins, scenes and others.
_MAGIC: Final = bytes.fromhex("d0cf11e0a1b11ae1")


def check_output(
    path: str | os.PathLike[str],
    *,
    scene: bool = False,
    overwrite: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> None:
    """Refuse an output that would destroy something else than an older output.

    Args:
        path: Where the output goes; links are followed.
        scene: Whether the output is a scene.  A scene may only replace a compound file or an
            empty file, and anything else must not replace a compound file.
        overwrite: Whether a scene may replace a compound file; an empty file it always may.
        inputs: The files that were read.

    Raises:
        SaveError: The output is one of the inputs, under whatever name, or a file of another kind.
    """
    where = Where(os.fspath(path))
    if any(is_same_file(path, read) for read in inputs):
        raise SaveError("the output is the very file that is read; choose another name", where)
    try:
        if not Path(path).is_file():
            return
        with open(path, "rb") as file:
            start = file.read(len(_MAGIC))
    except (OSError, ValueError):
        return  # saving says what is wrong
    if scene and start and start != _MAGIC:
        raise SaveError("the file is no scene, so no scene is written over it", where)
    if scene and start and not overwrite:
        raise SaveError("there is a scene of this name; --overwrite saves over it", where)
    if not scene and start == _MAGIC:
        raise SaveError("the file is a scene or the like; only a scene is written over it", where)


def is_same_file(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> bool:
    """Return whether two paths lead to one file: by links, or in another spelling."""
    try:
        return os.path.samefile(a, b)
    except (OSError, ValueError):
        return False
