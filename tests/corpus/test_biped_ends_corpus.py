"""Ends of limbs that keys store beside the pose: where they agree, and why they do not elsewhere.

Each key of a limb has the place of its wrist or ankle twice: from the shoulder or hip in the axes
of the hips, and in the world.  3ds Max writes both when the key is set, and not again when keys of
other parts change.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from maxsidecar.scene.biped.forward import Frame, bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.posture import Posture
from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role
from maxsidecar.scene.biped.system import Rig
from maxsidecar.scene.biped.tracks import Track
from maxsidecar.scene.biped.turns import QUARTER
from tests.support.biped_clips import (
    CHOP_8,
    DEAD_8,
    IDLE_5,
    WAIT_8,
    WALK_5,
    WALK_7,
    WALK_2008,
    height_of,
    rig_of,
)

Array = npt.NDArray[np.float64]

LIMBS = [("arm", RIGHT), ("arm", LEFT), ("leg", RIGHT), ("leg", LEFT)]
NAMES = ("right", "left")


class Ends(NamedTuple):
    """What is stored with the keys of a limb, and where our bones are, in heights."""

    track: Track
    body: Array
    our_body: Array
    world: Array
    our_world: Array
    #: Shoulder or hip, from the pelvis in the axes of the hips: as the stored ends have it, ours.
    root: Array
    our_root: Array
    height: float

    @property
    def apart(self) -> Array:
        """Return how far the end in the world is from ours, (k,)."""
        return np.asarray(np.abs(self.world - self.our_world).max(axis=1) / self.height)


def pose(rig: Rig, times: Array) -> Posture:
    return posture_at(rig.structure, rig.sets.live, rig.sets.common, rig.tracks, times)


def ends(rig: Rig, part: str, side: int) -> Ends:
    structure, layout = rig.structure, rig.structure.layout
    track = rig.tracks[f"{NAMES[side]} {part}"]
    rows = len(track)
    posture = pose(rig, track.times)
    bones = bones_of(structure, posture)

    def places(frame: Frame) -> Array:
        return np.broadcast_to(frame.place, (rows, 3))

    end = places(bones[Role(part, side, 3 if part == "arm" else structure.leg_links - 1)])
    root = places(bones[Role(part, side, 1 if part == "arm" else 0)])
    hips = np.broadcast_to(posture.turn @ QUARTER, (rows, 3, 3))
    # As stored: the other side is the mirror image, and from release 8 on two axes are reversed.
    signs = np.array([1.0, 1.0, 1.0 if side == RIGHT else -1.0])
    if layout.leg >= 110:
        signs = signs * ([-1, 1, -1] if part == "arm" else [-1, -1, 1])
    at = layout.end_of_world
    world = track.records[:, at : at + 3][:, [0, 2, 1]] * [1.0, -1.0, 1.0]

    def below(points: Array) -> Array:
        out: Array = np.einsum("kij,ki->kj", hips, points)
        return out

    return Ends(
        track,
        body=track.records[:, layout.end_of_body :][:, :3],
        our_body=below(end - root) * signs,
        world=world,
        our_world=end,
        root=below(world - (end - root) - posture.place),
        our_root=below(root - posture.place),
        height=height_of(rig),
    )


@pytest.mark.parametrize("scene", [WALK_5, IDLE_5, WALK_7, CHOP_8, WAIT_8, DEAD_8])
def test_ends_seen_from_the_body(corpus: Path, scene: str) -> None:
    """They agree with the joints of their own key, but for two keys of one arm."""
    rig = rig_of(corpus, scene)
    for part, side in LIMBS:
        found = ends(rig, part, side)
        away = np.abs(found.body - found.our_body).max(axis=1) / found.height
        wrong = np.flatnonzero(away > 2e-7).tolist()
        edited = scene == WALK_7 and (part, side) == ("arm", RIGHT)
        assert wrong == ([3, 5] if edited else []), (part, side)


def test_wrists_before_release_8(corpus: Path) -> None:
    """Keys of the spine are changes to the figure's turns: 25 wrists of two walks agree."""
    agree = 0
    for scene in (WALK_5, WALK_7):
        rig = rig_of(corpus, scene)
        for side in (RIGHT, LEFT):
            found = ends(rig, "arm", side)
            right = found.apart < 2e-7
            # The two keys whose elbow was bent after the ends had been written.
            edited = scene == WALK_7 and side == RIGHT
            assert np.flatnonzero(~right).tolist() == ([3, 5] if edited else [])
            agree += int(right.sum())
    assert agree == 25


def test_wrists_of_a_spine_that_was_keyed_again(corpus: Path) -> None:
    """Of a clip whose spine was edited later both shoulders moved, and are as far apart as ours."""
    rig = rig_of(corpus, IDLE_5)
    right, left = (ends(rig, "arm", side) for side in (RIGHT, LEFT))
    assert right.apart[1] < 2e-7
    for key in (0, -1):
        assert right.apart[key] > 1e-3
        assert left.apart[key] > 1e-3
        stored = np.linalg.norm(right.root[key] - left.root[key])
        ours = np.linalg.norm(right.our_root[key] - left.our_root[key])
        assert abs(stored - ours) < 2e-7 * right.height


@pytest.mark.parametrize("scene", [CHOP_8, WAIT_8, DEAD_8])
def test_ends_of_clips_that_3ds_max_sampled(corpus: Path, scene: str) -> None:
    """Where they disagree, the frames of that moment do not: they are those of earlier poses."""
    rig = rig_of(corpus, scene)
    old = {
        (CHOP_8, "arm", RIGHT): [1, 2],
        (DEAD_8, "arm", LEFT): [1],
        (WAIT_8, "arm", RIGHT): [1, 2],
        (WAIT_8, "arm", LEFT): [1, 2, 3],
        (WAIT_8, "leg", RIGHT): [1],
        (WAIT_8, "leg", LEFT): [1],
    }
    for part, side in LIMBS:
        found = ends(rig, part, side)
        wrong = np.flatnonzero(found.apart > 2e-7).tolist()
        assert wrong == old.get((scene, part, side), []), (part, side)
        if scene == WAIT_8 and part == "leg":
            # The hip is still where the pelvis' first key has it, though it turns at the second.
            assert np.abs(found.root[1] - found.our_root[0]).max() < 2e-7 * found.height
            assert np.abs(found.root[1] - found.our_root[1]).max() > 5e-3 * found.height


def test_ends_of_a_rig_that_was_converted(corpus: Path) -> None:
    """Those of the 2008 walk are of longer arms, and of a pelvis that rolled the other way."""
    rig = rig_of(corpus, WALK_2008)
    for side in (RIGHT, LEFT):
        found = ends(rig, "arm", side)
        ratio = np.linalg.norm(found.body, axis=1) / np.linalg.norm(found.our_body, axis=1)
        longer = ratio > 1.5
        assert ratio[~longer] == pytest.approx(1.0, abs=1e-6)
        # Upper arms and forearms alike, whatever the elbow does.
        assert (np.abs(ratio[longer] - np.median(ratio)) < 1e-6).mean() > 0.7
        assert np.median(ratio) == pytest.approx(1.73663, abs=1e-5)
        assert longer.mean() > 0.9
        leg = ends(rig, "leg", side)
        assert np.abs(leg.body - leg.our_body).max() < 2e-7 * leg.height
        other = np.abs(leg.root - leg.our_root * [-1.0, 1.0, 1.0]).max(axis=1) < 2e-6 * leg.height
        assert (~other).sum() <= 2
        assert np.median(leg.apart) > 1e-3
