"""Values of controllers without keys, and rotations, as keys of a sidecar."""

from __future__ import annotations

import math
from struct import pack
from typing import Any

import pytest

from maxsidecar.errors import EditError, SidecarError
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.controllers import PRS, KeyedController, layouts
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.apply import make_plan
from maxsidecar.sidecar.document import parse
from maxsidecar.sidecar.extract import Options, extract
from maxsidecar.sidecar.groups import OPTIONAL_GROUPS
from maxsidecar.sidecar.optional import Field, FixedText
from maxsidecar.sidecar.optional_parameters import own_parameters
from maxsidecar.sidecar.optional_transform import AnglesField, NumbersField, QuaternionField
from maxsidecar.sidecar.update import updated_text
from tests.support import scenes
from tests.support.scenes import SceneMaker, f32, key_bytes

BOX = (0x10, 0, 0x10)
OMNI = (0x1011, 0, 0x30)
BLOCK = (0x8, 0, 0x8)
COLOR = (0x2011, 0, 0x9005)
ALL = Options(include=frozenset(OPTIONAL_GROUPS))


def controlled(maker: SceneMaker, owner: scenes.Class, count: int, **given: Any) -> SceneObject:
    """An object whose old block has one controlled parameter: ``number``, ``chunk``, ``by``."""
    records: list[ChunkTree] = []
    for number in range(count):
        value: ChunkTree = (0x0100, f32(1.0))
        head: list[ChunkTree] = [(0x0003, pack("<i", number))]
        if number == given["number"]:
            head.append((0x0004, b""))
            value = (given["chunk"], b"")
        records.append((0x0002, [*head, value]))
    block = maker.add(
        BLOCK, [(0x0001, pack("<I", count)), (0x0005, b"\1\0"), *records], [given["by"]]
    )
    index = maker.add(owner, (), [block])
    return maker.scene()[index]


def field(obj: SceneObject, name: str) -> Field:
    notes: list[str] = []
    fields = {path[-1]: found for path, found in own_parameters(obj, notes)}
    assert notes == []
    return fields[name]


def controller_of(obj: SceneObject, name: str) -> KeyedController:
    found = obj.parameters[name].controller
    assert isinstance(found, KeyedController)
    return found


def test_a_number_of_a_controller_without_keys() -> None:
    maker = SceneMaker()
    by = maker.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(2.5), nested=True)
    obj = controlled(maker, BOX, 7, number=1, chunk=0x0200, by=by)
    found = field(obj, "width")
    assert found.shown == 2.5
    assert found.holders == [controller_of(obj, "width")]
    assert found.check(7) == 7.0
    found.write(0.1)
    assert field(obj, "width").shown == 0.1
    assert controller_of(obj, "width").evaluate(77) == pytest.approx(0.1)
    for bad in ("x", True, [1.0], 1e60, math.nan):
        with pytest.raises(EditError, match="width"):
            found.check(bad)


@pytest.mark.parametrize(
    ("number", "name", "chunk", "stored", "shown", "new", "bad"),
    [
        (3, "width_segments", 0x0201, 4.0, 4, 9, 2.5),
        (3, "width_segments", 0x0201, 4.0, 4, 9, 2**24 + 1),
        (6, "generate_uvs", 0x0204, 1.0, True, False, 1),
    ],
)
def test_whole_numbers_and_switches(
    number: int, name: str, chunk: int, stored: float, shown: Any, new: Any, bad: Any
) -> None:
    maker = SceneMaker()
    by = maker.number(stored)
    obj = controlled(maker, BOX, 7, number=number, chunk=chunk, by=by)
    found = field(obj, name)
    assert found.shown is shown or found.shown == shown
    assert type(found.shown) is type(shown)
    found.write(new)
    assert field(obj, name).shown == new
    assert controller_of(obj, name).stored == (float(new),)
    with pytest.raises(EditError, match=name):
        found.check(bad)


def test_a_colour_of_a_controller_without_keys() -> None:
    maker = SceneMaker()
    by = maker.keyed(COLOR, 0x2501, f32(0.25, 0.5, 0.75))
    obj = controlled(maker, OMNI, 15, number=0, chunk=0x0202, by=by)
    found = field(obj, "color")
    assert found.shown == [0.25, 0.5, 0.75]
    found.write([1, 0, 0.5])
    assert field(obj, "color").shown == [1.0, 0.0, 0.5]
    with pytest.raises(EditError, match="color"):
        found.check([1.0, 0.0])


def test_what_stays_shown_as_animated() -> None:
    maker = SceneMaker()
    table = (0x2525, key_bytes(layouts.BEZIER_FLOAT, {"time": 0, "value": 1.0}))
    keys = maker.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(2.5), table)
    obj = controlled(maker, BOX, 7, number=1, chunk=0x0200, by=keys)
    assert isinstance(field(obj, "width"), FixedText)
    # A whole number from a controller with a fraction, and a switch that is neither on nor off.
    for number, name, chunk, stored in (
        (3, "width_segments", 0x0201, 2.5),
        (6, "generate_uvs", 0x0204, 2.0),
    ):
        maker = SceneMaker()
        by = maker.number(stored)
        obj = controlled(maker, BOX, 7, number=number, chunk=chunk, by=by)
        found = field(obj, name)
        assert isinstance(found, FixedText)
        assert found.shown.startswith("animated: ")
    maker = SceneMaker()
    script = maker.add((0x498702E6, 0, 0x9003))
    obj = controlled(maker, BOX, 7, number=1, chunk=0x0200, by=script)
    assert isinstance(field(obj, "width"), FixedText)


def test_a_block_shows_its_own_parameters() -> None:
    maker = SceneMaker()
    obj = controlled(maker, BOX, 7, number=1, chunk=0x0200, by=maker.number(2.5))
    (block,) = obj.param_blocks
    assert [path[-1] for path, _ in own_parameters(block, [])] == list(obj.parameters)
    assert block.parameters["length"].value == 1.0
    assert len(list(block)) == 7


# --- rotations -----------------------------------------------------------------------------------


def holder() -> list[SceneObject]:
    maker = SceneMaker()
    return [maker.scene()[maker.root]]


def bits(values: tuple[float, ...]) -> bytes:
    return f32(*values)


@pytest.mark.parametrize("sign", [0.0, -0.0])
def test_no_zero_of_a_rotation_is_negative(sign: float) -> None:
    kept: list[tuple[float, ...]] = []
    found = QuaternionField("rotation", holder(), (sign, sign, sign, 1.0), kept.append)
    assert repr(found.shown) == "[0.0, 0.0, 0.0]"
    found.write([0.0, 0.0, 90.0])
    half = math.sqrt(0.5)
    # Zeros that stay keep the sign that is stored.
    assert bits(kept[0]) == bits((sign, sign, half, half))
    found.write([0, 0, 0])
    assert bits(kept[1]) == bits((sign, sign, sign, 1.0))
    turned = QuaternionField("rotation", holder(), (sign, 0.6, sign, 0.8), kept.append)
    assert "-0.0" not in repr(turned.shown)


def test_no_zero_of_angles_and_positions_is_negative() -> None:
    kept: list[tuple[float, ...]] = []
    for kind in (AnglesField, NumbersField):
        found = kind("x", holder(), (-0.0, 0.0, 1.0), kept.append)
        assert repr(found.shown[:2]) == "[0.0, 0.0]"
        found.write([*found.shown[:2], 0.0])
        assert bits(kept[-1]) == bits((-0.0, 0.0, 0.0))


# --- values that are animated since --------------------------------------------------------------


def scene(*, moving: bool = False) -> MaxFile:
    """A scene with one node, whose position along x has two keys if it moves."""
    builder = SceneBuilder()
    builder.add_node("a", builder.add_box(1, 2, 3), transform=builder.add_transform())
    file = MaxFile(builder.to_bytes())
    if moving:
        (node,) = file.nodes.find("a")
        assert isinstance(node.controller, PRS)
        assert node.controller.position is not None
        axis = node.controller.position.part(0)
        assert isinstance(axis, KeyedController)
        keys = axis.new_keys(2)
        keys["time"] = 0, 4800
        axis.keys = keys
    return MaxFile(file.to_bytes())


def test_an_edited_constant_that_is_animated_since() -> None:
    text = extract(scene(), "s.max", ALL)
    assert text.count("position = [0.0, 0.0, 0.0]\n") == 2  # and that of the pivot
    edited = text.replace("position = [0.0, 0.0, 0.0]\n", "position = [5.0, 0.0, 0.0]\n", 1)
    file = scene(moving=True)
    (conflict,) = make_plan(file, parse(edited.encode())).conflicts
    assert conflict.edited
    assert conflict.old.startswith("animated: 2 keys")
    # The scene can win in either way, and the sidecar is told why it cannot.
    kept = make_plan(file, parse(edited.encode()), keep=["*"])
    assert kept.ok
    assert kept.apply() == []
    taken = updated_text(parse(edited.encode()), file, ALL, discard=True)
    assert 'position = "animated: 2 keys' in taken
    assert make_plan(file, parse(taken.encode())).apply() == []
    before = file.to_bytes()
    forced = make_plan(file, parse(edited.encode()), force=["*"])
    with pytest.raises(SidecarError, match="controller gives this value"):
        forced.apply()
    assert file.to_bytes() == before


def test_an_animated_value_that_is_edited_to_a_constant_is_refused() -> None:
    file = scene(moving=True)
    text = extract(file, "s.max", ALL)
    start = text.index('position = "animated')
    edited = text[:start] + "position = [5.0, 0.0, 0.0]" + text[text.index("\n", start) :]
    plan = make_plan(file, parse(edited.encode()))
    assert plan.conflicts == []
    (problem,) = plan.problems
    assert "controller gives this value" in problem.message
