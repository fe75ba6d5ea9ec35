"""Undo records and backups on the disk."""

from __future__ import annotations

import errno
import multiprocessing
import os
from pathlib import Path

import pytest

from maxsidecar.errors import SaveError
from maxsidecar.io.save import save_segments
from maxsidecar.migrate import store
from maxsidecar.migrate.store import keep_backup

PROCESSES = 4
EACH = 12


def _keep(wanted: Path, first: int, barrier: object) -> None:
    barrier.wait()  # type: ignore[attr-defined]
    for number in range(first, first + EACH):
        keep_backup(wanted, b"%d" % number)


@pytest.mark.parametrize("links", [True, False])
def test_no_process_writes_over_the_backup_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system cannot fork")
    if not links:
        monkeypatch.setattr(os, "link", _no_links)
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(PROCESSES)
    wanted = tmp_path / "old" / "scene.max"
    workers = [
        context.Process(target=_keep, args=(wanted, EACH * number, barrier))
        for number in range(PROCESSES)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * PROCESSES
    kept = sorted(int(path.read_bytes()) for path in wanted.parent.iterdir())
    assert kept == list(range(PROCESSES * EACH))


@pytest.mark.parametrize("links", [True, False])
def test_a_name_that_is_taken_in_between_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    wanted = tmp_path / "scene.max"

    def slow_save(*args: object, **named: object) -> object:
        wanted.write_bytes(b"of another process")
        return save_segments(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "save_segments", slow_save)
    if not links:
        monkeypatch.setattr(os, "link", _no_links)
    kept = keep_backup(wanted, b"mine")
    assert wanted.read_bytes() == b"of another process"
    assert (kept, kept.read_bytes()) == (tmp_path / "scene.max1", b"mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scene.max", "scene.max1"]


def test_the_search_for_a_name_does_not_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []
    holds = store._holds

    def counted(name: Path, data: bytes) -> bool:
        looked_at[-1] += 1
        return holds(name, data)

    monkeypatch.setattr(store, "_holds", counted)
    names = []
    for number in range(60):
        looked_at.append(0)
        names.append(keep_backup(tmp_path / "scene.max", b"%d" % number))
    assert len({*names}) == 60
    assert [name.name for name in names[:3]] == ["scene.max", "scene.max1", "scene.max2"]
    assert max(looked_at) <= 10
    # The same bytes are kept once.
    assert [keep_backup(tmp_path / "scene.max", b"%d" % n) for n in range(60)] == names
    assert len([*tmp_path.iterdir()]) == 60


def test_a_backup_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(SaveError, match="cannot save"):
        keep_backup(tmp_path / "file" / "scene.max", b"mine")


def _no_links(*args: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")
