"""Scripts of users that do what they should not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maxsidecar.migrate.engine import DONE, Run
from maxsidecar.migrate.work import CHANGED, FAILED, FileResult
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
