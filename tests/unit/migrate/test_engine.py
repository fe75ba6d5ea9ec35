"""Runs over folders: what is done, what is told, and what a second run does."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.errors import EditError, SaveError
from maxsidecar.migrate.engine import Run, Settings
from maxsidecar.migrate.journal import JOURNAL_NAME, Journal, read_lines
from maxsidecar.migrate.registry import MigrationError, get
from maxsidecar.migrate.undo import Undo, UndoResult
from maxsidecar.migrate.work import FileResult
from tests.unit.migrate.conftest import MARK, Runner, contents

NAMES = ["a.max", "b.MAX", "e f.max", "inner/c.max", "inner/deep/d.max", "дом.max"]


def results(job: Run) -> list[FileResult]:
    return job.all_results  # type: ignore[attr-defined, no-any-return]


def undo(job: Run, **options: object) -> list[UndoResult]:
    assert job.journal is not None
    return list(Undo(job.journal, **options).results())  # type: ignore[arg-type]


@pytest.mark.parametrize("jobs", [0, 2])
def test_all_files_are_changed_once_and_given_back(run: Runner, scenes: Path, jobs: int) -> None:
    before = contents(scenes)
    first = run(jobs=jobs)
    assert first.counts == {"changed": 6}
    assert not first.failed
    after = contents(scenes)
    assert not any(before[name] == after[name] for name in before if name.endswith(".max"))
    assert len({*after.values()}) == 1
    second = run(jobs=jobs)
    assert second.counts == {"done": 6}
    assert second.nothing_done
    assert contents(scenes) == after
    assert {result.state for result in undo(first)} == {"undone"}
    assert contents(scenes) == before
    # What was undone is not done, and what is as before is not undone again.
    assert {result.state for result in undo(first)} == {"as-before"}
    assert run(jobs=jobs).counts == {"changed": 6}
    assert contents(scenes) == after
    assert {result.state for result in undo(first)} == {"undone"}
    assert contents(scenes) == before


def test_without_its_journal_a_second_run_changes_nothing(run: Runner, scenes: Path) -> None:
    first = run()
    after = contents(scenes)
    assert first.journal is not None
    shutil.rmtree(first.journal)
    assert run().counts == {"unchanged": 6}
    assert contents(scenes) == after


def test_another_script_is_another_migration(run: Runner, script: Path, scenes: Path) -> None:
    first = run()
    script.write_text(MARK.replace("_x", "_y"), "utf-8")
    second = run()
    assert second.counts == {"changed": 6}
    assert first.journal != second.journal
    # Comments count, too: what is run is what was hashed.
    script.write_text(MARK + "# more\n", "utf-8")
    assert run().journal not in (first.journal, second.journal)
    # The first run cannot be undone any more.
    assert {result.state for result in undo(first)} == {"refused"}
    assert {result.state for result in undo(second)} == {"refused"}


def test_runs_that_share_a_journal_are_undone_together(
    run: Runner, script: Path, scenes: Path, tmp_path: Path
) -> None:
    before = contents(scenes)
    run(journal=tmp_path / "j")
    script.write_text(MARK.replace("_x", "_y"), "utf-8")
    assert run(journal=tmp_path / "j").counts == {"changed": 6}
    assert run(journal=tmp_path / "j").counts == {"done": 6}
    done = list(Undo(tmp_path / "j").results())
    assert [(result.state, result.saves) for result in done] == [("undone", 2)] * 6
    assert contents(scenes) == before


def test_files_that_changed_since_are_done_again_and_not_undone(run: Runner, scenes: Path) -> None:
    before = contents(scenes)
    first = run()
    changed = scenes / "a.max"
    with maxsidecar.open(changed) as scene_file:
        scene_file.nodes.find("lamp_x")[0].name = "torch"
        scene_file.save()
    edited = changed.read_bytes()
    states = {Path(r.path).name: (r.state, r.message) for r in undo(first)}
    assert states["a.max"][0] == "refused"
    assert "changed since" in states["a.max"][1]
    assert {state for name, (state, _) in states.items() if name != "a.max"} == {"undone"}
    assert changed.read_bytes() == edited
    again = run()
    assert again.counts == {"changed": 6}
    assert "torch_x" in [n.name for n in maxsidecar.open(changed).nodes.values()]
    # Now it goes back to what it was before this run, and no further.
    assert {result.state for result in undo(again)} == {"undone"}
    assert changed.read_bytes() == edited
    rest = contents(scenes)
    assert {k: v for k, v in rest.items() if k != "a.max"} == {
        k: v for k, v in before.items() if k != "a.max"
    }


def test_a_touched_file_is_still_done(run: Runner, scenes: Path) -> None:
    run()
    os.utime(scenes / "a.max", ns=(1, 1))
    second = run()
    assert second.counts == {"done": 5, "unchanged": 1}
    assert run().counts == {"done": 6}


def test_again_does_all_files(run: Runner) -> None:
    run()
    assert run(again=True).counts == {"unchanged": 6}


def test_a_failure_does_not_stop_the_run_and_is_tried_again(
    run: Runner, script: Path, scenes: Path
) -> None:
    (scenes / "a.max").write_text("hello")
    (scenes / "broken.max").write_bytes((scenes / "b.MAX").read_bytes()[:3000])
    first = run(jobs=2)
    assert first.counts == {"changed": 5, "failed": 1, "not-max": 1}
    assert first.failed
    bad = {Path(r.path).name: r for r in results(first) if r.state in ("failed", "not-max")}
    assert str(scenes / "broken.max") in bad["broken.max"].message
    assert bad["a.max"].state == "not-max"
    second = run(jobs=0)
    assert second.counts == {"done": 6, "failed": 1}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise KeyError('x')", "my.py:3: KeyError: 'x'"),
        ("scene.nodes.nothing()", "my.py:3: AttributeError"),
        ("import sys; sys.exit('no')", "my.py:3: SystemExit: no"),
        ("return migrate(scene, log)", "RecursionError"),
        ("raise MemoryError", "not enough memory"),
    ],
)
def test_faults_of_a_script_are_failures_of_its_files(
    run: Runner, script: Path, scenes: Path, body: str, told: str
) -> None:
    before = contents(scenes)
    edit = "[setattr(node, 'name', 'x') for node in scene.nodes.find('house')]"
    told_first = "log.change('house', 'name')"
    script.write_text(f"def migrate(scene, log):\n    {edit}; {told_first}\n    {body}\n")
    job = run()
    assert (job.counts, job.changes) == ({"failed": 6}, 0)
    assert [result.message for result in results(job) if told not in result.message] == []
    assert contents(scenes) == before


def test_a_script_that_kills_its_worker(run: Runner, script: Path, scenes: Path) -> None:
    script.write_text(
        "import os\n"
        "def migrate(scene, log):\n"
        "    if scene.path.name == 'a.max':\n"
        "        os._exit(3)\n"
        "    scene.nodes.find('house')[0].name = 'barn'\n"
    )
    job = run(jobs=2)
    assert job.counts == {"changed": 5, "failed": 1}
    (told,) = [r.message for r in results(job) if r.state == "failed"]
    assert told.startswith(f"{scenes / 'a.max'}: ")
    assert "exit code 3" in told


def test_what_a_script_prints_does_not_get_into_our_output(
    run: Runner, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text("def migrate(scene, log):\n    print('hello')\n")
    run()
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "hello\n" * 6)


def test_problems_fail_the_run_and_are_told_again(run: Runner, script: Path) -> None:
    script.write_text(
        "def migrate(scene, log):\n"
        "    for node in scene.nodes.find('house'):\n"
        "        node.name = 'barn'\n"
        "    log.problem('one is left', 'door')\n"
        "    log.warning('look here')\n"
        "    log('a note')\n"
    )
    job = run()
    assert job.counts == {"changed": 6}
    assert job.failed
    assert job.problems == 6
    assert [str(entry) for entry in results(job)[0].entries] == [
        "door: problem: one is left",
        "warning: look here",
        "a note",
    ]
    second = run()
    assert second.counts == {"unchanged": 6}
    assert second.problems == 6


def test_a_dry_run_writes_nothing(run: Runner, scenes: Path) -> None:
    before = contents(scenes)
    job = run(dry_run=True)
    assert job.counts == {"changed": 6}
    assert job.changes == sum(result.changes for result in results(job)) > 6
    assert job.journal is None
    assert contents(scenes) == before
    assert not [path for path in scenes.rglob("*") if path.name.startswith(".")]


def test_backups_are_the_old_files(run: Runner, scenes: Path, tmp_path: Path) -> None:
    before = contents(scenes)
    backup = scenes / "old"
    job = run(backup=backup)
    assert job.counts == {"changed": 6}
    assert contents(backup / scenes.name) == before
    assert all(Path(result.backup or "").read_bytes() for result in results(job))
    # Backups inside the folder are not migrated, not even by a run that knows nothing of them.
    assert run(journal=tmp_path / "other").counts == {"unchanged": 6}


def test_backups_of_other_contents_get_a_number(
    run: Runner, script: Path, scenes: Path, tmp_path: Path
) -> None:
    before = (scenes / "a.max").read_bytes()
    run(scenes / "a.max", backup=tmp_path / "old")
    between = (scenes / "a.max").read_bytes()
    script.write_text(MARK.replace("_x", "_y"), "utf-8")
    job = run(scenes / "a.max", backup=tmp_path / "old")
    assert (tmp_path / "old" / "a.max").read_bytes() == before
    assert (tmp_path / "old" / "a.max1").read_bytes() == between
    assert results(job)[0].backup == str(tmp_path / "old" / "a.max1")


def test_the_journal_survives_a_torn_line(run: Runner, scenes: Path) -> None:
    before = contents(scenes)
    job = run()
    after = contents(scenes)
    assert job.journal is not None
    path = job.journal / JOURNAL_NAME
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in range(len(lines[0]) + len(lines[1]) - 5, len(whole), 1013):
        path.write_bytes(whole[:cut])
        again = run()
        # What the journal has lost, the undo records still know.
        assert again.counts["done"] + again.counts["changed"] == 6
        assert contents(scenes) == after
        assert all(result.recovered for result in results(again))
        assert run().counts == {"done": 6}
    path.write_bytes(b'\xff{}\n[1]\n{"kind": 3}\n{"kind":"file"}\n' + b"[" * 100_000)
    assert run().counts == {"changed": 6}
    assert {result.state for result in undo(job)} == {"undone"}
    assert contents(scenes) == before


def test_a_second_run_at_the_same_time_is_refused(run: Runner, scenes: Path) -> None:
    job = run()
    assert job.journal is not None
    with Journal(job.journal), pytest.raises(SaveError, match="another run"):
        run(again=True)
    assert run(again=True).counts == {"unchanged": 6}


def test_a_journal_of_a_later_version_is_refused(run: Runner, scenes: Path) -> None:
    job = run()
    assert job.journal is not None
    path = job.journal / JOURNAL_NAME
    path.write_text(path.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(maxsidecar.MaxSidecarError, match="another version"):
        run()


def test_journal_lines_say_all(run: Runner, scenes: Path, script: Path) -> None:
    job = run(scenes / "a.max")
    assert job.journal is not None
    assert job.journal.parent == scenes / ".maxsidecar"
    head, line, end = read_lines(job.journal)
    assert (head["kind"], head["migration"], head["options"]) == (
        "run", "run", {"script": str(script)},
    )  # fmt: skip
    assert line["path"] == str(scenes / "a.max")
    assert (line["state"], line["undo"], line["sha256"]) == (
        "changed", 0, contents(scenes)["a.max"],
    )  # fmt: skip
    assert {entry["kind"] for entry in line["log"]} == {"change"}
    assert (end["kind"], end["changed"], end["failed"]) == ("end", 1, 0)
    assert list(read_lines(job.journal, job.start)) == [head, line, end]


def test_nothing_is_written_where_nothing_is_found(run: Runner, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    job = run(empty, tmp_path / "gone" / "x.max")
    assert job.failed
    assert not job.counts
    assert [reason for _, reason in job.search.problems] == [
        "there is no .max file in this folder",
        "there is no such file or folder",
    ]
    assert not (tmp_path / "gone").exists()
    assert not list(empty.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_link_is_one_file_with_its_target(run: Runner, scenes: Path, tmp_path: Path) -> None:
    (scenes / "z.max").symlink_to(scenes / "a.max")
    (scenes / "y.max").symlink_to(tmp_path / "outside.max")
    shutil.copy(scenes / "a.max", tmp_path / "outside.max")
    job = run(jobs=2)
    assert job.counts == {"changed": 7}
    assert (scenes / "z.max").is_symlink()
    assert str(tmp_path / "outside.max") in {result.path for result in results(job)}


def test_wrong_options_and_scripts_are_told_before_anything_is_done(
    scenes: Path, tmp_path: Path
) -> None:
    for text, told in (
        ("x = 1", "no function migrate"),
        ("def migrate(:", "line 1: "),
        ("1 / 0", "my.py:1: ZeroDivisionError"),
        ("raise SystemExit(3)", "my.py:1: SystemExit: 3"),
    ):
        path = tmp_path / "my.py"
        path.write_text(text)
        with pytest.raises(MigrationError, match=told):
            Run(get("run"), {"script": str(path)}, [str(scenes)], Settings())
    for options, told in (
        ({}, "needs the option 'script'"),
        ({"script": "x", "more": 1}, "has no option 'more'"),
        ({"script": str(tmp_path / "gone.py")}, "cannot read"),
    ):
        with pytest.raises(MigrationError, match=told):
            Run(get("run"), options, [str(scenes)], Settings())
    with pytest.raises(MigrationError, match="there is no migration 'no'"):
        get("no")
    with pytest.raises(EditError, match="no journal"):
        Undo(tmp_path)


def test_journals_and_backups_are_never_where_scenes_are_searched(
    run: Runner, scenes: Path, tmp_path: Path
) -> None:
    before = contents(scenes)
    for folder in (scenes, tmp_path, scenes / "inner" / ".."):
        for option in ("journal", "backup"):
            with pytest.raises(MigrationError, match="a folder of their own"):
                run(**{option: folder})
    with pytest.raises(MigrationError, match="a folder of their own"):
        run(scenes / "a.max", backup=scenes)
    assert contents(scenes) == before
    assert not list(scenes.glob(".*"))


def test_undo_without_the_journal_file(run: Runner, scenes: Path) -> None:
    before = contents(scenes)
    job = run()
    assert job.journal is not None
    (job.journal / JOURNAL_NAME).unlink()
    assert {result.state for result in undo(job)} == {"undone"}
    assert contents(scenes) == before


def test_a_script_that_changes_meanwhile_stops_every_file(script: Path, scenes: Path) -> None:
    job = Run(get("run"), {"script": str(script)}, [str(scenes)], Settings(jobs=1))
    script.write_text(MARK + "# edited\n", "utf-8")
    found = list(job.results())
    assert {result.state for result in found} == {"failed"}
    assert "changed meanwhile" in found[0].message


def test_a_dry_undo_writes_nothing(run: Runner, scenes: Path) -> None:
    job = run()
    after = contents(scenes)
    assert {result.state for result in undo(job, dry_run=True)} == {"undone"}
    assert contents(scenes) == after
    assert run().counts == {"done": 6}


def test_damaged_undo_records_are_refused(run: Runner, scenes: Path) -> None:
    job = run()
    after = contents(scenes)
    assert job.journal is not None
    records = sorted((job.journal / "undo").rglob("*.undo"))
    assert len(records) == 6
    damages: list[Callable[[bytes], bytes]] = [
        lambda b: b[:-9],
        lambda b: b[:50],
        lambda b: b"",
        lambda b: b.split(b"\n")[0] + b"\nnonsense",
        lambda b: b.replace(b'"size": ', b'"size": 9'),
        lambda b: b.replace(b'"form": "difference"', b'"form": "whole"'),
    ]
    for path, damage in zip(records, damages, strict=True):
        path.write_bytes(damage(path.read_bytes()))
    done = undo(job)
    assert {result.state for result in done} == {"refused"}
    assert all(result.message for result in done)
    assert contents(scenes) == after


def test_the_lines_are_plain_json(run: Runner, scenes: Path) -> None:
    job = run()
    assert job.journal is not None
    text = (job.journal / JOURNAL_NAME).read_bytes()
    assert text.isascii()
    assert all(json.loads(line) for line in text.splitlines())
