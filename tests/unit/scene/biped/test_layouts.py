"""Rigs as each group of releases stores them: legs of four links, no arms, fingers, ids of nubs.

Every rig is the same figure: upright in the origin, arms and legs stretched.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role, role_of
from tests.support.biped_leaves import LAYOUTS, rig


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
