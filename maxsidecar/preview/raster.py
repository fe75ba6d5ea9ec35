"""A small rasteriser: triangles into a depth buffer, row by row, in numpy.

A triangle becomes the rows of pixels that it covers, and the rows become pixels; both are done for
many triangles at a time.  Depths are reciprocals of distances in perspective, and so linear on the
screen; larger is nearer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Raster"]

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Rows, and pixels, that are worked on at a time.
_ROWS: Final = 1 << 18
_PIXELS: Final = 1 << 19
#: Triangles of less than this many square pixels are seen from the edge.
_NO_AREA: Final = 1e-12
#: Which of two by two pixels show something transparent first, from what opacity on.
_SCREEN: Final = np.array([[0.125, 0.625], [0.875, 0.375]])


class Raster:
    """A picture that triangles are drawn into.

    Args:
        width: Pixels.
        height: Pixels.
        background: Red, green, blue from 0 to 1.

    Attributes:
        colors: (height · width, 3) float32, rows from the top.
        depths: (height · width,) float32; minus infinity where nothing is.
    """

    def __init__(self, width: int, height: int, background: tuple[float, float, float]) -> None:
        """Everything is background."""
        self.width, self.height = width, height
        self.colors = np.empty((height * width, 3), np.float32)
        self.colors[:] = background
        self.depths = np.full(height * width, -np.inf, np.float32)

    def draw(self, points: F64, colors: F64, opacity: F64) -> None:
        """Draw triangles, seen from both sides.

        Args:
            points: (t, 3, 3) x to the right, y down, in pixels; depth, larger is nearer.
            colors: (t, 3, 3) of the corners, red, green, blue from 0 to 1.
            opacity: (t,) from 0 to 1.
        """
        edge = points[:, 1:, :2] - points[:, :1, :2]
        area = edge[:, 0, 0] * edge[:, 1, 1] - edge[:, 0, 1] * edge[:, 1, 0]
        rows = np.clip(np.ceil(points[..., 1] - 0.5), 0, self.height)
        first, last = rows.min(axis=1).astype(np.int64), rows.max(axis=1).astype(np.int64)
        # Comparisons with what is not a number are false.
        chosen = np.nonzero((np.abs(area) > _NO_AREA) & (last > first))[0]
        if not len(chosen):
            return
        # Whatever is known at the corners is a + b x + c y: depth first, then the colour.
        values = np.concatenate([points[chosen, :, 2:], colors[chosen]], axis=2)
        planes = _planes(points[chosen], values, area[chosen])
        sides = _sides(points[chosen], area[chosen])
        first, counts = first[chosen], (last - first)[chosen]
        for part in _parts(counts, _ROWS):
            triangle = np.repeat(part, counts[part])
            y = _ragged(first[part], counts[part])
            begin, size = self._spans(sides[triangle], y)
            full = size > 0
            self._fill(triangle[full], y[full], begin[full], size[full], planes, opacity[chosen])

    def _spans(self, sides: F64, y: Ints) -> tuple[Ints, Ints]:
        """Return the first pixel of each row that is inside of all sides, and how many are."""
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = sides[:, :, 1] * (y[:, None] + 0.5) + sides[:, :, 2]
            cross = -rest / sides[:, :, 0]
        rising, falling = sides[:, :, 0] > 0, sides[:, :, 0] < 0
        low = np.where(rising, cross, -np.inf).max(axis=1)
        high = np.where(falling, cross, np.inf).min(axis=1)
        outside = np.any(~rising & ~falling & (rest < 0), axis=1)
        begin = np.clip(np.ceil(low - 0.5), 0, self.width).astype(np.int64)
        end = np.clip(np.ceil(high - 0.5), 0, self.width).astype(np.int64)
        return begin, np.where(outside, 0, np.maximum(end - begin, 0))

    def _fill(
        self, triangle: Ints, y: Ints, begin: Ints, size: Ints, planes: F64, opacity: F64
    ) -> None:
        for part in _parts(size, _PIXELS):
            count = size[part]
            x = _ragged(begin[part], count)
            owner = np.repeat(triangle[part], count)
            row = np.repeat(y[part], count)
            if np.any(opacity[triangle[part]] < 1):
                seen = opacity[owner] >= _SCREEN[row & 1, x & 1]
                x, owner, row = x[seen], owner[seen], row[seen]
            base = planes[owner, 0]
            depth = base[:, 0] + base[:, 1] * (x + 0.5) + base[:, 2] * (row + 0.5)
            depth = depth.astype(np.float32)
            place = row * self.width + x
            nearer = np.nonzero(depth > self.depths[place])[0]
            if not len(nearer):
                continue
            place, depth, owner = place[nearer], depth[nearer], owner[nearer]
            np.maximum.at(self.depths, place, depth)
            won = np.nonzero(self.depths[place] == depth)[0]
            color = planes[owner[won], 1:]
            x, row = x[nearer[won]], row[nearer[won]]
            self.colors[place[won]] = (
                color[:, :, 0] + color[:, :, 1] * (x + 0.5)[:, None]
            ) + color[:, :, 2] * (row + 0.5)[:, None]

    def rgb(self, shrink: int = 1) -> npt.NDArray[np.uint8]:
        """Return the picture, (height, width, 3), each pixel the mean of ``shrink²`` ones."""
        rows = self.colors.reshape(self.height // shrink, shrink, self.width // shrink, shrink, 3)
        out: npt.NDArray[np.uint8] = np.rint(np.clip(rows.mean(axis=(1, 3)), 0, 1) * 255).astype(
            np.uint8
        )
        return out


def _planes(points: F64, values: F64, area: F64) -> F64:
    """Return a, b, c of each value, (t, k, 3), so that it is a + b x + c y at the corners."""
    x, y = points[..., 0], points[..., 1]
    one, two = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]
    x1, x2 = (x[:, 1] - x[:, 0])[:, None], (x[:, 2] - x[:, 0])[:, None]
    y1, y2 = (y[:, 1] - y[:, 0])[:, None], (y[:, 2] - y[:, 0])[:, None]
    b = (one * y2 - two * y1) / area[:, None]
    c = (two * x1 - one * x2) / area[:, None]
    a = values[:, 0] - b * x[:, :1] - c * y[:, :1]
    return np.stack([a, b, c], axis=2)


def _sides(points: F64, area: F64) -> F64:
    """Return p, q, r of each side, (t, 3, 3): p x + q y + r is positive inside."""
    after = np.roll(points, -1, axis=1)
    turn = np.sign(area)[:, None]
    p = (points[..., 1] - after[..., 1]) * turn
    q = (after[..., 0] - points[..., 0]) * turn
    return np.stack([p, q, -(p * points[..., 0] + q * points[..., 1])], axis=2)


def _parts(counts: Ints, most: int) -> Iterator[Ints]:
    """Yield runs of positions whose counts add up to about ``most``."""
    totals = np.cumsum(counts)
    begin = 0
    while begin < len(counts):
        done = int(totals[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(totals, done + most, "right")), begin + 1)
        yield np.arange(begin, end)
        begin = end


def _ragged(first: npt.NDArray[Any], counts: npt.NDArray[Any]) -> Ints:
    """Return first, first + 1, ... for each count, behind one another."""
    starts = np.cumsum(counts) - counts
    out: Ints = np.arange(int(counts.sum())) + np.repeat(first - starts, counts)
    return out
