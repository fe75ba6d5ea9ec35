"""A posture: what turns each part of a rig, at some times.

It is read from the figure's records, or from the keys; :mod:`maxsidecar.scene.biped.forward` makes
bones of it.  All arrays begin with the times, (T, ...), or (1, ...) for what does not move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.biped.props import PropPose, figure_props
from maxsidecar.scene.biped.roles import RIGHT
from maxsidecar.scene.biped.structure import (
    ARM_POSE,
    HEAD_POSE,
    LEG_POSE,
    MOST,
    Array,
    Digit,
    Structure,
    floats_of,
    integers_of,
)
from maxsidecar.scene.biped.turns import (
    QUARTER,
    UP,
    link_turn,
    mirrored,
    of_quaternion,
    transposed,
)
from maxsidecar.scene.controllers.rotations import matrix_to_quaternion

__all__ = [
    "DigitPose",
    "LimbPose",
    "Posture",
    "figure_posture",
    "foot_quaternion",
    "limb_pose",
    "thigh_quaternion",
    "upright",
    "world_turn",
]

COM_POSE: Final = 0x006C
#: Angles of spine, tail, ponytails and neck.
ANGLES: Final = {"spine": 0x0067, "tail": 0x0068, "pony1": 0x006D, "pony2": 0x006E, "neck": 0x0065}
_HALF: Final = of_quaternion([-np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0])
_NEUTRAL: Final = np.array([[0.0, 0.0, 0.0, 1.0]])


@dataclass(slots=True)
class DigitPose:
    """A finger or toe.

    Attributes:
        base: (T, 4) quaternion of the first link.
        links: For each further link (T,) an angle, or (T, 4) a quaternion.
    """

    base: Array
    links: list[Array] = field(default_factory=list)


@dataclass(slots=True)
class LimbPose:
    """One side of the arms or legs, as stored.

    Attributes:
        hinge: (T,) angle of elbow or knee.
        second_hinge: (T,) of the second joint of a leg with four links.
        upper: (T, 4) quaternion of upper arm or thigh.
        extremity: (T, 4) quaternion of hand or foot.
        clavicle: (T, 2) change of the clavicle's angles.
        digits: Fingers or toes.
    """

    hinge: Array
    second_hinge: Array
    upper: Array
    extremity: Array
    clavicle: Array
    digits: list[DigitPose] = field(default_factory=list)


@dataclass(slots=True)
class Posture:
    """What turns each part of a rig.

    Attributes:
        place: (T, 3) world position of the pelvis.
        com: (T, 3) world position of the centre of mass.
        turn: (T, 3, 3) world rotation of the centre of mass, columns.
        pelvis: (T, 3, 3) rotation of the pelvis below the centre of mass, or ``None`` where it is
            not turned.
        head: (T, 3, 3) rotation of the head below the centre of mass.
        chains: For ``spine``, ``neck``, ``tail``, ``pony1``, ``pony2`` the rotation of each link,
            (T, 3, 3).
        arms: Right and left.
        legs: Right and left.
        props: What it carries, by number.
    """

    place: Array
    com: Array
    turn: Array
    pelvis: Array | None
    head: Array
    chains: dict[str, list[Array]]
    arms: list[LimbPose]
    legs: list[LimbPose]
    props: dict[int, PropPose] = field(default_factory=dict)


def figure_posture(structure: Structure, live: Mapping[int, Chunk]) -> Posture:
    """Return the figure pose.

    Raises:
        DecodeError: A record is too short.
    """
    com = floats_of(live.get(COM_POSE))
    if len(com) < 12:
        raise DecodeError("the centre of mass is not stored", expected=12, found=len(com))
    place = np.array([com[4], -com[6], com[5]])
    turn = of_quaternion([-com[8], com[10], -com[9], com[11]])
    away = turn @ np.array([com[0], -com[2], com[1]])
    head = floats_of(live.get(HEAD_POSE))
    return Posture(
        place=place[None],
        com=(place + away)[None],
        turn=turn[None],
        pelvis=None,
        head=upright(head[None, :4] if len(head) >= 4 else _NEUTRAL),
        chains={name: _angles(live.get(id_)) for name, id_ in ANGLES.items()},
        arms=_limbs(structure, live.get(ARM_POSE), arms=True),
        legs=_limbs(structure, live.get(LEG_POSE), arms=False),
        props=figure_props(live),
    )


def _angles(chunk: Chunk | None) -> list[Array]:
    numbers, whole = floats_of(chunk), integers_of(chunk)
    count = int(whole[0]) if len(whole) else 0
    if not 0 <= count < len(numbers):
        count = 0
    count = min(count, 3 * MOST)
    triples = numbers[1 : 1 + count // 3 * 3].reshape(-1, 3)
    return [link_turn(triple[None]) for triple in triples]


def _limbs(structure: Structure, chunk: Chunk | None, *, arms: bool) -> list[LimbPose]:
    numbers = floats_of(chunk)
    size = len(numbers) // 2
    limbs = structure.arms if arms else structure.legs
    if size == 0:
        return []
    out = []
    for side, limb in enumerate(limbs):
        pose = limb_pose(
            structure, numbers[None, side * size : (side + 1) * size], limb.digits, arms=arms
        )
        # The figure's record repeats the clavicle's whole angles where keys have changes.
        pose.clavicle = np.zeros((1, 2))
        out.append(pose)
    return out


def limb_pose(
    structure: Structure, records: Array, digits: tuple[Digit, ...], *, arms: bool
) -> LimbPose:
    """Return what the records of one side of a limb say.

    Args:
        structure: The rig.
        records: (T, n), one row for each time.
        digits: Its fingers or toes.
        arms: Whether it is an arm.

    Raises:
        DecodeError: The records are too short for the structure.
    """
    layout = structure.layout
    shift = 0 if arms else structure.leg_shift
    start, step = layout.finger_digits if arms else layout.toe_digits
    quaternions = arms and layout.finger_quaternions
    extremity = layout.extremity + shift
    if records.shape[1] < extremity + 4:
        raise DecodeError("the pose of a limb is too short", found=records.shape[1])
    out = LimbPose(
        hinge=records[:, 0],
        second_hinge=records[:, 1],
        upper=records[:, 2 + shift : 6 + shift],
        extremity=records[:, extremity : extremity + 4],
        clavicle=records[:, layout.clavicle : layout.clavicle + 2],
    )
    for number, digit in enumerate(digits):
        block = records[:, start + shift + step * number :][:, :step]
        if block.shape[1] < 8:
            raise DecodeError("the pose of a limb has fewer digits than the structure")
        links: list[Array] = []
        for link in range(1, len(digit.lengths)):
            at = 8 * link if quaternions else 7 + link
            width = 4 if quaternions else 1
            if at + width > block.shape[1]:
                raise DecodeError("a digit has more links than its pose")
            links.append(block[:, at : at + 4] if quaternions else block[:, at])
        out.digits.append(DigitPose(block[:, :4], links))
    return out


def upright(quaternions: Array) -> Array:
    """Return rotations of head or pelvis below the centre of mass: (T, 4) to (T, 3, 3)."""
    out: Array = UP @ transposed(of_quaternion(quaternions)) @ _HALF
    return out


def world_turn(quaternions: Array) -> Array:
    """Return world rotations of quaternions in the plug-in's axes: (T, 4) to (T, 3, 3)."""
    out: Array = UP @ transposed(of_quaternion(quaternions)) @ UP.T
    return out


def thigh_quaternion(structure: Structure, side: int, body: Array, turn: Array) -> Array:
    """Return what a leg stores for its thigh, (T, 4).

    Args:
        structure: The rig.
        side: Which leg.
        body: (T, 3, 3) world rotation of the centre of mass.
        turn: (T, 3, 3) world rotation of the thigh.
    """
    local = transposed(body @ QUARTER) @ turn
    q = matrix_to_quaternion(transposed(mirrored(local) if side == RIGHT else local))
    x, y, z, w = np.moveaxis(q, -1, 0)
    late = structure.layout.late
    return np.stack([-z, w, x, y] if late else [w, z, y, -x], axis=-1)


def foot_quaternion(body: Array, turn: Array) -> Array:
    """Return what a leg stores for its foot, (T, 4): see :func:`thigh_quaternion`."""
    return matrix_to_quaternion(UP.T @ transposed(body) @ turn)
