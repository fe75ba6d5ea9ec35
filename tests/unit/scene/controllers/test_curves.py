"""Interpolation and out-of-range types, on values worked out by hand."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.scene.controllers import ORT, KeyedController, layouts
from maxsidecar.scene.controllers.compile import tcb_tangents
from maxsidecar.scene.controllers.layouts import KeyLayout
from tests.support import scenes
from tests.support.scenes import SceneMaker, f32, key_bytes, u32

CUSTOM = 5 << 7 | 5 << 10
LINEAR = 1 << 7 | 1 << 10
STEP_OUT = 5 << 7 | 2 << 10
THIRD = 0.3333


def make(
    kind: scenes.Class,
    value: tuple[int, bytes],
    table: int,
    layout: KeyLayout,
    *rows: dict[str, Any],
    ort: tuple[int, int] | None = None,
    flags: int = 0,
    nested: bool = False,
) -> KeyedController:
    maker = SceneMaker()
    extra = [] if ort is None else [(0x8499, [(0x3000, pack("<i", ort[0])), (0x3001, u32(ort[1]))])]
    index = maker.keyed(kind, *value, (table, key_bytes(layout, *rows)), nested=nested, extra=extra)
    obj = maker.scene()[index]
    assert isinstance(obj, KeyedController)
    if flags:
        obj.body.track_flags = flags
    return obj


def bezier(*rows: dict[str, Any], **options: Any) -> KeyedController:
    rows = tuple({"flags": CUSTOM, "in_length": THIRD, "out_length": THIRD} | row for row in rows)
    value = (0x2501, f32(0))
    return make(scenes.BEZIER_FLOAT, value, 0x2525, layouts.BEZIER_FLOAT, *rows, **options)


def line(*pairs: tuple[int, float], **options: Any) -> KeyedController:
    rows = ({"time": time, "value": value} for time, value in pairs)
    value = (0x2501, f32(0))
    return make(scenes.LINEAR_FLOAT, value, 0x2511, layouts.LINEAR_FLOAT, *rows, **options)


# --- floats --------------------------------------------------------------------------------------


def test_without_keys_the_stored_value_holds_always() -> None:
    maker = SceneMaker()
    index = maker.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(2.5), nested=True)
    obj = maker.scene()[index]
    assert isinstance(obj, KeyedController)
    assert obj.keys is None
    assert obj.evaluate(-100) == obj.evaluate(1e9) == 2.5
    assert obj.evaluate([0, 1, 2]).tolist() == [2.5] * 3
    assert obj.evaluable


def test_one_key_is_a_constant_whatever_the_cache_says() -> None:
    obj = bezier({"time": 160, "value": 7})
    assert obj.stored == (0.0,)
    assert obj.evaluate([-1000, 160, 1000]).tolist() == [7.0] * 3


def test_an_empty_table_counts_as_none() -> None:
    value = (0x2501, f32(3))
    obj = make(scenes.BEZIER_FLOAT, value, 0x2525, layouts.BEZIER_FLOAT)
    assert obj.evaluate(5) == 3.0


@pytest.mark.parametrize("nested", [False, True])
def test_bezier_with_flat_tangents_is_smoothstep(nested: bool) -> None:
    obj = bezier({"time": 0, "value": 0}, {"time": 160, "value": 1}, nested=nested)
    # u²(3 - 2u) at 1/4, 1/2, 3/4
    assert obj.evaluate([40, 80, 120]) == pytest.approx([0.15625, 0.5, 0.84375], abs=1e-15)
    assert obj.evaluate([-10, 0, 160, 500]).tolist() == [0, 0, 1, 1]


def test_tangents_are_slopes_per_tick_and_the_left_one_points_back() -> None:
    # A line of slope 1/16 per tick: its own tangents keep it a line.
    first = {"time": 0, "value": 0, "out_tangent": 1 / 16}
    obj = bezier(first, {"time": 160, "value": 10, "in_tangent": -1 / 16})
    assert obj.evaluate([16, 80, 144]) == pytest.approx([1, 5, 9], abs=1e-12)


def test_handle_lengths_bend_time() -> None:
    # With lengths 1/2 and flat tangents, time is 3u/2 - 3u²/2 + u³ and the value 3u² - 2u³:
    # at u = 1/4 they are 0.296875 and 0.15625.
    first = {"time": 0, "value": 0, "out_length": 0.5}
    obj = bezier(first, {"time": 6400, "value": 1, "in_length": 0.5})
    assert obj.evaluate([1900, 3200]) == pytest.approx([0.15625, 0.5], abs=1e-13)


@pytest.mark.parametrize(("length", "broken", "exact"), [(0.3334, 0, True), (0.3334, 1, False)])
def test_a_rounded_third_is_a_third_unless_the_handle_is_broken(
    length: float, broken: int, exact: bool
) -> None:
    first = {"time": 0, "value": 0, "out_length": length, "flags": CUSTOM | broken << 4}
    obj = bezier(first, {"time": 160, "value": 1})
    assert (float(obj.evaluate(40)) == 0.15625) is exact


def test_an_unset_length_is_a_third() -> None:
    obj = bezier({"time": 0, "out_length": -1}, {"time": 160, "value": 1, "in_length": -1})
    assert obj.evaluate(40) == 0.15625


def test_step_holds_until_the_next_key() -> None:
    obj = bezier(
        {"time": 0, "value": 1, "flags": STEP_OUT, "out_tangent": 9}, {"time": 160, "value": 2}
    )
    assert obj.evaluate([0, 80, 159.99, 160]).tolist() == [1, 1, 1, 2]


def test_a_line_needs_both_ends() -> None:
    both = bezier(
        {"time": 0, "flags": LINEAR, "out_tangent": 9},
        {"time": 160, "value": 16, "flags": LINEAR, "in_tangent": 9},
    )
    assert both.evaluate([40, 80]).tolist() == [4, 8]
    one = bezier({"time": 0}, {"time": 160, "value": 16, "flags": LINEAR})
    assert one.evaluate(40) == 16 * 0.15625


def test_keys_at_the_same_time_jump() -> None:
    obj = line((0, 0), (100, 10), (100, 50), (200, 60))
    assert obj.evaluate([50, 99.5, 100, 150]) == pytest.approx([5, 9.95, 50, 55])


# --- out-of-range types --------------------------------------------------------------------------

OUTSIDE = {
    # Keys (0, 0) and (100, 10); values at -130, -30, 130, 250.
    1: [0, 0, 10, 10],
    2: [7, 7, 3, 5],
    3: [7, 7, 3, 5],
    4: [7, 3, 7, 5],
    5: [-13, -3, 13, 25],
    6: [-130, -30, 40, 160],
    7: [-13, -3, 13, 25],
}


@pytest.mark.parametrize("kind", ORT)
def test_out_of_range_types(kind: int) -> None:
    obj = line((0, 0), (100, 10), ort=(kind, kind))
    assert obj.evaluate([-130, -30, 130, 250]) == pytest.approx(OUTSIDE[kind])
    assert obj.evaluate([0, 50, 100]).tolist() == [0, 5, 10]


def test_both_sides_have_types_of_their_own() -> None:
    obj = line((0, 0), (100, 10), ort=(4, 7))
    assert obj.out_of_range == (4, 7)
    assert obj.evaluate([-30, 130]) == pytest.approx([3, 13])


def test_linear_continues_the_tangents() -> None:
    obj = bezier(
        {"time": 0, "value": 0, "out_tangent": 0.5, "out_length": 0.5},
        {"time": 100, "value": 0, "in_tangent": 0.25},
        ort=(5, 5),
    )
    assert obj.evaluate([-10, 120]) == pytest.approx([-5, -5])


def test_repeats_take_the_range_of_the_track_where_it_was_moved() -> None:
    obj = line((0, 0), (100, 10), ort=(1, 2), flags=2)
    obj.body.key_range = (0, 200)
    assert obj.range == (0, 200)
    # The range ends 100 ticks behind the last key, whose value is held there.
    assert obj.evaluate([150, 250]) == pytest.approx([10, 5])


@pytest.mark.parametrize(("flags", "expected"), [(0, (1, 1)), (8, (3, 1)), (0x10, (1, 3))])
def test_loop_bits_count_where_there_is_no_chunk(flags: int, expected: tuple[int, int]) -> None:
    assert line((0, 0), (100, 10), flags=flags).out_of_range == expected


def test_an_unknown_type_is_not_guessed() -> None:
    obj = line((0, 0), (100, 10), ort=(1, 9))
    assert not obj.evaluable
    assert obj.reason == "unknown out-of-range type 9"
    assert obj.evaluate([0, 50]).tolist() == [0, 0]  # the stored value


def test_types_without_a_formula_for_rotations() -> None:
    value = (0x2504, f32(0, 0, 0, 1))
    rows = [{"time": 0, "value": (0, 0, 0, 1)}, {"time": 100, "value": (0, 0, 1, 0)}]
    cycle = make(scenes.LINEAR_ROTATION, value, 0x2514, layouts.LINEAR_ROTATION, *rows, ort=(2, 2))
    assert cycle.obstacle is None
    assert np.allclose(cycle.evaluate(150), cycle.evaluate(50))
    repeat = make(scenes.LINEAR_ROTATION, value, 0x2514, layouts.LINEAR_ROTATION, *rows, ort=(7, 7))
    assert repeat.reason is not None
    assert "relative repeat" in repeat.reason


# --- positions, rotations, scales ----------------------------------------------------------------


def test_linear_position() -> None:
    rows = [{"time": 0, "value": (0, 0, 0)}, {"time": 10, "value": (1, 2, -4)}]
    obj = make(
        scenes.LINEAR_POSITION, (0x2503, f32(0, 0, 0)), 0x2513, layouts.LINEAR_POSITION, *rows
    )
    assert obj.evaluate(5).tolist() == [0.5, 1, -2]
    assert obj.evaluate([0, 5]).shape == (2, 3)


def test_tcb_position_uses_the_stored_tangents() -> None:
    rows = [
        {"time": 0, "value": (0, 0, 0), "out_tangent": (8, 0, 0)},
        {"time": 10, "value": (0, 0, 0), "in_tangent": (0, 8, 0)},
    ]
    obj = make(scenes.TCB_POSITION, (0x2503, f32(0, 0, 0)), 0x2521, layouts.TCB_POSITION, *rows)
    # Hermite at 1/2: out/8 - in/8
    assert obj.evaluate(5).tolist() == [1, -1, 0]


@pytest.mark.parametrize(
    ("times", "arrive", "leave", "ends"),
    [
        # Moves of 10 and 20: their mean, weighted by the lengths of the segments.
        ((0, 100, 200), 15, 15, (7.5, 22.5)),
        ((0, 100, 300), 10, 20, (10, 20)),
    ],
)
def test_tcb_tangents(
    times: tuple[int, ...], arrive: float, leave: float, ends: tuple[float, float]
) -> None:
    keys = np.zeros(3, layouts.TCB_POSITION.dtype())
    keys["time"] = times
    keys["value"][:, 0] = 0, 10, 30
    out, into = tcb_tangents(keys)
    assert (into[0, 0], out[1, 0]) == pytest.approx((arrive, leave))
    assert (out[0, 0], into[1, 0]) == pytest.approx(ends)


def test_tension_shrinks_tangents_and_continuity_parts_them() -> None:
    keys = np.zeros(3, layouts.TCB_POSITION.dtype())
    keys["time"] = 0, 100, 200
    keys["value"][:, 0] = 0, 10, 30
    keys["tension"][1] = 1
    out, into = tcb_tangents(keys)
    assert (out[1, 0], into[0, 0]) == (0, 0)
    keys["tension"][1], keys["continuity"][1] = 0, 1
    out, into = tcb_tangents(keys)
    assert (into[0, 0], out[1, 0]) == (20, 10)


def test_easing_is_symmetric_and_keeps_the_ends() -> None:
    rows = [
        {"time": 0, "value": (0, 0, 0), "out_tangent": (1, 0, 0), "ease_out": 1},
        {"time": 10, "value": (1, 0, 0), "in_tangent": (1, 0, 0), "ease_in": 1},
    ]
    obj = make(scenes.TCB_POSITION, (0x2503, f32(0, 0, 0)), 0x2521, layouts.TCB_POSITION, *rows)
    x = obj.evaluate([0, 2, 5, 8, 10])[:, 0]
    # Both at 1 share the segment: 2u² in its first half, mirrored in the second.
    assert x == pytest.approx([0, 0.08, 0.5, 0.92, 1])


def turn_z(degrees: float) -> tuple[float, ...]:
    half = np.radians(degrees) / 2
    return 0.0, 0.0, float(np.sin(half)), float(np.cos(half))


def test_rotations_are_stored_as_conjugates() -> None:
    value = (0x2504, f32(*turn_z(90)))
    maker = SceneMaker()
    index = maker.keyed(scenes.LINEAR_ROTATION, *value)
    obj = maker.scene()[index]
    assert isinstance(obj, KeyedController)
    assert obj.evaluate(0) == pytest.approx(turn_z(-90), abs=1e-7)
    assert obj.stored == pytest.approx(turn_z(-90), abs=1e-7)


@pytest.mark.parametrize("sign", [1, -1])
def test_linear_rotation_takes_the_short_way(sign: int) -> None:
    other = tuple(sign * part for part in turn_z(90))
    rows = [{"time": 0, "value": (0, 0, 0, 1)}, {"time": 100, "value": other}]
    obj = make(
        scenes.LINEAR_ROTATION, (0x2504, f32(0, 0, 0, 1)), 0x2514, layouts.LINEAR_ROTATION, *rows
    )
    values = obj.evaluate([0, 50, 99.999, 100])
    assert values[1] == pytest.approx(turn_z(-45), abs=1e-6)
    # One hemisphere all along, although a key may be stored with the other sign.
    assert np.all(np.einsum("ti,ti->t", values[1:], values[:-1]) > 0)


def test_squad_with_controls_on_its_ends_is_slerp() -> None:
    a, b = (0, 0, 0, 1), turn_z(90)
    rows = [
        {"time": 0, "value": a, "out_control": a},
        {"time": 100, "value": b, "in_control": b},
    ]
    obj = make(scenes.TCB_ROTATION, (0x2504, f32(0, 0, 0, 1)), 0x2522, layouts.TCB_ROTATION, *rows)
    assert obj.evaluate(50) == pytest.approx(turn_z(-45), abs=1e-6)
    assert obj.evaluate(100) == pytest.approx(turn_z(-90), abs=1e-6)


def test_scale_keys_move_factors_and_keep_the_frame_of_the_key() -> None:
    rows = [
        {"time": 0, "value": (1, 1, 1), "axis": turn_z(30), "flags": CUSTOM},
        {"time": 100, "value": (3, 1, 1), "axis": turn_z(60), "flags": CUSTOM},
    ]
    rows = [r | {"in_length": (THIRD,) * 3, "out_length": (THIRD,) * 3} for r in rows]
    obj = make(
        scenes.BEZIER_SCALE,
        (0x2505, f32(1, 1, 1, 0, 0, 0, 1)),
        0x2528,
        layouts.BEZIER_SCALE,
        *rows,
    )
    value = obj.evaluate(50)
    assert value[:3] == pytest.approx([2, 1, 1])
    assert value[3:] == pytest.approx(turn_z(-30), abs=1e-7)
