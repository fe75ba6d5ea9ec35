"""ChamferCyl, OilTank, Spindle and Capsule: rings from the top down, the lower end like the upper.

No file at hand has any of them: construction, smoothing groups and mapping follow the public
samples of the 3ds Max SDK, and each says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, atan, cos, pi, sin
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.arithmetic import X87
from maxsidecar.scene.geometry.primitives.slices import slice_angles
from maxsidecar.scene.geometry.primitives.topology import (
    FIRST_TWO,
    LAST_TWO,
    OUTER,
    Maps,
    grid,
    wall_triangles,
)
from maxsidecar.scene.geometry.primitives.values import UNPROVED, Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = [
    "CAPSULE",
    "CHAMFER_CYLINDER",
    "OIL_TANK",
    "SPINDLE",
    "End",
    "build_turned",
    "capsule",
    "capsule_end",
    "chamfer_cylinder",
    "chamfer_cylinder_end",
    "oil_tank",
    "oil_tank_end",
    "spindle",
    "spindle_end",
]

CHAMFER_CYLINDER: Final = (0x7B9A546E, 0x21A446A1)
OIL_TANK: Final = (0x210E642A, 0x22F11EF8)
SPINDLE: Final = (0x130B141B, 0x04B35AFE)
CAPSULE: Final = (0x6D3D77AC, 0x79C939A9)

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]

#: Groups of both faces of a slice: where it ends, and where it begins.
_CUT_GROUPS: Final = (2, 1)
#: Radius of the tips of a Spindle.
_TIP: Final = 0.01


@dataclass(frozen=True, slots=True)
class End:
    """The upper end; the lower one is its mirror image.

    Attributes:
        rings: (n, 2): radius, and distance below the top; the last one is where the side begins.
        groups: (n,) smoothing groups from the middle out: up to each ring.
        side: Smoothing group of the side.
    """

    rings: F64
    groups: tuple[int, ...]
    side: int


@generator(CHAMFER_CYLINDER)
def chamfer_cylinder(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a ChamferCyl."""
    values = Values(obj, call)
    radius, height = values.size("radius"), values.number("height")
    end = chamfer_cylinder_end(
        radius,
        min(values.size("fillet"), radius, abs(height) / 2.0),
        values.segments("cap_segments"),
        values.segments("fillet_segments"),
    )
    return _build(values, end, radius, height)


@generator(OIL_TANK)
def oil_tank(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of an OilTank."""
    values = Values(obj, call)
    radius, height, cap = values.size("radius"), values.number("height"), values.size("cap_height")
    between = values.switch("centers")
    room = abs(height) / 2.0 + (cap if between else 0.0)
    cap = max(min(cap, 0.99 * min(room, radius)), 0.025 * radius)
    end = oil_tank_end(
        radius, cap, _blend(values, height, cap, between), values.segments("sides", least=3)
    )
    return _build(values, end, radius, height + (2.0 * cap if between else 0.0))


@generator(SPINDLE)
def spindle(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Spindle."""
    values = Values(obj, call)
    radius, height, cap = values.size("radius"), values.number("height"), values.size("cap_height")
    between = values.switch("centers")
    if not between:
        cap = min(cap, abs(height) / 2.0)
    end = spindle_end(
        radius, cap, _blend(values, height, cap, between), values.segments("cap_segments")
    )
    return _build(values, end, radius, height + (2.0 * cap if between else 0.0))


@generator(CAPSULE)
def capsule(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Capsule."""
    values = Values(obj, call)
    radius, height = values.size("radius"), values.number("height")
    tall = max(abs(height) + (2.0 * radius if values.switch("centers") else 0.0), 2.0 * radius)
    end = capsule_end(radius, values.segments("sides", least=3))
    return _build(values, end, radius, -tall if height < 0.0 else tall)


def _blend(values: Values, height: float, cap: float, between: bool) -> float:
    room = abs(height) / 2.0 - (0.0 if between else cap)
    return max(min(values.size("blend"), room), 0.0)


def _build(values: Values, end: End, radius: float, height: float) -> Mesh:
    values.call.approximate(UNPROVED)
    cut = None
    if values.switch("slice_on"):
        cut = (values.number("slice_from", 0.0), values.number("slice_to", 0.0))
    return build_turned(
        end,
        radius,
        height,
        (values.segments("height_segments"), values.segments("sides", least=3)),
        smooth=values.switch("smooth", True),
        cut=cut,
        mapped=values.mapped(),
    )


def chamfer_cylinder_end(radius: float, fillet: float, caps: int, fillets: int) -> End:
    """Return a flat cap with a round edge, or with a chamfer when that has one segment."""
    inner = radius - fillet
    flat = [(inner * k / caps, 0.0) for k in range(1, caps + 1)]
    turn = [pi * k / (2.0 * fillets) for k in range(1, fillets + 1)]
    edge = [(inner + fillet * sin(angle), fillet * (1.0 - cos(angle))) for angle in turn]
    edge[-1] = (radius, fillet)
    groups = (4,) * caps + (4 if fillets > 1 else 8,) * fillets
    return End(np.array(flat + edge), groups, 4 if fillets > 1 else 16)


def oil_tank_end(radius: float, cap: float, blend: float, sides: int) -> End:
    """Return a convex cap: a part of a sphere, blended into the side."""
    count = sides // 3
    whole, square = radius * radius - cap * cap, radius * radius
    ball = (square + cap * cap) / (2.0 * cap) if cap > 0.0 else 0.0
    theta = atan(2.0 * radius * cap / whole) if whole > 0.0 else pi / 2.0
    turn = [theta * k / count for k in range(1, count + 1)]
    if blend > 0.0 and square > 0.0:
        turn[-1] = theta - acos(max(1.0 - blend / (2.0 * square), -1.0))
    rings = [(ball * sin(angle), ball * (1.0 - cos(angle))) for angle in turn]
    if blend > 0.0:
        rings.append((radius, cap + blend))
    return End(np.array(rings), (4,) * len(rings), 4 if blend > 0.0 else 8)


def spindle_end(radius: float, cap: float, blend: float, caps: int) -> End:
    """Return a cone with a tiny flat tip, blended into the side."""
    rings = [(_TIP + (radius - _TIP) * k / caps, cap * k / caps) for k in range(caps + 1)]
    if blend <= 0.0:
        return End(np.array(rings), (16,) + (4,) * caps, 8)
    theta = atan(cap / radius) if radius > 0.0 else pi / 2.0
    rings[-1] = (radius - blend * cos(theta), cap - blend * sin(theta))
    rings.append((radius, cap + blend))
    return End(np.array(rings), (4,) * len(rings), 4)


def capsule_end(radius: float, sides: int) -> End:
    """Return a half of a sphere."""
    count = sides // 2
    turn = [pi * k / (2.0 * count) for k in range(1, count + 1)]
    rings = [(radius * sin(angle), radius * (1.0 - cos(angle))) for angle in turn]
    return End(np.array(rings), (4,) * count, 4)


def build_turned(
    end: End,
    radius: float,
    height: float,
    counts: tuple[int, int],
    *,
    smooth: bool = True,
    cut: tuple[float, float] | None = None,
    mapped: bool = False,
) -> Mesh:
    """Return a solid that stands on the origin; a negative height hangs from it.

    Args:
        end: Its ends.
        radius: Of its side.
        height: Of all of it.
        counts: Segments of the side's height, and around.
        smooth: Whether it has smoothing groups.
        cut: Slice from and to, in radians.
        mapped: Whether it has texture coordinates.

    Raises:
        NotSupportedError: It is too large.
    """
    levels, sides = counts
    tall, ends = abs(height), len(end.rings)
    # Around and down: radius and height of each ring.
    low = tall - end.rings[-1, 1]
    side = low - (tall - 2.0 * end.rings[-1, 1]) / levels * np.arange(1, levels)
    z = np.concatenate([tall - end.rings[:, 1], side, end.rings[::-1, 1]])
    wide = np.concatenate(
        [end.rings[:, 0], np.full(levels - 1, end.rings[-1, 0]), end.rings[::-1, 0]]
    )
    start, step, columns = slice_angles(cut, sides, 0.0, X87)
    check_triangles(2 * columns * (len(z) + 1))
    angles = X87.running(start, step, columns)
    points = np.empty((len(z), columns, 3))
    points[..., 0] = np.cos(angles) * wide[:, None]
    points[..., 1] = np.sin(angles) * wide[:, None]
    points[..., 2] = z[:, None]

    # A slice has points on the axis too: behind each ring of the side.
    inner = slice(ends - 1, ends + levels)
    extra = np.zeros(len(z), np.int32)
    extra[inner] = cut is not None
    first = 1 + np.concatenate([[0], np.cumsum(columns + extra)])
    rows = (first[:-1, None] + np.arange(columns)).astype(np.int32)
    bottom = int(first[-1])
    positions = np.zeros((bottom + 1, 3))
    positions[0, 2] = tall
    positions[rows] = points
    axis = (first[:-1] + columns)[inner].astype(np.int32)
    if cut is not None:
        positions[axis, 2] = z[inner]
    else:
        rows = np.concatenate([rows, rows[:, :1]], axis=1)

    faces = [
        _fan(0, rows[0]),
        wall_triangles(rows[:-1], rows[1:]),
        _fan(bottom, rows[-1], down=True),
    ]
    around = rows.shape[1] - 1
    flags = [
        np.full(around, FIRST_TWO),
        np.tile([FIRST_TWO, LAST_TWO], around * (len(z) - 1)),
        np.full(around, LAST_TWO),
    ]
    bands = [*end.groups, *[end.side] * levels, *reversed(end.groups)]
    groups = [np.repeat(bands, [around, *[2 * around] * (len(bands) - 2), around])]
    if cut is not None:
        left, right = (np.array([0, *rows[:, column], bottom]) for column in (-1, 0))
        more, more_flags, more_groups = _cut_faces(left, right, axis, ends)
        faces.append(more)
        flags.append(more_flags)
        groups.append(more_groups)
    maps: Maps | None = None
    if mapped:
        maps = {1: _mapping(positions, rows, axis, ends, (radius, tall), cut is not None)}
    if height < 0.0:
        positions[:, 2] -= tall
    return Mesh.of_triangles(
        positions,
        np.concatenate(faces),
        smoothing=np.concatenate(groups) if smooth else 0,
        edge_flags=np.concatenate(flags),
        maps=maps,
    )


def _fan(middle: int, ring: I32, down: bool = False) -> I32:
    around = np.full(len(ring) - 1, middle, np.int32)
    order = (ring[:-1], around, ring[1:]) if down else (around, ring[:-1], ring[1:])
    return np.stack(order, axis=1)


def _cut_faces(
    left: npt.NDArray[np.integer], right: npt.NDArray[np.integer], axis: I32, ends: int
) -> tuple[I32, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return faces, edge flags and groups of both faces of a slice, from the top down.

    Args:
        left: Outline where the slice ends: the top, one vertex of each ring, the bottom.
        right: Outline where it begins.
        axis: Vertices on the axis, beside the rings of the side.
        ends: Rings of an end.
    """
    levels = len(axis) - 1
    parts = []
    flags = []
    for middle, first, count in ((axis[0], 0, ends), (axis[-1], ends + levels, ends)):
        upper, lower = slice(first, first + count), slice(first + 1, first + count + 1)
        centre = np.full(count, middle)
        one = np.stack([left[lower], centre, left[upper]], axis=1)
        other = np.stack([right[upper], centre, right[lower]], axis=1)
        parts.append(np.stack([one, other], axis=1).reshape(-1, 3))
        shown = np.full((count, 2), 4)
        if first:
            shown[-1] = (OUTER, LAST_TWO)
        else:
            shown[0] = (LAST_TWO, OUTER)
        flags.append(shown.reshape(-1))
    upper, lower = slice(ends, ends + levels), slice(ends + 1, ends + levels + 1)
    quads = [
        (left[upper], left[lower], axis[1:], axis[:-1]),
        (axis[:-1], axis[1:], right[lower], right[upper]),
    ]
    walls = [np.stack([a, b, c, a, c, d], axis=1) for a, b, c, d in quads]
    parts.insert(1, np.stack(walls, axis=1).reshape(-1, 3))
    flags.insert(1, np.tile([FIRST_TWO, LAST_TWO], 2 * levels))
    groups = [
        np.tile(_CUT_GROUPS, ends),
        np.tile(np.repeat(_CUT_GROUPS, 2), levels),
        np.tile(_CUT_GROUPS, ends),
    ]
    return np.concatenate(parts).astype(np.int32), np.concatenate(flags), np.concatenate(groups)


def _mapping(
    positions: F64, rows: I32, axis: I32, ends: int, size: tuple[float, float], cut: bool
) -> tuple[F64, I32]:
    """Return the map: ends from above, the side around, and the faces of a slice."""
    radius, height = size[0] or 1.0, size[1] or 1.0
    levels, around = len(axis) - 1, rows.shape[1] - 1
    columns = around + 1 if cut else around
    flat = np.zeros((len(positions), 3))
    flat[:, :2] = (positions[:, :2] + radius) / (2.0 * radius)
    outline = rows[:, :columns]
    side = np.zeros((levels + 1, around + 1, 3))
    side[..., 0] = np.arange(around + 1) / around
    side[..., 1] = (1.0 - np.arange(levels + 1) / levels)[:, None]
    upper, lower = outline[:ends], outline[ends + levels - 1 :]
    vertices = [flat[:1], flat[upper.reshape(-1)], side.reshape(-1, 3)]
    vertices += [flat[lower.reshape(-1)], flat[-1:]]

    def closed(start: int) -> I32:
        numbers = grid(ends, columns, start)
        return numbers if cut else np.concatenate([numbers, numbers[:, :1]], axis=1)

    top = closed(1)
    middle = grid(levels + 1, around + 1, 1 + upper.size)
    base = closed(1 + upper.size + middle.size)
    last = 1 + 2 * upper.size + middle.size
    faces = [_fan(0, top[0])]
    faces += [wall_triangles(numbers[:-1], numbers[1:]) for numbers in (top, middle, base)]
    faces.append(_fan(last, base[-1], down=True))
    if cut:
        start = last + 1
        centre = np.zeros((levels + 3, 3))
        centre[1:-1, 1] = positions[axis, 2] / height
        centre[0, 1] = 1.0
        edge = np.zeros((len(rows), 3))
        edge[:, 0] = np.hypot(*positions[rows[:, -1], :2].T) / radius
        edge[:, 1] = positions[rows[:, -1], 2] / height
        vertices += [centre, np.repeat(edge, 2, axis=0)]
        begin = start + levels + 3
        pairs = np.arange(begin, begin + 2 * len(rows)).reshape(-1, 2)
        left, right = (np.array([start, *column, begin - 1]) for column in pairs.T)
        centres = np.arange(start + 1, start + levels + 2, dtype=np.int32)
        faces.append(_cut_faces(left, right, centres, ends)[0])
    return np.concatenate(vertices), np.concatenate(faces)
