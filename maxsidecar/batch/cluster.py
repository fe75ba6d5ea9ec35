"""Running a function over many files on a ``dask.distributed`` cluster (extra ``dask``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any, Final, TypeVar

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


class ClusterError(MaxSidecarError):
    """The cluster cannot be used."""


def map_cluster(
    function: Callable[[T], R],
    items: Iterable[T],
    failed: Callable[[T, str], R],
    *,
    scheduler: str,
) -> Iterator[tuple[int, R]]:
    """Yield ``(position, result)`` of each item as it becomes ready.

    The workers need this package, and the files under the same paths.  Only as many items are on
    their way as keep the cluster busy.

    Args:
        function: Called on the workers; can be imported by name there.
        items: What to work on; can be pickled.  Taken one by one, as workers become free.
        failed: Makes the result of an item whose worker died, from the item and the reason.
        scheduler: Address, such as ``tcp://host:8786``.

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
        waiting = iter(enumerate(items))
        running: dict[Any, tuple[int, T, int]] = {}

        def submit(number: int, item: T, tries: int = 0) -> Any:
            # Not pure: the same item may be asked for again, after a file has changed.
            future = client.submit(function, item, pure=False, retries=0)
            running[future] = number, item, tries
            return future

        first = [submit(number, item) for number, item in islice(waiting, threads * _AHEAD)]
        done = distributed.as_completed(first, loop=client.loop, raise_errors=False)
        suspects: list[tuple[int, T]] = []
        for future in done:
            number, item, tries = running.pop(future)
            if future.status == "lost" and tries < _TRIES:
                # Its result was on a worker that died over another item.
                done.add(submit(number, item, tries + 1))
                continue
            following = next(waiting, None)
            if following is not None:
                done.add(submit(*following))
            if _worker_died(future):
                suspects.append((number, item))
            else:
                yield number, _result(future, item, failed)
            del future
        # All that waited on a worker are blamed for its death: each gets the cluster for itself.
        for number, item in suspects:
            alone = distributed.as_completed(
                [submit(number, item)], loop=client.loop, raise_errors=False
            )
            for future in alone:
                del running[future]
                yield number, _result(future, item, failed)


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


def _worker_died(future: Any) -> bool:
    return future.status == "error" and type(future.exception()).__name__ == "KilledWorker"


def _result(future: Any, item: T, failed: Callable[[T, str], R]) -> R:
    if future.status == "finished":
        found: R = future.result()
        return found
    return failed(item, _reason(future))


def _reason(future: Any) -> str:
    problem = future.exception() if future.status == "error" else None
    text = f"{type(problem).__name__}: {problem}" if problem is not None else future.status
    return f"the worker failed ({cut(str(text), _LONGEST)})"
