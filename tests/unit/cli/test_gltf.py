"""The command gltf export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maxsidecar.scene.authoring import NewClass, NodeLook, SceneBuilder
from tests.support.gltf_file import GltfFile
from tests.unit.cli.conftest import Runner


def street() -> SceneBuilder:
    builder = SceneBuilder(title="street")
    group = builder.add_node("group", builder.add_dummy(1.0))
    house = builder.add_node("house", builder.add_box(20.0, 10.0, 30.0), parent=group)
    builder.add_node("door\x1b", builder.add_box(1.0, 1.0, 1.0), parent=house)
    builder.add_node("secret", builder.add_box(1.0, 1.0, 1.0), look=NodeLook(hidden=True))
    return builder


def strange() -> SceneBuilder:
    builder = SceneBuilder(title="strange")
    unknown = builder.add_object(NewClass("Strange", 0x12345678, 0x9ABCDEF0, 0x10))
    builder.add_node("thing\x1b", unknown)
    return builder


@pytest.fixture
def scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "street.max").write_bytes(street().to_bytes())
    (tmp_path / "in" / "sub" / "strange.MAX").write_bytes(strange().to_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(path: str) -> list[str]:
    return [node["name"] for node in GltfFile(Path(path)).nodes]


def test_a_whole_scene(run: Runner, scenes: Path) -> None:
    ran = run("gltf", "export", "in/street.max", "-o", "street.glb")
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines[-1].startswith("street.glb: 4 nodes, 3 meshes")
    assert names("street.glb") == ["group", "house", "door\x1b", "secret"]
    generator = GltfFile(Path("street.glb")).generator
    assert generator.startswith("maxsidecar ")


def test_something_that_is_left_out_has_an_exit_code_of_its_own(run: Runner, scenes: Path) -> None:
    ran = run("gltf", "export", "in/sub/strange.MAX", "-o", "x.gltf")
    assert ran.code == 3
    row = ran.lines[1]
    assert row.split()[:3] == ["mesh", "thing\\x1b", "Strange"]
    assert "left out  no evaluation is known for this class" in row
    assert ran.lines[-1].startswith("x.gltf: 1 node, ")
    assert ran.lines[-1].endswith("KiB; not there: 1 mesh")
    assert names("x.gltf") == ["thing\x1b"]


def test_what_is_alike_is_one_row_and_what_is_missing_comes_first(
    run: Runner, scenes: Path
) -> None:
    builder = SceneBuilder()
    builder.add_node("empty", builder.add_mesh([(0, 0, 0), (1, 0, 0), (1, 1, 0)], []))
    unknown = builder.add_object(NewClass("Strange", 0x12345678, 0x9ABCDEF0, 0x10))
    for number in range(60):
        builder.add_node(f"thing {number}", unknown)
    Path("many.max").write_bytes(builder.to_bytes())
    ran = run("gltf", "export", "many.max", "-o", "x.glb")
    assert ran.code == 3
    assert ran.lines[1].startswith("mesh  thing 0 and 59 more  Strange")
    assert ran.lines[2].startswith("mesh  empty ")
    assert len(ran.lines) == 4


def test_a_folder_becomes_a_folder_with_the_same_tree(run: Runner, scenes: Path) -> None:
    ran = run("gltf", "export", "in", "-o", "out", "--format", "gltf", "--jobs", "0", "--json")
    assert ran.code == 3
    first, second = (json.loads(line) for line in ran.lines)
    assert first["output"] == [str(Path("out/street.gltf")), str(Path("out/street.bin"))]
    assert second["output"] == [str(Path("out/sub/strange.gltf"))]
    assert (first["complete"], second["complete"]) == (True, False)
    assert first["counts"]["node"] == {"converted": 4}
    (entry,) = [e for e in second["entries"] if e["kind"] == "mesh"]
    assert entry["outcome"] == "left out"
    assert entry["name"] == "thing\x1b"


def test_processes_share_a_folder(run: Runner, scenes: Path) -> None:
    ran = run("gltf", "export", "in", "-o", "out", "--jobs", "2")
    assert ran.code == 3
    assert names("out/street.glb") == ["group", "house", "door\x1b", "secret"]


def test_the_report_lists_everything(run: Runner, scenes: Path) -> None:
    assert run("gltf", "export", "in/street.max", "-o", "a.glb", "--report", "r.json").code == 0
    report = json.loads(Path("r.json").read_text("ascii"))
    kinds = [entry["kind"] for entry in report["entries"]]
    assert kinds.count("node") == 4
    assert kinds.count("mesh") == 3
    run("gltf", "export", "in", "-o", "out", "--report", "r.json")
    assert len(json.loads(Path("r.json").read_text("ascii"))["scenes"]) == 2


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--node", "house"], ["house", "door\x1b"]),
        (["--node", "3", "--node", "secret"], ["door\x1b", "secret"]),
        (["--no-hidden"], ["group", "house", "door\x1b"]),
    ],
)
def test_chosen_nodes(run: Runner, scenes: Path, options: list[str], expected: list[str]) -> None:
    assert run("gltf", "export", "in/street.max", "-o", "a.glb", *options).code == 0
    assert names("a.glb") == expected


def test_the_rig_alone(run: Runner, scenes: Path) -> None:
    assert run("gltf", "export", "in/street.max", "-o", "a.glb", "--rig-only").code == 0
    assert "meshes" not in GltfFile(Path("a.glb")).json


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in", "-o", "a.glb"], "OUT must be a folder"),
        (["in/street.max", "-o", "a.glb", "--report", "in/../a.glb"], "over an export"),
        (["in", "-o", "out", "--report", "out/sub/strange.glb"], "over an export"),
        (["in/street.max", "-o", "a.fbx"], "OUT must end with .glb or .gltf"),
        (["in/street.max", "-o", "text.max"], "OUT is a file"),
        (["in", "-o", "text.max"], "OUT is a file"),
        (["in/street.max", "-o", "a.glb", "--range", "0", "x"], "not a frame"),
        (["in/street.max", "-o", "a.glb", "--range", "0", "nan"], "not a frame"),
        (["in/street.max", "-o", "a.glb", "--sample", "0"], "above 0"),
        (["in/street.max", "-o", "a.glb", "--texture-root", "none"], "there is no such folder"),
        (["in/street.max"], "--output"),
    ],
)
def test_wrong_usage(run: Runner, scenes: Path, arguments: list[str], message: str) -> None:
    Path("text.max").write_text("no scene")
    ran = run("gltf", "export", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert sorted(path.name for path in Path().iterdir()) == ["in", "text.max"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in/street.max", "-o", "a.glb", "--node", "x"], "no node of this name"),
        (["in/street.max", "-o", "a.glb", "--selection-set", "x"], "no selection set"),
        (["none.max", "-o", "a.glb"], "no such file"),
        (["text.max", "-o", "a.glb"], "text.max"),
        (["in/street.max", "-o", "b.glb"], "only a scene is written over it"),
        (["in/street.max", "-o", "text.max/a.glb"], "text.max"),
    ],
)
def test_failures(run: Runner, scenes: Path, arguments: list[str], message: str) -> None:
    Path("text.max").write_text("no scene")
    Path("b.glb").write_bytes(street().to_bytes())
    ran = run("gltf", "export", *arguments)
    assert ran.code == 1
    assert message in ran.err
    assert ran.err.count("\n") == 1, "one line"
    assert not Path("a.glb").exists()


def test_a_scene_that_fails_does_not_stop_the_others(run: Runner, scenes: Path) -> None:
    Path("in/a.max").write_text("no scene")
    ran = run("gltf", "export", "in", "-o", "out", "--json", "--report", "r.json")
    assert ran.code == 1
    assert len(ran.lines) == 3
    assert json.loads(ran.lines[0])["error"]
    assert Path("out/street.glb").exists()


def test_names_that_differ_in_case_do_not_meet(run: Runner, scenes: Path) -> None:
    Path("in/STREET.Max").write_bytes(strange().to_bytes())
    if len(list(Path("in").glob("*.[mM]*"))) < 2:
        pytest.skip("file names are the same in any case here")
    assert run("gltf", "export", "in", "-o", "out", "--jobs", "0").code == 3
    assert len(list(Path("out").glob("*.glb"))) == 2
    assert len({path.name.casefold() for path in Path("out").glob("*.glb")}) == 2
