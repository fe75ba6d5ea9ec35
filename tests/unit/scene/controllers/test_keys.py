"""Reading and editing keys and stored values."""

from __future__ import annotations

from contextlib import nullcontext as does_not_raise
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.controllers import FOREVER, NEVER, KeyedController, TCBRotation, layouts
from maxsidecar.scene.controllers.key_flags import TangentType, in_type, out_type, with_types
from maxsidecar.scene.scene import Scene
from tests.support import scenes
from tests.support.scenes import SceneMaker, f32, key_bytes, u32

TABLE = 0x2525
ROWS: list[dict[str, Any]] = [
    {"time": 0, "value": 1.5, "flags": 0x1680},
    {"time": 160, "value": -2.0, "flags": 0x1680},
]


def make(
    rows: list[dict[str, Any]] | None = ROWS,
    *,
    nested: bool = False,
    selections: bool = False,
    version: int = 0x2012,
) -> KeyedController:
    maker = SceneMaker(version)
    table = None if rows is None else (TABLE, key_bytes(layouts.BEZIER_FLOAT, *rows))
    if not selections:
        index = maker.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(0.5), table, nested=nested)
    else:
        count = len(rows or ())
        bits = bytes(-(-count // 8) if version >= 0x2012 else -(-count // 32) * 4)
        body: list[Any] = [(0x2501, f32(0.5)), (0x2500, scenes.FOREVER), (0x3003, scenes.NEVER)]
        for number in (0x2532, 0x2533, 0x2534):
            body.append((number, [(0x2700, u32(count) + bits)] if rows else b""))
        body += [] if table is None else [table]
        body.append((0x3005, u32(0x186)))
        index = maker.add(scenes.BEZIER_FLOAT, [(0x7127, body)] if nested else body)
    obj = maker.scene()[index]
    assert isinstance(obj, KeyedController)
    return obj


def reread(obj: KeyedController) -> KeyedController:
    again = Scene(obj.scene.encode(), obj.scene.classes, [])[obj.index]
    assert isinstance(again, KeyedController)
    return again


def chunk_ids(obj: KeyedController) -> list[int]:
    return [chunk.id for chunk in obj.body.chunks()]


def find(obj: KeyedController, number: int) -> Chunk:
    chunk = obj.body.find(number)
    assert chunk is not None
    return chunk


@pytest.mark.parametrize("nested", [False, True])
def test_keys_are_a_structured_array(nested: bool) -> None:
    keys = make(nested=nested).keys
    assert keys is not None
    assert keys.dtype.names == (
        "time", "flags", "value", "in_tangent", "out_tangent", "in_length", "out_length",
    )  # fmt: skip
    assert keys["time"].tolist() == [0, 160]
    assert keys["value"].tolist() == [1.5, -2.0]


@pytest.mark.parametrize("nested", [False, True])
def test_an_edit_of_keys(nested: bool) -> None:
    obj = make(nested=nested)
    keys = obj.keys
    assert keys is not None
    keys["value"][0] = 4
    keys["time"][1] = 320
    assert obj.evaluate(0) == 1.5  # a copy: nothing is changed yet
    obj.keys = keys
    again = reread(obj)
    for each in (obj, again):
        assert each.evaluate([0, 320]).tolist() == [4, -2]
        # The cached value is out of date, and says so; the range is that of the keys.
        assert each.body.interval == NEVER
        assert each.body.key_range == (0, 320)
        assert each.stored == (0.5,)


def test_the_same_keys_change_nothing() -> None:
    obj = make()
    keys = obj.keys
    assert keys is not None
    obj.keys = keys
    assert not obj.edited


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("version", [0x2004, 0x2012])
@pytest.mark.parametrize("count", [1, 5, 9, 40])
def test_the_number_of_keys_may_change(nested: bool, version: int, count: int) -> None:
    obj = make(nested=nested, selections=True, version=version)
    ids = chunk_ids(obj)
    keys = obj.new_keys(count)
    keys["time"] = np.arange(count) * 10
    keys["value"] = np.arange(count)
    obj.keys = keys
    again = reread(obj)
    assert chunk_ids(again) == ids
    read = again.keys
    assert read is not None
    assert read.tobytes() == keys.tobytes()
    size = -(-count // 8) if version >= 0x2012 else -(-count // 32) * 4
    for number in (0x2532, 0x2533, 0x2534):
        (inner,) = find(again, number).chunks()
        assert bytes(inner.data) == u32(count) + bytes(size)


@pytest.mark.parametrize("nested", [False, True])
def test_first_keys(nested: bool) -> None:
    obj = make(None, nested=nested, selections=True)
    assert obj.keys is None
    keys = obj.new_keys(2)
    keys["time"] = 0, 100
    keys["value"] = 1, 2
    obj.keys = keys
    again = reread(obj)
    assert again.evaluate([0, 100]).tolist() == [1, 2]
    assert chunk_ids(again)[-5:] == [0x2532, 0x2533, 0x2534, TABLE, 0x3005]
    (inner,) = find(again, 0x2532).chunks()
    assert bytes(inner.data) == u32(2) + b"\0"


def test_selected_keys_stay_selected() -> None:
    obj = make([{"time": i} for i in range(10)], selections=True)
    for number in (0x2532,):
        (inner,) = find(obj, number).chunks()
        inner.replace(u32(10) + b"\xff\x03")
    keys = obj.keys
    assert keys is not None
    obj.keys = keys[:9].copy()
    (inner,) = find(obj, 0x2532).chunks()
    assert bytes(inner.data) == u32(9) + b"\xff\x01"


def edited(name: str, value: Any) -> np.ndarray[Any, Any]:
    keys = make().keys
    assert keys is not None
    keys = keys.astype(
        [(n, "f8" if n in (name, "value") else "i8") for n in keys.dtype.names or ()]
    )
    keys[name] = value
    return keys


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (np.zeros(3), "structured array"),
        (np.zeros((1, 1), layouts.BEZIER_FLOAT.dtype()), "structured array"),
        ([1, 2], "structured array"),
        (np.zeros(2, layouts.LINEAR_FLOAT.dtype()), "other columns"),
        (np.zeros(0, layouts.BEZIER_FLOAT.dtype()), "at least one key"),
        (edited("time", [10, 0]), "time holds no such numbers"),
        (edited("value", [1e300, 0]), "value is out of range"),
        (edited("flags", 0), "flags holds no such numbers"),
    ],
)
def test_keys_that_do_not_fit(keys: Any, message: str) -> None:
    obj = make()
    with pytest.raises(EditError, match=message):
        obj.keys = keys
    assert not obj.edited


def test_times_must_not_go_backwards() -> None:
    obj = make()
    keys = obj.keys
    assert keys is not None
    with pytest.raises(EditError, match="do not go forwards"):
        obj.keys = keys[::-1].copy()
    assert not obj.edited


def test_integers_are_checked_for_their_range() -> None:
    obj = make()
    keys = obj.keys
    assert keys is not None
    wide = keys.astype(
        [(n, "i8" if n in ("time", "flags") else "f4") for n in keys.dtype.names or ()]
    )
    wide["time"][1] = 2**31
    with pytest.raises(EditError, match="time is out of range"):
        obj.keys = wide
    wide["time"][1] = 320
    obj.keys = wide
    assert reread(obj).evaluate(320) == -2


def test_a_failed_edit_leaves_nothing_behind() -> None:
    obj = make(selections=True)
    (inner,) = find(obj, 0x2534).chunks()
    inner.replace(u32(2) + bytes(7))  # no size that a selection of two keys has
    before = bytes(obj.data.data)
    keys = obj.new_keys(3)
    keys["time"] = 0, 1, 2
    with pytest.raises(EditError, match="selection has the wrong size"):
        obj.keys = keys
    assert bytes(obj.data.data) == before


@pytest.mark.parametrize("table", [b"\0" * 27, b"\0" * 29])
def test_a_damaged_table(table: bytes) -> None:
    maker = SceneMaker()
    index = maker.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(3), (TABLE, table))
    obj = maker.scene()[index]
    assert isinstance(obj, KeyedController)
    with pytest.raises(DecodeError, match="wrong size"):
        _ = obj.keys
    assert obj.reason is not None
    assert "damaged" in obj.reason
    assert obj.evaluate(0) == 3  # the stored value
    with pytest.raises(EditError, match="read-only"):
        obj.keys = obj.new_keys(1)


def test_stored_times_that_go_backwards() -> None:
    obj = make([{"time": 10}, {"time": 0}])
    with pytest.raises(DecodeError, match="backwards"):
        _ = obj.keys
    assert not obj.evaluable
    assert obj.evaluate(5) == 0.5


def test_the_value_of_a_controller_without_keys() -> None:
    obj = make(None)
    obj.set_value(9.0)
    assert reread(obj).evaluate(77) == 9.0
    assert obj.body.interval == FOREVER
    with pytest.raises(EditError, match="has keys"):
        make().set_value(9.0)


def test_the_stored_value_of_a_controller_with_keys_is_only_a_cache() -> None:
    for nested in (False, True):
        obj = make(nested=nested)
        before = bytes(obj.data.data)
        with pytest.raises(EditError, match="has keys"):
            setattr(obj.body, "value", 66.0)  # noqa: B010 - declared for each kind by itself
        assert bytes(obj.data.data) == before


@pytest.mark.parametrize("interval", [FOREVER, NEVER, (0, 0)])
def test_the_interval_of_a_controller_without_keys_stays(interval: tuple[int, int]) -> None:
    obj = make(None)
    obj.body.interval = interval
    before = bytes(obj.data.data)
    obj.set_value(9.0)
    assert obj.body.interval == interval
    assert obj.evaluate([-500, 500]).tolist() == [9, 9]
    obj.set_value(0.5)
    assert bytes(obj.data.data) == before


def test_two_keys_at_one_time() -> None:
    obj = make()
    keys = obj.new_keys(2)
    with pytest.raises(EditError, match="do not go forwards"):
        obj.keys = keys


def test_a_rotation_is_set_in_the_usual_convention() -> None:
    maker = SceneMaker()
    index = maker.keyed(scenes.TCB_ROTATION, 0x2504, f32(0, 0, 0, 1))
    obj = maker.scene()[index]
    assert isinstance(obj, TCBRotation)
    obj.set_value((0.0, 0.6, 0.0, 0.8))
    assert obj.body.value == pytest.approx((0, -0.6, 0, 0.8))
    assert obj.evaluate(0) == pytest.approx((0, 0.6, 0, 0.8))
    with pytest.raises(EditError, match="number of values"):
        obj.set_value((0.0, 1.0))


# --- turns of TCB rotation keys ------------------------------------------------------------------


def tcb(*rows: dict[str, Any]) -> TCBRotation:
    maker = SceneMaker()
    table = (0x2522, key_bytes(layouts.TCB_ROTATION, *rows))
    index = maker.keyed(scenes.TCB_ROTATION, 0x2504, f32(0, 0, 0, 1), table)
    obj = maker.scene()[index]
    assert isinstance(obj, TCBRotation)
    return obj


def test_stored_turns() -> None:
    obj = tcb({"relative_axis": (0, 0, 2), "relative_angle": 0.5, "value": (0, 0, 0, 1)})
    assert obj.turns().tolist() == [[0, 0, 1, 0.5]]


def test_stale_turns_come_from_the_quaternions() -> None:
    half = np.sqrt(0.5)
    rows = [
        {"time": 0, "flags": 0x10, "value": (0, 0, half, half), "relative_axis": (9, 9, 9)},
        # The same as a turn of 60 degrees about X from there, with the other sign.
        {"time": 1, "flags": 0x10, "value": tuple(-np.array(turned((0, 0, half, half))))},
        {"time": 2, "flags": 0x10, "value": tuple(-np.array(turned((0, 0, half, half))))},
    ]
    turns = tcb(*rows).turns()
    assert turns[0] == pytest.approx((0, 0, 1, np.pi / 2), abs=1e-6)
    assert turns[1] == pytest.approx((1, 0, 0, np.pi / 3), abs=1e-6)
    assert turns[2, 3] == pytest.approx(0, abs=1e-6)


def turned(q: tuple[float, ...]) -> tuple[float, ...]:
    """Return q · (a turn of 60 degrees about X)."""
    x, y, z, w = q
    s, c = 0.5, np.sqrt(0.75)
    return (w * s + x * c, y * c + z * s, z * c - y * s, w * c - x * s)


# --- columns that follow from the values ---------------------------------------------------------


def about_z(degrees: float) -> tuple[float, float, float, float]:
    half = np.radians(degrees) / 2
    return (0.0, 0.0, float(np.sin(half)), float(np.cos(half)))


def spinning() -> TCBRotation:
    """A turn about Z: 0, 30, 90 degrees, with ticks 100 and 200 between."""
    rows = [
        {"time": time, "value": about_z(angle), "relative_axis": (0, 0, 1)}
        for time, angle in ((0, 0), (100, 30), (300, 90))
    ]
    for row, turn, control in zip(rows, (0, 30, 60), (0, 30, 90), strict=True):
        row |= {"relative_angle": np.radians(turn)}
        row |= {"in_control": about_z(control), "out_control": about_z(control)}
    return tcb(*rows)


def test_a_changed_rotation_takes_its_turns_along() -> None:
    obj = spinning()
    keys = obj.keys
    assert keys is not None
    keys["value"][1] = about_z(60)
    obj.keys = keys
    found = obj.turns()
    assert np.degrees(found[:, 3]) == pytest.approx([0, 60, 30], abs=1e-4)
    assert found[1:, :3] == pytest.approx(np.array([[0, 0, 1]] * 2), abs=1e-6)
    again = obj.keys
    assert again is not None
    assert again["flags"].tolist() == [0, 0, 0]
    # 60 - (100 · (90 - 60) + 200 · (0 - 60)) / 600 degrees; the ends are their own controls.
    for name in ("in_control", "out_control"):
        expected = [about_z(angle) for angle in (0, 75, 90)]
        assert again[name] == pytest.approx(np.array(expected), abs=1e-6)
    # Half way: between 30, of the keys, and 37.5, of the controls, by 2 · ½ · ½.
    assert obj.evaluate(50) == pytest.approx([-n for n in about_z(33.75)[:3]] + [about_z(33.75)[3]])


def test_a_turn_of_more_than_half_a_circle_is_in_the_sign() -> None:
    obj = spinning()
    keys = obj.keys
    assert keys is not None
    keys["value"][1] = about_z(250)
    assert keys["value"][1, 3] < 0
    obj.keys = keys
    again = obj.keys
    assert again is not None
    assert np.degrees(again["relative_angle"][1]) == pytest.approx(250, abs=1e-4)


def test_what_is_given_anew_is_taken_as_given() -> None:
    obj = spinning()
    keys = obj.keys
    assert keys is not None
    keys["value"][1] = about_z(60)
    # One more round than the quaternions tell.
    keys["relative_angle"][1] = np.radians(60 + 360)
    keys["in_control"][1] = about_z(61)
    obj.keys = keys
    again = obj.keys
    assert again is not None
    assert np.degrees(again["relative_angle"]) == pytest.approx([0, 420, 30], abs=1e-4)
    assert again["in_control"][1] == pytest.approx(about_z(61))
    assert again["out_control"][1] == pytest.approx(about_z(75), abs=1e-6)


def test_keys_that_do_not_change_keep_their_bytes() -> None:
    rows: list[dict[str, Any]] = [
        {"time": 0, "flags": 0x10, "value": about_z(30), "relative_axis": (9, 9, 9)},
        {"time": 100, "value": about_z(40), "relative_angle": 3.0, "in_control": about_z(7)},
        {"time": 200, "value": about_z(50), "tension": 0.5, "in_control": about_z(8)},
        {"time": 300, "value": about_z(60), "in_control": about_z(9)},
        {"time": 400, "value": about_z(70), "in_control": about_z(10)},
    ]
    obj = tcb(*rows)
    old = obj.keys
    assert old is not None
    keys = old.copy()
    keys["flags"][4] = 1
    obj.keys = keys
    again = obj.keys
    assert again is not None
    assert again[:4].tobytes() == old[:4].tobytes()
    # The formula with other parameters than 0 is open.
    keys = again.copy()
    keys["value"][2] = about_z(55)
    obj.keys = keys
    again = obj.keys
    assert again is not None
    assert again["in_control"][2] == pytest.approx(about_z(8))
    # 60 - (100 · 10 - 100 · 5) / 400; the next one over does not depend on that key.
    assert again["in_control"][3] == pytest.approx(about_z(58.75), abs=1e-6)
    assert again["in_control"][4] == pytest.approx(about_z(10))
    assert again[0].tobytes() == old[0].tobytes()


def test_an_inserted_rotation_key() -> None:
    obj = spinning()
    keys = obj.keys
    assert keys is not None
    wider = obj.new_keys(4)
    wider[[0, 1, 3]] = keys
    wider["time"][2], wider["value"][2] = 200, about_z(70)
    obj.keys = wider
    again = obj.keys
    assert again is not None
    assert np.degrees(obj.turns()[:, 3]) == pytest.approx([0, 30, 40, 20], abs=1e-4)
    # 70 - (100 · 20 - 100 · 40) / 400, and for the key in front 30 - (100 · 40 - 100 · 30) / 400.
    expected = [about_z(angle) for angle in (0, 27.5, 75, 90)]
    assert again["in_control"] == pytest.approx(np.array(expected), abs=1e-6)


def test_a_changed_position_takes_its_tangents_along() -> None:
    maker = SceneMaker()
    rows = [{"time": t, "value": (x, 0, 0)} for t, x in ((0, 0), (100, 10), (300, 40))]
    table = (0x2521, key_bytes(layouts.TCB_POSITION, *rows))
    index = maker.keyed(scenes.TCB_POSITION, 0x2503, f32(0, 0, 0), table)
    obj = maker.scene()[index]
    assert isinstance(obj, KeyedController)
    keys = obj.keys
    assert keys is not None
    keys["value"][1, 0] = 20
    obj.keys = keys
    again = obj.keys
    assert again is not None
    # Half of 20 + 20, times 2 · 100 / 300 and 2 · 200 / 300; ends 1.5 · 20 - half the neighbour's.
    into, out = 20 * 2 / 3, 20 * 4 / 3
    assert again["in_tangent"][1:, 0] == pytest.approx([into, 30 - out / 2])
    assert again["out_tangent"][:2, 0] == pytest.approx([30 - into / 2, out])


def test_tangent_types_of_flags() -> None:
    assert (in_type(0x1680), out_type(0x1680)) == (TangentType.CUSTOM, TangentType.CUSTOM)
    changed = with_types(0x1690, TangentType.LINEAR, TangentType.STEP)
    assert (in_type(changed), out_type(changed), changed & 0x7F) == (1, 2, 0x10)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused_unless_they_are_there(number: float) -> None:
    obj = make()
    before = bytes(obj.scene.encode())
    keys = obj.keys
    assert keys is not None
    for column in ("value", "in_tangent", "out_length"):
        wrong = keys.copy()
        wrong[column][1] = number
        with pytest.raises(EditError, match=f"{column} of key 1: numbers must be finite"):
            obj.keys = wrong
    constant = make(None)
    with pytest.raises(EditError, match="must be finite"):
        constant.set_value(number)
    assert bytes(obj.scene.encode()) == before

    obj = make([*ROWS, {"time": 320, "value": number, "flags": 0x1680}])
    keys = obj.keys
    assert keys is not None
    keys["value"][0] = 7.0
    obj.keys = keys[[0, 2]]
    kept = reread(obj).keys
    assert kept is not None
    assert np.array_equal(kept["value"], np.asarray([7.0, number], "f4"), equal_nan=True)
    keys["value"][1] = number + 0.0 if np.isnan(number) else -number
    with pytest.raises(EditError, match="must be finite") if np.isinf(number) else does_not_raise():
        obj.keys = keys
    keys["value"] = [1.0, 2.0, 3.0]
    obj.keys = keys
    assert reread(obj).keys is not None
