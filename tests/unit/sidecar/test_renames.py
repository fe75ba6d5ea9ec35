"""Sidecars follow nodes that were renamed in the scene."""

from __future__ import annotations

from typing import Any

import pytest

from maxsidecar.errors import SidecarError
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.update import updated_text

ENTRIES = [("LOD_MRM", b"0\0"), ("LOD_DIST_MAX", b"5\0")]


def renamed(scene_file: MaxFile, **names: str) -> MaxFile:
    """The scene after nodes were renamed."""
    nodes = {node.name: node for node in scene_file.nodes.values()}
    for old, new in names.items():
        nodes[old].name = new
    return MaxFile(scene_file.to_bytes())


def test_headers_follow_and_all_else_stays(scenes: Any) -> None:
    node = scenes.node("door", ENTRIES, text="[node.door]\n# [node.door.nel]\n")
    scene_file = scenes.open(node, scenes.node("doors", ENTRIES))
    text = extract(scene_file, "s.max", Options(defaults=True))
    text = text.replace("[node.door]\nid", "# the door\n[ node . 'door' ]  # here\nid")
    text = text.replace("dist_max = 5.0", "dist_max = 6.0 # mine", 1)
    assert "# [node.door.nel" in text
    after = updated_text(parse(text.encode()), renamed(scene_file, door="big gate"))
    expected = text.replace("node . 'door' ]", 'node . "big gate" ]')
    expected = expected.replace("[node.door.", '[node."big gate".')
    # The text of the node, between its quotation marks, says what it said.
    expected = expected.replace('# [node."big gate".nel]\n"""', '# [node.door.nel]\n"""')

    def lines(content: str) -> list[str]:
        kept = content[: content.index("[base]")].splitlines()
        return [line for line in kept if "sha256" not in line]

    assert lines(after) == lines(expected)
    plan = make_plan(renamed(scene_file), parse(after.encode()))
    assert [str(change) for change in plan.changes] == ['"big gate".nel.lod.dist_max: 5.0 -> 6.0']


def test_names_may_change_places(scenes: Any) -> None:
    scene_file = scenes.open(scenes.node("a", ENTRIES), scenes.node("b", ENTRIES))
    text = extract(scene_file, "s.max")
    after = updated_text(parse(text.encode()), renamed(scene_file, a="b", b="a"))
    assert [(t.label, t.info["id"]) for t in parse(after.encode()).tables] == [("b", 1), ("a", 2)]


def test_labels_follow_duplicates(scenes: Any) -> None:
    scene_file = scenes.open(scenes.node("lamp", ENTRIES), scenes.node("other", ENTRIES))
    text = extract(scene_file, "s.max")
    twice = renamed(scene_file, other="Lamp")
    after = updated_text(parse(text.encode()), twice)
    assert [t.label for t in parse(after.encode()).tables] == ["lamp@1", "Lamp@2"]
    again = updated_text(parse(after.encode()), renamed(twice, Lamp="other"))
    assert again == text


def test_a_number_that_went_to_another_node_is_no_rename(scenes: Any) -> None:
    scene_file = scenes.open(scenes.node("a", ENTRIES), scenes.node("b", ENTRIES))
    text = extract(scene_file, "s.max")
    text = text.replace('class = "Box"', 'class = "Sphere"')
    text = text[: text.index("[base]")]
    with pytest.raises(SidecarError, match=r"maxsidecar extract 's\.max' follows"):
        updated_text(parse(text.encode()), renamed(scene_file, a="c"))


def test_storage_indices_need_more_than_the_number(
    scenes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without handles an index may be that of another node since."""
    monkeypatch.setattr("maxsidecar.scene.node_ids._handle", lambda node: None)
    scene_file = scenes.open(scenes.node("a", ENTRIES), scenes.node("b", ENTRIES))
    text = extract(scene_file, "s.max")
    after = updated_text(parse(text.encode()), renamed(scene_file, a="c"))
    assert [table.label for table in parse(after.encode()).tables] == ["c", "b"]
    # A name that no other node has is enough.
    other = scenes.open(scenes.node("b", ENTRIES), scenes.node("a", ENTRIES))
    (a,), (b,) = other.nodes.find("a"), other.nodes.find("b")
    assert a.index > b.index
    after = updated_text(parse(text.encode()), other)
    found = [(table.label, table.info["id"]) for table in parse(after.encode()).tables]
    assert found == [("a", a.index), ("b", b.index)]


def test_tables_in_another_form_are_named(scenes: Any) -> None:
    scene_file = scenes.open(scenes.node("a", ENTRIES))
    text = extract(scene_file, "s.max")
    start, end = text.index("[node.a]"), text.index("[base]")
    text = text[:start] + "[node]\na.id = 1\na.nel.lod.mrm = false\n" + text[end:]
    with pytest.raises(SidecarError, match=r"called c now.*\[node\.a\]") as caught:
        updated_text(parse(text.encode()), renamed(scene_file, a="c"))
    assert caught.value.line == 10


def test_the_number_of_a_deleted_node_is_no_rename(
    scenes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without handles the node behind a deleted one gets its number."""
    monkeypatch.setattr("maxsidecar.scene.node_ids._handle", lambda node: None)
    scene_file = scenes.open(scenes.node("a", ENTRIES), scenes.node("b", ENTRIES))
    text = extract(scene_file, "s.max")
    (a,), (b,) = scene_file.nodes.find("a"), scene_file.nodes.find("b")
    # Only b is left, where a was.
    left = scenes.open(scenes.node("b", ENTRIES))
    assert left.nodes.find("b")[0].index == a.index != b.index
    after = parse(updated_text(parse(text.encode()), left).encode())
    assert [(t.label, t.info["id"]) for t in after.tables] == [("b", a.index)]
    # What has other values is not it, though nothing else is there.
    lone = parse(extract(scenes.open(scenes.node("a", ENTRIES)), "s.max").encode())
    with pytest.raises(SidecarError, match="it is of another scene"):
        updated_text(lone, scenes.open(scenes.node("x", ENTRIES[:1])))
