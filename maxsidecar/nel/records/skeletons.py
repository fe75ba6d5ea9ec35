"""Skeletons as bone records, and where animations put their bones.

A bone's position is in the space of its parent and follows the parent's scale; rotation and scale
do so only where the bone inherits scale (what the game's sources say of ``CBone``; on the skeletons
of the corpus the default pose is the bind pose but for the root, mirrored nubs and skeletons whose
bones are scaled).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.nel.records.tracks import is_rotation, range_of, values_at
from maxsidecar.scene.controllers.rotations import quaternion_to_matrix
from maxsidecar.scene.records import BoneRecord, MeshRecord, MotionRecord

if TYPE_CHECKING:
    from maxsidecar.nel.serial.classes.animation import CAnimation
    from maxsidecar.nel.serial.classes.basic import CMatrix
    from maxsidecar.nel.serial.classes.skeleton import CSkeletonShape

__all__ = ["bones_of", "motion_of", "motion_of_mesh"]

F64 = npt.NDArray[np.float64]

#: Frames in a second, and how many there are at most.
_RATE: Final = 30.0
_MOST_FRAMES: Final = 9000
_ROTATES: Final = 14
_MOVES: Final = 1


def bones_of(skeleton: CSkeletonShape) -> list[BoneRecord]:
    """Return the bones of a skeleton.

    Raises:
        DecodeError: A parent does not come before its child, or a matrix is not finite.
    """
    out = []
    for number, bone in enumerate(skeleton.bones):
        if not -1 <= bone.father_id < number:
            message = f"the parent of bone {number} does not come before it"
            raise DecodeError(message, expected=f"below {number}", found=bone.father_id)
        matrix = _matrix(bone.inv_bind_pos)
        if not np.isfinite(matrix).all():
            raise DecodeError(f"the bind pose of bone {number} is not finite")
        out.append(BoneRecord(bone.name, bone.father_id, matrix))
    return out


def _matrix(stored: CMatrix) -> F64:
    out = np.eye(4)
    if stored.state & _ROTATES:
        out[:3, :3] = np.reshape(stored.rotation, (3, 3))
    if stored.state & _MOVES:
        out[:3, 3] = stored.translation
    return out


def motion_of(
    skeleton: CSkeletonShape, animation: CAnimation, notes: list[str], name: str = ""
) -> MotionRecord | None:
    """Return how an animation moves the bones of a skeleton.

    Args:
        skeleton: The skeleton.
        animation: The animation.
        notes: Takes what it does not do.
        name: Name of the motion.

    Returns:
        The motion, or ``None`` where no track is about a bone.
    """
    names = {bone.name for bone in skeleton.bones}
    used = {
        key: track for key, track in _tracks(animation).items() if key.rpartition(".")[0] in names
    }
    left = len(animation.id_by_name) - len(used)
    if left:
        notes.append(f"{left} of the tracks move no bone of the skeleton")
    times = _times(used)
    if times is None:
        return None
    values = _Values(used, times, notes)
    worlds: list[F64] = []
    scales: list[F64] = []
    for bone in skeleton.bones:
        position = values.of(f"{bone.name}.pos", bone.default_pos)
        turn = values.of(f"{bone.name}.rotquat", bone.default_rot_quat)
        scale = values.of(f"{bone.name}.scale", bone.default_scale)
        local = _placed(position, turn, scale)
        if any(bone.default_pivot):
            pivot = np.array(bone.default_pivot)
            local[:, :3, 3] += pivot - local[:, :3, :3] @ pivot
        if bone.father_id < 0:
            worlds.append(local)
        else:
            worlds.append(_below(worlds[bone.father_id], scales[bone.father_id], local, bone))
        scales.append(scale)
    if any(tuple(bone.skin_scale) != (1.0, 1.0, 1.0) for bone in skeleton.bones):
        notes.append("the skin scale of bones is not shown")
    return MotionRecord(times, worlds, name)


def _below(parent: F64, scale: F64, local: F64, bone: Any) -> F64:
    out = parent @ local
    if bone.unherit_scale:
        factors = np.where(scale != 0.0, scale, 1.0)
        free = parent[:, :3, :3] / factors[:, None, :]
        out[:, :3, :3] = free @ local[:, :3, :3]
    return out


def motion_of_mesh(
    mesh: MeshRecord, animation: CAnimation, notes: list[str], name: str = ""
) -> MotionRecord | None:
    """Return how an animation moves a mesh without bones: by its ``pos``, ``rotquat``, ``scale``.

    Tracks may have the name of one node in front.

    Args:
        mesh: The mesh.
        animation: The animation.
        notes: Takes what it does not do.
        name: Name of the motion.
    """
    tracks = _tracks(animation)
    prefixes = {key.rpartition(".")[0] for key in tracks}
    if len(prefixes) > 1:
        notes.append("the animation moves several nodes, and there is no skeleton")
        return None
    used = {key.rpartition(".")[2]: track for key, track in tracks.items()}
    times = _times(used)
    if times is None:
        return None
    values = _Values(used, times, notes)
    place = mesh.place
    position = values.of("pos", place.position)
    local = _placed(position, values.of("rotquat", place.rotation), values.of("scale", place.scale))
    return MotionRecord(times, [local], name)


class _Values:
    """Values of tracks at the times of a motion; what is wrong with a track is told once."""

    def __init__(self, tracks: dict[str, Any], times: F64, notes: list[str]) -> None:
        self.tracks, self.times, self.notes = tracks, times, notes

    def of(self, key: str, default: tuple[float, ...]) -> F64:
        """Return the values of a track, or a default where there is none."""
        steady = np.tile(np.array(default, float), (len(self.times), 1))
        track = self.tracks.get(key)
        if track is None:
            return steady
        try:
            found, note = values_at(track, self.times)
        except MaxSidecarError as error:
            found, note = steady, f"{key}: {error.message}"
        if found.shape != steady.shape:
            found, note = steady, f"{key}: a {type(track).__name__} is of another kind"
        if note and note not in self.notes:
            self.notes.append(note)
        return found


def _tracks(animation: CAnimation) -> dict[str, Any]:
    """Return the tracks that move something, by name."""
    found: dict[str, Any] = {}
    for key, number in animation.id_by_name.items():
        track = animation.tracks[number] if number < len(animation.tracks) else None
        value = key.rpartition(".")[2]
        moves = track is not None and value in ("pos", "rotquat", "scale")
        if moves and is_rotation(track) == (value == "rotquat"):
            found[key] = track
    return found


def _times(tracks: dict[str, Any]) -> F64 | None:
    """Return the frames from the first to the last key; ``None`` where there are no tracks."""
    if not tracks:
        return None
    ranges = []
    for track in tracks.values():
        try:
            ranges.append(range_of(track))
        except MaxSidecarError:
            continue  # its values say so
    known = [span for span in ranges if span is not None]
    if not known:
        return np.zeros(1)
    start, end = min(first for first, _ in known), max(last for _, last in known)
    count = min(max(end - start, 0.0) * _RATE, _MOST_FRAMES - 1)
    return np.linspace(start, end, int(np.ceil(count - 1e-6)) + 1)


def _placed(position: F64, turn: F64, scale: F64) -> F64:
    """Return column matrices: scale, then rotation, then position."""
    out = np.zeros((len(position), 4, 4))
    out[:, :3, :3] = np.swapaxes(quaternion_to_matrix(turn), 1, 2) * scale[:, None, :]
    out[:, :3, 3] = position
    out[:, 3, 3] = 1.0
    return out
