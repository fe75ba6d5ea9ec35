"""Running a migration over many files: found, migrated side by side, and written to a journal.

One file's failure never stops the run.  Memory does not grow with the number of files: they are
found, worked on and told about one after the other.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from maxsidecar.batch.cluster import map_cluster
from maxsidecar.batch.pool import map_isolated
from maxsidecar.batch.search import FileSearch, FoundFile
from maxsidecar.errors import MaxSidecarError, SaveError, Where
from maxsidecar.migrate.fingerprint import fingerprint
from maxsidecar.migrate.journal import JOURNAL_NAME, Journal
from maxsidecar.migrate.registry import Migration, MigrationError, Options, get
from maxsidecar.migrate.work import (
    CHANGED,
    FAILED,
    NOT_MAX,
    UNCHANGED,
    FileResult,
    Job,
    Task,
    failed_result,
    migrate_file,
)

__all__ = ["DONE", "MARKER", "Run", "Settings", "default_journal", "line_of"]

#: State of a file that the journal says was dealt with before.
DONE: Final = "done"
#: Folders with a file of this name hold journals or backups, not scenes to migrate.
MARKER: Final = ".maxsidecar-keep"
_MARKER_TEXT: Final = (
    "Journals and backups of maxsidecar migrate are kept here.\n"
    "Because of this file the folder is not searched for scenes.\n"
)
_FOLDER: Final = ".maxsidecar"
_TIMEOUT: Final = 300.0


@dataclass(frozen=True)
class Settings:
    """How a migration is run.

    Attributes:
        jobs: Number of processes; 0 works in this one, without isolation.
        timeout: Seconds after which a file counts as failed.
        scheduler: Address of a ``dask.distributed`` scheduler, instead of own processes.
        journal: Folder of the journal; ``None`` takes :func:`default_journal`.
        backup: Folder that takes the old files; ``None`` keeps none.
        dry_run: Save nothing, and write no journal.
        again: Also migrate files that the journal says were dealt with.
        set_up: Called once in each process before the first file, such as
            :func:`maxsidecar.plugins.load`.
        program: What the journal says did it.
    """

    jobs: int = 0
    timeout: float = _TIMEOUT
    scheduler: str | None = None
    journal: Path | None = None
    backup: Path | None = None
    dry_run: bool = False
    again: bool = False
    set_up: Callable[[], None] | None = None
    program: str = "maxsidecar"


def default_journal(migration: Migration, identity: str, roots: Sequence[str]) -> Path:
    """Return where the journal of a run is kept: in the first folder that is migrated."""
    first = Path(os.path.abspath(roots[0]))
    folder = first if first.is_dir() else first.parent
    return folder / _FOLDER / f"{migration.name}-{identity[:12]}"


class Run:
    """A migration of many files; :meth:`results` does it.

    Args:
        migration: What to do.
        options: Its options.
        roots: Files and folders.
        settings: How.

    Attributes:
        job: What is done to every file.
        journal: Folder of the journal; ``None`` in a dry run.
        counts: Files by state, so far; ``done`` are those that were dealt with before.
        changes: How many changes were told of files that were changed.
        problems: How many things migrations would not change.
        search: The files; its ``problems`` are complete at the end.
        seconds: How long it took, once it is done.
        start: Where in the journal the lines of this run begin.
    """

    def __init__(
        self, migration: Migration, options: Options, roots: Sequence[str], settings: Settings
    ) -> None:
        """Check options and paths; nothing is written yet.

        Raises:
            MigrationError: The options are wrong, files that they name cannot be read, or a folder
                for journal or backups is one that is migrated.
        """
        complete = migration.complete(options)
        try:
            complete = json.loads(json.dumps(complete))
        except (TypeError, ValueError) as error:
            raise MigrationError(f"options must be what JSON holds: {error}") from None
        identity = fingerprint(migration, complete)
        if settings.set_up is not None:
            settings.set_up()
        self.migration = migration
        self.roots = list(roots)
        self.settings = settings
        self.journal: Path | None = None
        if not settings.dry_run:
            folder = settings.journal or default_journal(migration, identity, roots)
            self.journal = Path(os.path.abspath(folder))
        self.job = Job(
            migration.name,
            complete,
            identity,
            store=None if self.journal is None else str(self.journal),
            backup=None if settings.backup is None else os.path.abspath(settings.backup),
            dry_run=settings.dry_run,
            set_up=settings.set_up,
        )
        _check_prepare(self.job, migration, settings)
        keep = [folder for folder in (settings.backup, self.journal) if folder is not None]
        for folder in keep:
            _check_outside(folder, roots)
        self.search = FileSearch(roots, skip=keep, marker=MARKER)
        self.counts: Counter[str] = Counter()
        self.changes = 0
        self.problems = 0
        self.seconds = 0.0
        self.id = uuid.uuid4().hex
        self.start = 0
        self._journal: Journal | None = None
        self._started = time.time()

    def count(self) -> int:
        """Return how many files there are."""
        return self.search.count()

    @property
    def seen(self) -> int:
        """How many files were dealt with so far, in this run or before."""
        return self.counts.total()

    @property
    def nothing_done(self) -> bool:
        """Whether all files had been dealt with before."""
        return set(self.counts) <= {DONE}

    @property
    def failed(self) -> bool:
        """Whether anything went wrong."""
        return bool(self.counts[FAILED] or self.problems or self.search.problems)

    def about(self) -> dict[str, Any]:
        """Return what the journal and reports say of the run."""
        return {
            "id": self.id,
            "migration": self.migration.name,
            "options": self.job.options,
            "roots": [os.path.abspath(root) for root in self.roots],
            "backup": self.job.backup,
            "dry_run": self.job.dry_run,
            "program": self.settings.program,
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._started)),
        }

    def totals(self) -> dict[str, Any]:
        """Return the counts."""
        states = (CHANGED, UNCHANGED, DONE, NOT_MAX, FAILED)
        return {
            **{state.replace("-", "_"): self.counts[state] for state in states},
            "changes": self.changes,
            "problems": self.problems,
            "seconds": round(self.seconds, 3),
        }

    def results(self) -> Iterator[FileResult]:
        """Do it, and yield the result of each file that was worked on, as it becomes ready.

        A result is in the journal when it is yielded.

        Raises:
            SaveError: The journal cannot be written, or another run writes to it.
            ClusterError: The cluster cannot be used.
        """
        clock = time.perf_counter()
        with ExitStack() as stack:
            for result in self._work(self._tasks(stack)):
                self.counts[result.state] += 1
                if result.state == CHANGED:
                    self.changes += result.changes
                self.problems += result.problems
                if self._journal is not None:
                    self._journal.add(line_of(result))
                yield result
            self.seconds = time.perf_counter() - clock
            if self._journal is not None and not self.nothing_done:
                self._journal.end({"id": self.id, **self.totals()})

    def _work(self, tasks: Iterable[Task]) -> Iterator[FileResult]:
        function = partial(migrate_file, self.job)
        settings = self.settings
        if settings.scheduler is not None:
            done = map_cluster(function, tasks, failed_result, scheduler=settings.scheduler)
        else:
            done = map_isolated(
                function, tasks, failed_result, jobs=settings.jobs, timeout=settings.timeout
            )
        for _, result in done:
            yield result

    def _tasks(self, stack: ExitStack) -> Iterator[Task]:
        """Yield the files that have to be looked into."""
        if self.journal is not None and (self.journal / JOURNAL_NAME).exists():
            self._journal = stack.enter_context(Journal(self.journal, self.job.fingerprint))
        begun = self.journal is None
        for file in self.search.files():
            task = self._task(file)
            if task is None:
                self.counts[DONE] += 1
                continue
            if not begun:
                self._begin(stack)
                begun = True
            yield task

    def _begin(self, stack: ExitStack) -> None:
        """Write the head of the run, before anything is done."""
        folders = [self.journal, None if self.job.backup is None else Path(self.job.backup)]
        for folder in folders:
            if folder is not None:
                _mark(folder)
        if self._journal is None and self.journal is not None:
            self._journal = stack.enter_context(Journal(self.journal, self.job.fingerprint))
        if self._journal is not None:
            self.start = self._journal.position()
            self._journal.start(self.about())

    def _task(self, file: FoundFile) -> Task | None:
        """Return the task of a file, ``None`` where it was dealt with before."""
        known = self._journal.known(file.path) if self._journal is not None else None
        if known is None:
            return Task(file.path, file.relative)
        again = Task(file.path, file.relative, known.number)
        dealt_with = known.same and known.state in (CHANGED, UNCHANGED, NOT_MAX)
        if not dealt_with or self.settings.again:
            return again
        try:
            status = os.stat(file.path)
        except OSError:
            return again
        if (status.st_size, status.st_mtime_ns) == (known.size, known.mtime_ns):
            return None
        return replace(again, sha256=known.sha256)


def line_of(result: FileResult) -> dict[str, Any]:
    """Return what the journal and reports say of a file."""
    line: dict[str, Any] = {"path": result.path, "state": result.state}
    if result.message:
        line["message"] = result.message
    line |= {"size": result.size, "mtime_ns": result.mtime_ns, "sha256": result.after}
    if result.state == CHANGED:
        line |= {"before": result.before, "undo": result.undo, "backup": result.backup}
    if result.recovered:
        line["recovered"] = True
    if result.changes:
        line["changes"] = result.changes
    if result.problems:
        line["problems"] = result.problems
    if result.entries:
        line["log"] = [entry.as_dict() for entry in result.entries]
    if result.left_out:
        line["left_out"] = result.left_out
    line["seconds"] = round(result.seconds, 4)
    return line


def _check_prepare(job: Job, migration: Migration, settings: Settings) -> None:
    """Tell wrong options once, and before any work."""
    if not (migration.runs_code and settings.jobs):
        migration.prepare(job.options)
        return
    # A script may end its process, or hang.
    problems = map_isolated(
        _prepare_problem, [job], _no_answer, jobs=1, timeout=settings.timeout, set_up=job.set_up
    )
    for _, problem in problems:
        if problem:
            raise MigrationError(problem)


def _prepare_problem(job: Job) -> str:
    """Return why a migration cannot be prepared; empty where it can."""
    try:
        get(job.migration).prepare(job.options)
    except MaxSidecarError as error:
        return str(error)
    return ""


def _no_answer(job: Job, reason: str) -> str:
    return f"cannot start the migration {job.migration!r}: {reason}"


def _check_outside(folder: Path, roots: Sequence[str]) -> None:
    """Refuse a folder for journal or backups that would keep a root from being searched."""
    kept = os.path.normcase(os.path.realpath(folder))
    for root in roots:
        path = os.path.normcase(os.path.realpath(root))
        if path == kept or path.startswith(os.path.join(kept, "")):
            raise MigrationError(
                "journals and backups need a folder of their own, and this one is migrated",
                Where(str(folder)),
            )


def _mark(folder: Path) -> None:
    """Keep a folder out of later searches for scenes."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / MARKER
        if not path.exists():
            path.write_text(_MARKER_TEXT, encoding="ascii")
    except OSError as error:
        raise SaveError(f"cannot write here: {error.strerror}", Where(str(folder))) from error
