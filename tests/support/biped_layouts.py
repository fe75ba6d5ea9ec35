"""How every release stores a biped: sizes, places, turns and ids.

They are written down here once more, from reports about real files and not from the package: sizes
of poses and keys, where numbers are in them, how upper arms, thighs and links of fingers are
turned, and which ids the ends of chains have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tests.support.biped_rigs import Array, Poses, Rig, floats_of


@dataclass(frozen=True)
class Release:
    """What a release writes.

    Attributes:
        leg: Numbers in a side of a leg's pose; of an arm's: ``arm``.
        limb: Numbers in front of keys: of limbs, of times, of turn and pelvis, of chains, of heads
            (``time``, ``turn``, ``chain``, ``head``).
        angles: Where the count of a neck's angles is in a head's record.
        head_more: Numbers behind those angles in a key; ``figure_more`` in the figure.
        chain_more: Numbers behind the angles of a chain.
        neck_matrix: Whether the neck's structure has a matrix.
        roll: Whether the pelvis has one angle.
        counts: How many numbers are in 0x0100.
        late: Whether upper arms and thighs are turned as from release 8 on, and keys of chains hold
            the angles of links instead of changes to those of the figure.
        extremity: Where hand and foot are; the others likewise.
        quaternions: Whether links of fingers are quaternions.
        nubs: First id of those of the ends.
        new: Ids that this release writes, and those that it does not, in place of others.
    """

    leg: int
    arm: int
    limb: int
    time: int
    turn: int
    chain: int
    head: int
    angles: int
    head_more: int
    figure_more: int
    chain_more: int
    neck_matrix: bool
    roll: bool
    counts: int
    late: bool
    extremity: int
    clavicle: int
    blend: int
    reach: int
    finger: tuple[int, int]
    toe: tuple[int, int]
    quaternions: bool
    nubs: int
    new: Mapping[int, int | None] = field(default_factory=dict)


_EARLY = Release(
    104, 104, 2, 4, 1, 2, 1, 4, 1, 1, 0, True, True, 28, False, 25, 6, 9, 15, (40, 10), (40, 10),
    False, 24,
)  # fmt: skip
_EIGHT = Release(
    110, 110, 4, 7, 3, 4, 3, 7, 1, 1, 0, True, False, 26, True, 28, 9, 12, 18, (46, 10), (46, 10),
    False, 22, {0x0018: None, 0x0019: 84, 0x001A: 36, 0x001B: 24},
)  # fmt: skip
_2008 = replace(_EIGHT, head_more=5, figure_more=9, chain_more=4)
_2012 = replace(
    _2008, leg=120, arm=290, limb=6, time=10, finger=(47, 46), toe=(47, 12), quaternions=True,
    new={**_EIGHT.new, 0x001F: 8, 0x0020: 4, 0x0021: 8},
)  # fmt: skip
_2014 = replace(
    _2012,
    new={
        **_2012.new, 0x0022: 8, 0x0023: 8, 0x0024: 8, 0x00C9: None, 0x00CF: 20, 0x0322: None,
        0x0325: None, 0x0709: None, 0x070A: None, 0x0328: 4, 0x0329: 8, 0x070D: 12, 0x070E: 27,
    },
)  # fmt: skip
RELEASES = {
    "4.2": replace(
        _EARLY, head_more=0, figure_more=0, neck_matrix=False, counts=23, nubs=19,
        new={0x0018: None, 0x0115: None},
    ),
    "5 to 7": _EARLY,
    "8": _EIGHT,
    "2008": _2008,
    "2009": replace(_2008, new={**_2008.new, 0x001F: 8, 0x0020: 4}),
    "2012": _2012,
    "2014": _2014,
    "2016 to 2019": _2014,
}  # fmt: skip


def upper_late(q: Array, *, arms: bool) -> Array:
    """Return quaternions of upper arms or thighs as release 8 has them, from those before."""
    x, y, z, w = np.moveaxis(q, -1, 0)
    return np.stack([-z, w, x, -y] if arms else [-y, x, -w, z], axis=-1)


def upper_early(q: Array, *, arms: bool) -> Array:
    """Return the inverse of :func:`upper_late`."""
    x, y, z, w = np.moveaxis(q, -1, 0)
    return np.stack([z, -w, -x, y] if arms else [y, -x, w, -z], axis=-1)


def limb_rows(release: Release, poses: Poses, *, arms: bool, shift: int) -> bytes:
    """Return the records of a side of a limb."""
    k = len(poses.plain)
    size = release.arm if arms else release.leg + shift
    out = np.zeros((k, size), "<f4")
    out[:, :2] = poses.plain[:, :2]
    upper = poses.plain[:, 2:6]
    if not release.late:
        upper = upper_early(upper, arms=arms)
    out[:, 2 + shift : 6 + shift] = upper
    for at, part, width in (
        (release.extremity, 6, 4),
        (release.clavicle, 10, 2),
        (release.blend, 12, 1),
        (release.reach, 13, 3),
    ):
        if arms or part != 10:
            out[:, at + shift : at + shift + width] = poses.plain[:, part : part + width]
    start, step = release.finger if arms else release.toe
    for digit in range(5):
        block = out[:, start + shift + step * digit :][:, :step]
        if digit >= poses.bases.shape[1]:
            block[:, 3] = 1.0
            continue
        block[:, :4] = poses.bases[:, digit]
        for link in range(3):
            angle = poses.bends[:, digit, link]
            if arms and release.quaternions:
                at = 8 * (link + 1)
                block[:, at + 2], block[:, at + 3] = np.sin(-angle / 2), np.cos(-angle / 2)
                block[:, 38 + link * 3] = 77.0  # stale
            elif 8 + link < step:
                block[:, 8 + link] = angle
    return out.tobytes()


def limb_poses(release: Release, data: bytes, *, arms: bool, shift: int, digits: int) -> Poses:
    """Return what the records of a side of a limb say."""
    rows = floats_of(data).reshape(-1, release.arm if arms else release.leg + shift)
    upper = rows[:, 2 + shift : 6 + shift]
    plain = np.zeros((len(rows), 16))
    plain[:, :2] = rows[:, :2]
    plain[:, 2:6] = upper if release.late else upper_late(upper, arms=arms)
    for at, part, width in (
        (release.extremity, 6, 4),
        (release.clavicle, 10, 2),
        (release.blend, 12, 1),
        (release.reach, 13, 3),
    ):
        plain[:, part : part + width] = rows[:, at + shift : at + shift + width]
    start, step = release.finger if arms else release.toe
    bases, bends = np.zeros((len(rows), digits, 4)), np.zeros((len(rows), digits, 3))
    for digit in range(digits):
        block = rows[:, start + shift + step * digit :][:, :step]
        bases[:, digit] = block[:, :4]
        for link in range(3):
            if arms and release.quaternions:
                at = 8 * (link + 1)
                bends[:, digit, link] = -2 * np.arctan2(block[:, at + 2], block[:, at + 3])
            elif 8 + link < step:
                bends[:, digit, link] = block[:, 8 + link]
    return Poses(plain, bases, bends)


def header_of(release: Release, name: str) -> int:
    """Return how many numbers are in front of the keys of a track."""
    if name in ("horizontal", "vertical", "prop1", "prop2"):
        return 1
    if name in ("turn", "pelvis"):
        return release.turn
    if name == "head":
        return release.head
    return release.limb if name.endswith(("arm", "leg")) else release.chain


def _link_turn(a: Array) -> Array:
    """Return ``Rx(a3)·Rz(-a1)·Ry(a2)``, (..., 3) to (..., 3, 3)."""
    (s1, s2, s3), (c1, c2, c3) = np.moveaxis(np.sin(a), -1, 0), np.moveaxis(np.cos(a), -1, 0)
    rows = [
        [c1 * c2, s1, c1 * s2],
        [-c3 * s1 * c2 + s3 * s2, c3 * c1, -c3 * s1 * s2 - s3 * c2],
        [-s3 * s1 * c2 - c3 * s2, s3 * c1, -s3 * s1 * s2 + c3 * c2],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def turned(figure: Array, rows: Array, *, back: bool) -> Array:
    """Return angles of links, (k, 3n), behind those of the figure, (n, 3); or without them."""
    own = _link_turn(figure)
    own = np.swapaxes(own, -1, -2) if back else own
    m = own @ _link_turn(rows.reshape(len(rows), -1, 3))
    angles = [
        np.arcsin(np.clip(m[..., 0, 1], -1, 1)),
        np.arctan2(m[..., 0, 2], m[..., 0, 0]),
        np.arctan2(m[..., 2, 1], m[..., 1, 1]),
    ]
    return np.stack(angles, axis=-1).reshape(len(rows), -1)


def pelvis_rows(release: Release, rows: Array) -> Array:
    """Return keys of the pelvis: an angle t, or the quaternion s that turns it as much.

    ``C·m(s)ᵀ·m(-h, -h, 0, 0) = Rx(-t)·m(½, ½, ½, -½)``, with C a quarter turn about x.
    """
    if release.roll:
        if rows.shape[1] != 1:
            raise ValueError("such releases only let the pelvis roll")
        return rows
    if rows.shape[1] != 1:
        return rows
    half = np.sqrt(0.5)
    out = np.zeros((len(rows), 7))
    for row, (angle,) in zip(out, rows, strict=True):
        turn = times((-half, 0.0, 0.0, half), (np.sin(-angle / 2), 0.0, 0.0, np.cos(-angle / 2)))
        turn = times(times(turn, (0.5, 0.5, 0.5, -0.5)), (half, half, 0.0, 0.0))
        row[:4] = turn * [-1.0, -1.0, -1.0, 1.0]
    return out


def times(a: Any, b: Any) -> Array:
    """Return the product of two quaternions x, y, z, w."""
    (x, y, z, w), (p, q, r, s) = a, b
    return np.array(
        [
            w * p + x * s + y * r - z * q,
            w * q - x * r + y * s + z * p,
            w * r + x * q - y * p + z * s,
            w * s - x * p - y * q - z * r,
        ]
    )


def bone_ids(release: Release, rig: Rig) -> dict[tuple[str, int, int, int], tuple[int, int]]:
    """Return the two numbers of each bone but the centre of mass.

    Keys are part, side (-1 in the middle), link and digit.
    """
    out: dict[tuple[str, int, int, int], tuple[int, int]] = {}
    nubs = [("finger", 0), ("finger", 1), ("toe", 1), ("toe", 0)]
    middle = ["tail", "head", "pony1", "pony2"]
    numbers = {"spine": 8, "tail": 9, "neck": 16, "pony1": 17, "pony2": 18}
    for name, number in numbers.items():
        links = len(rig.chains[name].lengths)
        out |= {(name, -1, link, 0): (number, link) for link in range(links)}
        if links and name in middle:
            out[f"{name} nub", -1, 0, 0] = release.nubs + 4 + middle.index(name), 0
    out |= {("head", -1, 0, 0): (10, 0), ("pelvis", -1, 0, 0): (11, 0)}
    out["head nub", -1, 0, 0] = release.nubs + 5, 0
    for limbs, part, digit_part, first in (
        (rig.arms, "arm", "finger", 0),
        (rig.legs, "leg", "toe", 4),
    ):
        for side, (_, digits, _) in enumerate(limbs):
            links = 4 if part == "arm" else rig.leg_links
            out |= {(part, side, link, 0): (first + 1 - side, link) for link in range(links)}
            running = 0
            for digit, lengths in enumerate(digits.lengths):
                for link in range(len(lengths)):
                    out[digit_part, side, link, digit] = first + 3 - side, running
                    running += 1
                nub = release.nubs + nubs.index((digit_part, side))
                out[f"{digit_part} nub", side, 0, digit] = nub, digit
    if release.nubs != RELEASES["4.2"].nubs:
        out |= {("prop", -1, 0, id_ - 0x006F): (id_ - 0x006F + 19, 0) for id_ in rig.props}
    return out
