"""Running a function over many files on a ``dask.distributed`` cluster (extra ``dask``)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from typing import Any, Final, Generic, TypeVar

from maxsidecar.errors import MaxSidecarError, cut

__all__ = ["ClusterError", "map_cluster", "threads_of"]

T = TypeVar("T")
R = TypeVar("R")

#: Items that wait for each thread of the cluster, so that none is ever idle.
_AHEAD: Final = 4
_LONGEST: Final = 300
_TRIES: Final = 5
#: Seconds to wait for the scheduler, and for a first worker where it has none.
_CONNECT: Final = 30.0
#: Seconds without any worker after which a cluster is given up, unless told otherwise.
_PATIENCE: Final = 120.0
#: Seconds between two looks for results, and between two for workers while none come.
_LOOK: Final = 0.02
_COUNT: Final = 1.0
#: Seconds to wait for a result that a worker says it has.
_FETCH: Final = 10.0


class ClusterError(MaxSidecarError):
    """The cluster cannot be used."""


def map_cluster(
    function: Callable[[T], R],
    items: Iterable[T],
    failed: Callable[[T, str], R],
    *,
    scheduler: str,
    patience: float = _PATIENCE,
) -> Iterator[tuple[int, R]]:
    """Yield ``(position, result)`` of each item as it becomes ready.

    The workers need this package, and the files under the same paths.  Only as many items are on
    their way as keep the cluster busy.  A cluster that loses all its workers is given up after a
    while; every item without a result has failed then.

    Args:
        function: Called on the workers; can be imported by name there.
        items: What to work on; can be pickled.  Taken one by one, as workers become free.
        failed: Makes the result of an item that has none, from the item and the reason: its worker
            died, or the cluster was given up.
        scheduler: Address, such as ``tcp://host:8786``.
        patience: Seconds without any worker after which the cluster is given up.

    Raises:
        ClusterError: ``distributed`` is not installed, or the scheduler cannot be reached.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ClusterError(
            "a cluster needs the package distributed: pip install 'maxsidecar[dask]'"
        ) from None
    try:
        client = distributed.Client(scheduler, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        reason = cut(str(error), _LONGEST)
        raise ClusterError(f"cannot reach the scheduler {scheduler}: {reason}") from error
    with client:
        threads = threads_of(client, scheduler)
        tasks = _Tasks(client, function, distributed)
        waiting = iter(enumerate(items))
        for number, item in islice(waiting, threads * _AHEAD):
            tasks.submit(number, item)
        suspects: deque[tuple[int, T]] = deque()
        for end in tasks.ended(patience):
            following = next(waiting, None)
            if following is not None:
                tasks.submit(*following)
            if end.worker_died:
                suspects.append((end.number, end.item))
            else:
                yield end.number, _result(end, failed)
        # All that waited on a worker are blamed for its death: each gets the cluster for itself.
        while suspects and not tasks.running:
            tasks.submit(*suspects.popleft())
            for end in tasks.ended(patience):
                yield end.number, _result(end, failed)
        # There are such items only where the cluster was given up.
        reason = f"the cluster has had no workers for {patience:g} seconds"
        unfinished = ((number, item) for number, item, _ in tasks.running.values())
        for number, item in chain(unfinished, suspects, waiting):
            yield number, failed(item, reason)


@dataclass(frozen=True)
class _End(Generic[T, R]):
    """How the task of an item ended: with a value, or with a problem in words."""

    number: int
    item: T
    value: tuple[()] | tuple[R]
    problem: str = ""
    worker_died: bool = False


class _Tasks(Generic[T, R]):
    """What the cluster has to do.

    Attributes:
        running: Position, item and number of attempts of what has not ended.
    """

    def __init__(self, client: Any, function: Callable[[T], R], distributed: Any) -> None:
        self.running: dict[Any, tuple[int, T, int]] = {}
        self._client = client
        self._function = function
        self._done = distributed.as_completed([], loop=client.loop, raise_errors=False)
        #: What fetching the result of a task raises when its worker went with it.
        self._late = (TimeoutError, distributed.CancelledError, distributed.scheduler.KilledWorker)

    def submit(self, number: int, item: T, tries: int = 0) -> None:
        # Not pure: the same item may be asked for again, after a file has changed.
        future = self._client.submit(self._function, item, pure=False, retries=0)
        self._watch(future, number, item, tries)

    def ended(self, patience: float) -> Iterator[_End[T, R]]:
        """Yield how tasks end, until there are no more or the cluster is given up."""
        for future in self._ready(patience):
            number, item, tries = self.running.pop(future)
            if future.status == "lost" and tries < _TRIES:
                # Its result was on a worker that died over another item.
                self.submit(number, item, tries + 1)
            elif future.status == "finished":
                try:
                    value: R = future.result(timeout=_FETCH)
                except self._late as error:
                    # The cluster works on it again, or has found that it cannot.
                    if tries < _TRIES:
                        self._watch(future, number, item, tries + 1)
                    else:
                        yield _End(number, item, (), _words(error))
                else:
                    yield _End(number, item, (value,))
            else:
                problem = future.exception() if future.status == "error" else None
                died = type(problem).__name__ == "KilledWorker"
                text = future.status if problem is None else _words(problem)
                yield _End(number, item, (), text, died)

    def _watch(self, future: Any, number: int, item: T, tries: int) -> None:
        self.running[future] = number, item, tries
        self._done.add(future)

    def _ready(self, patience: float) -> Iterator[Any]:
        counted = time.monotonic()
        alone: float | None = None
        while not self._done.is_empty():
            batch = self._done.next_batch(block=False)
            if batch:
                alone = None
                yield from batch
                continue
            now = time.monotonic()
            if now - counted >= _COUNT:
                counted = now
                if self._client.nthreads():
                    alone = None
                elif alone is None:
                    alone = now
                elif now - alone >= patience:
                    return
            time.sleep(_LOOK)


def threads_of(client: Any, scheduler: str) -> int:
    """Return the threads of all workers, after waiting for a first worker.

    Workers may still start, or start again after a crash.

    Raises:
        ClusterError: None came.
    """
    try:
        client.wait_for_workers(1, timeout=_CONNECT)
    except TimeoutError:
        raise ClusterError(
            f"the cluster of {scheduler} has had no workers for {_CONNECT:.0f} seconds"
        ) from None
    threads: dict[str, int] = client.nthreads()
    return max(1, sum(threads.values()))


def _result(end: _End[T, R], failed: Callable[[T, str], R]) -> R:
    if end.value:
        return end.value[0]
    return failed(end.item, f"the worker failed ({cut(end.problem, _LONGEST)})")


def _words(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"
