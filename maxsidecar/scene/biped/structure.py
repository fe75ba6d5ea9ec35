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
#: How many links legs can have; each beyond the third takes two numbers of a pose.
_LEG_SIZES: Final = (3, 4)
#: Numbers in one side of a leg's or an arm's pose in 1997.
_LEG_1997: Final = 69
#: Numbers in front of the digits of an arm and of a leg.
_ARM_HEAD: Final = 17
_LEG_HEAD: Final = 11
#: Which part of a rig's height its head is.  (spec)
_HEAD_SHARE: Final = 0.113253
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
    def late(self) -> bool:
        """Whether it is that of a release from 8 on, which turn upper arms and thighs otherwise."""
        return self.leg >= 110

    @property
    def chain_changes(self) -> bool:
        """Whether keys of spine, tail and ponytails hold changes to the figure's links.

        Those of the neck never do.  (Measured on releases 5, 7 and 8: docs/format/biped.md.)
        """
        return not self.late

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
        lost: What is left out since its pose is stored in a way that is not known.
        third_prop: Whether a record where that of a third prop should be has it at one place in all
            four spaces, as those of the others have it.
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
    lost: tuple[str, ...] = ()
    third_prop: bool = False

    @property
    def height(self) -> float:
        """How high the rig is, in units of the scene, by the head's length."""
        return abs(self.head_length) / _HEAD_SHARE

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
    sides = tuple(len(floats_of(live.get(id_))) // 2 for id_ in (LEG_POSE, ARM_POSE))
    layout, leg_links = _layout(live, *sides)
    counts = integers_of(common.get(LINKS))
    if leg_links is None:
        leg_links = int(counts[_LEG_LINKS]) if len(counts) > _LEG_LINKS else 3
        leg_links = leg_links if leg_links in _LEG_SIZES else 3
        legs: tuple[Limb, ...] = ()
        lost = [f"legs: their pose has a size that is not known: {sides[0]} numbers"]
    else:
        legs, lost = _limbs(live.get(LEGS), _LEG_HEAD), []
    arms = _limbs(live.get(ARMS), _ARM_HEAD)
    if arms and sides[1] not in (layout.arm, 0):
        arms = ()
        lost.append(f"arms: their pose has a size that is not known: {sides[1]} numbers")
    length = floats_of(live.get(HEAD_LENGTH))
    return Structure(
        layout,
        spine=_chain(live.get(SPINE)),
        neck=_chain(live.get(NECK)),
        tail=_chain(live.get(TAIL)),
        ponytails=tuple(_chain(live.get(id_)) for id_ in PONYTAILS),
        arms=arms,
        legs=legs,
        leg_links=leg_links,
        head_length=float(length[0]) if len(length) else 0.0,
        lost=tuple(lost),
    )


def _layout(live: Mapping[int, Chunk], leg: int, arm: int) -> tuple[Layout, int | None]:
    """Return how poses are stored, and how many links legs have, by the sizes of poses.

    Sizes say so by themselves.  Where that of the legs is not known, that of the arms tells, and
    there is no number of links.
    """
    links: int | None = None
    found: Layout | None = None
    for layout in _LAYOUTS:
        for count in _LEG_SIZES:
            if leg == layout.leg + 2 * (count - 3):
                found, links = layout, count
    if found is None:
        if leg in (_LEG_1997, _LEG_1997 + 2) or arm == _LEG_1997:
            raise DecodeError("the biped is stored as in 1997, which is kept but not evaluated")
        found = next((layout for layout in _LAYOUTS if arm == layout.arm), None)
    if found is None:
        raise DecodeError("the biped's pose has a size that is not known", found=(leg, arm))
    early = found.ids == _LAYOUTS[0].ids and _is_release_4(live)
    return (_RELEASE_4 if early else found), links


def _is_release_4(live: Mapping[int, Chunk]) -> bool:
    """Tell release 4: its record of the head ends with the angles of the neck.

    Those of releases 5 to 7 have one more number, however many links the neck has.
    """
    head = live.get(HEAD_POSE)
    whole, at = integers_of(head), _RELEASE_4.neck_angles
    angles = int(whole[at]) if len(whole) > at else 0
    return len(whole) <= at + 1 + (angles if 3 <= angles <= 3 * MOST else 3)


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
