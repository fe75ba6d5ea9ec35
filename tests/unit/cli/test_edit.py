"""The commands get and set."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Thread

import pytest

import maxsidecar
from maxsidecar.errors import SaveError
from maxsidecar.scene.node import Node
from tests.unit.cli.conftest import Runner


def _node(name: str) -> Node:
    with maxsidecar.open("street.max") as scene_file:
        (node,) = scene_file.nodes.find(name)
        return node


def test_get_one_value_alone(run: Runner, folder: Path) -> None:
    assert run("get", "street.max", "HOUSE", "nel.lod.dist_max").out == "200.0\n"
    assert run("get", "street.max", "house", "nel.instance_name").out == "house_01\n"
    text = run("get", "street.max", "house", "user_properties").out
    assert text.split("\n") == ["material = brick", "floors = 2", "", ""]


def test_get_a_table(run: Runner, folder: Path) -> None:
    assert run("get", "street.max", "house", "nel.lod").lines == [
        "nel.lod.dist_max = 200.0", "nel.lod.blend_in = true", "nel.lod.name_count = 0"
    ]  # fmt: skip


def test_get_json(run: Runner, folder: Path) -> None:
    (line,) = run("get", "--json", "street.max", "door", "nel.dont_export").lines
    found = json.loads(line)
    assert (found["node"], found["key"], found["value"]) == ("door", "nel.dont_export", False)
    assert _node("door").handle == found["id"]


def test_get_by_quoted_key(run: Runner, folder: Path) -> None:
    key = "0badc0de-12345678/1020/7"
    plain = run("get", "street.max", "house", f"appdata.{key}")
    quoted = run("get", "street.max", "house", f'appdata."{key}"')
    assert plain.out == quoted.out == "hex:" + b"\x01\x02rides along\x00".hex() + "\n"


@pytest.mark.parametrize(
    ("node", "key", "message"),
    [
        ("lamp", None, "lamp@"),
        ("nobody", None, "there is no node 'nobody'; maxsidecar tree lists all"),
        ("huose", None, "near names: 'house'"),
        ("house", "user_properties.floors", "user_properties is one text"),
        ("house", "flags.dist_max", "did you mean nel.lod.dist_max? In a sidecar its header may"),
        ("house", "nel.lod.dist_mx", "did you mean nel.lod.dist_max?"),
        ("door", "nel.lod.dist_max", "not set"),
        ("lamp@99", None, "there is no node"),
    ],
)
def test_get_errors(run: Runner, folder: Path, node: str, key: str | None, message: str) -> None:
    ran = run("get", "street.max", node, *([key] if key else []))
    assert ran.code == 1
    assert message in ran.err
    assert not ran.out


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("nel.lod.dist_max", "12.5", 12.5),
        ("nel.lod.dist_max", "-0.5", -0.5),
        ("nel.lod.blend_in", "false", False),
        ("nel.instance_name", "plain text", "plain text"),
        ("nel.instance_name", '"quoted"', "quoted"),
        ("nel.instance_name", "1.5", "1.5"),
        ("nel.instance_name", "true", "true"),
        ("nel.instance_name", "1\nx = 2", None),
        ("nel.accelerator.type", "portal", "portal"),
        ("wire_color", "#A0b0C0", "#a0b0c0"),
        ("flags.hidden", "true", True),
        ("user_properties", '"a = 1\\nb = 2"', "a = 1\nb = 2"),
    ],
)
def test_set(run: Runner, folder: Path, key: str, text: str, value: object) -> None:
    ran = run("set", "street.max", "house", key, text)
    if value is None:
        assert ran.code in (0, 1)
        return
    assert (ran.code, ran.err) == (0, "")
    (line,) = run("get", "--json", "street.max", "house", key).lines
    assert json.loads(line)["value"] == value


def test_set_changes_nothing_else(run: Runner, folder: Path) -> None:
    before = Path("street.max").read_bytes()
    assert run("set", "street.max", "house", "nel.lod.dist_max", "350.0").code == 0
    after = Path("street.max").read_bytes()
    # "200.0" and "350.0" differ in two characters.
    assert len(before) == len(after)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 2


def test_set_by_name_with_id(run: Runner, folder: Path) -> None:
    with maxsidecar.open("street.max") as scene_file:
        first, second = (node.handle for node in scene_file.nodes.find("lamp"))
    assert run("set", "street.max", f"lamp@{second}", "flags.frozen", "true").code == 0
    assert run("get", "street.max", f"@{second}", "flags.frozen").out == "true\n"
    assert run("get", "street.max", f"@{first}", "flags.frozen").out == "false\n"


def test_dry_run_writes_nothing(run: Runner, folder: Path) -> None:
    before = Path("street.max").read_bytes()
    ran = run("set", "street.max", "house", "flags.hidden", "true", "--dry-run")
    assert ran.out == "house.flags.hidden: false -> true\n"
    assert Path("street.max").read_bytes() == before


def test_same_value_writes_nothing(run: Runner, folder: Path) -> None:
    before = Path("street.max").stat()
    ran = run("set", "street.max", "house", "nel.lod.dist_max", "200", "--backup")
    assert "(unchanged)" in ran.out
    assert Path("street.max").stat().st_mtime_ns == before.st_mtime_ns
    assert not Path("street.max.bak").exists()


def test_backup_and_output(run: Runner, folder: Path) -> None:
    before = Path("street.max").read_bytes()
    assert run("set", "street.max", "house", "name", "дом", "-o", "new file.max").code == 0
    assert Path("street.max").read_bytes() == before
    assert run("get", "new file.max", "ДОМ", "name").out == "дом\n"
    assert run("set", "street.max", "house", "name", "villa", "--backup").code == 0
    assert Path("street.max.bak").read_bytes() == before
    assert _node("villa").name == "villa"


def test_unset(run: Runner, folder: Path) -> None:
    assert run("set", "street.max", "house", "nel.instance_name", "--unset").code == 0
    assert run("get", "street.max", "house", "nel.instance_name").code == 1
    again = run("set", "street.max", "house", "nel.instance_name", "--unset")
    assert again.code == 1
    assert run("set", "street.max", "house", "name", "--unset").code == 1


@pytest.mark.parametrize(
    ("node", "key", "text"),
    [
        ("house", "nel.lod.dist_max", "far"),
        ("house", "flags.hidden", "1"),
        ("house", "flags.bone", "true"),
        ("house", "name", ""),
        ("house", "no.such.key", "1"),
        ("Scene Root", "name", "x"),
    ],
)
def test_refused_values(run: Runner, folder: Path, node: str, key: str, text: str) -> None:
    before = Path("street.max").read_bytes()
    ran = run("set", "street.max", node, key, text)
    assert ran.code == 1
    assert ran.err.startswith("maxsidecar: error: ")
    # What the user typed is wrong, not a place in the file.
    assert "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}" not in ran.err
    assert Path("street.max").read_bytes() == before


def test_get_shows_flags_that_cannot_be_edited(run: Runner, folder: Path) -> None:
    with maxsidecar.open("street.max") as scene_file:
        (node,) = scene_file.nodes.find("house")
        expected = {name: node.flag(name) for name in ("bone", "target", "renderable")}
    listed = run("get", "street.max", "house", "flags").lines
    for name, value in expected.items():
        if value is not None:
            assert f"flags.{name} = {str(value).lower()}" in listed
            assert run("get", "street.max", "house", f"flags.{name}").out == f"{value}\n".lower()
    assert any(value is not None for value in expected.values())
    assert run("set", "street.max", "house", "flags.bone", "true").code == 1


def test_a_failed_save_prints_no_success(
    run: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise SaveError("no space")

    monkeypatch.setattr("maxsidecar.scene.maxfile.save_segments", fail)
    for option in ((), ("--json",)):
        ran = run("set", "street.max", "house", "flags.hidden", "true", *option)
        assert (ran.code, ran.out) == (1, "")
        assert "no space" in ran.err


def test_backups_are_named(run: Runner, folder: Path) -> None:
    names = []
    for value in ("1.0", "2.0"):
        ran = run("set", "street.max", "house", "nel.lod.dist_max", value, "--backup")
        names.append(Path(ran.lines[1].removeprefix("the old file is kept as ")).name)
    assert names == ["street.max.bak", "street.max.bak1"]
    (line,) = run("set", "street.max", "house", "wire_color", "#000000", "--backup", "--json").lines
    assert Path(json.loads(line)["backup"]).name == "street.max.bak2"
    (line,) = run("set", "street.max", "house", "wire_color", "#000001", "--json").lines
    assert json.loads(line)["backup"] is None


def test_appdata_keys_in_another_spelling(run: Runner, folder: Path) -> None:
    key = "0badc0de-12345678/1020/7"
    for spelled in ("badc0de-12345678/1020/7", "0BADC0DE-12345678/1020/7"):
        assert run("get", "street.max", "house", f"appdata.{spelled}").out.startswith("hex:0102")
    ran = run("set", "street.max", "house", "appdata.BADC0DE-12345678/1020/7", "hex:07")
    assert "(not set)" not in ran.out
    assert f'"{key}"' in ran.out
    assert run("get", "street.max", "house", f"appdata.{key}").out == "hex:07\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("command", ["get", "info", "tree", "text"])
def test_a_scene_from_a_pipe(command: str, run: Runner, folder: Path) -> None:
    os.mkfifo("pipe")
    feeder = Thread(target=lambda: Path("pipe").write_bytes(Path("street.max").read_bytes()))
    feeder.start()
    ran = run(command, "pipe")
    feeder.join(10)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.replace("pipe", "") == run(command, "street.max").out.replace("street.max", "")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("villa", "villa"),
        ('"villa"', "villa"),
        ("'a \"b\"'", 'a "b"'),
        ("5", "5"),
        ('"open', '"open'),
    ],
)
def test_a_name_is_toml_or_text(run: Runner, folder: Path, value: str, name: str) -> None:
    ran = run("set", "street.max", "house", "name", value)
    assert (ran.code, ran.err) == (0, "")
    assert _node(name).name == name


def test_errors_tell_file_and_node(run: Runner, folder: Path) -> None:
    wrong = run("set", "street.max", "HOUSE", "flags.hidden", "maybe")
    assert wrong.code == 1
    assert "street.max: node 'house': flags.hidden: wrong type" in wrong.err
    empty = run("set", "street.max", "house", "name", "")
    assert "street.max: node 'house': a name must not be empty" in empty.err
    missing = run("get", "street.max", "door", "nel.lod.dist_max")
    assert "street.max: node 'door': nel.lod.dist_max is not set" in missing.err
    nobody = run("set", "street.max", "nobody", "name", "x")
    assert "street.max: there is no node 'nobody'" in nobody.err
