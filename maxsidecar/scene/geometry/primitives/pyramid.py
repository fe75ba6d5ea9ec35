"""Pyramid: rings below the apex, and a fan for the base.

(notes/primitives-modifiers 2.7: glTF exports with one segment.  More segments, smoothing groups and
edge flags follow the public samples of the 3ds Max SDK.)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, Arithmetic, arithmetic_of
from maxsidecar.scene.geometry.primitives.topology import FIRST_TWO, LAST_TWO, grid
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["PYRAMID", "build_pyramid", "pyramid"]

PYRAMID: Final = (0x76BF318A, 0x4BF37B10)

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]

#: Smoothing groups of front, right, back and left.
_GROUPS: Final = np.array([4, 2, 16, 32])
_BASE_GROUP: Final = 8


@generator(PYRAMID)
def pyramid(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Pyramid."""
    values = Values(obj, call)
    counts = (
        values.segments("width_segments", default=1),
        values.segments("depth_segments", default=1),
        values.segments("height_segments", default=1),
    )
    if counts != (1, 1, 1):
        call.approximate("no file proves the order of vertices of more than one segment")
    return build_pyramid(
        (values.number("width"), values.number("depth"), values.number("height")),
        counts,
        values.mapped(),
        arithmetic_of(obj.scene.version),
    )


def build_pyramid(
    extents: tuple[float, float, float],
    counts: tuple[int, int, int],
    mapped: bool = False,
    arithmetic: Arithmetic = SINGLE,
) -> Mesh:
    """Return a pyramid that stands on the origin; a negative height hangs from it.

    Args:
        extents: Along x, y and z.
        counts: Segments along x, y and z.
        mapped: Whether it has texture coordinates.
        arithmetic: Of the release.

    Raises:
        NotSupportedError: It is too large.
    """
    nx, ny, levels = counts
    around = 2 * (nx + ny)
    check_triangles(2 * around * levels)
    one = arithmetic
    rings, x, y = _rings(extents, counts, one)
    ends = np.array([[0.0, 0.0, extents[2]], [0.0, 0.0, 0.0]], np.float32)
    positions = np.concatenate([ends[:1], rings.reshape(-1, 3), ends[1:]])
    numbers = grid(levels, around, 1)
    closed = np.concatenate([numbers, numbers[:, :1]], axis=1)
    last = np.full(around, len(positions) - 1, np.int32)
    faces = [
        np.stack([np.zeros(around, np.int32), closed[0, :-1], closed[0, 1:]], axis=1),
        _bands(closed[:-1, :-1], closed[1:, :-1], closed[1:, 1:], closed[:-1, 1:]),
        np.stack([closed[-1, :-1], last, closed[-1, 1:]], axis=1),
    ]
    side = np.repeat(_GROUPS, [nx, ny, nx, ny])
    bands = len(faces[1])
    groups = [side, np.repeat(np.tile(side, levels - 1), 2), np.full(around, _BASE_GROUP)]
    flags = [np.full(around, 7), np.tile([FIRST_TWO, LAST_TWO], bands // 2), np.full(around, 7)]
    face, flag = np.concatenate(faces), np.concatenate(flags)
    maps = None
    if mapped:
        maps = _mapping(extents, counts, x, y, rings[-1], one)
    if extents[2] < 0.0:
        face = face[:, ::-1]
        # The edges 0-1 and 1-2 change places.
        flag = (flag & 4) | ((flag & 1) << 1) | ((flag & 2) >> 1)
        maps = None if maps is None else (maps[0], maps[1][:, ::-1])
    return Mesh.of_triangles(
        positions,
        face,
        smoothing=np.concatenate(groups),
        edge_flags=flag,
        maps=None if maps is None else {1: maps},
    )


def _bands(above: I32, left: I32, right: I32, beside: I32) -> I32:
    """Return (2n, 3): the cells between two rings, row by row."""
    corners = [part.reshape(-1) for part in (above, left, right, above, right, beside)]
    return np.stack(corners, axis=1).reshape(-1, 3)


def _rings(
    extents: tuple[float, float, float], counts: tuple[int, int, int], one: Arithmetic
) -> tuple[F32, npt.NDArray[Any], npt.NDArray[Any]]:
    """Return (levels, around, 3) from the corner at -x, -y, and x and y along front and right."""
    nx, ny, levels = counts
    level = np.arange(1, levels + 1, dtype=one.work)
    width, depth, height = (one.number(extent) for extent in extents)
    many = one.number(levels)
    steps = []
    for extent, count in ((width, nx), (depth, ny)):
        whole = one.stored(extent / many) * level
        steps.append((whole / one.number(-2.0), whole / one.number(count), count))
    runs = []
    for start, step, count in steps:
        terms = np.repeat(step[:, None], 2 * count + 1, axis=1)
        terms[:, 0] = start
        terms[:, count + 1 :] *= -1.0
        runs.append(np.add.accumulate(terms, axis=1))
    x, y = runs
    first_y, last_y = y[:, :1], y[:, ny : ny + 1]
    rings = np.zeros((levels, 2 * (nx + ny), 3), np.float32)
    rings[:, :, 0] = np.concatenate(
        [x[:, :nx], np.repeat(x[:, nx : nx + 1], ny, 1), x[:, nx:-1], np.repeat(x[:, -1:], ny, 1)],
        axis=1,
    )
    rings[:, :, 1] = np.concatenate(
        [np.repeat(first_y, nx, 1), y[:, :ny], np.repeat(last_y, nx, 1), y[:, ny:-1]], axis=1
    )
    rings[:, :, 2] = (height - one.stored(height / many) * level)[:, None]
    return rings, x[:, : nx + 1], y[:, : ny + 1]


def _mapping(
    extents: tuple[float, float, float],
    counts: tuple[int, int, int],
    x: npt.NDArray[Any],
    y: npt.NDArray[Any],
    base: F32,
    one: Arithmetic,
) -> tuple[F32, I32]:
    """Return the map: front and back, and right and left, share vertices; the base has its own."""
    nx, ny, levels = counts
    width, depth, height = (one.number(extent or 1.0) for extent in extents)
    half, none = one.number(extents[0]) / one.number(2.0), one.number(1.0)
    strip = np.zeros((levels, nx + ny + 2, 3), np.float32)
    strip[:, : nx + 1, 0] = none - (half - x) / width
    # 3ds Max subtracts from half the width here too.
    strip[:, nx + 1 :, 0] = none - (half - y) / depth
    level = np.arange(1, levels + 1, dtype=one.work)
    whole = one.number(extents[2])
    down = one.stored(whole / one.number(levels)) * level
    strip[:, :, 1] = ((whole - down) / height)[:, None]
    flat = np.zeros((len(base), 3), np.float32)
    flat[:, 0] = none - (half - base[:, 0].astype(one.work)) / width
    deep = one.number(extents[1]) / one.number(2.0)
    flat[:, 1] = (deep - base[:, 1].astype(one.work)) / depth
    vertices = np.concatenate(
        [
            np.array([[0.5, 1.0, 0.0]], np.float32),
            strip.reshape(-1, 3),
            flat,
            np.array([[0.5, 0.5, 0.0]], np.float32),
        ]
    )
    numbers = grid(levels, nx + ny + 2, 1)
    left = np.concatenate([np.arange(nx), np.arange(nx + 1, nx + 1 + ny)])
    left = np.concatenate([left, left])
    apex = np.zeros(len(left), np.int32)
    top = np.stack([apex, numbers[0, left], numbers[0, left + 1]], axis=1)
    above, below = numbers[:-1], numbers[1:]
    middle = _bands(above[:, left], below[:, left], below[:, left + 1], above[:, left + 1])
    start = 1 + strip.shape[0] * strip.shape[1]
    rim = np.arange(start, start + len(base))
    centre = np.full(len(base), len(vertices) - 1)
    bottom = np.stack([rim, centre, np.roll(rim, -1)], axis=1)
    return vertices, np.concatenate([top, middle, bottom]).astype(np.int32)
