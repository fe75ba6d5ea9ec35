"""A rig that stands on feet that its keys hold in place.

Its legs are straight, of 4 and 5, its ankles under its hips; the sole of each foot is at (1, 2, 0)
in its axes.  The keys repeat the figure while the body moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import pack
from typing import Any

import numpy as np

from maxsidecar.scene.biped.forward import Frame, bones_of
from maxsidecar.scene.biped.keyed import posture_at
from maxsidecar.scene.biped.roles import LEFT, Role
from maxsidecar.scene.biped.sets import RecordSets, split_sets
from maxsidecar.scene.biped.structure import Structure, read_structure
from maxsidecar.scene.biped.tracks import Track, read_tracks
from tests.support.biped_leaves import Leaf, floats, live, stretched, times

UPPER, LOWER = 4.0, 5.0
SOLE = (1.0, 2.0, 0.0)
NAMES = ("right leg", "left leg")
KEYS = {"right leg": 0x0138, "left leg": 0x013A}
FOOT_DOWN = Role("leg", LEFT, 2)


@dataclass
class Rigged:
    """A rig with keys."""

    structure: Structure
    sets: RecordSets
    tracks: dict[str, Track]
    problems: list[str] = field(default_factory=list)

    def bones(self, at: Any) -> dict[Role, Frame]:
        when = np.asarray(at, np.float64)
        posture = posture_at(self.structure, self.sets.live, self.sets.common, self.tracks, when)
        found = bones_of(self.structure, posture)
        return {
            role: Frame(
                np.broadcast_to(frame.turn, (len(when), 3, 3)),
                np.broadcast_to(frame.place, (len(when), 3)),
            )
            for role, frame in found.items()
        }


def leg_key(blend: float, space: int, *, pivot: tuple[float, float, float] | None = None) -> bytes:
    """Return a leg's key that repeats the figure."""
    half = np.frombuffer(stretched(110, 28, 46, quaternions=False)[:440], "<f4").copy()
    half[12] = blend
    half.view("<i4")[11] = space
    half[101:104] = (9e9, 9e9, 9e9) if pivot is None else pivot
    return half.tobytes()


def track(id_: int, header: int, keys: list[bytes], ticks: list[int]) -> list[Leaf]:
    head = pack("<i", len(keys)) + bytes(4 * (header - 1))
    return [Leaf(id_, head + b"".join(keys)), Leaf(id_ + 1, times(*ticks))]


def standing(
    *,
    blend: tuple[float, ...] = (1.0, 1.0),
    space: int = 2,
    dip: float = -1.0,
    pivot: tuple[float, float, float] | None = None,
) -> Rigged:
    """Return a rig whose pelvis is at 20, goes down half way and comes up again."""
    ticks = [320 * n for n in range(len(blend))]
    legs = pack("<10f", 0, 0.75, UPPER, LOWER, 0, 0, 0, SOLE[0], 0, SOLE[1]) + pack("<i", 0)
    height = [floats(0, 0, 20.0 + rise, *[0.0] * 10) for rise in (0.0, dip, 0.0)]
    up = track(0x0130, 1, height, [0, ticks[-1] // 2, ticks[-1]])
    up[0] = Leaf(0x0130, up[0].data * 2)  # two banks
    keys = [leg_key(value, space, pivot=pivot) for value in blend]
    leaves = [Leaf(leaf.id, legs * 2 if leaf.id == 0x000F else leaf.data) for leaf in live()]
    leaves[-1:-1] = [*up, *track(KEYS["left leg"], 4, keys, ticks)]
    sets = split_sets([Leaf(0x0108), *leaves])  # type: ignore[list-item]
    structure = read_structure(sets.live, sets.common)
    tracks, problems = read_tracks(structure, sets.live)
    assert not problems
    return Rigged(structure, sets, tracks)
