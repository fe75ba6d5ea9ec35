"""Keys that hold changes to the figure, and keys that hold whole turns."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.biped.sets import split_sets
from maxsidecar.scene.biped.structure import read_structure
from maxsidecar.scene.biped.tracks import read_tracks
from tests.support.biped_leaves import LAYOUTS, Leaf, chain, floats, live, stretched, times

#: How far the figure bends its second link of spine and ponytail, and the key does.
FIGURE, KEY = 0.25, 0.5


def bent(leg: int) -> dict[Role, float]:
    """Return how far the second links lean, in a rig of a layout with one key."""
    arm, extremity, digit = LAYOUTS[leg]
    early = leg == 104
    angles = pack("<i", 6) + floats(0, 0, 0, FIGURE, 0, 0)
    key = pack("<i", 6) + floats(0, 0, 0, KEY, 0, 0)
    head = pack("<i", 1) + bytes(4 if early else 12)
    # Times have three numbers less in front as well.
    when = times(0)[:16] + times(0)[28:] if early else times(0)
    records = {
        0x0067: angles,
        0x0069: stretched(leg, extremity, digit, quaternions=False),
        0x006A: stretched(arm, extremity, digit, quaternions=False),
    }
    leaves = [Leaf(leaf.id, records.get(leaf.id, leaf.data)) for leaf in live()]
    leaves[-1:-1] = [
        Leaf(0x0013, chain(1.0, 1.0)),
        Leaf(0x006D, angles),
        *(Leaf(id_, head + key) for id_ in (0x013C, 0x0147)),
        *(Leaf(id_ + 1, when) for id_ in (0x013C, 0x0147)),
    ]
    sets = split_sets([Leaf(0x0108), *leaves])  # type: ignore[list-item]
    structure = read_structure(sets.live, sets.common)
    tracks, problems = read_tracks(structure, sets.live)
    assert not problems
    assert set(tracks) == {"spine", "pony1"}
    posture = posture_at(structure, sets.live, sets.common, tracks, np.zeros(1))
    bones = bones_of(structure, posture)
    out = {}
    for part in ("spine", "pony1"):
        first, second = (bones[Role(part, link=link)].turn[0, :, 0] for link in range(2))
        out[Role(part, link=1)] = float(np.arccos(first @ second))
    return out


def test_releases_before_8_key_changes_to_the_figure() -> None:
    for role, angle in bent(104).items():
        assert angle == pytest.approx(FIGURE + KEY), role


def test_later_releases_key_whole_turns() -> None:
    for role, angle in bent(110).items():
        assert angle == pytest.approx(KEY), role
