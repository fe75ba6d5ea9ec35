"""Folders of scenes, and migrations to run on them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from maxsidecar.migrate.engine import Run, Settings
from maxsidecar.migrate.registry import get
from tests.conftest import REPOSITORY

#: Gives nodes that are not marked a mark; a second run finds nothing to do.
MARK = """
def migrate(scene, log):
    for node in scene.nodes.values():
        if node.name and not node.name.endswith("_x"):
            log.change(node, "name", node.name, node.name + "_x")
            node.name += "_x"
"""

Runner = Callable[..., Run]


def contents(folder: Path) -> dict[str, str]:
    """SHA-256 of every scene below a folder, but those of hidden folders."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.max"))
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


@pytest.fixture
def scenes(built_sample: Path, tmp_path: Path) -> Path:
    """A folder with six scenes, and a file that is none."""
    folder = tmp_path / "scenes é"
    for name in ("a.max", "b.MAX", "inner/c.max", "inner/deep/d.max", "e f.max", "дом.max"):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(built_sample, target)
    return folder


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's script; its text may be changed before the run."""
    # Workers import the package from the checkout.
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    path = tmp_path / "my.py"
    path.write_text(MARK, "utf-8")
    return path


@pytest.fixture
def run(script: Path, scenes: Path) -> Runner:
    """Runs the script over the folder, in this process unless told otherwise."""

    def run_script(*roots: Path, **settings: object) -> Run:
        paths = [str(root) for root in roots or (scenes,)]
        job = Run(get("run"), {"script": str(script)}, paths, Settings(**settings))  # type: ignore[arg-type]
        job.all_results = list(job.results())  # type: ignore[attr-defined]
        return job

    return run_script
