"""Triangles of polygons: by diagonals, in the order and with the first corners of 3ds Max.

Rule (docs/format/mesh.md, section 5; no exception among 13,899 stored polygons): of a quad with
the diagonal (a, b) come (a, a+1, b) and (b, b+1, a).  Of a larger polygon each diagonal (a, b), in
stored order, cuts off the one corner m that is left between a and b, which gives (a, m, b); the
last three corners are the last triangle.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.best_ears import best_ears
from maxsidecar.scene.geometry.shortest_diagonals import is_convex, shortest_diagonals

__all__ = [
    "default_diagonals",
    "diagonals_of",
    "distinct_degrees",
    "ear_diagonals",
    "triangle_counts",
    "triangulate",
]

I32: TypeAlias = npt.NDArray[np.int32]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

#: Polygons of more corners are rare, and are looked at one by one.
MANY_CORNERS: Final = 64


def triangle_counts(degrees: npt.NDArray[Any]) -> Ints:
    """Return how many triangles polygons have: two less than corners, at least none."""
    return np.maximum(degrees.astype(np.int64) - 2, 0)


def distinct_degrees(degrees: npt.NDArray[Any]) -> Ints:
    """Return the numbers of corners that occur, ascending."""
    # Counting takes a tenth of the time of sorting, and no polygon has more corners than there are.
    return np.flatnonzero(np.bincount(degrees)) if len(degrees) else np.zeros(0, np.int64)


def triangulate(
    starts: npt.NDArray[Any], diagonals: npt.NDArray[Any]
) -> tuple[I32, I32, npt.NDArray[np.bool_]]:
    """Return the triangles of polygons.

    Args:
        starts: (p + 1,) first corner of each polygon, and the number of corners.
        diagonals: (d, 2) pairs of corners counted from the first of their polygon: three less than
            corners for each polygon of four or more, polygon after polygon.

    Returns:
        triangles: (t, 3) int32 corner numbers.
        polygons: (t,) int32 polygon of each triangle.
        sound: (p,) bool: whether the diagonals of a polygon divide it.  One whose do not is cut
            into a fan around its first corner.
    """
    starts = np.asarray(starts, np.int64)
    degrees = np.diff(starts)
    counts = triangle_counts(degrees)
    first = np.cumsum(counts) - counts
    needed = np.maximum(degrees - 3, 0)
    if int(needed.sum()) != len(diagonals):
        raise ValueError(f"{len(diagonals)} diagonals, expected {int(needed.sum())}")
    first_diagonal = np.cumsum(needed) - needed
    pairs = np.asarray(diagonals, np.int64).reshape(-1, 2)
    out = np.zeros((int(counts.sum()), 3), np.int32)
    sound = np.ones(len(degrees), bool)
    for degree in distinct_degrees(degrees):
        if degree < 3:
            continue
        polygons = np.nonzero(degrees == degree)[0]
        if degree == 3:
            local = np.broadcast_to(np.arange(3), (len(polygons), 1, 3))
        else:
            rows = first_diagonal[polygons][:, None] + np.arange(degree - 3)
            cut = _cut if degree <= MANY_CORNERS else _cut_large
            local, fits = cut(pairs[rows], int(degree))
            sound[polygons[~fits]] = False
        places = first[polygons][:, None] + np.arange(degree - 2)
        out[places] = starts[polygons][:, None, None] + local
    return out, np.repeat(np.arange(len(degrees), dtype=np.int32), counts), sound


def _cut(pairs: Ints, degree: int) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return the triangles of polygons of one degree, (k, degree - 2, 3) local corners."""
    if degree == 4:
        a, b = pairs[:, 0, 0], pairs[:, 0, 1]
        fits = (a - b == 2) | (b - a == 2)
        local = np.stack([a, a + 1, b, b, b + 1, a], axis=1).reshape(-1, 2, 3) % 4
        # Both corners of the diagonal must be among the four.
        fits &= (a >= 0) & (a < 4) & (b >= 0) & (b < 4)
        local[~fits] = _fan(4)
        return local, fits
    count = len(pairs)
    corner = np.arange(degree)
    alive = np.ones((count, degree), bool)
    local = np.empty((count, degree - 2, 3), np.int64)
    fits = np.all((pairs >= 0) & (pairs < degree), axis=(1, 2))
    row = np.arange(count)
    for step in range(degree - 3):
        a, b = pairs[:, step, 0, None], pairs[:, step, 1, None]
        inside = np.where(a < b, (corner > a) & (corner < b), (corner > a) | (corner < b)) & alive
        middle = np.argmax(inside, axis=1)
        fits &= (inside.sum(axis=1) == 1) & np.all(
            np.take_along_axis(alive, np.clip(pairs[:, step], 0, degree - 1), axis=1), axis=1
        )
        local[:, step] = np.stack([a[:, 0], middle, b[:, 0]], axis=1)
        alive[row, middle] = False
    # What does not fit may have cut off one corner twice.
    fits &= alive.sum(axis=1) == 3
    local[fits, -1] = np.nonzero(alive[fits])[1].reshape(-1, 3)
    local[~fits] = _fan(degree)
    return local, fits


def _cut_large(pairs: Ints, degree: int) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Do what :func:`_cut` does, in time that grows with the number of corners only."""
    local = np.empty((len(pairs), degree - 2, 3), np.int64)
    fits = np.ones(len(pairs), bool)
    for row, diagonals in enumerate(pairs.tolist()):
        following = [*range(1, degree), 0]
        out: list[tuple[int, int, int]] = []
        left = 0
        for a, b in diagonals:
            middle = following[a] if 0 <= a < degree else -1
            if middle < 0 or following[middle] != b or a == b:
                break
            out.append((a, middle, b))
            following[a] = b
            following[middle] = -1
            left = a
        if len(out) == degree - 3:
            last = sorted((left, following[left], following[following[left]]))
            local[row] = [*out, (last[0], last[1], last[2])]
        else:
            fits[row] = False
            local[row] = _fan(degree)
    return local, fits


def _fan(degree: int) -> Ints:
    middle = np.arange(1, degree - 1)
    return np.stack([np.zeros_like(middle), middle, middle + 1], axis=1)


def default_diagonals(
    positions: npt.NDArray[Any], corners: npt.NDArray[Any], starts: npt.NDArray[Any]
) -> I32:
    """Return diagonals for polygons that have none, such as modifiers make.

    A quad is cut so that the smallest angle is largest.  Larger polygons are cut by the shortest
    diagonals where they are convex (:mod:`~maxsidecar.scene.geometry.shortest_diagonals`); of
    others the best ear is cut off again and again, of those whose triangle turns as the polygon
    does and holds no other corner.  Polygons of more than 64 corners are cut into a fan.

    Args:
        positions: (v, 3).
        corners: (c,) vertex of each corner.
        starts: (p + 1,) first corner of each polygon, and the number of corners.

    Returns:
        (d, 2) in the form and order that :func:`triangulate` takes.
    """
    starts = np.asarray(starts, np.int64)
    degrees = np.diff(starts)
    needed = np.maximum(degrees - 3, 0)
    first = np.cumsum(needed) - needed
    out = np.zeros((int(needed.sum()), 2), np.int32)
    for degree in distinct_degrees(degrees[degrees > 3]):
        polygons = np.nonzero(degrees == degree)[0]
        if degree > MANY_CORNERS:
            fan = np.stack([np.zeros(degree - 3, np.int64), np.arange(2, degree - 1)], axis=1)
            out[first[polygons][:, None] + np.arange(degree - 3)] = fan
            continue
        rows = starts[polygons][:, None] + np.arange(degree)
        # Positions may be anything: the worst that comes of it is a bad choice.
        with np.errstate(all="ignore"):
            points = np.asarray(positions, np.float64)[corners[rows]]
            convex = is_convex(points) if degree > 4 else np.zeros(len(points), bool)
            pairs = np.empty((len(points), degree - 3, 2), np.int64)
            pairs[~convex] = best_ears(points[~convex])
            pairs[convex] = shortest_diagonals(points[convex])
            out[first[polygons][:, None] + np.arange(degree - 3)] = pairs
    return out


def ear_diagonals(rows: Ints, degree: int) -> tuple[Ints, Bits]:
    """Return the diagonals of triangulated polygons in an order that cuts off ears.

    Args:
        rows: (k, degree - 2, 3) triangles, local corners ascending.
        degree: Number of corners, from 4.

    Returns:
        diagonals: (k, degree - 3, 2), the lower corner first.
        fits: (k,) bool: whether the triangles divide the polygon.
    """
    large = degree > MANY_CORNERS
    pairs, fits = (_ears_large if large else _ears)(rows, degree)
    again, sound = (_cut_large if large else _cut)(pairs, degree)
    weights = np.array([degree * degree, degree, 1])
    keys = np.sort(rows @ weights, axis=1)
    found = np.sort(np.sort(again, axis=2) @ weights, axis=1)
    return pairs, fits & sound & np.all(keys == found, axis=1)


def _ears(rows: Ints, degree: int) -> tuple[Ints, Bits]:
    count = len(rows)
    out = np.zeros((count, degree - 3, 2), np.int64)
    fits = np.all(rows >= 0, axis=(1, 2)) & np.all(np.diff(rows, axis=2) > 0, axis=(1, 2))
    rows = np.where(fits[:, None, None], rows, 0)
    alive = np.ones((count, degree), bool)
    left = np.ones(rows.shape[:2], bool)
    row = np.arange(count)
    for step in range(degree - 3):
        rank = np.cumsum(alive, axis=1)
        low = np.take_along_axis(rank, rows[:, :, 0], axis=1)
        high = np.take_along_axis(rank, rows[:, :, 2], axis=1)
        ear = left & (high - low == 2)
        best = np.argmax(ear, axis=1)
        fits &= ear[row, best]
        out[:, step, 0], out[:, step, 1] = rows[row, best, 0], rows[row, best, 2]
        alive[row, rows[row, best, 1]] = False
        left[row, best] = False
    return out, fits


def _ears_large(rows: Ints, degree: int) -> tuple[Ints, Bits]:
    """Do what :func:`_ears` does, in time that grows with the number of corners only."""
    out = np.zeros((len(rows), degree - 3, 2), np.int64)
    fits = np.ones(len(rows), bool)
    for row, triangles in enumerate(rows.tolist()):
        waiting: dict[tuple[int, int], tuple[int, int, int]] = {}
        for i, j, k in triangles:
            waiting[i, j] = waiting[j, k] = i, j, k
        following = list(range(1, degree + 1))
        stack = [(i, j, k) for i, j, k in triangles if j == i + 1 and k == j + 1]
        pairs: list[tuple[int, int]] = []
        while stack and len(pairs) < degree - 3:
            i, j, k = stack.pop()
            if following[i] != j or following[j] != k:
                continue
            pairs.append((i, k))
            following[i], following[j] = k, -1
            more = waiting.get((i, k))
            if more is not None and following[more[0]] == more[1] and following[more[1]] == more[2]:
                stack.append(more)
        fits[row] = len(pairs) == degree - 3
        if fits[row]:
            out[row] = pairs
    return out, fits


def diagonals_of(
    starts: npt.NDArray[Any], triangles: npt.NDArray[Any], polygons: npt.NDArray[Any]
) -> tuple[I32, Bits]:
    """Return diagonals that give these triangles again, in the same order where there are such.

    Args:
        starts: (p + 1,) first corner of each polygon, and the number of corners.
        triangles: (t, 3) corner numbers.
        polygons: (t,) polygon of each triangle, ascending.

    Returns:
        diagonals: (d, 2) in the form that :func:`triangulate` takes.
        sound: (p,) bool: whether the triangles divide the polygon.
    """
    starts = np.asarray(starts, np.int64)
    degrees = np.diff(starts)
    counts, needed = triangle_counts(degrees), np.maximum(degrees - 3, 0)
    sound = np.bincount(polygons, minlength=len(degrees)) == counts
    first, at = np.cumsum(counts) - counts, np.cumsum(needed) - needed
    out = np.zeros((int(needed.sum()), 2), np.int32)
    if not np.all(sound):
        return out, sound
    local = np.asarray(triangles, np.int64) - starts[polygons][:, None]
    # The first and last corner of each triangle but the last are the ends of its diagonal.
    inner = np.ones(len(local), bool)
    inner[(first + counts - 1)[counts > 0]] = False
    out[:] = local[inner][:, [0, 2]]
    again, _, _ = triangulate(starts, out)
    wrong = np.unique(polygons[np.any(again != triangles, axis=1)])
    for degree in distinct_degrees(degrees[wrong]):
        chosen = wrong[degrees[wrong] == degree]
        if degree < 4:
            continue
        rows = np.sort(local[first[chosen][:, None] + np.arange(degree - 2)], axis=2)
        pairs, fits = ear_diagonals(rows, int(degree))
        sound[chosen[~fits]] = False
        out[at[chosen][:, None] + np.arange(degree - 3)] = pairs
    return out, sound
