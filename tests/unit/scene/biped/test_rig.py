"""Reading a rig from records built by hand, and placing its bones by arithmetic."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError
from maxsidecar.scene.biped.forward import SLIP, bones_of
from maxsidecar.scene.biped.interpolate import Keys
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role, role_of
from maxsidecar.scene.biped.sets import split_sets
from maxsidecar.scene.biped.structure import Structure, read_structure
from maxsidecar.scene.biped.tracks import Track, read_tracks
from tests.support.biped_leaves import Leaf, floats, live, system, times


def read(leaves: list[Leaf]) -> tuple[Structure, Any]:
    sets = split_sets(leaves)  # type: ignore[arg-type]
    return read_structure(sets.live, sets.common), sets


def read_all(leaves: list[Leaf]) -> None:
    structure, sets = read(leaves)
    figure_posture(structure, sets.live)


def test_the_live_set_is_the_first_behind_the_mark() -> None:
    structure, sets = read(system())
    assert structure.head_length == pytest.approx(0.9)
    assert len(sets.clipboard) == 1
    assert len(sets.layers) == 1
    assert set(sets.common) == {0x0100, 0x0108, 0x0104}


def test_without_a_mark_the_last_set_is_live() -> None:
    sets = split_sets(live())  # type: ignore[arg-type]
    assert 0x000B in sets.live
    assert not sets.clipboard


def test_an_object_without_any_set() -> None:
    sets = split_sets([Leaf(0x0100)])  # type: ignore[list-item]
    assert not sets.live
    with pytest.raises(DecodeError, match="size that is not known"):
        read_structure(sets.live, sets.common)


def test_bones_add_up_their_lengths() -> None:
    structure, sets = read(system())
    bones = bones_of(structure, figure_posture(structure, sets.live))
    # Y up in the file: (7, 20, 5) is (7, -5, 20).
    pelvis = bones[Role("pelvis")]
    assert pelvis.place[0].tolist() == [7.0, -5.0, 20.0]

    def apart(a: Role, b: Role) -> float:
        return float(np.linalg.norm(bones[a].place[0] - bones[b].place[0]))

    assert apart(Role("arm", LEFT, 1), Role("arm", LEFT, 2)) == pytest.approx(3.0)
    assert apart(Role("arm", RIGHT, 2), Role("arm", RIGHT, 3)) == pytest.approx(2.0)
    assert apart(Role("finger", LEFT, 0, 0), Role("finger", LEFT, 1, 0)) == pytest.approx(0.4)
    assert apart(Role("finger", LEFT, 1, 0), Role("finger nub", LEFT)) == pytest.approx(0.2)
    assert apart(Role("leg", LEFT, 0), Role("leg", RIGHT, 0)) == pytest.approx(1.5)
    assert apart(Role("leg", RIGHT, 0), Role("leg", RIGHT, 2)) == pytest.approx(9.0)
    assert apart(Role("head"), Role("head nub")) == pytest.approx(0.9)
    # A link slips about its end, so its beginning is that far off.
    assert apart(Role("spine"), Role("pelvis")) == pytest.approx(2 * np.sin(SLIP / 2), rel=1e-6)
    for bone, frame in bones.items():
        mirrored = bone in (Role("finger nub", RIGHT), Role("toe nub", LEFT))
        assert np.linalg.det(frame.turn[0]) == pytest.approx(-1.0 if mirrored else 1.0), bone


def test_roles_follow_the_release() -> None:
    structure, _ = read(system())
    assert role_of(structure, 2, 1) == Role("finger", LEFT, 1, 0)
    assert role_of(structure, 2, 2) is None
    assert role_of(structure, 5, 2) == Role("leg", RIGHT, 2)
    assert role_of(structure, 27, 0) == Role("head nub")
    assert role_of(structure, 19, 0) == Role("prop", digit=0)
    assert role_of(structure, 15, 0) == Role("footsteps")
    assert role_of(structure, 21, 0) is None


@pytest.mark.parametrize(
    ("chunk_id", "data"),
    [
        (0x0010, floats(*[0.0] * 16) + pack("<i", -1)),
        (0x0010, floats(*[0.0] * 16) + pack("<i", 1 << 30)),
        (0x000F, floats(*[0.0] * 10) + pack("<2i", 1, 50)),
        (0x006C, b""),
    ],
)
def test_records_that_do_not_fit_are_told(chunk_id: int, data: bytes) -> None:
    leaves = [Leaf(x.id, data) if x.id == chunk_id else x for x in system()]
    with pytest.raises(DecodeError):
        read_all(leaves)


def test_the_layout_of_1997_is_told() -> None:
    leaves = [Leaf(x.id, b"\0" * 4 * 138) if x.id in (0x0069, 0x006A) else x for x in system()]
    with pytest.raises(DecodeError, match="1997"):
        read(leaves)


def test_tracks() -> None:
    structure, sets = read(system())
    keys = pack("<4i", 2, 0, 0, 0) + (pack("<i", 6) + floats(*range(6))) * 2
    records = {**sets.live, 0x013C: Leaf(0x013C, keys), 0x013D: Leaf(0x013D, times(0, 320))}
    tracks, problems = read_tracks(structure, records)
    assert not problems
    assert tracks["spine"].times.tolist() == [0.0, 320.0]
    assert tracks["spine"].counts[:, 0].tolist() == [6, 6]
    assert tracks["spine"].tcb.tolist() == [[0.0, 0.0, 0.0]] * 2
    records[0x013D] = Leaf(0x013D, times(320, 0))
    tracks, problems = read_tracks(structure, records)
    assert not tracks
    assert problems == ["keys of spine: the times of the keys do not ascend"]


def track(ticks: list[float]) -> Track:
    count = len(ticks)
    return Track(
        np.array(ticks),
        np.zeros((count, 1)),
        np.zeros((count, 1), np.int32),
        np.zeros((count, 3)),
        np.zeros((count, 2)),
    )


def test_keys_are_met_and_lines_stay_lines() -> None:
    ticks = [0.0, 100.0, 400.0]
    values = np.array([[0.0], [1.0], [4.0]])
    at = np.array([-10.0, 0.0, 50.0, 100.0, 250.0, 400.0, 900.0])
    found = Keys(track(ticks), at).numbers(values)[:, 0]
    assert found == pytest.approx([0.0, 0.0, 0.5, 1.0, 2.5, 4.0, 4.0])


def test_rotations_about_one_axis_are_numbers() -> None:
    ticks = [0.0, 100.0, 200.0]
    angles = np.array([0.0, 0.4, 0.8])
    quaternions = np.stack([np.sin(angles / 2), 0 * angles, 0 * angles, np.cos(angles / 2)], axis=1)
    keys = Keys(track(ticks), np.array([100.0, 150.0]))
    # Even steps: in the middle the squad is where the arc is, but for its still ends.
    found = 2 * np.arctan2(keys.rotations(quaternions)[:, 0], keys.rotations(quaternions)[:, 3])
    assert found[0] == pytest.approx(0.4)
    assert 0.55 < found[1] < 0.65
    eased = keys.eased(quaternions)
    assert 2 * np.arctan2(eased[1, 0], eased[1, 3]) == pytest.approx(0.6)


def test_angles_take_the_short_way() -> None:
    keys = Keys(track([0.0, 100.0]), np.array([50.0]))
    assert keys.angles(np.array([0.1, 2 * np.pi - 0.1]))[0] == pytest.approx(0.0, abs=1e-12)


def prop(place_space: int, turn_space: int) -> bytes:
    half = float(np.sqrt(0.5))
    turns = [0.0, 0, 0, 1] * 3 + [0.0, 0, -half, half]
    places = [1.0, 2, 3, 1] * 2 + [0.0, 0, 0.5, 1] + [0.25, 0, 0, 1]
    return pack("<2i", place_space, turn_space) + floats(*turns, *places, *[0.0] * 12)


def test_props_are_in_the_space_that_they_name() -> None:
    for place_space, holder in ((0, None), (1, Role("com")), (2, Role("arm", RIGHT, 3))):
        leaves = [*system()]
        leaves.insert(-5, Leaf(0x006F, prop(place_space, 3)))
        structure, sets = read(leaves)
        bones = bones_of(structure, figure_posture(structure, sets.live))
        found = bones[Role("prop", digit=0)]
        expected = np.array([0.0, 0, 0.5] if place_space == 2 else [1.0, 2, 3])
        if holder is not None:
            expected = bones[holder].at(expected)[0]
        assert found.place[0] == pytest.approx(expected)
        # Turned by a quarter about z, counter-clockwise, below the left hand.
        hand = bones[Role("arm", LEFT, 3)].turn[0]
        assert hand.T @ found.turn[0] == pytest.approx(
            np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-6
        )


def test_of_keys_at_one_time_the_last_counts() -> None:
    at = np.array([-1.0, 0.0, 50.0, 100.0, 101.0])
    values = np.array([[1.0], [2.0], [3.0], [4.0]])
    found = Keys(track([0.0, 0.0, 100.0, 100.0]), at).numbers(values)[:, 0]
    assert found[[0, 1, 3, 4]] == pytest.approx([1.0, 2.0, 4.0, 4.0])
