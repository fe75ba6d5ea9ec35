"""L-Ext and C-Ext: walls with an angle or two, pulled up.

No file at hand has any of them: construction, smoothing groups and mapping follow the public
samples of the 3ds Max SDK, and each says so.
"""

from __future__ import annotations

from struct import unpack_from
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
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

__all__ = ["C_EXTRUSION", "L_EXTRUSION", "build_walls", "c_extrusion", "l_extrusion"]

L_EXTRUSION: Final = (0x09E73A08, 0x08693067)
C_EXTRUSION: Final = (0x33B1284D, 0x7AF0200D)

#: Chunk of the object: int32, how it was made; 1 is from the middle.
_METHOD: Final = 0x100

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]


@generator(L_EXTRUSION)
def l_extrusion(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of an L-Ext."""
    values = Values(obj, call)
    lengths = (values.number("front_length"), values.number("side_length"))
    widths = (values.size("front_width"), values.size("side_width"))
    counts = (values.segments("front_segments"), values.segments("side_segments"))
    return _build(values, lengths, widths, counts)


@generator(C_EXTRUSION)
def c_extrusion(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a C-Ext."""
    values = Values(obj, call)
    lengths = tuple(values.number(f"{name}_length") for name in ("front", "side", "back"))
    widths = tuple(values.size(f"{name}_width") for name in ("front", "side", "back"))
    counts = tuple(values.segments(f"{name}_segments") for name in ("front", "side", "back"))
    return _build(values, lengths, widths, counts)


def _build(
    values: Values, lengths: tuple[float, ...], widths: tuple[float, ...], counts: tuple[int, ...]
) -> Mesh:
    values.call.approximate(UNPROVED)
    made = [chunk for chunk in values.obj.data.chunks() if chunk.id == _METHOD]
    data = bytes(made[0].data) if made else b""
    return build_walls(
        lengths,
        widths,
        values.number("height"),
        counts,
        (values.segments("width_segments"), values.segments("height_segments")),
        mapped=values.mapped(),
        from_middle=len(data) >= 4 and unpack_from("<i", data)[0] != 0,
    )


def build_walls(
    lengths: tuple[float, ...],
    widths: tuple[float, ...],
    height: float,
    counts: tuple[int, ...],
    more_counts: tuple[int, int],
    *,
    mapped: bool = False,
    from_middle: bool = False,
) -> Mesh:
    """Return walls along x, then along y, and for a C back along x.

    Args:
        lengths: Of the front, the side, and the back, outside; negative ones run the other way.
        widths: Of the same.
        height: Along z; a negative one hangs.
        counts: Segments of the lengths.
        more_counts: Segments of the width, and of the height.
        mapped: Whether it has texture coordinates.
        from_middle: Whether negative lengths are turned around the middle of the outline.

    Raises:
        NotSupportedError: It is too large.
    """
    wide, levels = more_counts
    check_triangles(4 * (levels * (wide + sum(counts)) + wide * sum(counts)))
    sign = [-1.0 if value < 0.0 else 1.0 for value in lengths[:2]]
    size = tuple(abs(value) for value in lengths)
    cap = _cap(size, widths, counts, wide)
    outline = np.concatenate([cap[0], cap[1:, -1], cap[-1, -2::-1], cap[-2:0:-1, 0]])
    tall = abs(height)
    z = tall - tall / levels * np.arange(levels + 1)
    walls = np.empty((levels + 1, len(outline), 3))
    walls[..., :2] = outline
    walls[..., 2] = z[:, None]
    top, bottom = (np.dstack([cap, np.full(cap.shape[:2], value)]) for value in (tall, 0.0))
    positions = np.concatenate([part.reshape(-1, 3) for part in (top, walls, bottom)])

    rows, columns = cap.shape[:2]
    upper = grid(rows, columns)
    sides = grid(levels + 1, len(outline), upper.size)
    lower = grid(rows, columns, upper.size + sides.size)
    closed = np.concatenate([sides, sides[:, :1]], axis=1)
    faces = _faces(upper, closed, lower)
    # One group for walls along x, another for those along y, around the outline.
    parts = [*counts, wide, *reversed(counts), wide]
    around_groups = np.repeat(np.tile([2, 4], len(parts))[: len(parts)], parts)
    ends = np.ones(2 * (rows - 1) * (columns - 1), np.int64)
    groups = np.concatenate([ends, np.tile(np.repeat(around_groups, 2), levels), ends])
    flags = np.tile([FIRST_TWO, LAST_TWO], len(faces) // 2)

    shift = (lengths[-1] if len(lengths) > 2 else lengths[0], lengths[1])
    for k in range(2):
        if sign[k] < 0.0:
            positions[:, k] = (abs(shift[k]) if from_middle else 0.0) - positions[:, k]
    if height < 0.0:
        positions[:, 2] -= tall
    if sign[0] != sign[1]:
        faces = faces[:, ::-1]
        flags = np.tile([FIRST_TWO, OUTER], len(faces) // 2)
    maps: Maps | None = None
    if mapped:
        vertices, ending = _mapping(cap, outline, size, levels)
        around = np.concatenate([sides, ending[:, None]], axis=1)
        map_faces = _faces(upper, around, lower)
        maps = {1: (vertices, map_faces if sign[0] == sign[1] else map_faces[:, ::-1])}
    return Mesh.of_triangles(positions, faces, smoothing=groups, edge_flags=flags, maps=maps)


def _cap(
    size: tuple[float, ...], widths: tuple[float, ...], counts: tuple[int, ...], wide: int
) -> F64:
    """Return (wide + 1, along + 1, 2): lines along the walls, from the outer one in."""
    share = (np.arange(wide + 1) / wide)[:, None]
    front, side = size[:2]
    back_width = widths[2] if len(size) > 2 else 0.0
    corners = [
        np.concatenate([np.zeros_like(share), share * widths[0]], axis=1),
        np.concatenate([front - share * widths[1], share * widths[0]], axis=1),
        np.concatenate([front - share * widths[1], side - share * back_width], axis=1),
    ]
    if len(size) > 2:
        back = size[2]
        end = np.concatenate([np.full_like(share, front - back), side - share * back_width], axis=1)
        corners.append(end)
    lines = [corners[0][:, None]]
    for k, count in enumerate(counts):
        step = (np.arange(1, count + 1) / count)[None, :, None]
        lines.append(corners[k][:, None] * (1.0 - step) + corners[k + 1][:, None] * step)
    cap: F64 = np.concatenate(lines, axis=1)
    return cap


def _faces(upper: I32, walls: I32, lower: I32) -> I32:
    """Return faces of top, walls and bottom."""
    return np.concatenate(
        [
            wall_triangles(upper[1:], upper[:-1]),
            wall_triangles(walls[:-1], walls[1:]),
            wall_triangles(lower[:-1], lower[1:]),
        ]
    )


def _mapping(cap: F64, outline: F64, size: tuple[float, ...], levels: int) -> tuple[F64, I32]:
    """Return map vertices as positions are, and the numbers of those that close the walls."""
    least = cap.reshape(-1, 2).min(axis=0)
    extent = np.array([max(size[0], size[-1] if len(size) > 2 else 0.0), size[1]])
    extent[extent == 0.0] = 1.0
    flat = (cap - [least[0], 0.0]) / extent
    under = flat * [1.0, -1.0] + [0.0, 1.0]
    steps = np.hypot(*(np.roll(outline, -1, axis=0) - outline).T)
    whole = float(steps.sum()) or 1.0
    side = np.empty((levels + 1, len(outline) + 1, 2))
    side[..., 0] = np.concatenate([[0.0], np.cumsum(steps)]) / whole
    side[:, -1, 0] = 1.0
    side[..., 1] = (1.0 - np.arange(levels + 1) / levels)[:, None]
    parts = [flat.reshape(-1, 2), side[:, :-1].reshape(-1, 2), under.reshape(-1, 2), side[:, -1]]
    made = np.concatenate(parts)
    vertices = np.zeros((len(made), 3))
    vertices[:, :2] = made
    return vertices, np.arange(len(made) - levels - 1, len(made), dtype=np.int32)
