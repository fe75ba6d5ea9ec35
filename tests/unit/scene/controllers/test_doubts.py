"""Damage in part, and settings that no file proves: the value is given, and says so."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.scene.controllers import Controller, layouts
from maxsidecar.scene.controllers.rotations import FloatArray
from maxsidecar.scene.controllers.sampling import Sampler
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.transform import Pose
from tests.support import scenes
from tests.support.scenes import SceneMaker, f32, key_bytes, u32

FLOAT_LIST = (0x4B4B1000, 0, 0x9003)
PARAM_BLOCK = (0x82, 0, 0x82)
IDENTITY = {"value": (0, 0, 0, 1), "in_control": (0, 0, 0, 1), "out_control": (0, 0, 0, 1)}


def controller(scene: Scene, index: int) -> Controller:
    found = scene[index]
    assert isinstance(found, Controller)
    return found


def told(obj: Controller) -> str:
    """What a controller says of itself, by itself and while it is evaluated."""
    sampler = Sampler(np.zeros(1))
    sampler.value(obj, obj.kind)
    assert sampler.problems.get(obj.index) == obj.own_reason
    assert obj.evaluable is (obj.reason is None)
    return obj.own_reason or ""


# --- slots that lead elsewhere -------------------------------------------------------------------


def test_a_slot_of_three_axes_leads_to_no_controller() -> None:
    maker = SceneMaker()
    stray = maker.add(scenes.TARGET)
    parts = [maker.number(1), stray, maker.number(3)]
    index = maker.add(scenes.POSITION_XYZ, (), parts)
    obj = controller(maker.scene(), index)
    assert told(obj).startswith("slot 1 leads to no controller")
    assert obj.evaluate(0).tolist() == [1, 0, 3]  # what is whole still counts


def test_a_slot_of_three_axes_leads_out_of_the_scene() -> None:
    maker = SceneMaker()
    index = maker.add(scenes.POSITION_XYZ, (), [maker.number(1), 999, None])
    obj = controller(maker.scene(), index)
    assert told(obj) == f"slot 1 leads to no object: 999 of {index + 1}"
    assert obj.evaluate(0).tolist() == [1, 0, 0]


def test_an_empty_slot_is_no_damage() -> None:
    maker = SceneMaker()
    index = maker.add(scenes.POSITION_XYZ, (), [maker.number(1), None, None])
    assert told(controller(maker.scene(), index)) == ""


def test_an_entry_of_a_list_leads_to_no_controller() -> None:
    maker = SceneMaker()
    stray = maker.add(scenes.TARGET)
    index = maker.add(FLOAT_LIST, [(0x1010, u32(2))], [maker.number(2), stray])
    obj = controller(maker.scene(), index)
    assert told(obj).startswith("slot 1 leads to no controller")
    assert obj.evaluate(0) == 2


def test_weights_that_are_not_where_the_list_says() -> None:
    maker = SceneMaker()
    index = maker.add(FLOAT_LIST, [(0x1010, u32(1))], [maker.number(2), None, None, 999])
    obj = controller(maker.scene(), index)
    assert obj.reason is not None
    assert "slot 3 of a list leads to no object" in obj.reason


def pose_of(maker: SceneMaker, transform: int | None) -> tuple[Pose, FloatArray, int]:
    index = maker.node("a", transform)
    scene = maker.scene()
    pose = Pose(scene, 0)
    return pose, pose.world(scene.node(index))[0], index


@pytest.mark.parametrize(("slot", "place"), [(0, [0, 0, 0]), (1, [1, 2, 3]), (2, [1, 2, 3])])
def test_a_slot_of_a_transform_leads_to_no_controller(slot: int, place: list[float]) -> None:
    maker = SceneMaker()
    position = maker.add(scenes.POSITION_XYZ, (), [maker.number(v) for v in (1, 2, 3)])
    slots: list[int | None] = [position, None, None]
    slots[slot] = maker.add(scenes.TARGET)
    transform = maker.add(scenes.PRS, [(0x7230, u32(0))], slots)
    pose, world, _ = pose_of(maker, transform)
    assert pose.problems[transform].startswith(f"slot {slot} leads to no controller")
    assert world[3, :3].tolist() == place
    assert not controller(pose.scene, transform).evaluable


def test_a_slot_of_look_at_leads_to_no_controller() -> None:
    maker = SceneMaker()
    target = maker.node("t", maker.transform((0, 5, 0)))
    look = maker.add(scenes.LOOK_AT, [(0x0100, u32(2))], [target, None, None, target])
    pose, world, _ = pose_of(maker, look)
    assert pose.problems[look].startswith("slot 3 leads to no controller")
    assert world[2, :3].tolist() == [0, -1, 0]  # it looks at the target all the same


def test_a_reference_list_that_cannot_be_read() -> None:
    maker = SceneMaker()
    transform = maker.add(scenes.PRS, [(0x2034, b"\0\0\0")])
    pose, world, _ = pose_of(maker, transform)
    assert pose.problems[transform].startswith("damaged: ")
    assert world.tolist() == np.eye(4).tolist()


def test_the_transform_slot_of_a_node_leads_to_no_controller() -> None:
    maker = SceneMaker()
    pose, _, index = pose_of(maker, maker.add(scenes.TARGET))
    assert pose.problems == {index: "slot 0 leads to no controller"}
    maker = SceneMaker()
    pose, _, index = pose_of(maker, 999)
    assert pose.problems == {index: "slot 0 leads to no controller"}
    maker = SceneMaker()
    assert pose_of(maker, None)[0].problems == {}


# --- settings that are not proved, or not applied ------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (0x03F, "move x y z, rotate x y z"),
        (0x038, "rotate x y z"),
        (0x004, "move z"),
        (0x1FC, "move z, rotate x y z, scale x y z"),
        (0x080, "scale y"),
    ],
)
def test_inheritance_that_is_not_proved(flags: int, words: str) -> None:
    maker = SceneMaker()
    transform = maker.transform((1, 0, 0), flags=flags)
    pose, _, _ = pose_of(maker, transform)
    expected = f"does not inherit {words}, whose effect is not proved"
    assert pose.problems == {transform: expected}
    assert controller(pose.scene, transform).reason == expected


@pytest.mark.parametrize("flags", [0, 0x1C0])
def test_inheritance_that_is_proved(flags: int) -> None:
    maker = SceneMaker()
    transform = maker.transform((1, 0, 0), flags=flags)
    pose, _, _ = pose_of(maker, transform)
    assert pose.problems == {}
    assert controller(pose.scene, transform).reason is None


def test_an_inheritance_offset_is_not_applied() -> None:
    maker = SceneMaker()
    offset = (0x7232, [(0x03E8, f32(1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 0, 0)), (0x03F2, u32(4))])
    transform = maker.add(scenes.PRS, [(0x7230, u32(0x1C0)), offset], [])
    pose, _, _ = pose_of(maker, transform)
    assert "offset" in pose.problems[transform]


def weights(maker: SceneMaker, average: int | None, *values: float) -> int:
    table = b"\x80" + u32(len(values)) + b"".join(b"\xc0" + f32(value) for value in values)
    records = [(0x000A, pack("<HH", 0, 0x0800) + bytes(6) + table)]
    if average is not None:
        records.append((0x000A, pack("<HHHI", 1, 4, 0, 0) + b"\x40" + u32(average)))
    return maker.add(PARAM_BLOCK, [(0x0009, bytes(14)), *records], [])


@pytest.mark.parametrize(
    ("average", "values", "word", "value"),
    [
        (1, (1.0, 1.0), "averages", 5.0),
        (0, (1.0, 1.0), "", 5.0),
        (None, (1.0, 0.0), "", 2.0),
        (0, (0.5, 1.0), "weights", 4.0),
    ],
)
def test_lists(average: int | None, values: tuple[float, ...], word: str, value: float) -> None:
    maker = SceneMaker()
    slots = [maker.number(2), maker.number(3), None, None, weights(maker, average, *values)]
    index = maker.add(FLOAT_LIST, [(0x1010, u32(2))], slots)
    obj = controller(maker.scene(), index)
    assert told(obj).startswith(word)
    assert bool(told(obj)) is bool(word)
    assert obj.evaluate(0) == value


@pytest.mark.parametrize("kind", [scenes.POSITION_XYZ, scenes.EULER_XYZ, FLOAT_LIST])
def test_out_of_range_types_of_a_controller_without_keys(kind: scenes.Class) -> None:
    maker = SceneMaker()
    types = (0x8499, [(0x3000, u32(4)), (0x3001, u32(4)), (0x3003, u32(0))])
    index = maker.add(kind, [types, (0x1010, u32(1))], [maker.number(1)])
    assert "'ping-pong' and 'ping-pong'" in told(controller(maker.scene(), index))
    maker = SceneMaker()
    plain = (0x8499, [(0x3000, u32(1)), (0x3001, u32(1))])
    index = maker.add(kind, [plain], [maker.number(1)])
    assert told(controller(maker.scene(), index)) == ""


def test_an_axis_order_that_is_not_proved() -> None:
    maker = SceneMaker()
    index = maker.add(scenes.EULER_XYZ, [(0x1003, u32(3))], [maker.number(0.5)])
    obj = controller(maker.scene(), index)
    assert told(obj) == "axis order 3, which is not proved"
    assert obj.evaluate(0) == pytest.approx([np.sin(0.25), 0, 0, np.cos(0.25)])


STEP = 2 << 10
KEYS = [
    ((0x2009, 0, 0x900C), 0x2504, 0x2527, layouts.BEZIER_ROTATION, IDENTITY, {}, "Bezier rotation"),
    (scenes.TCB_ROTATION, 0x2504, 0x2522, layouts.TCB_ROTATION, IDENTITY, {"bias": 0.5}, "TCB"),
    (scenes.TCB_ROTATION, 0x2504, 0x2522, layouts.TCB_ROTATION, IDENTITY, {}, ""),
    (scenes.TCB_POSITION, 0x2503, 0x2521, layouts.TCB_POSITION, {}, {"ease_in": 0.1}, "TCB"),
    (scenes.TCB_POSITION, 0x2503, 0x2521, layouts.TCB_POSITION, {}, {"value": (1, 2, 3)}, ""),
    (scenes.BEZIER_FLOAT, 0x2501, 0x2525, layouts.BEZIER_FLOAT, {}, {"flags": STEP}, "step"),
    (scenes.BEZIER_FLOAT, 0x2501, 0x2525, layouts.BEZIER_FLOAT, {}, {"flags": 0x1680}, ""),
    (scenes.BEZIER_SCALE, 0x2505, 0x2528, layouts.BEZIER_SCALE, {}, {"axis": (1, 0, 0, 0)}, "a sc"),
]


@pytest.mark.parametrize(("kind", "chunk", "table", "layout", "all_", "second", "word"), KEYS)
def test_keys_of_an_open_formula(
    kind: scenes.Class,
    chunk: int,
    table: int,
    layout: layouts.KeyLayout,
    all_: dict[str, object],
    second: dict[str, object],
    word: str,
) -> None:
    size = {0x2501: 1, 0x2503: 3, 0x2504: 4, 0x2505: 7}[chunk]
    for count in (1, 2):
        maker = SceneMaker()
        rows = [{"time": 0, **all_}, {"time": 100, **all_, **second}][2 - count :]
        keys = (table, key_bytes(layout, *rows))
        index = maker.keyed(kind, chunk, f32(*[0.0] * size), keys)
        obj = controller(maker.scene(), index)
        # One key is a constant, whatever its formula.
        assert told(obj).startswith(word if count == 2 else "")
        assert bool(told(obj)) is (bool(word) and count == 2)
