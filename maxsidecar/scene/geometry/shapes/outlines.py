"""Curves as polylines: knots, and the points between them (docs/format/shapes.md, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.spline import Shape, Spline

__all__ = ["Outline", "line_segments", "outline_of", "outlines", "signed_area"]

F64 = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]

#: Most points of all curves of a shape together.
_MOST_POINTS: Final = 500_000
#: Largest coordinate of a knot; what is computed of it must stay within float32.
_FARTHEST: Final = 1e12
#: Steps where the file says that 3ds Max is to choose them.
_ADAPTIVE_STEPS: Final = 6
#: How far handles may be from the line between two knots, as a share of its length.
_STRAIGHT: Final = 1e-5


@dataclass(slots=True)
class Outline:
    """A curve as a polyline.

    Attributes:
        points: (n, 3) float64; a closed one does not repeat the first point.
        corners: (n,) bool: points where the curve has a corner.
        material_ids: (n,) int32 of the pieces behind the points.
        closed: Whether the last point joins the first.
    """

    points: F64
    corners: Bits
    material_ids: npt.NDArray[np.int32]
    closed: bool

    def reversed(self) -> Outline:
        """Return the same curve, the other way round."""
        ids = self.material_ids[::-1]
        # The piece behind a point is now in front of it.
        return Outline(self.points[::-1], self.corners[::-1], np.roll(ids, -1), self.closed)


def outlines(shape: Shape) -> list[Outline]:
    """Return the curves of a shape as polylines.

    Raises:
        NotSupportedError: They would have too many points, or are too far away.
    """
    steps = _ADAPTIVE_STEPS if shape.steps < 0 else shape.steps
    count = max(sum(len(spline.points) for spline in shape.splines), 1)
    if count * (steps + 1) > _MOST_POINTS:
        raise NotSupportedError(
            f"its curves would have {count * (steps + 1)} points, more than {_MOST_POINTS}"
        )
    for spline in shape.splines:
        for rows in (spline.points, spline.incoming, spline.outgoing):
            if not (np.abs(rows) <= _FARTHEST).all():
                raise NotSupportedError("its knots are farther away than any real ones")
    straight = shape.optimize or shape.steps < 0
    return [outline_of(spline, steps, straight) for spline in shape.splines]


def line_segments(spline: Spline) -> Bits:
    """Return (s,) bool: which segments are straight, by themselves or by their handles."""
    start, out, into, end = _controls(spline)
    chord = end - start
    length = np.linalg.norm(chord, axis=1, keepdims=True)
    unit = np.divide(chord, length, out=np.zeros_like(chord), where=length > 0)
    off = np.zeros(len(chord))
    for handle in (out - start, into - end):
        along = np.sum(handle * unit, axis=1, keepdims=True)
        off = np.maximum(off, np.linalg.norm(handle - along * unit, axis=1))
    lines: Bits = spline.lines[: len(chord)] | (off <= _STRAIGHT * length[:, 0])
    return lines


def _controls(spline: Spline) -> tuple[F64, F64, F64, F64]:
    """Return the control points of the segments, each (s, 3)."""
    count = len(spline.points) if spline.closed else max(len(spline.points) - 1, 0)
    points = spline.points.astype(np.float64)
    start, out = points[:count], spline.outgoing.astype(np.float64)[:count]
    into = np.roll(spline.incoming, -1, axis=0).astype(np.float64)[:count]
    end = np.roll(points, -1, axis=0)[:count]
    return start, out, into, end


def outline_of(spline: Spline, steps: int, optimize: bool) -> Outline:
    """Return one curve as a polyline.

    Args:
        spline: The curve.
        steps: Points between two knots.
        optimize: Whether straight segments get none.
    """
    start, out, into, end = _controls(spline)
    count = len(start)
    t = (np.arange(steps + 1) / (steps + 1))[None, :, None]
    s = 1.0 - t
    grid = (
        s**3 * start[:, None]
        + 3 * s**2 * t * out[:, None]
        + 3 * s * t**2 * into[:, None]
        + t**3 * end[:, None]
    )
    lines = spline.lines[:count]
    if lines.any():
        grid[lines] = (s * start[lines][:, None]) + t * end[lines][:, None]
    keep = np.ones((count, steps + 1), np.bool_)
    straight = line_segments(spline)
    if optimize:
        keep[straight, 1:] = False
    ids = np.broadcast_to(spline.material_ids[:count, None], keep.shape)
    corners = np.zeros(keep.shape, np.bool_)
    corners[:, 0] = _corners(spline, straight)[:count]
    points, piece_ids, bent = grid[keep], ids[keep].astype(np.int32), corners[keep]
    if not spline.closed and len(spline.points):
        points = np.concatenate([points, spline.points[-1:].astype(np.float64)])
        piece_ids = np.append(piece_ids, spline.material_ids[-1:])
        bent = np.append(bent, True)
    return Outline(points, bent, piece_ids, spline.closed)


def _corners(spline: Spline, straight: Bits) -> Bits:
    """Return (k,) bool: knots where the directions before and behind differ."""
    count = len(spline.points)
    points = spline.points.astype(np.float64)
    # Between straight segments handles do not count, the neighbours do.
    out = spline.outgoing.astype(np.float64).copy()
    into = spline.incoming.astype(np.float64).copy()
    number = np.arange(len(straight))
    following = (number + 1) % max(count, 1)
    out[number[straight]] = points[following[straight]]
    into[following[straight]] = points[number[straight]]
    behind, ahead = points - into, out - points
    lengths = np.linalg.norm(behind, axis=1) * np.linalg.norm(ahead, axis=1)
    cosine = np.divide(
        np.sum(behind * ahead, axis=1), lengths, out=np.zeros(count), where=lengths > 0
    )
    bent: Bits = cosine < 1.0 - 1e-4
    if not spline.closed and count:
        bent[[0, -1]] = True
    return bent


def signed_area(points: npt.NDArray[Any]) -> float:
    """Return the area of a closed polyline seen from above, negative when it is clockwise."""
    x, y = points[:, 0] - points[:1, 0], points[:, 1] - points[:1, 1]
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2.0)
