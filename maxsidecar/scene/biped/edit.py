"""Changing when the keys of a biped are, and how they meet their segments.

Only numbers that were read are written, at their own place; keys are neither added nor removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from struct import pack, unpack_from
from typing import Final

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.biped.system import BipedSystem
from maxsidecar.scene.biped.tracks import TRACKS

__all__ = ["PARAMETERS", "key_parameters", "key_times", "set_key_parameters", "set_key_times"]

#: Places of the parameters in the time of a key, from 0 to 50 with 25 in the middle.
PARAMETERS: Final = {"tension": 7, "bias": 8, "continuity": 9}
_MOST: Final = 50.0
_TICKS: Final = (-(2**31), 2**31 - 1)


def key_times(system: BipedSystem, track: str) -> list[int]:
    """Return the times of the keys of a track, in ticks.

    Raises:
        DecodeError: The system is not stored as is known.
        KeyError: The track has no keys.
    """
    return [int(time) for time in system.rig.tracks[track].times]


def key_parameters(system: BipedSystem, track: str, name: str) -> list[float]:
    """Return tension, bias or continuity of each key of a track, from 0 to 50.

    Raises:
        DecodeError: The system is not stored as is known.
        KeyError: The track has no keys, or there is no such parameter.
    """
    return [unpack_from("<f", row, 4 * PARAMETERS[name])[0] for row in _rows(system, track)]


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
            raise EditError("times are whole ticks", found=time)
        if not _TICKS[0] <= time <= _TICKS[1]:
            raise EditError("a time is out of range", expected=f"{_TICKS[0]} to {_TICKS[1]}")
    if any(later < earlier for earlier, later in pairwise(times)):
        raise EditError("times must ascend")
    _write(system, track, 0, [pack("<i", time) for time in times])


def set_key_parameters(system: BipedSystem, track: str, name: str, values: Sequence[float]) -> None:
    """Set tension, bias or continuity of the keys of a track.

    Args:
        system: The system object.
        track: A track that has keys.
        name: Of :data:`PARAMETERS`.
        values: From 0 to 50, one for each key.

    Raises:
        DecodeError: The system is not stored as is known.
        EditError: The values do not fit the keys.
    """
    known = key_times(system, track)
    if len(values) != len(known):
        raise EditError("keys keep their number", expected=len(known), found=len(values))
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise EditError(f"{name} is a number", found=value)
        if not 0.0 <= value <= _MOST:
            raise EditError(f"{name} is out of range", expected="0 to 50", found=value)
    _write(system, track, PARAMETERS[name], [pack("<f", value) for value in values])


def _rows(system: BipedSystem, track: str) -> list[bytearray]:
    """Return the bytes of the time of each key."""
    rig = system.rig
    count = len(rig.tracks[track])
    data = bytearray(bytes(rig.sets.live[TRACKS[track] + 1].data))
    header = 4 * rig.structure.layout.time_header
    width = (len(data) - header) // count
    return [data[header + n * width : header + (n + 1) * width] for n in range(count)]


def _write(system: BipedSystem, track: str, column: int, numbers: Sequence[bytes]) -> None:
    rows = _rows(system, track)
    for row, number in zip(rows, numbers, strict=True):
        row[4 * column : 4 * column + 4] = number
    rig = system.rig
    chunk: Chunk = rig.sets.live[TRACKS[track] + 1]
    header = bytes(chunk.data[: 4 * rig.structure.layout.time_header])
    chunk.replace(header + b"".join(rows))
