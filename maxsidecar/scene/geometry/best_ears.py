"""Diagonals of polygons that cut off the best ear again and again.

An ear is a corner with its two neighbours; it is good when its triangle is not thin, turns as the
polygon does and holds no other corner.  The time grows with the square of the number of corners:
what each ear holds is kept, and only those beside the one that was cut off are looked at again.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["best_ears"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_EPSILON: Final = 1e-12
#: What an ear loses that holds a corner: more than its quality can make up for.
_HOLDS: Final = 4.0
#: Pairs of an ear and a corner that are looked at at once.
_BLOCK: Final = 1 << 19


def best_ears(points: F64) -> Ints:
    """Return the diagonals of polygons of one degree.

    Args:
        points: (k, n, 3) corners, n from 4.

    Returns:
        (k, n - 3, 2) corners, the lower one first; each diagonal cuts off a single corner.
    """
    count, degree, _ = points.shape
    cut = _quads if degree == 4 else _larger
    step = max(1, _BLOCK // (degree * degree))
    parts = [cut(points[at : at + step]) for at in range(0, count, step)]
    return np.concatenate([np.empty((0, degree - 3, 2), np.int64), *parts])


def _quads(points: F64) -> Ints:
    last, following = np.roll(points, 1, axis=1), np.roll(points, -1, axis=1)
    normal = _normals(points)
    score = _quality(last, points, following, normal)
    opposite = np.roll(points, -2, axis=1)[:, :, None]
    holds = _inside(opposite, last, points, following, normal)[:, :, 0]
    best = _ear_of_four(np.where(holds, score - _HOLDS, score))
    return np.stack([best - 1, (best + 1) % 4], axis=1)[:, None]


def _ear_of_four(score: F64) -> Ints:
    """Return which corner of quads is cut off, 1 or 2: both ears of a cut count."""
    both = np.minimum(score, np.roll(score, -2, axis=1))[:, :2]
    # Through corners 0 and 2 goes the cut that takes corner 1 off.
    best = np.argmax(both + np.array([0.0, 1e-9]), axis=1)
    # The ear opposite to corner 0 makes the same cut.
    out: Ints = np.where(best == 0, 2, best)
    return out


def _larger(points: F64) -> Ints:
    count, degree, _ = points.shape
    row, corner = np.arange(count), np.arange(degree)
    normal = _normals(points)
    last = np.tile(np.roll(corner, 1), (count, 1))
    following = np.tile(np.roll(corner, -1), (count, 1))
    alive = np.ones((count, degree), bool)
    ears = np.tile(corner, (count, 1))
    quality, holds = _look(points, normal, ears, last, following, alive)
    held = holds.sum(axis=2)
    out = np.empty((count, degree - 3, 2), np.int64)
    for step in range(degree - 4):
        score = np.where(held > 0, quality - _HOLDS, quality)
        # An ear at the first or last corner would have its ends the wrong way round.  The two are
        # neighbours, so that there is another ear.
        inner = np.where(alive, score, -np.inf)[:, 1:-1]
        best = np.argmax(inner, axis=1) + 1
        a, b = last[row, best], following[row, best]
        out[:, step, 0], out[:, step, 1] = a, b
        alive[row, best] = False
        following[row, a], last[row, b] = b, a
        held -= holds[row, :, best]
        beside = np.stack([a, b], axis=1)
        fresh, inside = _look(points, normal, beside, last, following, alive)
        quality[row[:, None], beside], holds[row[:, None], beside] = fresh, inside
        held[row[:, None], beside] = inside.sum(axis=2)
    left = np.nonzero(alive)[1].reshape(count, 4)
    best = _ear_of_four(np.take_along_axis(quality, left, axis=1))
    out[:, -1, 0], out[:, -1, 1] = left[row, best - 1], left[row, (best + 1) % 4]
    return out


def _look(
    points: F64, normal: F64, ears: Ints, last: Ints, following: Ints, alive: Bits
) -> tuple[F64, Bits]:
    """Return how good ears are, (k, m), and which corners they hold, (k, m, n).

    Args:
        points: (k, n, 3) corners.
        normal: (k, 3) normals of the polygons.
        ears: (k, m) corners.
        last: (k, n) the corner before each.
        following: (k, n) the corner behind each.
        alive: (k, n) corners that are left.
    """
    row = np.arange(len(points))[:, None]
    before, behind = last[row, ears], following[row, ears]
    three = points[row, before], points[row, ears], points[row, behind]
    holds = _inside(points[:, None], *three, normal) & alive[:, None]
    for own in (before, ears, behind):
        np.put_along_axis(holds, own[:, :, None], False, axis=2)
    return _quality(*three, normal), holds


def _normals(points: F64) -> F64:
    out: F64 = _cross(points, np.roll(points, -1, axis=1)).sum(axis=1)
    return out


def _cross(a: F64, b: F64) -> F64:
    # numpy.cross takes several times as long.
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _quality(last: F64, here: F64, following: F64, normal: F64) -> F64:
    """Return doubled area over squared edges of ears, negative when turned inside, (k, m)."""
    cross = _cross(here - last, following - here)
    turn = np.sign(np.einsum("knc,kc->kn", cross, normal))
    sides = (here - last, following - here, last - following)
    edges = sum((side**2).sum(axis=-1) for side in sides)
    out: F64 = turn * np.linalg.norm(cross, axis=-1) / (edges + _EPSILON)
    return out


def _inside(corners: F64, last: F64, here: F64, following: F64, normal: F64) -> Bits:
    """Return which corners lie inside of ears.

    Args:
        corners: (k, m or 1, n, 3) corners.
        last: (k, m, 3) first corners of the ears.
        here: (k, m, 3) their tips.
        following: (k, m, 3) their last corners.
        normal: (k, 3) normals of the polygons.

    Returns:
        (k, m, n) bool.
    """
    shape = np.broadcast_shapes(corners.shape[:3], (*here.shape[:2], 1))
    out = np.ones(shape, bool)
    for p, q in ((last, here), (here, following), (following, last)):
        side = _cross((q - p)[:, :, None], corners - p[:, :, None])
        out &= np.einsum("kmnc,kc->kmn", side, normal) > 0
    return out
