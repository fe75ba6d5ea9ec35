"""Keys of controllers as tracks of the game; expected values by the plug-in's rules."""

from __future__ import annotations

from pathlib import Path
from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.nel.animation.collect import Collector
from maxsidecar.nel.animation.keyframers import boolean_track, keyed_track
from maxsidecar.nel.animation.samples import (
    moves,
    position_track,
    rotation_track,
    sample_times,
    turns_of,
)
from maxsidecar.scene.authoring import SceneBuilder
from maxsidecar.scene.authoring_chunks import NewClass
from maxsidecar.scene.authoring_keys import TransformKeys
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.other import OnOff
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.notes import Note
from tests.support.nel_scenes import GameScene, viewed


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


ON_OFF = NewClass("On/Off", 0x984B8D27, 0x938F3E43, 0x9003)


def test_switches_at_one_time_undo_each_other() -> None:
    builder = SceneBuilder()
    times = [480, 960, 960, 1440]
    keys = [part for t in times for part in ((0x0100, pack("<i", t)), (0x0110, bytes(4)))]
    index = builder.add_object(ON_OFF, [(0x0130, pack("<I", 4)), *keys, (0x0140, pack("<I", 0))])
    controller = MaxFile(builder.to_bytes(), lenient=False).scene[index]
    assert isinstance(controller, OnOff)
    track: Any = boolean_track(controller)
    assert track.keys["time"].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert track.keys["value"].tolist() == [1, 1, 0]
    assert (track.range_begin, track.range_end) == pytest.approx((0.1, 0.3))


def test_which_bones_move() -> None:
    assert moves(Role("com"))
    assert moves(Role("arm", 0, 0))
    assert moves(Role("spine"))
    assert not moves(Role("arm", 0, 1))
    assert not moves(Role("head"))


def test_nothing_is_sampled_without_bipeds() -> None:
    assert len(sample_times([])) == 0


def test_notes_are_a_track_of_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = GameScene()
    node = scene.box_node("Bip01", EXPORT_NOTE_TRACK=1, EXPORT_SSS_TRACK=1)
    found = [Note(4800, 4, "step"), Note(0, 4, "start"), Note(4800, 4, "again")]
    monkeypatch.setattr("maxsidecar.nel.animation.collect.read_notes", lambda _: found)
    with viewed(scene, tmp_path) as view:
        collector = Collector(view)
        collector.add(view.scene.nodes[node], "", scene=False)
    track: Any = collector.tracks["NoteTrack"]
    assert [(key.time, key.value) for key in track.keys] == [(0.0, "start"), (1.0, "step")]
    assert (track.range_begin, track.range_end) == (0.0, 1.0)
    assert "spawn script" in collector.notes[node][0]


def damaged_notes(_: Any) -> list[Note]:
    raise DecodeError("a note has no time")


def test_damaged_notes_leave_the_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = GameScene()
    keys = TransformKeys(position={0: (0, 0, 0), 480: (1, 1, 1)}, curve="linear")
    node = scene.add_node("Bip01", scene.add_dummy(1.0), transform=scene.add_transform(keys=keys))
    scene.flag(node, EXPORT_NOTE_TRACK=1, EXPORT_ANIMATED_MATERIALS=1)
    monkeypatch.setattr("maxsidecar.nel.animation.collect.read_notes", damaged_notes)
    with viewed(scene, tmp_path) as view:
        collector = Collector(view)
        collector.add(view.scene.nodes[node], "", scene=False)
    assert list(collector.tracks) == ["pos"]
    notes, materials = collector.notes[node]
    assert "no time" in notes
    assert "materials" in materials
