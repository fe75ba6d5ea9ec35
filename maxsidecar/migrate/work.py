"""The work on one file: open, migrate, keep what undoing needs, save.

Everything that can go wrong with a file becomes its result, so that no file stops a run.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from maxsidecar.batch.forks import one_process
from maxsidecar.errors import FileChangedError, MaxSidecarError, NotMaxFileError, Where
from maxsidecar.io.buffers import Buffer
from maxsidecar.migrate import registry
from maxsidecar.migrate.faults import fault, is_told
from maxsidecar.migrate.fingerprint import fingerprint
from maxsidecar.migrate.log import CHANGE, PROBLEM, Entry, Log
from maxsidecar.migrate.registry import Change, Migration, MigrationError
from maxsidecar.migrate.store import Store, UndoRecord, keep_backup
from maxsidecar.scene.maxfile import MaxFile, open_file

__all__ = [
    "CHANGED",
    "FAILED",
    "NOT_MAX",
    "UNCHANGED",
    "FileResult",
    "Job",
    "Task",
    "failed_result",
    "migrate_file",
]

CHANGED: Final = "changed"
UNCHANGED: Final = "unchanged"
FAILED: Final = "failed"
NOT_MAX: Final = "not-max"

#: How often a file is tried that changes while it is worked on.
_TRIES: Final = 3

#: A save of its own would have no undo record, and would write in a dry run.
_NO_SAVE: Final = "a migration must not save: that is done for it"


@dataclass(frozen=True)
class Job:
    """What is done to every file of a run; travels to other processes.

    Attributes:
        migration: Name of the migration.
        options: Its options, complete.
        fingerprint: Identity of migration, options and the files that they name.
        store: Folder that takes what undoing needs; ``None`` keeps nothing.
        backup: Folder that takes the old files; ``None`` keeps none.
        dry_run: Save nothing.
        set_up: Called once in each process before the first file.
    """

    migration: str
    options: dict[str, Any]
    fingerprint: str
    store: str | None = None
    backup: str | None = None
    dry_run: bool = False
    set_up: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One file.

    Attributes:
        path: Absolute path.
        relative: Path below the backup folder.
        number: Number of the next undo record.
        sha256: Contents that this migration has dealt with before; empty for none.
    """

    path: str
    relative: str
    number: int = 0
    sha256: str = ""


@dataclass(slots=True)
class FileResult:
    """What became of one file.

    Attributes:
        path: Absolute path.
        state: ``changed`` (in a dry run: would be), ``unchanged``, ``failed``, or ``not-max`` for
            a file that is no scene.
        message: Why it failed, one line.
        entries: What the migration told.
        left_out: How many entries more it told.
        changes: How many changes it told.
        problems: How many things it would not change.
        before: SHA-256 of the file that was opened.
        after: SHA-256 of the file as it is now.
        size: Bytes of the file as it is now.
        mtime_ns: Time of its last change.
        undo: Number of the undo record.
        backup: Where the old file is kept.
        recovered: Whether the file was saved by an earlier run that ended before it could say so.
        seconds: Time that it took.
    """

    path: str
    state: str
    message: str = ""
    entries: list[Entry] = field(default_factory=list)
    left_out: int = 0
    changes: int = 0
    problems: int = 0
    before: str = ""
    after: str = ""
    size: int = -1
    mtime_ns: int = -1
    undo: int | None = None
    backup: str | None = None
    recovered: bool = False
    seconds: float = 0.0


class _SameBytesError(Exception):
    """The edits came to nothing."""


def failed_result(task: Task, reason: str) -> FileResult:
    """Return the result of a file whose worker died or took too long."""
    return FileResult(task.path, FAILED, f"{Where(task.path)}: {reason}")


def migrate_file(job: Job, task: Task) -> FileResult:
    """Migrate one file; whatever goes wrong is in the result."""
    started = time.perf_counter()
    result = FileResult(task.path, FAILED)
    for attempt in range(_TRIES):
        result = FileResult(task.path, FAILED)
        try:
            _migrate(job, task, result)
        except FileChangedError as error:
            _fail(result, _message(error, task))
            if attempt + 1 < _TRIES:
                continue
        except (MaxSidecarError, OSError) as error:
            _fail(result, _message(error, task))
        except MemoryError:
            _fail(result, f"{Where(task.path)}: not enough memory")
        break
    result.seconds = time.perf_counter() - started
    return result


def _fail(result: FileResult, message: str) -> None:
    """Say why a file failed, and what it is now: nothing was saved."""
    result.state, result.message = FAILED, message
    result.undo = result.backup = None
    known = result.size, result.mtime_ns
    try:
        status = os.stat(result.path)
        result.size, result.mtime_ns = status.st_size, status.st_mtime_ns
    except (OSError, ValueError):
        result.size = result.mtime_ns = -1
    if known != (result.size, result.mtime_ns):
        result.after = ""


def _message(error: MaxSidecarError | OSError, task: Task) -> str:
    if isinstance(error, MaxSidecarError):
        error.locate(file=task.path)
        return str(error)
    return f"{Where(task.path)}: {error.strerror or error}"


def _migrate(job: Job, task: Task, result: FileResult) -> None:
    change = _prepared(job)
    store = Store(job.store) if job.store is not None and not job.dry_run else None
    status = os.stat(task.path)
    result.size, result.mtime_ns = status.st_size, status.st_mtime_ns
    try:
        opened = open_file(task.path)
    except NotMaxFileError as error:
        # Only here: a migration may open other files.
        result.state, result.message = NOT_MAX, _message(error, task)
        return
    with opened as scene_file:
        result.before = result.after = scene_file.sha256
        result.size = len(scene_file.compound.data)
        if task.sha256 == result.before:
            # Touched or copied, but with the contents that the journal knows.
            result.state = UNCHANGED
            return
        # Records that the journal does not know: of runs that ended in the middle of a save.
        number = task.number
        for free, record in store.records(task.path, number) if store is not None else ():
            if record.after == result.before and record.fingerprint == job.fingerprint:
                _recover(record, free, result)
                return
            # A record of other contents stays; one of a save that did not happen is replaced.
            number = free if record.before == result.before else free + 1
        log = Log()
        try:
            _call(change, scene_file, log)
            for problem in scene_file.problems():
                log.warning(problem.message, problem.where)
        finally:
            result.entries, result.left_out = log.entries, log.left_out
            result.changes, result.problems = log.changes, log.problems
        if not scene_file.edited:
            result.state = UNCHANGED
            return
        _save(job, task, result, scene_file, store, number)


def _recover(record: UndoRecord, number: int, result: FileResult) -> None:
    """Say what the run did that saved the file and was ended before it could say so."""
    result.state, result.recovered = CHANGED, True
    result.before, result.undo, result.backup = record.before, number, record.backup
    result.entries = record.entries
    result.changes = sum(entry.kind == CHANGE for entry in record.entries)
    result.problems = sum(entry.kind == PROBLEM for entry in record.entries)


def _save(
    job: Job,
    task: Task,
    result: FileResult,
    scene_file: MaxFile,
    store: Store | None,
    number: int,
) -> None:
    after, size, backup, recorded = "", 0, None, False

    def keep(pieces: Sequence[Buffer]) -> None:
        nonlocal after, size, backup, recorded
        new = b"".join(pieces)
        old = scene_file.compound.data
        after, size = hashlib.sha256(new).hexdigest(), len(new)
        if after == result.before:
            raise _SameBytesError
        if job.dry_run:
            return
        if job.backup is not None:
            backup = str(keep_backup(Path(job.backup, task.relative), old))
        if store is not None:
            record = UndoRecord(
                task.path, result.before, after, job.fingerprint, backup, result.entries
            )
            recorded = True
            store.write(record, number, old, new)

    try:
        if job.dry_run:
            keep(scene_file.segments())
        else:
            scene_file.save(before=keep)
    except _SameBytesError:
        result.state = UNCHANGED
        return
    except MaxSidecarError as error:
        # Else a later run would take what another program saved for what this one did.  Some
        # network drives tell of a failure after a file took its place: its record stays.
        theirs = isinstance(error, FileChangedError)
        if store is not None and recorded and (theirs or not _holds(task.path, after)):
            store.remove(task.path, number)
        raise
    # Only now: what the result says of the file holds also where the save failed.
    result.state, result.after, result.size, result.backup = CHANGED, after, size, backup
    if not job.dry_run:
        result.undo = number if store is not None else None
        # Whoever takes the file away right after the save does not make it fail.
        with suppress(OSError):
            result.mtime_ns = os.stat(task.path).st_mtime_ns


def _holds(path: str, sha256: str) -> bool:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return True  # nobody knows


#: What edits a file, by the fingerprint of migration, options and files.
_prepared_changes: dict[str, Change] = {}


def _prepared(job: Job) -> Change:
    """Return what edits a file, prepared once in each process.

    Raises:
        MigrationError: The options are wrong, or files that they name changed since the run began.
    """
    change = _prepared_changes.get(job.fingerprint)
    if change is None:
        if job.set_up is not None:
            job.set_up()
        migration = registry.get(job.migration)
        _check_same(job, migration)
        change = migration.prepare(job.options)
        # Once more: the files may have been edited between the two times that they were read.
        _check_same(job, migration)
        _prepared_changes[job.fingerprint] = change
    return change


def _check_same(job: Job, migration: Migration) -> None:
    if fingerprint(migration, job.options) != job.fingerprint:
        raise MigrationError("a script or file of the options changed meanwhile")


def _call(change: Change, scene_file: MaxFile, log: Log) -> None:
    """Run the migration; a fault of its own is an error of the file.

    Raises:
        MaxSidecarError: The migration failed.
    """
    try:
        # What a script prints must not get between the lines of our output.
        with redirect_stdout(sys.stderr), one_process(), scene_file.sealed(_NO_SAVE):
            change(scene_file, log)
    except (NotMaxFileError, FileChangedError) as error:
        # Of another file that the migration works with.
        raise MigrationError(str(error), Where(str(scene_file.path))) from error
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        if is_told(error):
            raise
        raise MigrationError(fault(error), Where(str(scene_file.path))) from error
