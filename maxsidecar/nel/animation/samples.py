"""Bipeds as tracks: one key for each frame from the first to the last key of any bone.

(spec: nel-export-rules, section 5; pipeline-max-design, section 10c)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.animation.keyframers import seconds
from maxsidecar.nel.serial.classes.track import (
    CTrackKeyFramerLinearQuat,
    CTrackKeyFramerLinearVector,
)
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.biped.system import BipedController, BipedPart, track_of
from maxsidecar.scene.controllers.rotations import continuous, matrix_to_quaternion, normalized
from maxsidecar.scene.node import Node

__all__ = ["STEP", "moves", "position_track", "rotation_track", "sample_times"]

#: Ticks from key to key: a frame of 30 in a second.
STEP: Final = 160
#: Longest animation that is sampled: a day.
_MOST: Final = 30 * 86_400
_IDENTITY: Final = (0.0, 0.0, 0.0, 1.0)


def sample_times(nodes: Iterable[Node]) -> npt.NDArray[np.float64]:
    """Return the ticks at which bipeds are sampled; none where no bone has keys.

    The centre of mass does not count, nor do tracks of which the scene has no bone.  A last step
    that is not a whole one is dropped.
    """
    first, last = np.inf, -np.inf
    for node in nodes:
        try:
            controller = node.controller
            if not isinstance(controller, BipedPart):
                continue
            system, role = controller.system, controller.role
            if system is None or role is None:
                continue
            track = system.rig.tracks.get(track_of(role))
        except MaxSidecarError:
            continue
        if track is not None:
            first, last = min(first, track.times[0]), max(last, track.times[-1])
    if first > last:
        return np.zeros(0)
    count = int(min((last - first) // STEP, _MOST)) + 1
    return first + STEP * np.arange(count, dtype=np.float64)


def moves(role: Role) -> bool:
    """Return whether a bone's place is exported, and not only its turn."""
    first = role.link == 0
    return role.part == "com" or (first and role.part in ("arm", "spine", "tail"))


def rotation_track(times: npt.NDArray[np.float64], local: npt.NDArray[np.float64]) -> Serial:
    """Return the turns of matrices relative to the parent, (T, 4, 4) or (1, 4, 4)."""
    turns = continuous(normalized(matrix_to_quaternion(local[:, :3, :3]), _IDENTITY))
    # The plug-in's quaternion is the negative of the usual one.
    turns = -turns if turns[0, 3] > 0 else turns
    return _track(CTrackKeyFramerLinearQuat, times, turns)


def position_track(times: npt.NDArray[np.float64], local: npt.NDArray[np.float64]) -> Serial:
    """Return the places of matrices relative to the parent, (T, 4, 4) or (1, 4, 4)."""
    return _track(CTrackKeyFramerLinearVector, times, local[:, 3, :3])


def _track(made: Any, times: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> Serial:
    keys = made().keys
    rows = np.zeros(len(times), keys.dtype)
    rows["time"] = seconds(times)
    rows["value"] = np.broadcast_to(values, (len(times), values.shape[1]))
    begin, end = rows["time"][0], rows["time"][-1]
    track: Serial = made(keys=rows, range_begin=float(begin), range_end=float(end))
    return track


def is_biped(node: Node) -> bool:
    """Return whether a node is part of a biped."""
    try:
        return isinstance(node.controller, BipedController)
    except MaxSidecarError:
        return False
