"""The commands extract, apply, schema, info, thumbnail, diff and text."""

from __future__ import annotations

import json
import shutil
import struct
import tomllib
import zlib
from pathlib import Path

import pytest

import maxsidecar
from maxsidecar.scene.appdata_registry import AppDataKey
from tests.unit.cli.conftest import Runner


def _edit(path: str, old: str, new: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    assert text.count(old) == 1
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


def test_extract_edit_apply(run: Runner, folder: Path) -> None:
    shutil.copy("street.max", "old.max")
    ran = run("extract", "street.max")
    assert (ran.code, ran.err) == (0, "")
    assert Path("maxsidecar.schema.json").is_file()
    _edit("street.max.toml", "dist_max = 200.0", "dist_max = 350.0")
    dry = run("apply", "--dry-run", "street.max.toml")
    assert dry.lines[0] == "house.nel.lod.dist_max: 200.0 -> 350.0"
    assert Path("street.max").read_bytes() == Path("old.max").read_bytes()
    done = run("apply", "--backup", "street.max.toml")
    assert (done.code, done.err) == (0, "")
    assert Path("street.max.bak").read_bytes() == Path("old.max").read_bytes()
    differences = [json.loads(x) for x in run("diff", "--json", "old.max", "street.max").lines]
    assert [(d["kind"], d["field"], d["old"], d["new"]) for d in differences] == [
        ("node", "nel.lod.dist_max", 200.0, 350.0)
    ]
    assert run("apply", "street.max.toml").lines == ["street.max: 0 values changed"]


def test_extract_json_and_options(run: Runner, folder: Path) -> None:
    (line,) = run("extract", "--json", "--no-schema", "street.max", "-o", "out.toml").lines
    about = json.loads(line)
    assert (about["output"], about["state"], about["schema"]) == ("out.toml", "written", None)
    assert not Path("maxsidecar.schema.json").exists()
    assert tomllib.loads(Path("out.toml").read_text(encoding="utf-8"))["node"]["house"]
    assert about["tables"] == 6
    (line,) = run("extract", "--json", "--no-schema", "--all", "--force", "street.max").lines
    # Eight nodes and the root node.
    assert json.loads(line)["tables"] == 9


def test_extract_keeps_edits_unless_forced(run: Runner, folder: Path) -> None:
    run("extract", "street.max")
    _edit("street.max.toml", "dist_max = 200.0", "dist_max = 1.5  # mine")
    run("extract", "street.max")
    assert "dist_max = 1.5  # mine" in Path("street.max.toml").read_text(encoding="utf-8")
    run("extract", "--force", "street.max")
    assert "dist_max = 200.0" in Path("street.max.toml").read_text(encoding="utf-8")


def test_apply_tells_line_and_column(run: Runner, folder: Path) -> None:
    run("extract", "street.max")
    _edit("street.max.toml", "dist_max = 200.0", "dist_max = true")
    before = Path("street.max").read_bytes()
    text = Path("street.max.toml").read_text(encoding="utf-8")
    number = text.splitlines().index("dist_max = true") + 1
    ran = run("apply", "street.max.toml")
    assert ran.code == 1
    # The column is that of the wrong value, behind "dist_max = ".
    assert f"street.max.toml:{number}:12: " in ran.err
    assert Path("street.max").read_bytes() == before
    (line,) = run("apply", "--json", "street.max.toml").lines
    about = json.loads(line)
    assert (about["state"], about["line"]) == ("error", number)


def test_apply_conflicts(run: Runner, folder: Path) -> None:
    run("extract", "street.max")
    _edit("street.max.toml", "dist_max = 200.0", "dist_max = 1.0")
    run("set", "street.max", "house", "nel.lod.dist_max", "2.0")
    ran = run("apply", "street.max.toml")
    assert ran.code == 1
    assert "house.nel.lod.dist_max" in ran.err
    assert "--force" in ran.err
    # The gentlest way on comes first.
    assert ran.err.index("maxsidecar extract") < ran.err.index("--force")
    stopped = run("extract", "street.max")
    assert stopped.code == 1
    assert "extract --discard" in stopped.err
    kept = run("apply", "--keep", "house.nel.*", "--dry-run", "street.max.toml")
    assert kept.code == 0
    assert kept.lines == [
        "house.nel.lod.dist_max: kept 2.0 of the scene (sidecar 1.0)",
        "street.max: 0 values would change",
    ]
    assert kept.err == ""
    both = run(
        "apply", "--keep", "*", "--force", "*", "--force", "x", "--dry-run", "street.max.toml"
    )
    assert "--force and --keep both match" in both.err
    assert "--force 'x' matches no conflict" in both.err
    assert both.lines[-1] == "street.max: 1 value would change"
    assert run("apply", "--force", "house.nel.lod.dist_max", "street.max.toml").code == 0
    assert run("get", "street.max", "house", "nel.lod.dist_max").out == "1.0\n"


def test_apply_searches_folders(run: Runner, folder: Path) -> None:
    run("extract", "street.max")
    _edit("street.max.toml", "dist_max = 200.0", "dist_max = 1.0")
    assert run("apply", ".").code == 0
    assert run("get", "street.max", "house", "nel.lod.dist_max").out == "1.0\n"


def test_schema(run: Runner, folder: Path) -> None:
    printed = json.loads(run("schema").out)
    assert run("schema", "-o", "x.json").code == 0
    assert json.loads(Path("x.json").read_text(encoding="utf-8")) == printed
    assert printed["properties"]["node"]


def test_info(run: Runner, folder: Path) -> None:
    about = json.loads(run("info", "--json", "street.max").out)
    assert (about["release"], about["written_by"], about["compressed"]) == ("6", "6", False)
    assert about["nodes"] == 8
    assert about["size"] == Path("street.max").stat().st_size
    assert sum(row["objects"] for row in about["classes"]) == about["objects"]
    assert next(row for row in about["classes"] if row["class"] == "Node")["objects"] == 8
    names = [stream["name"] for stream in about["streams"]]
    assert {"Scene", "Config", "DllDirectory", "ClassDirectory3"} <= set(names)
    assert about["summary"]["title"] == "A village street"
    assert about["problems"] == []
    shutil.copy("street.max", "other.max")
    text = run("info", "street.max", "other.max")
    assert text.code == 0
    assert text.out.count("A village street") == 2


def test_info_classes(run: Runner, folder: Path) -> None:
    about = json.loads(run("info", "--classes", "--json", "street.max").out)
    rows = {row["class_id"] + "/" + row["superclass"]: row for row in about["classes"]}
    node = rows["1/0/1"]["coverage"]
    # Chunks with open meaning are not declared, so nodes are typed in part.
    assert node["states"] == {"typed in part": rows["1/0/1"]["objects"]}
    assert node["text"] == "typed in part"
    assert 0 < node["typed_bytes"] <= node["bytes"]
    text = run("info", "--classes", "street.max")
    assert text.code == 0
    assert "state" in text.lines[1]
    assert all(row["class"] in text.out for row in about["classes"])
    assert "coverage" not in json.loads(run("info", "--json", "street.max").out)["classes"][0]


def test_info_tells_what_is_damaged(run: Runner, folder: Path) -> None:
    data = Path("street.max").read_bytes()
    at = data.index(b"\x09\x20")
    Path("cut.max").write_bytes(data[: at + 8] + b"\xff\xff\xff\x7f" + data[at + 12 :])
    ran = run("info", "cut.max")
    assert ran.code == 0
    count = ran.err.count("maxsidecar: warning: ")
    assert count
    assert f"problems     {count}\n" in ran.out
    assert len(json.loads(run("info", "--json", "cut.max").out)["problems"]) == count


def test_thumbnail(run: Runner, folder: Path) -> None:
    assert run("thumbnail", "street.max").code == 0
    data = Path("street.max.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (128, 72)
    start = data.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", data[start - 8 : start - 4])
    rows = zlib.decompress(data[start : start + length])
    assert len(rows) == (1 + 3 * width) * height
    # The sample draws a light square in the middle: red 230, green 200, blue 90.
    middle = (1 + 3 * width) * (height // 2) + 1 + 3 * (width // 2)
    assert rows[middle : middle + 3] == bytes((230, 200, 90))


def test_no_thumbnail_is_an_error(run: Runner, tmp_path: Path) -> None:
    from maxsidecar.scene.authoring import SceneBuilder

    path = tmp_path / "plain.max"
    path.write_bytes(SceneBuilder(title="x").to_bytes())
    ran = run("thumbnail", str(path))
    assert ran.code == 1
    assert "no thumbnail" in ran.err


def test_diff_exit_codes(run: Runner, folder: Path) -> None:
    shutil.copy("street.max", "old.max")
    same = run("diff", "--exit-code", "old.max", "street.max")
    assert (same.code, same.out) == (0, "")
    run("set", "street.max", "door", "flags.hidden", "true")
    assert run("diff", "old.max", "street.max").code == 0
    changed = run("diff", "--exit-code", "old.max", "street.max")
    assert changed.code == 1
    assert changed.lines[1:] == ["    flags.hidden: false -> true"]
    assert changed.lines[0].startswith("~ node door@")


def test_text_is_the_same_everywhere(run: Runner, folder: Path) -> None:
    first = run("text", "street.max")
    shutil.copy("street.max", "another name.max")
    assert first.code == 0
    assert run("text", "another name.max").out == first.out
    with maxsidecar.open("street.max") as scene_file:
        for node in scene_file.nodes.values():
            if node.name:
                assert json.dumps(node.name, ensure_ascii=False) in first.out


@pytest.mark.parametrize("content", [b"", b"text", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99)])
def test_text_of_what_is_no_scene(content: bytes, run: Runner, tmp_path: Path) -> None:
    path = tmp_path / "x.max"
    path.write_bytes(content)
    ran = run("text", str(path))
    # git diff stops where the command fails.
    assert ran.code == 0
    assert "!! " in ran.out
    assert f"({len(content)} bytes" in ran.out


def test_an_extract_that_lists_nothing_says_so(run: Runner, tmp_path: Path) -> None:
    from maxsidecar.scene.authoring import SceneBuilder

    builder = SceneBuilder()
    node = builder.add_node("n", builder.add_box(1, 1, 1))
    path = tmp_path / "plain.max"
    path.write_bytes(builder.to_bytes())
    ran = run("extract", str(path))
    assert ran.lines[0].endswith(": written, 0 objects")
    assert "use --all" in ran.lines[1]
    sidecar = tmp_path / "plain.max.toml"
    assert "# no node has AppData" in sidecar.read_text("utf-8")
    builder.add_appdata(node, AppDataKey(1, 2, 3, 4), b"x\0")
    path.write_bytes(builder.to_bytes())
    assert run("extract", str(path)).lines == [f"{sidecar}: updated, 1 object"]
    assert "# no node" not in sidecar.read_text("utf-8")


def test_apply_json_tells_what_failed(run: Runner, folder: Path) -> None:
    Path("bad.max.toml").write_text("[sidecar]\nformat = 7\n", encoding="utf-8")
    ran = run("apply", "--json", "bad.max.toml")
    assert ran.code == 1
    about = json.loads(ran.out)
    assert (about["sidecar"], about["state"], about["line"]) == ("bad.max.toml", "error", 2)


def test_mistakes_and_conflicts_come_in_the_order_of_the_text(run: Runner, folder: Path) -> None:
    run("extract", "street.max")
    _edit("street.max.toml", "dist_max = 200.0", "dist_max = 1.0")
    _edit("street.max.toml", "[base]", "[node.nobody]\nwire_color = 1\n\n[base]")
    text = Path("street.max.toml").read_text(encoding="utf-8")
    text = text.replace("[sidecar]", "[node.nothing]\nx = 1\n\n[sidecar]")
    Path("street.max.toml").write_text(text, encoding="utf-8")
    run("set", "street.max", "house", "nel.lod.dist_max", "2.0")
    ran = run("apply", "street.max.toml")
    found = [line for line in ran.err.splitlines() if "toml:" in line][:-1]
    assert ["nothing" in found[0], "dist_max" in found[1], "nobody" in found[2]] == [True] * 3
    states = [json.loads(line)["state"] for line in run("apply", "--json", "street.max.toml").lines]
    assert states == ["error", "conflict", "error"]


def test_a_flood_of_mistakes_is_cut(run: Runner, folder: Path) -> None:
    run("extract", "street.max")
    wrong = "".join(f"wrong_{n} = 1\n" for n in range(130))
    _edit("street.max.toml", "[base]", f"[node.house.nel.sound]\n{wrong}\n[base]")
    ran = run("apply", "street.max.toml")
    assert ran.code == 1
    lines = ran.err.splitlines()
    assert sum("wrong_" in line for line in lines) == 100
    assert any("and 30 more" in line for line in lines)
    assert "130 errors" in lines[-1]


def test_diff_json_has_the_values_of_get(run: Runner, folder: Path) -> None:
    shutil.copy("street.max", "old.max")
    run("set", "street.max", "house", "flags.hidden", "true")
    run("set", "street.max", "house", "nel.instance_name", "--unset")
    found = [json.loads(x) for x in run("diff", "--json", "old.max", "street.max").lines]
    values = {d["field"]: (d["old"], d["new"]) for d in found}
    assert values == {"flags.hidden": (False, True), "nel.instance_name": ("house_01", None)}
    assert "-> (not set)" in run("diff", "old.max", "street.max").out


@pytest.mark.parametrize(
    ("groups", "listed"), [("appdata", True), ("all", True), ("layers", False)]
)
def test_appdata_of_other_objects_is_a_group(
    run: Runner, folder: Path, groups: str, listed: bool
) -> None:
    with maxsidecar.open("street.max") as scene_file:
        box = scene_file.nodes.find("house")[0].object
        assert box is not None
        box.appdata.set(AppDataKey(1, 2, 3, 4), b"x\0")
        number = str(box.index)
        scene_file.save()
    assert run("extract", "--include", groups, "street.max").code == 0
    shown = tomllib.loads(Path("street.max.toml").read_text(encoding="utf-8"))
    assert (number in shown.get("object", {})) == listed
    # Also in a sidecar that is there already.
    Path("street.max.toml").unlink()
    assert run("extract", "street.max").code == 0
    assert run("extract", "--include", groups, "street.max").code == 0
    shown = tomllib.loads(Path("street.max.toml").read_text(encoding="utf-8"))
    assert (number in shown.get("object", {})) == listed
