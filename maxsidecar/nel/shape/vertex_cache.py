"""The order of triangles within a material: so that few vertices are computed twice.

The game's exporter simulates a cache of the last ten vertices that were not in it yet (a hit moves
nothing).  After each triangle it looks through the triangles around the vertices of the cache, the
oldest vertex and the newest triangle first: a triangle whose vertices are all there follows at
once; of the others the cheapest comes next, when it costs less than three vertices.  Its cost is
what it adds to the cache, and what the triangles at the newest cached vertices, as many as it
adds, would miss without those (spec: nel-export-rules 3.2; the same indices as in 18 shapes).
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["CACHE_SIZE", "cache_order"]

#: Vertices that the cache holds.
CACHE_SIZE: Final = 10
#: A triangle is three times at most among those at two vertices, and one other may be there.
_CORNERS: Final = 4
#: Triangles at one vertex: the time grows with the square of their number.
_MOST_AROUND: Final = 1024
#: A triangle that costs as much is not preferred to the next one in the old order.
_TOO_MUCH: Final = 3


def cache_order(triangles: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the order in which triangles are drawn.

    Where more triangles than in any real mesh meet at a vertex, they are ordered part by part, so
    that the time stays bounded.

    Args:
        triangles: (t, 3) numbers of vertices, not negative.

    Returns:
        (t,) int64: numbers of triangles.
    """
    count = len(triangles)
    if count < 2:
        return np.arange(count, dtype=np.int64)
    # Only vertices in use have a place, whatever their numbers.
    _, numbers = np.unique(triangles, return_inverse=True)
    rows = numbers.reshape(-1, 3)
    part = _MOST_AROUND if np.bincount(rows.reshape(-1)).max() > _MOST_AROUND else count
    parts = []
    for start in range(0, count, part):
        _, own = np.unique(rows[start : start + part], return_inverse=True)
        parts.append(np.array(_Cache(own.reshape(-1, 3)).order(), np.int64) + start)
    return np.concatenate(parts)


class _Cache:
    """The simulated cache, and for each triangle how many of its corners are not in it."""

    def __init__(self, triangles: npt.NDArray[Any]) -> None:
        self.triangles: list[list[int]] = triangles.tolist()
        self.missing = [3] * len(triangles)
        # Triangles at each vertex that are not drawn yet, those that come last in front.
        self.waiting = _around(triangles)
        self.cached = [False] * len(self.waiting)
        self.cache: deque[int] = deque()
        self.drawn: list[int] = []
        self.done = [False] * len(triangles)

    def order(self) -> list[int]:
        """Draw all triangles."""
        done = self.done
        for first in range(len(done)):
            following = first
            while following >= 0 and not done[following]:
                self._draw(following)
                following = self._next()
        return self.drawn

    def _draw(self, triangle: int) -> None:
        """Draw a triangle: its vertices are in the cache then."""
        waiting, missing, cached = self.waiting, self.missing, self.cached
        corners = self.triangles[triangle]
        for vertex in corners:
            waiting[vertex].remove(triangle)
            if cached[vertex]:
                continue
            if len(self.cache) == CACHE_SIZE:
                oldest = self.cache.popleft()
                cached[oldest] = False
                for other in waiting[oldest]:
                    missing[other] += 1
            self.cache.append(vertex)
            cached[vertex] = True
            for other in waiting[vertex]:
                missing[other] -= 1
        self.done[triangle] = True
        self.drawn.append(triangle)

    def _next(self) -> int:
        """Draw what needs no new vertex; return what is drawn next, -1 for nothing near."""
        waiting, missing, done = self.waiting, self.missing, self.done
        best, least = -1, _TOO_MUCH
        # Drawing a triangle without new vertices leaves the cache as it is.
        newest = waiting[self.cache[-1]]
        before = waiting[self.cache[-2]] if len(self.cache) > 1 else []
        for vertex in tuple(self.cache):
            around = waiting[vertex]
            if not around:
                continue
            for triangle in around if len(around) == 1 else tuple(around):
                added = missing[triangle]
                if added >= least or done[triangle]:
                    continue
                if added <= 0:
                    self._finish(triangle)
                    continue
                if len(newest) > _CORNERS or (added == 2 and len(before) > _CORNERS):
                    continue
                price = self._price(triangle, added, newest + before if added == 2 else newest)
                if price < least:
                    best, least = triangle, price
        return best

    def _price(self, triangle: int, added: int, near: list[int]) -> int:
        """Return what a triangle costs that adds one or two vertices, if that is below three.

        Each other triangle at the newest vertices misses one at least, so that there is none, or
        one that misses no more.

        Args:
            triangle: The triangle.
            added: How many vertices it adds.
            near: Triangles at as many of the newest vertices of the cache.
        """
        if not near:
            return added
        if len(near) > _CORNERS:
            return _TOO_MUCH
        others = [other for other in near if other != triangle]
        if not others:
            return added
        if len(others) > 1:
            return _TOO_MUCH
        return added + self.missing[others[0]] + 1

    def _finish(self, triangle: int) -> None:
        """Draw a triangle whose vertices are all in the cache."""
        for vertex in self.triangles[triangle]:
            self.waiting[vertex].remove(triangle)
        self.done[triangle] = True
        self.drawn.append(triangle)


def _around(triangles: npt.NDArray[Any]) -> list[list[int]]:
    """Return the triangles at each vertex, the last one first."""
    corners = triangles.reshape(-1)
    # Equal vertices stay in the order of their corners, which is turned round.
    order = np.argsort(corners[::-1], kind="stable")
    owners = (len(corners) - 1 - order) // 3
    ends = np.cumsum(np.bincount(corners))
    flat, out, start = owners.tolist(), [], 0
    for end in ends.tolist():
        out.append(flat[start:end])
        start = end
    return out
