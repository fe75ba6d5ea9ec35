"""Journals and undo records that somebody edited, or a crash tore."""

from __future__ import annotations

import errno
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from maxsidecar.errors import SaveError
from maxsidecar.migrate.engine import Run
from maxsidecar.migrate.journal import JOURNAL_NAME, Journal
from maxsidecar.migrate.store import Store, path_key
from maxsidecar.migrate.undo import Undo, UndoResult
from tests.unit.migrate.conftest import Runner, contents

BAD_LINES = [
    {"kind": "file", "path": "/a\ud800", "state": "changed"},
    {"kind": "file", "path": "/a", "state": "\ud800"},
    {"kind": "file", "path": "/a", "state": "changed", "sha256": "\ud800"},
    {"kind": "file", "path": "/a\0", "state": "changed"},
    {"kind": "file", "path": 3, "state": "changed"},
]


def journal_of(job: Run) -> Path:
    assert job.journal is not None
    return job.journal


def record_of(job: Run, scene: Path) -> Path:
    return Store(journal_of(job)).file_of(path_key(str(scene)), 0)


def undo(job: Run, jobs: int = 0) -> dict[str, UndoResult]:
    done = Undo(journal_of(job), jobs=jobs, timeout=200).results()
    return {Path(result.path).name: result for result in done}


@pytest.mark.parametrize("line", BAD_LINES)
def test_lines_of_others_are_passed_over(
    run: Runner, scenes: Path, line: dict[str, object]
) -> None:
    before = contents(scenes)
    job = run()
    with open(journal_of(job) / JOURNAL_NAME, "a") as file:
        file.write(json.dumps(line) + "\n")
    with Journal(journal_of(job)) as journal:
        known = journal.known(str(scenes / "a.max"))
        assert known is not None
        assert known.state == "changed"
    assert run().counts == {"done": 6}
    assert {result.state for result in undo(job).values()} == {"undone"}
    assert contents(scenes) == before


def test_a_record_with_a_large_number_costs_no_time(run: Runner, scenes: Path) -> None:
    before = contents(scenes)
    job = run()
    record = record_of(job, scenes / "a.max")
    shutil.copy(record, record.with_name(record.name.replace(".0.", ".999999999.")))
    found = undo(job)
    assert {name: result.state for name, result in found.items()} == dict.fromkeys(
        ("a.max", "b.MAX", "c.max", "d.max", "e f.max", "дом.max"), "undone"
    )
    assert contents(scenes) == before


def test_files_that_are_no_records_are_passed_over(run: Runner, scenes: Path) -> None:
    job = run()
    record = record_of(job, scenes / "a.max")
    key = path_key(str(scenes / "a.max"))
    for name in ("x.0.undo", f"{key}.00.undo", f"{key}.²۳.undo", f"{key}.-1.undo", f"{key}.0.old"):
        shutil.copy(record, record.with_name(name))
    shutil.copytree(record.parent, record.parent.with_name("zz"))
    assert sorted(Store(journal_of(job)).all_records()) == sorted(
        (path_key(str(path)), (0,)) for path in scenes.rglob("*") if path.suffix in (".max", ".MAX")
    )


def _renamed(head: dict[str, object], other: Path) -> None:
    head["path"] = str(other)


def _with_nul(head: dict[str, object], other: Path) -> None:
    head["path"] = f"\0{other}"


def _half_a_pair(head: dict[str, object], other: Path) -> None:
    head["path"] = f"{other}\ud800"


@pytest.mark.parametrize(
    ("edit", "moved"),
    [(_renamed, False), (_with_nul, False), (_with_nul, True), (_half_a_pair, False)],
)
def test_a_record_that_names_another_file_is_refused(
    run: Runner, scenes: Path, edit: Callable[[dict[str, object], Path], None], moved: bool
) -> None:
    job = run()
    # A copy with the bytes that the record expects, in which nothing may be undone.
    other = scenes / "other.max"
    shutil.copy(scenes / "a.max", other)
    after = contents(scenes)
    record = record_of(job, scenes / "a.max")
    line, body = record.read_bytes().split(b"\n", 1)
    head = json.loads(line)
    edit(head, other)
    record.write_bytes(json.dumps(head).encode("ascii") + b"\n" + body)
    if moved:
        # Under the key of what it says, so that only the system can refuse it.
        new = Store(journal_of(job)).file_of(path_key(head["path"]), 0)
        new.parent.mkdir(exist_ok=True)
        record.rename(new)
    done = list(Undo(journal_of(job)).results())
    (refused,) = [result for result in done if result.state != "undone"]
    assert refused.state == "refused"
    assert refused.message
    assert {name for name, digest in contents(scenes).items() if digest == after[name]} == {
        "a.max",
        "other.max",
    }


class FullDisk(io.BytesIO):
    """A journal on a disk without space: nothing goes beyond the buffer."""

    def fileno(self) -> int:
        return 0

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        if not self.closed:
            super().close()
            self.flush()


@pytest.mark.parametrize(
    "step",
    [
        lambda journal: journal.position(),
        lambda journal: journal.start({}),
        lambda journal: journal.add({"path": "/a", "state": "changed"}),
        lambda journal: journal.end({}),
        lambda journal: journal.sync(),
        lambda journal: journal.close(),
    ],
    ids=["position", "start", "add", "end", "sync", "close"],
)
def test_a_full_disk_is_told_with_the_journal(
    tmp_path: Path, step: Callable[[Journal], object]
) -> None:
    journal = Journal(tmp_path / "j").__enter__()
    journal._file.close()
    journal._file = FullDisk()
    with pytest.raises(SaveError, match="cannot write the journal: No space left") as caught:
        step(journal)
    assert caught.value.where.file == str(tmp_path / "j")
    # The first error is the one that counts, and the lock is given back.
    if not journal._file.closed:
        journal.__exit__(SaveError, caught.value, None)
    with Journal(tmp_path / "j") as again:
        again.add({"path": "/a", "state": "changed"})


def test_a_full_disk_of_the_index_is_told(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal:
        journal._index.execute("PRAGMA max_page_count = 2")
        with pytest.raises(SaveError, match=r"cannot write the journal: .*full"):
            _add_many(journal)


def _add_many(journal: Journal) -> None:
    for number in range(1000):
        journal.add({"path": f"/{number}", "state": "changed"})
