"""Feet that keys hold in place, in a rig built by hand: what is between two such keys."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.biped.doubts import doubt_of
from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.planted import planted_keys, planted_runs, reach, sole_point
from maxsidecar.scene.biped.posture import figure_posture, foot_quaternion, thigh_quaternion
from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role
from maxsidecar.scene.biped.sets import split_sets
from maxsidecar.scene.biped.structure import read_structure
from maxsidecar.scene.biped.tracks import Track
from maxsidecar.scene.biped.turns import about_x, about_y, about_z
from tests.support.biped_leaves import LAYOUTS, Leaf, live, rig, stretched
from tests.support.biped_standing import FOOT_DOWN, LOWER, SOLE, UPPER, Rigged, standing

Array = npt.NDArray[np.float64]


def test_runs_are_two_keys_or_more() -> None:
    assert planted_runs(np.zeros(4)) == []
    assert planted_runs(np.array([0.0, 1, 0, 1, 0])) == []
    assert planted_runs(np.array([1.0, 1, 0, 0.5, 1, 1])) == [(0, 1), (3, 5)]
    assert planted_runs(np.ones(1)) == []


@pytest.mark.parametrize("leg", LAYOUTS)
@pytest.mark.parametrize("part", [RIGHT, LEFT])
def test_rotations_of_thigh_and_foot_become_what_records_hold(leg: int, part: int) -> None:
    structure, _ = rig(leg)
    turn = about_x(0.3) @ about_y(0.5) @ about_z(-2.0)
    body = about_y(0.7) @ about_x(-0.2)
    sets = split_sets([Leaf(0x0108), *live()])  # type: ignore[list-item]
    posture = figure_posture(read_structure(sets.live, sets.common), sets.live)
    pose = replace(
        posture.legs[part],
        upper=thigh_quaternion(structure, part, body[None], turn[None]),
        extremity=foot_quaternion(body[None], turn[None]),
        digits=[],
    )
    posture = replace(posture, turn=body[None], legs=[pose, pose], arms=[])
    bones = bones_of(replace(structure, arms=()), posture)
    assert bones[Role("leg", part, 0)].turn[0] == pytest.approx(turn)
    assert bones[Role("leg", part, 2)].turn[0] == pytest.approx(turn)


def test_a_planted_foot_stays_while_the_body_goes_down() -> None:
    rigged = standing()
    bones = rigged.bones([0, 40, 80, 160, 280, 320])
    foot = bones[FOOT_DOWN]
    pelvis = bones[Role("pelvis")].place[:, 2]
    assert pelvis[3] == pytest.approx(19.0)
    assert foot.place == pytest.approx(np.broadcast_to(foot.place[0], (6, 3)), abs=1e-6)
    assert foot.turn == pytest.approx(np.broadcast_to(foot.turn[0], (6, 3, 3)), abs=1e-6)
    # The knee by the law of cosines, about the same axis; the other leg goes down with the body.
    thigh, calf = (bones[Role("leg", LEFT, link)] for link in (0, 1))
    bend = np.arccos((8.0**2 - UPPER**2 - LOWER**2) / (2 * UPPER * LOWER))
    cosine = np.einsum("ti,ti->t", thigh.turn[:, :, 0], calf.turn[:, :, 0])
    assert np.arccos(cosine[3]) == pytest.approx(bend, abs=1e-6)
    assert np.linalg.norm(calf.place - thigh.place, axis=1) == pytest.approx(UPPER)
    assert np.linalg.norm(foot.place - calf.place, axis=1) == pytest.approx(LOWER)
    across = np.cross(thigh.turn[3, :, 0], calf.turn[3, :, 0])
    assert across == pytest.approx(-np.sin(bend) * thigh.turn[0, :, 2], abs=1e-6)
    other = bones[Role("leg", RIGHT, 2)].place
    assert other[3, 2] == pytest.approx(other[0, 2] - 1.0)


def test_a_leg_that_is_too_short_is_stretched() -> None:
    bones = standing(dip=1.0).bones([0, 160, 320])
    thigh, calf, foot = (bones[Role("leg", LEFT, link)] for link in range(3))
    assert foot.place[1, 2] == pytest.approx(foot.place[0, 2] + 1.0)
    assert np.linalg.norm(foot.place[1] - thigh.place[1]) == pytest.approx(UPPER + LOWER)
    assert calf.turn[1] == pytest.approx(thigh.turn[1], abs=1e-6)


@pytest.mark.parametrize(
    ("blend", "space", "moved"),
    [((1.0, 0.0), 2, 1.0), ((0.0, 1.0), 2, 1.0), ((1.0, 1.0), 0, 1.0), ((0.5, 0.5), 2, 0.5)],
)
def test_other_keys_leave_the_foot_to_its_joints(
    blend: tuple[float, ...], space: int, moved: float
) -> None:
    """One key that plants, or a space that is not the world, does not; half a blend half."""
    foot = standing(blend=blend, space=space).bones([0, 160, 320])[FOOT_DOWN]
    assert foot.place[1, 2] == pytest.approx(foot.place[0, 2] - moved, abs=1e-6)
    assert foot.place[2] == pytest.approx(foot.place[0])


def test_the_pivot_is_the_one_that_keys_store() -> None:
    """Where they store none that is the same in all, it is under the base of the toes."""
    rigged = standing()
    assert sole_point(rigged.structure, LEFT).tolist() == [*SOLE]
    start = rigged.bones([0])
    turned = about_z(0.5)
    for stored, point in ((None, SOLE), ((2.0, -1.0, 0.5), (2.0, -1.0, 0.5))):
        rigged = standing()
        foot = start[FOOT_DOWN]
        keys = rigged.tracks["left leg"]
        if stored is not None:
            x, y, z = foot.at(np.array(point))[0]
            keys.records[:, 101:104] = x, z, -y
        # At the second key the foot is rolled about the point; the ankle goes where that takes it.
        body = start[Role("com")].turn
        keys.records[1, 28:32] = foot_quaternion(body, foot.turn @ turned)[0]
        away = foot.turn[0] @ (np.array(point) - turned @ np.array(point))
        up = rigged.tracks["vertical"].records
        across = np.array([0.0, away[2]])
        up[:, 2] += np.array([0.0, across[1] / 2, across[1]])
        flat = np.stack([foot.place[0], foot.place[0] + [away[0], away[1], 0.0]])
        com = start[Role("com")].place[0, :2] + (flat - flat[0])[:, :2]
        rigged.tracks["horizontal"] = replace(
            keys,
            records=np.stack([com[:, 0], np.zeros(2), -com[:, 1]], axis=1),
            tcb=np.zeros((2, 3)),
        )
        up[:, 2] -= 0.5  # bent knees, not to be out of reach
        bend = np.arccos((8.5**2 - UPPER**2 - LOWER**2) / (2 * UPPER * LOWER))
        lead = np.arctan2(LOWER * np.sin(bend), UPPER + LOWER * np.cos(bend))
        thigh = start[Role("leg", LEFT, 0)].turn @ about_z(lead)
        keys.records[:, 2:6] = thigh_quaternion(rigged.structure, LEFT, body, thigh)[0]
        keys.records[:, 0] = np.pi - bend
        up[1, 2] -= 0.5
        now = rigged.bones(np.linspace(0, 320, 9))[FOOT_DOWN]
        held = now.at(np.array(point))
        assert now.turn[8] == pytest.approx(foot.turn[0] @ turned, abs=1e-6)
        assert held == pytest.approx(np.broadcast_to(held[0], (9, 3)), abs=1e-5)
        assert np.abs(now.place - now.place[0]).max() > 0.4


def test_a_knee_that_bends_to_both_sides_is_left_to_its_joints() -> None:
    rigged = standing()
    rigged.tracks["left leg"].records[:, 0] = [np.pi - 0.2, np.pi + 0.2]
    foot = rigged.bones([0, 160, 320])[FOOT_DOWN]
    thigh = rigged.bones([0, 160, 320])[Role("leg", LEFT, 0)]
    assert foot.place[1, 2] == pytest.approx(thigh.place[1, 2] - UPPER - LOWER)


def test_a_knee_may_be_full_turns_away() -> None:
    plain, turned = standing(), standing()
    plain.tracks["left leg"].records[:, 0] = np.pi - 0.2
    turned.tracks["left leg"].records[:, 0] = np.pi - 0.2 + 2 * np.pi
    at = [0, 80, 160, 320]
    for link in range(3):
        found, expected = (rigged.bones(at)[Role("leg", LEFT, link)] for rigged in (turned, plain))
        assert found.place == pytest.approx(expected.place, abs=1e-9)
        assert found.turn == pytest.approx(expected.turn, abs=1e-9)


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_a_leg_reaches_whatever_its_axis_says(axis: tuple[float, float, float]) -> None:
    """Also where the axis is along the leg, or none."""
    angle, turn = reach(
        np.zeros((1, 3)), np.array([axis]), np.array([[6.0, 0, 0]]), (UPPER, LOWER), np.ones(1)
    )
    ankle = turn[0] @ ([UPPER, 0, 0] + about_z(angle[0]) @ [LOWER, 0, 0])
    assert ankle == pytest.approx([6, 0, 0])
    assert turn[0] @ turn[0].T == pytest.approx(np.eye(3))


def test_an_ankle_at_the_hip_leaves_the_turn_open() -> None:
    _, turn = reach(
        np.zeros((1, 3)), np.array([[0, 0, 1.0]]), np.zeros((1, 3)), (UPPER, UPPER), np.ones(1)
    )
    assert np.isnan(turn).any()


def test_what_is_told() -> None:
    def told(rigged: Rigged, role: Role) -> str | None:
        return doubt_of(rigged, role)  # type: ignore[arg-type]

    model = "biped: between planted keys a model moves the leg, which no sampled file proves"
    joints = "biped: between planted keys the joints are interpolated, not solved"
    assert told(standing(), FOOT_DOWN) == model
    assert told(standing(), Role("toe nub", LEFT)) == model
    assert told(standing(), Role("leg", RIGHT, 2)) is None
    assert told(standing(space=0), FOOT_DOWN) == joints
    assert told(standing(blend=(1.0, 0.0, 1.0)), FOOT_DOWN) is None
    assert told(standing(blend=(4e-12, 8e-21)), FOOT_DOWN) is None
    four = standing()
    four.structure = replace(four.structure, leg_links=4)
    four.tracks["left leg"] = replace(
        four.tracks["left leg"],
        records=np.insert(four.tracks["left leg"].records, [6, 6], 0.0, axis=1),
        counts=np.insert(four.tracks["left leg"].counts, [6, 6], 0, axis=1),
    )
    assert planted_keys(four.structure, "left leg", four.tracks["left leg"]).tolist() == [1, 1]
    assert told(four, FOOT_DOWN) == joints
    broken = standing()
    broken.problems.append("keys of head: they are damaged")
    assert told(broken, FOOT_DOWN) == "biped: keys of head: they are damaged"
    eased = standing()
    eased.tracks["left leg"].ease.flags.writeable = True
    eased.tracks["left leg"].ease[0] = 10.0
    assert told(eased, FOOT_DOWN) == "biped: keys that ease are followed as if they did not"


def test_fingers_that_move_are_told() -> None:
    structure, _ = rig(110)
    records = np.frombuffer(stretched(110, 28, 46, quaternions=False), "<f4").reshape(2, 110)
    keys = Track(
        np.array([0.0, 320.0]),
        records.astype(np.float64),
        np.zeros((2, 110), np.int32),
        np.zeros((2, 3)),
        np.zeros((2, 2)),
    )
    rigged: Any = SimpleNamespace(structure=structure, tracks={"left arm": keys}, problems=[])
    finger, hand = Role("finger", LEFT, 1), Role("arm", LEFT, 3)
    assert doubt_of(rigged, finger) is None
    keys.records[1, 46:50] *= -1.0  # the same rotation
    keys.records[1, 54] = 2 * np.pi  # the same angle
    assert doubt_of(rigged, finger) is None
    keys.records[1, 54] = 0.5
    text = "biped: how fingers move between their keys is not proved by a file"
    assert doubt_of(rigged, finger) == text
    assert doubt_of(rigged, Role("finger nub", LEFT)) == text
    assert doubt_of(rigged, hand) is None
