"""A file on disk that is sliced like a buffer, reading only what is asked for."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["FileView"]


class FileView:
    """The bytes of a file, read when they are sliced.

    Checking a file that was just written needs its tables as a buffer and its streams piece by
    piece.  Mapping it would count as memory in full: the tables of a compound file are spread
    evenly over it, and systems map the neighbourhood of each page.

    Args:
        path: The file; it is held open until :meth:`close`.

    Raises:
        OSError: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        """Open the file."""
        self._file = FileIO(path, "rb")
        self._size = os.fstat(self._file.fileno()).st_size

    def __len__(self) -> int:
        """Return the size of the file in bytes."""
        return self._size

    def __getitem__(self, part: slice) -> memoryview:
        """Return the bytes of a slice (step 1).

        Raises:
            OSError: They cannot be read.
        """
        start, stop, _ = part.indices(self._size)
        return memoryview(self.read(start, max(0, stop - start)))

    def read(self, start: int, count: int) -> bytes:
        """Return ``count`` bytes from ``start``; fewer at the end of the file.

        Raises:
            OSError: They cannot be read.
        """
        self._file.seek(start)
        pieces: list[bytes] = []
        left = count
        while left:
            piece = self._file.read(left)
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        """Return the view itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()
