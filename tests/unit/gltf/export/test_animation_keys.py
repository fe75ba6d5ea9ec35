"""Keys of a scene as keys of glTF: kept where they can be, sampled where they cannot."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest

from maxsidecar.gltf.export.animation import add_animation
from maxsidecar.gltf.export.context import Options
from maxsidecar.gltf.export.morphs import ExportedMorph
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.scene.controllers import layouts
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.skin.targets import MorphTarget, MorphTargets, TargetChannel
from tests.support import scenes
from tests.support.gltf_motion import export_of, value_at, worlds
from tests.support.moving import (
    LINEAR,
    STEP,
    bezier,
    euler,
    exported,
    floats,
    linear_positions,
    only_channel,
    positions,
    prs,
    reasons,
    scales,
)
from tests.support.scenes import SceneMaker, f32, key_bytes, u32


def test_straight_positions_keep_their_keys() -> None:
    make = SceneMaker()
    keys = linear_positions(make, (0, (1, 2, 3)), (2400, (1, 2, 5)), (9600, (4, 2, 5)))
    make.node("box", prs(make, keys))
    channel = only_channel(exported(make, scale=0.5))
    assert (channel.path, channel.interpolation) == ("translation", "LINEAR")
    assert channel.times.tolist() == [0.0, 0.5, 2.0]
    # (x, y, z) becomes (x, z, -y), half as large.
    assert channel.values.tolist() == [[0.5, 1.5, -1.0], [0.5, 2.5, -1.0], [2.0, 2.5, -1.0]]
    assert channel.values.dtype == channel.times.dtype == np.float32


def test_even_handles_become_a_cubic_spline() -> None:
    make = SceneMaker()
    keys = positions(
        make,
        bezier(time=0, value=(0, 0, 0), out_tangent=(0.01, 0, 0)),
        bezier(time=4800, value=(8, 0, 1), in_tangent=(0, 0, -0.02)),
    )
    make.node("box", prs(make, keys))
    export = exported(make)
    channel = only_channel(export)
    assert channel.interpolation == "CUBICSPLINE"
    # Slopes per second; that before a key points back in time in 3ds Max.
    assert np.allclose(channel.values[2], [48, 0, 0], atol=1e-5)
    assert np.allclose(channel.values[3], [0, 96, 0], atol=1e-5)
    # Half way of a Bezier curve: (p0 + 3 p1 + 3 p2 + p3) / 8, p1 = 16 and p2 = 8 along x.
    assert value_at(channel, 0.5)[0] == pytest.approx((0 + 3 * 16 + 3 * 8 + 8) / 8, rel=1e-6)
    assert reasons(export, Outcome.APPROXIMATED) == []


def test_bent_time_is_sampled() -> None:
    make = SceneMaker()
    flat: dict[str, Any] = {"in_tangent": (0, 0, 0), "out_tangent": (0, 0, 0)}
    keys = positions(
        make,
        bezier(time=0, value=(0, 0, 0), lengths=0.8, **flat),
        bezier(time=4800, value=(1, 0, 0), lengths=0.8, **flat),
    )
    make.node("box", prs(make, keys))
    export = exported(make)
    channel = only_channel(export)
    assert channel.interpolation == "LINEAR"
    assert len(channel.times) == 31
    # u = 1/10 on this curve: time 3·0.81·0.1·0.8 + 3·0.9·0.01·0.2 + 0.001, value 0.028.
    # Frames beside it bracket the value.
    before, after = (value_at(channel, frame / 30)[0] for frame in (6, 7))
    assert before < 3 * 0.9 * 0.1**2 + 0.1**3 < after
    assert any("sampled" in reason for reason in reasons(export, Outcome.APPROXIMATED))


def test_steps_stay_steps() -> None:
    make = SceneMaker()
    zero: dict[str, Any] = {"in_tangent": (0, 0, 0), "out_tangent": (0, 0, 0)}
    rows = [
        bezier(STEP, time=time, value=(x, 0, 0), **zero) for time, x in ((0, 0), (480, 5), (960, 2))
    ]
    make.node("box", prs(make, positions(make, *rows)))
    channel = only_channel(exported(make))
    assert channel.interpolation == "STEP"
    assert channel.times.tolist() == pytest.approx([0, 0.1, 0.2])
    assert channel.values[:, 0].tolist() == [0, 5, 2]


def test_a_step_beside_a_line_takes_a_tick() -> None:
    make = SceneMaker()
    step = floats(make, *(bezier(STEP, time=t, value=x) for t, x in ((0, 0), (480, 5))))
    line = floats(make, *(bezier(LINEAR, time=t, value=x) for t, x in ((0, 0), (960, 960))))
    xyz = make.add(scenes.POSITION_XYZ, (), [step, line, None])
    make.node("box", prs(make, xyz))
    channel = only_channel(exported(make))
    assert channel.interpolation == "LINEAR"
    assert np.allclose(channel.times * 4800, [0, 479, 480, 960])
    for tick in (0, 100, 479, 480, 700, 960):
        wanted = np.array([5.0 if tick >= 480 else 0.0, 0.0, -float(tick)])
        assert np.allclose(value_at(channel, tick / 4800), wanted, atol=1e-3)


def test_axes_with_keys_at_other_times_are_put_together() -> None:
    make = SceneMaker()
    flat: dict[str, Any] = {"in_tangent": 0.0, "out_tangent": 0.0}
    x = floats(make, bezier(time=0, value=0, **flat), bezier(time=4800, value=8, **flat))
    y = floats(make, bezier(time=2400, value=1, **flat), bezier(time=7200, value=5, **flat))
    make.node("box", prs(make, make.add(scenes.POSITION_XYZ, (), [x, y, make.number(3)])))
    channel = only_channel(exported(make))
    assert channel.interpolation == "CUBICSPLINE"
    assert channel.times.tolist() == [0, 0.5, 1, 1.5]
    for tick in range(0, 9600, 160):
        s, t = np.clip(tick / 4800, 0, 1), np.clip((tick - 2400) / 4800, 0, 1)
        wanted = np.array([8 * (3 * s**2 - 2 * s**3), 3, -(1 + 4 * (3 * t**2 - 2 * t**3))])
        assert np.allclose(value_at(channel, tick / 4800), wanted, atol=1e-5)


def test_slerped_rotations_keep_their_keys() -> None:
    make = SceneMaker()
    half = sqrt(0.5)
    # Stored quaternions are conjugates; this turns by 0, 90 and 180 degrees about Z, the second
    # with the opposite sign.
    rows = [
        {"time": 0, "value": (0, 0, 0, 1)},
        {"time": 4800, "value": (0, 0, half, -half)},
        {"time": 9600, "value": (0, 0, -1, 0)},
    ]
    table = (0x2514, key_bytes(layouts.LINEAR_ROTATION, *rows))
    turn = make.keyed(scenes.LINEAR_ROTATION, 0x2504, f32(0, 0, 0, 1), table)
    make.node("box", prs(make, None, turn))
    channel = only_channel(exported(make))
    assert channel.path == "rotation"
    assert channel.times.tolist() == [0, 1, 2]
    # About Z of 3ds Max is about Y of glTF.
    wanted = np.array([[0, 0, 0, 1], [0, half, 0, half], [0, 1, 0, 0]])
    assert np.allclose(channel.values, wanted, atol=1e-6)


def test_angles_are_sampled_at_every_frame() -> None:
    make = SceneMaker()
    # Three turns about X in 3 seconds: more than arcs between two keys can say.
    angle = floats(
        make, bezier(LINEAR, time=0, value=0.0), bezier(LINEAR, time=14400, value=6 * pi)
    )
    make.node("box", prs(make, None, euler(make, x=angle)))
    export = exported(make)
    channel = only_channel(export)
    # Half way between two keys the straight line meets the arc, so that some may be dropped.
    assert len(channel.times) > 45
    for frame in range(91):
        half = 6 * pi * frame / 90 / 2
        value = value_at(channel, frame / 30)
        assert abs(value @ [sin(half), 0, 0, cos(half)]) == pytest.approx(1, abs=1e-6)
    assert np.all(np.einsum("ij,ij->i", channel.values[1:], channel.values[:-1]) > 0)
    assert any("Euler" in e.reason or "2012" in e.reason for e in export.report.entries)


def test_scales_change_their_axes() -> None:
    make = SceneMaker()
    keys = scales(make, (1, 2, 3), (2, 4, 9), axis=(0, 0, 0, 1))
    make.node("box", prs(make, None, None, keys))
    channel = only_channel(exported(make))
    assert (channel.path, channel.interpolation) == ("scale", "LINEAR")
    assert channel.values.tolist() == [[1, 3, 2], [2, 9, 4]]


def test_scale_along_turned_axes_is_sampled_as_a_whole() -> None:
    make = SceneMaker()
    half = sin(pi / 8), cos(pi / 8)
    keys = scales(make, (1, 1, 1), (2, 1, 1), axis=(0, 0, half[0], half[1]))
    make.node("box", prs(make, None, None, keys))
    export = exported(make, Options(range=(0, 30)))
    (animation,) = export.document.animations
    found = {channel.path: channel for channel in animation.channels}
    assert "scale" in found
    # The lengths of the axes at the end: rows of Fᵀ·diag(2, 1, 1)·F with F a turn by 45 degrees.
    frame = np.array([[cos(pi / 4), sin(pi / 4)], [-sin(pi / 4), cos(pi / 4)]])
    lengths = np.linalg.norm(frame.T @ np.diag([2.0, 1.0]) @ frame, axis=1)
    assert np.allclose(value_at(found["scale"], 1), [lengths[0], 1, lengths[1]], atol=1e-5)
    assert any("turned axes" in reason for reason in reasons(export, Outcome.APPROXIMATED))


def test_uniform_scale_has_no_axes() -> None:
    make = SceneMaker()
    keys = scales(make, (1, 1, 1), (2, 2, 2), axis=(0, 0, sin(1), cos(1)))
    make.node("box", prs(make, None, None, keys))
    channel = only_channel(exported(make))
    assert channel.values.tolist() == [[1, 1, 1], [2, 2, 2]]


def test_a_mirrored_node_keeps_its_keys() -> None:
    make = SceneMaker()
    angle = floats(make, bezier(LINEAR, time=0, value=0.3), bezier(LINEAR, time=4800, value=1.2))
    mirror = make.keyed(scenes.BEZIER_SCALE, 0x2505, f32(1, -2, 1, 0, 0, 0, 1))
    index = make.node("box", prs(make, None, euler(make, z=angle), mirror))
    scene = make.scene()
    export = export_of(scene)
    # The same matrix with another axis mirrored, as taking it apart might give.
    export.nodes[index].scale = (-1.0, 1.0, 2.0)
    flip = np.array([0, 1, 0, 0.0])
    half = 0.15
    x, y, z, w = product(np.array([0, sin(half), 0, cos(half)]), flip)
    export.nodes[index].rotation = x, y, z, w
    add_animation(export)
    (animation,) = export.document.animations
    for frame in (0, 15, 30):
        world = worlds(export.document, animation, frame / 30)[id(export.nodes[index])]
        a = 0.3 + 0.9 * frame / 30
        # Rows of 3ds Max: x to (cos, sin, 0), y to -2 (-sin, cos, 0).
        assert np.allclose(world[:3, 0], [cos(a), 0, -sin(a)], atol=1e-6)
        assert np.allclose(world[:3, 2], [-2 * sin(a), 0, -2 * cos(a)], atol=1e-6)


def product(a: Any, b: Any) -> tuple[float, float, float, float]:
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    x, y, z = (float(part) for part in vector)
    return x, y, z, float(a[3] * b[3] - a[:3] @ b[:3])


def test_weights_of_morph_targets() -> None:
    make = SceneMaker()
    grow = floats(make, bezier(LINEAR, time=0, value=0.0), bezier(LINEAR, time=4800, value=80.0))
    scene_index = make.node("face", make.transform())
    scene = make.scene()
    export = export_of(scene)
    controller = scene[grow]
    assert isinstance(controller, Controller)
    shape = MorphTarget(100.0, np.zeros((1, 3)))
    half = MorphTarget(50.0, np.zeros((1, 3)))
    channels = (
        TargetChannel(0, "smile", (half,), controller),
        TargetChannel(2, "frown", (shape,), None, 30.0),
        TargetChannel(3, "off", (shape,), controller, active=False),
    )
    nothing: Any = None
    targets = MorphTargets(nothing, channels, 1)
    export.morphs[scene_index] = ExportedMorph([targets], np.ones(3, np.bool_))
    add_animation(export)
    channel = only_channel(export)
    assert (channel.path, channel.interpolation) == ("weights", "LINEAR")
    assert channel.times.tolist() == [0, 1]
    # A shape at 50 percent is there twice at 100.
    assert np.allclose(channel.values, [[0, 0.3, 0], [1.6, 0.3, 0]])


def test_weights_with_limits_are_sampled() -> None:
    make = SceneMaker()
    grow = floats(make, bezier(LINEAR, time=0, value=0.0), bezier(LINEAR, time=4800, value=90.0))
    scene_index = make.node("face", make.transform())
    scene = make.scene()
    export = export_of(scene)
    controller = scene[grow]
    assert isinstance(controller, Controller)
    shape = MorphTarget(100.0, np.zeros((1, 3)))
    channel = TargetChannel(0, "smile", (shape,), controller, limits=(0.0, 45.0))
    nothing: Any = None
    targets = MorphTargets(nothing, (channel,), 1)
    export.morphs[scene_index] = ExportedMorph([targets], np.ones(1, np.bool_))
    add_animation(export)
    found = only_channel(export)
    assert found.times.tolist() == [0, 0.5, pytest.approx(100 / 30)]
    assert np.allclose(found.values[:, 0], [0, 0.45, 0.45])


def test_loops_inside_the_range_are_sampled() -> None:
    make = SceneMaker()
    rows = [bezier(LINEAR, time=t, value=x) for t, x in ((0, 0.0), (480, 6.0))]
    loop = make.keyed(
        scenes.BEZIER_FLOAT,
        0x2501,
        f32(0),
        (0x2525, key_bytes(layouts.BEZIER_FLOAT, *rows)),
        extra=[(0x8499, [(0x3000, u32(1)), (0x3001, u32(3))])],
    )
    xyz = make.add(scenes.POSITION_XYZ, (), [loop, None, None])
    make.node("box", prs(make, xyz))
    channel = only_channel(exported(make, Options(range=(0, 9))))
    # Three frames a round; where it starts anew is open (here it does at the end of a round).
    for frame, x in ((0, 0), (1, 2), (2, 4), (4, 2), (5, 4), (7, 2), (8, 4)):
        assert value_at(channel, frame / 30)[0] == pytest.approx(x, abs=1e-5)
    # Without the time beyond the keys nothing is sampled.
    inside = export_of(make.scene(), Options(range=(0, 2)))
    add_animation(inside)
    assert only_channel(inside).times.tolist() == pytest.approx([0, 2 / 30])


def test_tcb_positions_keep_their_keys() -> None:
    make = SceneMaker()
    rows = [
        {"time": 0, "value": (0, 0, 0), "out_tangent": (3, 0, 0)},
        {"time": 2400, "value": (1, 0, 0), "in_tangent": (0, 0, 2)},
    ]
    table = (0x2521, key_bytes(layouts.TCB_POSITION, *rows))
    keys = make.keyed(scenes.TCB_POSITION, 0x2503, f32(0, 0, 0), table)
    make.node("box", prs(make, keys))
    export = exported(make)
    channel = only_channel(export)
    assert channel.interpolation == "CUBICSPLINE"
    assert channel.times.tolist() == [0, 0.5]
    # Tangents are values per segment, of half a second here.
    assert np.allclose(channel.values[2], [6, 0, 0])
    assert np.allclose(channel.values[3], [0, 4, 0])
    assert reasons(export, Outcome.APPROXIMATED) == []


def test_the_only_entry_of_a_list_keeps_its_keys() -> None:
    make = SceneMaker()
    keys = linear_positions(make, (0, (0, 0, 0)), (4800, (1, 0, 0)))
    listed = make.add(
        (0x4B4B1002, 0, 0x900B), [(0x1010, u32(1)), (0x1020, u32(0))], [keys, None, None]
    )
    make.node("box", prs(make, listed))
    channel = only_channel(exported(make))
    assert channel.times.tolist() == [0, 1]
    assert channel.values.tolist() == [[0, 0, 0], [1, 0, 0]]


def test_two_entries_of_a_list_are_sampled() -> None:
    make = SceneMaker()
    first = linear_positions(make, (0, (0, 0, 0)), (4800, (1, 0, 0)))
    second = linear_positions(make, (2400, (0, 0, 0)), (4800, (3, 0, 0)))
    listed = make.add(
        (0x4B4B1002, 0, 0x900B), [(0x1010, u32(2)), (0x1020, u32(0))], [first, second, None, None]
    )
    make.node("box", prs(make, listed))
    channel = only_channel(exported(make, Options(range=(0, 30))))
    # Both are straight: three keys are left of the samples.
    assert np.allclose(channel.times, [0, 0.5, 1])
    assert np.allclose(channel.values[:, 0], [0, 0.5, 4])
