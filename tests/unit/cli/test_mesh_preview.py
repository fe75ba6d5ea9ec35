"""The commands mesh and preview."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from maxsidecar.scene.authoring import NewClass, NodeLook, SceneBuilder
from tests.unit.cli.conftest import Runner


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two boxes, one inside of the other's group, a hidden one, and an object of no known class."""
    builder = SceneBuilder(title="scene")
    group = builder.add_node("group", builder.add_dummy(1.0))
    house = builder.add_node("house", builder.add_box(20.0, 10.0, 30.0), parent=group)
    builder.add_node("door", builder.add_box(1.0, 1.0, 1.0), parent=house)
    builder.add_node("secret", builder.add_box(1.0, 1.0, 1.0), look=NodeLook(hidden=True))
    strange = builder.add_object(NewClass("Strange", 0x12345678, 0x9ABCDEF0, 0x10))
    builder.add_node("thing\x1b", strange)
    path = tmp_path / "scene.max"
    path.write_bytes(builder.to_bytes())
    monkeypatch.chdir(tmp_path)
    return path


def groups(path: Path) -> list[str]:
    return [line[2:] for line in path.read_text().splitlines() if line.startswith("g ")]


def test_mesh_writes_all_that_is_not_hidden(run: Runner, scene: Path) -> None:
    ran = run("mesh", "scene.max", "-o", "out.obj")
    assert ran.code == 0
    assert groups(Path("out.obj")) == ["house", "door"]
    assert Path("out.mtl").read_text().startswith("newmtl wire_")
    assert "mtllib out.mtl\n" in Path("out.obj").read_text()
    assert ran.lines[0].split() == ["node", "class", "is", "reason"]
    assert ran.lines[1].startswith("thing\\x1b  Strange  left out  no evaluation is known")
    assert ran.lines[-1] == (
        "out.obj: 2 nodes, 16 vertices, 24 triangles; 1 hidden node left out (--hidden)"
    )
    assert run("mesh", "scene.max", "-o", "out.obj", "--hidden").code == 0
    assert groups(Path("out.obj")) == ["house", "door", "secret"]


def test_what_is_alike_is_told_once(run: Runner, tmp_path: Path) -> None:
    builder = SceneBuilder()
    for name in ("first", "second", "third"):
        strange = builder.add_object(NewClass("Strange", 0x12345678, 0x9ABCDEF0, 0x10))
        builder.add_node(name, strange)
    builder.add_node("house", builder.add_box(20.0, 10.0, 30.0))
    path = tmp_path / "alike.max"
    path.write_bytes(builder.to_bytes())
    ran = run("mesh", str(path), "-o", str(tmp_path / "out.obj"))
    assert len(ran.lines) == 3
    assert ran.lines[1].startswith("first and 2 more  Strange  left out  ")
    ran = run("mesh", str(path), "-o", str(tmp_path / "out.obj"), "--json")
    assert [entry["node"] for entry in json.loads(ran.out)["missing"]] == [
        "first",
        "second",
        "third",
    ]


def test_mesh_of_a_node(run: Runner, scene: Path) -> None:
    assert run("mesh", "scene.max", "HOUSE", "-o", "out.obj").code == 0
    assert groups(Path("out.obj")) == ["house"]
    assert run("mesh", "scene.max", "group", "--children", "-o", "out.obj").code == 0
    assert groups(Path("out.obj")) == ["house", "door"]
    assert run("mesh", "scene.max", "secret", "-o", "out.obj").code == 0
    assert groups(Path("out.obj")) == ["secret"]


def test_mesh_options(run: Runner, scene: Path) -> None:
    text = {}
    for option in ("--triangles", "--y-up"):
        assert run("mesh", "scene.max", "house", "-o", "out.obj", option).code == 0
        text[option] = Path("out.obj").read_text()
    assert text["--triangles"].count("\nf ") == 12
    assert text["--y-up"].count("\nf ") == 6
    # The box is 30 high.
    assert (
        max(float(line.split()[2]) for line in text["--y-up"].splitlines() if line[:2] == "v ")
        == 30
    )


@pytest.mark.parametrize("kind", ["ply", "stl", "off"])
def test_mesh_through_trimesh(run: Runner, scene: Path, kind: str) -> None:
    import trimesh

    assert run("mesh", "scene.max", "house", "-o", f"out.{kind}").code == 0
    mesh = trimesh.load(f"out.{kind}")
    assert isinstance(mesh, trimesh.Trimesh)
    assert mesh.volume == pytest.approx(6000)
    assert not Path("out.mtl").exists()


def test_mesh_says_what_is_missing(
    run: Runner, scene: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = run("mesh", "scene.max", "-o", "out.obj", "--json", "--exit-code")
    assert ran.code == 1
    about = json.loads(ran.out)
    assert (about["nodes"], about["triangles"], about["hidden_left_out"]) == (2, 24, 1)
    assert [entry["class"] for entry in about["missing"]] == ["Strange"]
    assert run("mesh", "scene.max", "house", "-o", "out.obj", "--exit-code").code == 0
    ran = run("mesh", "scene.max", "group", "-o", "none.obj")
    assert (ran.code, "the node has no mesh" in ran.err) == (1, True)
    assert not Path("none.obj").exists()
    monkeypatch.setitem(sys.modules, "trimesh", None)
    ran = run("mesh", "scene.max", "-o", "out.ply")
    assert (ran.code, "pip install 'maxsidecar[mesh]'" in ran.err) == (1, True)


def test_wrong_usage(run: Runner, scene: Path) -> None:
    assert run("mesh", "scene.max", "-o", "out.fbx").code == 2
    assert run("mesh", "scene.max", "-o", "out.obj", "--children").code == 2
    assert run("preview", "scene.max", "-o", "out.pdf").code == 2
    assert run("preview", "scene.max", "-o", "out.html", "--png").code == 2
    assert run("preview", "scene.max", "--view", "top").code == 2
    for size in ("0x10", "10", "axb", "999999x1"):
        assert run("preview", "scene.max", "--png", "--size", size).code == 2
    assert run("preview", "scene.max", "--limit", "0").code == 2
    assert [path.name for path in Path().iterdir()] == ["scene.max"]


def test_outputs_never_replace_scenes(run: Runner, scene: Path) -> None:
    before = scene.read_bytes()
    Path("out.mtl").write_bytes(before)
    Path("out.html").write_bytes(before)
    assert run("mesh", "scene.max", "-o", "out.obj").code == 1
    assert run("preview", "scene.max", "-o", "out.html").code == 1
    assert Path("out.mtl").read_bytes() == Path("out.html").read_bytes() == before
    assert not Path("out.obj").exists()


def test_preview(run: Runner, scene: Path) -> None:
    ran = run("preview", "scene.max")
    assert ran.code == 0
    assert Path("scene.max.html").read_text().startswith("<!DOCTYPE html>")
    assert ran.lines[-1].startswith("scene.max.html: 6 nodes, 3 with a mesh, ")
    assert "Strange" in ran.out
    ran = run("preview", "scene.max", "--exit-code", "--json")
    assert (ran.code, json.loads(ran.out)["meshes"]) == (1, 3)


def test_preview_as_a_picture(run: Runner, scene: Path) -> None:
    assert run("preview", "scene.max", "--png", "--size", "60x40", "--view", "top").code == 0
    one = Path("scene.max.png").read_bytes()
    assert one[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(one[16:20]), int.from_bytes(one[20:24])) == (60, 40)
    assert run("preview", "scene.max", "-o", "b.png", "--size", "60x40", "--view", "top").code == 0
    assert Path("b.png").read_bytes() == one
    ran = run("preview", "scene.max", "--png", "--size", "9000x9000")
    assert (ran.code, "picture is too large" in ran.err) == (1, True)
