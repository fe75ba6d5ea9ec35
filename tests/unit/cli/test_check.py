"""The check command, and the pool of workers behind it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from maxsidecar.cli.pool import map_isolated
from tests.unit.cli.conftest import Runner

KEYS = [
    "path", "release", "status", "compressed", "streams", "chunks", "objects", "typed_objects",
    "typed_bytes", "scene_bytes", "problems",
]  # fmt: skip


@pytest.fixture
def mixed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sound scene, a damaged one and a text."""
    data = bytearray(Path("street.max").read_bytes())
    (folder / "sub dir").mkdir()
    (folder / "sub dir" / "text.MAX").write_text("not a scene")
    # The Scene stream of this sample begins with the root id of release 6 and its size.
    at = data.index(b"\x09\x20")
    data[at + 6 + 2] ^= 0x40
    (folder / "bad.max").write_bytes(bytes(data))
    return folder


@pytest.mark.parametrize("jobs", ["0", "2"])
def test_json(jobs: str, run: Runner, mixed: Path) -> None:
    ran = run("check", "--json", "--jobs", jobs, ".", "gone.max")
    rows = [json.loads(line) for line in ran.lines]
    assert all(list(row) == KEYS for row in rows)
    by_name = {Path(row["path"]).name: row for row in rows}
    assert {name: row["status"] for name, row in by_name.items()} == {
        "bad.max": "failed", "street.max": "ok", "text.MAX": "not-max", "gone.max": "failed"
    }  # fmt: skip
    sound = by_name["street.max"]
    assert (sound["release"], sound["compressed"], sound["problems"]) == ("6", False, [])
    assert 0 < sound["typed_objects"] < sound["objects"]
    assert 0 < sound["typed_bytes"] < sound["scene_bytes"]
    for name in ("bad.max", "text.MAX", "gone.max"):
        assert by_name[name]["problems"]
        assert all(name in problem for problem in by_name[name]["problems"])
    assert ran.code == 1


def test_table(run: Runner, mixed: Path) -> None:
    ran = run("check", "--jobs", "0", ".")
    assert ran.code == 1
    assert "not scenes: 1" in ran.out
    assert "failed: 1" in ran.out
    total = next(line for line in ran.lines if line.startswith("all"))
    # Two scenes, of which one is sound and one is not.
    assert total.split()[1:4] == ["2", "1", "1"]


def test_look_alikes_do_not_fail(run: Runner, mixed: Path) -> None:
    (mixed / "bad.max").unlink()
    assert run("check", "--jobs", "0", ".").code == 0
    assert run("check", "--jobs", "0", "sub dir").code == 0


def test_check_changes_no_file(run: Runner, mixed: Path) -> None:
    before = {path: path.read_bytes() for path in mixed.rglob("*") if path.is_file()}
    run("check", "--jobs", "0", ".")
    assert {path: path.read_bytes() for path in mixed.rglob("*") if path.is_file()} == before


# --- the pool ------------------------------------------------------------------------------------


def work(item: str) -> str:
    """Do what the item says."""
    if item == "die":
        os._exit(3)
    if item == "hang":
        time.sleep(600)
    return item.upper()


def failed(item: str, reason: str) -> str:
    return f"{item}: {reason}"


Results = Callable[[list[str], int], dict[int, str]]


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Results:
    def run_pool(items: list[str], jobs: int) -> dict[int, str]:
        numbered = list(map_isolated(work, items, failed, jobs=jobs, timeout=20))
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
    found = dict(map_isolated(work, items, failed, jobs=1, timeout=5))
    assert found == {0: "hang: it took longer than 5 s", 1: "A", 2: "B"}
    assert time.monotonic() - start < 120


def test_pool_of_nothing(results: Results) -> None:
    assert results([], 4) == {}
