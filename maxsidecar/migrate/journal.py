"""The journal of a migration: which files it dealt with, and what it did to them.

A folder with ``journal.jsonl``, one JSON object a line, only ever appended to, and the records that
undoing needs (:mod:`maxsidecar.migrate.store`).  A line that was cut off by a crash is passed over.
A file counts as dealt with while it is as the journal says: the same size and time of change, or
else the same contents.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from maxsidecar.batch.lock import FolderLock
from maxsidecar.errors import MaxSidecarError, SaveError, Where
from maxsidecar.migrate.store import path_key

__all__ = ["JOURNAL_NAME", "Journal", "Known", "journal_folder", "read_lines"]

JOURNAL_NAME: Final = "journal.jsonl"
#: Seconds between two waits for the disk.  What the journal loses when the power fails, the undo
#: records still know.
_SYNC: Final = 1.0
#: A longer line is none of ours.
_LONGEST: Final = 64 << 20
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Known:
    """What the journal knows of a file.

    Attributes:
        state: ``changed``, ``unchanged``, ``not-max``, ``failed`` or ``undone``.
        size: Bytes of the file.
        mtime_ns: Time of its last change.
        sha256: Its contents.
        number: Number of the next undo record.
        same: Whether the same migration with the same options dealt with it, without a problem.
    """

    state: str
    size: int
    mtime_ns: int
    sha256: str
    number: int
    same: bool


def journal_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder of a journal that is given by its folder or by the file in it."""
    given = Path(path)
    return given.parent if given.name == JOURNAL_NAME else given


def read_lines(folder: Path, start: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the lines of a journal that can be read, from a position in the file on.

    Raises:
        OSError: The journal cannot be read.
    """
    with open(folder / JOURNAL_NAME, "rb") as file:
        file.seek(start)
        while line := file.readline(_LONGEST):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield found


class Journal:
    """A journal that is read, and appended to, by one process at a time.

    What was read is kept in a temporary database on the disk, so that memory does not grow with
    the number of files.

    Args:
        folder: Where it is; made when it is not there.
        fingerprint: Identity of the migration; lines of others do not count as dealt with.
    """

    def __init__(self, folder: Path, fingerprint: str = "") -> None:
        """Remember the folder."""
        self.folder = folder
        self.fingerprint = fingerprint
        self._file: Any = None
        self._synced = 0.0
        self._lock = FolderLock(folder, "another run writes to this journal")
        self._index = sqlite3.connect("", isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF"):
            self._index.execute(f"PRAGMA {setting}")

    def __enter__(self) -> Self:
        """Take the lock, read the journal and go to its end.

        Raises:
            SaveError: Another run writes to it, or it cannot be written.
            MaxSidecarError: It is of a later version.
        """
        path = self.folder / JOURNAL_NAME
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock.__enter__()
            try:
                self._file = open(path, "a+b")
                self._end_line()
                self._read()
            except BaseException:
                with suppress(SaveError):
                    self.close()
                raise
        return self

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Say which journal it is that cannot be written."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            # The index is on a disk, too.
            reason = f"cannot write the journal: {getattr(error, 'strerror', None) or error}"
            raise SaveError(reason, Where(str(self.folder))) from error

    def _end_line(self) -> None:
        """End a line that a crash cut off."""
        self._file.seek(0, os.SEEK_END)
        if self._file.tell():
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")
                self._file.flush()

    def _read(self) -> None:
        self._index.execute(
            "CREATE TABLE files (key TEXT PRIMARY KEY, state TEXT, size INTEGER, mtime INTEGER,"
            " sha256 TEXT, number INTEGER, same INTEGER) WITHOUT ROWID"
        )
        for line in read_lines(self.folder):
            if line.get("kind") == "run" and line.get("format") != _FORMAT:
                raise MaxSidecarError(
                    "the journal is of another version of this program", Where(str(self.folder))
                )
            if line.get("kind") == "file":
                # Half of a surrogate pair, which no path of ours has: none of our lines.
                with suppress(UnicodeEncodeError):
                    self._note(line)

    def _note(self, line: Mapping[str, Any]) -> None:
        path, undo = line.get("path"), line.get("undo")
        if not isinstance(path, str) or not isinstance(line.get("state"), str):
            return
        sha256 = line.get("sha256")
        self._index.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
            " state = excluded.state, size = excluded.size, mtime = excluded.mtime,"
            " sha256 = excluded.sha256, number = max(number, excluded.number),"
            " same = excluded.same",
            (
                path_key(path),
                line["state"],
                _integer(line.get("size")),
                _integer(line.get("mtime_ns")),
                sha256 if isinstance(sha256, str) else "",
                _integer(undo) + 1 if undo is not None else 0,
                # What a migration would not change is told again by the next run.
                int(line.get("fingerprint") == self.fingerprint and not line.get("problems")),
            ),
        )

    def known(self, path: str) -> Known | None:
        """Return what the journal knows of a file.

        Raises:
            SaveError: The index of the journal cannot be kept.
        """
        with self._writing():
            row = self._index.execute(
                "SELECT state, size, mtime, sha256, number, same FROM files WHERE key = ?",
                (path_key(path),),
            ).fetchone()
        if row is None:
            return None
        state, size, mtime_ns, sha256, number, same = row
        return Known(state, size, mtime_ns, sha256, number, bool(same))

    def position(self) -> int:
        """Return where the next line goes.

        Raises:
            SaveError: The journal cannot be written.
        """
        with self._writing():
            self._file.flush()
            return os.fstat(self._file.fileno()).st_size

    def start(self, about: Mapping[str, Any]) -> None:
        """Write the head of a run, and wait for the disk.

        Raises:
            SaveError: The journal cannot be written.
        """
        self._write({"kind": "run", "format": _FORMAT, "fingerprint": self.fingerprint, **about})
        self.sync()

    def add(self, about: Mapping[str, Any]) -> None:
        """Write what became of a file.

        Raises:
            SaveError: The journal cannot be written.
        """
        line = {"kind": "file", "fingerprint": self.fingerprint, **about}
        self._write(line)
        with self._writing():
            self._note(line)
        if time.monotonic() - self._synced > _SYNC:
            self.sync()

    def end(self, about: Mapping[str, Any]) -> None:
        """Write the end of a run, and wait for the disk.

        Raises:
            SaveError: The journal cannot be written.
        """
        self._write({"kind": "end", **about})
        self.sync()

    def _write(self, line: Mapping[str, Any]) -> None:
        # One call: the system takes the whole line, or what comes before a crash.
        data = json.dumps(line, ensure_ascii=True).encode("ascii") + b"\n"
        with self._writing():
            self._file.write(data)
            self._file.flush()

    def sync(self) -> None:
        """Wait until the disk has everything.

        Raises:
            SaveError: The journal cannot be written.
        """
        with self._writing():
            self._file.flush()
            os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Close the file and give back the lock.

        Raises:
            SaveError: The rest of the journal cannot be written; all else is closed.
        """
        with ExitStack() as stack:
            stack.enter_context(self._writing())
            stack.callback(self._lock.__exit__, None, None, None)
            stack.callback(self._index.close)
            if self._file is not None:
                self._file.close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it; after an error, what closing says is no news."""
        if kind is None:
            self.close()
            return
        with suppress(SaveError):
            self.close()


def _integer(value: object) -> int:
    return value if isinstance(value, int) and abs(value) < 1 << 62 else -1
