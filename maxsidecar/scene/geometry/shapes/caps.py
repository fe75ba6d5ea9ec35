"""Filling closed curves with triangles.

Three ears of one filled square are all that files show (docs/format/shapes.md, section 5): an ear
is cut at the last corner, and the triangle runs from the corner in front of it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.shapes.nesting import Region, arranged
from maxsidecar.scene.geometry.shapes.outlines import Outline, outlines
from maxsidecar.scene.geometry.spline import Shape

__all__ = ["cap_faces", "filled", "visible_sides"]

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

#: Most corners of one region with its holes: each ear looks at all that are left.
_MOST_CORNERS: Final = 8_000
#: Most corners that are tried as ears of one region, some seconds of work.
_MOST_TESTS: Final = 60_000


def filled(shape: Shape) -> Mesh | None:
    """Return the closed curves of a shape, filled; ``None`` when all of them are open.

    Raises:
        NotSupportedError: They are too many, or have too many points.
    """
    lines, regions = arranged([line for line in outlines(shape) if line.closed])
    if not regions:
        return None
    faces, flags = cap_faces(lines, regions)
    positions = np.concatenate([line.points for line in lines])
    return Mesh.of_triangles(positions, faces, smoothing=1, edge_flags=flags)


def cap_faces(lines: list[Outline], regions: list[Region]) -> tuple[I64, I64]:
    """Return the triangles of regions, seen from above, and their edge flags.

    Args:
        lines: The curves; their points have numbers one after another.
        regions: Which of them are filled, and which are holes.

    Raises:
        NotSupportedError: A region has too many corners.
    """
    starts = np.concatenate([[0], np.cumsum([len(line.points) for line in lines])])
    faces = []
    for region in regions:
        rings = [np.arange(starts[k], starts[k + 1]) for k in (region.outer, *region.holes)]
        count = sum(len(ring) for ring in rings)
        if count > _MOST_CORNERS:
            raise NotSupportedError(f"a closed curve with {count} points, more than it can fill")
        points = {k: lines[k].points[:, :2] for k in (region.outer, *region.holes)}
        flat = np.zeros((int(starts[-1]), 2))
        for k, ring in points.items():
            flat[starts[k] : starts[k + 1]] = ring
        faces.append(_ears(flat, _joined(flat, rings)))
    triangles = np.concatenate(faces) if faces else np.zeros((0, 3), np.int64)
    return triangles, visible_sides(triangles, starts)


def visible_sides(faces: I64, starts: npt.NDArray[np.integer]) -> I64:
    """Return edge flags: shown are sides that are pieces of a curve.

    Args:
        faces: (t, 3) numbers of points.
        starts: (n + 1,) first number of each curve, and the number of all points.
    """
    sizes = np.diff(starts)
    line = np.searchsorted(starts, np.arange(int(starts[-1])), side="right") - 1
    following = np.arange(int(starts[-1])) + 1
    wrap = following == starts[1:][line] if len(sizes) else following[:0] > 0
    following[wrap] = starts[:-1][line][wrap]
    ahead = np.roll(faces, -1, axis=1)
    shown = (following[faces] == ahead) | (following[ahead] == faces)
    flags: I64 = shown @ np.array([1, 2, 4])
    return flags


def _joined(points: F64, rings: list[I64]) -> I64:
    """Return one ring: each hole is joined to the ring around it by a bridge there and back."""
    ring = rings[0]
    holes = sorted(rings[1:], key=lambda hole: float(-points[hole, 0].max()))
    for index, hole in enumerate(holes):
        first = int(points[hole, 0].argmax())
        at = points[hole[first]]
        rest = [*holes[index:]]
        place = _bridge(points, ring, rest, at)
        turned = np.roll(hole, -first)
        ring = np.concatenate([ring[: place + 1], turned, turned[:1], ring[place:]])
    return ring


def _bridge(points: F64, ring: I64, holes: list[I64], at: npt.NDArray[np.float64]) -> int:
    """Return the nearest corner of the ring that a point can see."""
    a, b = points[ring], points[np.roll(ring, -1)]
    for hole in holes:
        a = np.concatenate([a, points[hole]])
        b = np.concatenate([b, points[np.roll(hole, -1)]])
    distance = np.sum((points[ring] - at) ** 2, axis=1)
    for place in np.argsort(distance, kind="stable").tolist():
        corner = points[ring[place]]
        if not _crossed(corner, at, a, b) and _opens(points, ring, place, at):
            return int(place)
    return int(distance.argmin())


def _turn(a: F64, b: F64, c: F64) -> F64:
    """Return twice the area of triangles: positive where they turn left."""
    out: F64 = (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (
        c[..., 0] - a[..., 0]
    )
    return out


def _crossed(p: F64, q: F64, a: F64, b: F64) -> bool:
    """Return whether the line from p to q crosses one of the sides from a to b."""
    one, two = _turn(p, q, a), _turn(p, q, b)
    three, four = _turn(a, b, p), _turn(a, b, q)
    return bool(((one * two < 0) & (three * four < 0)).any())


def _opens(points: F64, ring: I64, place: int, at: F64) -> bool:
    """Return whether a point lies in the angle of a corner of the ring."""
    before, corner = points[ring[place - 1]], points[ring[place]]
    behind = points[ring[(place + 1) % len(ring)]]
    left = bool(_turn(corner, behind, at) > 0)
    right = bool(_turn(before, corner, at) > 0)
    convex = bool(_turn(before, corner, behind) > 0)
    return (left and right) if convex else (left or right)


def _ears(points: F64, ring: I64) -> I64:
    """Return the triangles of a ring, one ear after another from its last corner."""
    left = ring
    faces: list[I64] = []
    place = len(left) - 1
    missed = tests = 0
    while len(left) > 3:
        count = len(left)
        tests += 1
        if tests > _MOST_TESTS:
            raise NotSupportedError("a closed curve is too intricate to be filled")
        place = min(place, count - 1)
        before, ear, behind = left[place - 1], left[place], left[(place + 1) % count]
        if missed < count and not _is_ear(points, left, place):
            place = (place - 1) % count
            missed += 1
            continue
        if missed >= count:
            # Curves that cross themselves: whatever turns left, else the last one.
            place = _flattest(points, left)
            before, ear, behind = left[place - 1], left[place], left[(place + 1) % count]
        faces.append(np.array([before, ear, behind]))
        left = np.delete(left, place)
        place, missed = (place - 1) % len(left), 0
    if len(left) == 3:
        place = min(place, 2)
        faces.append(left[[place - 1, place, (place + 1) % 3]])
    return np.array(faces, np.int64).reshape(-1, 3)


def _flattest(points: F64, ring: I64) -> int:
    corners = points[ring]
    turns = _turn(np.roll(corners, 1, axis=0), corners, np.roll(corners, -1, axis=0))
    return int(np.abs(turns).argmin())


def _is_ear(points: F64, ring: I64, place: int) -> bool:
    """Return whether nothing is left in the triangle of a corner."""
    count = len(ring)
    a, b, c = points[ring[place - 1]], points[ring[place]], points[ring[(place + 1) % count]]
    if _turn(a, b, c) <= 0:
        return False
    others = np.delete(ring, [(place - 1) % count, place, (place + 1) % count])
    # A bridge visits its points twice: they do not lie in the triangle that they are corners of.
    triangle = np.array([ring[place - 1], ring[place], ring[(place + 1) % count]])
    p = points[others[~np.isin(others, triangle)]]
    inside = (_turn(a, b, p) >= 0) & (_turn(b, c, p) >= 0) & (_turn(c, a, p) >= 0)
    return not bool(inside.any())
