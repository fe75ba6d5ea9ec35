"""Vertices of a buffer from the corners of faces, and the box around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["bounding_box", "merge_corners"]

F32 = npt.NDArray[np.float32]


def merge_corners(columns: Sequence[npt.NDArray[Any]]) -> tuple[npt.NDArray[np.int64], ...]:
    """Return which corners have the same values, as vertices in the order of their first corner.

    Args:
        columns: What a vertex has, arrays whose first axis are the corners, of 1, 2 or 4 bytes a
            number.  Zeros of both signs are the same; what is not a number is like itself.

    Returns:
        (v,) int64, the first corner of each vertex, and (c,) int64, the vertex of each corner.
    """
    count = len(columns[0])
    if not count:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    parts = []
    for column in columns:
        rows = np.ascontiguousarray(column).reshape(count, -1)
        if rows.dtype.kind == "f":
            rows = rows + rows.dtype.type(0)  # no negative zero
        parts.append(np.ascontiguousarray(rows).view(np.uint8).reshape(count, -1))
    bytes_ = np.concatenate(parts, axis=1)
    words = np.zeros((count, -(-bytes_.shape[1] // 8)), np.uint64)
    words.view(np.uint8).reshape(count, -1)[:, : bytes_.shape[1]] = bytes_
    number = _rank(words[:, 0])
    for column in words.T[1:]:
        other = _rank(column)
        number = _rank(number * (int(other.max()) + 1) + other)
    return _first_use(number)


def _rank(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return small numbers in place of values, the same for the same."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    steps = np.empty(len(values), np.int64)
    steps[0] = 0
    np.cumsum(ordered[1:] != ordered[:-1], out=steps[1:])
    out = np.empty(len(values), np.int64)
    out[order] = steps
    return out


def _first_use(number: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], ...]:
    """Renumber in the order in which numbers first appear."""
    first = np.full(int(number.max()) + 1, len(number), np.int64)
    np.minimum.at(first, number, np.arange(len(number)))
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[number]


def bounding_box(points: F32) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return centre and half size of the box around points, as the game computes them.

    It extends a box by one point after the other and keeps only centre and half size, so that the
    last bit of the result depends on the order.

    Args:
        points: (n, 3) float32.
    """
    if not len(points):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    two = np.float32(2)
    center, half = points[0].copy(), np.zeros(3, np.float32)
    at, stride = 0, 1
    with np.errstate(all="ignore"):
        while at < len(points):
            old_low, old_high = center - half, center + half
            low, high = np.minimum(old_low, points[at]), np.maximum(old_high, points[at])
            middle = (low + high) / two
            size = high - middle
            # A point without may leave the box as it is after rounding, and one within change it.
            settled = (
                np.array_equal(low, old_low)
                and np.array_equal(high, old_high)
                and np.array_equal(middle, center)
                and np.array_equal(size, half)
            )
            center, half = middle, size
            at += 1
            if settled:
                # Points within change nothing more: go on to the next one outside.
                at, stride = _outside(points, at, center - half, center + half, stride)
    return tuple(center.tolist()), tuple(half.tolist())


def _outside(points: F32, at: int, low: F32, high: F32, stride: int) -> tuple[int, int]:
    """Return the first point from ``at`` on that is not within, and how far to look next time."""
    stride = max(stride // 4, 16)
    while at < len(points):
        part = points[at : at + stride]
        out = np.any((part < low) | (part > high), axis=1)
        if out.any():
            return at + int(out.argmax()), stride
        at += len(part)
        stride *= 4
    return at, stride
