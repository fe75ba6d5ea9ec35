"""Finding records of various lengths that lie one behind the other, without a loop over them.

Where a record ends can only be told from the record itself, so one position leads to the next.
What follows from *every* position is computed at once; then positions 1, 2, 4, ... records ahead
are looked up in one another, until a few hundred steps reach from end to end.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Ints", "chain", "ragged_index"]

Ints: TypeAlias = npt.NDArray[np.int64]

#: Numbers of records that are jumped over at once: 2 to the power of this, at most.
_MOST_LEVELS = 10
#: How often candidates that lead nowhere are taken out before the rest is walked through.
_PRUNINGS = 4


def chain(candidates: Ints, follow: Ints, end: int) -> Ints | None:
    """Return where the records begin.

    Args:
        candidates: Positions where a record may begin, ascending, the first one first.
        follow: For each of them where the next record would begin.
        end: Where the last record ends.

    Returns:
        The positions of the records; ``None`` when they do not lead to the end.
    """
    count = len(candidates)
    if not count:
        return None
    if follow[-1] == end and np.array_equal(follow[:-1], candidates[1:]):
        return candidates
    first = int(candidates[0])
    if end < first:
        return None
    sound = (follow > candidates) & (follow <= end)
    known = np.zeros(end - first + 1, bool)
    for _ in range(_PRUNINGS):
        # What leads to no candidate is none itself; most that are none go so.
        candidates, follow = candidates[sound], follow[sound]
        if not len(candidates) or candidates[0] != first:
            return None
        if follow[-1] == end and np.array_equal(follow[:-1], candidates[1:]):
            return candidates
        known[:] = False
        known[candidates - first] = True
        known[end - first] = True
        sound = known[follow - first]
        if np.all(sound):
            break
    count = len(candidates)
    # Numbers of candidates from here on; one behind the last is the end, another one is nowhere.
    stop, lost = count, count + 1
    number = np.full(end - first + 1, lost, np.int32)
    number[candidates - first] = np.arange(count, dtype=np.int32)
    number[end - first] = stop
    ahead = np.full(count + 2, lost, np.int32)
    ahead[stop] = stop
    ahead[:count] = number[follow - first]
    found = _walk(ahead, stop)
    return None if found is None else candidates[found]


def _walk(ahead: npt.NDArray[np.int32], stop: int) -> Ints | None:
    jumps = [ahead]
    levels = min(_MOST_LEVELS, max(0, stop.bit_length() // 2))
    for _ in range(levels):
        jumps.append(jumps[-1][jumps[-1]])
    # Every step of the longest jump goes forwards, so this ends.
    far = jumps.pop()
    steps = [0]
    while steps[-1] < stop:
        steps.append(int(far[steps[-1]]))
    places = np.array([step for step in steps if step < stop], np.int32)
    for jump in reversed(jumps):
        places = np.stack([places, jump[places]], axis=1).reshape(-1)
    places = places[places < stop]
    return places.astype(np.int64) if ahead[places[-1]] == stop else None


def ragged_index(starts: Ints, lengths: Ints) -> Ints:
    """Return the positions of all items of runs: ``starts[i]`` to ``starts[i] + lengths[i]``.

    Args:
        starts: (n,) where each run begins.
        lengths: (n,) how many items it has.

    Returns:
        (sum of the lengths,) positions, run after run.
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    out: Ints = np.repeat(starts - (ends - lengths), lengths) + np.arange(total, dtype=np.int64)
    return out
