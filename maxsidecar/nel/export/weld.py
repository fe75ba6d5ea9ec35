"""Joining the vertices of several meshes where they lie together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import LimitError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["weld"]

#: Distances that are measured at most; real meshes need a few for each vertex of a seam.
_MOST: Final = 50_000_000
#: Cells along an axis, less one; what is farther away counts from 0 again.
_CELLS: Final = 2**21 - 1
#: Half of the 27 cells around one, itself first: each pair of cells is looked at once.
_AROUND: Final = [
    (x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) >= (0, 0, 0)
]


def weld(
    points: npt.NDArray[np.float32], meshes: npt.NDArray[np.int64], distance: float
) -> npt.NDArray[np.int64]:
    """Return for each vertex the vertex that it becomes.

    A vertex becomes the first one of another mesh that is not farther than the distance and did
    not become another one itself; vertices of one mesh stay apart.

    Args:
        points: (v, 3) float32.
        meshes: (v,) int64: number of each vertex's mesh.
        distance: Largest distance.

    Returns:
        (v,) int64: itself for a vertex that stays, else a smaller number.

    Raises:
        LimitError: Too many vertices lie together.
    """
    target = np.arange(len(points), dtype=np.int64)
    pairs = list(_pairs(points, meshes, distance))
    if not pairs:
        return target
    first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.lexsort((second, first))
    # Only the vertices of seams are left; what one becomes depends on all before it.
    for one, two in zip(first[order].tolist(), second[order].tolist(), strict=True):
        if target[one] == one and target[two] == two:
            target[two] = one
    return target


def _pairs(
    points: npt.NDArray[np.float32], meshes: npt.NDArray[np.int64], distance: float
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Yield pairs of vertices of different meshes that are close, the smaller number first."""
    finite = np.flatnonzero(np.isfinite(points).all(axis=1))
    if not len(finite):
        return
    places = points[finite].astype(np.float64)
    cells = np.floor((places - places.min(axis=0)) / distance)
    grid = np.minimum(cells, 2.0**62).astype(np.int64)
    keys = _keys(grid)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    looked = 0
    for offset in _AROUND:
        wanted = _keys(grid + np.array(offset))
        start = np.searchsorted(ordered, wanted, "left")
        count = np.searchsorted(ordered, wanted, "right") - start
        looked += int(count.sum())
        if looked > _MOST:
            message = "too many vertices lie together to be joined"
            raise LimitError(message, expected=f"up to {_MOST} distances", found=looked)
        one = np.repeat(np.arange(len(grid)), count)
        run = np.arange(len(one)) - np.repeat(np.cumsum(count) - count, count)
        two = order[np.repeat(start, count) + run]
        kept = meshes[finite[one]] != meshes[finite[two]]
        if offset == (0, 0, 0):
            kept &= one < two
        one, two = one[kept], two[kept]
        apart = points[finite[one]] - points[finite[two]]
        close = np.einsum("ij,ij->i", apart, apart) <= np.float32(distance) ** 2
        a, b = finite[one[close]], finite[two[close]]
        if len(a):
            yield np.minimum(a, b), np.maximum(a, b)


def _keys(grid: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return one number for each cell; cells that are far apart may share one."""
    kept = grid & _CELLS
    return (kept[:, 0] << 42) | (kept[:, 1] << 21) | kept[:, 2]
