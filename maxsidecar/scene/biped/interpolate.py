"""Values between the keys of a biped.

Numbers follow TCB splines whose ends are plain differences; quaternions follow squads between the
stored keys; the bases of toes ease by the cosine.  (Measured on clips that 3ds Max had sampled
itself; docs/format/biped.md.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.biped.structure import Array
from maxsidecar.scene.controllers.rotations import (
    conjugate,
    continuous,
    multiply,
    normalized,
    slerp,
    squad,
)

if TYPE_CHECKING:
    from maxsidecar.scene.biped.tracks import Track

__all__ = ["Keys"]

_NEUTRAL = (0.0, 0.0, 0.0, 1.0)


class Keys:
    """The keys of a track, and where some times are among them.

    Before the first key and behind the last one the value is that of the key.

    Args:
        track: k keys, at least one.
        times: (T,) ticks.

    Attributes:
        track: The keys.
        single: Whether there is one key; values are then given once, (1, ...), for all times.
        index: (T,) number of the key in front of each time.
        share: (T,) how far the time is to the next key, from 0 to 1.
    """

    def __init__(self, track: Track, times: Array) -> None:
        """Find the segments of the times."""
        self.track = track
        keys = track.times
        last = len(keys) - 1
        self.index: npt.NDArray[np.intp] = np.clip(
            np.searchsorted(keys, times, "right") - 1, 0, max(last - 1, 0)
        )
        self.single = last == 0
        if self.single:
            self.share = np.zeros(len(times))
            return
        self.steps = np.diff(keys)
        length = self.steps[self.index]
        # Of keys at one time the last one counts.
        behind = np.where(times >= keys[self.index + 1], 1.0, 0.0)
        share = (times - keys[self.index]) / np.where(length > 0, length, 1.0)
        self.share = np.where(length > 0, np.clip(share, 0.0, 1.0), behind)
        tension, continuity, bias = (track.tcb[:, n : n + 1] for n in range(3))
        near = (1 - tension) / 2
        #: Weights of the steps before and behind a key in its two tangents.
        self.arrive = near * (1 - continuity) * (1 + bias), near * (1 + continuity) * (1 - bias)
        self.leave = near * (1 + continuity) * (1 + bias), near * (1 - continuity) * (1 - bias)
        self.near = near

    def numbers(self, values: Array) -> Array:
        """Return values at the times: (k, w) to (T, w), or (1, w) for one key."""
        if self.single:
            return values
        leave, arrive = self._tangents(np.diff(values, axis=0))
        u = self.share[:, None]
        a, b = values[self.index], values[self.index + 1]
        out, into = leave[self.index], arrive[self.index]
        u2, u3 = u * u, u * u * u
        total: Array = (
            a * (2 * u3 - 3 * u2 + 1)
            + out * (u3 - 2 * u2 + u)
            + b * (3 * u2 - 2 * u3)
            + into * (u3 - u2)
        )
        return total

    def linear(self, values: Array) -> Array:
        """Return numbers at the times along straight lines: (k,) to (T,), or (1,) for one key."""
        if self.single:
            return values
        out: Array = values[self.index] + self.share * (values[self.index + 1] - values[self.index])
        return out

    def angles(self, values: Array) -> Array:
        """Return angles at the times, (k,) to (T,), or (1,) for one key: no full turns between."""
        return self.numbers(np.unwrap(values)[:, None])[:, 0]

    def _tangents(self, moves: Array) -> tuple[Array, Array]:
        """Return tangents at the first and last key of each segment, (k - 1, w).

        Args:
            moves: (k - 1, w): from key to key, as seen from the key.
        """
        steps = self.steps[:, None]
        leave, arrive = np.zeros_like(moves), np.zeros_like(moves)
        before, behind = moves[:-1], moves[1:]
        total = np.where(steps[:-1] + steps[1:] > 0, steps[:-1] + steps[1:], 1.0)
        inner = slice(1, -1)
        arrive[:-1] = (self.arrive[0][inner] * before + self.arrive[1][inner] * behind) * (
            2 * steps[:-1] / total
        )
        leave[1:] = (self.leave[0][inner] * before + self.leave[1][inner] * behind) * (
            2 * steps[1:] / total
        )
        leave[0] = 2 * self.near[0] * moves[0]
        arrive[-1] = 2 * self.near[-1] * moves[-1]
        return leave, arrive

    def rotations(self, quaternions: Array) -> Array:
        """Return quaternions at the times by squad: (k, 4) to (T, 4), or (1, 4) for one key.

        Their lengths and signs do not matter.
        """
        keys = continuous(normalized(quaternions, _NEUTRAL))
        if self.single:
            return keys
        turns = _log(multiply(conjugate(keys[:-1]), keys[1:]))
        leave, arrive = self._tangents(turns)
        # The squad's own slope at a key is that of the arc and twice the way to its control.
        leave[1:] = (leave[1:] - turns[1:]) / 2
        arrive[:-1] = (turns[:-1] - arrive[:-1]) / 2
        leave[0], arrive[-1] = 0.0, 0.0
        out = multiply(keys[:-1], _exp(leave))
        into = multiply(keys[1:], _exp(arrive))
        i = self.index
        return squad(keys[i], out[i], into[i], keys[i + 1], self.share)

    def eased(self, quaternions: Array) -> Array:
        """Return quaternions at the times, from key to key by the cosine.

        (k, 4) to (T, 4), or (1, 4) for one key; lengths and signs do not matter.
        """
        keys = continuous(normalized(quaternions, _NEUTRAL))
        if self.single:
            return keys
        share = (1.0 - np.cos(np.pi * self.share)) / 2.0
        return slerp(keys[self.index], keys[self.index + 1], share, shortest=True)


def _log(q: Array) -> Array:
    """Return half the angle times the axis of unit quaternions: (n, 4) to (n, 3)."""
    length = np.sqrt(np.einsum("ni,ni->n", q[:, :3], q[:, :3]))
    angle = np.arctan2(length, q[:, 3])
    scale = np.where(length > 1e-12, angle / np.where(length > 1e-12, length, 1.0), 1.0)
    out: Array = q[:, :3] * scale[:, None]
    return out


def _exp(v: Array) -> Array:
    """Return unit quaternions of half angles times axes: (n, 3) to (n, 4)."""
    angle = np.sqrt(np.einsum("ni,ni->n", v, v))
    scale = np.sinc(angle / np.pi)
    return np.concatenate([v * scale[:, None], np.cos(angle)[:, None]], axis=1)
