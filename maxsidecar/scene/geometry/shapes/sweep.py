"""A section swept along a curve: what a shape looks like that is set to be rendered.

(docs/format/shapes.md, section 4: two tubes of 187 and 216 vertices in a ``.3ds`` export.)
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.primitives.values import check_triangles
from maxsidecar.scene.geometry.shapes.outlines import Outline

__all__ = ["circle_section", "rectangle_section", "sweep"]

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

#: A miter is not longer than this many times the section.
_LONGEST: Final = 20.0
_FIRST_TWO, _LAST_TWO = 3, 6


def circle_section(thickness: float, sides: int, angle: float) -> F64:
    """Return (sides, 2): a round section, from the first axis towards the second."""
    turn = 2.0 * np.pi * np.arange(sides) / sides + angle
    return np.column_stack([np.cos(turn), np.sin(turn)]) * (thickness / 2.0)


def rectangle_section(length: float, width: float, angle: float) -> F64:
    """Return (4, 2): a section with four corners."""
    x, y = width / 2.0, length / 2.0
    corners = np.array([[x, y], [-x, y], [-x, -y], [x, -y]])
    cos, sin = np.cos(angle), np.sin(angle)
    out: F64 = corners @ np.array([[cos, sin], [-sin, cos]])
    return out


def sweep(
    line: Outline, section: F64, mapped: bool
) -> tuple[F64, I64, I64, tuple[F64, I64] | None]:
    """Return vertices, faces, edge flags and map of a section along a curve.

    Rings stand on the bisecting planes; the vertices of an open curve's ends are filled as fans.

    Args:
        line: The curve, of two points at least, none of them twice in a row.
        section: (n, 2) its corners, counter-clockwise.
        mapped: Whether to make map vertices.

    Raises:
        NotSupportedError: It would have too many triangles.
    """
    count, sides = len(line.points), len(section)
    check_triangles(2 * count * sides)
    positions = _rings(line, section).reshape(-1, 3)
    bands = count if line.closed else count - 1
    ring = np.arange(bands)[:, None] * sides
    above = (np.arange(1, bands + 1) % count)[:, None] * sides
    j, k = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = np.stack(
        [ring + j, above + j, above + k, above + k, ring + k, ring + j], axis=2
    ).reshape(-1, 3)
    flags = np.full(len(faces), _FIRST_TWO)
    maps = _map(line, sides) if mapped else None
    if not line.closed:
        fan = np.arange(1, sides - 1)
        zero, last = np.zeros_like(fan), (count - 1) * sides
        caps = np.concatenate(
            [
                np.stack([fan, fan + 1, zero], axis=1),
                np.stack([last + fan + 1, last + fan, zero + last], axis=1),
            ]
        )
        # Shown is the rim; at the far end 3ds Max takes the wrong one of two sides twice.
        cap_flags = np.full((2, sides - 2), 1)
        cap_flags[:, 0] |= 4
        cap_flags[:, -1] |= 2
        faces = np.concatenate([faces, caps])
        flags = np.concatenate([flags, cap_flags.reshape(-1)])
        if maps is not None:
            # All corners of the ends have the same map vertex.
            vertices = np.concatenate([maps[0], np.zeros((1, 3))])
            ends = np.full((len(caps), 3), len(maps[0]))
            maps = vertices, np.concatenate([maps[1], ends])
    return positions, faces, flags, maps


def _rings(line: Outline, section: F64) -> F64:
    """Return (n, sides, 3).

    The first frame stands upright: its first axis is level.  It is carried from bisector to
    bisector by the smallest rotation; a ring is as long along a miter as the tube needs there.
    """
    points = line.points
    ahead = np.roll(points, -1, axis=0) - points
    if not line.closed:
        ahead[-1] = ahead[-2]
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    behind = np.roll(ahead, 1, axis=0)
    if not line.closed:
        behind[0] = ahead[0]
    bisectors = ahead + behind
    lengths = np.linalg.norm(bisectors, axis=1, keepdims=True)
    # A curve that turns back has no bisector.
    bisectors = np.where(lengths > 1e-9, bisectors / np.where(lengths > 0, lengths, 1.0), ahead)
    first = _carried(bisectors, _upright(bisectors[0]))
    second = np.cross(first, bisectors)
    rings = section[None, :, :1] * first[:, None] + section[None, :, 1:] * second[:, None]
    miter = behind - ahead
    size = np.linalg.norm(miter, axis=1, keepdims=True)
    miter = np.divide(miter, size, out=np.zeros_like(miter), where=size > 1e-12)
    cosine = np.clip(np.sum(bisectors * ahead, axis=1), 1.0 / _LONGEST, 1.0)
    along = np.einsum("nsk,nk->ns", rings, miter) * (1.0 / cosine - 1.0)[:, None]
    out: F64 = points[:, None] + rings + along[..., None] * miter[:, None]
    return out


def _upright(direction: F64) -> F64:
    """Return the level axis to the right of a direction; along x for one that is upright itself."""
    level = np.array([direction[1], -direction[0], 0.0])
    length = float(np.linalg.norm(level))
    return level / length if length > 1e-6 else np.array([1.0, 0.0, 0.0])


def _carried(directions: F64, axis: F64) -> F64:
    """Return (n, 3): an axis, carried from each direction to the next one."""
    out = np.zeros_like(directions)
    out[0] = axis
    crosses = np.cross(directions[:-1], directions[1:])
    cosines = np.sum(directions[:-1] * directions[1:], axis=1)
    for number in range(1, len(directions)):
        cross, cosine = crosses[number - 1], cosines[number - 1]
        if cosine > -1.0 + 1e-12:
            turned = axis * cosine + np.cross(cross, axis)
            axis = turned + cross * (float(cross @ axis) / (1.0 + cosine))
        # What was lost to rounding.
        axis = axis - directions[number] * float(axis @ directions[number])
        axis = axis / max(float(np.linalg.norm(axis)), 1e-300)
        out[number] = axis
    return out


def _map(line: Outline, sides: int) -> tuple[F64, I64]:
    """Return map vertices, u around and v along the curve, and the map faces of the bands."""
    count = len(line.points)
    bands = count if line.closed else count - 1
    steps = np.linalg.norm(np.diff(line.points, axis=0), axis=1)
    if line.closed:
        steps = np.append(steps, np.linalg.norm(line.points[0] - line.points[-1]))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    along /= along[-1] if along[-1] > 0 else 1.0
    vertices = np.zeros((bands + 1, sides + 1, 3))
    vertices[..., 0] = np.arange(sides + 1) / sides
    vertices[..., 1] = along[:, None]
    row = np.arange(bands)[:, None] * (sides + 1)
    j = np.arange(sides)
    above = row + sides + 1
    faces = np.stack(
        [row + j, above + j, above + j + 1, above + j + 1, row + j + 1, row + j], axis=2
    )
    return vertices.reshape(-1, 3), faces.reshape(-1, 3)
