"""What the poses of a biped consist of, by the names of its bones.

A record of the figure and a key of the same part are laid out alike, so one list says for both
which numbers turn which bone.  (Layouts measured on releases 5 to 2012; docs/format/biped.md.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.biped.posture import ANGLES as CHAIN_POSES
from maxsidecar.scene.biped.posture import COM_POSE
from maxsidecar.scene.biped.props import NEEDED, POSES, SPACES
from maxsidecar.scene.biped.structure import (
    ARM_POSE,
    ARMS,
    HEAD_POSE,
    LEG_POSE,
    Digit,
    Structure,
    floats_of,
    integers_of,
)
from maxsidecar.scene.biped.system import Rig
from maxsidecar.scene.biped.tracks import TRACKS
from maxsidecar.scene.biped.values import ANGLES, PLACE, QUATERNION, Slots, Value

__all__ = ["chain_of", "clavicles", "digit_name", "figure_values", "key_values", "link_name"]

_SIDES: Final = ("right", "left")
#: Names of chains, as tracks and records call them.
CHAINS: Final = {"spine": "spine", "neck": "neck", "tail": "tail", "pony1": "ponytail_1",
                 "pony2": "ponytail_2"}  # fmt: skip
#: Structure's angles of the clavicle, among the numbers of an arm.
_CLAVICLE: Final = (6, 7)
#: A world rotation is stored inverted, with Y up: (x, y, z, w) to (-x, z, -y, w).
_TURN_SIGNS: Final = (-1, 1, -1, 1)
#: Places and rotations of props are those of the scene's axes, rotations inverted.
_PROP_SIGNS: Final = {"position": (1, 1, 1), "rotation": (-1, -1, -1, 1)}
#: Of a prop's record: the space that counts, the first number of the first space.
_PROP: Final = {"position": (0, 18), "rotation": (1, 2)}


class Part(NamedTuple):
    """Some numbers of a record.

    Attributes:
        name: The bone that they turn.
        kind: What they are, see :mod:`maxsidecar.scene.biped.values`.
        at: Which numbers of the record.
        signs: What turns them into those of the scene's axes.
    """

    name: str
    kind: str
    at: tuple[int, ...]
    signs: tuple[int, ...]


def _part(name: str, kind: str, first: int, count: int) -> Part:
    return Part(name, kind, tuple(range(first, first + count)), (1,) * count)


def chain_of(structure: Structure, name: str) -> int:
    """Return how many links a chain has."""
    if name.startswith("pony"):
        number = int(name[-1]) - 1
        ponytails = structure.ponytails
        return ponytails[number].links if number < len(ponytails) else 0
    return {"spine": structure.spine, "neck": structure.neck, "tail": structure.tail}[name].links


def link_name(chain: str, link: int) -> str:
    """Return the name of a link: ``spine``, ``spine_1``, as nodes are called Spine, Spine1."""
    return f"{CHAINS[chain]}_{link}" if link else CHAINS[chain]


def digit_name(part: str, digit: int, link: int) -> str:
    """Return the name of a link: ``finger_0``, ``finger_0_1``, as nodes are called Finger01."""
    return f"{part}_{digit}_{link}" if link else f"{part}_{digit}"


def _chain(name: str, links: int, angles: int, first: int) -> Iterator[Part]:
    """Yield the links of a chain that have angles."""
    for link in range(min(links, max(angles, 0) // 3)):
        yield _part(link_name(name, link), ANGLES, first + 3 * link, 3)


def _limb(structure: Structure, digits: tuple[Digit, ...], *, arms: bool) -> Iterator[Part]:
    layout = structure.layout
    shift = 0 if arms else structure.leg_shift
    if arms:
        yield _part("clavicle", ANGLES, layout.clavicle, 2)
    yield _part("upper_arm" if arms else "thigh", QUATERNION, 2 + shift, 4)
    yield _part("forearm" if arms else "calf", ANGLES, 0, 1)
    if not arms and structure.leg_links > 3:
        yield _part("horse_link", ANGLES, 1, 1)
    yield _part("hand" if arms else "foot", QUATERNION, layout.extremity + shift, 4)
    start, step = layout.finger_digits if arms else layout.toe_digits
    quaternions = arms and layout.finger_quaternions
    for number, digit in enumerate(digits):
        at = start + shift + step * number
        for link in range(len(digit.lengths)):
            name = digit_name("finger" if arms else "toe", number, link)
            if link == 0:
                yield _part(name, QUATERNION, at, 4)
            elif quaternions:
                yield _part(name, QUATERNION, at + 8 * link, 4)
            else:
                yield _part(name, ANGLES, at + 7 + link, 1)


# --- the figure ----------------------------------------------------------------------------------


def figure_values(rig: Rig) -> dict[str, Value]:
    """Return what can be read and written of the figure pose, by name.

    ``position`` and ``rotation`` are those of the pelvis and of the centre of mass in the world,
    everything else is called after bones, those of limbs with ``right_arm.`` and so on in front.
    A prop is given in the space that counts for it.
    """
    structure, live = rig.structure, rig.sets.live
    turn = Part("rotation", QUATERNION, (8, 10, 9, 11), _TURN_SIGNS)
    out = [
        _value(Part("position", PLACE, (4, 6, 5), (1, -1, 1)), COM_POSE),
        _value(turn, COM_POSE),
        _value(_part("head", QUATERNION, 0, 4), HEAD_POSE),
    ]
    for name in CHAINS:
        id_ = CHAIN_POSES[name]
        counts = integers_of(live.get(id_))
        angles = int(counts[0]) if len(counts) and counts[0] < len(counts) else 0
        parts = _chain(name, chain_of(structure, name), angles, 1)
        out += [_value(part, id_) for part in parts]
    for limbs, id_, word in ((structure.arms, ARM_POSE, "arm"), (structure.legs, LEG_POSE, "leg")):
        half = len(floats_of(live.get(id_))) // 2
        for side, limb in enumerate(limbs):
            arms = word == "arm"
            for part in _limb(structure, limb.digits, arms=arms):
                value = _value(part, id_, side * half, f"{_SIDES[side]}_{word}.")
                if part.name == "clavicle":
                    # The structure's angles count; the pose repeats them.
                    value = Value(
                        value.name,
                        ANGLES,
                        clavicles(structure)[side],
                        value.signs,
                        (value.slots,),
                    )
                out.append(value)
    # A third prop is told by its record, which an edit would change.
    for number, id_ in enumerate(POSES[:2], 1):
        counts = integers_of(live.get(id_))
        if len(counts) >= NEEDED:
            out += _prop(f"prop_{number}.", id_, counts[None], 0)
    return {value.name: value for value in out if value.fits(live)}


def _prop(
    prefix: str, chunk: int, counts: npt.NDArray[np.int32], first: int, *, keyed: bool = False
) -> list[Value]:
    """Return place and rotation of a prop, each in the space that counts for it."""
    out = []
    count, size = counts.shape
    for name, (which, start) in _PROP.items():
        signs = _PROP_SIGNS[name]
        space = np.clip(counts[:, which], 0, SPACES - 1).astype(np.intp)
        rows = first + size * np.arange(count, dtype=np.intp) + start + 4 * space
        at = rows[:, None] + np.arange(len(signs), dtype=np.intp)
        kind = PLACE if name == "position" else QUATERNION
        out.append(Value(prefix + name, kind, Slots(chunk, at), signs, keyed=keyed))
    return out


def _value(part: Part, chunk: int, start: int = 0, prefix: str = "") -> Value:
    slots = Slots.of(chunk, *(start + at for at in part.at))
    return Value(prefix + part.name, part.kind, slots, part.signs)


def clavicles(structure: Structure) -> list[Slots]:
    """Return where the angles of the clavicles are in the structure, right and left."""
    out, at = [], 0
    for limb in structure.arms:
        out.append(Slots.of(ARMS, *(at + column for column in _CLAVICLE)))
        at += len(limb.numbers) + sum(17 + len(digit.lengths) for digit in limb.digits)
    return out


# --- keys ----------------------------------------------------------------------------------------


def key_values(rig: Rig, track: str) -> dict[str, Value]:
    """Return what can be read and written of the keys of a track, by name.

    Those of the centre of mass are ``position`` across the ground, ``height`` (of the pelvis and
    of the centre of mass) and ``rotation``; everything else is called after bones.  Props have
    none: each key holds them in four spaces, which have to agree.

    Raises:
        KeyError: The track has no keys.
    """
    keys = rig.tracks[track]
    id_ = TRACKS[track]
    count, size = keys.records.shape
    total = len(floats_of(rig.sets.live[id_]))
    # The height is stored twice, one bank behind the other.
    banks = 2 if track == "vertical" else 1
    bank = total // banks
    rows = bank - count * size + size * np.arange(count, dtype=np.intp)[:, None]
    if track.startswith("prop"):
        values = _prop("", id_, keys.counts, total - count * size, keyed=True)
        return {value.name: value for value in values if value.fits(rig.sets.live)}
    out = {}
    for part in _key_parts(rig, track):
        if max(part.at) >= size:
            continue
        columns = rows + np.array(part.at, np.intp)
        copies = tuple(Slots(id_, columns + bank * n) for n in range(1, banks))
        out[part.name] = Value(
            part.name, part.kind, Slots(id_, columns), part.signs, copies, keyed=True
        )
    return {name: value for name, value in out.items() if value.fits(rig.sets.live)}


def _key_parts(rig: Rig, track: str) -> Iterator[Part]:
    structure = rig.structure
    keys = rig.tracks[track]
    if track == "horizontal":
        yield Part("position", PLACE, (0, 2), (1, -1))
    elif track == "vertical":
        yield Part("height", PLACE, (2, 3), (1, 1))
    elif track == "turn":
        yield Part("rotation", QUATERNION, (4, 6, 5, 7), _TURN_SIGNS)
    elif track == "pelvis":
        # Releases before 8 let the pelvis roll only.
        quaternion = keys.records.shape[1] >= 4
        yield _part("pelvis", *((QUATERNION, 0, 4) if quaternion else (ANGLES, 0, 1)))
    elif track == "head":
        at = structure.layout.neck_angles
        yield _part("head", QUATERNION, 0, 4)
        yield from _chain("neck", structure.neck.links, int(keys.counts[0, at]), at + 1)
    elif track in CHAINS:
        yield from _chain(track, chain_of(structure, track), int(keys.counts[0, 0]), 1)
    elif track.endswith((" arm", " leg")):
        arms = track.endswith("arm")
        limbs = structure.arms if arms else structure.legs
        side = 0 if track.startswith("right") else 1
        if side < len(limbs):
            yield from _limb(structure, limbs[side].digits, arms=arms)
