"""The tree command."""

from __future__ import annotations

import json
from pathlib import Path

import maxsidecar
from maxsidecar.scene.authoring import NodeLook, SceneBuilder
from tests.unit.cli.conftest import Runner


def test_nodes_with_their_parents_and_flags(run: Runner, folder: Path) -> None:
    ran = run("tree", "street.max")
    assert ran.code == 0
    assert [line.split("  ")[0] or line for line in ran.lines[:2]] == ["name", "Scene Root"]
    door = next(line for line in ran.lines if line.strip().startswith("door"))
    house = next(line for line in ran.lines if line.strip().startswith("house"))
    assert len(door) - len(door.lstrip()) == len(house) - len(house.lstrip()) + 2
    assert "hidden" in next(line for line in ran.lines if "collision.box" in line)
    assert "frozen" in next(line for line in ran.lines if 'the "old" wall' in line)
    assert "props" in next(line for line in ran.lines if "spawn point" in line)


def test_json(run: Runner, folder: Path) -> None:
    rows = [json.loads(line) for line in run("tree", "--json", "street.max").lines]
    nodes = {row["index"]: row for row in rows}
    named = {row["name"]: row for row in rows}
    door = named["door"]
    assert nodes[door["parent"]]["name"] == "house"
    assert door["class"] == "Box"
    assert door["appdata"] == 2
    assert named["collision.box"]["flags"]["hidden"] is True
    assert named["house"]["flags"]["hidden"] is False
    assert named["Scene Root"]["parent"] is None
    assert sum(row["name"] == "lamp" for row in rows) == 2
    assert "controller" not in door


def test_all_shows_what_a_node_is_made_of(run: Runner, folder: Path) -> None:
    rows = [json.loads(line) for line in run("tree", "--json", "--all", "street.max").lines]
    door = next(row for row in rows if row["name"] == "door")
    assert (door["object"], door["controller"], door["modifiers"]) == (
        "Box", "Position/Rotation/Scale", []
    )  # fmt: skip
    assert "controller: Position/Rotation/Scale" in run("tree", "--all", "street.max").out


def test_hostile_names(run: Runner, tmp_path: Path) -> None:
    names = ["\x1b]0;x\x07", "a\nb", "\u202egnp.exe", "[bold]", "%s{0}", "\ud800", " "]
    scene = SceneBuilder(title="hostile")
    for number in range(len(names)):
        scene.add_node(f"node {number}", scene.add_dummy(1.0), look=NodeLook())
    path = tmp_path / "with space é.max"
    path.write_bytes(scene.to_bytes())
    with maxsidecar.open(path) as scene_file:
        for number, name in enumerate(names):
            chunk = scene_file.nodes.find(f"node {number}")[0].find(0x0962)
            assert chunk is not None
            # Files hold what nobody may write, such as half of a surrogate pair.
            chunk.replace(name.encode("utf-16-le", "surrogatepass"))
        scene_file.save()
    for command in (("tree", "--all"), ("info",), ("get",), ("text",)):
        ran = run(*command, str(path))
        assert ran.code == 0
        # Two lines can be empty; no other character of the output controls anything.
        assert all(line.isprintable() for line in ran.lines)
        assert "\x1b" not in ran.out
    rows = [json.loads(line) for line in run("tree", "--json", str(path)).lines]
    assert [row["name"] for row in rows][1:] == names
