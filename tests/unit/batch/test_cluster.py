"""A cluster on this machine."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from maxsidecar.batch.cluster import ClusterError, map_cluster, threads_of
from maxsidecar.migrate.engine import Run, Settings
from maxsidecar.migrate.registry import get
from tests.conftest import REPOSITORY

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
dask = pytest.importorskip("dask")

pytestmark = pytest.mark.alone


@pytest.fixture
def cluster():  # type: ignore[no-untyped-def]
    """A cluster with two worker processes.

    Of each test its own: a cluster whose workers were killed on purpose may not get them back.
    """
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(REPOSITORY)
    options = {
        # A worker that just starts again when the cluster looks after it would be given up.
        "distributed.deploy.lost-worker-timeout": "300s",
        # How many more workers an item may kill: each takes seconds to start again.
        "distributed.scheduler.allowed-failures": 1,
    }
    try:
        with dask.config.set(options), distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
            silence_logs=50,
        ) as cluster:  # fmt: skip
            yield cluster
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


@pytest.fixture
def scheduler(cluster) -> str:  # type: ignore[no-untyped-def]
    """Address of the scheduler of the cluster."""
    return str(cluster.scheduler_address)


def work(item: int) -> int:
    """Do what the item says."""
    if item == 3:
        raise ValueError("three")
    if item in (5, 6, 21):
        os._exit(3)
    return item * item


def failed(item: int, reason: str) -> str:
    return f"{item}: {reason}"


@pytest.mark.slow
def test_every_item_has_a_result(scheduler: str) -> None:
    done = dict(map_cluster(work, range(40), failed, scheduler=scheduler))
    assert sorted(done) == list(range(40))
    # An item that only waited on a worker that died is not blamed.
    assert {n: r for n, r in done.items() if n not in (3, 5, 6, 21)} == {
        n: n * n for n in range(40) if n not in (3, 5, 6, 21)
    }
    assert "ValueError: three" in str(done[3])
    assert all("the worker failed" in str(done[n]) for n in (5, 6, 21))


def slowly(item: int) -> int:
    """Take so long that others are left when the first are done."""
    time.sleep(0.2)
    return item


@pytest.mark.slow
def test_a_cluster_that_loses_its_workers_is_given_up(cluster) -> None:  # type: ignore[no-untyped-def]
    found = map_cluster(
        slowly, range(60), failed, scheduler=cluster.scheduler_address, patience=3.0
    )
    done = dict([next(found)])
    cluster.scale(0)
    done |= dict(found)
    assert sorted(done) == list(range(60))
    lost = {number for number, result in done.items() if result != number}
    # Items that had not even been sent to the cluster, too.
    assert lost >= set(range(20, 60))
    assert {done[number] for number in lost} == {
        f"{number}: the cluster has had no workers for 3 seconds" for number in lost
    }


@pytest.mark.slow
def test_a_migration_on_a_cluster(scheduler: str, built_sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / "scenes"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.max").write_bytes(built_sample.read_bytes())
    options = {"node": [["^house$", "barn"]]}
    settings = Settings(scheduler=scheduler)
    job = Run(get("names"), options, [str(folder)], settings)
    assert {result.state for result in job.results()} == {"changed"}
    assert job.counts == {"changed": 6}
    again = Run(get("names"), options, [str(folder)], settings)
    assert not list(again.results())
    assert again.counts == {"done": 6}


def test_a_cluster_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxsidecar.batch.cluster._CONNECT", 0.2)
    with pytest.raises(ClusterError, match="cannot reach the scheduler"):
        list(map_cluster(work, [1], failed, scheduler="tcp://127.0.0.1:9"))
    with pytest.raises(ClusterError, match="cannot reach the scheduler"):
        list(map_cluster(work, [1], failed, scheduler="nonsense://"))


class FakeClient:
    """A client whose cluster gets its first worker while it is waited for, or never."""

    def __init__(self, later: dict[str, int]) -> None:
        self.later = later
        self.workers: dict[str, int] = {}

    def wait_for_workers(self, count: int, timeout: float) -> None:
        self.workers = self.later
        if len(self.workers) < count:
            raise TimeoutError(f"{timeout}")

    def nthreads(self) -> dict[str, int]:
        return self.workers


def test_workers_that_start_later_are_waited_for() -> None:
    assert threads_of(FakeClient({"a": 2, "b": 3}), "tcp://here:1") == 5


def test_a_cluster_without_workers() -> None:
    with pytest.raises(ClusterError, match="tcp://here:1 has had no workers for 30 seconds"):
        threads_of(FakeClient({}), "tcp://here:1")
