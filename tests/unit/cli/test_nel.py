"""The nel command."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from maxsidecar.nel.serial.classes.skeleton import CBoneBase, CSkeletonShape
from maxsidecar.nel.serial.classes.streams import CShapeStream
from tests.unit.cli.conftest import Runner


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a sound skeleton, a damaged one, and a text named as a shape."""
    monkeypatch.chdir(tmp_path)
    bones = [CBoneBase(name=f"bone {number}\x1b[31m") for number in range(30)]
    data = CShapeStream(shape=CSkeletonShape(bones=bones)).to_bytes()
    (tmp_path / "tree.skel").write_bytes(data)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "cut.SKEL").write_bytes(data[:-1])
    (tmp_path / "text.shape").write_text("not a shape")
    return tmp_path


@pytest.mark.parametrize("jobs", ["0", "2"])
def test_check_json(jobs: str, run: Runner, game: Path) -> None:
    ran = run("nel", "check", "--json", "--jobs", jobs, ".", "gone.ig")
    rows = [json.loads(line) for line in ran.lines]
    assert all(list(row) == ["path", "status", "kind", "problems"] for row in rows)
    assert {Path(row["path"]).name: (row["status"], row["kind"]) for row in rows} == {
        "gone.ig": ("failed", ""),
        "cut.SKEL": ("failed", "skel"),
        "text.shape": ("not-nel", ""),
        "tree.skel": ("ok", "skel"),
    }
    for row in rows:
        assert bool(row["problems"]) == (row["status"] != "ok")
        assert all(Path(row["path"]).name in problem for problem in row["problems"])
    assert ran.code == 1


def test_check_table(run: Runner, game: Path) -> None:
    ran = run("nel", "check", ".")
    assert ran.code == 1
    total = next(line for line in ran.lines if line.startswith("all"))
    assert total.split() == ["all", "2", "1", "1"]
    assert "not files of the game: 1" in ran.out
    (game / "sub" / "cut.SKEL").unlink()
    assert run("nel", "check", ".").code == 0


def test_dump(run: Runner, game: Path) -> None:
    ran = run("nel", "dump", "tree.skel")
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines[0] == "tree.skel: skel"
    assert "\x1b" not in ran.out
    assert sum(line.strip().startswith("father_id: -1") for line in ran.lines) == 30
    row = json.loads(run("nel", "dump", "--json", "tree.skel").out)
    assert (row["path"], row["kind"]) == ("tree.skel", "skel")
    assert row["root"]["shape"]["bones"][29]["name"] == "bone 29\x1b[31m"


def test_dump_goes_on_after_a_bad_file(run: Runner, game: Path) -> None:
    ran = run("nel", "dump", "--json", "text.shape", "tree.skel")
    assert ran.code == 1
    assert len(ran.lines) == 1
    assert "text.shape" in ran.err


@pytest.mark.parametrize("action", ["check", "dump"])
def test_examples_of_help_run(action: str, run: Runner, game: Path) -> None:
    (game / "tree.skel").rename("tree.shape")
    (game / "sub" / "cut.SKEL").unlink()
    help_text = run("nel", action, "--help").out
    examples = [line.strip() for line in help_text.splitlines() if line.startswith("  maxsidecar")]
    assert len(examples) == 2
    for example in examples:
        assert run(*shlex.split(example)[1:]).code == 0


def test_usage(run: Runner, game: Path) -> None:
    assert run("nel").code == 2
    assert run("nel", "check").code == 2
    assert run("nel", "check", "--jobs", "x", ".").code == 2
    assert run("nel", "check", "--debug", "tree.skel").code == 0
