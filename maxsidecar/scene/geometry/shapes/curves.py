"""Splines from numbers: circles, polygons, arcs."""

from __future__ import annotations

from math import tan
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.spline import Spline

__all__ = [
    "BEZIER",
    "BEZIER_CORNER",
    "CORNER",
    "arc_handle",
    "circle",
    "polygon",
    "rounded",
    "spline_of",
]

F64 = npt.NDArray[np.float64]

AUTOMATIC, CORNER, BEZIER, BEZIER_CORNER = range(4)
#: Length of the handles of a quarter of a circle, as a share of the radius: the constant of the
#: public SDK samples, which is not 4/3 (sqrt 2 - 1) = 0.5523.
QUARTER: Final = 0.5517861843


def spline_of(
    points: npt.ArrayLike,
    incoming: npt.ArrayLike,
    outgoing: npt.ArrayLike,
    kind: int | npt.ArrayLike,
    *,
    closed: bool,
) -> Spline:
    """Return a spline of knots and handles, each (k, 3) or, on the ground, (k, 2)."""
    rows = [_flat(array) for array in (points, incoming, outgoing)]
    count = len(rows[0])
    return Spline(
        points=rows[0],
        incoming=rows[1],
        outgoing=rows[2],
        lines=np.zeros(count, np.bool_),
        kinds=np.broadcast_to(np.asarray(kind, np.int32), (count,)).copy(),
        material_ids=np.zeros(count, np.int32),
        closed=closed,
    )


def _flat(array: npt.ArrayLike) -> npt.NDArray[np.float32]:
    rows = np.asarray(array, np.float64)
    out = np.zeros((len(rows), 3), np.float32)
    out[:, : rows.shape[1]] = rows
    return out


def arc_handle(angle: float) -> float:
    """Return how long the handles of an arc are, as a share of its radius."""
    return 4.0 / 3.0 * tan(angle / 4.0)


def circle(radius: float, y_radius: float | None = None) -> Spline:
    """Return a circle, or an ellipse, of four knots from +x on, counter-clockwise."""
    turn = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    ahead = np.roll(turn, -1, axis=0) * QUARTER
    size = np.array([radius, radius if y_radius is None else y_radius])
    return spline_of(turn * size, (turn - ahead) * size, (turn + ahead) * size, BEZIER, closed=True)


def polygon(points: npt.ArrayLike, *, closed: bool = True) -> Spline:
    """Return straight pieces between corners: handles at a third of them (measured)."""
    corners = np.asarray(points, np.float64)
    behind, ahead = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    incoming, outgoing = corners + (behind - corners) / 3.0, corners + (ahead - corners) / 3.0
    if not closed:
        incoming[0], outgoing[-1] = corners[0], corners[-1]
    return spline_of(corners, incoming, outgoing, CORNER, closed=closed)


def rounded(points: F64, fillets: F64) -> Spline:
    """Return a closed polygon whose corners are rounded: two knots for each of them.

    Args:
        points: (k, 2) corners, counter-clockwise.
        fillets: (k,) radii; they are cut where there is no room for them.
    """
    count = len(points)
    knots: list[Any] = []
    into: list[Any] = []
    out: list[Any] = []
    for number in range(count):
        corner, before, after = points[number], points[number - 1], points[(number + 1) % count]
        one, two = before - corner, after - corner
        lengths = np.linalg.norm(one), np.linalg.norm(two)
        if min(lengths) <= 0.0:
            for rows in (knots, into, out):
                rows.append(corner)
            continue
        one, two = one / lengths[0], two / lengths[1]
        inner = np.arccos(np.clip(one @ two, -1.0, 1.0))
        reach = min(fillets[number] / max(np.tan(inner / 2.0), 1e-9), 0.5 * min(lengths))
        radius = reach * np.tan(inner / 2.0)
        handle = arc_handle(np.pi - inner) * radius
        first, last = corner + one * reach, corner + two * reach
        knots += [first, last]
        into += [first + one * handle, last - two * handle]
        out += [first - one * handle, last + two * handle]
    return spline_of(np.array(knots), np.array(into), np.array(out), BEZIER, closed=True)
