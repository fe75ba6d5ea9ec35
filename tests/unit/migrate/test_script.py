"""Scripts of users that do what they should not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maxsidecar.migrate.engine import DONE, Run
from maxsidecar.migrate.registry import MigrationError
from maxsidecar.migrate.script import load_script
from maxsidecar.migrate.undo import Undo
from maxsidecar.migrate.work import CHANGED, FAILED, UNCHANGED, FileResult
from tests.unit.migrate.conftest import MARK, Runner, contents


def results(job: Run) -> list[FileResult]:
    return job.all_results  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("save", ["scene.save()", "scene.save(scene.path.with_suffix('.new'))"])
def test_a_script_cannot_save(
    save: str, dry_run: bool, run: Runner, script: Path, scenes: Path
) -> None:
    script.write_text(f"{MARK}    {save}\n    raise KeyError('after')\n", "utf-8")
    before = contents(scenes)
    job = run(dry_run=dry_run)
    assert job.counts == {FAILED: 6}
    assert {"must not save" in result.message for result in results(job)} == {True}
    assert contents(scenes) == before
    assert not list(scenes.rglob("*.new"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("after", ["", "    if not pid:\n        raise KeyError('child')\n"])
@pytest.mark.parametrize("jobs", [0, 2])
def test_a_script_that_forks_does_nothing_twice(
    jobs: int, after: str, run: Runner, script: Path, scenes: Path
) -> None:
    top = "import os\nif not os.fork():\n    LATE = 1\n"
    script.write_text(f"{top}{MARK}    pid = os.fork()\n{after}", "utf-8")
    job = run(jobs=jobs)
    assert job.counts == {CHANGED: 6}
    assert len({result.path for result in results(job)}) == len(results(job)) == 6
    assert run().counts == {DONE: 6}


MUTE = """
from maxsidecar.errors import EditError


class Stop(BaseException):
    pass


class Mute(Exception):
    def __str__(self):
        raise ValueError("no text")


def migrate(scene, log):
    if scene.path.name in ("a.max", "b.MAX"):
        raise {error}
    log.note("seen")
"""


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("Stop('far')", "my.py:16: Stop: far"),
        ("GeneratorExit", "my.py:16: GeneratorExit"),
        ("SystemExit(3)", "my.py:16: SystemExit: 3"),
        ("Mute()", "my.py:16: Mute: (it has no text"),
        ("EditError(ValueError(1))", "my.py:16: EditError: (it has no text"),
    ],
)
@pytest.mark.parametrize("jobs", [0, 1])
def test_any_error_of_a_script_is_a_failure_of_its_file(
    error: str,
    told: str,
    jobs: int,
    run: Runner,
    script: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    script.write_text(MUTE.replace("{error}", error), "utf-8")
    job = run(jobs=jobs)
    assert job.counts == {FAILED: 2, UNCHANGED: 4}
    failed = [result.message for result in results(job) if result.state == FAILED]
    assert [told in message for message in failed] == [True, True]
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("top", "jobs", "told"),
    [
        ("import os; os._exit(4)", 1, "the worker process died (exit code 4)"),
        ("import time; time.sleep(60)", 1, "it took longer than 2 s"),
        ("raise BaseException('x')", 1, "my.py:1: BaseException: x"),
        ("raise BaseException('x')", 0, "my.py:1: BaseException: x"),
        ("raise GeneratorExit", 0, "my.py:1: GeneratorExit"),
    ],
)
def test_a_script_that_cannot_be_loaded_is_told_before_any_work(
    top: str, jobs: int, told: str, run: Runner, script: Path, scenes: Path
) -> None:
    script.write_text(f"{top}\n{MARK}", "utf-8")
    with pytest.raises(MigrationError) as caught:
        run(jobs=jobs, timeout=2 if "sleep" in top else 60)
    assert told in str(caught.value)
    assert not (scenes / ".maxsidecar").exists()


def test_texts_of_a_class_of_the_script_are_told(run: Runner, script: Path) -> None:
    script.write_text(
        "class Text(str):\n    pass\n"
        "def migrate(scene, log):\n"
        "    log.change(Text('here'), Text('is'), Text('a'), Text('b'))\n",
        "utf-8",
    )
    job = run(jobs=1)
    assert {str(entry) for result in results(job) for entry in result.entries} == {
        "here: is: a -> b"
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def migrate(scene): ...", "migrate must take two arguments: migrate(scene, log)"),
        ("def migrate(scene, log, more): ...", "migrate must take two arguments"),
        ("def migrate(*, scene, log): ...", "migrate must take two arguments"),
        ("# coding: nonsense", "my.py: unknown encoding: nonsense"),
        ("x = (", "my.py: line 1: "),
    ],
)
def test_what_is_wrong_with_a_script(text: str, told: str, script: Path) -> None:
    script.write_text(text, "utf-8")
    with pytest.raises(MigrationError) as caught:
        load_script(script)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "def migrate(scene, log): ...",
        "def migrate(scene, log, more=1): ...",
        "migrate = lambda *both: None",
        "class Both:\n    def __call__(self, scene, log): ...\nmigrate = Both()",
        "migrate = print",
    ],
)
def test_what_can_be_called_with_scene_and_log(text: str, script: Path) -> None:
    script.write_text(text, "utf-8")
    load_script(script)


def test_an_undo_that_takes_too_long_names_the_scene(run: Runner, scenes: Path) -> None:
    job = run()
    assert job.journal is not None
    undone = list(Undo(job.journal, jobs=1, timeout=0.0).results())
    assert {result.path for result in undone} == {result.path for result in results(job)}
    for result in undone:
        assert result.message == f"{result.path}: it took longer than 0 s"
