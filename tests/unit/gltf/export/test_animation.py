"""Animations of an export: which nodes have keys, of which time, and what is told of them."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.errors import EditError
from maxsidecar.gltf.export.animation import add_animation
from maxsidecar.gltf.export.context import Options
from maxsidecar.gltf.export.report import Outcome
from maxsidecar.gltf.export.sampling import MOST_SAMPLES
from maxsidecar.gltf.export.views import Views
from maxsidecar.scene.authoring_chunks import ChunkTree
from tests.support import scenes
from tests.support.gltf_motion import export_of, value_at, worlds
from tests.support.moving import (
    LINEAR,
    bezier,
    euler,
    exported,
    floats,
    linear_positions,
    only_channel,
    prs,
    reasons,
    scales,
)
from tests.support.scenes import SceneMaker, u32


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
