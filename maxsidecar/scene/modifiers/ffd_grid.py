"""FFD (box) and FFD (cyl): a lattice of any number of points, joined by TCB splines.

Layout and formulas are those of the public samples of the 3ds Max SDK; no file at hand proves them
(docs/format/modifiers-shape.md, section 6).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.ffd import lattice_space, read_points
from maxsidecar.scene.modifiers.spaces import deform, inverse, moved

__all__ = ["FFD_BOX", "FFD_CYLINDER", "Grid"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

FFD_BOX: Final = (0x8AB36CC5, 0x82D7FE74)
FFD_CYLINDER: Final = (0x98F37A63, 0x3FFE9BCA)
_SIZES, _OFFSETS = 0x0300, 0x0500
_LEAST_SIDE, _MOST_SIDE = 2, 1000
#: Radius of a cylinder around the unit square.
_RADIUS: Final = float(np.sqrt(0.5))
_OUTSIDE: Final = 1e-3
#: Vertices that are taken at a time: each looks at 64 control points.
_BLOCK: Final = 16384


@modifier(FFD_BOX)
def ffd_box(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Move vertices as a box of control points says."""
    return _ffd(geometry, call, round_x=False)


@modifier(FFD_CYLINDER)
def ffd_cylinder(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Move vertices as rings of control points say."""
    return _ffd(geometry, call, round_x=True)


def _ffd(geometry: Geometry, call: ModifierCall, *, round_x: bool) -> Geometry:
    call.approximate("no file proves what it makes")
    sizes = _sizes(call, round_x)
    values = Values(call.obj, call)
    points, older = read_points(call, int(np.prod(sizes)), _OFFSETS)
    everything = values.switch("deform_all") != older
    tension = (values.number("tension", 25.0) - 25.0) / 25.0
    continuity = (values.number("continuity", 25.0) - 25.0) / 25.0
    falloff = values.number("falloff", 0.0)
    # The first of the three numbers changes fastest.
    ordered = points.reshape(sizes[2], sizes[1], sizes[0], 3).transpose(2, 1, 0, 3)
    grid = Grid.of(ordered, tension, continuity, round_x=round_x)
    to = lattice_space(call, geometry)
    back = inverse(to)

    def function(places: F64) -> F64:
        parts = [
            _moved(places[start : start + _BLOCK], grid, to, back, everything, falloff)
            for start in range(0, len(places), _BLOCK)
        ]
        return np.concatenate(parts) if parts else places

    return deform(geometry, function)


def _sizes(call: ModifierCall, round_x: bool) -> tuple[int, int, int]:
    chunk = call.obj.find(_SIZES)
    if chunk is None or chunk.container or len(chunk.data) != 12:
        raise NotSupportedError("it does not tell how many control points it has")
    a, b, c = (int(number) for number in np.frombuffer(chunk.data, "<i4"))
    least = 6 if round_x else _LEAST_SIDE
    if not (least <= a <= _MOST_SIDE and all(_LEAST_SIDE <= n <= _MOST_SIDE for n in (b, c))):
        raise NotSupportedError(f"it has {a} x {b} x {c} control points")
    return a, b, c


def _moved(places: F64, grid: Grid, to: F64, back: F64, everything: bool, falloff: float) -> F64:
    here = moved(places, to)
    if grid.round_x:
        here = _unrolled(here)
    measured = here[:, 1:] if grid.round_x else here
    beyond = np.maximum(np.maximum(-measured, measured - 1.0), 0.0).max(axis=1)
    new = moved(grid.at(here), back)
    if not everything:
        stay = beyond > _OUTSIDE
        new[stay] = places[stay]
    elif falloff > 0.0:
        share = np.clip(beyond / falloff, 0.0, 1.0)[:, None]
        share = share * share * (3.0 - 2.0 * share)
        new = share * places + (1.0 - share) * new
    return new


def _unrolled(places: F64) -> F64:
    """Return turn, distance and height of places in a cylinder, each from 0 to 1."""
    x, y = places[:, 0] - 0.5, places[:, 1] - 0.5
    distance = np.hypot(x, y)
    turn = np.where(distance == 0.0, 0.0, np.mod(np.arctan2(y, x), 2 * np.pi) / (2 * np.pi))
    return np.column_stack([turn, distance / _RADIUS, places[:, 2]])


@dataclass(frozen=True, slots=True)
class Grid:
    """Control points with one more at each end, and how splines run through them.

    Attributes:
        points: (a, b, c, 3).
        round_x: Whether the first direction closes, without more points.
        before: Weight of the tangent behind a point.
        behind: Weight of the tangent in front of a point.
    """

    points: F64
    round_x: bool
    before: float
    behind: float

    @classmethod
    def of(cls, points: F64, tension: float, continuity: float, *, round_x: bool) -> Grid:
        """Return the grid of control points.

        Args:
            points: (a, b, c, 3).
            tension: From -1 to 1.
            continuity: From -1 to 1.
            round_x: Whether the first direction closes.
        """
        slack = 0.5 * (1.0 - tension)
        return cls(
            _padded(points, round_x),
            round_x,
            slack * (1.0 - continuity),
            slack * (1.0 + continuity),
        )

    def at(self, places: F64) -> F64:
        """Return where the grid takes places, (n, 3) in steps from 0 to 1 along each side."""
        weights, indices = [], []
        for axis in range(3):
            closed = axis == 0 and self.round_x
            count = self.points.shape[axis] if closed else self.points.shape[axis] - 2
            spread = places[:, axis] * (count if closed else count - 1)
            with np.errstate(invalid="ignore"):
                cell = np.clip(np.trunc(spread), -1e9, 1e9).astype(np.int64)
            if not closed:
                cell = np.clip(cell, 0, count - 2)
            weights.append(self._weights(spread - cell))
            near = cell[:, None] + np.arange(4)
            indices.append((near - 1) % count if closed else near)
        i, j, k = indices
        around = self.points[i[:, :, None, None], j[:, None, :, None], k[:, None, None, :]]
        out = np.einsum("nijkc,nk->nijc", around, weights[2])
        out = np.einsum("nijc,nj->nic", out, weights[1])
        result: F64 = np.einsum("nic,ni->nc", out, weights[0])
        return result

    def _weights(self, u: F64) -> F64:
        """Return the (n, 4) weights of the points around a cell."""
        square, cube = u * u, u * u * u
        one = 1.0 + 2.0 * cube - 3.0 * square
        first, last = u - 2.0 * square + cube, cube - square
        a, b = self.before, self.behind
        return np.stack(
            [
                -first * b,
                one + first * (b - a) - last * a,
                (1.0 - one) + first * a + last * (a - b),
                last * b,
            ],
            axis=1,
        )


def _padded(points: F64, round_x: bool) -> F64:
    """Return the points with those that go on beyond the ends."""
    shape = [n if axis == 0 and round_x else n + 2 for axis, n in enumerate(points.shape[:3])]
    out = np.zeros((*shape, 3))
    inner = tuple(slice(None) if axis == 0 and round_x else slice(1, -1) for axis in range(3))
    out[inner] = points
    for sides in _outside(round_x):
        here = [_side(side, shape[axis], round_x and axis == 0) for axis, side in enumerate(sides)]
        value = out[np.ix_(*_inward(here, sides, shape, range(3), 1))]
        for axis in (number for number in range(3) if sides[number]):
            # The nearest points in this direction; beside two there is no third.
            one, other, *third = (
                out[np.ix_(*_inward(here, sides, shape, (axis,), steps))]
                for steps in range(1, min(3, points.shape[axis]) + 1)
            )
            last = one - other
            value = value + (_reflected(last, other - third[0]) if third else last)
        out[np.ix_(*here)] = value
    return out


def _outside(round_x: bool) -> list[tuple[int, ...]]:
    """Return what lies outside, fewer directions first: below (-1), inside (0), above (1)."""
    every = [s for s in product((-1, 0, 1), repeat=3) if any(s) and not (round_x and s[0])]
    return sorted(every, key=lambda sides: sum(map(abs, sides)))


def _side(side: int, size: int, closed: bool) -> Ints:
    if side:
        return np.array([0 if side < 0 else size - 1])
    return np.arange(size) if closed else np.arange(1, size - 1)


def _inward(
    here: list[Ints], sides: tuple[int, ...], shape: list[int], axes: Iterable[int], steps: int
) -> list[Ints]:
    """Return the numbers of points so many steps inside along axes, where they lie outside."""
    out = list(here)
    for axis in axes:
        if sides[axis]:
            out[axis] = np.array([steps if sides[axis] < 0 else shape[axis] - 1 - steps])
    return out


def _reflected(axis: F64, vector: F64) -> F64:
    """Return vectors as seen in a mirror along axes."""
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    unit = axis / np.where(length == 0.0, 1.0, length)
    along = (vector * unit).sum(axis=-1, keepdims=True) * unit
    out: F64 = 2.0 * along - vector
    return out
