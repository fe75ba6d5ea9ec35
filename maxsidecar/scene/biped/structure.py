"""The structure of a biped: how many links each part has, how long they are, where they attach.

Lengths are in units of the scene.  Matrices are as stored: four rows of four, in the plug-in's own
axes (Y up); :mod:`maxsidecar.scene.biped.forward` says what they mean.  Sides are right, then left,
as in the file.  (Layouts measured on systems of releases 4.2 to 2019; docs/format/biped.md.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk

__all__ = ["Chain", "Digit", "Layout", "Limb", "Structure", "floats_of", "read_structure"]

Array = npt.NDArray[np.float64]

SPINE: Final = 0x000B
NECK: Final = 0x000D
TAIL: Final = 0x000E
LEGS: Final = 0x000F
ARMS: Final = 0x0010
PONYTAILS: Final = (0x0013, 0x0014)
LEG_POSE: Final = 0x0069
ARM_POSE: Final = 0x006A
HEAD_POSE: Final = 0x0064
HEAD_LENGTH: Final = 0x000C
#: Chunk outside of the sets with the numbers of links by part.
LINKS: Final = 0x0100
_LEG_LINKS: Final = 4
#: Numbers in front of the digits of an arm and of a leg.
_ARM_HEAD: Final = 17
_LEG_HEAD: Final = 11
#: Most links of a part, and most digits of a limb; 3ds Max offers 25 and 5.
MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Layout:
    """How releases store poses and keys.

    Attributes:
        leg: Numbers in one side of a leg's pose, without those of more than three links.
        arm: Numbers in one side of an arm's pose.
        ids: Which table of bone ids holds: ``4``, ``5`` (releases 5 to 7) or ``8``.
        limb_header: Numbers in front of the keys of arms and legs.
        time_header: Numbers in front of the times of keys.
        turn_header: Numbers in front of the keys of turn and pelvis.
        chain_header: Numbers in front of the keys of spine, tail and ponytails.
        head_header: Numbers in front of the keys of the head.
        neck_angles: Where the count of the neck's angles is in a key of the head.
        extremity: Where a hand's or foot's quaternion is in a side of a limb.
        clavicle: Where the two deltas of the clavicle are in an arm.
        finger_digits: Where the first finger is, and how many numbers each has.
        toe_digits: Where the first toe is, and how many numbers each has.
        finger_quaternions: Whether each link of a finger has a quaternion instead of an angle.
    """

    leg: int
    arm: int
    ids: str
    limb_header: int
    time_header: int
    turn_header: int
    chain_header: int
    head_header: int
    neck_angles: int
    extremity: int
    clavicle: int
    finger_digits: tuple[int, int]
    toe_digits: tuple[int, int]
    finger_quaternions: bool = False

    @property
    def blend(self) -> int:
        """Where a key of a limb says how far inverse kinematics decides, from 0 to 1.

        It stays three places behind the clavicle's deltas, as the other numbers do; the pivot's
        flag is in front of it.  (Measured: 9 in layout 104, 12 in the later ones.)
        """
        return self.clavicle + 3

    @property
    def end_of_body(self) -> int:
        """Where a key of a limb has the place of the wrist or ankle, seen from the body."""
        return self.clavicle + 5

    @property
    def end_of_world(self) -> int:
        """Where a key of a limb has the place of the wrist or ankle in the world, Y up."""
        return self.clavicle + 9


_LAYOUTS: Final = (
    Layout(104, 104, "5", 2, 4, 1, 2, 1, 4, 25, 6, (40, 10), (40, 10)),
    Layout(110, 110, "8", 4, 7, 3, 4, 3, 7, 28, 9, (46, 10), (46, 10)),
    Layout(120, 290, "8", 6, 10, 3, 4, 3, 7, 28, 9, (47, 46), (47, 12), finger_quaternions=True),
)
#: Of releases before 5, which number the nubs in another way.
_RELEASE_4: Final = Layout(104, 104, "4", 2, 4, 1, 2, 1, 4, 25, 6, (40, 10), (40, 10))


@dataclass(frozen=True, slots=True)
class Chain:
    """Spine, neck, tail or a ponytail.

    Attributes:
        lengths: (n,) of the links.
        attach: (4, 4) as stored: where the chain begins on what it hangs from.
    """

    lengths: Array
    attach: Array

    @property
    def links(self) -> int:
        """Number of links."""
        return len(self.lengths)


@dataclass(frozen=True, slots=True)
class Digit:
    """A finger or toe.

    Attributes:
        lengths: (n,) of the links.
        attach: (4, 4) as stored: where it begins on the hand or foot.
    """

    lengths: Array
    attach: Array


@dataclass(frozen=True, slots=True)
class Limb:
    """One side of the arms or legs.

    Attributes:
        numbers: The parameters in front of the digits, by their place in the record.
        digits: Fingers or toes.
    """

    numbers: Array
    digits: tuple[Digit, ...]


@dataclass(frozen=True, slots=True)
class Structure:
    """What a rig consists of.

    Attributes:
        layout: How its poses and keys are stored.
        spine: From the pelvis up.
        neck: From the end of the spine up.
        tail: From the pelvis; no links where there is none.
        arms: Right and left, or empty.
        legs: Right and left, or empty.
        leg_links: Links of a leg, 3 or 4, the foot included.
        head_length: From the head to its nub.
        ponytails: Two; without links where there is none.
    """

    layout: Layout
    spine: Chain
    neck: Chain
    tail: Chain
    ponytails: tuple[Chain, ...] = ()
    arms: tuple[Limb, ...] = ()
    legs: tuple[Limb, ...] = ()
    leg_links: int = 3
    head_length: float = 0.0

    @property
    def leg_shift(self) -> int:
        """How far the numbers of a leg's pose are moved by links beyond the third."""
        return 2 * (self.leg_links - 3)


def floats_of(chunk: Chunk | None) -> Array:
    """Return the numbers of a chunk as float64; none where there is no chunk."""
    if chunk is None or chunk.container:
        return np.zeros(0)
    data = bytes(chunk.data)
    # Counts among the numbers may look like signalling NaNs.
    with np.errstate(invalid="ignore"):
        return np.frombuffer(data[: len(data) // 4 * 4], "<f4").astype(np.float64)


def integers_of(chunk: Chunk | None) -> npt.NDArray[np.int32]:
    """Return the numbers of a chunk as integers; none where there is no chunk."""
    if chunk is None or chunk.container:
        return np.zeros(0, np.int32)
    data = bytes(chunk.data)
    return np.frombuffer(data[: len(data) // 4 * 4], "<i4").astype(np.int32)


def read_structure(live: Mapping[int, Chunk], common: Mapping[int, Chunk]) -> Structure:
    """Return the structure of a rig.

    Args:
        live: Its live set.
        common: The chunks outside of the sets.

    Raises:
        DecodeError: The layout is that of 1997, or another one that is not known, or the records
            do not fit together.
    """
    counts = integers_of(common.get(LINKS))
    leg_links = int(counts[_LEG_LINKS]) if len(counts) > _LEG_LINKS else 3
    if not 3 <= leg_links <= 4:
        leg_links = 3
    layout = _layout(live, leg_links)
    length = floats_of(live.get(HEAD_LENGTH))
    ponytails = tuple(_chain(live.get(id_)) for id_ in PONYTAILS)
    return Structure(
        layout,
        spine=_chain(live.get(SPINE)),
        neck=_chain(live.get(NECK)),
        tail=_chain(live.get(TAIL)),
        ponytails=ponytails,
        arms=_limbs(live.get(ARMS), _ARM_HEAD),
        legs=_limbs(live.get(LEGS), _LEG_HEAD),
        leg_links=leg_links,
        head_length=float(length[0]) if len(length) else 0.0,
    )


def _layout(live: Mapping[int, Chunk], leg_links: int) -> Layout:
    legs, arms = (len(floats_of(live.get(id_))) // 2 for id_ in (LEG_POSE, ARM_POSE))
    leg = legs - 2 * (leg_links - 3)
    for layout in _LAYOUTS:
        if leg == layout.leg and arms in (layout.arm, 0):
            early = layout.ids == "5" and len(floats_of(live.get(HEAD_POSE))) < 9
            return _RELEASE_4 if early else layout
    if leg == 69:
        raise DecodeError("the biped is stored as in 1997, which is kept but not evaluated")
    raise DecodeError("the biped's pose has a size that is not known", found=(legs, arms))


def _chain(chunk: Chunk | None) -> Chain:
    numbers = floats_of(chunk)
    count = len(numbers) - 17
    if count > MOST:
        raise DecodeError("a chain has more links than can be", expected=MOST, found=count)
    if count >= 0:
        return Chain(numbers[1 : 1 + count], numbers[1 + count :].reshape(4, 4))
    # Early necks, and parts that are not there: lengths only.
    return Chain(numbers[1:], np.eye(4))


def _limbs(chunk: Chunk | None, head: int) -> tuple[Limb, ...]:
    numbers, whole = floats_of(chunk), integers_of(chunk)
    out: list[Limb] = []
    at = 0
    while len(out) < 2 and len(numbers) - at >= head:
        count = int(whole[at + head - 1])
        front = numbers[at : at + head]
        at += head
        digits: list[Digit] = []
        if not 0 <= count <= MOST:
            raise DecodeError("the number of fingers or toes cannot be", found=count)
        for _ in range(count):
            links = int(whole[at]) if at < len(whole) else -1
            end = at + 17 + links
            if not 0 <= links <= MOST or end > len(numbers):
                raise DecodeError("a finger or toe goes on behind the end of its record")
            digits.append(Digit(numbers[at + 17 : end], numbers[at + 1 : at + 17].reshape(4, 4)))
            at = end
        out.append(Limb(front, tuple(digits)))
    return tuple(out)
