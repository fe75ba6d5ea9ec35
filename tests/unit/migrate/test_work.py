"""The work on one file."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import maxsidecar
from maxsidecar.errors import (
    EditError,
    FileChangedError,
    MaxSidecarError,
    NotMaxFileError,
    SaveError,
    Where,
)
from maxsidecar.migrate import registry, work
from maxsidecar.migrate.engine import Run, Settings
from maxsidecar.migrate.fingerprint import fingerprint
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import Change, Migration, Option, Options
from maxsidecar.migrate.store import Store, path_key
from maxsidecar.migrate.work import (
    CHANGED,
    FAILED,
    NOT_MAX,
    UNCHANGED,
    FileResult,
    Job,
    Task,
    migrate_file,
)
from maxsidecar.scene.maxfile import MaxFile


def _prepare(options: Options) -> Change:
    def change(scene_file: MaxFile, log: Log) -> None:
        for node in scene_file.nodes.find("house"):
            if options["fail"]:
                raise EditError("cannot be")
            if options["fault"]:
                raise KeyError("mine")
            log.change(node, "name", node.name, options["name"])
            node.name = options["name"]
            if options["back"]:
                node.name = "house"

    return change


@pytest.fixture
def migration(monkeypatch: pytest.MonkeyPatch) -> Migration:
    monkeypatch.setattr(registry, "_known", dict(registry._known))
    flags = [Option(name, "flag", "for the test") for name in ("fail", "fault", "back")]
    options = (Option("name", "text", "new name"), *flags)
    return registry.register(Migration("test", "rename the house", "Names.", _prepare, options))


def job(migration: Migration, folder: Path | None, dry_run: bool = False, **options: object) -> Job:
    complete = migration.complete({"name": "barn", **options})
    store = None if folder is None else str(folder / "journal")
    return Job("test", complete, fingerprint(migration, complete), store, dry_run=dry_run)


def run(job: Job, path: Path, number: int = 0) -> FileResult:
    return migrate_file(job, Task(str(path), path.name, number))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_change_is_saved_and_told(
    migration: Migration, sample_scene: Path, tmp_path: Path
) -> None:
    before = sample_scene.read_bytes()
    result = run(job(migration, tmp_path), sample_scene)
    assert (result.state, result.message, result.changes) == (CHANGED, "", 1)
    assert [str(entry) for entry in result.entries] == ["house (Node 18): name: house -> barn"]
    assert result.before == hashlib.sha256(before).hexdigest()
    assert result.after == digest(sample_scene)
    assert result.size == sample_scene.stat().st_size
    assert result.mtime_ns == sample_scene.stat().st_mtime_ns
    assert [n.name for n in maxsidecar.open(sample_scene).nodes.values()].count("barn") == 1
    store = Store(tmp_path / "journal")
    assert list(store.all_records()) == [(path_key(str(sample_scene)), (0,))]
    assert store.old_bytes(path_key(str(sample_scene)), 0, sample_scene.read_bytes()) == before
    again = run(job(migration, tmp_path), sample_scene, 1)
    assert (again.state, again.undo) == (UNCHANGED, None)


@pytest.mark.parametrize(("option", "text"), [("fail", "cannot be"), ("fault", "KeyError: 'mine'")])
def test_a_failure_is_a_result_and_saves_nothing(
    migration: Migration, sample_scene: Path, tmp_path: Path, option: str, text: str
) -> None:
    before = digest(sample_scene)
    result = run(job(migration, tmp_path, **{option: True}), sample_scene)
    assert result.state == FAILED
    assert text in result.message
    assert str(sample_scene) in result.message
    assert digest(sample_scene) == before
    assert not list(Store(tmp_path / "journal").all_records())


def test_a_dry_run_writes_nothing(migration: Migration, sample_scene: Path, tmp_path: Path) -> None:
    before = digest(sample_scene)
    result = run(job(migration, tmp_path, dry_run=True), sample_scene)
    assert (result.state, result.changes) == (CHANGED, 1)
    assert result.before == before == digest(sample_scene)
    assert result.after not in ("", before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sample.max"]


def test_edits_that_come_to_nothing_are_no_change(
    migration: Migration, sample_scene: Path, tmp_path: Path
) -> None:
    status = sample_scene.stat()
    assert run(job(migration, tmp_path, back=True), sample_scene).state == UNCHANGED
    assert sample_scene.stat().st_mtime_ns == status.st_mtime_ns


def test_files_that_are_no_scenes(migration: Migration, tmp_path: Path) -> None:
    path = tmp_path / "notes.max"
    path.write_text("hello")
    assert run(job(migration, tmp_path), path).state == NOT_MAX
    gone = run(job(migration, tmp_path), tmp_path / "gone.max")
    assert (gone.state, gone.message) == (
        FAILED,
        f"{tmp_path / 'gone.max'}: No such file or directory",
    )


def test_a_save_that_was_not_told_is_found(
    migration: Migration, sample_scene: Path, tmp_path: Path
) -> None:
    first = run(job(migration, tmp_path), sample_scene)
    # As a run does that starts after one which was killed between saving and telling.
    found = run(job(migration, tmp_path), sample_scene)
    assert (found.state, found.recovered, found.undo) == (CHANGED, True, 0)
    assert (found.before, found.after) == (first.before, first.after)
    assert found.entries == first.entries


def test_a_record_of_other_contents_stays(
    migration: Migration, sample_scene: Path, tmp_path: Path
) -> None:
    run(job(migration, tmp_path), sample_scene)
    kept = Store(tmp_path / "journal").file_of(path_key(str(sample_scene)), 0).read_bytes()
    with maxsidecar.open(sample_scene) as scene_file:
        scene_file.nodes.find("barn")[0].name = "house"
        scene_file.nodes.find("lamp")[0].name = "torch"
        scene_file.save()
    assert run(job(migration, tmp_path), sample_scene).undo == 1
    store = Store(tmp_path / "journal")
    assert list(store.all_records()) == [(path_key(str(sample_scene)), (1, 0))]
    assert store.file_of(path_key(str(sample_scene)), 0).read_bytes() == kept


def _no_space(*args: object, **named: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def _no_record(*args: object, **named: object) -> None:
    raise SaveError("cannot write the undo record: No space left on device")


def _other_program(*args: object, **named: object) -> None:
    raise FileChangedError("the file was changed by another program")


@pytest.mark.parametrize(
    ("broken", "fault", "text"),
    [
        ("maxsidecar.io.save._write", _no_space, "No space left"),
        ("maxsidecar.io.save._replace", _no_space, "No space left"),
        ("maxsidecar.migrate.work.keep_backup", _no_space, "No space left"),
        ("maxsidecar.migrate.store.Store.write", _no_record, "undo record"),
        ("maxsidecar.scene.maxfile.save_segments", _other_program, "another program"),
    ],
)
def test_a_save_that_fails_is_a_failure_and_is_tried_again(
    migration: Migration,
    sample_scene: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    broken: str,
    fault: Callable[..., None],
    text: str,
) -> None:
    before, status = digest(sample_scene), sample_scene.stat()
    settings = Settings(journal=tmp_path / "j", backup=tmp_path / "old")

    def whole_run() -> Run:
        job = Run(migration, {"name": "barn"}, [str(sample_scene)], settings)
        found.extend(job.results())
        return job

    found: list[FileResult] = []
    with monkeypatch.context() as patch:
        patch.setattr(broken, fault)
        first = whole_run()
    assert (first.counts, first.failed) == ({FAILED: 1}, True)
    (result,) = found
    assert text in result.message
    assert (result.before, result.after) == (before, before)
    assert (result.undo, result.backup) == (None, None)
    assert (result.size, result.mtime_ns) == (status.st_size, status.st_mtime_ns)
    assert digest(sample_scene) == before
    assert not list(Store(tmp_path / "j").all_records())
    second = whole_run()
    assert second.counts == {CHANGED: 1}
    assert found[1].after == digest(sample_scene) != before
    assert whole_run().counts == {"done": 1}


def test_a_write_protected_file_fails(
    migration: Migration, sample_scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not by permissions: root may write everywhere.
    monkeypatch.setattr("maxsidecar.io.save.os.access", lambda path, mode: False)
    result = run(job(migration, tmp_path), sample_scene)
    assert (result.state, result.undo) == (FAILED, None)
    assert "write-protected" in result.message
    assert result.after == digest(sample_scene)


@pytest.mark.parametrize("kind", [NotMaxFileError, FileChangedError])
def test_errors_of_other_files_are_failures_of_the_migration(
    sample_scene: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[MaxSidecarError],
) -> None:
    calls = []

    def prepare(options: Options) -> Change:
        def change(scene_file: MaxFile, log: Log) -> None:
            calls.append(scene_file.path)
            raise kind("not this", Where("/other.max"))

        return change

    monkeypatch.setattr(registry, "_known", dict(registry._known))
    name = kind.__name__  # what is prepared once counts for the whole process
    other = registry.register(Migration(name, "look elsewhere", "Nothing.", prepare, ()))
    whole = Job(name, {}, fingerprint(other, {}), str(tmp_path / "journal"))
    result = run(whole, sample_scene)
    assert (result.state, result.after) == (FAILED, digest(sample_scene))
    assert "/other.max" in result.message
    assert str(sample_scene) in result.message
    # The file itself did not change: there is nothing to try again.
    assert len(calls) == 1


def test_of_two_runs_at_once_one_claims_the_change(
    migration: Migration, sample_scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sample_scene.read_bytes()
    others: list[FileResult] = []

    class Late(Store):
        def write(self, *args: Any) -> None:
            super().write(*args)
            # The other run, with a journal of its own, saves between our record and our save.
            with monkeypatch.context() as patch:
                patch.setattr(work, "Store", Store)
                others.append(run(job(migration, tmp_path / "other"), sample_scene))

    monkeypatch.setattr(work, "Store", Late)
    mine = run(job(migration, tmp_path), sample_scene)
    assert [other.state for other in others] == [CHANGED]
    assert (mine.state, mine.recovered, mine.undo) == (UNCHANGED, False, None)
    assert not list(Store(tmp_path / "journal").all_records())
    key = path_key(str(sample_scene))
    theirs = Store(tmp_path / "other" / "journal")
    assert theirs.old_bytes(key, 0, sample_scene.read_bytes()) == before


def test_a_record_stays_where_a_failed_save_took_place(
    migration: Migration, sample_scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def lost_answer(source: str, target: str) -> None:
        replace(source, target)
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("maxsidecar.io.save._replace", lost_answer)
        first = run(job(migration, tmp_path), sample_scene)
    assert first.state == FAILED
    second = run(job(migration, tmp_path), sample_scene)
    assert (second.state, second.recovered, second.undo) == (CHANGED, True, 0)
    assert (second.before, second.after) == (first.before, digest(sample_scene))


def test_a_file_that_is_edited_while_it_is_loaded_changes_no_scene(
    sample_scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("barn")
    edits = ["stable"]

    def prepare(options: Options) -> Change:
        if edits:
            names.write_text(edits.pop())
        name = names.read_text()

        def change(scene_file: MaxFile, log: Log) -> None:
            scene_file.nodes.find("house")[0].name = name

        return change

    monkeypatch.setattr(registry, "_known", dict(registry._known))
    option = Option("names", "file", "for the test")
    edited = registry.register(Migration("edited", "rename", "Names.", prepare, (option,)))
    options = {"names": str(names)}
    before = digest(sample_scene)
    first = run(Job("edited", options, fingerprint(edited, options)), sample_scene)
    assert first.state == FAILED
    assert "changed meanwhile" in first.message
    assert digest(sample_scene) == before
    # A later run takes the file as it is now.
    second = run(Job("edited", options, fingerprint(edited, options)), sample_scene)
    assert second.state == CHANGED
    assert [n.name for n in maxsidecar.open(sample_scene).nodes.values()].count("stable") == 1
