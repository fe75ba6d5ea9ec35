"""Which nodes have which tracks, under which names; by the plug-in's rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.nel.animation.collect import Collector
from maxsidecar.nel.animation.keyframers import keyed_track
from maxsidecar.nel.export.animations import animation_of
from maxsidecar.nel.export.registry import Job
from maxsidecar.scene.authoring_chunks import NewClass
from maxsidecar.scene.authoring_keys import TransformKeys
from maxsidecar.scene.controllers import layouts
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.notes import Note
from tests.support.biped_layouts import RELEASES
from tests.support.biped_rigs import random_rig
from tests.support.biped_scene import HEAD, PELVIS, BipedScene, head_keys
from tests.support.nel_animated import BEZIER_POSITION, AnimatedScene
from tests.support.nel_scenes import GameScene, viewed

MOVES = TransformKeys(position={0: (0, 0, 0), 480: (1, 1, 1)}, curve="linear")
ALL = TransformKeys(
    position={0: (0, 0, 0), 480: (1, 1, 1)},
    rotation={0: (0, 0, 0, 1), 480: (0, 0, 1, 0)},
    scale={0: (1, 1, 1), 480: (2, 2, 2)},
    curve="linear",
)


def moving(
    scene: GameScene,
    name: str,
    parent: int | None = None,
    keys: TransformKeys = MOVES,
    **flags: Any,
) -> int:
    place = scene.add_transform(keys=keys)
    node = scene.add_node(name, scene.add_dummy(1.0), parent=parent, transform=place)
    return scene.flag(node, **flags)


def collected(scene: GameScene, folder: Path, *nodes: int, prefix: str = "") -> Collector:
    with viewed(scene, folder) as view:
        collector = Collector(view, frozenset(nodes))
        for node in nodes:
            collector.add(view.scene.nodes[node], prefix)
    return collector


def test_names_are_flat(tmp_path: Path) -> None:
    """All below a node have their own name behind the prefix, however deep they are."""
    scene = GameScene()
    root = moving(scene, "root", keys=ALL)
    arm = moving(scene, "arm", root, ALL)
    moving(scene, "hand", arm)
    moving(scene, "leg", root)
    found = collected(scene, tmp_path, root, prefix="man.")
    assert list(found.tracks) == [
        "man.scale", "man.rotquat", "man.pos",
        "man.arm.scale", "man.arm.rotquat", "man.arm.pos",
        "man.hand.pos", "man.leg.pos",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "scene_names", "name"),
    [
        ({}, False, "pos"),
        ({"ANIM_PREFIXE_NAME": 1}, False, "door.pos"),
        ({"ANIM_PREFIXE_NAME": 1, "INSTANCE_NAME": "gate"}, False, "gate.pos"),
        ({"INSTANCE_NAME": "gate"}, False, "pos"),
        ({}, True, "door.pos"),
        ({"INSTANCE_NAME": "gate"}, True, "gate.pos"),
    ],
)
def test_prefixes(flags: dict[str, Any], scene_names: bool, name: str, tmp_path: Path) -> None:
    scene = GameScene()
    node = moving(scene, "door", **flags)
    with viewed(scene, tmp_path) as view:
        made = animation_of(Job(view, "a"), [view.scene.nodes[node]], scene=scene_names)
    assert list(made.animation.id_by_name) == [name]


def test_the_first_track_of_a_name_stays(tmp_path: Path) -> None:
    scene = GameScene()
    one = moving(scene, "one")
    two = moving(scene, "two")
    found = collected(scene, tmp_path, one, two)
    assert list(found.tracks) == ["pos"]
    assert found.notes == {two: ["pos is left out: another node has a track of this name"]}


FREE_CAMERA = NewClass("Camera", 0x1001, 0, 0x20)
LOOK_AT = NewClass("Look At", 0x2006, 0, 0x9008)
TARGET = NewClass("Target", 0x1020, 0, 0x10)


def test_cameras_have_a_roll_and_a_target(tmp_path: Path) -> None:
    scene = AnimatedScene()
    root = moving(scene, "root")
    target = scene.add_node(
        "aim", scene.add_object(TARGET), transform=scene.add_transform(keys=MOVES)
    )
    keys = {"time": 0, "value": (1.0, 2.0, 3.0)}, {"time": 480, "value": (1.0, 2.0, 4.0)}
    place = scene.controller(BEZIER_POSITION, layouts.BEZIER_POINT3, *keys)
    roll = scene.number(t0=0.0, t480=0.5)
    look = scene.add_object(LOOK_AT, (), {0: target, 1: place, 2: roll})
    eye = scene.add_node("eye", scene.add_object(FREE_CAMERA), parent=root, transform=look)
    found = collected(scene, tmp_path, root)
    assert list(found.tracks) == ["pos", "eye.pos", "eye.roll", "eye.target"]
    roll_track: Any = found.tracks["eye.roll"]
    assert roll_track.keys["value"].tolist() == [0.0, 0.5]
    target_track: Any = found.tracks["eye.target"]
    assert target_track.keys["value"].tolist() == [[0, 0, 0], [1, 1, 1]]
    assert eye not in found.notes


def test_other_nodes_that_look_at_something_have_no_roll(tmp_path: Path) -> None:
    scene = AnimatedScene()
    target = scene.add_node("aim", scene.add_object(TARGET), transform=scene.add_transform())
    look = scene.add_object(LOOK_AT, (), {0: target, 2: scene.number(t0=0.0, t480=0.5)})
    node = scene.add_node("spot", scene.add_dummy(1.0), transform=look)
    assert collected(scene, tmp_path, node).tracks == {}


def test_notes_are_a_track_without_prefix(tmp_path: Path) -> None:
    scene = AnimatedScene()
    root = moving(scene, "root", EXPORT_NOTE_TRACK=1)
    scene.annotate(root, {0: "start", 4800: "step"})
    arm = moving(scene, "arm", root, EXPORT_NOTE_TRACK=1)
    scene.annotate(arm, {0: "lost"})
    found = collected(scene, tmp_path, root, prefix="man.")
    # It comes behind all that moves.
    assert list(found.tracks) == ["man.pos", "man.arm.pos", "NoteTrack"]
    track: Any = found.tracks["NoteTrack"]
    assert type(track).__name__ == "CTrackKeyFramerConstString"
    assert [(key.time, key.value) for key in track.keys] == [(0.0, "start"), (1.0, "step")]
    assert (track.range_lock, track.range_begin, track.range_end) == (False, 0.0, 1.0)
    assert list(found.notes) == [arm]
    assert "NoteTrack left out" in found.notes[arm][0]


def test_notes_of_one_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = GameScene()
    node = scene.box_node("Bip01", EXPORT_NOTE_TRACK=1)
    notes = [Note(4800, 4, "step"), Note(4800, 4, "again")]
    monkeypatch.setattr("maxsidecar.nel.animation.collect.read_notes", lambda _: notes)
    track: Any = collected(scene, tmp_path, node).tracks["NoteTrack"]
    assert [(key.time, key.value) for key in track.keys] == [(1.0, "step")]


def test_flags_without_notes_are_told(tmp_path: Path) -> None:
    scene = GameScene()
    node = scene.box_node("box", EXPORT_NOTE_TRACK=1, EXPORT_SSS_TRACK=1)
    found = collected(scene, tmp_path, node)
    assert found.tracks == {}
    assert [note.split()[0] for note in found.notes[node]] == [
        "EXPORT_NOTE_TRACK", "EXPORT_SSS_TRACK",
    ]  # fmt: skip


def damaged_notes(_: Any) -> list[Note]:
    raise DecodeError("a note has no time")


def test_damaged_notes_leave_the_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = GameScene()
    node = moving(scene, "Bip01", EXPORT_NOTE_TRACK=1)
    monkeypatch.setattr("maxsidecar.nel.animation.collect.read_notes", damaged_notes)
    found = collected(scene, tmp_path, node)
    assert list(found.tracks) == ["pos"]
    assert "no time" in found.notes[node][0]


def test_spawn_scripts_of_all_nodes_are_one_track(tmp_path: Path) -> None:
    scene = AnimatedScene()
    root = moving(scene, "root")
    for name, text in (("left", "lspawn Pick\nbad line"), ("right", "wspawn dust.ps")):
        node = moving(scene, name, root, EXPORT_SSS_TRACK=1)
        scene.annotate(node, {480: text})
    silent = moving(scene, "silent", root, EXPORT_SSS_TRACK=0)
    scene.annotate(silent, {480: "lspawn never"})
    with viewed(scene, tmp_path) as view:
        nodes = view.scene.nodes
        made = animation_of(Job(view, "a"), [nodes[root]], scene=True)
        assert made.reasons(nodes[root]) == ["left: spawn script: 'bad line' is no command"]
    animation = made.animation
    track: Any = animation.tracks[animation.id_by_name["root.spawn_script"]]
    assert [key.time for key in track.keys] == pytest.approx([0.0, 0.1])
    assert [key.value for key in track.keys] == ["", "objw 1 dust.ps\nobjl 0 pick.shape left\n"]
    # It comes behind everything else of the node.
    assert animation.id_by_name["root.spawn_script"] == len(animation.tracks) - 1
    assert animation.sss_shapes == ["dust.ps", "pick.shape"]
    assert animation.version == 2


def test_spawn_scripts_of_several_chosen_nodes(tmp_path: Path) -> None:
    """Without prefix they have one name; what all of them may make appear is listed."""
    scene = AnimatedScene()
    nodes = []
    for name, shape in (("one", "b"), ("two", "a")):
        node = scene.box_node(name, EXPORT_SSS_TRACK=1)
        nodes.append(scene.annotate(node, {0: f"lspawn {shape}\nlspawn c"}))
    found = collected(scene, tmp_path, *nodes)
    assert list(found.tracks) == ["spawn_script"]
    assert found.shapes == ["b.shape", "c.shape", "a.shape"]
    assert "another node has a track" in found.notes[nodes[1]][0]


def test_bipeds_that_hang_on_something_have_their_name(tmp_path: Path) -> None:
    scene = BipedScene()
    stick = scene.box_node("stick")
    body = scene.rig(head_keys(0, 320), parent=stick)
    names = list(collected(scene, tmp_path, body).tracks)
    assert names[:3] == ["Bip01.rotquat", "Bip01.pos", "Bip01 Pelvis.rotquat"]
    # Below a node that is chosen it is sampled as well.
    assert list(collected(scene, tmp_path, stick).tracks) == names


def test_bipeds_at_the_top_have_not(tmp_path: Path) -> None:
    scene = BipedScene()
    body = scene.rig(head_keys(0, 320))
    sword = moving(scene, "sword", scene_node(scene, "Bip01 R Finger01"))
    found = collected(scene, tmp_path, body)
    assert list(found.tracks) == [
        "rotquat", "pos", "Bip01 Pelvis.rotquat", "Bip01 Spine.rotquat", "Bip01 Spine.pos",
        "Bip01 Head.rotquat", "Bip01 R Finger01.rotquat", "Bip01 R Finger0Nub.rotquat",
        "sword.pos",
    ]  # fmt: skip
    assert sword not in found.notes


def scene_node(scene: BipedScene, name: str) -> int:
    """Return the storage index of a node of a scene that is not written yet."""
    return MaxFile(scene.to_bytes()).nodes.find(name)[0].index


def test_bones_are_sampled_below_their_centre_of_mass_only(tmp_path: Path) -> None:
    scene = BipedScene()
    system = scene.add_system(head_keys(0, 320))
    body = scene.body("Bip01", system)
    between = scene.box_node("between", parent=body)
    lost = scene.bone("Bip01 Head", system, HEAD, parent=between)
    alone = scene.bone("Bip01 Pelvis", system, PELVIS)
    found = collected(scene, tmp_path, body, alone)
    assert list(found.tracks) == ["rotquat", "pos"]
    for node in (lost, alone):
        assert found.notes[node] == ["bones of bipeds have tracks below their centre of mass only"]


def test_bones_that_are_chosen_beside_their_biped(tmp_path: Path) -> None:
    """They have their tracks already, and nothing else."""
    scene = BipedScene()
    body = scene.rig(head_keys(0, 320))
    alone = collected(scene, tmp_path, body)
    head = scene_node(scene, "Bip01 Head")
    both = collected(scene, tmp_path, body, head)
    assert list(both.tracks) == list(alone.tracks)
    assert both.notes == alone.notes


def test_what_hangs_on_several_chosen_nodes_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = GameScene()
    nodes: list[int] = []
    for number in range(6):
        nodes.append(moving(scene, f"n{number}", nodes[-1] if nodes else None))
    made: list[str] = []

    def counted(controller: Any, kind: str, level: Any) -> Any:
        if kind == "position":
            made.append(kind)
        return keyed_track(controller, kind, level)

    monkeypatch.setattr("maxsidecar.nel.animation.collect.keyed_track", counted)
    found = collected(scene, tmp_path, *nodes)
    names = [f"n{number}.pos" for number in range(1, 6)]
    assert list(found.tracks) == ["pos", *names]
    # Each below the first node once, and each by itself, where it has no name.
    assert len(made) == 6 + 5
    bare = ["pos is left out: another node has a track of this name"]
    assert [found.notes.get(node, []) for node in nodes] == [[], *[bare] * 5]


def test_ranges_of_bipeds(tmp_path: Path) -> None:
    """All bones have the span of all keys, from the first up to the last whole step."""
    scene = BipedScene()
    body = scene.rig(head_keys(-160, 330))
    found = collected(scene, tmp_path, body)
    for track in found.tracks.values():
        times = track.keys["time"].tolist()  # type: ignore[attr-defined]
        assert times == pytest.approx([-1 / 30, 0.0, 1 / 30, 2 / 30])
        assert (track.range_lock, track.range_begin, track.range_end) == (  # type: ignore[attr-defined]
            False, times[0], times[-1],
        )  # fmt: skip


def test_bipeds_of_scenes_with_25_frames_per_second(tmp_path: Path) -> None:
    """30 times the 192 ticks of a frame over 25, rounded down: 230 ticks, which is no frame."""
    scene = BipedScene()
    body = scene.rig(head_keys(0, 700))
    with viewed(scene, tmp_path) as view:
        config: Any = view.file.config
        config.time.frame_rate = 25
        collector = Collector(view)
        collector.add(view.scene.nodes[body], "")
    track: Any = collector.tracks["rotquat"]
    assert (track.keys["time"] * 4800).tolist() == pytest.approx([0, 230, 460, 690])


def test_bipeds_whose_keys_end_before_time_0_go_on_to_it(tmp_path: Path) -> None:
    scene = BipedScene()
    track: Any = collected(scene, tmp_path, scene.rig(head_keys(-480, -320))).tracks["rotquat"]
    assert track.keys["time"].tolist() == pytest.approx([-0.1, -2 / 30, -1 / 30, 0.0])


def test_which_keys_of_bipeds_count(tmp_path: Path) -> None:
    """Those of the second ponytail do, those of the centre of mass do not."""
    rig = random_rig(7)
    body = ("horizontal", "turn", "vertical")
    for name, keys in rig.tracks.items():
        far = {"pony2": 9600.0, **dict.fromkeys(body, 19200.0)}.get(name, 4800.0)
        near = {"pony2": 800.0, **dict.fromkeys(body, 0.0)}.get(name, 1600.0)
        keys.ticks[:] = np.linspace(near, far, len(keys.ticks))
    scene = BipedScene()
    nodes = scene.laid_out(RELEASES["2012"], rig)
    found = collected(scene, tmp_path, nodes["com"])
    track: Any = found.tracks["rotquat"]
    times = track.keys["time"] * 30
    assert times.tolist() == pytest.approx(np.arange(5.0, 61.0).tolist())
    assert {len(track.keys) for track in found.tracks.values()} == {56}  # type: ignore[attr-defined]


def test_keys_of_bones_that_are_not_there_do_not_count(tmp_path: Path) -> None:
    scene = BipedScene()
    system = scene.add_system(head_keys(0, 320))
    body = scene.body("Bip01", system)
    scene.bone("Bip01 Pelvis", system, PELVIS, parent=body)
    assert collected(scene, tmp_path, body).tracks == {}
