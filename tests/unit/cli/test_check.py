"""The check command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Runner

KEYS = [
    "path", "release", "status", "compressed", "streams", "chunks", "objects", "typed_objects",
    "partly_typed_objects", "read_only_objects", "raw_objects", "typed_bytes", "scene_bytes",
    "problems", "notes",
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
    states = ("typed", "partly_typed", "read_only", "raw")
    assert sum(sound[f"{state}_objects"] for state in states) == sound["objects"]
    assert 0 < sound["typed_objects"] < sound["objects"]
    assert sound["notes"] == []
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


@pytest.mark.parametrize(
    ("option", "text", "words"),
    [
        ("--jobs", "x", "not a number from 0 to 1024: 'x'"),
        ("--jobs", "-1", "not a number from 0 to 1024: '-1'"),
        ("--jobs", "1025", "not a number from 0 to 1024"),
        ("--jobs", "9" * 5000, "not a number from 0 to 1024"),
        ("--jobs", "\N{SUPERSCRIPT TWO}", "not a number from 0 to 1024"),
        ("--timeout", "soon", "not a number of seconds above 0 and up to 1,000,000: 'soon'"),
        ("--timeout", "0", "not a number of seconds above 0"),
        ("--timeout", "nan", "not a number of seconds above 0"),
    ],
)
def test_numbers_are_refused_with_words(option: str, text: str, words: str, run: Runner) -> None:
    ran = run("check", option, text, ".")
    assert ran.code == 2
    assert words in ran.err


def test_workers_know_the_names_of_appdata(run: Runner, folder: Path) -> None:
    """What the registry knows is verified and counted, in workers as in this process."""
    rows = [json.loads(run("check", "--json", "--jobs", jobs, ".").out) for jobs in ("0", "1")]
    assert rows[0] == rows[1]


def test_what_is_not_there_is_no_row_of_zeros(run: Runner, folder: Path) -> None:
    (folder / "empty").mkdir()
    for name in ("gone.max", "empty"):
        ran = run("check", "--jobs", "0", name)
        assert (ran.code, ran.out) == (1, "")
        assert name in ran.err
    ran = run("check", "--jobs", "0", "gone.max", "street.max")
    total = next(line for line in ran.lines if line.startswith("all"))
    assert total.split()[1:4] == ["1", "1", "0"]
    assert "gone.max" in ran.err
    assert ran.code == 1
