"""Keys of limbs that inverse kinematics held in place, in real scenes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.biped.forward import Frame, bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.planted import planted_keys, planted_runs, sole_point
from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role
from maxsidecar.scene.biped.system import Rig
from maxsidecar.scene.biped.tracks import Track
from tests.support.biped_clips import IDLE_5, WALK_5, WALK_7, height_of, rig_of

Array = npt.NDArray[np.float64]

NAMES = ("right leg", "left leg")
RELEASE_5 = "Dx3D-Study/Media__*_Russian blue.max"
RELEASE_7 = "KGCA/data__AniMotion__WomanWalk.max"
RELEASE_8 = "Dx3D-Study/*ani_*.max"
#: Which keys of a leg are planted, found by reading the records one by one.
PLANTED = {
    "data__AniMotion__WomanWalk.max": {"right leg": [1, 2, 3], "left leg": [5, 6, 7]},
    "Media__Walk_Russian blue.max": {"right leg": [*range(7)], "left leg": [*range(7)]},
    "Media__Idle_Russian blue.max": {"right leg": [*range(3)], "left leg": [*range(3)]},
}


def test_blend_is_where_the_layout_says(corpus: Path) -> None:
    """The flag in front of the blend says the same: 2 where it is 1, and 0 where it is 0."""
    for pattern in (RELEASE_5, RELEASE_7, RELEASE_8):
        for path in sorted((corpus / "max").glob(pattern)):
            rig = rig_of(corpus, str(path.relative_to(corpus / "max")))
            layout = rig.structure.layout
            assert layout.blend == (9 if layout.leg == 104 else 12)
            for name in ("right leg", "left leg", "right arm", "left arm"):
                track = rig.tracks[name]
                blend = track.records[:, layout.blend]
                expected = PLANTED.get(path.name, {}).get(name, [])
                assert (blend == 1.0).nonzero()[0].tolist() == expected, (path, name)
                # What is left of 0 is no blend.
                assert blend[blend != 1.0].max(initial=0.0) < 1e-11
                flags = track.counts[:, layout.blend - 1]
                assert flags.tolist() == [2 if value == 1.0 else 0 for value in blend]


def leg(rig: Rig, side: int, times: Array, *, solved: bool = True) -> list[Frame]:
    """Return thigh, calf and foot at some times, or as their joints alone have them."""
    tracks = dict(rig.tracks)
    if not solved:
        layout = rig.structure.layout
        for name in NAMES:
            records = tracks[name].records.copy()
            records[:, layout.blend] = 0.0
            tracks[name] = replace(tracks[name], records=records)
    posture = posture_at(rig.structure, rig.sets.live, rig.sets.common, tracks, times)
    bones = bones_of(rig.structure, posture)
    out = []
    for link in range(3):
        frame = bones[Role("leg", side, link)]
        turn = np.broadcast_to(frame.turn, (len(times), 3, 3))
        out.append(Frame(turn, np.broadcast_to(frame.place, (len(times), 3))))
    return out


def without(track: Track, key: int) -> Track:
    """Return a track that lacks one of its keys."""
    return track.part(np.arange(len(track)) != key)


@pytest.mark.parametrize("scene", [WALK_5, IDLE_5, WALK_7])
@pytest.mark.parametrize("side", [RIGHT, LEFT])
def test_planted_keys_store_the_point_under_the_base_of_the_toes(
    corpus: Path, scene: str, side: int
) -> None:
    rig = rig_of(corpus, scene)
    track = rig.tracks[NAMES[side]]
    held = planted_keys(rig.structure, NAMES[side], track) > 0.0
    foot = leg(rig, side, track.times)[2].at(sole_point(rig.structure, side))
    stored = track.records[:, 95:98][:, [0, 2, 1]] * [1.0, -1.0, 1.0]
    assert held.sum() >= 3
    assert np.abs(foot - stored)[held].max() < 2e-7 * height_of(rig)


@pytest.mark.parametrize("scene", [WALK_5, IDLE_5, WALK_7])
@pytest.mark.parametrize("side", [RIGHT, LEFT])
def test_legs_are_where_their_keys_have_them(corpus: Path, scene: str, side: int) -> None:
    """Also closely before and behind: nothing jumps where a run of planted keys begins or ends."""
    rig = rig_of(corpus, scene)
    keys = rig.tracks[NAMES[side]].times
    near = np.concatenate([keys, keys - 1e-3, keys + 1e-3])
    for frame, joints in zip(leg(rig, side, near), leg(rig, side, near, solved=False), strict=True):
        assert np.abs(frame.place - joints.place).max() < 1e-6 * height_of(rig)
        assert np.abs(frame.turn - joints.turn).max() < 1e-5
        at_keys = slice(0, len(keys))
        assert np.abs(frame.place - joints.place)[at_keys].max() < 1e-8 * height_of(rig)


@pytest.mark.parametrize("side", [RIGHT, LEFT])
def test_feet_that_stand_do_not_slide(corpus: Path, side: int) -> None:
    """Every pivot of an idle clip is one place, and the foot turns nowhere; its joints slide."""
    rig = rig_of(corpus, IDLE_5)
    times = np.linspace(0.0, 8000.0, 51)
    point, height = sole_point(rig.structure, side), height_of(rig)
    foot, joints = leg(rig, side, times)[2], leg(rig, side, times, solved=False)[2]
    held = foot.at(point)
    assert np.ptp(held, axis=0).max() < 2e-7 * height
    assert np.abs(foot.turn - foot.turn[0]).max() < 1e-6
    assert np.ptp(joints.at(point), axis=0).max() > 0.01 * height


@pytest.mark.parametrize("side", [RIGHT, LEFT])
def test_a_key_that_is_left_out_of_a_stand_is_found_again(corpus: Path, side: int) -> None:
    """The whole leg, knee included, is where the key has it, though the body moves."""
    rig = rig_of(corpus, IDLE_5)
    name, height = NAMES[side], height_of(rig)
    track = rig.tracks[name]
    at = track.times[1:2]
    expected = leg(rig, side, at)
    less = replace(rig, tracks={**rig.tracks, name: without(track, 1)})
    joints = leg(less, side, at, solved=False)
    found = leg(less, side, at)
    assert np.abs(found[2].place - expected[2].place).max() < 2e-7 * height
    assert np.abs(found[1].place - expected[1].place).max() < 1e-4 * height
    assert np.abs(joints[2].place - expected[2].place).max() > 1e-2 * height
    assert np.abs(joints[1].place - expected[1].place).max() > 5e-3 * height


@pytest.mark.parametrize("side", [RIGHT, LEFT])
def test_a_key_that_is_left_out_of_a_slide_is_found_again(corpus: Path, side: int) -> None:
    """On a treadmill feet slide from key to key at one speed; their joints sink into the ground."""
    rig = rig_of(corpus, WALK_7)
    name, height = NAMES[side], height_of(rig)
    track, point = rig.tracks[name], sole_point(rig.structure, side)
    ((first, last),) = planted_runs(planted_keys(rig.structure, name, track))
    assert last - first == 2
    at = track.times[first + 1 : first + 2]
    expected = leg(rig, side, at)[2].at(point)
    less = replace(rig, tracks={**rig.tracks, name: without(track, first + 1)})
    # A left key beside the line is 0.006 of the height away from it.
    near = 2e-5 if side == RIGHT else 7e-3
    assert np.abs(leg(less, side, at)[2].at(point) - expected).max() < near * height
    assert np.abs(leg(less, side, at, solved=False)[2].at(point) - expected).max() > 0.05 * height
    times = np.linspace(track.times[first], track.times[last], 51)
    assert leg(rig, side, times)[2].at(point)[:, 2].min() > -4e-4 * height
    assert leg(rig, side, times, solved=False)[2].at(point)[:, 2].min() < -8e-3 * height
