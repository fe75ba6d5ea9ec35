"""Records of a biped, built by hand: always the same figure, upright, arms and legs stretched."""

from __future__ import annotations

from dataclasses import dataclass
from struct import pack
from typing import Any

import numpy as np

from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.posture import figure_posture
from maxsidecar.scene.biped.sets import split_sets
from maxsidecar.scene.biped.structure import Structure, read_structure

#: Numbers of a side of leg and arm, the hand's and foot's quaternion, the first digit.
LAYOUTS = {104: (104, 25, 40), 110: (110, 28, 46), 120: (290, 28, 47)}
IDENTITY = (1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0)


@dataclass
class Leaf:
    """As much of a chunk as the readers look at."""

    id: int
    data: bytes = b""
    container: bool = False


def floats(*numbers: float) -> bytes:
    """Return numbers of 32 bits."""
    return pack(f"<{len(numbers)}f", *numbers)


def chain(*lengths: float) -> bytes:
    """Return the structure of a chain that begins where its parent is."""
    return pack("<i", 3 * len(lengths)) + floats(*lengths, *IDENTITY)


def arm() -> bytes:
    """Return the structure of an arm of 3 and 2, with a finger of two links."""
    numbers = [0.0] * 16
    numbers[1], numbers[2], numbers[5], numbers[10] = 3.0, 2.0, 1.0, 0.5
    digit = pack("<i", 2) + floats(*IDENTITY, 0.4, 0.2)
    return floats(*numbers) + pack("<i", 1) + digit


def leg() -> bytes:
    """Return the structure of a leg of 4 and 5, without toes."""
    numbers = [0.0] * 10
    numbers[1], numbers[2], numbers[3] = 0.75, 4.0, 5.0
    return floats(*numbers) + pack("<i", 0)


def stretched(size: int, extremity: int, digit: int, shift: int = 0, *, quaternions: bool) -> bytes:
    """Return the pose of both sides of a limb, stretched."""
    half = np.zeros(size + shift, "<f4")
    half[0] = np.pi
    half[[5 + shift, extremity + 3 + shift, digit + 3 + shift]] = 1.0
    if quaternions:
        half[digit + 11] = 1.0
    return half.tobytes() * 2


def live() -> list[Leaf]:
    """Return the live set of a rig of release 8 that stands at (7, -5, 20), limbs stretched."""
    return [
        Leaf(0x0190, pack("<i", 44)),
        Leaf(0x000B, chain(1.0, 2.0)),
        Leaf(0x000C, floats(0.9)),
        Leaf(0x000D, chain(0.5)),
        Leaf(0x000F, leg() * 2),
        Leaf(0x0010, arm() * 2),
        Leaf(0x0064, floats(0, 0, 0, 1, 0, 0, 0, 0, 0)),
        Leaf(0x0065, pack("<i", 3) + floats(0, 0, 0)),
        Leaf(0x0067, pack("<i", 6) + floats(*[0.0] * 6)),
        Leaf(0x0069, stretched(110, 28, 46, quaternions=False)),
        Leaf(0x006A, stretched(110, 28, 46, quaternions=False)),
        Leaf(0x006C, floats(0, 0, 0, 0, 7.0, 20.0, 5.0, 1.0, 0, 0, 0, 1.0)),
        Leaf(0x0141),
    ]


def system() -> list[Leaf]:
    """Return all chunks of a system, with a set of the clipboard and one of a layer."""
    clipboard = [Leaf(0x0190), Leaf(0x000C, floats(99.0)), Leaf(0x0141)]
    layer = [Leaf(0x0190), Leaf(0x000C, floats(77.0)), Leaf(0x0141)]
    links = Leaf(0x0100, pack("<6i", 0, 0, 0, 0, 3, 0))
    return [links, *clipboard, Leaf(0x0108, pack("<2i", 1, 0)), *live(), *layer, Leaf(0x0104)]


def times(*ticks: int) -> bytes:
    """Return the times of keys, neutral, as layouts of releases from 8 on have them."""
    head = pack("<7i", len(ticks), 0, 0, 0, 0, 0, 0)
    return head + b"".join(
        pack("<7i", t, n, 0, 0, 0, 0, 0) + floats(25, 25, 25) for n, t in enumerate(ticks)
    )


def rig(
    leg_size: int, *, links: int = 3, arms: bool = True, head: int = 9
) -> tuple[Structure, Any]:
    """Return a rig of a layout, and its bones in the figure."""
    arm_size, extremity, digit = LAYOUTS[leg_size]
    shift = 2 * (links - 3)
    numbers = [0.0] * 10
    numbers[1 : 1 + links] = [0.75, 4.0, 5.0, 2.0][:links]
    toe = pack("<i", 1) + pack("<i", 1) + floats(*IDENTITY, 0.3)
    records = {
        0x000F: (floats(*numbers) + toe) * 2,
        0x0064: floats(*[0.0, 0, 0, 1, 0, 0, 0, 0, 0][:head]),
        0x0069: stretched(leg_size, extremity, digit, shift, quaternions=False),
        0x006A: stretched(arm_size, extremity, digit, quaternions=leg_size == 120),
    }
    if not arms:
        records |= {0x0010: pack("<i", 0), 0x006A: b""}
    leaves = [Leaf(leaf.id, records.get(leaf.id, leaf.data)) for leaf in live()]
    counts = Leaf(0x0100, pack("<6i", 0, 0, 0, 0, links, 0))
    sets = split_sets([counts, Leaf(0x0108), *leaves])  # type: ignore[list-item]
    structure = read_structure(sets.live, sets.common)
    return structure, bones_of(structure, figure_posture(structure, sets.live))
