"""Bipeds in plain terms, as no release stores them: any pose, and keys of every part."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

SIDES = ("right", "left")
CHAINS = {"spine": 0x000B, "tail": 0x000E, "pony1": 0x0013, "pony2": 0x0014}
ANGLES = {"spine": 0x0067, "tail": 0x0068, "pony1": 0x006D, "pony2": 0x006E}
KEYS = {
    "horizontal": 0x012C, "turn": 0x012E, "vertical": 0x0130, "pelvis": 0x0132,
    "right arm": 0x0134, "left arm": 0x0136, "right leg": 0x0138, "left leg": 0x013A,
    "spine": 0x013C, "head": 0x013E, "tail": 0x0142, "pony1": 0x0147, "pony2": 0x0149,
    "prop1": 0x0126, "prop2": 0x0128,
}  # fmt: skip


@dataclass
class Chain:
    """Lengths (n,), the stored matrix (4, 4), and the angles of the figure (n, 3)."""

    lengths: Array
    attach: Array
    angles: Array


@dataclass
class Digits:
    """Of each finger or toe its lengths and its stored matrix."""

    lengths: list[Array]
    attach: list[Array]


@dataclass
class Poses:
    """A side of a limb in k poses, turned as from release 8 on.

    Attributes:
        plain: (k, 16): hinge, second hinge, upper (4), extremity (4), clavicle (2), blend, where
            the hand or foot is (3).
        bases: (k, d, 4).
        bends: (k, d, 3): angles of further links.
    """

    plain: Array
    bases: Array
    bends: Array


@dataclass
class Keys:
    """Keys of a track: ticks (k,), the rest of the times (k, 9), records (k, w), or poses."""

    ticks: Array
    rest: Array
    rows: Array
    poses: Poses | None = None


@dataclass
class Rig:
    """A biped in plain terms; sides are right, then left."""

    com: Array
    present: Array
    head: Array
    head_length: float
    chains: dict[str, Chain]
    arms: list[tuple[Array, Digits, Poses]]
    legs: list[tuple[Array, Digits, Poses]]
    leg_links: int = 3
    props: dict[int, bytes] = field(default_factory=dict)
    tracks: dict[str, Keys] = field(default_factory=dict)
    in_place: tuple[int, int] = (0, 0)


def floats_of(data: bytes) -> Array:
    """Return the numbers of a record."""
    with np.errstate(invalid="ignore"):
        return np.frombuffer(data, "<f4").astype(np.float64)


def integers_of(data: bytes) -> npt.NDArray[np.int32]:
    """Return the numbers of a record as integers."""
    return np.frombuffer(data, "<i4")


def split_calves(rig: Rig) -> Rig:
    """Return a rig whose legs have a fourth link: the calf in two halves, straight."""
    legs = []
    for numbers, digits, poses in rig.legs:
        other = numbers.copy()
        other[3] = other[4] = numbers[3] / 2
        plain = poses.plain.copy()
        plain[:, 1] = 0.0
        legs.append((other, digits, replace(poses, plain=plain)))
    tracks = dict(rig.tracks)
    for name in ("right leg", "left leg"):
        if name in tracks and tracks[name].poses is not None:
            moved = tracks[name].poses
            assert moved is not None
            plain = moved.plain.copy()
            plain[:, 1] = 0.0
            tracks[name] = replace(tracks[name], poses=replace(moved, plain=plain))
    return replace(rig, legs=legs, leg_links=4, tracks=tracks)


def without(rig: Rig, *names: str) -> Rig:
    """Return a rig without the keys of some tracks."""
    return replace(rig, tracks={n: t for n, t in rig.tracks.items() if n not in names})


def without_arms(rig: Rig) -> Rig:
    """Return a rig that has no arms."""
    return replace(without(rig, "right arm", "left arm"), arms=[], props={})


def plain_neck(rig: Rig) -> Rig:
    """Return a rig whose neck begins where the spine ends, as release 4 has it."""
    neck = replace(rig.chains["neck"], attach=np.eye(4))
    return replace(rig, chains={**rig.chains, "neck": neck})


def random_rig(seed: int) -> Rig:
    """Return a rig of all parts in any pose, with keys of everything at odd times."""
    choice = np.random.default_rng(seed)

    def turns(*shape: int) -> Array:
        q = choice.normal(size=(*shape, 4))
        return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))

    def place(scale: float) -> Array:
        out = np.eye(4)
        x, y, z, w = turns()
        out[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
        ]
        out[3, :3] = choice.normal(size=3) * scale
        return out

    def chain(links: int) -> Chain:
        return Chain(choice.uniform(1, 5, links), place(2.0), choice.normal(size=(links, 3)) * 0.3)

    def poses(count: int, digits: Digits, *, arms: bool) -> Poses:
        plain = np.zeros((count, 16))
        plain[:, 0] = choice.uniform(1.5, 3.0, count)
        plain[:, 1] = choice.normal(size=count) * 0.2
        plain[:, 2:6], plain[:, 6:10] = turns(count), turns(count)
        plain[:, 10:12] = choice.normal(size=(count, 2)) * (0.2 if arms else 0.0)
        bends = choice.uniform(-0.8, 0.8, (count, len(digits.lengths), 3))
        return Poses(plain, turns(count, len(digits.lengths)), bends)

    def digits(*links: int) -> Digits:
        return Digits([choice.uniform(0.2, 1.0, n) for n in links], [place(0.5) for _ in links])

    def limbs(head: int, *links: int) -> list[tuple[Array, Digits, Poses]]:
        out = []
        for _ in SIDES:
            own = digits(*links)
            out.append((choice.uniform(0.5, 3.0, head), own, poses(1, own, arms=head == 16)))
        return out

    chains = {"spine": chain(3), "neck": chain(2), "tail": chain(4), "pony1": chain(2)}
    rig = Rig(
        com=np.concatenate([choice.normal(size=12)[:8], turns()]),
        present=place(30.0).ravel(),
        head=turns(),
        head_length=2.5,
        chains={**chains, "pony2": chain(1)},
        arms=limbs(16, 3, 3, 2),
        legs=limbs(10, 2, 1),
        props={0x006F: _prop_rows(choice, turns, 1), 0x0070: _prop_rows(choice, turns, 1)},
    )
    for name in KEYS:
        count = int(choice.integers(2, 5))
        ticks = 160.0 * np.cumsum(choice.integers(1, 9, count)).astype(np.float64)
        rest = np.zeros((count, 9))
        rest[:, 6:9] = choice.choice([25.0, 25.0, 10.0, 40.0], (count, 3))
        if name.endswith(("arm", "leg")):
            arms = name.endswith("arm")
            limb = (rig.arms if arms else rig.legs)[SIDES.index(name.split()[0])]
            moved = poses(count, limb[1], arms=arms)
            rig.tracks[name] = Keys(ticks, rest, np.zeros((count, 0)), moved)
            continue
        rows = choice.normal(size=(count, {"horizontal": 10, "pelvis": 1}.get(name, 13)))
        if name in ANGLES:
            rows = choice.normal(size=(count, 3 * len(rig.chains[name].lengths))) * 0.4
        elif name == "head":
            neck = choice.normal(size=(count, 3 * len(rig.chains["neck"].lengths))) * 0.3
            rows = np.concatenate([turns(count), neck], axis=1)
        elif name == "turn":
            rows[:, 4:8] = turns(count)
        elif name.startswith("prop"):
            rows = floats_of(_prop_rows(choice, turns, count)).reshape(count, -1)
        rig.tracks[name] = Keys(ticks, rest, rows)
    return rig


def _prop_rows(choice: Any, turns: Any, count: int) -> bytes:
    rows = np.zeros((count, 46), "<f4")
    rows.view("<i4")[:, :2] = choice.integers(0, 4, (count, 2))
    rows[:, 2:18] = turns(count, 4).reshape(count, 16)
    rows[:, 18:34] = choice.normal(size=(count, 16)) * 3
    return rows.tobytes()
