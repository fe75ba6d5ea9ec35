"""``migrate`` from the command line."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.cli.rate import progress_with_rate
from maxsidecar.migrate.registry import library
from tests.unit.cli.conftest import Runner

HOUSE = ("names", ".", "--node", "^house$", "villa", "--jobs", "0")
ROOT = str(Path(__file__).parents[3])


def node_names() -> list[str]:
    return [node.name for node in maxsidecar.open("street.max").nodes.values()]


def test_list_names_every_migration(run: Runner) -> None:
    ran = run("migrate", "--list")
    assert ran.code == 0
    for name, migration in library().items():
        assert f"{name}: {migration.summary}" in ran.lines
        assert migration.changes.splitlines()[0] in ran.out
    found = [json.loads(line) for line in run("migrate", "--list", "--json").lines]
    assert [one["name"] for one in found] == list(library())


@pytest.mark.parametrize("name", sorted(library()))
def test_help_tells_what_a_migration_may_change(name: str, run: Runner) -> None:
    ran = run("migrate", name, "--help")
    assert ran.code == 0
    migration = library()[name]
    for line in migration.changes.splitlines():
        assert f"  {line}" in ran.out
    for option in migration.options:
        assert option.positional or f"--{option.name}" in ran.out


def test_a_run_a_second_run_and_undo(run: Runner, folder: Path) -> None:
    before = Path("street.max").read_bytes()
    ran = run("migrate", *HOUSE)
    assert (ran.code, ran.err) == (0, "")
    street = os.path.realpath("street.max")
    assert ran.lines[0] == f"{street}: changed (1 change)"
    assert ran.lines[1].startswith("1 changed, 0 unchanged (")
    assert "villa" in node_names()
    journal = ran.lines[3].partition("--undo ")[2].strip('"')
    assert Path(journal).is_dir()
    again = run("migrate", *HOUSE)
    assert again.code == 0
    assert again.lines[0] == (
        "nothing to do: the scene was dealt with before; --again does it all the same"
    )
    assert run("migrate", "--undo", journal, "--dry-run").lines == [
        f"{street}: would be undone", "1 would be undone",
    ]  # fmt: skip
    assert Path("street.max").read_bytes() != before
    undone = run("migrate", "--undo", str(Path(journal) / "journal.jsonl"))
    assert (undone.code, undone.lines) == (0, [f"{street}: undone", "1 undone"])
    assert Path("street.max").read_bytes() == before
    assert run("migrate", "--undo", journal).lines == ["0 undone, 1 as before already"]


def test_a_dry_run_lists_every_change(run: Runner, folder: Path) -> None:
    before = Path("street.max").read_bytes()
    ran = run("migrate", *HOUSE, "--dry-run")
    assert ran.code == 0
    assert ran.lines[0].endswith("would change (1 change)")
    assert ran.lines[1].endswith(": name: house -> villa")
    assert ran.lines[2].startswith("1 would change, 0 unchanged (")
    assert len(ran.lines) == 3
    assert Path("street.max").read_bytes() == before
    assert os.listdir() == ["street.max"]


def test_json(run: Runner, folder: Path) -> None:
    (line,) = run("migrate", *HOUSE, "--json").lines
    found = json.loads(line)
    assert (found["state"], found["changes"]) == ("changed", 1)
    text = (Path(__file__).parents[3] / "docs" / "cli.md").read_text("utf-8")
    section = text.partition("`migrate --json` prints per file")[2]
    for key in found:
        assert key in section.partition("\n\n")[0]
    assert run("migrate", *HOUSE, "--json").out == ""
    (journal,) = Path(".maxsidecar").iterdir()
    (line,) = run("migrate", "--undo", str(journal), "--json").lines
    assert json.loads(line)["state"] == "undone"


def test_failures_and_files_that_are_no_scenes(run: Runner, folder: Path) -> None:
    Path("notes.max").write_text("hello")
    Path("cut.max").write_bytes(Path("street.max").read_bytes()[:2000])
    ran = run("migrate", *HOUSE)
    assert ran.code == 1
    assert "1 changed, 0 unchanged, 1 no scenes, 1 failed" in ran.out
    assert "error: " in ran.err
    assert "cut.max" in ran.err
    assert "notes.max" in ran.err
    Path("cut.max").unlink()
    assert run("migrate", *HOUSE).code == 0
    assert run("migrate", "names", "gone.max", "--node", "a", "b").code == 1


def test_a_refused_undo(run: Runner, folder: Path) -> None:
    assert run("migrate", *HOUSE, "--journal", "j").code == 0
    with maxsidecar.open("street.max") as scene_file:
        scene_file.nodes.find("villa")[0].name = "castle"
        scene_file.save()
    ran = run("migrate", "--undo", "j")
    assert ran.code == 1
    assert "changed since" in ran.err
    assert ran.lines == ["0 undone, 1 refused"]
    assert "castle" in node_names()


def test_backup_and_reports(run: Runner, folder: Path) -> None:
    before = Path("street.max").read_bytes()
    ran = run("migrate", *HOUSE, "--backup", "old", "--report", "r.html", "--report", "r.json")
    assert ran.code == 0
    assert Path("old", folder.name, "street.max").read_bytes() == before
    assert json.loads(Path("r.json").read_text())["totals"]["changed"] == 1
    assert "villa" in Path("r.html").read_text("utf-8")
    assert run("migrate", *HOUSE, "--backup", "old").lines[0].startswith("nothing to do")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give the name of a migration"),
        (("--list", "--undo", "x"), "give the name of a migration"),
        (("names", "."), "no rules"),
        (("names", ".", "--node", "(", "b"), "pattern '('"),
        (("names",), "usage: maxsidecar migrate names"),
        (("nothing", "."), "invalid choice"),
        (("class", ".", "--from", "1/2"), "--to"),
        (("class", ".", "--from", "1/2", "--to", "x"), "not a class id"),
        (("appdata", ".", "--drop", "x"), "not an AppData key"),
        (("run", "gone.py", "."), "cannot read"),
        (("names", ".", "--node", "a", "b", "--jobs", "-1"), "--jobs"),
        (("names", ".", "--bogus"), "--bogus"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], told: str, run: Runner, folder: Path) -> None:
    ran = run("migrate", *arguments)
    assert ran.code == 2, ran.err
    assert told in ran.err
    assert os.listdir() == ["street.max"]


def test_what_cannot_be_written_is_one_line(run: Runner, folder: Path) -> None:
    assert run("migrate", "--undo", "nothing").err.count("\n") == 1
    ran = run("migrate", *HOUSE, "--report", "r.doc")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    shutil.copy("street.max", "other")
    ran = run("migrate", *HOUSE, "--journal", "other")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    ran = run("migrate", *HOUSE, "--scheduler", "nonsense://")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "villa" not in node_names()


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_shows_rate_and_goes_to_the_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_total() -> int:
        raise AssertionError("counted without a terminal")

    assert list(progress_with_rate(iter("ab"), no_total, "x", lambda: 0)) == ["a", "b"]
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", Terminal(raw, encoding="utf-8", write_through=True))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    seen: list[str] = []
    for item in progress_with_rate(iter("abcd"), lambda: 40, "busy", lambda: 10 * len(seen)):
        seen.append(item)
        print("line", item)
        time.sleep(0.12)
    assert seen == list("abcd")
    # What is printed meanwhile stays on standard output, which is no terminal here.
    assert capsys.readouterr().out == "".join(f"line {item}\n" for item in "abcd")
    shown = raw.getvalue().decode("utf-8")
    assert "busy" in shown
    assert "/s" in shown
    assert "30/40" in shown
    assert "line" not in shown


LOUD = """
import os, subprocess, sys

def shout():
    os.write(1, b"one\\n")
    subprocess.run([sys.executable, "-c", "print('two')"])
    print("three", file=sys.__stdout__)
    print("four")

shout()

def migrate(scene, log):
    shout()
"""


@pytest.mark.parametrize("jobs", ["0", "1"])
def test_whatever_a_script_prints_goes_to_standard_error(jobs: str, folder: Path) -> None:
    Path("loud.py").write_text(LOUD, "utf-8")
    command = [sys.executable, "-m", "maxsidecar", "migrate", "run", "loud.py", "."]
    done = subprocess.run(
        [*command, "--json", "--jobs", jobs],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": ROOT},
    )  # fmt: skip
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["state"] == "unchanged"
    for word in ("one", "two", "three", "four"):
        assert done.stderr.split().count(word) >= 2


SLOW = """
import time

def migrate(scene, log):
    if scene.path.name == "street.max":
        print("waiting")
        time.sleep(60)
    scene.nodes.find("house")[0].name = "villa"
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("jobs", ["0", "1"])
def test_a_terminated_run_tells_so(jobs: str, folder: Path) -> None:
    Path("slow.py").write_text(SLOW, "utf-8")
    shutil.copy("street.max", "a.max")
    command = [sys.executable, "-m", "maxsidecar", "migrate", "run", "slow.py", "."]
    with subprocess.Popen(
        [*command, "--jobs", jobs, "--report", "r.json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": ROOT, "PYTHONUNBUFFERED": "1"},
    ) as process:  # fmt: skip
        assert process.stderr is not None
        while process.stderr.readline().strip() != "waiting":
            assert process.poll() is None
        process.terminate()
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "a.max: changed" in out
    assert err.splitlines() == [
        "maxsidecar: the same command goes on where this run stops",
        "maxsidecar: interrupted",
    ]
    assert json.loads(Path("r.json").read_text("utf-8"))["totals"]["changed"] == 1
