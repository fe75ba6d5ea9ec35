"""``maxsidecar nel build``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.nel_scenes import GameScene
from tests.unit.cli.conftest import Runner

SETTINGS = """
IgLandSourceDirectories = [ ]
IgOtherSourceDirectories = [ "stuff" ]
IgStaticLandExportDirectory = "ig_static_land"
IgStaticOtherExportDirectory = "ig_static_other"
IgStaticTagExportDirectory = "ig_static_tag"
"""
BUILD = ("nel", "build", "--workspace", "ws", "--project", "common/sky")
FOLDERS = ("--database", "db", "--export-dir", "out")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace ``ws`` with the project ``common/sky``, and a database ``db`` of two scenes."""
    monkeypatch.chdir(tmp_path)
    project = tmp_path / "ws" / "common" / "sky"
    project.mkdir(parents=True)
    (project / "directories.py").write_text(SETTINGS)
    (project / "process.py").write_text('ProcessToComplete = [ "ig" ]\n')
    (tmp_path / "db" / "stuff").mkdir(parents=True)
    for name in ("moon", "sun"):
        scene = GameScene()
        scene.box_node(name, IGNAME=name)
        scene.save(tmp_path / "db" / "stuff" / f"{name}.max")
    return tmp_path


@pytest.mark.parametrize("jobs", ["0", "2"])
def test_build_and_build_again(jobs: str, run: Runner, world: Path) -> None:
    ran = run(*BUILD, *FOLDERS, "--jobs", jobs, "--log", "log.log")
    assert ran.code == 0
    assert ran.lines[0] == ">>> Export ig <<<"
    scanned = [line for line in ran.lines if line.startswith("Scanning file ")]
    assert ["moon.max" in line for line in scanned] == [True, False]
    assert sum(line.startswith("OK ") for line in ran.lines) == 2
    assert ran.lines[-2:] == [
        "Exported 2 .max files! SKIP 0; FAIL 0",
        "SUCCESS All .max files have been successfully exported",
    ]
    assert (world / "log.log").read_text().splitlines() == ran.lines
    assert sorted(path.name for path in (world / "out" / "ig_static_tag").iterdir()) == [
        "moon.max.tag",
        "sun.max.tag",
    ]
    again = run(*BUILD, *FOLDERS, "--jobs", jobs)
    assert sum(line.startswith("SKIPPED BY TAG ") for line in again.lines) == 2
    assert "Exported 0 .max files! SKIP 2; FAIL 0" in again.lines


def test_a_build_that_stopped_halfway_goes_on(run: Runner, world: Path) -> None:
    moon = world / "db" / "stuff" / "moon.max"
    content = moon.read_bytes()
    moon.write_text("half a file")
    ran = run(*BUILD, *FOLDERS, "--jobs", "0")
    assert ran.code == 1
    assert ran.lines[-1] == "FAIL One or more issues occurred"
    moon.write_bytes(content)
    again = run(*BUILD, *FOLDERS, "--jobs", "0")
    assert again.code == 0
    assert "Exported 1 .max files! SKIP 1; FAIL 0" in again.lines


def test_json(run: Runner, world: Path) -> None:
    ran = run(*BUILD, *FOLDERS, "--jobs", "0", "--json")
    rows = [json.loads(line) for line in ran.lines]
    assert [row["status"] for row in rows] == ["done", "done"]
    keys = ["process", "scenes", "tag", "status", "outputs", "log", "nodes"]
    assert all(list(row) == keys for row in rows)
    assert [Path(row["outputs"][0]).name for row in rows] == ["moon.ig", "sun.ig"]
    assert rows[0]["nodes"][0]["status"] == "written"


def test_folders_of_a_buildsite(run: Runner, world: Path) -> None:
    assert run(*BUILD).code == 2
    site = 'DatabaseDirectory = "db"\nExportBuildDirectory = "made"\n'
    (world / "ws" / "buildsite.py").write_text(site)
    assert run(*BUILD, "--jobs", "0").code == 0
    assert (world / "made" / "ig_static_other" / "moon.ig").is_file()
    (world / "other.py").write_text(site.replace("made", "other"))
    assert run(*BUILD, "--jobs", "0", "--buildsite", "other.py").code == 0
    assert (world / "other" / "ig_static_other" / "moon.ig").is_file()
    assert run(*BUILD, "--jobs", "0", "--export-dir", "third").code == 0
    assert (world / "third" / "ig_static_other" / "moon.ig").is_file()


def test_settings_that_do_more_than_assign(run: Runner, world: Path) -> None:
    path = world / "ws" / "common" / "sky" / "directories.py"
    path.write_text(SETTINGS + "import os\nRoot = os.getcwd()\n")
    ran = run(*BUILD, *FOLDERS)
    assert ran.code == 1
    assert f"{Path('ws/common/sky/directories.py')}:8:8: " in ran.err
    assert not (world / "out").exists()


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--project", "common/nothing"], 1, "no such project"),
        (["--process", "zone9"], 2, "no such process"),
        (["--process", "veget"], 1, "VegetExportDirectory is missing"),
        (["--jobs", "x"], 2, "not a number"),
    ],
)
def test_errors(more: list[str], code: int, message: str, run: Runner, world: Path) -> None:
    ran = run(*BUILD, *FOLDERS, *more)
    assert ran.code == code
    assert message in ran.err


def test_missing_folders_make_it_fail(run: Runner, world: Path) -> None:
    ran = run(*BUILD, "--database", "nowhere", "--export-dir", "out")
    assert ran.code == 1
    assert any(line.startswith("MISSING ") for line in ran.lines)
    assert ran.lines[-2] == "Exported 0 .max files! SKIP 0; FAIL 0; MISSING 1"


def test_what_is_in_no_line_of_json_is_told_apart(run: Runner, world: Path) -> None:
    directories = world / "ws" / "common" / "sky" / "directories.py"
    directories.write_text(SETTINGS + 'IgOtherSourceDirectories += [ "nowhere" ]\n')
    scene = GameScene()
    scene.box_node("moon", IGNAME="sun")
    scene.save(world / "db" / "stuff" / "moon.max")
    ran = run(*BUILD, *FOLDERS, "--jobs", "0", "--json")
    assert ran.code == 1
    assert len([json.loads(line) for line in ran.lines]) == 2
    assert "MISSING " in ran.err
    assert "sun.ig is written for " in ran.err
    assert "Scanning" not in ran.err


def test_a_project_that_is_given_twice_is_built_once(run: Runner, world: Path) -> None:
    ran = run(*BUILD, *FOLDERS, "--project", "common\\sky", "--jobs", "0")
    assert sum(line.startswith("Scanning ") for line in ran.lines) == 2
    assert "Exported 2 .max files! SKIP 0; FAIL 0" in ran.lines
