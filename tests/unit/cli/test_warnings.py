"""Every command that opens a damaged scene says so, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maxsidecar.scene.maxfile import MaxFile
from tests.unit.cli.conftest import Runner

COMMANDS = [
    "info bad.max",
    "info --json bad.max",
    "info --classes bad.max",
    "tree bad.max",
    "tree --all --json bad.max",
    "get bad.max",
    "get --json bad.max",
    "get bad.max lamp@4",
    "get bad.max nothing",
    "set bad.max house name villa",
    "set bad.max house name villa --json",
    "set bad.max nothing name villa",
    "diff street.max bad.max",
    "diff bad.max street.max --json",
    "extract bad.max",
    "extract bad.max --json",
    "apply --scene bad.max street.max.toml",
    "apply --scene bad.max street.max.toml --json",
    "apply --scene bad.max edited.toml --force * --dry-run",
]


@pytest.fixture
def bad(folder: Path, run: Runner) -> list[str]:
    """A folder with a damaged scene, a sound one and its sidecars; the problems of the first."""
    assert run("extract", "street.max").code == 0
    text = Path("street.max.toml").read_text("utf-8")
    Path("edited.toml").write_text(text.replace("dist_max = 200.0", "dist_max = 90.0"), "utf-8")
    data = bytearray(Path("street.max").read_bytes())
    scene = MaxFile(bytes(data)).scene
    node = scene.nodes.find("spawn point")[0]
    at = bytes(data).index(bytes(node.data.data))
    # The first chunk of one node claims more than there is.
    data[at + 4] = 0x7F
    Path("bad.max").write_bytes(bytes(data))
    problems = [str(problem) for problem in _problems(Path("bad.max"))]
    assert problems
    return problems


def _problems(path: Path) -> list[object]:
    scene_file = MaxFile(path.read_bytes(), path)
    _ = scene_file.nodes
    return list(scene_file.problems())


@pytest.mark.parametrize("command", COMMANDS)
def test_damage_is_told_once(command: str, run: Runner, bad: list[str]) -> None:
    ran = run(*command.split())
    told = [line for line in ran.err.splitlines() if line.startswith("maxsidecar: warning: ")]
    assert len(told) == len(set(told))
    for problem in bad:
        assert f"maxsidecar: warning: {problem}" in told


def test_damage_is_told_in_json(run: Runner, bad: list[str]) -> None:
    for command in ("info", "extract"):
        row = json.loads(run(command, "--json", "bad.max").out)
        assert set(bad) <= set(row["problems"])
    row = json.loads(run("set", "bad.max", "house", "name", "x", "--dry-run", "--json").out)
    assert set(bad) <= set(row["problems"])
    ran = run("apply", "--json", "--dry-run", "--scene", "bad.max", "edited.toml")
    rows = [json.loads(line) for line in ran.lines]
    messages = [row["message"] for row in rows if row["state"] == "warning"]
    assert set(bad) <= set(messages)


def test_what_was_made_from_a_damaged_scene_says_so(run: Runner, bad: list[str]) -> None:
    places = f"the scene is damaged in {len(bad)} place"
    assert places in run("extract", "bad.max").out
    assert places in run("apply", "--dry-run", "bad.max.toml").out


def test_sound_scenes_get_no_warning(run: Runner, bad: list[str]) -> None:
    for command in COMMANDS:
        words = [word.replace("bad.max", "street.max") for word in command.split()]
        if words[0] != "apply":
            assert "warning" not in run(*words).err
