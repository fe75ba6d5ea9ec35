"""Interpolation between keys: a controller's keys compiled to segments, then sampled.

A segment is a cubic in the share of its time that has passed, one per component; rotations are
spherical.  Out-of-range types fold time into the range of the keys.

(Formulas measured on cached values of the corpus; docs/format/controllers.md section 4.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.controllers.handles import solve
from maxsidecar.scene.controllers.rotations import FloatArray, slerp, squad

__all__ = ["Constant", "Cubic", "Curve", "Extended", "Place", "Scales", "Segments", "Spherical"]

#: Segments of some times, (T,), and the share of each that has passed, (T,).
Place: TypeAlias = tuple[npt.NDArray[np.intp], FloatArray]


class Curve(Protocol):
    """Anything that gives a value for every time."""

    def sample(self, times: FloatArray) -> FloatArray:
        """Return values for times in ticks: (T,) to (T, w), or (1, w) where all are the same."""
        ...


@dataclass(frozen=True)
class Constant:
    """The same value at all times."""

    value: FloatArray

    def sample(self, times: FloatArray) -> FloatArray:
        """Return the value once."""
        return self.value[None]


class Segments:
    """Which segment a time lies in, and how far.

    Args:
        times: Key times in ticks, shape (n,), ascending.
        inverse: One over the length of the segment behind each key; 0 where time stands still, as
            it does behind the last key.
    """

    def __init__(self, times: FloatArray, inverse: FloatArray) -> None:
        """Keep the times."""
        self.times = times
        self.inverse = inverse

    def find(self, times: FloatArray) -> Place:
        """Return the segment of each time, (T,), and the share of it that has passed, (T,)."""
        index = np.searchsorted(self.times, times, "right") - 1
        np.maximum(index, 0, out=index)
        share = (times - self.times.take(index)) * self.inverse.take(index)
        return index, np.maximum(share, 0.0)


class Cubic:
    """Cubics between keys, constant outside.

    Args:
        segments: The keys, of which there are n.
        powers: Coefficients of share powers 0 to 3, shape (4, n, w); the last segment, which is
            that behind the last key, holds its value.
        handles: Shape (n, 2, w): lengths of the out and the in handle, where time runs through
            the handles as well; NaN where it does not.  ``None``: nowhere.
        eases: Shape (n, 2), how much a segment eases out of its first and into its last key;
            ``None`` where none does.
    """

    def __init__(
        self,
        segments: Segments,
        powers: FloatArray,
        handles: FloatArray | None = None,
        eases: FloatArray | None = None,
    ) -> None:
        """Keep the segments."""
        self.segments = segments
        self.powers = powers
        self.handles = handles
        self.eases = eases
        self._curved: Any = None
        if handles is not None:
            self._curved = np.isfinite(handles).any(axis=(1, 2))

    def sample(self, times: FloatArray) -> FloatArray:
        """Return the values, (T, w)."""
        return self.at(self.segments.find(times))

    def at(self, place: Place) -> FloatArray:
        """Return the values where :meth:`Segments.find` has found some times, (T, w)."""
        index, share = place
        if self.eases is not None:
            share = _eased(share, self.eases[index])
        u = share[:, None]
        if self.handles is not None:
            u = self._through(self.handles, index, share)
        out: FloatArray
        c0, c1, c2, out = self.powers.take(index, axis=1)
        # Horner's scheme, in place.
        for below in (c2, c1, c0):
            out *= u
            out += below
        return out

    def _through(
        self, handles: FloatArray, index: npt.NDArray[np.intp], share: FloatArray
    ) -> FloatArray:
        u = np.repeat(share[:, None], handles.shape[2], axis=1)
        rows = np.flatnonzero(self._curved[index])
        if len(rows):
            lengths = handles[index[rows]]
            where = np.isfinite(lengths[:, 0])
            found = u[rows]
            found[where] = solve(found[where], lengths[:, 0][where], lengths[:, 1][where])
            u[rows] = found
        return u

    def end_slopes(self) -> tuple[FloatArray, FloatArray]:
        """Return the slopes per tick at the first and the last key, each (w,)."""
        (_, c1, c2, c3), inverse = self.powers, self.segments.inverse
        before = c1[0] * inverse[0]
        after = (c1[-2] + 2 * c2[-2] + 3 * c3[-2]) * inverse[-2]
        if self.handles is not None:
            lengths = self.handles
            with np.errstate(all="ignore"):
                first = before / (3 * lengths[0, 0])
                last = after / (3 * lengths[-2, 1])
            before = np.where(np.isfinite(first), first, before)
            after = np.where(np.isfinite(last), last, after)
        return before, after


def _eased(share: FloatArray, eases: FloatArray) -> FloatArray:
    """Speed up out of a key and slow down into the next: quadratic, linear, quadratic.

    (spec: the reparametrisation that the public SDK documents; no key of the corpus eases.)
    """
    out, into = eases[:, 0], eases[:, 1]
    total = out + into
    shrink = np.where(total > 1.0, total, 1.0)
    out, into = out / shrink, into / shrink
    k = 1.0 / np.maximum(2.0 - out - into, 1e-12)
    first = k * share * share / np.where(out > 0, out, 1.0)
    middle = k * (2.0 * share - out)
    rest = 1.0 - share
    last = 1.0 - k * rest * rest / np.where(into > 0, into, 1.0)
    eased = np.where(share < out, first, np.where(share > 1.0 - into, last, middle))
    return np.where(total > 0, eased, share)


class Spherical:
    """Rotations between keys; stored quaternions throughout.

    Args:
        segments: The keys, of which there are n.
        values: Quaternions, (n, 4).
        controls: The control quaternions of each segment, out of its first and into its last
            key, (n - 1, 2, 4); ``None`` interpolates on the shortest arc.
        eases: As for :class:`Cubic`.
    """

    def __init__(
        self,
        segments: Segments,
        values: FloatArray,
        controls: FloatArray | None = None,
        eases: FloatArray | None = None,
    ) -> None:
        """Keep the keys."""
        self.segments = segments
        self.values = values
        self.controls = controls
        self.eases = eases

    def sample(self, times: FloatArray) -> FloatArray:
        """Return the quaternions, (T, 4)."""
        index, share = self.segments.find(times)
        if self.eases is not None:
            share = _eased(share, self.eases[index])
        last = len(self.values) - 1
        a, b = self.values[index], self.values[np.minimum(index + 1, last)]
        if self.controls is None:
            between = slerp(a, b, share, shortest=True)
        else:
            control = self.controls[np.minimum(index, last - 1)]
            between = squad(a, control[:, 0], control[:, 1], b, share)
        # A key's own value is exact.
        return np.where((share == 0.0)[:, None], a, between)


@dataclass(frozen=True)
class Scales:
    """Scale factors that move, in a frame that jumps from key to key (spec)."""

    factors: Cubic
    axes: FloatArray

    def sample(self, times: FloatArray) -> FloatArray:
        """Return factors and stored axis quaternions, (T, 7)."""
        index, _ = self.factors.segments.find(times)
        return np.concatenate([self.factors.sample(times), self.axes[index]], axis=1)


class Extended:
    """A curve with out-of-range types.

    Args:
        curve: The curve inside its range.
        span: First and last tick of the range.
        before: Type before the range, see :data:`maxsidecar.scene.controllers.bodies.ORT`.
        after: Type behind it.
    """

    def __init__(self, curve: Any, span: tuple[int, int], before: int, after: int) -> None:
        """Keep the curve."""
        self.curve = curve
        self.start, self.end = map(float, span)
        self.before = before
        self.after = after

    def sample(self, times: FloatArray) -> FloatArray:
        """Return the values, (T, w)."""
        start, end = self.start, self.end
        out: FloatArray = self.curve.sample(np.clip(times, start, end))
        if end <= start:
            return out
        for side, kind in ((times < start, self.before), (times > end, self.after)):
            if kind != 1 and side.any():
                out[side] = self._outside(times[side], kind)
        return out

    def _outside(self, times: FloatArray, kind: int) -> FloatArray:
        start, end = self.start, self.end
        edges = np.clip(times, start, end)
        if kind in (5, 6):
            # Identity runs on with slope 1: a value that means a time, as ease curves have it.
            at_edge: FloatArray = self.curve.sample(edges)
            slope = np.ones_like(at_edge)
            if kind == 5 and isinstance(self.curve, Cubic):
                first, last = self.curve.end_slopes()
                slope = np.where((times < start)[:, None], first, last)
            return at_edge + slope * (times - edges)[:, None]
        turns = np.floor((times - start) / (end - start))
        inside = times - turns * (end - start)
        if kind == 4:
            inside = np.where(turns % 2 == 0, inside, end - (inside - start))
        values: FloatArray = self.curve.sample(inside)
        if kind == 7:
            ends = self.curve.sample(np.array([start, end]))
            values = values + turns[:, None] * (ends[1] - ends[0])
        return values
