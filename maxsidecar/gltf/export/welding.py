"""Corners to vertices: those that have everything in common, to the last bit, become one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["weld"]

Array = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]


def weld(columns: Sequence[Array]) -> tuple[Indices, Indices]:
    """Return which corners become vertices, and the vertex of each corner.

    Args:
        columns: Arrays of k rows, of 32-bit numbers: what makes corners differ.

    Returns:
        (n,) the corner that each vertex is taken from, the first one of its kind, ascending; and
        (k,) the vertex of each corner.
    """
    words = [
        np.ascontiguousarray(column if column.ndim > 1 else column[:, None]).view(np.uint32)
        for column in columns
    ]
    _, first, inverse = np.unique(_hash(words), return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    if any(not np.array_equal(word, word[first][inverse]) for word in words):
        # Two different corners with one hash; it takes longer without.
        whole = np.concatenate(words, axis=1)
        _, first, inverse = np.unique(whole, axis=0, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse]


def _hash(words: Sequence[npt.NDArray[np.uint32]]) -> npt.NDArray[np.uint64]:
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
