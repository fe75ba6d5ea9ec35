"""Feet that inverse kinematics holds in place, between two keys that plant them.

The keys themselves hold the solved joints.  Between them the foot turns in the world, about a point
of its sole that stays where it is, or slides from key to key; the leg then reaches for the ankle,
its knee about an axis that goes from key to key in the axes of the hips.  (What holds at keys is
measured, what happens between is a model that left-out keys bear out: docs/format/biped.md.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from maxsidecar.scene.biped.forward import bones_of
from maxsidecar.scene.biped.interpolate import Keys
from maxsidecar.scene.biped.posture import LimbPose, Posture, foot_quaternion, thigh_quaternion
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.biped.structure import Array, Chain, Structure
from maxsidecar.scene.biped.tracks import Track
from maxsidecar.scene.biped.turns import QUARTER, about_z, of_quaternion, transposed
from maxsidecar.scene.controllers.rotations import matrix_to_quaternion, normalized, slerp

__all__ = ["WORLD", "blends", "planted_foot", "planted_keys", "planted_runs", "reach", "sole_point"]

#: What a key says where inverse kinematics holds its limb in the world.
WORLD: Final = 2
#: From which blend on inverse kinematics counts; files have what is left of 0, as 4e-12.
_LEAST: Final = 1e-3
#: How far, in lengths of the leg, a point moves that is taken to stay.  (3e-7 in an idle clip.)
_STILL: Final = 1e-5
#: The same for turns of the foot, in half angles.
_STILL_TURN: Final = 1e-5
#: How far, in lengths of the leg, the stored pivot may be from key to key, seen from the foot.
_SAME: Final = 1e-3
#: Where a key has its pivot, in front of the end of its leg's numbers, Y up.
_PIVOT: Final = 9
#: Bend of a knee that is taken for none: more than a 32-bit float adds to a half turn.
_STRAIGHT: Final = 1e-6
_SOLE_DOWN: Final = 7
_SOLE_AHEAD: Final = 9
_NEUTRAL: Final = (0.0, 0.0, 0.0, 1.0)
_NOTHING: Final = Chain(np.zeros(0), np.eye(4))


def blends(structure: Structure, name: str, track: Track) -> Array:
    """Return how far inverse kinematics decides at each key of a limb, (k,), from 0 to 1.

    Args:
        structure: The rig.
        name: Of the track, as ``right leg``.
        track: Its keys.
    """
    at = _blend_at(structure, name)
    if track.records.shape[1] <= at:
        return np.zeros(len(track))
    blend = np.clip(track.records[:, at], 0.0, 1.0)
    return np.where(blend > _LEAST, blend, 0.0)  # what is no number counts as 0


def planted_keys(structure: Structure, name: str, track: Track) -> Array:
    """Return how far inverse kinematics holds a limb in the world at each key: see :func:`blends`.

    That in front of the blend says that it is the world in which it does.
    """
    blend = blends(structure, name, track)
    if not blend.any():
        return blend
    return np.where(track.counts[:, _blend_at(structure, name) - 1] == WORLD, blend, 0.0)


def _blend_at(structure: Structure, name: str) -> int:
    return structure.layout.blend + (structure.leg_shift if name.endswith(" leg") else 0)


def planted_runs(blend: Array) -> list[tuple[int, int]]:
    """Return the first and last key of every run of two or more planted keys."""
    held = np.concatenate([[False], blend > 0.0, [False]])
    edges = np.flatnonzero(held[1:] != held[:-1])
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2) if b - a > 1]


def sole_point(structure: Structure, side: int) -> Array:
    """Return the usual pivot of a foot, (3,), in its axes: on the sole, under the base of the toes.

    (Measured: all planted keys of the corpus store this point, to 1e-7 of the height.)
    """
    numbers = structure.legs[side].numbers
    return np.array([numbers[_SOLE_DOWN], numbers[_SOLE_AHEAD], 0.0])


class _Leg(NamedTuple):
    """A leg at some times.

    Attributes:
        hip: (T, 3) where the thigh begins.
        thigh: (T, 3, 3) its world rotation.
        ankle: (T, 3) where the foot begins.
        foot: (T, 3, 3) its world rotation.
    """

    hip: Array
    thigh: Array
    ankle: Array
    foot: Array


def planted_foot(
    structure: Structure,
    side: int,
    track: Track,
    stored: LimbPose,
    bodies: tuple[Posture, Posture],
    joints: LimbPose,
    times: Array,
) -> LimbPose:
    """Return the pose of a leg of three links between the keys that plant it.

    Outside of runs of planted keys, and at all keys, it is that of its joints.

    Args:
        structure: The rig.
        side: Which leg.
        track: k keys of the leg.
        stored: What they say.
        bodies: Place, turn and pelvis at the k times of the keys, and at the T times.
        joints: (T,) The leg as its joints are interpolated.
        times: (T,) ticks.
    """
    blend = planted_keys(structure, "right leg", track)
    upper, lower = structure.legs[side].numbers[2:4]
    parts = [
        (run, np.flatnonzero((times > track.times[run[0]]) & (times < track.times[run[1]])))
        for run in planted_runs(blend)
    ]
    parts = [(run, inside) for run, inside in parts if len(inside)]
    if not parts or structure.leg_links != 3 or not min(upper, lower) > 0.0:
        return joints
    count = len(times)
    stored = replace(
        stored,
        upper=normalized(stored.upper, _NEUTRAL),
        extremity=normalized(stored.extremity, _NEUTRAL),
    )
    keyed = _leg(structure, side, bodies[0], stored, len(track))
    free = _leg(structure, side, bodies[1], joints, count)
    hips = [
        np.broadcast_to(body.turn @ QUARTER, (rows, 3, 3))
        for body, rows in zip(bodies, (len(track), count), strict=True)
    ]
    bends = np.mod(stored.hinge, 2.0 * np.pi) - np.pi
    axis = Keys(track, times).numbers(np.einsum("tij,ti->tj", hips[0], keyed.thigh[:, :, 2]))
    axis = np.einsum("tij,tj->ti", hips[1], axis)
    hinge, thigh, foot = joints.hinge.copy(), joints.upper.copy(), joints.extremity.copy()
    turn = np.broadcast_to(bodies[1].turn, (count, 3, 3))
    for (first, last), inside in parts:
        rows = slice(first, last + 1)
        keys = Keys(track.part(rows), times[inside])
        # The keys of a run are a track of their own: the ground under a foot knows no others.
        point = _pivot(structure, side, track, keyed, rows)
        pivots = (keyed.ankle + keyed.foot @ point)[rows]
        turns = matrix_to_quaternion(transposed(keyed.foot[rows]))
        path = _held(keys, pivots, keys.numbers(pivots), _STILL * (upper + lower))
        world = _held(keys, turns, keys.rotations(turns), _STILL_TURN)
        share = keys.linear(blend[rows])
        joint_turn = matrix_to_quaternion(transposed(free.foot[inside]))
        world = slerp(joint_turn, world, share, shortest=True)
        joint_place = free.ankle[inside] + free.foot[inside] @ point
        path = joint_place + share[:, None] * (path - joint_place)
        stand = of_quaternion(world)
        bend = _signs(bends[rows])[keys.index]
        angle, reached = reach(
            free.hip[inside],
            axis[inside],
            path - stand @ point,
            (upper, lower),
            bend,
        )
        solved = (bend != 0.0) & np.isfinite(reached).all(axis=(1, 2))
        now = inside[solved]
        hinge[now] = angle[solved] + np.pi
        thigh[now] = thigh_quaternion(structure, side, turn[now], reached[solved])
        foot[now] = foot_quaternion(turn[now], stand[solved])
    return replace(joints, hinge=hinge, upper=thigh, extremity=foot)


def _leg(structure: Structure, side: int, body: Posture, pose: LimbPose, count: int) -> _Leg:
    """Return a leg by the rules for all bones."""
    bare = replace(
        structure,
        spine=_NOTHING,
        neck=_NOTHING,
        tail=_NOTHING,
        ponytails=(),
        arms=(),
        legs=tuple(replace(limb, digits=()) for limb in structure.legs),
    )
    legs = [pose] * (side + 1)
    bones = bones_of(bare, replace(body, chains={}, arms=[], legs=legs, props={}))
    first, last = bones[Role("leg", side, 0)], bones[Role("leg", side, structure.leg_links - 1)]
    places = (np.broadcast_to(frame.place, (count, 3)) for frame in (first, last))
    turns = (np.broadcast_to(frame.turn, (count, 3, 3)) for frame in (first, last))
    return _Leg(*(array for pair in zip(places, turns, strict=True) for array in pair))


def _pivot(structure: Structure, side: int, track: Track, leg: _Leg, rows: slice) -> Array:
    """Return the point of a foot about which the keys of a run turn it, (3,), in the foot's axes.

    It is the one that they store, where all store the same, else the usual one.
    """
    at = structure.layout.leg + structure.leg_shift - _PIVOT
    if track.records.shape[1] >= at + 3:
        stored = track.records[rows, at : at + 3][:, [0, 2, 1]] * [1.0, -1.0, 1.0]
        local = np.einsum("tij,ti->tj", leg.foot[rows], stored - leg.ankle[rows])
        size = sum(structure.legs[side].numbers[2:4])
        if np.ptp(local, axis=0).max() < _SAME * size and np.abs(local).max() < size:
            out: Array = local.mean(axis=0)
            return out
    return sole_point(structure, side)


def _held(keys: Keys, values: Array, between: Array, still: float) -> Array:
    """Return values between keys, but that of the key where two keys say the same."""
    moves = np.abs(np.diff(values, axis=0)).max(axis=1)
    if values.shape[1] == 4:
        # Quaternions mean the same with all signs reversed.
        moves = np.minimum(moves, np.abs(values[1:] + values[:-1]).max(axis=1))
    still_here = (moves <= still)[keys.index]
    out: Array = np.where(still_here[:, None], values[keys.index], between)
    return out


def _signs(bends: Array) -> Array:
    """Return to which side a knee bends between two keys, (k - 1,): 0 where it changes sides.

    Knees that are straight at both keys bend as knees do.
    """
    low, high = np.minimum(bends[1:], bends[:-1]), np.maximum(bends[1:], bends[:-1])
    return np.where(high <= _STRAIGHT, -1.0, np.where(low >= -_STRAIGHT, 1.0, 0.0))


def reach(
    hip: Array, axis: Array, ankle: Array, lengths: tuple[float, float], bend: Array
) -> tuple[Array, Array]:
    """Return the angle of a knee and the rotation of its thigh that bring the ankle to a place.

    A leg that is too short is stretched towards it.  The rotation is no number where the ankle
    has to be at the hip.

    Args:
        hip: (T, 3) where the thigh begins.
        axis: (T, 3) about which the knee bends, as near as can be.
        ankle: (T, 3) where the foot has to be.
        lengths: Of thigh and calf.
        bend: (T,) sign of the angle.
    """
    upper, lower = lengths
    away = ankle - hip
    square = np.einsum("ti,ti->t", away, away)
    cosine = (square - upper**2 - lower**2) / (2.0 * upper * lower)
    angle = bend * np.arccos(np.clip(cosine, -1.0, 1.0))
    # From the thigh to the line between hip and ankle.
    lead = np.arctan2(lower * np.sin(angle), upper + lower * np.cos(angle))
    line = _unit(away)
    # Where the axis is along the leg it says nothing: any other one does.
    across = np.eye(3)[np.argmin(np.abs(line), axis=1)]
    along = ~(np.abs(np.einsum("ti,ti->t", _unit(axis), line)) < 1.0 - 1e-12)
    axis = np.where(along[:, None], across, axis)
    z = _unit(axis - line * np.einsum("ti,ti->t", axis, line)[:, None])
    rest = np.stack([line, np.cross(z, line), z], axis=-1)
    return angle, rest @ about_z(-lead)


def _unit(vectors: Array) -> Array:
    """Return vectors of length 1, (T, 3); what has no length becomes no number."""
    lengths = np.sqrt(np.einsum("ti,ti->t", vectors, vectors))
    with np.errstate(invalid="ignore", divide="ignore"):
        out: Array = vectors / lengths[:, None]
    return out
