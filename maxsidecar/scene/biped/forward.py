"""From a posture to the bones of a rig: world positions and rotations.

(Formulas measured against the bind matrices that Skin and Physique store; docs/format/biped.md.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from maxsidecar.scene.biped.posture import DigitPose, LimbPose, Posture
from maxsidecar.scene.biped.props import PropPose
from maxsidecar.scene.biped.roles import LEFT, RIGHT, Role
from maxsidecar.scene.biped.structure import Array, Chain, Digit, Structure
from maxsidecar.scene.biped.turns import (
    MIRROR,
    QUARTER,
    UP,
    about_x,
    about_y,
    about_z,
    half_turn,
    mirrored,
    of_quaternion,
    transposed,
)

__all__ = ["Frame", "bones_of", "soles_of", "spaces_agree"]

#: What the plug-in takes for a quarter turn is 1.57; links of chains and hands show the difference.
SLIP: Final = np.pi / 2 - 1.57
#: Which number of a leg says how far the sole is below the ankle.
_SOLE: Final = 7
#: How far apart places, as parts of the height, and turns may be to be the same.  (2e-6 in files.)
_SAME: Final = 1e-4
_X: Final = np.array([1.0, 0.0, 0.0])
_SLIP: Final = about_z(SLIP)
_NUB_MIRRORED: Final = {("finger", RIGHT), ("toe", LEFT)}
#: A half turn about (1, 1, 0).
_NUB_TURNED: Final = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])


class Frame(NamedTuple):
    """Where a bone is.

    Attributes:
        turn: (T, 3, 3) world rotation, columns are the bone's axes.
        place: (T, 3) world position.
    """

    turn: Array
    place: Array

    def at(self, offset: Array) -> Array:
        """Return the world position of a point of the bone."""
        out: Array = self.place + self.turn @ offset
        return out


def bones_of(structure: Structure, posture: Posture) -> dict[Role, Frame]:
    """Return every bone and nub of a rig."""
    return _Rig(structure, posture).solve()


def soles_of(structure: Structure) -> list[tuple[Role, float]]:
    """Return the feet of a rig, and how far the sole is below the ankle."""
    last = structure.leg_links - 1
    return [
        (Role("leg", side, last), float(limb.numbers[_SOLE]))
        for side, limb in enumerate(structure.legs)
    ]


class _Rig:
    def __init__(self, structure: Structure, posture: Posture) -> None:
        self.structure = structure
        self.posture = posture
        self.bones: dict[Role, Frame] = {}
        #: Frame of the hips, from which everything hangs, whatever the pelvis does.
        self.hips = Frame(posture.turn @ QUARTER, posture.place)

    def solve(self) -> dict[Role, Frame]:
        structure, posture = self.structure, self.posture
        self.bones[Role("com")] = Frame(posture.turn, posture.com)
        pelvis = self.hips
        if posture.pelvis is not None:
            pelvis = Frame(posture.turn @ posture.pelvis, posture.place)
        self.bones[Role("pelvis")] = pelvis
        chest = self._chain("spine", structure.spine, self.hips)
        self._chain("tail", structure.tail, self.hips, nub=True)
        neck = self._chain("neck", structure.neck, chest)
        head = Frame(posture.turn @ posture.head, neck.place)
        self.bones[Role("head")] = head
        self.bones[Role("head nub")] = Frame(head.turn, head.at(_X * structure.head_length))
        for number, chain in enumerate(structure.ponytails):
            self._chain(f"pony{number + 1}", chain, head, nub=True)
        for side, pose in enumerate(posture.arms):
            self._arm(side, pose, chest)
        for side, pose in enumerate(posture.legs):
            self._leg(side, pose, pelvis)
        for number, prop in posture.props.items():
            self._prop(number, prop)
        self._footsteps()
        return self.bones

    def _footsteps(self) -> None:
        """Place the node of the footsteps: upright, below the centre of mass, under the lower foot.

        (Measured on three clips that 3ds Max sampled, whose height is that of the frame before.)
        """
        soles = [
            self.bones[role].place[:, 2] - depth
            for role, depth in soles_of(self.structure)
            if role in self.bones
        ]
        if not soles:
            return
        height = np.broadcast_arrays(*soles)
        com = self.posture.com
        ground = np.minimum.reduce(height)[:, None]
        xy, z = (
            np.broadcast_to(a, (max(len(com), len(ground)), a.shape[1])) for a in (com, ground)
        )
        place = np.concatenate([xy[:, :2], z], axis=1)
        self.bones[Role("footsteps")] = Frame(np.eye(3)[None], place)

    def _prop(self, number: int, pose: PropPose) -> None:
        turn, place = np.zeros((1, 3, 3)), np.zeros((1, 3))
        for space, frame in enumerate(_in_spaces(self.bones, pose)):
            turn = np.where((pose.turn_space == space)[:, None, None], frame.turn, turn)
            place = np.where((pose.place_space == space)[:, None], frame.place, place)
        self.bones[Role("prop", digit=number)] = Frame(turn, place)

    def _chain(self, name: str, chain: Chain, parent: Frame, *, nub: bool = False) -> Frame:
        """Add the links of a chain; return the frame at the end of the last, not slipped."""
        attach = chain.attach
        turns = self.posture.chains.get(name, [])
        if chain.links == 0:
            return parent
        place = parent.at(np.array([attach[3, 1], attach[3, 0], -attach[3, 2]]))
        turn = parent.turn @ attach[:3, :3].T
        tip = place
        for link, length in enumerate(chain.lengths):
            if link < len(turns):
                turn = turn @ turns[link]
            tip = place + turn @ (_X * length)
            shown = turn @ _SLIP
            self.bones[Role(name, link=link)] = Frame(shown, tip - shown @ (_X * length))
            place = tip
        if nub:
            self.bones[Role(f"{name} nub")] = Frame(turn @ _NUB_TURNED, tip)
        return Frame(turn, tip)

    def _arm(self, side: int, pose: LimbPose, chest: Frame) -> None:
        limb = self.structure.arms[side]
        numbers = limb.numbers
        left = side == LEFT
        sign = 1.0 if left else -1.0
        a = numbers[6] + pose.clavicle[:, 0]
        b = numbers[7] + pose.clavicle[:, 1]
        turn = about_x(-a) @ half_turn(np.pi / 4 + b / 2)
        offset = sign * np.array([-numbers[9], -numbers[8], numbers[10]])
        place = chest.at(offset)
        clavicle = Frame(chest.turn @ (turn if left else mirrored(turn)), place)
        self.bones[Role("arm", side, 0)] = clavicle
        base = transposed(of_quaternion(pose.upper)) @ about_x(np.pi)
        if self.structure.layout.late:
            base = about_y(np.pi) @ base
        upper = Frame(
            self.hips.turn @ (mirrored(base) if left else base), clavicle.at(_X * numbers[5])
        )
        self.bones[Role("arm", side, 1)] = upper
        fore = Frame(upper.turn @ about_z(pose.hinge - np.pi), upper.at(_X * numbers[1]))
        self.bones[Role("arm", side, 2)] = fore
        local = UP @ transposed(of_quaternion(pose.extremity)) @ UP.T
        if not left:
            local = mirrored(local)
        palm = Frame(fore.turn @ about_x(-sign * np.pi / 2) @ local, fore.at(_X * numbers[2]))
        self.bones[Role("arm", side, 3)] = Frame(palm.turn @ about_x(sign * SLIP), palm.place)
        for number, (digit, bent) in enumerate(zip(limb.digits, pose.digits, strict=False)):
            turn = UP @ digit.attach[:3, :3].T @ transposed(of_quaternion(bent.base))
            m = digit.attach[3]
            start = np.array([m[0], -m[2], m[1]])
            if not left:
                turn, start = mirrored(turn), MIRROR @ start
            root = Frame(palm.turn @ turn, palm.at(start))
            self._digit("finger", side, number, digit, bent, root)

    def _leg(self, side: int, pose: LimbPose, pelvis: Frame) -> None:
        structure = self.structure
        limb = structure.legs[side]
        numbers = limb.numbers
        left = side == LEFT
        x, y, z, w = np.moveaxis(pose.upper, -1, 0)
        late = structure.layout.late
        base = of_quaternion(np.stack([z, w, -x, y] if late else [-w, z, y, x], axis=-1))
        across = np.array([0.0, 0.0, numbers[1] if left else -numbers[1]])
        bone = Frame(self.hips.turn @ (base if left else mirrored(base)), pelvis.at(across))
        self.bones[Role("leg", side, 0)] = bone
        hinges = [pose.hinge - np.pi, pose.second_hinge]
        for link in range(1, structure.leg_links - 1):
            bone = Frame(bone.turn @ about_z(hinges[link - 1]), bone.at(_X * numbers[1 + link]))
            self.bones[Role("leg", side, link)] = bone
        last = structure.leg_links - 1
        world = UP @ transposed(of_quaternion(pose.extremity))
        foot = Frame(self.posture.turn @ world, bone.at(_X * numbers[1 + last]))
        self.bones[Role("leg", side, last)] = foot
        for number, (digit, bent) in enumerate(zip(limb.digits, pose.digits, strict=False)):
            frame = digit.attach[:3, :3].T
            turn = frame @ transposed(of_quaternion(bent.base))
            if np.linalg.det(frame) < 0:
                turn = turn @ MIRROR
            m = digit.attach[3]
            root = Frame(foot.turn @ turn, foot.at(np.array([m[0], m[1], -m[2]])))
            self._digit("toe", side, number, digit, bent, root)

    def _digit(
        self, part: str, side: int, number: int, digit: Digit, pose: DigitPose, bone: Frame
    ) -> None:
        for link in range(len(digit.lengths)):
            if link:
                turn = pose.links[link - 1]
                if turn.ndim == 2:
                    local = transposed(of_quaternion(turn))
                    local = mirrored(local) if side == RIGHT else local
                else:
                    local = about_z(turn)
                bone = Frame(bone.turn @ local, bone.at(_X * digit.lengths[link - 1]))
            self.bones[Role(part, side, link, number)] = bone
        if len(digit.lengths):
            end = bone.at(_X * digit.lengths[-1])
            turn = bone.turn @ MIRROR if (part, side) in _NUB_MIRRORED else bone.turn
            self.bones[Role(f"{part} nub", side, digit=number)] = Frame(turn, end)


def _in_spaces(bones: Mapping[Role, Frame], pose: PropPose) -> list[Frame]:
    """Return a prop as the world, the body, the right and the left hand have it."""
    body = bones[Role("com")]
    still = Frame(np.eye(3)[None], np.zeros((1, 3)))
    hands = [bones.get(Role("arm", side, 3), body) for side in (RIGHT, LEFT)]
    out = []
    for space, frame in enumerate((still, body, *hands)):
        turned = frame.turn @ transposed(of_quaternion(pose.turns[:, space]))
        moved = np.einsum("tij,tj->ti", *_together(frame, pose.places[:, space]))
        out.append(Frame(turned, frame.place + moved))
    return out


def spaces_agree(bones: Mapping[Role, Frame], pose: PropPose, height: float) -> bool:
    """Return whether a prop is at one place in all spaces, as a record of a prop has it.

    Args:
        bones: Of the pose that the record was saved with.
        pose: The prop.
        height: Of the rig, in units of the scene.
    """
    first, *others = _in_spaces(bones, pose)
    return all(
        np.abs(frame.turn - first.turn).max() < _SAME
        and np.abs(frame.place - first.place).max() < _SAME * height
        for frame in others
    )


def _together(frame: Frame, places: Array) -> tuple[Array, Array]:
    """Return turns and places for the same times."""
    rows = max(len(frame.turn), len(places))
    return (
        np.broadcast_to(frame.turn, (rows, 3, 3)),
        np.broadcast_to(places, (rows, 3)),
    )
