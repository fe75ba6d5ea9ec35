"""Giving back the files that a journal's runs have changed, byte for byte.

A file gets its old bytes back only while it is as the last save left it.  One that somebody changed
since is refused, and stays as it is.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from maxsidecar.batch.pool import map_isolated
from maxsidecar.errors import EditError, FileChangedError, MaxSidecarError, Where
from maxsidecar.io.save import save_segments, stamp
from maxsidecar.migrate.journal import JOURNAL_NAME, Journal
from maxsidecar.migrate.store import Store, UndoRecord

__all__ = ["AS_BEFORE", "REFUSED", "UNDONE", "Undo", "UndoResult"]

UNDONE: Final = "undone"
AS_BEFORE: Final = "as-before"
REFUSED: Final = "refused"

_Key = tuple[str, tuple[int, ...]]


@dataclass(slots=True)
class UndoResult:
    """What became of one file.

    Attributes:
        path: Absolute path.
        state: ``undone`` (in a dry run: would be), ``as-before`` for a file that has its old bytes
            already, or ``refused``.
        message: Why it was refused, one line.
        saves: How many saves were taken back.
        sha256: Contents of the file as it is now.
        size: Bytes of the file as it is now.
        mtime_ns: Time of its last change.
    """

    path: str
    state: str
    message: str = ""
    saves: int = 0
    sha256: str = ""
    size: int = -1
    mtime_ns: int = -1


class Undo:
    """Takes back what the runs of a journal did; :meth:`results` does it.

    Args:
        folder: Folder of the journal.
        jobs: Number of processes; 0 works in this one.
        timeout: Seconds after which a file counts as failed.
        dry_run: Write nothing.

    Attributes:
        counts: Files by state, so far.
    """

    def __init__(
        self, folder: Path, *, jobs: int = 0, timeout: float = 300.0, dry_run: bool = False
    ) -> None:
        """Check that there is a journal.

        Raises:
            EditError: There is none.
        """
        # The records of old files do without the journal itself.
        if not ((folder / JOURNAL_NAME).is_file() or Store(folder).folder.is_dir()):
            raise EditError(f"there is no journal here ({JOURNAL_NAME})", Where(str(folder)))
        self.folder = folder
        self.jobs = jobs
        self.timeout = timeout
        self.dry_run = dry_run
        self.counts: Counter[str] = Counter()

    def count(self) -> int:
        """Return how many files were changed."""
        return sum(1 for _ in Store(self.folder).all_records())

    def results(self) -> Iterator[UndoResult]:
        """Do it, and yield the result of each file that was ever changed.

        Raises:
            SaveError: The journal cannot be written, or another run writes to it.
        """
        with ExitStack() as stack:
            journal = None if self.dry_run else stack.enter_context(Journal(self.folder))
            done = map_isolated(
                partial(undo_file, str(self.folder), self.dry_run),
                Store(self.folder).all_records(),
                partial(_failed, Store(self.folder)),
                jobs=self.jobs,
                timeout=self.timeout,
            )
            for _, result in done:
                self.counts[result.state] += 1
                if journal is not None and result.state == UNDONE:
                    journal.add(
                        {
                            "path": result.path,
                            "state": UNDONE,
                            "size": result.size,
                            "mtime_ns": result.mtime_ns,
                            "sha256": result.sha256,
                        }
                    )
                yield result
            if journal is not None:
                journal.sync()


def _failed(store: Store, key: _Key, reason: str) -> UndoResult:
    """Return the result of a file whose worker died or took too long."""
    name, numbers = key
    records = (store.read_key(name, number) for number in numbers)
    path = next((record.path for record in records if record is not None), "")
    return UndoResult(path, REFUSED, f"{Where(path or f'record {name}')}: {reason}")


def undo_file(folder: str, dry_run: bool, key: _Key) -> UndoResult:
    """Give one file its old bytes back."""
    store = Store(folder)
    name, numbers = key
    result = UndoResult("", REFUSED)
    try:
        found = ((number, store.read_key(name, number)) for number in numbers)
        records = [(number, record) for number, record in found if record is not None]
        if not records:
            raise EditError("no record can be read", Where(str(store.file_of(name, numbers[0]))))
        result.path = records[0][1].path
        _undo(store, name, records, result, dry_run)
    except MaxSidecarError as error:
        result.state = REFUSED
        result.message = str(error.locate(file=result.path or None))
    except OSError as error:
        result.state, result.message = REFUSED, f"{Where(result.path)}: {error.strerror or error}"
    except ValueError as error:  # a NUL in the path of a record
        result.state, result.message = REFUSED, f"{Where(result.path)}: no such file: {error}"
    return result


def _undo(
    store: Store,
    name: str,
    records: list[tuple[int, UndoRecord]],
    result: UndoResult,
    dry_run: bool,
) -> None:
    where = Where(result.path)
    opened = Path(result.path).read_bytes()
    data = opened
    for number, record in records:
        if _sha256(data) == record.after:
            data = store.old_bytes(name, number, data)
            result.saves += 1
    result.sha256, result.size = _sha256(data), len(data)
    if not result.saves:
        if not any(record.before == result.sha256 for _, record in records):
            raise FileChangedError("the file was changed since, so it stays as it is", where)
        result.state = AS_BEFORE
        return
    if not dry_run:
        save_segments(result.path, [data], stamp=stamp(result.path, opened))
        result.mtime_ns = os.stat(result.path).st_mtime_ns
    result.state = UNDONE


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
