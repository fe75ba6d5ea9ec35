"""Where the sizes of a biped's bones are stored.

A size is the length of a bone and what its box measures across.  It is stored up to four times: the
structure has the length, tables of the system (01f4 to 01fc) have the rest and some lengths, the
object offset of the bone's node has all three, and the numbers for dynamics (00ca) repeat two.
(Measured on 166 record sets and 312 nodes, which agree to the bit; docs/format/biped.md.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from maxsidecar.scene.biped.poses import chain_of, digit_name, link_name
from maxsidecar.scene.biped.roles import RIGHT, Role
from maxsidecar.scene.biped.structure import (
    ARMS,
    HEAD_LENGTH,
    LEGS,
    NECK,
    PONYTAILS,
    SPINE,
    TAIL,
    Limb,
    Structure,
)

if TYPE_CHECKING:
    from maxsidecar.scene.node import Node

__all__ = ["DYNAMICS", "BoneSize", "Spot", "size_name", "sizes_of", "table_lengths"]

#: Tables of sizes: head, pelvis and hips; neck; spine; tail; legs; arms; ponytails.
_BODY_SIZES: Final = 0x01F4
_LEG_SIZES: Final = 0x01F9
_ARM_SIZES: Final = 0x01FA
_PONYTAIL_SIZES: Final = 0x01FC
#: Numbers for dynamics; the third is how long the right leg is, the fourth how far off the middle.
DYNAMICS: Final = 0x00CA
#: Numbers of a limb in the tables behind its digits.
_TABLE_END: Final = 3
#: Chain, its lengths, its table.
_CHAINS: Final = (
    ("spine", SPINE, 0x01F7),
    ("neck", NECK, 0x01F5),
    ("tail", TAIL, 0x01F8),
    ("pony1", PONYTAILS[0], _PONYTAIL_SIZES),
    ("pony2", PONYTAILS[1], _PONYTAIL_SIZES),
)
_SIDES: Final = ("right", "left")


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of one number of a size.

    Attributes:
        chunk: Id in the live set.
        at: Which of its numbers.
        share: What is stored is the number times this, a power of two.
    """

    chunk: int
    at: int
    share: float = 1.0


@dataclass(slots=True)
class BoneSize:
    """Where the size of a bone is stored.

    Attributes:
        name: Such as ``spine_1`` or ``right_arm.forearm``.
        role: The bone.
        spots: For length, y and z where they are; the first place of each is where it is read.
        leg: For thigh and calf of the right leg: the lengths that the dynamics add up.
        nodes: Its nodes.
    """

    name: str
    role: Role
    spots: tuple[list[Spot], list[Spot], list[Spot]]
    leg: tuple[int, ...] = ()
    nodes: list[Node] = field(default_factory=list)


def size_name(structure: Structure, role: Role) -> str | None:
    """Return the name of a bone's size; ``None`` for hands, feet and nubs, whose size follows."""
    return next((size.name for size in sizes_of(structure) if size.role == role), None)


def sizes_of(structure: Structure) -> Iterator[BoneSize]:
    """Yield where the size of each bone is."""
    hips = _hips(structure)
    yield BoneSize(
        "pelvis",
        Role("pelvis"),
        (
            [Spot(_BODY_SIZES, 4)],
            [Spot(_BODY_SIZES, 5)],
            [*hips, Spot(_BODY_SIZES, 6, 0.5), Spot(DYNAMICS, 3, 0.5)],
        ),
    )
    tables = dict.fromkeys((table for _, _, table in _CHAINS), 0)
    for name, lengths, table in _CHAINS:
        for link in range(chain_of(structure, name)):
            at = tables[table]
            tables[table] += 2
            spots = ([Spot(lengths, 1 + link)], [Spot(table, at)], [Spot(table, at + 1)])
            yield BoneSize(link_name(name, link), Role(name, link=link), spots)
    head = [Spot(HEAD_LENGTH, 0), Spot(_BODY_SIZES, 0), Spot(_BODY_SIZES, 3)]
    yield BoneSize("head", Role("head"), (head, [Spot(_BODY_SIZES, 1)], [Spot(_BODY_SIZES, 2)]))
    yield from _arms(structure)
    yield from _legs(structure)


def _hips(structure: Structure) -> list[Spot]:
    """Return where half the distance of the hips is among the numbers of the legs."""
    out, at = [], 0
    for limb in structure.legs:
        out.append(Spot(LEGS, at + 1, 0.5))
        at += _record(limb)
    return out


def _record(limb: Limb) -> int:
    return len(limb.numbers) + sum(17 + len(digit.lengths) for digit in limb.digits)


def _arms(structure: Structure) -> Iterator[BoneSize]:
    at = table = 0
    for side, limb in enumerate(structure.arms):
        prefix = f"{_SIDES[side]}_arm."
        end = table + 4 + 2 * sum(len(digit.lengths) for digit in limb.digits)
        # Behind the digits of each side the clavicle has all three numbers.
        yield BoneSize(
            f"{prefix}clavicle",
            Role("arm", side, 0),
            (
                [Spot(ARMS, at + 5), Spot(_ARM_SIZES, end)],
                [Spot(_ARM_SIZES, end + 1)],
                [Spot(_ARM_SIZES, end + 2)],
            ),
        )
        for link, name in ((1, "upper_arm"), (2, "forearm")):
            across = table + 2 * (link - 1)
            yield BoneSize(
                prefix + name,
                Role("arm", side, link),
                ([Spot(ARMS, at + link)], *_across(_ARM_SIZES, across)),
            )
        yield from _digits(limb, "finger", side, prefix, (ARMS, at), (_ARM_SIZES, table + 4))
        at += _record(limb)
        table = end + _TABLE_END


def _legs(structure: Structure) -> Iterator[BoneSize]:
    at = table = 0
    links = structure.leg_links - 1
    names = ("thigh", "calf", "horse_link")[:links]
    for side, limb in enumerate(structure.legs):
        prefix = f"{_SIDES[side]}_leg."
        lengths = tuple(at + 2 + link for link in range(links))
        for link, name in enumerate(names):
            yield BoneSize(
                prefix + name,
                Role("leg", side, link),
                ([Spot(LEGS, lengths[link])], *_across(_LEG_SIZES, table + 2 * link)),
                leg=lengths if side == RIGHT else (),
            )
        table += 2 * links
        yield from _digits(limb, "toe", side, prefix, (LEGS, at), (_LEG_SIZES, table))
        at += _record(limb)
        table += 2 * sum(len(digit.lengths) for digit in limb.digits) + _TABLE_END


def _digits(
    limb: Limb, part: str, side: int, prefix: str, record: tuple[int, int], table: tuple[int, int]
) -> Iterator[BoneSize]:
    at, across = record[1] + len(limb.numbers), table[1]
    for number, digit in enumerate(limb.digits):
        for link in range(len(digit.lengths)):
            yield BoneSize(
                prefix + digit_name(part, number, link),
                Role(part, side, link, number),
                ([Spot(record[0], at + 17 + link)], *_across(table[0], across)),
            )
            across += 2
        at += 17 + len(digit.lengths)


def _across(table: int, at: int) -> tuple[list[Spot], list[Spot]]:
    return [Spot(table, at)], [Spot(table, at + 1)]


def table_lengths(structure: Structure) -> dict[int, int]:
    """Return how many numbers the tables of limbs have."""
    out = {}
    for table, limbs, links in (
        (_ARM_SIZES, structure.arms, 2),
        (_LEG_SIZES, structure.legs, structure.leg_links - 1),
    ):
        digits = sum(len(digit.lengths) for limb in limbs for digit in limb.digits)
        out[table] = len(limbs) * (2 * links + _TABLE_END) + 2 * digits
    return out
