"""Keys of controllers as tracks of the game; expected values by the plug-in's rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.nel.animation.keyframers import boolean_track, keyed_track
from maxsidecar.nel.animation.samples import (
    STEP,
    moves,
    position_track,
    rotation_track,
    sample_times,
    step_of,
    turns_of,
)
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.authoring_chunks import NewClass
from maxsidecar.scene.authoring_keys import TransformKeys, bezier_float_keys
from maxsidecar.scene.authoring_objects import BEZIER_FLOAT
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.controllers import layouts
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.layouts import KeyLayout
from maxsidecar.scene.controllers.other import OnOff
from maxsidecar.scene.maxfile import MaxFile
from tests.support.nel_animated import (
    BEZIER_POSITION,
    LINEAR_FLOAT,
    LINEAR_SCALE,
    ON_OFF,
    TCB_ROTATION,
    AnimatedScene,
    on_off,
)

NUMBERS = {0: 0.0, 480: 1.0, 960: -2.0, 1440: 1e-9, 1920: float("nan")}


def part(keys: TransformKeys, slot: int) -> Controller:
    builder = SceneBuilder()
    index = builder.add_transform(keys=keys)
    found = MaxFile(builder.to_bytes(), lenient=False).scene[index].reference(slot)
    assert isinstance(found, Controller)
    return found


def test_linear_rotations_have_a_negated_w() -> None:
    half = float(np.sqrt(0.5))
    keys = TransformKeys(rotation={0: (0, 0, 0, 1), 4800: (0, 0, half, half)})
    track: Any = keyed_track(part(keys, 1), "rotation")
    assert type(track).__name__ == "CTrackKeyFramerLinearQuat"
    assert track.keys["time"].tolist() == [0.0, 1.0]
    # Stored is the conjugate of the usual one; its w is negated.
    assert track.keys["value"].tolist() == pytest.approx(
        np.array([[0, 0, 0, -1], [0, 0, -half, -half]]), abs=1e-6
    )


def test_scales_have_tangents_per_tick() -> None:
    keys = TransformKeys(scale={0: (1, 1, 1), 480: (2, 3, 4)}, curve="ease")
    controller = part(keys, 2)
    track: Any = keyed_track(controller, "scale")
    assert type(track).__name__ == "CTrackKeyFramerBezierVector"
    assert track.keys["value"].tolist() == [[1, 1, 1], [2, 3, 4]]
    stored: Any = controller.keys  # type: ignore[attr-defined]
    assert np.array_equal(track.keys["in_tan"], stored["in_tangent"])
    assert not track.keys["step"].any()


def test_other_kinds_have_no_track() -> None:
    keys = TransformKeys(position={0: (0, 0, 0), 480: (1, 1, 1)}, curve="ease")
    assert keyed_track(part(keys, 0), "position") is None  # Position XYZ
    assert keyed_track(None, "position") is None
    still = part(TransformKeys(), 2)
    assert keyed_track(still, "scale") is None


def test_samples_stay_on_one_side() -> None:
    angles = np.linspace(0.0, 4 * np.pi, 9)
    local = np.tile(np.eye(4), (9, 1, 1))
    local[:, 0, 0] = local[:, 1, 1] = np.cos(angles)
    local[:, 0, 1], local[:, 1, 0] = np.sin(angles), -np.sin(angles)
    local[:, 3, 0] = np.arange(9)
    times = np.arange(9, dtype=np.float64) * 160
    track: Any = rotation_track(times, turns_of(local))
    values = track.keys["value"]
    assert values[0].tolist() == [0.0, 0.0, 0.0, -1.0]
    assert np.all(np.einsum("ki,ki->k", values[1:], values[:-1]) > -1e-6)
    place: Any = position_track(times, local[:, 3, :3])
    assert place.keys["value"].tolist() == [[float(n), 0.0, 0.0] for n in range(9)]
    assert (place.range_begin, place.range_end) == (0.0, np.float32(8 * 160 / 4800))


def test_mirrors_are_taken_apart_as_in_3ds_max() -> None:
    """Nubs of real skeletons whose bones are mirrored along z are half turns about z."""
    local = np.eye(4)[None] * [1.0, 1.0, -1.0, 1.0]
    track: Any = rotation_track(np.zeros(1), turns_of(local))
    assert track.keys["value"].tolist() == [[0.0, 0.0, -1.0, 0.0]]


def test_switches_at_one_time_undo_each_other() -> None:
    builder = SceneBuilder()
    index = builder.add_object(ON_OFF, on_off(0, 480, 960, 960, 1440))
    controller = MaxFile(builder.to_bytes(), lenient=False).scene[index]
    assert isinstance(controller, OnOff)
    track: Any = boolean_track(controller)
    assert track.keys["time"].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert track.keys["value"].tolist() == [1, 1, 0]
    assert (track.range_begin, track.range_end) == pytest.approx((0.1, 0.3))


@pytest.mark.parametrize(("flags", "loop"), [(0, False), (0x10, True)])
def test_numbers_above_0_switch_on(flags: int, loop: bool) -> None:
    scene = AnimatedScene()
    keys = [{"time": time, "value": value} for time, value in NUMBERS.items()]
    index = scene.controller(LINEAR_FLOAT, layouts.LINEAR_FLOAT, *keys, flags=flags)
    controller = MaxFile(scene.to_bytes(), lenient=False).scene[index]
    assert isinstance(controller, Controller)
    track: Any = boolean_track(controller)
    assert type(track).__name__ == "CTrackKeyFramerConstBool"
    assert track.keys["value"].tolist() == [0, 1, 0, 1, 0]
    assert (track.range_begin, track.range_end) == pytest.approx((0.0, 0.4))
    assert track.loop_mode is loop


@pytest.mark.parametrize("key", [{"value": (0.0, float("nan"), 0.0)}, {"out_tangent": (1e38,) * 3}])
def test_keys_that_are_not_finite(key: dict[str, Any]) -> None:
    """Also where slopes per second are too large for the game."""
    scene = AnimatedScene()
    index = scene.controller(BEZIER_POSITION, layouts.BEZIER_POINT3, {"time": 0, **key})
    controller = MaxFile(scene.to_bytes(), lenient=False).scene[index]
    assert isinstance(controller, Controller)
    with pytest.raises(DecodeError, match="not finite"):
        keyed_track(controller, "position")


def test_without_controller_nothing_switches() -> None:
    assert boolean_track(None) is None


def test_which_bones_move() -> None:
    assert moves(Role("com"))
    assert moves(Role("arm", 0, 0))
    assert moves(Role("spine"))
    assert moves(Role("tail"))
    assert not moves(Role("tail", link=1))
    assert not moves(Role("arm", 0, 1))
    assert not moves(Role("head"))


def test_nothing_is_sampled_without_bipeds() -> None:
    assert len(sample_times([])) == 0


def test_samples_need_a_whole_number_of_ticks() -> None:
    """30 frames' ticks over the frame rate: a frame at 30 frames per second, and only there."""
    assert step_of(30) == STEP == 160
    assert step_of(25) == 230  # 30 * 192 / 25 is 230.4
    assert step_of(24) == 250
    assert step_of(15) == 640
    assert step_of(60) == 40
    assert step_of(400) == 1


HALF = float(np.sqrt(0.5))


def stored(new: NewClass, layout: KeyLayout, *keys: dict[str, Any], **more: Any) -> Controller:
    scene = AnimatedScene()
    index = scene.controller(new, layout, *keys, **more)
    found = MaxFile(scene.to_bytes(), lenient=False).scene[index]
    assert isinstance(found, Controller)
    return found


def test_turns_between_keys_have_a_negated_angle() -> None:
    keys = (
        {"time": 0, "value": (0, 0, 0, 1), "relative_axis": (1, 0, 0)},
        {"time": 480, "value": (0, 0, HALF, HALF), "relative_axis": (0, 0, 2),
         "relative_angle": np.pi / 2, "tension": 0.5, "continuity": -1, "bias": 1,
         "ease_in": 0.25, "ease_out": 0.75},
    )  # fmt: skip
    track: Any = keyed_track(stored(TCB_ROTATION, layouts.TCB_ROTATION, *keys), "rotation")
    assert type(track).__name__ == "CTrackKeyFramerTCBQuat"
    # Axes have length 1.
    assert track.keys["value"].tolist() == [[1, 0, 0, 0], [0, 0, 1, pytest.approx(-np.pi / 2)]]
    last = track.keys[1]
    names = ("tension", "continuity", "bias", "ease_to", "ease_from")
    assert [last[name] for name in names] == [0.5, -1.0, 1.0, 0.25, 0.75]


@pytest.mark.parametrize(
    ("value", "axis", "angle"),
    [
        ((0.0, 0.0, 0.6, 0.8), (0, 0, 1), 2 * np.arcsin(0.6)),
        # Not quite of length 1: the vector alone says it.
        ((0.0, 0.3, 0.0, 0.9), (0, 1, 0), 2 * np.arcsin(0.3)),
        ((0.0, 0.0, 0.6, -0.8), (0, 0, -1), 2 * np.arccos(0.8)),
        ((0.0, 0.0, 0.0, 1.0), (1, 0, 0), 0.0),
    ],
)
def test_turns_that_are_out_of_date(
    value: tuple[float, ...], axis: tuple[float, ...], angle: float
) -> None:
    """Flag 0x10: the quaternion tells, not the stored turn."""
    key = {"time": 0, "flags": 0x10, "value": value, "relative_axis": (7, 7, 7)}
    track: Any = keyed_track(stored(TCB_ROTATION, layouts.TCB_ROTATION, key), "rotation")
    found = track.keys["value"][0].tolist()
    assert found == pytest.approx([*axis, -angle], abs=1e-6)


def test_scales_in_a_turned_frame() -> None:
    """The diagonal of the stretch: scaled by 4 along the middle between x and y."""
    frame = (0.0, 0.0, float(np.sin(np.pi / 8)), float(np.cos(np.pi / 8)))  # 45 degrees about z
    keys = (
        {"time": 0, "value": (4, 1, 9), "axis": frame},
        {"time": 480, "value": (4, 1, 9), "axis": (-0.0, 0, 0, -1)},
        {"time": 960, "value": (4, 1, 9), "axis": (0, 0, HALF, HALF)},
    )
    track: Any = keyed_track(stored(LINEAR_SCALE, layouts.LINEAR_SCALE, *keys), "scale")
    assert type(track).__name__ == "CTrackKeyFramerLinearVector"
    assert track.keys["value"].tolist() == [
        pytest.approx([2.5, 2.5, 9.0]), [4, 1, 9], pytest.approx([1.0, 4.0, 9.0], abs=1e-5),
    ]  # fmt: skip


def test_scale_frames_turn_as_in_3ds_max() -> None:
    """A frame about an axis that mixes all three tells the order of the product."""
    x, y, z, w = 0.1, 0.2, 0.3, float(np.sqrt(1 - 0.14))
    key = {"time": 0, "value": (1, 2, 3), "axis": (x, y, z, w)}
    track: Any = keyed_track(stored(LINEAR_SCALE, layouts.LINEAR_SCALE, key), "scale")
    # Row-vector matrix of the quaternion, R; R diag(s) R^-1.
    rows = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    expected = np.diag(rows @ np.diag([1.0, 2.0, 3.0]) @ np.linalg.inv(rows))
    assert track.keys["value"][0].tolist() == pytest.approx(expected.tolist(), abs=1e-6)


POINT_KEYS = (
    {"time": 0, "flags": 2 << 10, "value": (1, 2, 3), "out_tangent": (0.5, 0, 0)},
    {"time": 480, "flags": 2 << 7, "value": (4, 5, 6), "in_tangent": (0, -0.25, 0)},
)


def test_places_have_slopes_per_second() -> None:
    controller = stored(BEZIER_POSITION, layouts.BEZIER_POINT3, *POINT_KEYS)
    track: Any = keyed_track(controller, "position")
    assert type(track).__name__ == "CTrackKeyFramerBezierVector"
    assert track.keys["out_tan"].tolist() == [[2400, 0, 0], [0, 0, 0]]
    assert track.keys["in_tan"].tolist() == [[0, 0, 0], [0, -1200, 0]]
    # Only the segment behind a key makes it a step.
    assert track.keys["step"].tolist() == [1, 0]
    assert keyed_track(controller, "rotation") is None
    assert keyed_track(controller, "float") is None
    # Places do for scales.
    assert keyed_track(controller, "scale") is not None


def test_numbers_have_slopes_per_tick() -> None:
    builder = SceneBuilder()
    index = builder.add_object(BEZIER_FLOAT, bezier_float_keys({0: 0, 480: 48}, "linear"), {})
    controller: Any = MaxFile(builder.to_bytes(), lenient=False).scene[index]
    track: Any = keyed_track(controller, "float")
    assert type(track).__name__ == "CTrackKeyFramerBezierFloat"
    assert track.keys["out_tan"].tolist() == pytest.approx([0.1, 0.0])
    assert keyed_track(controller, "color") is None


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (None, (0.0, 0.1)),
        ((-4800, 9600), (-1.0, 2.0)),
        ((480, 480), (0.1, 0.1)),
        ((-(2**31), -(2**31)), (0.0, 0.1)),
        ((-(2**31), 2**31 - 1), (0.0, 0.1)),
    ],
)
def test_ranges_are_those_of_controllers(
    span: tuple[int, int] | None, expected: tuple[float, float]
) -> None:
    """Where they have none, or all of time, those of the keys."""
    controller = stored(BEZIER_POSITION, layouts.BEZIER_POINT3, *POINT_KEYS, span=span)
    track: Any = keyed_track(controller, "position")
    assert (track.range_begin, track.range_end) == pytest.approx(expected)
    # Else the game takes the first and last key again.
    assert track.range_lock is False


@pytest.mark.parametrize(("flags", "loops"), [(0, False), (0x8, False), (0x10, True)])
def test_only_what_loops_behind_its_range_repeats(flags: int, loops: bool) -> None:
    controller = stored(BEZIER_POSITION, layouts.BEZIER_POINT3, *POINT_KEYS, flags=flags)
    track: Any = keyed_track(controller, "position")
    assert track.loop_mode is loops
