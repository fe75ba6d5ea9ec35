"""Values at many times, with the keys dropped again that say nothing.

Where glTF has no words for a curve (turns by Euler angles or TCB, bent time, what looks at
something, …) it gets the value at every frame of the range and at every key.  A key is dropped
where the line between its neighbours, for rotations the arc, meets it within :data:`TOLERANCE`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.config import TICKS_PER_SECOND
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.rotations import (
    continuous,
    matrix_to_quaternion,
    normalized,
    slerp,
)
from maxsidecar.scene.controllers.sampling import Sampler

__all__ = [
    "MOST_SAMPLES",
    "TOLERANCE",
    "Clock",
    "Values",
    "Window",
    "drop_lines",
    "is_constant",
    "most_samples",
    "smooth_turns",
    "to_parts",
    "window",
]

Array = npt.NDArray[np.float64]

#: What a value may be off by where a key was dropped, and by what it may move and be called
#: constant: a share of the largest number of its track, or of 1 if that is larger.  Numbers of
#: glTF files have 24 bits, so that this is about ten times their rounding.
TOLERANCE: Final = 1e-6
#: Most samples of a range: an hour at 25 frames a second.
MOST_SAMPLES: Final = 90_000
#: Most samples of all nodes together; each takes some hundred bytes for a while.
_MOST_TOGETHER: Final = 10_000_000
#: What every node gets all the same.
_LEAST: Final = 1_000
#: Product of unit quaternions between which arc and line differ by less than 2e-7.
_SMALL_ARC: Final = 0.9998
#: How often only the worst of the dropped keys are put back.
_ROUNDS: Final = 2


@dataclass(frozen=True, slots=True)
class Clock:
    """Which part of a scene's time is exported.

    Attributes:
        start: First tick; it becomes time 0.
        end: Last tick.
        ticks_per_frame: Ticks of a frame.
        step: Frames between samples.
        forced: Whether everything is sampled.
        most: Most samples, however long a range the file claims.
    """

    start: float
    end: float
    ticks_per_frame: float
    step: float = 1.0
    forced: bool = False
    most: int = MOST_SAMPLES

    @property
    def stride(self) -> float:
        """Ticks between samples."""
        return max(self.ticks_per_frame * self.step, (self.end - self.start) / self.most)

    @property
    def note(self) -> str:
        """What the report has to say of all samples."""
        frames = self.stride / self.ticks_per_frame
        if frames <= self.step:
            return ""
        return f"; the range is so long that only every {frames:.1f} frames are"

    def frames(self) -> Array:
        """Return the ticks of the samples, from start to end, both included: (k,)."""
        stride = self.stride
        count = int(np.floor((self.end - self.start) / stride + 1e-9)) + 1
        ticks: Array = self.start + np.arange(count, dtype=np.float64) * stride
        return ticks if ticks[-1] >= self.end else np.append(ticks, self.end)

    def samples(self, keys: Iterable[Array]) -> Array:
        """Return the ticks of the samples, with those of some keys unless all is sampled."""
        frames = self.frames()
        if self.forced:
            return frames
        return np.unique(np.concatenate([frames, *(self.inside(times) for times in keys)]))

    def inside(self, ticks: Array) -> Array:
        """Return those of some ticks that are exported."""
        return ticks[(ticks >= self.start) & (ticks <= self.end)]

    def seconds(self, ticks: Array) -> npt.NDArray[np.float32]:
        """Return ticks as seconds of the animation."""
        return ((ticks - self.start) / TICKS_PER_SECOND).astype(np.float32)


def most_samples(nodes: int) -> int:
    """Return how many samples each of some nodes may take."""
    return max(_LEAST, min(MOST_SAMPLES, _MOST_TOGETHER // max(1, nodes)))


class Values(Protocol):
    """Gives the values of controllers at some ticks, as a ``Sampler`` does."""

    @property
    def times(self) -> Array:
        """The ticks, (k,)."""
        ...

    def value(self, controller: Controller | None, kind: str) -> Array:
        """Return values: (k, w), or (1, w) where they do not change."""
        ...


class Window:
    """A piece of the ticks of a sampler, which computes nothing anew.

    Args:
        whole: The sampler.
        first: Where the piece begins.
        count: How many ticks it has.
    """

    def __init__(self, whole: Sampler, first: int, count: int) -> None:
        """Keep what is needed to cut."""
        self._whole = whole
        self._piece = slice(first, first + count)
        self.times: Array = whole.times[self._piece]

    def value(self, controller: Controller | None, kind: str) -> Array:
        """Return values: (k, w), or (1, w) where they do not change."""
        found = self._whole.value(controller, kind)
        return found if len(found) == 1 else found[self._piece]


def window(whole: Sampler, ticks: Array) -> Values:
    """Return what gives values at some ticks, from a sampler where that has them all in a row."""
    first = int(np.searchsorted(whole.times, ticks[0]))
    if np.array_equal(whole.times[first : first + len(ticks)], ticks):
        return Window(whole, first, len(ticks))
    return Sampler(ticks)


def is_constant(values: Array) -> bool:
    """Return whether rows of values are all the same, within the tolerance."""
    if len(values) < 2:
        return True
    # Rows of few numbers are reduced faster the other way round.
    columns = np.ascontiguousarray(values.T)
    low, high = columns.min(axis=1), columns.max(axis=1)
    allowed = TOLERANCE * max(1e-3, float(np.abs([low, high]).max(initial=0.0)))
    return bool(np.all(high - low <= allowed))


def smooth_turns(quaternions: Array) -> Array:
    """Return unit quaternions whose neighbours are on the same side: (k, 4)."""
    return continuous(normalized(quaternions, (0.0, 0.0, 0.0, 1.0)))


def drop_lines(ticks: Array, values: Array, rotation: bool) -> npt.NDArray[np.intp]:
    """Return which of some keys are needed: indices, with the first and the last.

    Keys that lie on the line between their neighbours are dropped; then all are checked against
    what is left, and of those that are missed the worst are put back, in the end all.

    Args:
        ticks: (k,) ascending.
        values: (k, w); unit quaternions, neighbours on the same side, if they are rotations.
        rotation: Whether keys are joined by arcs.
    """
    count = len(ticks)
    if count < 3:
        return np.arange(count)
    allowed = TOLERANCE * max(1.0, float(np.abs(values).max()))
    share = (ticks[1:-1] - ticks[:-2]) / (ticks[2:] - ticks[:-2])
    kept = np.ones(count, bool)
    # Each may be off from its own neighbours by less than all of a run from the run's ends.
    close = allowed / 16
    kept[1:-1] = _miss(values[1:-1], values[:-2], values[2:], share, rotation, close) > close
    for rounds in range(count):
        chosen = np.flatnonzero(kept)
        if len(chosen) == count:
            break
        place = np.minimum(np.searchsorted(chosen, np.arange(count), "right") - 1, len(chosen) - 2)
        first, last = chosen[place], chosen[place + 1]
        share = (ticks - ticks[first]) / (ticks[last] - ticks[first])
        off = _miss(values, values[first], values[last], share, rotation, allowed)
        off[kept] = 0.0
        missed = off > allowed
        if not missed.any():
            break
        if rounds < _ROUNDS:
            # The worst of every gap goes back.
            worst = np.zeros(len(chosen))
            np.maximum.at(worst, place, off)
            missed &= off >= worst[place]
        kept |= missed
    return np.flatnonzero(kept)


def _miss(
    values: Array, first: Array, last: Array, share: Array, rotation: bool, allowed: float
) -> Array:
    """Return how far values are from what keys before and behind them give: (k,).

    Rotations count as missed where the arc is off *or* the straight line, brought to length 1:
    Blender joins keys by the line, so that only turns too small to matter are dropped.
    """
    line = first + (last - first) * share[:, None]
    if not rotation:
        return _largest(line - values)
    off = _largest(normalized(line, (0.0, 0.0, 0.0, 1.0)) - values)
    # The arc is only asked where the line does not decide; on small arcs the two are the same.
    wide = np.einsum("ij,ij->i", first, last) < _SMALL_ARC
    rows = np.flatnonzero((off <= allowed) & wide)
    if len(rows):
        arc = slerp(first[rows], last[rows], share[rows], shortest=True)
        off[rows] = np.maximum(off[rows], _largest(arc - values[rows]))
    return off


def _largest(differences: Array) -> Array:
    """Return the largest size in each row; (k, w) to (k,)."""
    # Rows of few numbers are reduced faster the other way round.
    out: Array = np.abs(np.ascontiguousarray(differences.T)).max(axis=0, initial=0.0)
    return out


def to_parts(
    matrices: Array, like: tuple[float, float, float] = (1.0, 1.0, 1.0)
) -> tuple[Array, Array, Array, bool]:
    """Take column-vector matrices apart into translation, rotation and scale.

    Args:
        matrices: (k, 4, 4).
        like: Scale factors whose signs are wanted; where they do not fit a mirrored matrix, or
            one that is not, all of them change sign.

    Returns:
        (k, 3), (k, 4), (k, 3), and whether the matrices are nothing but that (no shear).
    """
    linear = matrices[:, :3, :3]
    size = np.linalg.norm(linear, axis=1)
    with np.errstate(all="ignore"):
        x, y, z = np.moveaxis(linear, 1, 0)
        mirrored = np.einsum("ij,ij->i", x, np.cross(y, z)) < 0
    signs = np.where(np.asarray(like) < 0, -1.0, 1.0)
    wrong = mirrored != (np.prod(signs) < 0)
    scale = size * signs * np.where(wrong, -1.0, 1.0)[:, None]
    flat = size <= 1e-12 * np.maximum(1.0, size.max(axis=1, initial=0.0))[:, None]
    unit = linear / np.where(flat, 1.0, scale)[:, None, :]
    some = np.flatnonzero(flat.any(axis=1))
    if len(some):
        unit[some] = _completed(unit[some], flat[some])
    square = np.swapaxes(unit, 1, 2) @ unit
    straight = bool(np.all(np.abs(square - np.eye(3)) < 1e-5))
    if not straight:
        u, _, v = np.linalg.svd(np.where(np.isfinite(unit), unit, 0.0))
        unit = u @ v
    rotation = matrix_to_quaternion(np.swapaxes(unit, 1, 2))
    return matrices[:, :3, 3], rotation, scale, straight


def _completed(unit: Array, flat: npt.NDArray[np.bool_]) -> Array:
    """Return axes with those put in that have no length: the nearest that make rotations."""
    filled = np.where(flat[:, None, :] | ~np.isfinite(unit), np.eye(3), unit)
    u, _, v = np.linalg.svd(filled)
    out: Array = u @ v
    out[np.linalg.det(out) < 0] *= -1.0
    return out
