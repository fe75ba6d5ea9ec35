"""The posture of a biped at any times, from its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.biped.interpolate import Keys
from maxsidecar.scene.biped.planted import planted_foot, planted_keys, planted_runs
from maxsidecar.scene.biped.posture import (
    COM_POSE,
    DigitPose,
    LimbPose,
    Posture,
    figure_posture,
    limb_pose,
    upright,
    world_turn,
)
from maxsidecar.scene.biped.props import keyed_prop
from maxsidecar.scene.biped.structure import MOST, Array, Structure, floats_of
from maxsidecar.scene.biped.tracks import Track
from maxsidecar.scene.biped.turns import QUARTER, about_x, link_turn, of_quaternion, transposed
from maxsidecar.scene.controllers.rotations import matrix_to_quaternion

__all__ = ["posture_at"]

#: The present place of the pelvis, a matrix outside of the sets.
PRESENT: Final = 0x0104
_SIDES: Final = ("right", "left")
#: Tracks that place what legs hang on.
_BODY: Final = frozenset({"horizontal", "vertical", "turn", "pelvis"})


def posture_at(
    structure: Structure,
    live: Mapping[int, Chunk],
    common: Mapping[int, Chunk],
    tracks: Mapping[str, Track],
    times: Array,
) -> Posture:
    """Return the posture at some times.

    A part without keys stays as it is in the figure.

    Args:
        structure: The rig.
        live: Its live set.
        common: The chunks outside of the sets.
        tracks: Its keys.
        times: (T,) ticks.

    Raises:
        DecodeError: The figure's records are too short.
    """
    figure = figure_posture(structure, live)
    keys = {name: Keys(track, times) for name, track in tracks.items()}
    out = replace(
        figure,
        chains=dict(figure.chains),
        arms=list(figure.arms),
        legs=list(figure.legs),
        props=dict(figure.props),
    )
    _body(out, live, common, keys)
    for name in ("spine", "tail", "pony1", "pony2"):
        if name in keys:
            turns = _chain(keys[name], 0)
            if structure.layout.chain_changes:
                own = figure.chains[name][: len(turns)]
                turns[: len(own)] = [a @ b for a, b in zip(own, turns, strict=False)]
            out.chains[name] = turns
    if "head" in keys:
        out.head = upright(keys["head"].rotations(keys["head"].track.records[:, :4]))
        out.chains["neck"] = _chain(keys["head"], structure.layout.neck_angles)
    for number in figure.props:
        if f"prop{number + 1}" in keys:
            out.props[number] = keyed_prop(keys[f"prop{number + 1}"])
    for side, name in enumerate(_SIDES):
        arm, leg = keys.get(f"{name} arm"), keys.get(f"{name} leg")
        if arm is not None and side < len(out.arms):
            digits = structure.arms[side].digits
            out.arms[side] = _limb(
                arm, limb_pose(structure, arm.track.records, digits, arms=True), arms=True
            )
        if leg is not None and side < len(out.legs):
            digits = structure.legs[side].digits
            stored = limb_pose(structure, leg.track.records, digits, arms=False)
            joints = out.legs[side] = _limb(leg, stored, arms=False)
            if planted_runs(planted_keys(structure, f"{name} leg", leg.track)):
                then, when = replace(figure), leg.track.times
                _body(then, live, common, {n: Keys(tracks[n], when) for n in _BODY & {*tracks}})
                out.legs[side] = planted_foot(
                    structure, side, leg.track, stored, (then, out), joints, times
                )
    return out


def _body(
    out: Posture, live: Mapping[int, Chunk], common: Mapping[int, Chunk], keys: Mapping[str, Keys]
) -> None:
    """Place the centre of mass, and turn the pelvis."""
    _com(out, live, common, keys)
    if "pelvis" in keys:
        records = keys["pelvis"].track.records
        if records.shape[1] >= 4:
            out.pelvis = upright(keys["pelvis"].rotations(records[:, :4]))
        else:
            # Releases before 8 let the pelvis roll only.
            out.pelvis = about_x(-keys["pelvis"].numbers(records[:, :1])[:, 0]) @ QUARTER


def _com(
    out: Posture, live: Mapping[int, Chunk], common: Mapping[int, Chunk], keys: Mapping[str, Keys]
) -> None:
    """Place the centre of mass and the pelvis.

    Keys across the ground are those of the centre of mass, keys of the height those of the pelvis:
    the two differ where the centre of mass was moved off the pelvis (measured on releases 7 and 8).
    """
    figure = floats_of(live.get(COM_POSE))
    turn = out.turn
    if "turn" in keys:
        turn = world_turn(keys["turn"].rotations(keys["turn"].track.records[:, 4:8]))
    away = turn @ np.array([figure[0], -figure[2], figure[1]])
    place = out.com - away
    present = floats_of(common.get(PRESENT))
    if len(present) >= 16 and np.any(figure[:3] != 0.0):
        x, y, z = present[12:15]
        place = np.array([[x, -z, y]])
    across, up = keys.get("horizontal"), keys.get("vertical")
    if across is not None or up is not None:
        xy, z = place[:, :2], place[:, 2:]
        if across is not None:
            ground = across.numbers(across.track.records[:, [0, 2]]) * np.array([1.0, -1.0])
            xy = ground - away[:, :2]
        if up is not None:
            z = up.numbers(up.track.records[:, 2:3])
        rows = max(len(xy), len(z))
        place = np.concatenate(
            [np.broadcast_to(xy, (rows, 2)), np.broadcast_to(z, (rows, 1))], axis=1
        )
    out.place, out.turn = place, turn
    out.com = place + away


def _chain(keys: Keys, at: int) -> list[Array]:
    """Return the rotations of links: their keys are turned into quaternions, then interpolated."""
    track = keys.track
    count = min(int(track.counts[0, at]), 3 * MOST)
    triples = track.records[:, at + 1 : at + 1 + count // 3 * 3].reshape(len(track), -1, 3)
    out = []
    for link in range(triples.shape[1]):
        turns = link_turn(triples[:, link])
        out.append(of_quaternion(keys.rotations(matrix_to_quaternion(transposed(turns)))))
    return out


def _limb(keys: Keys, stored: LimbPose, *, arms: bool) -> LimbPose:
    """Return a limb joint by joint."""
    digits = []
    for digit in stored.digits:
        base = keys.rotations(digit.base) if arms else keys.eased(digit.base)
        links = [
            keys.rotations(link) if link.ndim == 2 else keys.angles(link) for link in digit.links
        ]
        digits.append(DigitPose(base, links))
    hinges = keys.numbers(np.stack([stored.hinge, stored.second_hinge], axis=1))
    return LimbPose(
        hinge=hinges[:, 0],
        second_hinge=hinges[:, 1],
        upper=keys.rotations(stored.upper),
        extremity=keys.rotations(stored.extremity),
        clavicle=keys.numbers(stored.clavicle),
        digits=digits,
    )
