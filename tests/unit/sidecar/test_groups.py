"""Transforms, parameters, materials and layers in sidecars."""

from __future__ import annotations

import hashlib
import math
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from maxsidecar.cli.main import main
from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.authoring_keys import TransformKeys
from maxsidecar.scene.materials.bitmap import BitmapMap
from maxsidecar.scene.materials.standard import StandardMaterial
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import SidecarDocument, parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.groups import OPTIONAL_GROUPS, groups_of, parse_groups
from maxsidecar.sidecar.schema import json_schema
from maxsidecar.sidecar.update import refreshed_text, updated_text

ALL = Options(include=frozenset(OPTIONAL_GROUPS))
HOSTILE = 'a.b"]\n[x] \u202e@9'


def scene_bytes() -> bytes:
    builder = SceneBuilder()
    box = builder.add_box(30, 20, 10)
    turned = builder.add_transform((1, 2, 3), (0, 0, math.pi / 2), (2, 2, 2))
    moving = builder.add_transform(
        keys=TransformKeys(position={0: (0, 0, 0), 4800: (1, 0, 0), 9600: (5, 0, 0)})
    )
    picture = builder.add_bitmap_map(r"C:\maps\old.tga", (8, 8), name="Map #1")
    brick = builder.add_standard_material("brick", diffuse=(0.25, 0.5, 0.75), diffuse_map=picture)
    walls = builder.add_layer("Walls")
    builder.add_node("still", box, transform=turned, material=brick, layer=walls)
    builder.add_node("moving", builder.add_sphere(5), transform=moving)
    builder.add_node("twin", box)
    hostile = builder.add_standard_material(HOSTILE)
    builder.add_node(HOSTILE, builder.add_box(1, 1, 1), material=hostile)
    return builder.to_bytes()


@pytest.fixture(scope="module")
def data() -> bytes:
    return scene_bytes()


@pytest.fixture
def scene(data: bytes) -> MaxFile:
    return MaxFile(data)


def tables(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def label(kind: dict[str, Any], name: str) -> str:
    return next(key for key in kind if key.startswith(f"{name}@"))


def edited(scene: MaxFile, *changes: tuple[str, str]) -> tuple[MaxFile, SidecarDocument]:
    """Apply changes of lines; the scene that was saved, and the sidecar as it is then."""
    text = extract(scene, "s.max", ALL)
    for old, new in changes:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    plan = make_plan(scene, parse(text.encode()))
    assert [str(problem) for problem in plan.problems] == []
    plan.apply()
    saved = scene.to_bytes()
    refreshed = refreshed_text(plan, hashlib.sha256(saved).hexdigest())
    return MaxFile(saved), parse(refreshed.encode())


def test_groups_are_asked_for_by_name() -> None:
    assert parse_groups("transform, layers") == {"transform", "layers"}
    assert parse_groups("all") == set(OPTIONAL_GROUPS)
    assert parse_groups("nel,appdata,flags,user") == set()
    with pytest.raises(EditError, match="unknown group"):
        parse_groups("transforms")


def test_the_default_shows_none_of_them(scene: MaxFile) -> None:
    text = extract(scene, "s.max", Options(all=True))
    document = parse(text.encode())
    assert not any(groups_of(table.values) for table in document.tables)
    assert {table.kind for table in document.tables} <= {"node", "object"}


def test_the_default_imports_nothing_of_them() -> None:
    code = (
        "import sys; from maxsidecar.sidecar import fields, extract, apply\n"
        "bad = [m for m in sys.modules if m.startswith(('maxsidecar.scene.params', "
        "'maxsidecar.scene.controllers', 'maxsidecar.scene.materials', 'numpy'))]\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_shown_is_what_was_built(scene: MaxFile) -> None:
    shown = tables(extract(scene, "s.max", ALL))
    still = shown["node"]["still"]
    assert still["transform"]["position"] == [1.0, 2.0, 3.0]
    assert still["transform"]["rotation"] == [0.0, 0.0, 90.0]
    assert still["transform"]["scale"] == [2.0, 2.0, 2.0]
    assert [still["parameters"][k] for k in ("length", "width", "height")] == [30.0, 20.0, 10.0]
    moving = shown["node"]["moving"]
    assert moving["transform"]["position"].startswith("animated: 3 keys, ")
    assert moving["parameters"]["radius"] == 5.0
    brick = shown["material"][label(shown["material"], "brick")]
    assert brick["shader"]["diffuse"] == [0.25, 0.5, 0.75]
    assert brick["maps"]["diffuse"].startswith("-> Map #1@")
    assert shown["map"][label(shown["map"], "Map #1")]["bitmap"] == r"C:\maps\old.tga"
    assert shown["layer"][label(shown["layer"], "Walls")]["name"] == "Walls"
    jsonschema.validate(shown, json_schema())


def test_a_shared_object_is_listed_once(scene: MaxFile) -> None:
    text = extract(scene, "s.max", ALL)
    assert "parameters" not in tables(text)["node"].get("twin", {})
    assert "# parameters: shared, listed with 'still'" in text
    other = "[node.twin.parameters]\nlength = {}\n\n[node.twin.{}]"
    twice = text.replace("[node.twin.transform]", other.format(1, "transform"))
    (problem,) = make_plan(scene, parse(twice.encode())).problems
    assert "this is the same value as node.still.length" in problem.message
    assert problem.line is not None
    alone = extract(scene, "s.max", Options(include=frozenset({"layers"}), all=True))
    alone = alone.replace("[node.twin.flags]", other.format(7, "flags"))
    make_plan(scene, parse(alone.encode())).apply()
    (node,) = scene.nodes.find("still")
    assert node.base_object is not None
    assert node.base_object.parameters["length"].value == 7.0


def test_nothing_changes_without_an_edit(scene: MaxFile, data: bytes) -> None:
    text = extract(scene, "s.max", ALL)
    document = parse(text.encode())
    assert make_plan(scene, document).apply() == []
    assert scene.to_bytes() == data
    assert updated_text(document, scene) == text
    assert updated_text(document, scene, ALL) == text


def test_an_existing_sidecar_gets_the_groups_that_are_asked_for(scene: MaxFile) -> None:
    small = extract(scene, "s.max", Options(all=True))
    grown = parse(updated_text(parse(small.encode()), scene, ALL).encode())
    fresh = parse(extract(scene, "s.max", Options(all=True, include=ALL.include)).encode())
    assert {(t.kind, t.label): t.values for t in grown.tables} == {
        (t.kind, t.label): t.values for t in fresh.tables
    }
    # And it does not get what was not asked for.
    assert updated_text(parse(small.encode()), scene) == small


def test_edits_arrive_and_go_back(scene: MaxFile, data: bytes) -> None:
    there = [
        ("position = [1.0, 2.0, 3.0]", "position = [10, 2.0, -3.5]"),
        ("rotation = [0.0, 0.0, 90.0]", "rotation = [0, 0, 45]"),
        ("length = 30.0", "length = 12.5"),
        ("diffuse = [0.25, 0.5, 0.75]", "diffuse = [1, 0, 0]"),
        (r'bitmap = "C:\\maps\\old.tga"', r"bitmap = 'D:\new folder\ü.png'"),
        ('name = "brick"', 'name = "stone"'),
        ('name = "Walls"', 'name = "Walls 2"'),
    ]
    saved, document = edited(scene, *there)
    (node,) = saved.nodes.find("still")
    turned = node.local_matrix()
    half = math.sqrt(0.5) * 2
    assert turned[3, :3] == pytest.approx([10, 2, -3.5])
    assert turned[0, :3] == pytest.approx([half, half, 0], abs=1e-6)
    assert node.base_object is not None
    assert node.base_object.parameters["length"].value == 12.5
    material = node.material
    assert isinstance(material, StandardMaterial)
    assert material.name == "stone"
    assert material.base_color() == (1.0, 0.0, 0.0)
    assert [m.path for m in saved.scene if isinstance(m, BitmapMap)] == ["D:\\new folder\\ü.png"]
    assert node.layer is not None
    assert node.layer.name == "Walls 2"

    # The sidecar is settled, though names in its texts for information changed.
    assert make_plan(saved, document).apply() == []
    assert "-> stone" not in document.text
    text = document.text
    for old, new in there:
        assert text.count(new) == 1, new
        text = text.replace(new, old)
    make_plan(saved, parse(text.encode())).apply()
    assert saved.to_bytes() == data


def test_animated_values_are_refused(scene: MaxFile) -> None:
    text = extract(scene, "s.max", ALL)
    line = next(n for n in text.split("\n") if "animated: 3 keys" in n)
    plan = make_plan(scene, parse(text.replace(line, "position = [0, 0, 0]").encode()))
    (problem,) = plan.problems
    assert "its controller gives this value" in problem.message
    assert (problem.line, problem.column) == (text.split("\n").index(line) + 1, 1)
    with pytest.raises(MaxSidecarError):
        plan.apply()
    assert not scene.edited


def test_what_is_shown_for_information_may_grow_old(scene: MaxFile) -> None:
    text = extract(scene, "s.max", ALL)
    # A table of the map itself would have to be found by its name.
    text = re.sub(r"\[map\..*?(?=\n\[layer)", "", text, flags=re.DOTALL)
    (picture,) = [m for m in scene.scene if isinstance(m, BitmapMap)]
    assert picture.head is not None
    picture.head.name = "other"
    other = MaxFile(scene.to_bytes())
    document = parse(text.encode())
    plan = make_plan(other, document)
    assert plan.ok
    assert plan.apply() == []
    assert "-> other@" in updated_text(document, other)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("length = 30.0", "length = true", "length: wrong type"),
        ("length = 30.0", 'length = "30"', "length: wrong type"),
        ("length = 30.0", "length = nan", "length: wrong type or out of range"),
        ("length = 30.0", "length = 1e39", "length: wrong type or out of range"),
        ("length = 30.0", "lenght = 30.0", "did you mean parameters.length"),
        ("position = [1.0, 2.0, 3.0]", "position = [1.0, 2.0]", "position: wrong type"),
        ("position = [1.0, 2.0, 3.0]", 'position = ["1", 2, 3]', "position: wrong type"),
        ("position = [1.0, 2.0, 3.0]", "position = [inf, 2, 3]", "position: out of range"),
        ("rotation = [0.0, 0.0, 90.0]", "rotation = [0, 0, 0, 1]", "rotation: wrong type"),
        ('name = "brick"', "name = 1", "name: wrong type"),
        ('name = "Walls"', 'name = ""', "name: a layer must have one"),
        ('name = "Walls"', 'name = "0"', "name: another layer has it"),
        (r'bitmap = "C:\\maps\\old.tga"', r'bitmap = "a\u0000b"', "NUL"),
        ("diffuse = [0.25, 0.5, 0.75]", "diffuse = 1", "diffuse"),
    ],
)
def test_wrong_values_are_refused_in_their_place(
    scene: MaxFile, data: bytes, old: str, new: str, message: str
) -> None:
    text = extract(scene, "s.max", ALL)
    assert text.count(old) == 1
    plan = make_plan(scene, parse(text.replace(old, new).encode()))
    assert [message in problem.message for problem in plan.problems] == [True]
    assert plan.problems[0].line == text[: text.index(old)].count("\n") + 1
    assert scene.to_bytes() == data


def test_conflicts_are_those_of_other_values(scene: MaxFile) -> None:
    text = extract(scene, "s.max", ALL)
    saved, _ = edited(MaxFile(scene.to_bytes()), ("length = 30.0", "length = 40.0"))
    mine = parse(text.replace("length = 30.0", "length = 50.0").encode())
    (conflict,) = make_plan(saved, mine).conflicts
    assert str(conflict) == (
        "still.parameters.length: the scene changed it since: scene 40.0, sidecar 50.0 (edited)"
    )
    assert make_plan(saved, mine, keep=["*.length"]).apply() == []
    make_plan(saved, mine, force=["still.parameters.*"]).apply()
    (node,) = saved.nodes.find("still")
    assert node.base_object is not None
    assert node.base_object.parameters["length"].value == 50.0


def test_a_failed_apply_leaves_the_asset_table_and_parts_alone(scene: MaxFile, data: bytes) -> None:
    text = extract(scene, "s.max", ALL).replace(
        "position = [1.0, 2.0, 3.0]", "position = [4, 5, 6]"
    )
    plan = make_plan(scene, parse(text.encode()))
    (change,) = plan.changes
    change.new = [4.0, 5.0, 7.0000001]  # no value that reading back would give
    with pytest.raises(MaxSidecarError, match="does not take this value"):
        plan.apply()
    assert scene.to_bytes() == data


def test_hostile_names_stay_names(scene: MaxFile) -> None:
    shown = tables(extract(scene, "s.max", ALL))
    names = [key for key in shown["material"] if key.startswith(HOSTILE)]
    assert len(names) == 1
    assert shown["material"][names[0]]["name"] == HOSTILE
    assert set(shown) <= {"sidecar", "node", "object", "material", "map", "layer", "base"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[material."brick@999999"]\nname = "x"', "there is no such material"),
        ('[material."other@1"]\nname = "x"', "there is no such material"),
        ('[material."brick@99999999999"]\nname = "x"', "there is no such material"),
        ('[map.brick]\nname = "x"', "there is no such map"),
        ("[material.brick]\nid = 3", "unknown key id"),
        ("[material.brick]\nlength = 3", "unknown key length"),
        ('[node.still]\nname = "x"', "unknown key name"),
        ("[object.1.transform]\nposition = [0, 0, 0]", "unknown key transform.position"),
        ("[node.still.transform]\nposition.x = 1", "unknown key transform.position.x"),
    ],
)
def test_tables_of_nothing_are_refused(scene: MaxFile, table: str, message: str) -> None:
    text = f'[sidecar]\nformat = 1\nscene = "s.max"\nsha256 = "{scene.sha256}"\n{table}\n'
    problems = make_plan(scene, parse(text.encode())).problems
    assert [message in problem.message for problem in problems] == [True]


def test_a_name_alone_is_enough_by_hand(scene: MaxFile) -> None:
    text = (
        f'[sidecar]\nformat = 1\nscene = "s.max"\nsha256 = "{scene.sha256}"\n'
        "[material.brick.shader]\ndiffuse = [0, 0, 1]\n"
    )
    make_plan(scene, parse(text.encode())).apply()
    (node,) = scene.nodes.find("still")
    assert isinstance(node.material, StandardMaterial)
    assert node.material.base_color() == (0.0, 0.0, 1.0)


def test_get_and_set_know_the_keys(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.max"
    path.write_bytes(data)
    assert main(["get", str(path), "still", "transform.position"]) == 0
    assert capsys.readouterr().out == "[1.0, 2.0, 3.0]\n"
    assert main(["set", str(path), "still", "transform.position", "[0, 0, 5]"]) == 0
    assert main(["set", str(path), "still", "parameters.length", "9"]) == 0
    assert main(["set", str(path), "moving", "transform.position", "[0, 0, 5]"]) != 0
    assert "change the keys" in capsys.readouterr().err
    with MaxFile(path.read_bytes()) as saved:
        (node,) = saved.nodes.find("still")
        assert node.local_matrix()[3, :3] == pytest.approx([0, 0, 5])
        assert node.base_object is not None
        assert node.base_object.parameters["length"].value == 9.0
    assert main(["extract", str(path), "--include", "transform,material", "--no-schema"]) == 0
    text = path.with_name("s.max.toml").read_text("utf-8")
    assert "position = [0.0, 0.0, 5.0]" in text
    assert ".parameters]" in text  # of the material
    assert "length" not in text
    assert main(["extract", str(path), "--include", "nonsense"]) == 2
