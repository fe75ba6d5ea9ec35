"""The keys of a biped: one pair of chunks, data and times, for each track.

The records of a track are laid out like the figure's record of the same part.  (Measured on
releases 5 to 2019; docs/format/biped.md.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.biped.posture import LimbPose, limb_pose
from maxsidecar.scene.biped.props import NEEDED
from maxsidecar.scene.biped.structure import Array, Layout, Structure, floats_of, integers_of

__all__ = ["TRACKS", "Track", "has_keys", "read_tracks"]

#: Chunk of the keys by track; the times are in the next id.
TRACKS: Final = {
    "horizontal": 0x012C,
    "turn": 0x012E,
    "vertical": 0x0130,
    "pelvis": 0x0132,
    "right arm": 0x0134,
    "left arm": 0x0136,
    "right leg": 0x0138,
    "left leg": 0x013A,
    "spine": 0x013C,
    "head": 0x013E,
    "tail": 0x0142,
    "pony1": 0x0147,
    "pony2": 0x0149,
    "prop1": 0x0126,
    "prop2": 0x0128,
    "prop3": 0x012A,
}
#: Numbers in the time of a key, where each key has one set of parameters.
_TIME: Final = 10
_NEUTRAL: Final = 25.0
#: Fewest numbers in a key.
_NEEDED: Final = {
    "horizontal": 3, "turn": 8, "vertical": 3, "head": 4, "prop1": NEEDED, "prop2": NEEDED,
    "prop3": NEEDED,
}  # fmt: skip


#: Places of the numbers in a key that place the body; others may be counts.
_USED: Final = {
    "horizontal": slice(0, 3), "turn": slice(4, 8), "vertical": slice(2, 3), "head": slice(0, 4),
    "pelvis": slice(0, 4), "prop1": slice(2, NEEDED), "prop2": slice(2, NEEDED),
    "prop3": slice(2, NEEDED),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Track:
    """The keys of one track.

    Attributes:
        times: (k,) float64, ticks, ascending.
        records: (k, n) float64, as stored; what is a count there is no number.
        counts: (k, n) int32: the same bytes as integers, for the counts within records.
        tcb: (k, 3): tension, continuity and bias, from -1 to 1.
        ease: (k, 2): how much a key eases in and out; 0 in every file seen.
    """

    times: Array
    records: Array
    counts: npt.NDArray[np.int32]
    tcb: Array
    ease: Array

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self.times)

    def part(self, rows: slice | npt.NDArray[np.bool_]) -> Track:
        """Return a track of some of the keys."""
        return Track(
            self.times[rows],
            self.records[rows],
            self.counts[rows],
            self.tcb[rows],
            self.ease[rows],
        )


def read_tracks(
    structure: Structure, live: Mapping[int, Chunk]
) -> tuple[dict[str, Track], list[str]]:
    """Return the tracks that have keys, and what is wrong with those that cannot be read."""
    tracks: dict[str, Track] = {}
    problems: list[str] = []
    for name, id_ in TRACKS.items():
        try:
            track = _track(structure.layout, name, live.get(id_), live.get(id_ + 1))
            if track is not None:
                _check(structure, name, track)
        except DecodeError as error:
            problems.append(f"keys of {name}: {error.message}")
            continue
        if track is not None:
            tracks[name] = track
    return tracks, problems


def has_keys(records: Mapping[int, Chunk]) -> bool:
    """Return whether a set has keys in any track."""
    counts = (integers_of(records.get(id_)) for id_ in TRACKS.values())
    return any(len(count) and count[0] > 0 for count in counts)


def _header(layout: Layout, name: str) -> int:
    if name in ("horizontal", "vertical") or name.startswith("prop"):
        return 1
    if name in ("turn", "pelvis"):
        return layout.turn_header
    if name == "head":
        return layout.head_header
    return layout.limb_header if name.endswith((" arm", " leg")) else layout.chain_header


def _track(layout: Layout, name: str, data: Chunk | None, times: Chunk | None) -> Track | None:
    numbers, counts = floats_of(data), integers_of(data)
    when, when_counts = floats_of(times), integers_of(times)
    count = int(counts[0]) if len(counts) else 0
    if count == 0:
        return None
    if name == "vertical":
        # Two banks of the same keys; the first one counts.
        numbers, counts = numbers[: len(numbers) // 2], counts[: len(counts) // 2]
    header = _header(layout, name)
    size, rest = divmod(len(numbers) - header, max(count, 1))
    if count < 0 or size <= 0 or rest:
        raise DecodeError("the keys have a size that is not known", found=len(numbers))
    if not len(when_counts) or when_counts[0] != count:
        raise DecodeError("there are not as many times as keys", expected=count)
    width, rest = divmod(len(when) - layout.time_header, count)
    if width < _TIME or rest:
        raise DecodeError("the times have a size that is not known", found=len(when))
    rows = when[layout.time_header :].reshape(count, width)
    ticks = when_counts[layout.time_header :].reshape(count, width)[:, 0].astype(np.float64)
    if np.any(np.diff(ticks) < 0):
        raise DecodeError("the times of the keys do not ascend")
    _check_finite(rows[:, 7:10])
    tension, bias, continuity = ((rows[:, 7 + n] - _NEUTRAL) / _NEUTRAL for n in range(3))
    return Track(
        ticks,
        numbers[header:].reshape(count, size),
        counts[header:].reshape(count, size),
        np.stack([tension, continuity, bias], axis=1),
        rows[:, 5:7],
    )


def _check(structure: Structure, name: str, track: Track) -> None:
    """Raise where the keys of a track hold less than its part needs."""
    width = track.records.shape[1]
    if name.endswith((" arm", " leg")):
        arms = name.endswith("arm")
        limbs = structure.arms if arms else structure.legs
        side = 0 if name.startswith("right") else 1
        if side < len(limbs):
            pose = limb_pose(structure, track.records, limbs[side].digits, arms=arms)
            _check_finite(*_numbers_of(pose, clavicle=arms, second=structure.leg_links > 3))
        return
    at = structure.layout.neck_angles if name == "head" else 0
    if name in ("head", "spine", "tail", "pony1", "pony2"):
        counts = track.counts[:, at] if width > at else np.array([-1])
        if np.any(counts != counts[0]) or not 0 <= counts[0] < width - at:
            raise DecodeError("the keys have no room for their angles", found=width)
        _check_finite(track.records[:, at + 1 : at + 1 + counts[0]])
    if width < _NEEDED.get(name, 1):
        raise DecodeError("the keys are too short", expected=_NEEDED.get(name), found=width)
    used = _USED.get(name)
    if used is not None:
        _check_finite(track.records[:, used])


def _numbers_of(pose: LimbPose, *, clavicle: bool, second: bool) -> Iterator[Array]:
    """Yield what turns the bones of a limb."""
    yield from (pose.hinge, pose.upper, pose.extremity)
    if clavicle:
        yield pose.clavicle
    elif second:
        yield pose.second_hinge
    for digit in pose.digits:
        yield digit.base
        yield from digit.links


def _check_finite(*numbers: Array) -> None:
    """Raise where a number is none: interpolation would hide it."""
    if not all(np.isfinite(values).all() for values in numbers):
        raise DecodeError("the keys hold what is no finite number")
