"""Running a function over many files, each isolated from the others.

Workers are processes that are handed one item at a time.  A worker that crashes costs the item it
worked on, and one that takes too long is ended; a new worker takes over.  (The executors of the
standard library lose all pending items when a worker dies, and cannot end one that hangs.)
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Final, Generic, TypeVar

from maxsidecar.batch.forks import one_process
from maxsidecar.errors import cut

__all__ = ["map_isolated"]

#: Windows waits for at most 63 objects at once; the standard library's pools stop at 61 as well.
_MOST_ON_WINDOWS: Final = 61
_LONGEST: Final = 300
#: Exit code of a worker that was interrupted: what shells say of a process that SIGINT ended.
_INTERRUPTED: Final = 130

T = TypeVar("T")
R = TypeVar("R")


def _work(
    pipe: Connection,
    function: Callable[[Any], Any],
    set_up: Callable[[], None] | None,
    has_streams: bool,
) -> None:
    """Run in a worker: take an item, give its result, until there are no more."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Results go through the pipe.  What else is written, such as by a program that a user's script
    # starts, must not get between the lines of our output.
    if has_streams:  # else other things may have their descriptors
        with suppress(OSError):
            os.dup2(2, 1)
    if set_up is not None:
        set_up()
    try:
        with suppress(EOFError, BrokenPipeError):
            while True:
                number, item = pipe.recv()
                good, result = _call(function, item)
                pipe.send((number, good, result))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _call(function: Callable[[Any], Any], item: Any) -> tuple[bool, Any]:
    """Return the result, or what went wrong as ``(False, reason)``."""
    try:
        with one_process():
            return True, function(item)
    except KeyboardInterrupt:
        raise
    except MemoryError:
        return False, "not enough memory"
    except BaseException as error:  # noqa: BLE001 - the function may run code of a user
        kind = type(error).__name__
        try:
            return False, f"a fault in the worker ({cut(f'{kind}: {error}', _LONGEST)})"
        except BaseException:  # noqa: BLE001 - and so may the text of its error
            return False, f"a fault in the worker ({cut(kind, _LONGEST)})"


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, even in the middle of an item.

    A run that is started anew after its parent was killed must not meet the old workers.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@dataclass(slots=True)
class _Worker(Generic[T]):
    process: SpawnProcess
    pipe: Any  # a Connection, which has another type on Windows
    item: T
    number: int
    deadline: float

    def give(self, item: T, number: int, timeout: float) -> None:
        self.item, self.number = item, number
        self.deadline = time.monotonic() + timeout
        self.pipe.send((number, item))

    def end_reason(self) -> str:
        """Return why the worker gives no result."""
        self.process.join(5)
        code = self.process.exitcode
        if code == _INTERRUPTED:
            return "the worker process was interrupted"
        return f"the worker process died (exit code {code})"

    def end(self) -> None:
        self.pipe.close()
        # No use in asking first: a worker has nothing to tidy up, and a script may ignore SIGTERM.
        self.process.kill()
        self.process.join(5)


class _Pool(Generic[T, R]):
    def __init__(
        self,
        function: Callable[[T], R],
        failed: Callable[[T, str], R],
        timeout: float,
        set_up: Callable[[], None] | None,
    ) -> None:
        self.function = function
        self.set_up = set_up
        self.failed = failed
        self.timeout = timeout
        self.context: SpawnContext = multiprocessing.get_context("spawn")
        self.workers: list[_Worker[T]] = []

    def start(self, item: T, number: int) -> None:
        """Start a worker with its first item."""
        ours, theirs = self.context.Pipe()
        has_streams = sys.stdout is not None and sys.stderr is not None
        arguments = (theirs, self.function, self.set_up, has_streams)
        process = self.context.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours, item, number, 0.0)
        self.workers.append(worker)
        worker.give(item, number, self.timeout)

    def ready(self) -> list[tuple[_Worker[T], R, bool]]:
        """Wait for workers: the worker, its result, and whether it is still usable."""
        now = time.monotonic()
        soonest = min(worker.deadline for worker in self.workers)
        heard = set(wait([worker.pipe for worker in self.workers], max(0.0, soonest - now)))
        out: list[tuple[_Worker[T], R, bool]] = []
        for worker in self.workers:
            if worker.pipe in heard:
                try:
                    number, good, result = worker.pipe.recv()
                    if number == worker.number:
                        if not good:
                            result = self.failed(worker.item, result)
                        out.append((worker, result, True))
                except (EOFError, OSError):
                    out.append((worker, self.failed(worker.item, worker.end_reason()), False))
            elif time.monotonic() >= worker.deadline:
                reason = f"it took longer than {self.timeout:g} s"
                out.append((worker, self.failed(worker.item, reason), False))
        return out

    def drop(self, worker: _Worker[T]) -> None:
        """End a worker that is of no more use."""
        self.workers.remove(worker)
        worker.end()


def most_workers(jobs: int) -> int:
    """Return how many of the wanted workers this system can wait for."""
    return min(jobs, _MOST_ON_WINDOWS) if sys.platform == "win32" else jobs


def map_isolated(
    function: Callable[[T], R],
    items: Iterable[T],
    failed: Callable[[T, str], R],
    *,
    jobs: int,
    timeout: float,
    set_up: Callable[[], None] | None = None,
) -> Iterator[tuple[int, R]]:
    """Yield ``(position, result)`` of each item as it becomes ready.

    Args:
        function: Called in a worker process; can be imported by name.
        items: What to work on; can be pickled.  Taken one by one, as workers become free.
        failed: Makes the result of an item whose worker died or took too long, or over which the
            function raised an error, from the item and the reason.
        jobs: Number of workers, on Windows at most 61; 0 works in this process, without isolation:
            errors go on to the caller.
        timeout: Seconds per item, start of the first worker included.
        set_up: Called once in each process before its first item; can be imported by name.
    """
    if jobs == 0:
        if set_up is not None:
            set_up()
        for number, item in enumerate(items):
            yield number, function(item)
        return
    waiting = iter(enumerate(items))
    pool: _Pool[T, R] = _Pool(function, failed, timeout, set_up)
    try:
        for number, item in islice(waiting, most_workers(jobs)):
            pool.start(item, number)
        while pool.workers:
            for worker, result, usable in pool.ready():
                yield worker.number, result
                following = next(waiting, None)
                if usable and following is not None:
                    try:
                        worker.give(following[1], following[0], timeout)
                        continue
                    except OSError:
                        # It died between two items: the item goes to a new one.
                        usable = False
                pool.drop(worker)
                if following is not None:
                    pool.start(following[1], following[0])
    finally:
        for worker in list(pool.workers):
            pool.drop(worker)
