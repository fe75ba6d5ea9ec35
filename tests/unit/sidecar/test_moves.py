"""Finding the objects of a sidecar in a scene whose storage order changed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import pytest

from maxsidecar.errors import SidecarError
from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.materials.standard import StandardMaterial
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.renumber import renumber
from maxsidecar.sidecar.apply import Plan, make_plan
from maxsidecar.sidecar.document import SidecarDocument, parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.groups import OPTIONAL_GROUPS
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.traces import Traces
from maxsidecar.sidecar.update import refreshed_text, updated_text
from tests.support.village import OTHER

ALL = Options(all=True, include=frozenset(OPTIONAL_GROUPS))
LOD = next(prop.key for prop in PROPERTIES if prop.path == ("nel", "lod", "dist_max"))
DIFFUSE = "diffuse = [0.25, 0.5, 0.75]"
RED = "diffuse = [1.0, 0.0, 0.0]"


def build(names: Sequence[str] = ("brick", "brick")) -> MaxFile:
    """Nodes a, b, ...: each has a box with AppData, and a material; all values are the same."""
    builder = SceneBuilder()
    for letter, name in zip("abcdef", names, strict=False):
        box = builder.add_box(1, 2, 3)
        builder.add_appdata(box, LOD, b"100\0")
        material = builder.add_standard_material(name, diffuse=(0.25, 0.5, 0.75))
        builder.add_node(letter, box, material=material)
    return MaxFile(builder.to_bytes())


def node(scene_file: MaxFile, name: str) -> Node:
    (found,) = scene_file.nodes.find(name)
    return found


def box(scene_file: MaxFile, name: str) -> SceneObject:
    found = node(scene_file, name).object
    assert found is not None
    return found


def material(scene_file: MaxFile, name: str) -> StandardMaterial:
    found = node(scene_file, name).material
    assert isinstance(found, StandardMaterial)
    return found


def swapped(scene_file: MaxFile, a: SceneObject, b: SceneObject) -> MaxFile:
    """The same scene with two objects in each other's place; every reference follows."""
    order = list(range(len(scene_file.scene)))
    order[a.index], order[b.index] = b.index, a.index
    renumber(scene_file.scene, order)
    return MaxFile(scene_file.to_bytes())


def edit(text: str, table: str, old: str, new: str) -> str:
    """Change a line of a table."""
    start = text.index(table)
    at = text.index(old, start)
    return text[:at] + new + text[at + len(old) :]


def applied(scene_file: MaxFile, text: str) -> tuple[MaxFile, SidecarDocument, Plan]:
    plan = make_plan(scene_file, parse(text.encode()))
    assert [str(problem) for problem in plan.problems] == []
    assert [str(conflict) for conflict in plan.conflicts] == []
    plan.apply()
    saved = scene_file.to_bytes()
    text = refreshed_text(plan, hashlib.sha256(saved).hexdigest())
    return MaxFile(saved), parse(text.encode()), plan


def diffuse(scene_file: MaxFile, name: str) -> tuple[float, ...]:
    shader = material(scene_file, name).shader
    assert shader is not None
    return tuple(shader.parameters["diffuse"].value)[:3]


def test_an_edit_follows_the_material_of_a_node() -> None:
    scene_file = build()
    old, other = material(scene_file, "a").index, material(scene_file, "b").index
    text = edit(extract(scene_file, "s.max", ALL), f'[material."brick@{old}"', DIFFUSE, RED)
    moved = swapped(scene_file, material(scene_file, "a"), material(scene_file, "b"))
    saved, document, _ = applied(moved, text)
    assert diffuse(saved, "a") == (1.0, 0.0, 0.0)
    assert diffuse(saved, "b") == (0.25, 0.5, 0.75)
    # Both tables are called after the place where their material is now.
    changed = [t.label for t in document.tables if t.values.get(("shader", "diffuse")) == [1, 0, 0]]
    assert changed == [f"brick@{other}"]
    assert updated_text(document, saved, ALL) == document.text
    assert make_plan(saved, document).apply() == []


def test_an_edit_follows_an_object_without_a_name() -> None:
    scene_file = build()
    old = box(scene_file, "b").index
    text = extract(scene_file, "s.max")
    text = edit(text, f"[object.{old}.nel.lod]", "dist_max = 100.0", "dist_max = 7.0")
    moved = swapped(scene_file, box(scene_file, "a"), box(scene_file, "b"))
    saved, document, plan = applied(moved, text)
    assert [change.obj.index for change in plan.changes] == [box(saved, "b").index]
    assert box(saved, "b").appdata.get(LOD) == b"7\0"
    assert box(saved, "a").appdata.get(LOD) == b"100\0"
    numbers = {table.label: table.info["index"] for table in document.tables}
    assert all(label == str(number) for label, number in numbers.items())


def test_a_storage_index_alone_is_nobody() -> None:
    """Another object of the class came to the place, and the one that was meant is gone."""
    scene_file = build()
    text = extract(scene_file, "s.max")
    gone, other = box(scene_file, "a"), box(scene_file, "b")
    number = gone.index
    text = edit(text, f"[object.{number}.nel.lod]", "dist_max = 100.0", "dist_max = 7.0")
    moved = swapped(scene_file, gone, other)
    moved.scene.delete([node(moved, "a")])
    moved = MaxFile(moved.to_bytes())
    plan = make_plan(moved, parse(text.encode()))
    assert plan.changes == []
    (problem,) = [p for p in plan.problems if "gone or cannot be told" in p.message]
    assert problem.line == text[: text.index(f"[object.{number}]")].count("\n") + 1
    assert "--discard" in problem.message
    with pytest.raises(SidecarError, match="it was edited here"):
        updated_text(parse(text.encode()), moved)
    after = parse(updated_text(parse(text.encode()), moved, discard=True).encode())
    assert [(t.kind, t.label) for t in after.tables] == [("object", str(box(moved, "b").index))]
    assert make_plan(moved, after).apply() == []


def test_a_table_without_edits_is_dropped_with_its_object() -> None:
    scene_file = build(["brick", "stone"])
    text = extract(scene_file, "s.max", Options(include=frozenset({"material"})))
    text = text.replace('[material."stone', '# my stone\n[material."stone')
    moved = MaxFile(scene_file.to_bytes())
    moved.scene.delete([node(moved, "a")])
    moved = MaxFile(moved.to_bytes())
    document = parse(text.encode())
    assert any("drops its table" in p.message for p in make_plan(moved, document).problems)
    text = updated_text(document, moved)
    tables = [table.label.partition("@")[0] for table in parse(text.encode()).tables]
    assert "brick" not in tables
    assert "stone" in tables
    assert "# my stone\n[material." in text
    assert make_plan(moved, parse(text.encode())).apply() == []


def test_a_value_that_changed_in_place_keeps_its_table() -> None:
    scene_file = build()
    index = box(scene_file, "a").index
    text = extract(scene_file, "s.max").replace(f"[object.{index}]", f"[object.{index}] # mine")
    box(scene_file, "a").appdata.set(LOD, b"55\0")
    changed = MaxFile(scene_file.to_bytes())
    after = updated_text(parse(text.encode()), changed)
    assert f"[object.{index}] # mine" in after
    assert "dist_max = 55.0" in after


def test_neighbours_that_may_have_changed_places_need_a_decision() -> None:
    """Two objects of one class in a list: one has the values of the other now, and the reverse."""

    def listed(*distances: bytes) -> MaxFile:
        builder = SceneBuilder()
        made = [builder.add_dummy(1) for _ in distances]
        for index, distance in zip(made, distances, strict=True):
            builder.add_appdata(index, LOD, distance)
        builder.add_object(OTHER, [], made)
        return MaxFile(builder.to_bytes())

    scene_file = listed(b"100\0", b"200\0")
    text = extract(scene_file, "s.max")
    first, _ = (obj.index for obj in scene_file.scene if obj.class_name == "Dummy")
    header = f"[object.{first}.nel.lod]"
    edited = text.replace(header, f"{header}\nblend_in = true")
    plan = make_plan(listed(b"200\0", b"100\0"), parse(edited.encode()))
    assert plan.changes == []
    assert (first, ("nel", "lod", "blend_in")) in {(c.obj.index, c.path) for c in plan.conflicts}
    # A third value is no swap.
    plan = make_plan(listed(b"300\0", b"200\0"), parse(edited.encode()))
    assert {(c.obj.index, c.path) for c in plan.changes} == {(first, ("nel", "lod", "blend_in"))}


def test_a_material_that_another_took_the_place_of_is_not_edited() -> None:
    """The node got another material of the class; what is edited is still the old one, or none."""
    scene_file = build(["brick", "stone"])
    brick = material(scene_file, "a").index
    text = edit(extract(scene_file, "s.max", ALL), f'[material."brick@{brick}"', DIFFUSE, RED)
    a = node(scene_file, "a")
    dense, sparse = a.dense_references, a.sparse_references
    stone = material(scene_file, "b").index
    if dense is not None:
        a.dense_references = tuple(stone if index == brick else index for index in dense)
    else:
        assert sparse is not None
        a.sparse_references = (
            sparse[0],
            {slot: stone if index == brick else index for slot, index in sparse[1].items()},
        )
    other = MaxFile(scene_file.to_bytes())
    plan = make_plan(other, parse(text.encode()))
    # Its name is that of no other material, and nothing else of it changed.
    assert [change.obj.index for change in plan.changes] == [brick]


def test_the_table_of_a_node_that_is_gone_is_dropped_unless_edited() -> None:
    scene_file = build()
    scene_file.nodes.find("a")[0].user_properties_text = "x = 1"
    scene_file.nodes.find("b")[0].user_properties_text = "x = 2"
    scene_file = MaxFile(scene_file.to_bytes())
    text = extract(scene_file, "s.max")
    scene_file.scene.delete([node(scene_file, "a")])
    left = MaxFile(scene_file.to_bytes())
    after = updated_text(parse(text.encode()), left)
    assert [t.label for t in parse(after.encode()).tables if t.kind == "node"] == ["b"]
    edited = text.replace('"x = 1"', '"x = 3"')
    assert edited != text
    with pytest.raises(SidecarError, match=r"there is no node with id 1: it was edited.*--discard"):
        updated_text(parse(edited.encode()), left)
    assert updated_text(parse(edited.encode()), left, discard=True) == after
    # Nothing at all is there: more likely it is the sidecar of another scene.
    left.scene.delete([node(left, "b")])
    with pytest.raises(SidecarError, match="it is of another scene"):
        updated_text(parse(text.encode()), MaxFile(left.to_bytes()), discard=True)


def test_a_sidecar_without_ways_needs_all_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier version extracted: class, place and values must tell the object."""
    monkeypatch.setattr(Traces, "of", lambda self, obj: {})
    monkeypatch.setattr(Traces, "of_scene", lambda self: None)
    scene_file = build()
    box(scene_file, "b").appdata.set(LOD, b"200\0")
    scene_file = MaxFile(scene_file.to_bytes())
    number = box(scene_file, "b").index
    text = extract(scene_file, "s.max")
    text = edit(text, f"[object.{number}.nel.lod]", "dist_max = 200.0", "dist_max = 7.0")
    # Another value of the scene changed: the object stands where it stood, and no other fits.
    node(scene_file, "a").user_properties_text = "x = 1"
    plan = make_plan(MaxFile(scene_file.to_bytes()), parse(text.encode()))
    assert [change.obj.index for change in plan.changes] == [number]
    moved = swapped(scene_file, box(scene_file, "a"), box(scene_file, "b"))
    plan = make_plan(moved, parse(text.encode()))
    assert plan.changes == []
    assert len(plan.problems) == 2


@pytest.mark.parametrize(
    "way",
    [None, 3, "x", [], [1], [1, "x"], [{}, 1], [[], 1], [["material"], 1], [1e9, 0],
     ["", 10**30], [1, *[0] * 100], [None, 0]],
)  # fmt: skip
def test_what_is_no_way_leads_nowhere(way: Any) -> None:
    assert Traces(Labels(build().scene)).ways.walk(way) is None


def test_every_way_leads_back() -> None:
    scene = build(["brick", "brick", "stone"]).scene
    ways = Traces(Labels(scene)).ways
    found = 0
    for obj in scene:
        for way in ways.of(obj)[0]:
            end = ways.walk(way)
            assert end is not None
            assert end[0] is obj
            found += 1
    assert found > 10


def test_a_table_by_hand_must_be_of_the_class() -> None:
    scene_file = build()
    index = material(scene_file, "a").index
    text = extract(scene_file, "s.max")
    by_hand = f'[object.{index}]\nclass = "Box"\n[object.{index}.nel.lod]\ndist_max = 3.0\n\n[base]'
    text = text.replace("[base]", by_hand)
    scene_file.nodes.find("a")[0].name = "c"
    plan = make_plan(MaxFile(scene_file.to_bytes()), parse(text.encode()))
    assert [problem.message for problem in plan.problems] == ["this object is of another class"]


def test_names_that_repeat_tell_nothing_without_handles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxsidecar.scene.node_ids._handle", lambda node: None)

    def twins(*distances: bytes, padding: int = 0) -> MaxFile:
        builder = SceneBuilder()
        for _ in range(padding):
            builder.add_dummy(1)
        shape = builder.add_box(1, 1, 1)
        for distance in distances:
            builder.add_appdata(builder.add_node("twin", shape), LOD, distance)
        return MaxFile(builder.to_bytes())

    scene_file = twins(b"100\0", b"200\0")
    first, second = scene_file.nodes.find("twin")
    text = extract(scene_file, "s.max")
    header = f'[node."twin@{first.index}".nel.lod]'
    text = text.replace(header, f"{header}\nblend_in = true")
    # The nodes changed places: the edit goes to the one that has the values of the extraction.
    plan = make_plan(twins(b"200\0", b"100\0"), parse(text.encode()))
    assert [str(p) for p in plan.problems] == []
    assert {change.obj.index for change in plan.changes} == {second.index}
    # A value changed where the nodes are, and nothing came or went.
    plan = make_plan(twins(b"300\0", b"200\0"), parse(text.encode()))
    assert {change.obj.index for change in plan.changes} == {first.index}
    # Nothing tells them apart.
    plan = make_plan(twins(b"100\0", b"100\0", padding=2), parse(text.encode()))
    assert plan.changes == []
    assert len(plan.problems) == 2
    assert all("cannot be told any more" in problem.message for problem in plan.problems)


def test_nodes_that_nothing_tells_apart_block_their_own_edits_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without handles a clone with the name and the values of its original is like it."""
    monkeypatch.setattr("maxsidecar.scene.node_ids._handle", lambda node: None)

    def twins(*names: str) -> MaxFile:
        builder = SceneBuilder()
        material = builder.add_standard_material("brick", diffuse=(0.25, 0.5, 0.75))
        for name in names:
            shape = builder.add_box(1, 1, 1)
            builder.add_appdata(builder.add_node(name, shape, material=material), LOD, b"100\0")
        return MaxFile(builder.to_bytes())

    text = extract(twins("twin"), "s.max", ALL)
    edited = text.replace(DIFFUSE, RED)
    assert edited != text
    now = twins("twin", "twin")
    after = updated_text(parse(edited.encode()), now, ALL)
    labels = [f"twin@{node.index}" for node in now.nodes.find("twin")]
    assert [t.label for t in parse(after.encode()).tables if "twin" in t.label] == labels
    plan = make_plan(now, parse(after.encode()))
    assert [str(p) for p in plan.problems] == []
    assert [change.path for change in plan.changes] == [("shader", "diffuse")]
    # An edit of one of them stops it, and may be given up; so with one that takes something away.
    lod = "[node.twin.nel.lod]\ndist_max = 100.0\n"
    assert lod in text
    for mine in (lod.replace("100", "250"), ""):
        own = parse(text.replace(lod, mine).encode())
        with pytest.raises(SidecarError, match="told any more: it was edited here"):
            updated_text(own, now, ALL)
        after = updated_text(own, now, ALL, discard=True)
        assert after.count("dist_max = 100.0") == 2
