"""Gengon and Prism: an outline, pulled down, with caps around a middle.

No file at hand has any of them: construction, smoothing groups and mapping follow the public
samples of the 3ds Max SDK, and each says so.
"""

from __future__ import annotations

from math import acos, cos, pi, sin, sqrt, tan
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.topology import (
    FIRST_TWO,
    LAST_TWO,
    Maps,
    grid,
    wall_triangles,
)
from maxsidecar.scene.geometry.primitives.values import UNPROVED, Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["GENGON", "PRISM", "build_gengon", "build_prism", "gengon", "prism"]

GENGON: Final = (0x49BF599F, 0x35F945AB)
PRISM: Final = (0x63705FAC, 0x5C1F553F)

F64 = npt.NDArray[np.float64]

#: Sides of a triangle that is none are taken for this long, so that nothing is divided by 0.
_LEAST: Final = 0.001


@generator(GENGON)
def gengon(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Gengon."""
    values = Values(obj, call)
    call.approximate(UNPROVED)
    return build_gengon(
        values.segments("sides", least=3),
        values.size("radius"),
        values.size("fillet"),
        values.number("height"),
        (
            values.segments("side_segments"),
            values.segments("fillet_segments", least=0),
            values.segments("height_segments"),
        ),
        smooth=values.switch("smooth"),
        mapped=values.mapped(),
    )


@generator(PRISM)
def prism(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Prism."""
    values = Values(obj, call)
    call.approximate(UNPROVED)
    return build_prism(
        (values.size("side1_length"), values.size("side2_length"), values.size("side3_length")),
        values.number("height"),
        (
            values.segments("side1_segments"),
            values.segments("side2_segments"),
            values.segments("side3_segments"),
            values.segments("height_segments"),
        ),
        mapped=values.mapped(),
    )


def build_gengon(
    sides: int,
    radius: float,
    fillet: float,
    height: float,
    counts: tuple[int, int, int],
    *,
    smooth: bool = False,
    mapped: bool = False,
) -> Mesh:
    """Return a regular prism with rounded edges that stands on the origin.

    Args:
        sides: Of the outline; the first edge is at +x.
        radius: From the middle to the edges, before they are rounded.
        fillet: How far from an edge the rounding starts.
        height: Along z; a negative one hangs.
        counts: Segments of a side, of a rounded edge, and of the height.
        smooth: Whether it has smoothing groups.
        mapped: Whether it has texture coordinates.

    Raises:
        NotSupportedError: It is too large.
    """
    parts, round_, levels = counts
    turn = 2.0 * pi / sides
    fillet = min(fillet, 0.499 * sqrt(2.0 * radius * radius * (1.0 - cos(turn))))
    if fillet == 0.0:
        round_ = 0
    check_triangles(2 * sides * (parts + round_) * (levels + 1))
    # The rounded edge at +x is a part of a circle that touches both sides.
    edge = np.array([[radius, 0.0]])
    if round_:
        inner = pi / 2.0 - pi / sides
        deep = fillet * sin(inner)
        near = deep / tan(turn / 2.0)
        angle = turn * np.arange(round_ + 1) / round_
        middle = radius - near - fillet * cos(inner)
        edge = np.stack(
            [
                middle + np.cos(angle) * near + np.sin(angle) * deep,
                np.sin(angle) * near - np.cos(angle) * deep,
            ],
            axis=1,
        )
    angles = turn * np.arange(sides)
    wave = np.array([[np.cos(angles), np.sin(angles)], [-np.sin(angles), np.cos(angles)]])
    edges = np.einsum("nk,kjs->snj", edge, wave)
    start, end = edges[:, -1], np.roll(edges[:, 0], -1, axis=0)
    share = np.arange(1, parts)[None, :, None] / parts
    between = start[:, None] * (1.0 - share) + end[:, None] * share
    outline = np.concatenate([edges, between], axis=1).reshape(-1, 2)

    groups = np.zeros((levels, len(outline)), np.int64)
    if smooth:
        groups[:] = 2
        if not round_:
            # Neighbours take turns; the last side of an odd number has its own group.
            side = np.arange(levels * sides).reshape(levels, sides)
            groups = np.repeat(np.where(side % 2, 4, 2), parts, axis=1)
            groups[groups[:, -1] == 2, -1] = 8
    # Widths as the samples take them: from the first two vertices, or a part of a side.
    length = float(np.hypot(*(outline[1] - outline[0] if parts == 1 else (end - start)[0] / parts)))
    whole = (fillet + length) * sides or 1.0
    widths = [fillet / max(round_, 1) / whole] * round_ + [length / parts / whole] * parts
    around = np.concatenate([[0.0], np.cumsum(np.tile(widths, sides))])
    around[-1] = 1.0
    size = 2.0 * radius or 1.0
    flat = (np.concatenate([[[0.0, 0.0]], outline]) + radius) / size
    return _pull(
        outline, np.zeros(2), height, levels, groups, int(smooth), mapped, (flat, flat, around)
    )


def build_prism(
    lengths: tuple[float, float, float],
    height: float,
    counts: tuple[int, int, int, int],
    *,
    mapped: bool = False,
) -> Mesh:
    """Return a prism on a triangle: side 1 along x from the origin, side 3 back to it.

    Args:
        lengths: Of the sides; of three that make no triangle, side 2 is not kept.
        height: Along z; a negative one hangs.
        counts: Segments of the sides, and of the height.
        mapped: Whether it has texture coordinates.

    Raises:
        NotSupportedError: It is too large.
    """
    *parts, levels = counts
    check_triangles(2 * sum(parts) * (levels + 1))
    one, two, three = lengths
    if min(lengths) <= 0.0:
        return Mesh.of_triangles(np.zeros((0, 3)), np.zeros((0, 3), np.int32))
    theta = acos(min(max((one * one + three * three - two * two) / (2.0 * one * three), -1.0), 1.0))
    corners = np.array([[0.0, 0.0], [one, 0.0], [three * cos(theta), three * sin(theta)]])
    pieces = [
        corners[k] + (corners[(k + 1) % 3] - corners[k]) * (np.arange(n) / n)[:, None]
        for k, n in enumerate(parts)
    ]
    outline = np.concatenate(pieces)
    middle = corners.mean(axis=0)
    groups = np.repeat([[2, 4, 8]], parts, axis=1).repeat(levels, axis=0)
    least = corners.min(axis=0)
    extent = corners.max(axis=0) - least
    extent[extent == 0.0] = _LEAST
    flat = (np.concatenate([[middle], outline]) - least) / extent
    # Side 3 counts in steps of side 2, as in the samples.
    steps = [one / parts[0], two / parts[1], two / parts[1]]
    around = np.concatenate([[0.0], np.cumsum(np.repeat(steps, parts)) / (one + two + three)])
    around[-1] = 1.0
    return _pull(outline, middle, height, levels, groups, 1, mapped, (flat, 1.0 - flat, around))


def _pull(
    outline: F64,
    middle: F64,
    height: float,
    levels: int,
    groups: npt.NDArray[np.int64],
    cap: int,
    mapped: bool,
    maps: tuple[F64, F64, F64],
) -> Mesh:
    """Return the solid: top, levels from above, bottom.

    Args:
        outline: (n, 2), counter-clockwise from above.
        middle: (2,): of the caps.
        height: Along z; a negative one hangs.
        levels: Segments of the height.
        groups: (levels, n) smoothing groups of the sides.
        cap: Smoothing group of the caps.
        mapped: Whether it has texture coordinates.
        maps: (n + 1, 2) of the middle and the outline, for top and bottom, and (n + 1,) around.
    """
    count, tall = len(outline), abs(height)
    z = tall - tall / levels * np.arange(levels + 1)
    rings = np.empty((levels + 1, count, 3))
    rings[..., :2] = outline
    rings[..., 2] = z[:, None]
    ends = np.array([[*middle, tall], [*middle, 0.0]])
    positions = np.concatenate([ends[:1], rings.reshape(-1, 3), ends[1:]])
    if height < 0.0:
        positions[:, 2] -= tall

    def faces(
        top: int,
        upper: npt.NDArray[np.int32],
        walls: npt.NDArray[np.int32],
        lower: npt.NDArray[np.int32],
        bottom: int,
    ) -> npt.NDArray[np.int32]:
        parts = [
            np.stack([np.full(count, top), upper[:-1], upper[1:]], axis=1),
            wall_triangles(walls[:-1], walls[1:]),
            np.stack([lower[:-1], np.full(count, bottom), lower[1:]], axis=1),
        ]
        return np.concatenate(parts).astype(np.int32)

    numbers = grid(levels + 1, count, 1)
    closed = np.concatenate([numbers, numbers[:, :1]], axis=1)
    channel: Maps | None = None
    if mapped:
        upper, lower, around = maps
        side = np.empty((levels + 1, count + 1, 2))
        side[..., 0] = around
        side[..., 1] = (1.0 - np.arange(levels + 1) / levels)[:, None]
        vertices = np.zeros((2 * (count + 1) + side.size // 2, 3))
        vertices[:, :2] = np.concatenate([upper, side.reshape(-1, 2), lower[1:], lower[:1]])
        ring = np.arange(1, count + 1, dtype=np.int32)
        ring = np.append(ring, ring[:1])
        walls = grid(levels + 1, count + 1, count + 1)
        last = len(vertices) - 1
        channel = {1: (vertices, faces(0, ring, walls, ring + (last - count - 1), last))}
    return Mesh.of_triangles(
        positions,
        faces(0, closed[0], closed, closed[-1], len(positions) - 1),
        smoothing=np.concatenate([np.full(count, cap), np.repeat(groups, 2), np.full(count, cap)]),
        edge_flags=np.concatenate(
            [
                np.full(count, FIRST_TWO),
                np.tile([FIRST_TWO, LAST_TWO], count * levels),
                np.full(count, LAST_TWO),
            ]
        ),
        maps=channel,
    )
