"""Names by rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import MigrationError, get
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.maxfile import MaxFile


@pytest.fixture
def scene_file() -> MaxFile:
    builder = SceneBuilder(title="Names")
    picture = builder.add_bitmap_map("C:\\oak.tga", (4, 4), name="Map #1")
    oak = builder.add_standard_material("old oak", diffuse_map=picture)
    builder.add_node("Tree_01_OLD", builder.add_box(1, 1, 1), material=oak)
    builder.add_node("tree_02", builder.add_box(1, 1, 1))
    builder.add_node("дом", builder.add_box(1, 1, 1))
    return MaxFile(builder.to_bytes())


def migrate(scene_file: MaxFile, **options: object) -> Log:
    migration = get("names")
    log = Log()
    migration.prepare(migration.complete(options))(scene_file, log)
    return log


def names(scene_file: MaxFile) -> list[str]:
    return [node.name for node in scene_file.nodes.values()][1:]


def test_nodes(scene_file: MaxFile) -> None:
    log = migrate(scene_file, node=[["^tree_(\\d+)(?:_old)?$", "oak.{1}"]])
    assert names(scene_file) == ["oak.01", "oak.02", "дом"]
    assert [(e.old, e.new) for e in log] == [("Tree_01_OLD", "oak.01"), ("tree_02", "oak.02")]
    again = MaxFile(scene_file.to_bytes())
    assert names(again) == ["oak.01", "oak.02", "дом"]
    # The root has no name to rename.
    assert again.nodes.root is not None
    assert again.nodes.root.name == ""


def test_part_of_a_name_is_replaced_once(scene_file: MaxFile) -> None:
    migrate(scene_file, node=[["0", "O"]])
    assert names(scene_file) == ["Tree_O1_OLD", "tree_O2", "дом"]


def test_the_first_rule_wins(scene_file: MaxFile) -> None:
    migrate(scene_file, node=[["_old$", ""], ["tree", "{{oak}}"]])
    assert names(scene_file) == ["Tree_01", "{oak}_02", "дом"]


def test_materials_and_maps(scene_file: MaxFile) -> None:
    log = migrate(scene_file, material=[["old ", ""]], map=[["#", "no. "]])
    node = scene_file.nodes.find("tree_01_old")[0]
    assert getattr(node.material, "name", None) == "oak"
    assert {(e.place.split()[0], e.new) for e in log} == {("material", "oak"), ("map", "Map no. 1")}
    assert names(scene_file) == ["Tree_01_OLD", "tree_02", "дом"]


def test_no_name_and_a_name_twice(scene_file: MaxFile) -> None:
    log = migrate(scene_file, node=[["^tree_02$", "ДОМ"], ["^дом$", ""]])
    assert names(scene_file) == ["Tree_01_OLD", "ДОМ", "дом"]
    kinds = [(entry.kind, entry.text) for entry in log]
    assert kinds[0] == ("change", "name")
    assert kinds[1] == ("warning", "another node is also called ДОМ")
    assert kinds[2][0] == "problem"
    assert "дом stays" in kinds[2][1]


def test_rules_from_a_file(scene_file: MaxFile, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(
        '[[rule]]\nkind = "node"\nregex = "дом"\nreplace = "house"\n'
        '[[rule]]\nkind = "material"\nregex = "old"\nreplace = "new"\n',
        "utf-8",
    )
    assert migrate(scene_file, rules=str(path)).changes == 2
    assert names(scene_file)[2] == "house"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "nothing else is there"),
        ("x = 1", "nothing else is there"),
        ("rule = 3", "nothing else is there"),
        ("[[rule]]", "rule 1: a rule has the keys"),
        ('[[rule]]\nkind="node"\nregex=1\nreplace=""', "rule 1: every value is a text"),
        ('[[rule]]\nkind="light"\nregex=""\nreplace=""', "rule 1: no such kind"),
        ('[[rule]]\nkind="node"\nregex="("\nreplace=""', "rule 1: pattern '('"),
        ('[[rule]]\nkind="node"\nregex="a"\nreplace="{1}"', "rule 1: '{1}': there is no group"),
        ('[[rule]]\nkind="node"\nregex="a"\nreplace="{"', "a brace alone"),
        ("[[rule]", "rules.toml: "),
    ],
)
def test_wrong_rules(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text, "utf-8")
    migration = get("names")
    with pytest.raises(MigrationError) as raised:
        migration.prepare(migration.complete({"rules": str(path)}))
    assert told in str(raised.value)
    with pytest.raises(MigrationError, match="no rules"):
        migration.prepare(migration.complete({}))


def test_a_pattern_cannot_hang(scene_file: MaxFile) -> None:
    scene_file.nodes.find("дом")[0].name = "a" * 2000
    migrate(scene_file, node=[["(a*)*(a*)*(a|aa)*b", "x"]])
    assert names(scene_file)[2] == "a" * 2000
