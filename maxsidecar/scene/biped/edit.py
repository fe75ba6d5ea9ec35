"""Changing when the keys of a biped are, and how they meet their segments.

Only numbers that were read are written, at their own place; keys are neither added nor removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError, shorten
from maxsidecar.scene.biped.system import BipedSystem, Rig
from maxsidecar.scene.biped.tracks import TRACKS
from maxsidecar.scene.biped.values import Slots, body_of, put, words

__all__ = [
    "PARAMETERS",
    "TICKS",
    "key_parameters",
    "key_times",
    "set_key_parameters",
    "set_key_times",
]

#: Places of the parameters in the time of a key, from 0 to 50 with 25 in the middle.
PARAMETERS: Final = {"tension": 7, "bias": 8, "continuity": 9}
_MOST: Final = 50.0
#: The first and the last time that can be stored.
TICKS: Final = (-(2**31), 2**31 - 1)


def key_times(system: BipedSystem, track: str) -> list[int]:
    """Return the times of the keys of a track, in ticks.

    Raises:
        DecodeError: The system is not stored as is known.
        KeyError: The track has no keys.
    """
    return [int(time) for time in _stored(system.rig, track, 0).view("<i4")]


def key_parameters(system: BipedSystem, track: str, name: str) -> list[float]:
    """Return tension, bias or continuity of each key of a track, from 0 to 50.

    Raises:
        DecodeError: The system is not stored as is known.
        KeyError: The track has no keys, or there is no such parameter.
    """
    stored = _stored(system.rig, track, PARAMETERS[name]).view("<f4")
    return [float(number) for number in stored]


def set_key_times(system: BipedSystem, track: str, times: Sequence[int]) -> None:
    """Move the keys of a track.

    Args:
        system: The system object.
        track: A track that has keys.
        times: Ticks, one for each key, ascending; of equal ones the last counts.

    Raises:
        DecodeError: The system is not stored as is known.
        EditError: The times do not fit the keys.
    """
    known = key_times(system, track)
    if len(times) != len(known):
        raise EditError("keys keep their number", expected=len(known), found=len(times))
    for time in times:
        if isinstance(time, bool) or not isinstance(time, int):
            raise EditError("times are whole ticks", found=shorten(time))
        if not TICKS[0] <= time <= TICKS[1]:
            raise EditError("a time is out of range", expected=f"{TICKS[0]} to {TICKS[1]}")
    if any(later < earlier for earlier, later in pairwise(times)):
        raise EditError("times must ascend")
    _write(system.rig, track, 0, np.array(times, "<i4").view("<u4"))


def set_key_parameters(system: BipedSystem, track: str, name: str, values: Sequence[float]) -> None:
    """Set tension, bias or continuity of the keys of a track.

    Args:
        system: The system object.
        track: A track that has keys.
        name: Of :data:`PARAMETERS`.
        values: From 0 to 50, one for each key; what stays as it was is not looked at.

    Raises:
        DecodeError: The system is not stored as is known.
        EditError: The values do not fit the keys.
    """
    known = key_parameters(system, track, name)
    if len(values) != len(known):
        raise EditError("keys keep their number", expected=len(known), found=len(values))
    stored = _stored(system.rig, track, PARAMETERS[name]).copy()
    for number, (value, old) in enumerate(zip(values, known, strict=True)):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise EditError(f"{name} is a number", found=shorten(value))
        if value == old:
            continue
        if not 0.0 <= value <= _MOST:
            raise EditError(f"{name} is out of range", expected="0 to 50", found=shorten(value))
        stored[number] = np.array(value, "<f4").view("<u4")
    _write(system.rig, track, PARAMETERS[name], stored)


def _places(rig: Rig, track: str, column: int) -> Slots:
    """Return where a number of each key's time is."""
    count, id_ = len(rig.tracks[track]), TRACKS[track] + 1
    header = rig.structure.layout.time_header
    width = (len(body_of(rig.sets.live, id_)) // 4 - header) // count
    return Slots(id_, (header + column + width * np.arange(count, dtype=np.intp))[:, None])


def _stored(rig: Rig, track: str, column: int) -> npt.NDArray[np.uint32]:
    return words(rig.sets.live, _places(rig, track, column))[:, 0]


def _write(rig: Rig, track: str, column: int, stored: npt.NDArray[np.uint32]) -> None:
    put(rig.sets.live, [(_places(rig, track, column), stored[:, None].view("<f4"))])
