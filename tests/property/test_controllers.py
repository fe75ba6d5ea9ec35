"""Controllers for any input: codecs round-trip, curves keep their keys, damage stays ours."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.scene.controllers import ORT, Controller, KeyedController, layouts
from maxsidecar.scene.controllers.compile import compile_together
from maxsidecar.scene.controllers.handles import solve
from maxsidecar.scene.controllers.layouts import KeyLayout, KeyTable
from maxsidecar.scene.controllers.rotations import (
    matrix_to_quaternion,
    quaternion_to_matrix,
    slerp,
)
from maxsidecar.scene.transform import Pose
from tests.support import scenes
from tests.support.scenes import SceneMaker, f32, u32

LAYOUTS = [v for v in vars(layouts).values() if isinstance(v, KeyLayout)]
layout = st.sampled_from(LAYOUTS)
small = st.floats(-1e6, 1e6, width=32)

#: Every keyed class, with its value chunk, the size of its value and its table.
KEYED = [
    (scenes.BEZIER_FLOAT, 0x2501, 1, 0x2525, layouts.BEZIER_FLOAT),
    (scenes.LINEAR_FLOAT, 0x2501, 1, 0x2511, layouts.LINEAR_FLOAT),
    ((0x200A, 0, 0x9005), 0x2501, 3, 0x2526, layouts.BEZIER_POINT3),
    (scenes.BEZIER_POSITION, 0x2503, 3, 0x2526, layouts.BEZIER_POINT3),
    (scenes.BEZIER_POSITION, 0x2503, 3, 0x2524, layouts.EARLY_BEZIER_POSITION),
    (scenes.LINEAR_POSITION, 0x2503, 3, 0x2513, layouts.LINEAR_POSITION),
    (scenes.TCB_POSITION, 0x2503, 3, 0x2521, layouts.TCB_POSITION),
    (scenes.LINEAR_ROTATION, 0x2504, 4, 0x2514, layouts.LINEAR_ROTATION),
    ((0x2009, 0, 0x900C), 0x2504, 4, 0x2527, layouts.BEZIER_ROTATION),
    (scenes.TCB_ROTATION, 0x2504, 4, 0x2522, layouts.TCB_ROTATION),
    (scenes.BEZIER_SCALE, 0x2505, 7, 0x2528, layouts.BEZIER_SCALE),
    (scenes.BEZIER_SCALE, 0x2505, 7, 0x2519, layouts.EARLY_BEZIER_SCALE),
    ((0x2004, 0, 0x900D), 0x2505, 7, 0x2515, layouts.LINEAR_SCALE),
    ((0x442315, 0, 0x900D), 0x2505, 7, 0x2523, layouts.TCB_SCALE),
]


@st.composite
def rows(draw: st.DrawFn, of: KeyLayout) -> tuple[Any, ...]:
    def row(time: int) -> tuple[Any, ...]:
        out: list[Any] = [time, draw(st.integers(0, 2**32 - 1))]
        for column in of.columns[2:]:
            numbers = draw(st.tuples(*[st.floats(width=32, allow_nan=False)] * column.count))
            out.append(numbers if column.count > 1 else numbers[0])
        return tuple(out)

    times = draw(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=4))
    return tuple(row(time) for time in sorted(times))


@given(st.data())
def test_tables_round_trip(data: st.DataObject) -> None:
    table = KeyTable(data.draw(layout))
    value = data.draw(rows(table.layout))
    encoded = table.encode(value)
    assert len(encoded) == len(value) * table.layout.size
    assert table.verified(encoded) == value
    array = np.frombuffer(encoded, table.layout.dtype())
    assert array["time"].tolist() == [row[0] for row in value]


@given(layout, st.binary(max_size=400))
def test_any_bytes_are_a_table_or_refused(of: KeyLayout, data: bytes) -> None:
    table = KeyTable(of)
    try:
        value = table.verified(data)
    except DecodeError:
        return
    assert table.encode(value) == data


def add_keyed(draw: st.DrawFn, maker: SceneMaker) -> tuple[int, Any]:
    """Add a keyframe controller with a few sensible keys."""
    kind, chunk, size, table, of = draw(st.sampled_from(KEYED))
    times = sorted(draw(st.sets(st.integers(-10_000, 10_000), min_size=1, max_size=6)))
    keys = np.zeros(len(times), of.dtype())
    keys["time"] = times
    for column in of.columns[1:]:
        if column.fmt == "I":
            keys["flags"] = draw(
                st.lists(st.integers(0, 2**16), min_size=len(keys), max_size=len(keys))
            )
        elif column.name in ("value", "in_tangent", "out_tangent"):
            flat = draw(
                st.lists(
                    small, min_size=len(keys) * column.count, max_size=len(keys) * column.count
                )
            )
            keys[column.name] = np.array(flat).reshape(keys[column.name].shape)
        elif column.name.endswith("_length"):
            keys[column.name] = draw(st.sampled_from([-1.0, 0.3333, 0.2, 0.9, 0.0, 1.0]))
    ort = draw(st.sampled_from([None, *ORT]))
    extra = [] if ort is None else [(0x8499, [(0x3000, u32(ort)), (0x3001, u32(ort))])]
    index = maker.keyed(
        kind,
        chunk,
        f32(*[1.0] * size),
        (table, keys.tobytes()),
        extra=extra,
        nested=draw(st.booleans()),
    )
    return index, keys


@st.composite
def keyed(draw: st.DrawFn) -> tuple[KeyedController, Any]:
    """A keyframe controller with a few sensible keys."""
    maker = SceneMaker()
    index, keys = add_keyed(draw, maker)
    obj = maker.scene()[index]
    assert isinstance(obj, KeyedController)
    return obj, keys


@given(st.data())
def test_curves_compiled_together_are_those_compiled_alone(data: st.DataObject) -> None:
    maker = SceneMaker()
    for _ in range(data.draw(st.integers(1, 8))):
        data.draw(st.composite(add_keyed)(maker))
    together, alone = (
        [obj for obj in maker.scene() if isinstance(obj, KeyedController)] for _ in range(2)
    )
    compile_together(together)
    times = np.array([-3e4, -500.0, 0.0, 17.5, 3333.0, 3e4])
    for one, other in zip(together, alone, strict=True):
        assert ("curve" in one.kept()) is (one.obstacle is None)
        assert one.evaluate(times).tobytes() == other.evaluate(times).tobytes()


@given(keyed())
def test_a_curve_goes_through_its_keys(made: tuple[KeyedController, Any]) -> None:
    obj, keys = made
    assume(obj.obstacle is None)
    assume(obj.keys is not None)  # the other form of nesting: this class has no such container
    values = np.atleast_2d(obj.evaluate(keys["time"]).reshape(len(keys), -1))
    if obj.kind == "rotation":
        # Evaluated are unit quaternions, of either sign, and the opposite of what is stored.
        stored = keys["value"].astype(float) * [-1, -1, -1, 1]
        lengths = np.linalg.norm(stored, axis=1)
        turning = lengths > 1e-3
        cosines = np.abs(np.sum(values * stored, axis=1))[turning] / lengths[turning]
        assert np.allclose(cosines, 1.0, atol=1e-9)
        return
    width = np.atleast_2d(keys["value"].reshape(len(keys), -1)).shape[1]
    assert np.array_equal(values[:, :width], keys["value"].reshape(len(keys), -1).astype(float))


@given(keyed(), st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_one_time_and_many_agree(made: tuple[KeyedController, Any], times: list[float]) -> None:
    obj, _ = made
    many = obj.evaluate(times)
    assert many.shape[0] == len(times)
    for number, time in enumerate(times):
        one = obj.evaluate(time)
        if obj.kind == "rotation":  # one time has no neighbour to take its sign from
            assert np.allclose(np.abs(one @ many[number]), 1.0, atol=1e-9) or np.isnan(one).any()
        else:
            assert np.allclose(one, many[number], rtol=1e-12, atol=1e-12, equal_nan=True)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), min_size=1))
def test_time_through_handles_is_solved(cases: list[tuple[float, float, float]]) -> None:
    share, a, b = np.array(cases).T
    u = solve(share, a, b)
    time = 3 * (1 - u) ** 2 * u * a + 3 * (1 - u) * u**2 * (1 - b) + u**3
    assert np.abs(time - share).max() < 1e-12
    assert np.all((u >= 0) & (u <= 1))


unit = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(x * x for x in q) > 1e-3)


@given(unit, unit, st.floats(0, 1))
def test_quaternions(a: tuple[float, ...], b: tuple[float, ...], u: float) -> None:
    p, q = (np.array(v) / np.linalg.norm(v) for v in (a, b))
    matrix = quaternion_to_matrix(p)
    assert np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-12)
    assert np.allclose(quaternion_to_matrix(matrix_to_quaternion(matrix)), matrix, atol=1e-9)
    between = slerp(p[None], q[None], np.array([u]), shortest=True)[0]
    assert abs(np.linalg.norm(between) - 1) < 1e-6


# --- anything at all -----------------------------------------------------------------------------

CLASSES = [
    *(kind for kind, *_ in KEYED),
    scenes.PRS,
    scenes.LOOK_AT,
    scenes.POSITION_XYZ,
    scenes.EULER_XYZ,
    scenes.SCALE_XYZ,
    (0x4B4B1000, 0, 0x9003),
    (0x4B4B1003, 0, 0x900C),
    (0x4B4B1004, 0, 0x900D),
    (0x984B8D27, 0x938F3E43, 0x9003),
    (0x2021, 0, 0x900C),
    (0x0E6F5815, 0x717F99A4, 0x9008),
    (0x82, 0, 0x82),
    scenes.NODE,
]
IDS = [
    *(0x2501, 0x2503, 0x2504, 0x2505, 0x2500, 0x3002, 0x3003, 0x2532, 0x3005, 0x8499, 0x7127),
    *(0x2511, 0x2513, 0x2514, 0x2515, 0x2525, 0x2526, 0x2527, 0x2528, 0x2521, 0x2522, 0x2523),
    *(0x2524, 0x2519, 0x7230, 0x7232, 0x0100, 0x0201, 0x1003, 0x1010, 0x0130, 0x0140, 0x0960),
    *(0x096A, 0x096B, 0x096C, 0x3000, 0x3001, 0x2700, 0x0009, 0x000A, 0x000E, 0x1002),
]
leaf = st.binary(max_size=60) | st.sampled_from([0, 8, 12, 28, 56, 80, 92, 148]).map(bytes)
chunk = st.tuples(
    st.sampled_from(IDS), leaf | st.lists(st.tuples(st.sampled_from(IDS), leaf), max_size=4)
)
objects = st.lists(
    st.tuples(
        st.sampled_from(CLASSES),
        st.lists(chunk, max_size=6),
        st.none() | st.lists(st.integers(-2, 8), max_size=6),
    ),
    min_size=1,
    max_size=8,
)


@given(objects)
def test_damage_raises_nothing_but_our_errors(parts: list[tuple[Any, Any, Any]]) -> None:
    maker = SceneMaker()
    for kind, chunks, references in parts:
        maker.add(kind, chunks, references)
    scene = maker.scene()
    times = [-1e9, 0.0, 80.0, 1e9]
    for obj in scene:
        if not isinstance(obj, Controller):
            continue
        assert obj.evaluate(times).shape[0] == len(times)
        assert obj.reason is None or isinstance(obj.reason, str)
        if isinstance(obj, KeyedController):
            try:
                keys = obj.keys
                obj.keys = obj.new_keys(2) if keys is None or not len(keys) else keys[:1].copy()
                obj.set_value(1.0)
            except MaxSidecarError:
                pass
            obj.evaluate(times)
    pose = Pose(scene, times)
    for node in scene.nodes.values():
        for matrices in (pose.world(node), pose.local(node), pose.object(node)):
            assert matrices.shape[1:] == (4, 4)
