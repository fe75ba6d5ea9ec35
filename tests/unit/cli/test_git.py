"""``git diff`` of scenes, as docs/git.md sets it up."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.cli.main import main
from tests.conftest import REPOSITORY
from tests.unit.cli.conftest import environment

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments],
        capture_output=True,
        check=True,
        env=environment(GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=str(Path("none").resolve())),
    )
    return done.stdout.decode("utf-8")


def _documented() -> tuple[str, str]:
    """Return the attribute line and the textconv command that the page tells to use."""
    text = (REPOSITORY / "docs" / "git.md").read_text(encoding="utf-8")
    attribute = re.search(r"^\*\.max .*$", text, re.MULTILINE)
    command = re.search(r'^git config diff\.max\.textconv "(.*)"$', text, re.MULTILINE)
    assert attribute is not None
    assert command is not None
    return attribute[0], command[1]


@pytest.fixture
def repository(folder: Path) -> Path:
    attribute, command = _documented()
    assert command.startswith("maxsidecar ")
    _git("init", "-q")
    Path(".gitattributes").write_text(attribute + "\n")
    python = f"'{sys.executable}' -m {command}"
    _git("config", "diff.max.textconv", python)
    _git("add", ".")
    _git("commit", "-qm", "first")
    return folder


def _changed_lines(diff: str) -> list[str]:
    return [
        line
        for line in diff.splitlines()
        if line[:1] in "+-" and not line.startswith(("+++", "---"))
    ]


def test_a_flag_is_one_line(repository: Path) -> None:
    assert main(["set", "street.max", "door", "flags.hidden", "true"]) == 0
    assert _changed_lines(_git("diff")) == ["-flags.hidden = false", "+flags.hidden = true"]


def test_appdata_is_one_line(repository: Path) -> None:
    assert main(["set", "street.max", "house", "nel.lod.dist_max", "12345.5"]) == 0
    assert _changed_lines(_git("diff")) == [
        "-nel.lod.dist_max = 200.0",
        "+nel.lod.dist_max = 12345.5",
    ]


def test_a_new_name_is_one_line(repository: Path) -> None:
    assert main(["set", "street.max", "house", "name", "a much longer name"]) == 0
    removed, added = _changed_lines(_git("diff"))
    assert removed.endswith('"house"')
    assert added.endswith('"a much longer name"')
    assert removed.split()[0][1:] == added.split()[0][1:]


def test_damaged_scenes_and_others_can_be_compared(repository: Path) -> None:
    path = Path("street.max")
    path.write_bytes(path.read_bytes()[:3000])
    assert "!! " in _git("diff")
    path.write_bytes(b"")
    assert "!! " in _git("diff")
    path.unlink()
    assert _git("diff")


def test_hunks_name_their_object(repository: Path) -> None:
    text = (REPOSITORY / "docs" / "git.md").read_text(encoding="utf-8")
    pattern = re.search(r"^git config diff\.max\.xfuncname '(.*)'$", text, re.MULTILINE)
    assert pattern is not None
    _git("config", "diff.max.xfuncname", pattern[1])
    assert main(["set", "street.max", "door", "nel.dont_export", "true"]) == 0
    with maxsidecar.open("street.max") as scene_file:
        handle = scene_file.nodes.find("door")[0].handle
    hunks = [line for line in _git("diff").splitlines() if line.startswith("@@")]
    assert len(hunks) == 1
    assert hunks[0].endswith(f'@@ [@{handle}] "door"')


@pytest.mark.skipif(sys.platform == "win32", reason="writes a shell script")
def test_a_program_whose_path_has_spaces(repository: Path) -> None:
    tools = repository / "my tools"
    tools.mkdir()
    program = tools / "maxsidecar"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m maxsidecar \"$@\"\n")
    program.chmod(0o755)
    _git("config", "diff.max.textconv", f'"{program}" text')
    assert main(["set", "street.max", "door", "flags.hidden", "true"]) == 0
    assert _changed_lines(_git("diff")) == ["-flags.hidden = false", "+flags.hidden = true"]
