"""Controllers that put others together, and those that are not evaluated."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.scene.controllers import (
    Controller,
    EulerXYZ,
    ListController,
    LookAtConstraint,
    OnOff,
    PathConstraint,
    ScaleScript,
)
from maxsidecar.scene.controllers.rotations import (
    EULER_ORDERS,
    FloatArray,
    continuous,
    euler_quaternions,
    matrix_to_quaternion,
    quaternion_to_matrix,
    slerp,
)
from maxsidecar.scene.controllers.sampling import MAX_DEPTH, Sampler
from maxsidecar.scene.scene import Scene
from tests.support import scenes
from tests.support.scenes import SceneMaker, f32, u32

FLOAT_LIST = (0x4B4B1000, 0, 0x9003)
POSITION_LIST = (0x4B4B1002, 0, 0x900B)
ROTATION_LIST = (0x4B4B1003, 0, 0x900C)
SCALE_LIST = (0x4B4B1004, 0, 0x900D)
PARAM_BLOCK = (0x82, 0, 0x82)


def controller(scene: Scene, index: int) -> Controller:
    found = scene[index]
    assert isinstance(found, Controller)
    return found


def axis_matrix(axis: str, angle: float) -> FloatArray:
    """Return the row-vector matrix of a counter-clockwise turn, written out."""
    s, c = np.sin(angle), np.cos(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, s], [0, -s, c]]),
        "y": np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]),
        "z": np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]),
    }[axis]


@pytest.mark.parametrize("order", range(9))
def test_axis_orders(order: int) -> None:
    maker = SceneMaker()
    angles = (0.3, -0.7, 1.1)
    parts = [maker.number(angle) for angle in angles]
    index = maker.add(scenes.EULER_XYZ, [(0x1003, u32(order))], parts)
    obj = controller(maker.scene(), index)
    assert isinstance(obj, EulerXYZ)
    expected = np.eye(3)
    for turn, axis in enumerate(EULER_ORDERS[order]):
        angle = angles["xyz".index(axis) if order < 6 else turn]
        expected = expected @ axis_matrix(axis, angle)
    assert quaternion_to_matrix(obj.evaluate(0)) == pytest.approx(expected, abs=1e-7)


def test_an_axis_order_beyond_those_known() -> None:
    maker = SceneMaker()
    index = maker.add(scenes.EULER_XYZ, [(0x1003, u32(9))], [maker.number(1.0)] * 3)
    obj = controller(maker.scene(), index)
    assert obj.reason == "unknown axis order 9"
    assert obj.evaluate(0).tolist() == [0, 0, 0, 1]


def test_empty_slots_of_three_axes() -> None:
    maker = SceneMaker()
    position = maker.add(scenes.POSITION_XYZ, (), {1: maker.number(5)})
    scale = maker.add(scenes.SCALE_XYZ, (), {0: maker.number(5)})
    scene = maker.scene()
    assert controller(scene, position).evaluate(0).tolist() == [0, 5, 0]
    assert controller(scene, scale).evaluate(0).tolist() == [5, 1, 1, 0, 0, 0, 1]


# --- lists ---------------------------------------------------------------------------------------


def weights(maker: SceneMaker, *values: float | int) -> int:
    """Add a parameter block whose parameter 0 is a table of weights; ints are controllers."""
    table = b"\x80" + u32(len(values))
    controllers = [v for v in values if isinstance(v, int)]
    for value in values:
        table += b"\x80" if isinstance(value, int) else b"\xc0" + f32(value)
    record = pack("<HH", 0, 0x0800) + bytes(6) + table
    return maker.add(PARAM_BLOCK, [(0x0009, bytes(14)), (0x000A, record)], controllers)


def make_list(
    kind: scenes.Class, entries: list[int], maker: SceneMaker, block: int | None
) -> ListController:
    slots = [*entries, None, None] + ([] if block is None else [block])
    index = maker.add(kind, [(0x1010, u32(len(entries))), (0x1020, u32(0))], slots)
    obj = maker.scene()[index]
    assert isinstance(obj, ListController)
    return obj


def test_a_list_without_weights_adds_up() -> None:
    maker = SceneMaker()
    obj = make_list(FLOAT_LIST, [maker.number(2), maker.number(3)], maker, None)
    assert obj.weights() == [1, 1]
    assert obj.evaluate(0) == 5


def test_an_empty_list_gives_the_neutral_value() -> None:
    maker = SceneMaker()
    assert make_list(FLOAT_LIST, [], maker, None).evaluate(0) == 0
    assert make_list(SCALE_LIST, [], maker, None).evaluate(0).tolist() == [1, 1, 1, 0, 0, 0, 1]
    assert make_list(ROTATION_LIST, [], maker, None).evaluate(0).tolist() == [0, 0, 0, 1]


def test_weights() -> None:
    maker = SceneMaker()
    entries = [maker.number(2), maker.number(3), maker.number(100)]
    obj = make_list(FLOAT_LIST, entries, maker, weights(maker, 0.5, 2.0, 0.0))
    assert obj.evaluate([0, 1]).tolist() == [7, 7]


def test_an_animated_weight() -> None:
    maker = SceneMaker()
    entries = [maker.number(2), maker.number(3)]
    obj = make_list(FLOAT_LIST, entries, maker, weights(maker, 0.5, maker.number(10)))
    assert obj.evaluate(0) == 31


def test_weights_of_rotations_and_scales() -> None:
    maker = SceneMaker()
    turn = [maker.number(0), maker.number(0), maker.number(np.pi / 2)]
    euler = maker.add(scenes.EULER_XYZ, [(0x1003, u32(0))], turn)
    obj = make_list(ROTATION_LIST, [euler, euler], maker, weights(maker, 1.0, 0.5))
    half = np.radians(135) / 2
    assert obj.evaluate(0) == pytest.approx([0, 0, np.sin(half), np.cos(half)], abs=1e-6)
    scale = maker.keyed(scenes.BEZIER_SCALE, 0x2505, f32(3, 1, 1, 0, 0, 0, 1))
    obj = make_list(SCALE_LIST, [scale, scale], maker, weights(maker, 1.0, 0.5))
    assert obj.evaluate(0)[:3] == pytest.approx([6, 1, 1])


def test_another_number_of_weights_is_damage() -> None:
    maker = SceneMaker()
    obj = make_list(FLOAT_LIST, [maker.number(2)], maker, weights(maker, 1.0, 1.0))
    assert obj.reason is not None
    assert "another number of weights" in obj.reason
    assert obj.evaluate(0) == 0


@pytest.mark.parametrize("count", [-1, 10_001, 2**31 - 1])
def test_an_impossible_number_of_entries(count: int) -> None:
    maker = SceneMaker()
    index = maker.add(FLOAT_LIST, [(0x1010, pack("<i", count))], [0])
    obj = controller(maker.scene(), index)
    assert obj.reason is not None
    assert "impossible number" in obj.reason
    assert obj.evaluate(0) == 0


# --- cycles and depth ----------------------------------------------------------------------------


def test_a_list_in_itself() -> None:
    maker = SceneMaker()
    index = maker.add(FLOAT_LIST, [(0x1010, u32(2))], [len(maker.objects), len(maker.objects)])
    scene = maker.scene()
    sampler = Sampler(np.zeros(1))
    assert sampler.value(controller(scene, index), "float").tolist() == [[0]]
    assert "refers to itself" in sampler.problems[index]
    assert controller(scene, index).evaluable  # each part by itself is


def test_lists_in_lists_without_end() -> None:
    maker = SceneMaker()
    index = maker.number(1)
    for _ in range(10 * MAX_DEPTH):
        # Both entries are the same list: without a memory this would take 2^320 steps.
        index = maker.add(FLOAT_LIST, [(0x1010, u32(2))], [index, index])
    obj = controller(maker.scene(), index)
    sampler = Sampler(np.zeros(1))
    sampler.value(obj, "float")
    assert any("too deep" in problem for problem in sampler.problems.values())
    assert obj.reason is None


def test_a_controller_of_another_kind_counts_as_missing() -> None:
    maker = SceneMaker()
    euler = maker.add(scenes.EULER_XYZ, [(0x1003, u32(0))], [])
    index = maker.add(scenes.POSITION_XYZ, (), [maker.number(1), euler, maker.number(3)])
    assert controller(maker.scene(), index).evaluate(0).tolist() == [1, 0, 3]


# --- others --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("state", "values"), [(0, [0, 1, 1, 0]), (1, [1, 0, 0, 1])])
def test_on_off_switches_at_every_key(state: int, values: list[float]) -> None:
    maker = SceneMaker()
    keys = [(0x0100, u32(160)), (0x0110, u32(1)), (0x0100, u32(320)), (0x0110, u32(3))]
    kind = (0x984B8D27, 0x938F3E43, 0x9003)
    index = maker.add(kind, [(0x0130, u32(2)), *keys, (0x0140, u32(state))])
    obj = maker.scene()[index]
    assert isinstance(obj, OnOff)
    assert obj.switches == [160, 320]
    assert obj.evaluate([0, 160, 200, 320]).tolist() == values
    names = [name for _, name, _ in obj.typed_leaves()]
    assert names[:3] == ["key_count", "state", "keys[0].time"]


def test_on_off_with_a_wrong_count() -> None:
    maker = SceneMaker()
    kind = (0x984B8D27, 0x938F3E43, 0x9003)
    index = maker.add(kind, [(0x0130, u32(3)), (0x0100, u32(160)), (0x0140, u32(1))])
    sampler = Sampler(np.zeros(2))
    assert sampler.value(controller(maker.scene(), index), "float").tolist() == [[0]]
    assert "number of keys" in sampler.problems[index]


def test_what_is_not_evaluated_gives_what_is_stored() -> None:
    maker = SceneMaker()
    look = maker.add((0x2021, 0, 0x900C), [(0x1003, f32(0, 0.6, 0, 0.8))])
    path = maker.add((0x2011, 0, 0x900B), [(0x1011, f32(1, 2, 3))])
    script = maker.add((0x7C8F3A2A, 0x1E954D91, 0x900D), [(0x5000, b"deleteFile f")])
    scene = maker.scene()
    for index, view, value in (
        (look, LookAtConstraint, [0, -0.6, 0, 0.8]),
        (path, PathConstraint, [1, 2, 3]),
        (script, ScaleScript, [1, 1, 1, 0, 0, 0, 1]),
    ):
        obj = controller(scene, index)
        assert isinstance(obj, view)
        assert not obj.evaluable
        assert obj.evaluate([0, 100])[1] == pytest.approx(value)
    found = scene[script]
    assert isinstance(found, ScaleScript)
    assert found.script == b"deleteFile f"


def test_a_reason_names_the_part_that_it_is_about() -> None:
    maker = SceneMaker()
    unknown = maker.add((0x1234, 0x5678, 0x9003))
    index = maker.add(scenes.POSITION_XYZ, (), [maker.number(1), unknown, None])
    obj = controller(maker.scene(), index)
    assert obj.reason == f"1234,5678 {unknown}: unknown controller class"
    assert obj.evaluate(0).tolist() == [1, 0, 0]


# --- quaternions ---------------------------------------------------------------------------------


def test_matrices_and_quaternions_agree() -> None:
    rng = np.random.default_rng(3)
    q = rng.normal(size=(200, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    # Each of the four components is the largest in some of them.
    assert set(np.argmax(np.abs(q), axis=1)) == {0, 1, 2, 3}
    back = matrix_to_quaternion(quaternion_to_matrix(q))
    assert np.abs(np.abs(np.einsum("ti,ti->t", q, back)) - 1).max() < 1e-12


def test_a_quarter_turn_about_z_takes_x_to_y() -> None:
    q = euler_quaternions(np.array([0, 0, np.pi / 2]))
    assert np.array([1.0, 0, 0]) @ quaternion_to_matrix(q) == pytest.approx([0, 1, 0])


@pytest.mark.parametrize("q", [(0, 0, 0, 0), (np.nan, 0, 0, 1), (np.inf, 0, 0, 0)])
def test_no_direction_is_no_turn(q: tuple[float, ...]) -> None:
    with np.errstate(all="ignore"):
        matrix = quaternion_to_matrix(np.array(q, float))
    assert np.array_equal(np.diag(matrix), np.ones(3)) or np.isnan(matrix).any()


def test_slerp_between_opposites() -> None:
    a, b = np.array([[0.0, 0, 0, 1]]), np.array([[0.0, 0, 0, -1]])
    assert slerp(a, b, np.array([0.5]), shortest=True) == pytest.approx(a)
    assert np.isfinite(slerp(a, b, np.array([0.5]), shortest=False)).all()


def test_continuous_flips_each_run() -> None:
    q = np.array([[0, 0, 0, 1.0]] * 5) * np.array([1, -1, -1, 1, -1])[:, None]
    assert continuous(q).tolist() == [[0, 0, 0, 1]] * 5
