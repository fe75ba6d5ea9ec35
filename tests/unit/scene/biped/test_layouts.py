"""Rigs as each group of releases stores them: legs of four links, no arms, fingers, ids of nubs.

Every rig is the same figure: upright in the origin, arms and legs stretched.
"""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role, role_of
from maxsidecar.scene.biped.sets import split_sets
from maxsidecar.scene.biped.structure import Structure, read_structure
from tests.unit.scene.biped.test_rig import IDENTITY, Leaf, floats, live

#: Numbers of a side of leg and arm, the hand's and foot's quaternion, the first digit.
LAYOUTS = {104: (104, 25, 40), 110: (110, 28, 46), 120: (290, 28, 47)}


def side(size: int, extremity: int, digit: int, shift: int = 0, *, quaternions: bool) -> bytes:
    half = np.zeros(size + shift, "<f4")
    half[0] = np.pi
    half[[5 + shift, extremity + 3 + shift, digit + 3 + shift]] = 1.0
    if quaternions:
        half[digit + 11] = 1.0
    return half.tobytes() * 2


def rig(leg: int, *, links: int = 3, arms: bool = True, head: int = 9) -> tuple[Structure, Any]:
    arm, extremity, digit = LAYOUTS[leg]
    shift = 2 * (links - 3)
    numbers = [0.0] * 10
    numbers[1 : 1 + links] = [0.75, 4.0, 5.0, 2.0][:links]
    toe = pack("<i", 1) + pack("<i", 1) + floats(*IDENTITY, 0.3)
    records = {
        0x000F: (floats(*numbers) + toe) * 2,
        0x0064: floats(*[0.0, 0, 0, 1, 0, 0, 0, 0, 0][:head]),
        0x0069: side(leg, extremity, digit, shift, quaternions=False),
        0x006A: side(arm, extremity, digit, quaternions=leg == 120),
    }
    if not arms:
        records |= {0x0010: pack("<i", 0), 0x006A: b""}
    leaves = [Leaf(leaf.id, records.get(leaf.id, leaf.data)) for leaf in live()]
    counts = Leaf(0x0100, pack("<6i", 0, 0, 0, 0, links, 0))
    sets = split_sets([counts, Leaf(0x0108), *leaves])  # type: ignore[list-item]
    structure = read_structure(sets.live, sets.common)
    return structure, bones_of(structure, figure_posture(structure, sets.live))


def apart(bones: Any, a: Role, b: Role) -> float:
    return float(np.linalg.norm(bones[a].place[0] - bones[b].place[0]))


@pytest.mark.parametrize("leg", LAYOUTS)
@pytest.mark.parametrize("links", [3, 4])
def test_limbs_of_all_layouts(leg: int, links: int) -> None:
    structure, bones = rig(leg, links=links)
    assert structure.leg_links == links
    assert structure.layout.finger_quaternions is (leg == 120)
    for part in (LEFT, RIGHT):
        lengths = [4.0, 5.0, 2.0][: links - 1]
        for link, length in enumerate(lengths):
            found = apart(bones, Role("leg", part, link), Role("leg", part, link + 1))
            assert found == pytest.approx(length)
        # Knees that are not bent: all in a line, but for the float of the angle.
        foot = apart(bones, Role("leg", part, 0), Role("leg", part, links - 1))
        assert foot == pytest.approx(sum(lengths), abs=1e-6)
        toe = Role("toe", part), Role("toe nub", part)
        assert apart(bones, *toe) == pytest.approx(0.3)
        assert apart(bones, Role("finger", part), Role("finger nub", part)) == pytest.approx(0.6)
    for bone, frame in bones.items():
        length = np.linalg.norm(frame.turn[0], axis=0)
        assert length == pytest.approx(np.ones(3)), bone


@pytest.mark.parametrize("leg", LAYOUTS)
def test_rigs_without_arms(leg: int) -> None:
    structure, bones = rig(leg, arms=False)
    assert structure.arms == ()
    assert not [bone for bone in bones if bone.part in ("arm", "finger", "finger nub")]
    assert Role("leg", LEFT, 2) in bones
    # A node that says that it is an arm all the same is none of the rig's bones.
    assert role_of(structure, 1, 2) not in bones
    assert role_of(structure, 3, 0) is None


def test_release_4_numbers_nubs_in_its_own_way() -> None:
    early, _ = rig(104, head=8)
    later, _ = rig(104)
    assert (early.layout.ids, later.layout.ids) == ("4", "5")
    assert role_of(early, 24, 0) == Role("head nub")
    assert role_of(early, 19, 0) == Role("finger nub", RIGHT)
    assert role_of(later, 29, 0) == Role("head nub")
    assert role_of(later, 24, 0) == Role("finger nub", RIGHT)
    assert role_of(later, 19, 0) == Role("prop", digit=0)


def test_links_that_cannot_be() -> None:
    structure, bones = rig(110)
    for bone in (0, 4, 8, 16, 17):
        for link in (-1, 64, 2**31 - 1, -(2**31)):
            assert role_of(structure, bone, link) not in bones
    for bone in (2, 6):
        for link in (-1, 64, 2**31 - 1):
            role = role_of(structure, bone, link)
            assert role is None or role not in bones
