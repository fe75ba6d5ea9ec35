"""Bipeds as tracks: one key for each frame from the first to the last key of any bone.

(spec: nel-export-rules, section 5; pipeline-max-design, section 10c)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import LimitError, MaxSidecarError
from maxsidecar.nel.animation.keyframers import TICKS_PER_SECOND, seconds
from maxsidecar.nel.serial.classes.track import (
    CTrackKeyFramerLinearQuat,
    CTrackKeyFramerLinearVector,
)
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.nel.shape.placement import signed
from maxsidecar.scene.biped.roles import Role
from maxsidecar.scene.biped.system import BipedPart, track_of
from maxsidecar.scene.controllers.rotations import continuous, matrix_to_quaternion
from maxsidecar.scene.matrices import turn_of
from maxsidecar.scene.node import Node
from maxsidecar.scene.transform import Pose

if TYPE_CHECKING:
    from maxsidecar.scene.scene import Scene

__all__ = [
    "LONGEST",
    "STEP",
    "Samples",
    "moves",
    "position_track",
    "rotation_track",
    "sample",
    "sample_times",
    "step_of",
    "turns_of",
]

#: Ticks from key to key of a scene with 30 frames per second: one frame.
STEP: Final = 160
#: The plug-in's own number: a key every so many shares of a second of frames.
_OVERSAMPLING: Final = 30
#: Most frames that are sampled: an hour.  One stray key must not fill the memory.
LONGEST: Final = 30 * 3600
#: Frames that are evaluated at once.
_BLOCK: Final = 4096

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]


@dataclass(slots=True)
class Samples:
    """Where a node is relative to its parent at all T times, in blocks one after the other.

    Attributes:
        turns: Quaternions as usual, (n, 4), of any sign.
        places: (n, 3), units of the scene.
    """

    turns: list[F32] = field(default_factory=list)
    places: list[F32] = field(default_factory=list)


def step_of(frame_rate: int) -> int:
    """Return the ticks from key to key: 30 frames' ticks over the frame rate, in whole numbers.

    Only at 30 frames per second that is a frame; at 25 it is 230 ticks, at 15 it is 640.
    """
    ticks_per_frame = int(TICKS_PER_SECOND) // max(frame_rate, 1)
    return max(_OVERSAMPLING * ticks_per_frame // max(frame_rate, 1), 1)


def sample_times(nodes: Iterable[Node], step: int = STEP) -> F64:
    """Return the ticks at which bipeds are sampled, (T,); none where no bone has keys.

    The centre of mass does not count, nor do tracks of which the scene has no bone.  A last step
    that is not a whole one is dropped.  The end is never before time 0, since the plug-in looks
    for the last key from there on.

    Args:
        nodes: The bones.
        step: Ticks from key to key.

    Raises:
        LimitError: There are more than :data:`LONGEST`.
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
    last = max(last, 0.0)
    count = int((last - first) // step) + 1
    if count > LONGEST:
        raise LimitError(
            f"its keys reach from tick {int(first)} to tick {int(last)}, too far to be sampled",
            expected=f"up to {LONGEST} frames",
            found=count,
        )
    return first + step * np.arange(count, dtype=np.float64)


def moves(role: Role) -> bool:
    """Return whether a bone's place is exported, and not only its turn."""
    first = role.link == 0
    return role.part == "com" or (first and role.part in ("arm", "spine", "tail"))


def sample(
    scene: Scene, nodes: Sequence[Node], times: F64
) -> tuple[dict[int, Samples], dict[int, str]]:
    """Return where nodes are relative to their parents.

    Only some thousand frames are evaluated at once, so that little is in memory.

    Args:
        scene: The scene.
        nodes: The nodes.
        times: (T,) ticks.

    Returns:
        The samples by storage index of the node, and what is in doubt about them by storage index
        of the node or its controller.
    """
    found = {node.index: Samples() for node in nodes}
    problems: dict[int, str] = {}
    for start in range(0, len(times), _BLOCK):
        block = times[start : start + _BLOCK]
        pose = Pose(scene, block)
        pose.prepare(nodes)
        for node in nodes:
            local = pose.local(node)
            samples = found[node.index]
            samples.turns.append(_rows(turns_of(local), len(block)))
            samples.places.append(_rows(local[:, 3, :3], len(block)))
        problems.update(pose.problems)
    return found, problems


def turns_of(local: F64) -> F64:
    """Return the turns of matrices, (T, 4, 4) to (T, 4): usual quaternions.

    A mirrored matrix is taken apart as in 3ds Max: all axes are turned over, then it is turned
    (measured: nubs of real skeletons are half turns).
    """
    linear = local[:, :3, :3]
    sign = np.where(np.linalg.det(linear) < 0.0, -1.0, 1.0)
    return matrix_to_quaternion(sign[:, None, None] * turn_of(linear))


def _rows(values: F64, count: int) -> F32:
    with np.errstate(over="ignore"):
        return np.broadcast_to(values, (count, values.shape[1])).astype(np.float32)


def rotation_track(times: F64, turns: npt.NDArray[np.floating[Any]]) -> Serial:
    """Return a track of turns, (T, 4); each stays on the side of the one before it."""
    followed = continuous(np.asarray(turns, np.float64))
    if np.dot(followed[0], signed(followed[0])) < 0.0:
        followed = -followed
    return _track(CTrackKeyFramerLinearQuat, times, followed)


def position_track(times: F64, places: npt.NDArray[np.floating[Any]]) -> Serial:
    """Return a track of places, (T, 3), units of the scene."""
    return _track(CTrackKeyFramerLinearVector, times, places)


def _track(made: Any, times: F64, values: npt.NDArray[np.floating[Any]]) -> Serial:
    keys = made().keys
    rows = np.zeros(len(times), keys.dtype)
    rows["time"] = seconds(times)
    rows["value"] = values
    begin, end = rows["time"][0], rows["time"][-1]
    track: Serial = made(
        keys=rows, range_lock=False, range_begin=float(begin), range_end=float(end)
    )
    return track
