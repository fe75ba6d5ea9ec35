"""A lock on a folder that the system takes back when its process dies, however that happens."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from maxsidecar.errors import SaveError, Where

__all__ = ["FolderLock"]

_NAME: Final = ".lock"


class FolderLock:
    """Keeps a second process out of a folder, for as long as the ``with`` block lasts.

    Some network drives know no locks; nothing is kept out there.

    Args:
        folder: A folder that is there.
        message: What to say when another process has the lock.
    """

    def __init__(self, folder: str | os.PathLike[str], message: str) -> None:
        """Remember the folder."""
        self._path = Path(folder, _NAME)
        self._message = message
        self._handle = -1

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            SaveError: Another process has it, or nothing can be written in the folder.
        """
        try:
            self._handle = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o666)
        except OSError as error:
            raise SaveError(f"cannot write here: {error.strerror}", self._where()) from error
        try:
            taken = _lock(self._handle)
        except OSError:
            taken = True  # no locks here
        if not taken:
            os.close(self._handle)
            raise SaveError(self._message, self._where())
        return self

    def _where(self) -> Where:
        return Where(str(self._path.parent))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the lock back; once, since the number of a closed handle is soon another's."""
        handle, self._handle = self._handle, -1
        with suppress(OSError):
            os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> bool:
        """Lock a file without waiting; returns whether that worked."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _lock(handle: int) -> bool:
        """Lock a file without waiting; returns whether that worked."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
