"""``maxsidecar nel export``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maxsidecar.nel.serial import read_file
from tests.support.nel_scenes import GameScene
from tests.unit.cli.conftest import Runner


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a small scene as ``street.max``."""
    monkeypatch.chdir(tmp_path)
    scene = GameScene()
    scene.box_node("House", IGNAME="village")
    scene.box_node("hidden \x1b[31m", DONTEXPORT=1)
    scene.mesh_node("bent", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1, 2)], ACCEL=1, IGNAME="x")
    scene.add_node("helper", scene.add_dummy(1.0))
    scene.save(tmp_path / "street.max")
    return tmp_path


def test_table(run: Runner, game: Path) -> None:
    ran = run("nel", "export", "street.max", "-o", "out")
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines[0] == "street.max: 3 files written"
    assert sorted(path.name for path in (game / "out").iterdir()) == [
        "house.shape",
        "village.ig",
        "x.ig",
    ]
    assert "DONTEXPORT is set" in ran.out
    assert "helper" not in ran.out
    assert "\x1b" not in ran.out
    assert "helper has no shape" in run("nel", "export", "street.max", "-o", "out", "--all").out


@pytest.mark.parametrize(
    "processes",
    [["--process", "shape,ig"], ["--process", "shape", "--process", "ig"]],
    ids=["by commas", "given again"],
)
def test_json_has_every_node_of_every_process(
    run: Runner, game: Path, processes: list[str]
) -> None:
    ran = run("nel", "export", "--json", "street.max", "-o", "out", *processes)
    (line,) = ran.lines
    row = json.loads(line)
    assert list(row) == ["path", "outputs", "nodes", "problems"]
    assert {(node["process"], node["node"]) for node in row["nodes"]} == {
        (process, name)
        for process in ("shape", "ig")
        for name in ("House", "hidden \x1b[31m", "bent", "helper")
    }
    assert {Path(out["path"]).name: out["process"] for out in row["outputs"]} == {
        "house.shape": "shape",
        "village.ig": "ig",
        "x.ig": "ig",
    }
    for node in row["nodes"]:
        assert ("output" in node) == (node["status"] == "written")
        assert ("reason" in node) == (node["status"] != "written")


def test_a_failure_gives_exit_code_1(run: Runner, game: Path) -> None:
    scene = GameScene()
    scene.mesh_node("thin", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)], ACCEL=2, IGNAME="x")
    scene.save(game / "bad.max")
    ran = run("nel", "export", "bad.max", "street.max", "-o", "out", "--process", "ig")
    assert ran.code == 1
    assert "no face with an area" in ran.out
    assert (game / "out" / "village.ig").is_file()


def test_selected_nodes_and_a_group_for_all(run: Runner, game: Path) -> None:
    arguments = ["nel", "export", "street.max", "-o", "out", "--process", "ig", "--ig-name", "all"]
    ran = run(*arguments, "--node", "helper", "--node", "house")
    assert ran.code == 0
    group = read_file(game / "out" / "village.ig").content
    assert [instance.name for instance in group.instances] == ["House"]
    helper = read_file(game / "out" / "all.ig").content
    assert [instance.name for instance in helper.instances] == ["helper"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["street.max"], "-o"),
        (["street.max", "-o", "out", "--process", "shapes"], "no such process"),
        (["street.max", "-o", "out", "--process", ","], "names no process"),
        (["street.max", "street.max", ".", "-o", "out", "--node", "x"], ""),
    ],
)
def test_usage(arguments: list[str], message: str, run: Runner, game: Path) -> None:
    (game / "other.max").write_bytes((game / "street.max").read_bytes())
    ran = run("nel", "export", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert not (game / "out").exists()


def test_a_scene_without_groups_has_a_hint(run: Runner, game: Path) -> None:
    scene = GameScene()
    scene.box_node("alone")
    scene.save(game / "alone.max")
    arguments = ("nel", "export", "alone.max", "-o", "out", "--process", "ig")
    assert "--ig-name NAME" in run(*arguments).out
    assert "--ig-name" not in run(*arguments, "--ig-name", "all").out
    assert "--ig-name" not in run("nel", "export", "street.max", "-o", "out").out


def test_a_folder_that_cannot_be_made_is_told_once(run: Runner, game: Path) -> None:
    (game / "out").write_text("a file is in the way")
    ran = run("nel", "export", "street.max", "street.max", "-o", "out")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("cannot make the folder") == 1


def test_a_long_name_leaves_room_for_the_reason(run: Runner, tmp_path: Path) -> None:
    scene = GameScene()
    scene.box_node("x" * 5000, DONTEXPORT=1)
    scene.save(tmp_path / "long.max")
    ran = run("nel", "export", str(tmp_path / "long.max"), "-o", str(tmp_path / "out"))
    assert max(len(line) for line in ran.lines) < 300
    assert "DONTEXPORT is set" in ran.out


def test_scenes_that_cannot_be_read(run: Runner, game: Path) -> None:
    (game / "text.max").write_text("no scene")
    ran = run("nel", "export", "text.max", "gone.max", "street.max", "-o", "out")
    assert ran.code == 1
    assert "text.max" in ran.err
    assert "gone.max" in ran.err
    assert (game / "out" / "house.shape").is_file()


def test_an_unknown_node_is_an_error(run: Runner, game: Path) -> None:
    ran = run("nel", "export", "street.max", "-o", "out", "--node", "nobody")
    assert ran.code == 1
    assert "nobody" in ran.err
