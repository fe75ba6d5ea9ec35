"""No command writes over what it reads, or over a file of another kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Runner

COMMANDS = [
    "extract street.max --force -o street.max",
    "extract street.max -o street.max",
    "extract street.max --force -o other.max",
    "extract street.max --force -o link.max",
    "extract street.max -o maxsidecar.schema.json",
    "thumbnail street.max -o street.max",
    "thumbnail street.max -o other.max",
    "thumbnail folder/../street.max -o street.max",
    "schema -o street.max",
    "apply street.max.toml -o street.max.toml",
    "apply street.max.toml -o street.max",
    "apply street.max.toml -o link.max",
    "apply street.max.toml -o notes.txt",
    "apply street.max.toml -o notes.txt --overwrite",
    "apply street.max.toml -o other.max",
    "set street.max house name x -o other.max",
    "set street.max house name x -o street.max --overwrite",
    "apply --dry-run street.max.toml -o notes.txt",
    "set street.max house name x -o street.max",
    "set street.max house name x -o street.max.toml",
    "set street.max house name x --dry-run -o notes.txt",
]


@pytest.fixture
def files(folder: Path, run: Runner) -> dict[str, bytes]:
    """A folder with a scene, its edited sidecar, another scene, a text and a link."""
    assert run("extract", "street.max", "--no-schema").code == 0
    sidecar = Path("street.max.toml")
    text = sidecar.read_text("utf-8").replace("dist_max = 200.0", "dist_max = 90.0")
    sidecar.write_text(text, "utf-8")
    Path("other.max").write_bytes(Path("street.max").read_bytes())
    Path("notes.txt").write_bytes(b"notes")
    Path("folder").mkdir()
    try:
        Path("link.max").symlink_to("street.max")
    except OSError:
        Path("link.max").hardlink_to("street.max")
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("command", COMMANDS)
def test_outputs_are_refused(
    command: str, run: Runner, folder: Path, files: dict[str, bytes]
) -> None:
    ran = run(*command.split())
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("maxsidecar: error: ")
    assert ran.err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == files


def test_usual_outputs_are_written(run: Runner, files: dict[str, bytes]) -> None:
    assert run("extract", "street.max", "-o", "new.toml").code == 0
    assert run("extract", "street.max", "--force", "-o", "new.toml").code == 0
    for _ in range(2):
        assert run("thumbnail", "street.max", "-o", "new.png").code == 0
        assert run("schema", "-o", "new.json").code == 0
        over = ["--overwrite"]
        assert run("apply", "street.max.toml", "-o", "other.max", *over).code == 0
        assert run("set", "street.max", "house", "name", "x", "-o", "new.max", *over).code == 0
    assert Path("street.max").read_bytes() == files["street.max"]


def test_apply_to_another_scene(run: Runner, files: dict[str, bytes]) -> None:
    ran = run("apply", "--scene", "other.max", "street.max.toml")
    assert ran.code == 0
    assert "dist_max: 200.0 -> 90.0" in ran.out
    assert run("get", "other.max", "house", "nel.lod.dist_max").out == "90.0\n"
    for name in ("street.max", "street.max.toml"):
        assert Path(name).read_bytes() == files[name]
    assert run("apply", "--scene", "other.max", "street.max.toml", "street.max.toml").code == 2
