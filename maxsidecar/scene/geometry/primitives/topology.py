"""Faces of grids: what most primitives are made of."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "FIRST_TWO",
    "LAST_TWO",
    "OUTER",
    "Maps",
    "band_triangles",
    "cells",
    "grid",
    "wall_triangles",
]

I32 = npt.NDArray[np.int32]
#: Map vertices and map faces by channel, as a mesh takes them.
Maps: TypeAlias = "dict[int, tuple[npt.ArrayLike, npt.ArrayLike]]"

#: Edge flags: bit 0 shows the edge from corner 0 to 1, bit 1 from 1 to 2, bit 2 from 2 to 0.
FIRST_TWO: Final = 3
LAST_TWO: Final = 6
OUTER: Final = 5


def grid(rows: int, columns: int, start: int = 0) -> I32:
    """Return (rows, columns) int32: numbers that count up row by row."""
    numbers = np.arange(start, start + rows * columns, dtype=np.int32)
    return numbers.reshape(rows, columns)


def cells(vertices: I32) -> tuple[I32, I32, I32, I32]:
    """Return the corners of the cells of a grid, row by row.

    Returns:
        For each cell the vertices at (row, column), (row, column + 1), (row + 1, column + 1),
        (row + 1, column).
    """
    return (
        vertices[:-1, :-1].reshape(-1),
        vertices[:-1, 1:].reshape(-1),
        vertices[1:, 1:].reshape(-1),
        vertices[1:, :-1].reshape(-1),
    )


def band_triangles(a: I32, b: I32, c: I32, d: I32) -> I32:
    """Return (2n, 3): quads a, b, c, d as two triangles, the one with d first.

    Their edge flags are :data:`LAST_TWO` and :data:`FIRST_TWO`.
    """
    return np.stack([a, c, d, a, b, c], axis=1).reshape(-1, 3)


def wall_triangles(upper: I32, lower: I32) -> I32:
    """Return (2n, 3): the quads between two rows of a wall, or of more rows, as two triangles.

    Their edge flags are :data:`FIRST_TWO` and :data:`LAST_TWO`.

    Args:
        upper: (..., n + 1): vertices from the left to the right, seen from outside.
        lower: The same below them.
    """
    a, b, c, d = upper[..., :-1], lower[..., :-1], lower[..., 1:], upper[..., 1:]
    return np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3).astype(np.int32)
