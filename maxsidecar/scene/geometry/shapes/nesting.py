"""Which closed curves lie within others: outer ones and holes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.shapes.outlines import Outline, signed_area

__all__ = ["Region", "arranged"]

#: Most tests of a curve against an edge of another.
_MOST_TESTS: Final = 50_000_000


@dataclass(slots=True)
class Region:
    """A closed curve and the holes in it, as numbers of outlines."""

    outer: int
    holes: list[int]


def arranged(outlines: list[Outline]) -> tuple[list[Outline], list[Region]]:
    """Return the curves so that outer ones run counter-clockwise and holes clockwise.

    Args:
        outlines: The curves; open ones, and those without area, stay as they are.

    Raises:
        NotSupportedError: There are too many.
    """
    closed = [k for k, line in enumerate(outlines) if line.closed and len(line.points) > 2]
    areas = {k: signed_area(outlines[k].points) for k in closed}
    closed = [k for k in closed if areas[k] != 0.0]
    edges = sum(len(outlines[k].points) for k in closed)
    if edges * len(closed) > _MOST_TESTS:
        raise NotSupportedError(f"it has {len(closed)} closed curves with {edges} points")
    around: dict[int, list[int]] = {k: [] for k in closed}
    tests = np.array([outlines[k].points[0, :2] for k in closed]).reshape(-1, 2)
    for k in closed:
        inside = _contains(outlines[k].points[:, :2], tests)
        for other in np.array(closed)[inside].tolist():
            if other != k and abs(areas[k]) > abs(areas[other]):
                around[other].append(k)
    out = list(outlines)
    regions: dict[int, Region] = {}
    for k in closed:
        is_hole = len(around[k]) % 2 == 1
        if (areas[k] < 0.0) != is_hole:
            out[k] = outlines[k].reversed()
        if not is_hole:
            regions[k] = Region(k, [])
    for k in closed:
        if len(around[k]) % 2 == 1:
            parent = min(around[k], key=lambda other: abs(areas[other]))
            if parent in regions:
                regions[parent].holes.append(k)
    return out, list(regions.values())


def _contains(
    polygon: npt.NDArray[np.float64], points: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return which points are inside, by the number of edges to the right of each."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    inside = np.zeros(len(points), np.bool_)
    for number, (x, y) in enumerate(points):
        crossing = (a[:, 1] > y) != (b[:, 1] > y)
        p, q = a[crossing], b[crossing]
        at = p[:, 0] + (y - p[:, 1]) / (q[:, 1] - p[:, 1]) * (q[:, 0] - p[:, 0])
        inside[number] = bool(np.count_nonzero(at > x) % 2)
    return inside
