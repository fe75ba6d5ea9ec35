"""Keys of a scene as keys of glTF: kept where they can be, sampled where they cannot."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import EditError
from maxsidecar.gltf import model
from maxsidecar.gltf.export.animation import add_animation
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.morphs import ExportedMorph
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.gltf.export.sampling import MOST_SAMPLES
from maxsidecar.gltf.export.views import Views
from maxsidecar.scene.authoring_chunks import ChunkTree
from maxsidecar.scene.controllers import layouts
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.skin.targets import MorphTarget, MorphTargets, TargetChannel
from tests.support import scenes
from tests.support.gltf_motion import export_of, value_at, worlds
from tests.support.scenes import SceneMaker, f32, key_bytes, u32

SMOOTH, LINEAR, STEP = 0x1680, 0x0480, 0x0900
THIRD = 1 / 3


def bezier(flags: int = SMOOTH, lengths: float = THIRD, **columns: Any) -> dict[str, object]:
    handle = np.full(np.shape(columns["value"]), lengths)
    return {"flags": flags, "in_length": handle, "out_length": handle, **columns}


def prs(
    make: SceneMaker,
    position: int | None = None,
    rotation: int | None = None,
    scale: int | None = None,
    flags: int = 0,
) -> int:
    return make.add(scenes.PRS, [(0x7230, u32(flags))], [position, rotation, scale])


def floats(make: SceneMaker, *rows: dict[str, object]) -> int:
    table = (0x2525, key_bytes(layouts.BEZIER_FLOAT, *rows))
    return make.keyed(scenes.BEZIER_FLOAT, 0x2501, f32(0), table)


def positions(make: SceneMaker, *rows: dict[str, object]) -> int:
    table = (0x2526, key_bytes(layouts.BEZIER_POINT3, *rows))
    return make.keyed(scenes.BEZIER_POSITION, 0x2503, f32(0, 0, 0), table)


def linear_positions(make: SceneMaker, *rows: tuple[int, tuple[float, float, float]]) -> int:
    keys = ({"time": time, "value": value} for time, value in rows)
    table = (0x2513, key_bytes(layouts.LINEAR_POSITION, *keys))
    return make.keyed(scenes.LINEAR_POSITION, 0x2503, f32(0, 0, 0), table)


def exported(make: SceneMaker, options: Options | None = None, scale: float = 1.0) -> Export:
    export = export_of(make.scene(), options, scale)
    add_animation(export)
    return export


def only_channel(export: Export) -> model.Channel:
    (animation,) = export.document.animations
    (channel,) = animation.channels
    return channel


def reasons(export: Export, outcome: Outcome) -> list[str]:
    entries = export.report.entries
    return [e.reason for e in entries if e.kind == "controller" and e.outcome is outcome]


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


def euler(make: SceneMaker, **angles: int) -> int:
    return make.add(
        scenes.EULER_XYZ, [(0x1003, u32(0))], [angles.get(axis) for axis in ("x", "y", "z")]
    )


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


def test_the_range_cuts_keys_and_starts_at_zero() -> None:
    make = SceneMaker()
    keys = linear_positions(make, (-4800, (0, 0, 0)), (0, (4800, 0, 0)), (4800, (4800, 9600, 0)))
    make.node("box", prs(make, keys))
    export = exported(make, Options(range=(-15, 15)))
    channel = only_channel(export)
    assert channel.times.tolist() == [0, 0.5, 1]
    assert channel.values.tolist() == [[2400, 0, 0], [4800, 0, 0], [4800, 0, -4800]]
    extras = export.document.animations[0].extras
    assert (extras["start_tick"], extras["end_tick"]) == (-2400, 2400)
    assert (extras["start_frame"], extras["frame_rate"]) == (-15, 30)


def test_everything_can_be_sampled() -> None:
    make = SceneMaker()
    keys = linear_positions(make, (0, (0, 0, 0)), (1600, (10, 0, 0)))
    make.node("box", prs(make, keys))
    channel = only_channel(exported(make, Options(sample=4, range=(0, 10))))
    # Every fourth frame, and the last one.
    assert np.allclose(channel.times * 30, [0, 4, 8, 10])
    assert np.allclose(channel.values[:, 0], [0, 4, 8, 10])


def test_what_does_not_move_has_no_keys() -> None:
    make = SceneMaker()
    same = linear_positions(make, (0, (1, 2, 3)), (4800, (1, 2, 3)))
    make.node("box", prs(make, same))
    make.node("ball", make.transform(position=(1, 0, 0)))
    assert exported(make).document.animations == []


def test_what_stands_elsewhere_in_the_range_has_a_key() -> None:
    make = SceneMaker()
    keys = linear_positions(make, (0, (0, 0, 0)), (4800, (7, 0, 0)))
    make.node("box", prs(make, keys))
    # The node itself is placed as of tick 0.
    channel = only_channel(exported(make, Options(range=(60, 90))))
    assert channel.values.tolist() == [[7, 0, 0]]


def test_no_animation() -> None:
    make = SceneMaker()
    keys = linear_positions(make, (0, (0, 0, 0)), (4800, (7, 0, 0)))
    make.node("box", prs(make, keys))
    export = exported(make, Options(animation=False))
    assert export.document.animations == []
    assert export.report.entries == []


def scales(make: SceneMaker, *values: tuple[float, float, float], axis: tuple[float, ...]) -> int:
    wide = {"in_length": (-1, -1, -1), "out_length": (-1, -1, -1)}
    rows = [
        {"time": 4800 * n, "flags": LINEAR, "value": value, "axis": axis, **wide}
        for n, value in enumerate(values)
    ]
    table = (0x2528, key_bytes(layouts.BEZIER_SCALE, *rows))
    return make.keyed(scenes.BEZIER_SCALE, 0x2505, f32(1, 1, 1, 0, 0, 0, 1), table)


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


def test_turned_nodes_and_what_hangs_on_them() -> None:
    """A node turned for its camera keeps its place, and its children theirs."""
    make = SceneMaker()
    angle = floats(make, bezier(LINEAR, time=0, value=0.0), bezier(LINEAR, time=4800, value=1.0))
    move = linear_positions(make, (0, (0, 0, 0)), (4800, (1, 2, 3)))
    camera = make.node("camera", prs(make, move, euler(make, x=angle)))
    spin = floats(make, bezier(LINEAR, time=0, value=0.0), bezier(LINEAR, time=4800, value=-1.0))
    shift = linear_positions(make, (0, (5, 0, 1)), (4800, (5, 4, 1)))
    child = make.node("child", prs(make, shift, euler(make, y=spin)), camera)
    plain, turned = export_of(make.scene()), export_of(make.scene())
    Views(turned).holder(camera, "camera")
    assert turned.turned == {camera}
    assert turned.turned_back == {child}
    for export in (plain, turned):
        add_animation(export)
    half = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)
    for time in (0.0, 0.4, 1.0):
        a, b = (worlds(e.document, e.document.animations[0], time) for e in (plain, turned))
        assert np.allclose(a[id(plain.nodes[child])], b[id(turned.nodes[child])], atol=1e-6)
        assert np.allclose(
            a[id(plain.nodes[camera])] @ half, b[id(turned.nodes[camera])], atol=1e-6
        )


def test_what_looks_at_something_is_sampled() -> None:
    make = SceneMaker()
    move = linear_positions(make, (0, (10, 0, 0)), (4800, (0, 10, 0)))
    target = make.node("target", prs(make, move))
    look = make.add(
        scenes.LOOK_AT,
        [(0x7230, u32(0x1C0)), (0x0100, u32(2)), (0x0201, b"\0")],
        [target, None, make.number(0), None],
    )
    camera = make.node("camera", look)
    export = exported(make)
    (animation,) = export.document.animations
    for frame in (0, 15, 30):
        world = worlds(export.document, animation, frame / 30)[id(export.nodes[camera])]
        share = frame / 30
        # -Z of 3ds Max, which is -Y here, looks at the target; (x, y, 0) is (x, 0, -y) here.
        goal = np.array([10 * (1 - share), 0, -10 * share])
        assert np.allclose(-world[:3, 1], goal / np.linalg.norm(goal), atol=1e-6)
    assert any("more than its own keys" in r for r in reasons(export, Outcome.APPROXIMATED))


def test_what_cannot_be_evaluated_keeps_its_rest_pose() -> None:
    make = SceneMaker()
    biped = make.add((0x9154, 0, 0x9008), [(0x0100, u32(0))])
    make.node("Bip01", biped)
    noise = make.add((0x87A6DF27, 0x2B21A10E, 0x900C), [(0x0100, u32(0))])
    move = linear_positions(make, (0, (0, 0, 0)), (4800, (1, 0, 0)))
    make.node("box", prs(make, move, noise))
    export = exported(make)
    channel = only_channel(export)
    assert channel.path == "translation"
    lost = [e for e in export.report.entries if e.outcome is Outcome.LEFT_OUT]
    assert {e.name for e in lost} == {"Bip01", "box"}
    assert all(e.reason and e.class_name for e in lost)


def test_clips_that_the_scene_names() -> None:
    make = SceneMaker()
    lines = [
        "x = Walk;0;2400;5",
        "y = Wave;2400;4800;5",
        "bad = Run;later;0",
        "babylonjs_AnimationList = y;x;bad;none",
    ]
    make.objects[make.root][1].append((0x0120, "\r\n".join(lines).encode("utf-16-le")))
    early = linear_positions(make, (0, (0, 0, 0)), (2400, (1, 0, 0)))
    late = linear_positions(make, (2400, (0, 0, 0)), (4800, (1, 0, 0)))
    make.node("early", prs(make, early))
    make.node("late", prs(make, late))
    export = exported(make)
    names = [animation.name for animation in export.document.animations]
    assert names == ["animation", "Wave", "Walk"]
    assert export.document.animations[0].extras["clips"] == [
        {"name": "Wave", "start": 2400, "end": 4800},
        {"name": "Walk", "start": 0, "end": 2400},
    ]
    # Every clip has keys for all that moves in any, else it would show the rest pose.
    wave = {c.target.name: c for c in export.document.animations[1].channels}
    assert wave["early"].values.tolist() == [[1, 0, 0]]
    assert wave["late"].times.tolist() == [0, 0.5]
    assert wave["late"].values.tolist() == [[0, 0, 0], [1, 0, 0]]


def test_a_range_of_ones_own_has_no_clips() -> None:
    make = SceneMaker()
    text = "x = Walk;0;2400;5\r\nbabylonjs_AnimationList = x"
    make.objects[make.root][1].append((0x0120, text.encode("utf-16-le")))
    make.node("box", prs(make, linear_positions(make, (0, (0, 0, 0)), (2400, (1, 0, 0)))))
    assert len(exported(make, Options(range=(0, 10))).document.animations) == 1


def test_notes_ride_along() -> None:
    make = SceneMaker()
    track: list[ChunkTree] = [(0x0130, u32(1))]
    for tick, text in ((4800, "stop"), (160, "go")):
        track += [
            (0x0100, pack("<i", tick)),
            (0x0110, u32(0)),
            (0x0120, text.encode("utf-16-le")),
        ]
    keys = linear_positions(make, (0, (0, 0, 0)), (4800, (1, 0, 0)))
    index = make.node("box", prs(make, keys), chunks=[(0x2140, track)])
    export = exported(make)
    node = export.id_of(export.scene_nodes[index])
    assert export.document.animations[0].extras["notes"] == [
        {"node": node, "tick": 160, "text": "go"},
        {"node": node, "tick": 4800, "text": "stop"},
    ]


@pytest.mark.parametrize("options", [Options(range=(0, 1e12)), Options(range=(float("nan"), 5))])
def test_no_such_range(options: Options) -> None:
    with pytest.raises(EditError):
        exported(SceneMaker(), options)


@pytest.mark.parametrize("step", [0.0, -1.0, float("inf"), float("nan")])
def test_no_such_step(step: float) -> None:
    with pytest.raises(EditError):
        exported(SceneMaker(), Options(sample=step))


def test_a_range_that_no_memory_holds() -> None:
    make = SceneMaker()
    angle = floats(make, bezier(LINEAR, time=0, value=0.0), bezier(LINEAR, time=480, value=1.0))
    make.node("box", prs(make, None, euler(make, x=angle)))
    export = exported(make, Options(range=(-1e7, 1e7)))
    channel = only_channel(export)
    assert len(channel.times) <= MOST_SAMPLES + 4
    assert any("so long" in reason for reason in reasons(export, Outcome.APPROXIMATED))
    # So far from the start 32 bits tell no frames apart, but times ascend all the same.
    assert np.all(np.diff(channel.times) > 0)


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


def test_keys_that_are_no_numbers() -> None:
    make = SceneMaker()
    keys = linear_positions(make, (0, (0, 0, 0)), (4800, (float("nan"), 0, 0)))
    turn = floats(make, bezier(LINEAR, time=0, value=0.0), bezier(LINEAR, time=480, value=1.0))
    make.node("box", prs(make, keys, euler(make, x=turn)))
    export = exported(make)
    assert only_channel(export).path == "rotation"
    assert any("no numbers" in reason for reason in reasons(export, Outcome.LEFT_OUT))


def test_nothing_turns_by_infinity() -> None:
    make = SceneMaker()
    turn = floats(make, bezier(LINEAR, time=0, value=0.0), bezier(LINEAR, time=480, value=3e38))
    grow = scales(make, (1, 1, 1), (float("inf"), 1, 1), axis=(0, 0, 0.6, 0.8))
    make.node("box", prs(make, None, euler(make, x=turn), grow))
    export = exported(make)
    for animation in export.document.animations:
        assert all(np.isfinite(channel.values).all() for channel in animation.channels)


def test_a_node_whose_parent_is_not_exported() -> None:
    make = SceneMaker()
    move = linear_positions(make, (0, (1, 0, 0)), (4800, (5, 0, 0)))
    parent = make.node("parent", prs(make, move))
    own = linear_positions(make, (0, (0, 0, 2)), (4800, (0, 0, 6)))
    index = make.node("child", prs(make, own), parent)
    export = export_of(make.scene())
    # As if only the child were chosen: it stands in the world.
    child = export.nodes[index]
    export.document.roots = [child]
    child.translation = (1.0, 2.0, 0.0)
    del export.nodes[parent], export.scene_nodes[parent]
    add_animation(export)
    channel = only_channel(export)
    for time in (0.0, 0.5, 1.0):
        assert np.allclose(value_at(channel, time), [1 + 4 * time, 2 + 4 * time, 0], atol=1e-5)


def test_a_target_that_is_the_first_object() -> None:
    """Storage index 0 is an object like any other."""
    make = SceneMaker()
    look = make.add(
        scenes.LOOK_AT,
        [(0x7230, u32(0x1C0)), (0x0100, u32(2)), (0x0201, b"\0")],
        [make.root, linear_positions(make, (0, (10, 0, 0)), (4800, (0, 10, 0))), None, None],
    )
    camera = make.node("camera", look)
    export = exported(make)
    (animation,) = export.document.animations
    world = worlds(export.document, animation, 1.0)[id(export.nodes[camera])]
    # From (0, 10, 0) towards the root at the origin; -Z of 3ds Max is -Y here.
    assert np.allclose(-world[:3, 1], [0, 0, 1], atol=1e-6)
