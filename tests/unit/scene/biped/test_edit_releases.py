"""Editing poses as every release stores them: a bone turns, and nothing but what is below it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

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
from maxsidecar.scene.biped.forward import Frame, bones_of
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.biped.system import BipedSystem
from tests.support import biped_rigs as rigs
from tests.support.biped_edit import system_of
from tests.support.biped_layouts import RELEASES
from tests.support.biped_scene import BipedScene
from tests.support.biped_solved import storable

LIMBS = ("clavicle", "upper_arm", "forearm", "hand"), ("thigh", "calf", "horse_link", "foot")


def role(name: str, leg_links: int) -> Role:
    """Return which bone a name stands for."""
    side, _, bone = name.rpartition(".")
    number = -1 if not side else int(side.startswith("left"))
    words = bone.split("_")
    if side.startswith("prop"):
        return Role("prop", digit=int(side[-1]) - 1)
    if words[0] in ("finger", "toe"):
        return Role(words[0], number, int(words[2]) if len(words) > 2 else 0, int(words[1]))
    for part, names in zip(("arm", "leg"), LIMBS, strict=True):
        if bone in names:
            link = names.index(bone)
            return Role(part, number, leg_links - 1 if bone == "foot" else link)
    if words[0] == "ponytail":
        return Role(f"pony{words[1]}", link=int(words[2]) if len(words) > 2 else 0)
    return Role(words[0], link=int(words[1]) if len(words) > 1 else 0)


def below(bone: Role) -> set[tuple[str, int]]:
    """Return which parts hang on a bone: part and side; the bone's own part goes without."""
    if bone.part == "spine":
        sides = [(part, side) for part in ("arm", "finger", "finger nub") for side in (0, 1)]
        return {("neck", -1), ("head", -1), ("head nub", -1), *sides, *below(Role("head"))}
    if bone.part == "neck":
        return {("head", -1), ("head nub", -1), *below(Role("head"))}
    if bone.part == "head":
        return {(f"pony{n}{nub}", -1) for n in (1, 2) for nub in ("", " nub")} | {("head nub", -1)}
    if bone.part == "arm":
        return {("finger", bone.side), ("finger nub", bone.side)}
    if bone.part == "leg":
        return {("toe", bone.side), ("toe nub", bone.side)}
    return {(f"{bone.part} nub", bone.side)}


def hangs_on(other: Role, bone: Role) -> bool:
    if (other.part, other.side) in below(bone):
        digits = bone.part in ("finger", "toe")
        return not digits or other.digit == bone.digit
    same = (other.part, other.side, other.digit) == (bone.part, bone.side, bone.digit)
    return same and other.link >= bone.link


def other(numbers: list[float]) -> list[float]:
    if len(numbers) == 4:
        return [numbers[1], -numbers[0], numbers[3], -numbers[2]]
    return [number + 20.0 for number in numbers]


def bones(system: BipedSystem) -> dict[Role, Frame]:
    rig = system.rig
    return bones_of(rig.structure, figure_posture(rig.structure, rig.sets.live))


def opened(folder: Path, release: str, rig: Any) -> BipedSystem:
    scene = BipedScene()
    scene.laid_out(RELEASES[release], rig)
    path = folder / "rig.max"
    path.write_bytes(scene.to_bytes())
    return system_of(maxsidecar.open(path))


@pytest.mark.parametrize(
    ("release", "links"),
    [*((name, 3) for name in RELEASES), ("5 to 7", 4), ("8", 4), ("2012", 4)],
)
def test_the_figure_of_every_release(tmp_path: Path, release: str, links: int) -> None:
    rig = storable(release, 40)
    system = opened(tmp_path, release, rigs.split_calves(rig) if links == 4 else rig)
    original = bytes(system.data.data)
    before = bones(system)
    names = figure_names(system)
    turned = {role(name, links) for name in names if name not in ("position", "rotation")}
    # All bones have a name, but for nubs and what turns as a whole.
    whole = {"com", "pelvis", "footsteps"}
    assert turned == {b for b in before if b.part not in whole and not b.part.endswith("nub")}
    for name in names:
        if name in ("position", "rotation") or name.startswith("prop"):
            continue
        bone = role(name, links)
        old = figure_value(system, name)
        if name.endswith("clavicle"):
            # The made poses do not repeat the structure's angles.
            with pytest.raises(EditError, match="more than once"):
                set_figure_value(system, name, other(old))
            continue
        set_figure_value(system, name, other(old))
        after = bones(system)
        assert np.abs(after[bone].turn - before[bone].turn).max() > 0.01, name
        for found, frame in before.items():
            # What the body turns by itself only moves along.
            if not hangs_on(found, bone) and found.part not in ("prop", "footsteps"):
                assert np.array_equal(after[found].turn, frame.turn), (name, found)
                assert np.array_equal(after[found].place, frame.place), (name, found)
        set_figure_value(system, name, old)
    assert bytes(system.data.data) == original


@pytest.mark.parametrize("release", RELEASES)
def test_the_keys_of_every_release(tmp_path: Path, release: str) -> None:
    system = opened(tmp_path, release, storable(release, 41))
    original = bytes(system.data.data)
    tracks = list(system.rig.tracks)
    assert len(tracks) >= 13
    for track in tracks:
        names = key_pose_names(system, track)
        assert names
        for name in names:
            rows = key_pose(system, track, name)
            records = system.rig.tracks[track].records
            set_key_pose(system, track, name, [*rows[:-1], other(rows[-1])])
            assert key_pose(system, track, name)[-1] == pytest.approx(
                other(rows[-1]), rel=1e-6, abs=1e-5
            )
            # Only the last key is another one, by as many numbers at most.
            key, _ = np.nonzero(records != system.rig.tracks[track].records)
            assert set(key.tolist()) == {len(rows) - 1}
            assert len(key) <= len(rows[-1])
            set_key_pose(system, track, name, rows)
    assert bytes(system.data.data) == original
