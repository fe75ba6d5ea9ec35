"""The pool of workers."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from maxsidecar.batch.pool import _Worker, map_isolated, most_workers

pytestmark = pytest.mark.alone

#: Seconds for an item and the start of its worker, on a machine that has a lot to do.
PATIENCE = 200


class MuteError(Exception):
    """An error whose text cannot be made."""

    def __str__(self) -> str:
        raise SystemExit(5)


def work(item: str) -> str:
    """Do what the item says."""
    if item == "die":
        os._exit(3)
    if item == "hang":
        time.sleep(600)
    if item == "interrupt":
        raise KeyboardInterrupt
    if item == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    if item.startswith("raise"):
        raise {"raise base": BaseException, "raise mute": MuteError}.get(item, KeyError)(item)
    if item.startswith("fork"):
        child = os.fork() == 0
        if child and item.endswith("raise"):
            raise KeyError(item)
        return "child" if child else "parent"
    return item.upper()


def failed(item: str, reason: str) -> str:
    return f"{item}: {reason}"


Results = Callable[[list[str], int], dict[int, str]]


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Results:
    def run_pool(items: list[str], jobs: int) -> dict[int, str]:
        numbered = list(map_isolated(work, items, failed, jobs=jobs, timeout=PATIENCE))
        assert len(numbered) == len(items)
        return dict(numbered)

    # Workers import this module by its name.
    root = str(Path(__file__).resolve().parents[3])
    monkeypatch.setenv("PYTHONPATH", root)
    return run_pool


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_pool_gives_every_result(jobs: int, results: Results) -> None:
    items = [f"item {n}" for n in range(7)]
    assert results(items, jobs) == {n: f"ITEM {n}" for n in range(7)}


def test_pool_survives_a_crash(results: Results) -> None:
    found = results(["a", "die", "b", "die", "c"], 2)
    assert {n: found[n] for n in (0, 2, 4)} == {0: "A", 2: "B", 4: "C"}
    assert found[1] == found[3] == "die: the worker process died (exit code 3)"


def test_pool_ends_what_takes_too_long() -> None:
    start = time.monotonic()
    items = ["hang", "a", "b"]
    found = dict(map_isolated(work, items, failed, jobs=1, timeout=10))
    assert found == {0: "hang: it took longer than 10 s", 1: "A", 2: "B"}
    assert time.monotonic() - start < 120


def test_pool_of_nothing(results: Results) -> None:
    assert results([], 4) == {}


def prepare() -> None:
    os.environ["PREPARED"] = "yes"


def report(item: str) -> str:
    return item + os.environ.get("PREPARED", "no")


@pytest.mark.parametrize("jobs", [0, 2])
def test_every_process_is_set_up(
    jobs: int, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREPARED", "not yet")
    items = ["a ", "b ", "c "]
    found = map_isolated(report, items, failed, jobs=jobs, timeout=PATIENCE, set_up=prepare)
    assert dict(found) == {0: "a yes", 1: "b yes", 2: "c yes"}


def test_windows_gets_no_more_workers_than_it_can_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert [most_workers(jobs) for jobs in (1, 61, 62, 1024)] == [1, 61, 61, 61]
    monkeypatch.setattr(sys, "platform", "linux")
    assert most_workers(1024) == 1024


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_worker_that_forks_gives_one_result(results: Results) -> None:
    items = ["fork", "a", "fork raise", "b", "fork", "c"]
    found = results(items, 2)
    assert list(map(found.get, range(6))) == ["parent", "A", "parent", "B", "parent", "C"]


def test_an_error_of_the_function_is_a_result(
    results: Results, capfd: pytest.CaptureFixture[str]
) -> None:
    assert results(["raise", "a", "raise base", "raise mute", "b"], 1) == {
        0: "raise: a fault in the worker (KeyError: 'raise')",
        1: "A",
        2: "raise base: a fault in the worker (BaseException: raise base)",
        3: "raise mute: a fault in the worker (MuteError)",
        4: "B",
    }
    assert "Traceback" not in capfd.readouterr().err


def test_an_interrupted_worker_says_so(results: Results) -> None:
    assert results(["interrupt", "a"], 1) == {
        0: "interrupt: the worker process was interrupted",
        1: "A",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_worker_that_ignores_signals_is_ended_at_once(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    del results  # sets the environment of workers up
    taken: list[float] = []
    end = _Worker.end

    def timed(worker: _Worker[str]) -> None:
        start = time.monotonic()
        end(worker)
        taken.append(time.monotonic() - start)

    monkeypatch.setattr(_Worker, "end", timed)
    found = map_isolated(work, ["deaf", "a"], failed, jobs=1, timeout=10)
    assert list(found) == [(0, "deaf: it took longer than 10 s"), (1, "A")]
    assert taken[0] < 4
