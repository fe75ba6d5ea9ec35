"""How far two sets of triangles are apart: triangles, vertices, normals, texture coordinates.

A triangle of the reference is matched with the closest one of ours that has its centroid within
1e-4 of the size of the mesh and its corners within 2e-4, in the same order up to where they start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_CENTROID, _CORNERS = 1e-4, 2e-4
#: Triangles of ours that are looked at for each of the reference, since some lie on one another.
_NEAREST = 4
#: Distances that are computed at once.
_BLOCK = 1 << 20


@dataclass
class Corners:
    """Triangles: positions and normals (t, 3, 3), texture coordinates (t, 3, 2) or ``None``."""

    positions: Array
    normals: Array
    coordinates: Array | None = None

    @property
    def size(self) -> float:
        """Length of the diagonal of the bounding box."""
        points = self.positions.reshape(-1, 3)
        return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0


@dataclass
class Difference:
    """Largest differences.

    ``hausdorff`` is in sizes of the mesh, an upper bound where the triangles come in order.
    """

    ours: int
    reference: int
    matched: float
    hausdorff: float
    degrees: float | None
    coordinates: float | None
    in_order: bool
    #: Lengths of the differences of matched normals, (t, 3).
    gaps: Array | None = None

    def __str__(self) -> str:
        """Return the row of a table."""
        degrees = "-" if self.degrees is None else f"{self.degrees:.2g}"
        coordinates = "-" if self.coordinates is None else f"{self.coordinates:.2g}"
        return (
            f"{self.ours:6} {self.reference:6} {self.matched:8.4f} {self.hausdorff:10.2g} "
            f"{degrees:>8} {coordinates:>8} {'yes' if self.in_order else 'no':>6}"
        )


def _nearest(points: Array, others: Array, count: int) -> npt.NDArray[np.int64]:
    """Return for each point the numbers of the nearest others, (n, count), in any order."""
    count = min(count, len(others))
    out = np.empty((len(points), count), np.int64)
    step = max(1, _BLOCK // len(others))
    middle = others.mean(axis=0)
    points, others = points - middle, others - middle
    squares = np.einsum("ij,ij->i", others, others)
    for start in range(0, len(points), step):
        part = slice(start, start + step)
        distance = squares - 2 * points[part] @ others.T
        out[part] = np.argpartition(distance, count - 1, axis=1)[:, :count]
    return out


def _farthest(points: Array, others: Array) -> float:
    """Return the largest distance from a point to the nearest of the others."""
    points, others = np.unique(points, axis=0), np.unique(others, axis=0)
    near = _nearest(points, others, 1)[:, 0]
    return float(np.linalg.norm(points - others[near], axis=1).max())


def compare(ours: Corners, reference: Corners) -> Difference:
    """Compare two meshes in the same space."""
    size = reference.size
    a, b = ours.positions, reference.positions
    in_order = a.shape == b.shape and bool(np.abs(a - b).max() < _CENTROID * size)
    if in_order:
        near = np.arange(len(a))[:, None]
    else:
        near = _nearest(b.mean(axis=1), a.mean(axis=1), _NEAREST)
    turned = np.stack([np.roll(a, turn, axis=1) for turn in range(3)])
    errors = np.abs(turned[:, near] - b[None, :, None]).max(axis=(3, 4))
    best = errors.transpose(1, 2, 0).reshape(len(b), -1).argmin(axis=1)
    other, turn = near[np.arange(len(b)), best // 3], best % 3
    hit = errors[turn, np.arange(len(b)), best // 3] < _CORNERS * size
    shift = np.linalg.norm(a[other].mean(axis=1) - b.mean(axis=1), axis=1)
    hit &= shift < _CENTROID * size
    rows = other[hit]
    corners = (np.arange(3)[None] - turn[hit, None]) % 3

    def matched(values: Any) -> Array:
        return np.asarray(values[rows[:, None], corners])

    degrees = uv = gap = None
    if np.any(hit):
        normals = matched(ours.normals)
        gap = np.linalg.norm(normals - reference.normals[hit], axis=-1)
        degrees = float(np.degrees(2 * np.arcsin(np.clip(gap / 2, 0, 1))).max())
        if ours.coordinates is not None and reference.coordinates is not None:
            delta = matched(ours.coordinates) - reference.coordinates[hit]
            uv = float(np.abs(delta - np.round(delta)).max())
    points, others = a.reshape(-1, 3), b.reshape(-1, 3)
    if in_order:
        # No nearest vertex is farther than the one in the same place.
        farthest = float(np.linalg.norm(points - others, axis=1).max())
    else:
        farthest = max(_farthest(points, others), _farthest(others, points))
    return Difference(
        ours=len(a),
        reference=len(b),
        matched=float(hit.mean()) if len(b) else 1.0,
        hausdorff=farthest / size,
        degrees=degrees,
        coordinates=uv,
        in_order=in_order and not turn.any(),
        gaps=gap,
    )
