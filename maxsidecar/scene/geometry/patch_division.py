"""Division of Bezier patches into triangles.

Quadrilateral patches are bicubic.  Triangular ones are of degree 4: their sides are cubic curves
whose degree is raised, and the three interior points are the other control points (public SDK
documentation, *Patch Interpolation*), so that they fit to both kinds of neighbours.  Sides with the
same control points share their vertices.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.patch import PatchMap, PatchMesh
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.primitives.values import check_triangles

__all__ = ["divided"]

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]

#: Most steps that 3ds Max lets anybody set.
_MOST_STEPS: Final = 100
#: Most points of all tables, about three times as many as triangles are allowed.
_MOST_POINTS: Final = 8_000_000
#: Where the control points of a quadrilateral are in its grid: along ab, along ad.
_CORNERS: Final = ((0, 0), (3, 0), (3, 3), (0, 3))
_HANDLES: Final = ((1, 0), (2, 0), (3, 1), (3, 2), (2, 3), (1, 3), (0, 2), (0, 1))
_INTERIORS: Final = ((1, 1), (2, 1), (2, 2), (1, 2))
#: What an edge flag of a triangle shows: bit 0 its first side, and so on.
_SIDES: Final = np.array([1, 2, 4], np.uint32)


@dataclass(slots=True)
class _Controls:
    """Control points of all patches: numbers that tell which are shared, and places.

    Attributes:
        corner_ids: (p, 4), -1 for the fourth one of a triangle.
        handle_ids: (p, 8), -1 where a side is straight.
        corners: (p, 4, 3).
        handles: (p, 8, 3).
        interiors: (p, 4, 3).
    """

    corner_ids: I64
    handle_ids: I64
    corners: F64
    handles: F64
    interiors: F64


@dataclass(slots=True)
class _Grid:
    """Where the points of divided patches are.

    Attributes:
        points: (n, 3).
        quads: (q, d + 1, d + 1): number of each point, along ab and along ad.
        triangles: (t, d + 1, d + 1): likewise along ab and along ac; -1 outside.
    """

    points: F64
    quads: I64
    triangles: I64


def divided(patch: PatchMesh) -> Mesh:
    """Return the triangles of patches, patch after patch.

    Raises:
        NotSupportedError: There are too many steps or patches.
    """
    if not 0 <= patch.steps <= _MOST_STEPS:
        raise NotSupportedError(f"{patch.steps} steps are more than {_MOST_STEPS}, or less than 0")
    parts = patch.steps + 1
    quads = patch.quads
    four = int(np.count_nonzero(quads))
    check_triangles(parts * parts * (2 * four + len(quads) - four))
    # Each map is divided as well, and triangles take a table that is twice as large as they are.
    if parts * parts * 2 * len(quads) * (1 + len(patch.maps)) > _MOST_POINTS:
        raise NotSupportedError(
            f"{len(quads)} patches with {len(patch.maps)} maps are too many for {patch.steps} steps"
        )
    # Files may hold places that are no numbers.
    with np.errstate(invalid="ignore", over="ignore"):
        return _divided(patch, quads, parts)


def _divided(patch: PatchMesh, quads: Bits, parts: int) -> Mesh:
    grid = _grid(_controls(patch), quads, parts)
    cells, flags, owners, order = _faces(quads, parts, patch.show_interior)
    mesh = Mesh.of_triangles(
        grid.points.astype(np.float32),
        _pick(grid, cells, order),
        smoothing=patch.smoothing[owners],
        material_ids=patch.material_ids[owners],
        edge_flags=flags,
    )
    for channel, mapping in patch.maps.items():
        mapped = _grid(_map_controls(mapping, quads, patch.linear_maps), quads, parts)
        mesh.maps[channel] = MapChannel(
            mapped.points.astype(np.float32),
            _pick(mapped, cells, order).astype(np.int32).reshape(-1),
        )
    return mesh


def _controls(patch: PatchMesh) -> _Controls:
    vertices, vectors = patch.vertices.astype(np.float64), patch.vectors.astype(np.float64)
    return _Controls(
        patch.corners.astype(np.int64),
        patch.handles.astype(np.int64),
        _at(vertices, patch.corners),
        _at(vectors, patch.handles),
        _at(vectors, patch.interiors),
    )


def _at(points: F64, numbers: npt.NDArray[np.int32]) -> F64:
    """Return points by number, zeros for -1."""
    out = np.zeros((*numbers.shape, 3))
    there = numbers >= 0
    out[there] = points[numbers[there]]
    return out


def _map_controls(mapping: PatchMap, quads: Bits, linear: Bits) -> _Controls:
    points = mapping.vertices.astype(np.float64)
    used = np.where(quads, 8, 6)[:, None] > np.arange(8)
    inside = np.where(quads, 4, 3)[:, None] > np.arange(4)
    straight = (
        linear
        | np.any(used & (mapping.handles < 0), axis=1)
        | np.any(inside & (mapping.interiors < 0), axis=1)
    )
    corners = _at(points, mapping.corners)
    handles, interiors = _at(points, mapping.handles), _at(points, mapping.interiors)
    flat_handles, flat_interiors = _straight(corners, quads)
    handles[straight] = flat_handles[straight]
    interiors[straight] = flat_interiors[straight]
    ids = mapping.handles.astype(np.int64)
    ids[straight] = -1
    return _Controls(mapping.corners.astype(np.int64), ids, corners, handles, interiors)


def _straight(corners: F64, quads: Bits) -> tuple[F64, F64]:
    """Return handles and interior points with which a patch is linear."""
    sides = np.where(quads, 4, 3)
    handles, interiors = np.zeros((len(corners), 8, 3)), np.zeros((len(corners), 4, 3))
    every = np.arange(len(corners))
    for side in range(4):
        here, there = corners[:, side], corners[every, (side + 1) % sides]
        handles[:, 2 * side] = (2 * here + there) / 3
        handles[:, 2 * side + 1] = (here + 2 * there) / 3
        two = corners[:, (side + 1) % 4] + corners[:, (side + 3) % 4]
        bilinear = (4 * here + 2 * two + corners[:, (side + 2) % 4]) / 9
        # Three corners, of which the own one counts twice; the fourth one is zero.
        interiors[:, side] = np.where(
            quads[:, None], bilinear, (here + corners[:, :3].sum(axis=1)) / 4
        )
    return handles, interiors


def _bernstein(parts: int) -> F64:
    """Return the weights of the control points of a cubic, (parts + 1, 4)."""
    t = np.linspace(0.0, 1.0, parts + 1)[:, None]
    return np.concatenate([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3], axis=1)


def _grid(controls: _Controls, quads: Bits, parts: int) -> _Grid:
    """Return the points of all patches: corners, then those on sides, then those inside."""
    which = [np.nonzero(quads)[0], np.nonzero(~quads)[0]]
    tables = [np.full((len(rows), parts + 1, parts + 1), -1, np.int64) for rows in which]
    points = [_put_corners(controls, which, tables, parts)]
    count = len(points[0])
    points.append(_put_sides(controls, which, tables, parts, count))
    count += len(points[-1])
    steps = np.arange(1, parts)
    first, second = (axis.reshape(-1) for axis in np.meshgrid(steps, steps, indexing="ij"))
    inner = first + second < parts
    for number, (rows, table) in enumerate(zip(which, tables, strict=True)):
        if number:
            first, second = first[inner], second[inner]
            made = _triangle_points(controls, rows, first, second, parts)
        else:
            made = _quad_points(controls, rows, first, second, parts)
        numbers = count + np.arange(len(rows) * len(first), dtype=np.int64)
        table[:, first, second] = numbers.reshape(len(rows), len(first))
        count += len(numbers)
        points.append(made.reshape(-1, 3))
    return _Grid(np.concatenate(points), *tables)


def _put_corners(controls: _Controls, which: list[I64], tables: list[I64], parts: int) -> F64:
    """Number the corners, those of the lower number first; those of no patch are left out."""
    ids = controls.corner_ids
    there = ids >= 0
    _, first, inverse = np.unique(ids[there], return_index=True, return_inverse=True)
    numbers = np.full(ids.shape, -1, np.int64)
    numbers[there] = inverse.reshape(-1)
    ends = (
        ((0, 0), (parts, 0), (parts, parts), (0, parts)),
        ((0, 0), (parts, 0), (0, parts)),
    )
    for rows, table, places in zip(which, tables, ends, strict=True):
        for corner, (i, j) in enumerate(places):
            table[:, i, j] = numbers[rows, corner]
    out: F64 = controls.corners[there][first]
    return out


def _put_sides(
    controls: _Controls, which: list[I64], tables: list[I64], parts: int, count: int
) -> F64:
    """Number the points on sides; sides with the same control points share them."""
    t = np.arange(1, parts)
    zero, end, back = np.zeros_like(t), np.full_like(t, parts), parts - t
    places = (
        ((t, zero), (end, t), (back, end), (zero, back)),
        ((t, zero), (back, t), (zero, back)),
    )
    keys, curves, targets = [], [], []
    for kind, (rows, sides) in enumerate(zip(which, (4, 3), strict=True)):
        for side in range(sides):
            here, there = (side, (side + 1) % sides)
            pair = [2 * side, 2 * side + 1]
            keys.append(
                np.concatenate(
                    [
                        controls.corner_ids[rows][:, [here]],
                        controls.handle_ids[rows][:, pair],
                        controls.corner_ids[rows][:, [there]],
                    ],
                    axis=1,
                )
            )
            curves.append(
                np.concatenate(
                    [
                        controls.corners[rows][:, [here]],
                        controls.handles[rows][:, pair],
                        controls.corners[rows][:, [there]],
                    ],
                    axis=1,
                )
            )
            targets.append((tables[kind], places[kind][side], len(rows)))
    key, curve = np.concatenate(keys), np.concatenate(curves)
    turned = (key[:, 0] > key[:, 3]) | ((key[:, 0] == key[:, 3]) & (key[:, 1] > key[:, 2]))
    key[turned] = key[turned][:, ::-1]
    curve[turned] = curve[turned][:, ::-1]
    _, first, inverse = np.unique(key, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    inner = parts - 1
    points: F64 = np.einsum("tk,ekx->etx", _bernstein(parts)[1:-1], curve[first])
    row = 0
    for table, (i, j), size in targets:
        mine, flip = inverse[row : row + size, None], turned[row : row + size, None]
        table[:, i, j] = count + mine * inner + np.where(flip, inner - t, t - 1)
        row += size
    return points.reshape(-1, 3)


def _quad_points(controls: _Controls, rows: I64, first: I64, second: I64, parts: int) -> F64:
    """Return points inside of quadrilaterals, (q, k, 3)."""
    net = np.zeros((len(rows), 4, 4, 3))
    for places, source in (
        (_CORNERS, controls.corners),
        (_HANDLES, controls.handles),
        (_INTERIORS, controls.interiors),
    ):
        for number, (i, j) in enumerate(places):
            net[:, i, j] = source[rows, number]
    weights = _bernstein(parts)
    both = weights[first][:, :, None] * weights[second][:, None, :]
    out: F64 = np.tensordot(net.reshape(len(rows), 16, 3), both.reshape(-1, 16), axes=([1], [1]))
    return out.transpose(0, 2, 1)


def _triangle_points(controls: _Controls, rows: I64, first: I64, second: I64, parts: int) -> F64:
    """Return points inside of triangles, (t, k, 3)."""
    corner, handle, interior = (
        source[rows] for source in (controls.corners, controls.handles, controls.interiors)
    )
    v, w = first / parts, second / parts
    shares = (1 - v - w, v, w)
    out = np.zeros((len(rows), len(first), 3))

    def add(powers: tuple[int, ...], control: F64) -> None:
        weight = np.full(len(first), 24.0)
        for share, power in zip(shares, powers, strict=True):
            weight = weight * share**power / factorial(power)
        out[...] += weight[None, :, None] * control[:, None, :]

    for k in range(3):
        following = (k + 1) % 3
        ends = corner[:, k], corner[:, following]
        near, far = handle[:, 2 * k], handle[:, 2 * k + 1]
        powers = [0, 0, 0]
        powers[k] = 4
        add(tuple(powers), ends[0])
        raised = ((ends[0] + 3 * near) / 4, (near + far) / 2, (3 * far + ends[1]) / 4)
        for step, control in enumerate(raised, 1):
            powers[k], powers[following] = 4 - step, step
            add(tuple(powers), control)
        powers = [1, 1, 1]
        powers[k] = 2
        add(tuple(powers), interior[:, k])
    return out


def _faces(
    quads: Bits, parts: int, show_interior: bool
) -> tuple[tuple[I64, I64], npt.NDArray[np.uint32], I64, I64]:
    """Return how triangles are made of the tables.

    Returns:
        Places in the tables of quadrilaterals and of triangles, (f, 3) each, as ``i * (parts + 1)
        + j``; edge flags; patch of each triangle; and the order that puts the triangles of the
        quadrilaterals, and those of the triangles behind them, patch after patch.
    """
    i, j = (axis.reshape(-1) for axis in np.meshgrid(*[np.arange(parts)] * 2, indexing="ij"))
    width = parts + 1
    here = i * width + j
    a, b, c, d = here, here + width, here + width + 1, here + 1
    never = np.zeros(len(here), np.bool_)
    four = np.stack([np.stack([a, b, c], 1), np.stack([c, d, a], 1)], 1).reshape(-1, 3)
    four_shown = np.stack(
        [
            np.stack([j == 0, i + 1 == parts, never], 1),
            np.stack([j + 1 == parts, i == 0, never], 1),
        ],
        1,
    ).reshape(-1, 3)
    inside = np.tile([True, True, False], (len(four), 1))
    up, down = i + j < parts, i + j + 1 < parts
    three = np.concatenate([np.stack([a, b, d], 1)[up], np.stack([b, c, d], 1)[down]])
    rim = np.stack([j == 0, i + j + 1 == parts, i == 0], 1)[up]
    three_shown = np.concatenate([rim, np.zeros((int(down.sum()), 3), np.bool_)])
    if show_interior:
        four_shown = four_shown | inside
        three_shown = np.ones_like(three_shown)
    owners = np.concatenate(
        [
            np.repeat(np.nonzero(rows)[0], len(places))
            for rows, places in ((quads, four), (~quads, three))
        ]
    )
    flags = np.concatenate(
        [
            np.tile((shown * _SIDES).sum(axis=1), int(np.count_nonzero(rows)))
            for rows, shown in ((quads, four_shown), (~quads, three_shown))
        ]
    )
    order = np.argsort(owners, kind="stable")
    return (four, three), flags[order].astype(np.uint32), owners[order], order


def _pick(grid: _Grid, cells: tuple[I64, I64], order: I64) -> I64:
    """Return the points of the triangles, (t, 3)."""
    faces = [
        table.reshape(len(table), table.shape[1] ** 2)[:, places].reshape(-1, 3)
        for table, places in zip((grid.quads, grid.triangles), cells, strict=True)
    ]
    return np.concatenate(faces)[order]
