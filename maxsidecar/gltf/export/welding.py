"""Corners to vertices: those that have everything in common, to the last bit, become one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["weld"]

Array = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]
Words = Sequence[npt.NDArray[np.uint32]]

#: Corners of a vertex are compared one kind after the other, so often; what is left is sorted.
_ROUNDS: Final = 8


def weld(vertices: npt.NDArray[np.int32], columns: Sequence[Array]) -> tuple[Indices, Indices]:
    """Return which corners become vertices, and the vertex of each corner.

    Args:
        vertices: (k,) vertex of each corner; corners of different ones stay apart.
        columns: Arrays of k rows, of 32-bit numbers: what else makes corners differ.

    Returns:
        (n,) the corner that each vertex is taken from, the first one of its kind, ascending; and
        (k,) the vertex of each corner.
    """
    words = [
        np.ascontiguousarray(column if column.ndim > 1 else column[:, None]).view(np.uint32)
        for column in columns
    ]
    first = np.arange(len(vertices))
    left = first.copy()
    known = np.empty(int(vertices.max(initial=-1)) + 1, np.int64)
    for _ in range(_ROUNDS):
        if not len(left):
            break
        # The first corner of each vertex among those that are left: what is written last stays.
        own = vertices[left]
        known[own[::-1]] = left[::-1]
        like = known[own]
        same = _same(words, left, like)
        first[left[same]] = like[same]
        left = left[~same]
    if len(left):
        rows = [vertices.view(np.uint32)[left, None], *(word[left] for word in words)]
        first[left] = left[_sorted(rows)]
    is_first = first == np.arange(len(first))
    rank = np.cumsum(is_first) - 1
    return np.flatnonzero(is_first), rank[first]


def _same(words: Words, one: Indices, other: Indices) -> npt.NDArray[np.bool_]:
    """Return in which rows of two lists all words are equal."""
    out = np.ones(len(one), bool)
    for word in words:
        for column in range(word.shape[1]):
            numbers = word[:, column]
            out &= numbers[one] == numbers[other]
    return out


def _sorted(words: Words) -> Indices:
    """Return for each row the first one that is equal to it."""
    _, first, inverse = np.unique(_hash(words), return_index=True, return_inverse=True)
    found: Indices = first[inverse.reshape(-1)]
    if not _same(words, np.arange(len(found)), found).all():
        # Two different rows with one hash; it takes longer without.
        whole = np.concatenate(words, axis=1)
        _, first, inverse = np.unique(whole, axis=0, return_index=True, return_inverse=True)
        found = first[inverse.reshape(-1)]
    return found


def _hash(words: Words) -> npt.NDArray[np.uint64]:
    """Return one 64-bit number for each row: a sum with odd factors, which wraps around."""
    count = sum(word.shape[1] for word in words)
    factors = np.random.default_rng(0x676C5446).integers(0, 1 << 63, count, np.uint64)
    factors = factors << np.uint64(1) | np.uint64(1)
    out = np.zeros(len(words[0]), np.uint64)
    at = 0
    for word in words:
        for column in range(word.shape[1]):
            out += word[:, column].astype(np.uint64) * factors[at]
            at += 1
    return out
