"""Changing the pose of a biped's figure, and the poses of its keys.

Each number is written at its own place and stored as the nearest one of 32 bits.  A number that
stands in two places is written in both, where both held the same; else it is read-only.

What 3ds Max keeps beside a pose stays as it is: the pose that was shown when the scene was saved
(chunks 0258 to 0264), the places of hands and feet, angles that repeat a quaternion.  Files have
such numbers out of step already (docs/format/biped.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maxsidecar.errors import EditError
from maxsidecar.scene.biped.poses import figure_values, key_values
from maxsidecar.scene.biped.system import BipedSystem, Rig
from maxsidecar.scene.biped.values import ANGLES, Stored, Value, checked, read, write

__all__ = [
    "figure_names",
    "figure_value",
    "key_pose",
    "key_pose_names",
    "set_figure_value",
    "set_key_pose",
    "store",
    "why_read_only",
]


def figure_names(system: BipedSystem) -> list[str]:
    """Return the names of what the figure pose consists of: ``head``, ``right_arm.forearm``.

    Raises:
        DecodeError: The system is not stored as is known.
    """
    return list(figure_values(system.rig))


def figure_value(system: BipedSystem, name: str) -> list[float]:
    """Return some numbers of the figure pose.

    Args:
        system: The system object.
        name: One of :func:`figure_names`.

    Returns:
        Degrees for angles; x, y, z, w for rotations; ``position`` in units of the scene.
        Rotations are as stored, but for ``rotation``, which is that of the centre of mass in the
        world.

    Raises:
        DecodeError: The system is not stored as is known.
        KeyError: There is no such name.
    """
    rig = system.rig
    value = figure_values(rig)[name]
    return _shown(value, read(rig.sets.live, value))[0]


def set_figure_value(system: BipedSystem, name: str, numbers: Sequence[float]) -> None:
    """Change some numbers of the figure pose, see :func:`figure_value`.

    Raises:
        DecodeError: The system is not stored as is known.
        EditError: The numbers do not fit, or are read-only.
        KeyError: There is no such name.
    """
    rig = system.rig
    store(rig, figure_values(rig)[name], [numbers])


def key_pose_names(system: BipedSystem, track: str) -> list[str]:
    """Return the names of what the keys of a track consist of: ``spine``, ``spine_1``.

    Raises:
        DecodeError: The system is not stored as is known.
        KeyError: The track has no keys.
    """
    return list(key_values(system.rig, track))


def key_pose(system: BipedSystem, track: str, name: str) -> list[list[float]]:
    """Return some numbers of each key of a track, in the units of :func:`figure_value`.

    Angles of a clavicle are changes to those of the figure; so are those of the links of spine,
    tail and ponytails before release 8.

    Raises:
        DecodeError: The system is not stored as is known.
        KeyError: The track has no keys, or there is no such name.
    """
    rig = system.rig
    value = key_values(rig, track)[name]
    return _shown(value, read(rig.sets.live, value))


def set_key_pose(
    system: BipedSystem, track: str, name: str, rows: Sequence[Sequence[float]]
) -> None:
    """Change some numbers of the keys of a track, see :func:`key_pose`.

    Args:
        system: The system object.
        track: A track that has keys.
        name: One of :func:`key_pose_names`.
        rows: The numbers of each key.

    Raises:
        DecodeError: The system is not stored as is known.
        EditError: The numbers do not fit, or are read-only.
        KeyError: The track has no keys, or there is no such name.
    """
    rig = system.rig
    store(rig, key_values(rig, track)[name], rows)


def why_read_only(rig: Rig, value: Value) -> str | None:
    """Return why a value cannot be written; ``None`` where it can."""
    if not value.is_consistent(rig.sets.live):
        chunks = ", ".join(f"{slots.chunk:04x}" for slots in (value.slots, *value.copies))
        return f"{value.name}: the file holds it more than once ({chunks}), and not the same"
    return None


def store(rig: Rig, value: Value, rows: Sequence[Sequence[float]]) -> None:
    """Write a value.

    Raises:
        EditError: The numbers do not fit, or are read-only.
    """
    reason = why_read_only(rig, value)
    if reason is not None:
        raise EditError(reason)
    live = rig.sets.live
    write(live, value, checked(value, rows, read(live, value)))


def _shown(value: Value, stored: Stored) -> list[list[float]]:
    numbers = stored.astype(np.float64)
    rows: list[list[float]] = (np.degrees(numbers) if value.kind == ANGLES else numbers).tolist()
    return rows
