"""Triangles of convex polygons: those with the shortest diagonals, as 3ds Max cuts them.

(Measured, docs/format/mesh.md section 5: the diagonals of stored polygons of five and more corners,
with their order.)
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["is_convex", "shortest_diagonals"]

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

#: Turns less than this, in doubled areas of the polygon, count as straight on.
_STRAIGHT: Final = 1e-6
#: Sums of lengths that differ by less, in sizes of the polygon, are equal: regular polygons have
#: many shortest cuts, and their corners are rounded.
_EQUAL: Final = 1e-5
#: Numbers that are worked on at once.
_BLOCK: Final = 1 << 20


def is_convex(points: Floats) -> npt.NDArray[np.bool_]:
    """Return which polygons turn to the same side at every corner.

    Args:
        points: (k, n, 3) corners of polygons of one degree.
    """
    side = np.roll(points, -1, axis=1) - points
    turns = np.cross(np.roll(side, 1, axis=1), side)
    normal = np.cross(points, np.roll(points, -1, axis=1)).sum(axis=1)
    found = np.einsum("knc,kc->kn", turns, normal)
    return np.asarray(
        np.all(found > -_STRAIGHT * np.einsum("kc,kc->k", normal, normal)[:, None], 1)
    )


def shortest_diagonals(points: Floats) -> Ints:
    """Return the diagonals of convex polygons whose lengths add up to the least.

    Of several such cuts that one is taken whose triangle at the side from the last corner to the
    first has the lowest third corner, and so on inwards.

    Args:
        points: (k, n, 3) corners of polygons of one degree.

    Returns:
        (k, n - 3, 2): the lower corner first, by their higher corner, inner ones first: in this
        order each one cuts off a single corner.
    """
    count, degree, _ = points.shape
    step = max(1, _BLOCK // (degree * degree))
    parts = [_shortest(points[at : at + step]) for at in range(0, count, step)]
    return np.concatenate([np.empty((0, degree - 3, 2), np.int64), *parts])


def _shortest(points: Floats) -> Ints:
    count, degree, _ = points.shape
    length = np.linalg.norm(points[:, :, None] - points[:, None], axis=3)
    equal = _EQUAL * length.max(axis=(1, 2))[:, None]
    # Of the corners from i to j: the least sum, and the corner on top of the side from i to j.
    cost = np.zeros((count, degree, degree))
    top = np.zeros((count, degree, degree), np.int64)
    for gap in range(2, degree):
        for i in range(degree - gap):
            j = i + gap
            inner = slice(i + 1, j)
            sums: Any = cost[:, i, inner] + cost[:, inner, j]
            sums = sums + length[:, i, inner] + length[:, inner, j]
            best = np.argmax(sums <= sums.min(axis=1, keepdims=True) + equal, axis=1)
            cost[:, i, j] = sums[np.arange(count), best]
            top[:, i, j] = i + 1 + best
    used = np.zeros((count, degree, degree), bool)
    used[:, 0, -1] = True
    for gap in range(degree - 1, 1, -1):
        for i in range(degree - gap):
            row = np.flatnonzero(used[:, i, i + gap])
            middle = top[row, i, i + gap]
            used[row, i, middle] = True
            used[row, middle, i + gap] = True
    # Sides are no diagonals.
    used &= np.arange(degree)[None, :] - np.arange(degree)[:, None] > 1
    used[:, 0, -1] = False
    _, high, below = np.nonzero(used[:, ::-1].transpose(0, 2, 1))
    return np.stack([degree - 1 - below, high], axis=-1).reshape(count, degree - 3, 2)
