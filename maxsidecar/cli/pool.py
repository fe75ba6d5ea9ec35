"""Running a function over many files, each isolated from the others.

Workers are processes that are handed one item at a time.  A worker that crashes costs the item it
worked on, and one that takes too long is ended; a new worker takes over.  (The executors of the
standard library lose all pending items when a worker dies, and cannot end one that hangs.)
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Generic, TypeVar

__all__ = ["map_isolated"]

T = TypeVar("T")
R = TypeVar("R")


def _work(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """Run in a worker: take an item, give its result, until there are no more."""
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            pipe.send(function(pipe.recv()))


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
        self.pipe.send(item)

    def end(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class _Pool(Generic[T, R]):
    def __init__(
        self, function: Callable[[T], R], failed: Callable[[T, str], R], timeout: float
    ) -> None:
        self.function = function
        self.failed = failed
        self.timeout = timeout
        self.context: SpawnContext = multiprocessing.get_context("spawn")
        self.workers: list[_Worker[T]] = []

    def start(self, item: T, number: int) -> None:
        """Start a worker with its first item."""
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=_work, args=(theirs, self.function), daemon=True)
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
                    out.append((worker, worker.pipe.recv(), True))
                except (EOFError, OSError):
                    worker.process.join(5)
                    reason = f"the worker process died (exit code {worker.process.exitcode})"
                    out.append((worker, self.failed(worker.item, reason), False))
            elif time.monotonic() >= worker.deadline:
                reason = f"it took longer than {self.timeout:g} s"
                out.append((worker, self.failed(worker.item, reason), False))
        return out

    def drop(self, worker: _Worker[T]) -> None:
        """End a worker that is of no more use."""
        self.workers.remove(worker)
        worker.end()


def map_isolated(
    function: Callable[[T], R],
    items: Sequence[T],
    failed: Callable[[T, str], R],
    *,
    jobs: int,
    timeout: float,
) -> Iterator[tuple[int, R]]:
    """Yield ``(position, result)`` of each item as it becomes ready.

    Args:
        function: Called in a worker process; can be imported by name.
        items: What to work on; can be pickled.
        failed: Makes the result of an item whose worker died or took too long, from the item and
            the reason.
        jobs: Number of workers; 0 works in this process, without isolation.
        timeout: Seconds per item, start of the first worker included.
    """
    if jobs == 0:
        for number, item in enumerate(items):
            yield number, function(item)
        return
    waiting = iter(enumerate(items))
    pool: _Pool[T, R] = _Pool(function, failed, timeout)
    try:
        for _ in range(min(jobs, len(items))):
            number, item = next(waiting)
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
