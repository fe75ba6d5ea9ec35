"""Keys that say exactly what a scene's curves do, where glTF can say it.

Every curve between two keys of 3ds Max whose time runs evenly is a cubic, whatever it is made of:
straight lines, steps, Bezier handles of a third of the segment, TCB.  A cubic cut in two is two
cubics, and cubics with keys at other times put side by side are cubics between all of the times.
So position, scale and weight tracks come over as they are: ``LINEAR`` where all are straight,
``STEP`` where they only jump, ``CUBICSPLINE`` else.  Bezier handles of other lengths bend time, and
are sampled instead (:mod:`maxsidecar.gltf.export.sampling`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf.model import Interpolation
from maxsidecar.scene.controllers.curves import Constant, Cubic, Curve, Extended

__all__ = ["Hermite", "between_keys", "exact", "inner_curve"]

Array = npt.NDArray[np.float64]

#: How far a cubic may be from a straight line, as a share of the largest move between two keys.
#: Slopes are stored in 32 bits, so that those of straight lines are off by that much.
_STRAIGHT: Final = 1e-6
#: Jumps below this share of the values are none.
_ROUNDING: Final = 1e-9
#: Slopes are per tick in scenes, and per second in glTF.
_TICKS_PER_SECOND: Final = 4800.0


@dataclass(slots=True)
class Hermite:
    """Cubics between keys.

    Attributes:
        ticks: (k,) ascending.
        values: (k, w).
        arrive: (k, w) slope before each key, per tick.
        leave: (k, w) slope behind each key, per tick.
    """

    ticks: Array
    values: Array
    arrive: Array
    leave: Array

    @property
    def interpolation(self) -> Interpolation:
        """The plainest kind of glTF that says the same.

        ``STEP`` is never among them: what jumps has keys a tick apart, see :func:`exact`.
        """
        steps = np.diff(self.ticks)[:, None]
        moves = np.diff(self.values, axis=0)
        allowed = _STRAIGHT * np.abs(moves).max(initial=0.0)
        off = np.abs(
            np.concatenate([self.leave[:-1] * steps - moves, self.arrive[1:] * steps - moves])
        )
        return "LINEAR" if np.all(off <= allowed) else "CUBICSPLINE"

    def packed(self) -> Array:
        """Return the rows of a ``CUBICSPLINE`` sampler: (3 k, w), slopes per second."""
        rows = np.stack(
            [self.arrive * _TICKS_PER_SECOND, self.values, self.leave * _TICKS_PER_SECOND], axis=1
        )
        return rows.reshape(-1, self.values.shape[1])


def inner_curve(curve: Curve, start: float, end: float) -> Curve | None:
    """Return a curve without out-of-range types; ``None`` where those count between two ticks."""
    if not isinstance(curve, Extended):
        return curve
    before = curve.before != 1 and start < curve.start
    after = curve.after != 1 and end > curve.end
    if before or after:
        return None
    inner: Curve = curve.curve
    return inner


def exact(
    curves: Sequence[Curve], start: float, end: float
) -> tuple[Hermite, Interpolation] | None:
    """Return keys that say the same as some curves between two ticks, the curves side by side.

    Where a value jumps, there is one more key a tick before, since a tick is the shortest time that
    a scene knows; nothing but jumps gives ``STEP``.

    Args:
        curves: Of numbers or of a few side by side, such as those of three axes.
        start: First tick.
        end: Last tick.

    Returns:
        The keys and their interpolation; ``None`` where glTF has no words for a curve.
    """
    parts: list[Constant | Cubic] = []
    for curve in curves:
        inner = inner_curve(curve, start, end)
        if isinstance(inner, Cubic):
            if inner.eases is not None or _bends(inner, start, end):
                return None
        elif not isinstance(inner, Constant):
            return None
        parts.append(inner)
    ticks = between_keys([p.segments.times for p in parts if isinstance(p, Cubic)], start, end)
    found = _at(parts, ticks)
    limits = _before(parts, ticks)[0]
    # A cubic meets its next key but for the rounding of the sum.
    size = np.abs(found.values).max(axis=0) + np.abs(limits).max(axis=0)
    jumps: npt.NDArray[np.bool_] = (np.abs(limits - found.values) > _ROUNDING * size).any(axis=1)
    jumps[0] = False
    if not jumps.any():
        return found, found.interpolation
    flat = not found.leave.any() and not found.arrive.any()
    if flat and np.array_equal(limits[1:], found.values[:-1]):
        return found, "STEP"
    late = ticks[jumps] - 1.0
    found = _at(parts, np.union1d(ticks, late[late > start]))
    jumped = np.isin(found.ticks, ticks[jumps])
    # What jumps runs straight through the tick before; what else there is keeps its slope.
    whole = np.abs(_before(parts, found.ticks)[0] - found.values) > _ROUNDING * size
    whole = whole & jumped[:, None]
    rise = np.zeros_like(found.values)
    rise[1:] = np.diff(found.values, axis=0) / np.diff(found.ticks)[:, None]
    found.arrive = np.where(whole, rise, found.arrive)
    found.leave[:-1] = np.where(whole[1:], rise[1:], found.leave[:-1])
    return found, found.interpolation


def between_keys(times: Sequence[Array], start: float, end: float) -> Array:
    """Return the key times between two ticks, with those ticks where keys lie beyond; (k,), k > 0.

    Args:
        times: Key times of some curves, each ascending.
        start: First tick.
        end: Last tick.
    """
    if not times:
        return np.array([start])
    every = np.unique(np.concatenate(times))
    inside = every[(every >= start) & (every <= end)]
    ends = [start] if every[0] < start else []
    ends += [end] if every[-1] > end and end > start else []
    out = np.union1d(inside, np.array(ends, np.float64))
    return out if len(out) else np.array([start])


def _bends(curve: Cubic, start: float, end: float) -> bool:
    """Return whether time is bent in a segment that touches a range."""
    if curve.handles is None:
        return False
    times = curve.segments.times
    touched = (times[:-1] < end) & (times[1:] > start)
    return bool(np.any(np.isfinite(curve.handles[:-1]) & touched[:, None, None]))


def _at(parts: Sequence[Constant | Cubic], ticks: Array) -> Hermite:
    """Return values and slopes of curves at some ticks; the value is that behind a jump."""
    values, leave = [], []
    for part in parts:
        if isinstance(part, Constant):
            values.append(np.broadcast_to(part.value, (len(ticks), len(part.value))))
            leave.append(np.zeros((len(ticks), len(part.value))))
            continue
        index, share = part.segments.find(ticks)
        value, slope = _polynomial(part, index, share)
        slope[ticks < part.segments.times[0]] = 0.0
        values.append(value)
        leave.append(slope)
    arrive = _before(parts, ticks)[1]
    return Hermite(ticks, np.concatenate(values, axis=1), arrive, np.concatenate(leave, axis=1))


def _before(parts: Sequence[Constant | Cubic], ticks: Array) -> tuple[Array, Array]:
    """Return values and slopes of curves just before some ticks."""
    values, slopes = [], []
    for part in parts:
        if isinstance(part, Constant):
            values.append(np.broadcast_to(part.value, (len(ticks), len(part.value))))
            slopes.append(np.zeros((len(ticks), len(part.value))))
            continue
        times = part.segments.times
        index = np.searchsorted(times, ticks, "left") - 1
        ahead = index < 0
        index = np.maximum(index, 0)
        share = np.maximum((ticks - times[index]) * part.segments.inverse[index], 0.0)
        value, slope = _polynomial(part, index, share)
        slope[ahead] = 0.0
        values.append(value)
        slopes.append(slope)
    return np.concatenate(values, axis=1), np.concatenate(slopes, axis=1)


def _polynomial(part: Cubic, index: npt.NDArray[np.intp], share: Array) -> tuple[Array, Array]:
    c0, c1, c2, c3 = part.powers.take(index, axis=1)
    u = share[:, None]
    value = ((c3 * u + c2) * u + c1) * u + c0
    slope = ((3.0 * c3 * u + 2.0 * c2) * u + c1) * part.segments.inverse[index][:, None]
    return value, slope
