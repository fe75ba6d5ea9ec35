"""Modifiers in sidecars: called after their names, and never mistaken for one another."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from struct import pack

from maxsidecar.scene.authoring import NewClass, SceneBuilder
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.object_list import NewObject
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.optional_parameters import modifiers
from maxsidecar.sidecar.update import updated_text

PARAMETERS = Options(include=frozenset({"parameters"}))
BLOCK = NewClass("ParamBlock", 0x8, 0, 0x8)
DERIVED = NewClass("Derived", 0x29263A68, 0x405F22F5, 0x1F0)


def stacked(*values: tuple[str, float], padding: int = 0) -> MaxFile:
    """A node with modifiers, the top of the stack first: class name, and a parameter's value."""
    builder = SceneBuilder()
    for _ in range(padding):
        builder.add_dummy(1)
    made: list[int] = []
    contexts: list[ChunkTree] = []
    classes: dict[str, NewClass] = {}
    for name, value in values:
        head: list[ChunkTree] = [(0x0001, pack("<I", 1)), (0x0005, b"\1\0")]
        record: ChunkTree = (0x0002, [(0x0003, pack("<i", 0)), (0x0100, pack("<f", value))])
        block = builder.add_object(BLOCK, [*head, record])
        kind = classes.setdefault(name, NewClass(name, 0x5000 + len(classes), 7, 0x810))
        made.append(builder.add_object(kind, [], [block]))
        contexts.append((0x2500, [(0x2511, bytes(24))]))
    box = builder.add_box(1, 1, 1)
    stack = builder.add_object(DERIVED, [*contexts, (0x2501, b"")], [*made, box])
    builder.add_node("bent", stack)
    scene_file = MaxFile(builder.to_bytes())
    # The builder knows no modifier stacks: give the object the id that says what it is.
    order: list[int | NewObject] = list(range(len(scene_file.scene)))
    order[stack] = NewObject(0x2032, bytes(scene_file.scene[stack].data.data))
    scene_file.scene.rearrange(order)
    return MaxFile(scene_file.to_bytes())


def shown(scene_file: MaxFile) -> dict[str, dict[str, float]]:
    table = tomllib.loads(extract(scene_file, "s.max", PARAMETERS))["node"]["bent"]
    found: dict[str, dict[str, float]] = table.get("modifiers", {})
    return found


def keys(*names: str) -> list[str]:
    (node,) = stacked(*((name, 0.0) for name in names)).nodes.find("bent")
    return list(modifiers(node))


def test_keys_are_names_counted_from_the_bottom() -> None:
    assert keys("Taper", "Bend") == ["Taper", "Bend"]
    assert keys("Bend", "Taper", "Bend") == ["Bend#2", "Taper", "Bend"]
    assert keys("Bend", "Bend", "Bend") == ["Bend#3", "Bend#2", "Bend"]
    # A name with a number is told from a counted one.
    assert keys("Bend#2", "Bend", "Bend") == ["Bend#2#1", "Bend#2", "Bend"]


def with_value(text: str, table: str, old: float, new: float) -> str:
    start = text.index(f"[node.bent.modifiers.{table}]")
    head, tail = text[:start], text[start:]
    assert f"= {old}\n" in tail
    return head + tail.replace(f"= {old}\n", f"= {new}\n", 1)


def refused(values: Sequence[tuple[str, float]], text: str) -> list[str]:
    plan = make_plan(stacked(*values), parse(text.encode()))
    assert plan.problems == []
    assert plan.changes == []
    return [conflict.field for conflict in plan.conflicts]


def test_a_table_survives_other_storage_indices() -> None:
    text = extract(stacked(("Taper", 2.0), ("Bend", 1.0)), "s.max", PARAMETERS)
    text = with_value(text, "Bend", 1.0, 5.0)
    moved = stacked(("Taper", 2.0), ("Bend", 1.0), padding=4)
    after = updated_text(parse(text.encode()), moved)
    assert "= 5.0" in after
    plan = make_plan(moved, parse(after.encode()))
    plan.apply()
    assert [list(table.values()) for table in shown(moved).values()] == [[2.0], [5.0]]


def test_a_modifier_that_is_gone_takes_its_lines_away() -> None:
    text = extract(stacked(("Taper", 2.0), ("Bend", 1.0)), "s.max", PARAMETERS)
    left = stacked(("Bend", 1.0))
    plan = make_plan(left, parse(text.encode()))
    assert plan.ok
    assert plan.changes == []
    after = updated_text(parse(text.encode()), left)
    assert "Taper" not in after
    assert "\n\n\n" not in after
    assert make_plan(left, parse(after.encode())).ok
    # An edit of it is not lost without a word.
    edited = with_value(text, "Taper", 2.0, 3.0)
    (conflict,) = make_plan(left, parse(edited.encode())).conflicts
    assert str(conflict).startswith("bent.modifiers.Taper.")
    assert "scene (not set), sidecar 3.0 (edited)" in str(conflict)
    kept = make_plan(left, parse(edited.encode()), keep=["*"])
    assert kept.ok
    assert updated_text(parse(edited.encode()), left, discard=True) == after


def test_an_edit_of_one_of_two_reaches_no_other_one() -> None:
    both = [("Bend", 2.0), ("Bend", 1.0)]
    text = extract(stacked(*both), "s.max", PARAMETERS)
    edited = with_value(text, "Bend", 1.0, 9.0)
    # Nothing changed but storage indices.
    moved = stacked(*both, padding=3)
    make_plan(moved, parse(edited.encode())).apply()
    assert [list(table.values()) for table in shown(moved).values()] == [[2.0], [9.0]]
    # One is gone, they changed places, or there is one more.
    for stack in ([("Bend", 1.0)], both[::-1], [*both, ("Bend", 1.0)]):
        assert len(refused(stack, edited)) >= 1
