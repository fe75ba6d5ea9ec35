"""Editing the poses of figure and keys: which numbers move, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maxsidecar
from maxsidecar.errors import EditError
from maxsidecar.scene.biped.edit_pose import (
    figure_names,
    figure_value,
    key_pose,
    key_pose_names,
    set_figure_value,
    set_key_pose,
)
from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role
from maxsidecar.scene.biped.system import BipedSystem
from maxsidecar.scene.biped.turns import about_z, of_quaternion
from tests.support.biped_edit import changed, keyed, system_of, words
from tests.support.biped_leaves import floats
from tests.support.biped_scene import BipedScene

LIMB = 110
#: Where the hand-built rig (release 8) has its figure pose.
FIGURE = {
    "position": {(0x006C, 4), (0x006C, 5), (0x006C, 6)},
    "rotation": {(0x006C, 8 + n) for n in range(4)},
    "head": {(0x0064, n) for n in range(4)},
    "spine": {(0x0067, 1 + n) for n in range(3)},
    "spine_1": {(0x0067, 4 + n) for n in range(3)},
    "neck": {(0x0065, 1 + n) for n in range(3)},
    # The structure's angles, and the pose that repeats them.
    "right_arm.clavicle": {(0x0010, 6), (0x0010, 7), (0x006A, 9), (0x006A, 10)},
    "left_arm.clavicle": {
        (0x0010, 17 + 19 + 6), (0x0010, 17 + 19 + 7), (0x006A, LIMB + 9), (0x006A, LIMB + 10)
    },
    "right_arm.forearm": {(0x006A, 0)},
    "left_arm.upper_arm": {(0x006A, LIMB + 2 + n) for n in range(4)},
    "right_arm.hand": {(0x006A, 28 + n) for n in range(4)},
    "right_arm.finger_0": {(0x006A, 46 + n) for n in range(4)},
    "left_arm.finger_0_1": {(0x006A, LIMB + 46 + 8)},
    "left_leg.thigh": {(0x0069, LIMB + 2 + n) for n in range(4)},
    "right_leg.calf": {(0x0069, 0)},
    "left_leg.foot": {(0x0069, LIMB + 28 + n) for n in range(4)},
}  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scene = BipedScene()
    scene.rig(keyed())
    out = tmp_path_factory.mktemp("biped") / "rig.max"
    out.write_bytes(scene.to_bytes())
    return out


@pytest.fixture
def system(path: Path) -> BipedSystem:
    found = system_of(maxsidecar.open(path))
    assert not found.rig.problems
    return found


def other(name: str, count: int) -> list[float]:
    """Return numbers that the rig does not have there."""
    if count == 4:
        return [0.1, -0.5, 0.7, 0.5]
    return [13.5, -27.25, 61.125][:count]


@pytest.mark.parametrize("name", FIGURE)
def test_each_part_of_the_figure_is_written_at_its_place(system: BipedSystem, name: str) -> None:
    before = words(system)
    old = figure_value(system, name)
    new = other(name, len(old))
    set_figure_value(system, name, new)
    assert changed(before, words(system)) == FIGURE[name]
    assert figure_value(system, name) == pytest.approx(new, abs=1e-5)
    set_figure_value(system, name, old)
    assert not changed(before, words(system))


def test_every_part_of_the_figure_has_a_name(system: BipedSystem) -> None:
    names = set(figure_names(system))
    assert names >= FIGURE.keys()
    assert len(names) == 6 + 2 * 6 + 2 * 3


def test_angles_of_the_figure_turn_what_is_below(system: BipedSystem) -> None:
    def bones() -> Any:
        rig = system.rig
        return bones_of(rig.structure, figure_posture(rig.structure, rig.sets.live))

    before = bones()
    set_figure_value(system, "right_arm.forearm", [150.0])
    after = bones()
    moved = {
        bone
        for bone, frame in before.items()
        if np.abs(frame.turn - after[bone].turn).max() > 1e-6
        or np.abs(frame.place - after[bone].place).max() > 1e-6
    }
    below = {Role("arm", RIGHT, link) for link in (2, 3)}
    below |= {Role("finger", RIGHT, link) for link in (0, 1)} | {Role("finger nub", RIGHT)}
    assert moved == below
    # It was straight: the forearm is now bent by 30 degrees about its z axis.
    local = before[Role("arm", RIGHT, 2)].turn[0].T @ after[Role("arm", RIGHT, 2)].turn[0]
    assert local == pytest.approx(about_z(np.radians(-30.0)), abs=1e-6)


def test_rotation_and_position_are_those_of_the_world(system: BipedSystem) -> None:
    quaternion = [0.1, -0.5, 0.7, 0.5]
    set_figure_value(system, "rotation", quaternion)
    set_figure_value(system, "position", [1.0, 2.0, 3.0])
    set_key_pose(system, "turn", "rotation", [quaternion] * 3)
    set_key_pose(system, "horizontal", "position", [[4.0, 5.0]] * 3)
    set_key_pose(system, "vertical", "height", [[6.0, 6.0]] * 3)
    rig = system.rig
    figure = bones_of(rig.structure, figure_posture(rig.structure, rig.sets.live))
    expected = of_quaternion(quaternion)
    assert figure[Role("com")].turn[0] == pytest.approx(expected, abs=1e-6)
    assert figure[Role("pelvis")].place[0].tolist() == [1.0, 2.0, 3.0]
    posture = posture_at(
        rig.structure, rig.sets.live, rig.sets.common, rig.tracks, np.array([100.0])
    )
    keys = bones_of(rig.structure, posture)
    assert keys[Role("com")].turn[0] == pytest.approx(expected, abs=1e-6)
    assert keys[Role("com")].place[0] == pytest.approx([4.0, 5.0, 6.0])


KEYS = {
    ("horizontal", "position"): (0x012C, 1, 10, (0, 2)),
    ("turn", "rotation"): (0x012E, 3, 13, (4, 5, 6, 7)),
    ("pelvis", "pelvis"): (0x0132, 3, 7, (0, 1, 2, 3)),
    ("right arm", "clavicle"): (0x0134, 4, 110, (9, 10)),
    ("left arm", "forearm"): (0x0136, 4, 110, (0,)),
    ("right arm", "finger_0_1"): (0x0134, 4, 110, (54,)),
    ("left leg", "foot"): (0x013A, 4, 110, (28, 29, 30, 31)),
    ("spine", "spine_1"): (0x013C, 4, 7, (4, 5, 6)),
    ("head", "neck"): (0x013E, 3, 12, (8, 9, 10)),
}


@pytest.mark.parametrize(("track", "name"), KEYS)
def test_each_part_of_a_key_is_written_at_its_place(
    system: BipedSystem, track: str, name: str
) -> None:
    chunk, head, size, columns = KEYS[track, name]
    before = words(system)
    old = key_pose(system, track, name)
    new = [*old[:1], other(name, len(columns)), *old[2:]]
    set_key_pose(system, track, name, new)
    assert changed(before, words(system)) == {(chunk, head + size + at) for at in columns}
    assert key_pose(system, track, name)[1] == pytest.approx(new[1], abs=1e-5)
    set_key_pose(system, track, name, old)
    assert not changed(before, words(system))


def test_heights_are_written_in_both_banks(system: BipedSystem) -> None:
    before = words(system)
    set_key_pose(system, "vertical", "height", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    bank = 1 + 3 * 13
    assert changed(before, words(system)) == {
        (0x0130, bank * n + 1 + 13 * key + at) for n in (0, 1) for key in range(3) for at in (2, 3)
    }


def test_tracks_and_their_parts(system: BipedSystem) -> None:
    assert key_pose_names(system, "right leg") == ["thigh", "calf", "foot"]
    assert key_pose_names(system, "head") == ["head", "neck"]
    with pytest.raises(KeyError):
        key_pose_names(system, "tail")
    with pytest.raises(KeyError):
        set_figure_value(system, "tail", [0.0, 0.0, 0.0])


def test_what_is_stored_twice_and_differs_is_read_only(tmp_path: Path) -> None:
    half = np.zeros(2 * LIMB, "<f4")
    half[[9, 31, 49, 5]] = 0.25, 1, 1, 1
    half[[LIMB + 31, LIMB + 49, LIMB + 5]] = 1
    records = keyed() | {0x006A: half.tobytes()}
    records[0x0130] = records[0x0130][:-8] + floats(0, 7)
    records[0x0130] = records[0x0130][: 4 * (40 + 1 + 2)] + floats(99) + records[0x0130][4 * 44 :]
    scene = BipedScene()
    scene.rig(records)
    path = tmp_path / "rig.max"
    path.write_bytes(scene.to_bytes())
    system = system_of(maxsidecar.open(path))
    before = words(system)
    with pytest.raises(EditError, match="more than once"):
        set_figure_value(system, "right_arm.clavicle", [1.0, 2.0])
    with pytest.raises(EditError, match="more than once"):
        set_key_pose(system, "vertical", "height", [[1.0, 2.0]] * 3)
    assert not changed(before, words(system))
    set_figure_value(system, "left_arm.clavicle", [1.0, 2.0])


@pytest.mark.parametrize(
    ("name", "numbers", "message"),
    [
        ("head", [0, 0, 0, 0], "no rotation"),
        ("head", [0, 0, 0, 1.002], "out of range|no rotation"),
        ("head", [0, 0, 0.5, 0.5], "no rotation"),
        ("head", [0, 0, 1], "wrong count"),
        ("head", [0, 0, float("nan"), 1], "out of range"),
        ("spine", [0, 0, float("inf")], "out of range"),
        ("spine", [0, 1e6, 0], "out of range"),
        ("spine", [0, "1", 0], "wrong type"),
        ("spine", [0, True, 0], "wrong type"),
        ("spine", "abc", "wrong type"),
        ("spine", 1.0, "wrong type"),
        ("position", [0, 0, 1e30], "out of range"),
        ("position", [0, 0, 10**400], "out of range"),
    ],
)
def test_numbers_that_do_not_fit(
    system: BipedSystem, name: str, numbers: Any, message: str
) -> None:
    before = words(system)
    with pytest.raises(EditError, match=f"^{name}: ({message})"):
        set_figure_value(system, name, numbers)
    assert not changed(before, words(system))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 0, 0, 1]] * 2, "keys keep their number"),
        ([[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 1]], "key 2: "),
        ([[0, 0, 0, 1], [0, 0, 0, 1], 1.0], "key 3: wrong type"),
        ([[0, 0, 0, 1], [0, 0, 1], [0, 0, 0, 1]], "key 2: wrong count"),
    ],
)
def test_rows_that_do_not_fit(system: BipedSystem, rows: Any, message: str) -> None:
    before = words(system)
    with pytest.raises(EditError, match=message):
        set_key_pose(system, "head", "head", rows)
    assert not changed(before, words(system))


def test_what_stays_is_not_looked_at(tmp_path: Path) -> None:
    """Files may hold what nobody would write."""
    scene = BipedScene()
    scene.rig({0x0064: floats(0, 0, 0, 0, 0, 0, 0, 0, 0)} | keyed())
    path = tmp_path / "rig.max"
    path.write_bytes(scene.to_bytes())
    system = system_of(maxsidecar.open(path))
    before = words(system)
    set_figure_value(system, "head", [0.0, 0.0, 0.0, 0.0])
    assert not changed(before, words(system))
    with pytest.raises(EditError, match="no rotation"):
        set_figure_value(system, "head", [0.0, 0.0, 0.0, 0.5])


def rotations() -> st.SearchStrategy[list[float]]:
    numbers = st.lists(st.floats(-1, 1), min_size=4, max_size=4)
    return numbers.filter(lambda q: np.linalg.norm(q) > 0.1).map(
        lambda q: (np.array(q) / np.linalg.norm(q)).tolist()
    )


def values(count: int) -> st.SearchStrategy[list[float]]:
    if count == 4:
        return rotations()
    return st.lists(st.floats(-720, 720, width=32), min_size=count, max_size=count)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_edit_is_read_back_and_undone(path: Path, data: st.DataObject) -> None:
    system = system_of(maxsidecar.open(path))
    before = words(system)
    original = bytes(system.data.data)
    tracks = [None, *system.rig.tracks]
    track = data.draw(st.sampled_from(tracks))
    names = figure_names(system) if track is None else key_pose_names(system, track)
    name = data.draw(st.sampled_from(names))

    def load() -> list[list[float]]:
        return [figure_value(system, name)] if track is None else key_pose(system, track, name)

    def save(rows: Sequence[Sequence[float]]) -> None:
        if track is None:
            set_figure_value(system, name, rows[0])
        else:
            set_key_pose(system, track, name, rows)

    old = load()
    new = [data.draw(values(len(row))) for row in old]
    save(new)
    for found, wanted in zip(load(), new, strict=True):
        assert found == pytest.approx(wanted, rel=2e-7, abs=1e-9)
    touched = changed(before, words(system))
    assert len(touched) <= 2 * sum(len(row) for row in old)
    assert len({chunk for chunk, _ in touched}) <= 2
    save(old)
    assert bytes(system.data.data) == original


def test_the_left_side_is_another(system: BipedSystem) -> None:
    rig = system.rig
    set_figure_value(system, "left_leg.calf", [100.0])
    posture = figure_posture(rig.structure, system.rig.sets.live)
    assert np.degrees(posture.legs[LEFT].hinge[0]) == pytest.approx(100.0)
    assert np.degrees(posture.legs[RIGHT].hinge[0]) == pytest.approx(180.0)
