"""ChamferBox: a box with rounded edges, built from the top down.

No file at hand has one: construction, smoothing groups and mapping follow the public samples of
the 3ds Max SDK, and each says so.
"""

from __future__ import annotations

from math import cos, pi, sqrt
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

__all__ = ["CHAMFER_BOX", "build_chamfer_box", "chamfer_box"]

CHAMFER_BOX: Final = (0x1AD73F40, 0x48EA0F97)

#: What two fillets leave of the shortest side.
_LEFT_OVER: Final = 0.01

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]


@generator(CHAMFER_BOX)
def chamfer_box(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a ChamferBox."""
    values = Values(obj, call)
    call.approximate(UNPROVED)
    return build_chamfer_box(
        (values.size("width"), values.size("length"), values.number("height")),
        values.size("fillet"),
        (
            values.segments("width_segments"),
            values.segments("length_segments"),
            values.segments("height_segments"),
        ),
        values.segments("fillet_segments"),
        smooth=values.switch("smooth", True),
        mapped=values.mapped(),
    )


def build_chamfer_box(
    extents: tuple[float, float, float],
    fillet: float,
    counts: tuple[int, int, int],
    round_: int,
    *,
    smooth: bool = True,
    mapped: bool = False,
) -> Mesh:
    """Return a box with rounded edges that stands on the origin; a negative height hangs.

    Args:
        extents: Along x, y and z.
        fillet: Radius of the edges.
        counts: Segments of the flat parts along x, y and z.
        round_: Segments of a rounded edge.
        smooth: Whether it is one smoothing group.
        mapped: Whether it has texture coordinates.

    Raises:
        NotSupportedError: It is too large.
    """
    nx, ny, nz = counts
    around = 2 * (nx + ny) + 4 * round_
    check_triangles(4 * nx * ny + 2 * around * (2 * round_ + nz))
    least = min(extents[0], extents[1], abs(extents[2]))
    if least - 2.0 * fillet < _LEFT_OVER:
        fillet = max((least - _LEFT_OVER) / 2.0, 0.0)
    half = np.array([extents[0], extents[1], abs(extents[2])]) / 2.0
    flat = half - fillet

    cap = np.empty((ny + 1, nx + 1, 3))
    cap[..., 0] = -flat[0] + 2.0 * flat[0] * np.arange(nx + 1) / nx
    cap[..., 1] = (flat[1] - 2.0 * flat[1] * np.arange(ny + 1) / ny)[:, None]
    cap[..., 2] = half[2]
    # The outline of the cap, counter-clockwise from its first vertex; a corner takes part in
    # round_ + 1 directions of the rings around it.
    border, corner = _border(nx, ny, round_)
    place = cap.reshape(-1, 3)[border]
    angle = pi / 2.0 * (1.0 + corner / round_)
    turn = pi / 2.0 * np.arange(1, round_ + 1) / round_
    rings = np.empty((round_, around, 3))
    for axis, wave in enumerate((np.cos(angle), np.sin(angle))):
        rings[..., axis] = place[:, axis] + np.sin(turn)[:, None] * fillet * wave
    rings[..., 2] = (flat[2] + fillet * np.cos(turn))[:, None]
    rings[-1, :, 2] = flat[2]
    walls = np.repeat(rings[-1:], nz - 1, axis=0)
    walls[..., 2] = (flat[2] - 2.0 * flat[2] * np.arange(1, nz) / nz)[:, None]
    below = rings[::-1] * [1.0, 1.0, -1.0]
    under = cap.reshape(-1, 3)[::-1] * [1.0, 1.0, -1.0]
    parts = [cap, rings, walls, below, under]
    positions = np.concatenate([part.reshape(-1, 3) for part in parts])

    upper = grid(ny + 1, nx + 1)
    bands = grid(2 * round_ + nz - 1, around, upper.size)
    lower = grid(ny + 1, nx + 1, upper.size + bands.size)
    outline = border.astype(np.int32)
    closed = np.concatenate([bands, bands[:, :1]], axis=1)
    first, first_flags = _edge(outline, closed[0])
    ends = upper.size - 1 - outline + lower[0, 0]
    last, last_flags = _edge(ends, closed[-1], below=True)
    flat_flags = np.tile([FIRST_TWO, LAST_TWO], nx * ny)
    wall_flags = np.tile([FIRST_TWO, LAST_TWO], around * (len(bands) - 1))
    flags = np.concatenate([flat_flags, first_flags, wall_flags, last_flags, flat_flags])

    def faces(rows: list[I32], edges: tuple[I32, I32], shift: int) -> I32:
        band = [wall_triangles(row[:-1], row[1:]) for row in rows]
        # The lower cap is turned around, so that its rows run back.
        under = wall_triangles(lower[1:], lower[:-1]) + np.int32(shift)
        return np.concatenate(
            [wall_triangles(upper[:-1], upper[1:]), edges[0], *band, edges[1], under]
        )

    maps: Maps | None = None
    if mapped:
        side = grid(nz + 1, around, upper.size + round_ * around)
        low = grid(round_, around, side[-1, -1] + 1)
        final = int(low[-1, -1]) + 1 + lower.size
        closing = np.arange(final, final + nz + 1, dtype=np.int32)
        rows = [
            closed[:round_],
            np.concatenate([side, closing[:, None]], axis=1),
            np.concatenate([low, low[:, :1]], axis=1),
        ]
        shift = int(low[-1, -1] + 1 - lower[0, 0])
        edges = (first, _edge(ends + shift, rows[2][-1], below=True)[0])
        vertices = _mapping(parts, half, (fillet, corner), nz, round_)
        maps = {1: (vertices, faces(rows, edges, shift))}
    made = faces([closed], (first, last), 0)
    positions[:, 2] += -half[2] if extents[2] < 0.0 else half[2]
    return Mesh.of_triangles(positions, made, smoothing=int(smooth), edge_flags=flags, maps=maps)


def _border(nx: int, ny: int, round_: int) -> tuple[npt.NDArray[np.int64], F64]:
    """Return (around,) vertices of the cap, and how far each ring has turned there, in steps."""
    row = nx + 1
    sides = [
        np.arange(1, ny) * row,
        ny * row + np.arange(1, nx),
        np.arange(ny - 1, 0, -1) * row + nx,
        np.arange(nx - 1, 0, -1),
    ]
    corners = (0, ny * row, ny * row + nx, nx)
    border, turned = [], []
    for k, (corner, side) in enumerate(zip(corners, sides, strict=True)):
        border += [np.full(round_ + 1, corner), side]
        turned += [k * round_ + np.arange(round_ + 1), np.full(len(side), (k + 1) * round_)]
    return np.concatenate(border), np.concatenate(turned).astype(np.float64)


def _edge(cap: I32, ring: I32, below: bool = False) -> tuple[I32, npt.NDArray[np.int64]]:
    """Return faces and flags between the outline of a cap and the ring beside it.

    At corners, where the outline stays, there is one triangle of each quad.

    Args:
        cap: (n,) vertices of the outline, along the ring.
        ring: (n + 1,): closed.
        below: Whether the cap is below the ring.
    """
    closed = np.append(cap, cap[:1]).astype(np.int32)
    rows = (ring, closed) if below else (closed, ring)
    quads = wall_triangles(*rows).reshape(-1, 2, 3)
    kept = np.ones((len(quads), 2), bool)
    kept[closed[1:] == closed[:-1], 0 if below else 1] = False
    flags = np.tile([FIRST_TWO, LAST_TWO], (len(quads), 1))
    return quads[kept], flags[kept]


def _mapping(parts: list[F64], half: F64, edge: tuple[float, F64], nz: int, round_: int) -> F64:
    """Return map vertices: the upper half from above, the walls around, the lower half."""
    size = 2.0 * np.where(half > 0.0, half, 0.5)
    cap, rings, _, below, under = parts
    fillet, corner = edge

    def planar(points: F64, turned: bool = False) -> F64:
        made = np.zeros((points.size // 3, 3))
        made[:, :2] = (points.reshape(-1, 3)[:, :2] + half[:2]) / size[:2]
        if turned:
            made[:, 1] = 1.0 - made[:, 1]
        return made

    ring = rings[-1]
    steps = np.hypot(*(np.roll(ring, -1, axis=0) - ring)[:, :2].T)
    # Rounded corners count as chords.
    turns = np.roll(corner, -1) != corner
    turns[-1] = False
    steps[turns] = fillet * sqrt(2.0 * (1.0 - cos(pi / (2.0 * round_))))
    whole = float(steps.sum()) or 1.0
    side = np.zeros((nz + 1, len(ring) + 1, 3))
    side[..., 0] = np.concatenate([[0.0], np.cumsum(steps)]) / whole
    side[:, -1, 0] = 1.0
    side[..., 1] = (1.0 - np.arange(nz + 1) / nz)[:, None]
    return np.concatenate(
        [
            planar(cap),
            planar(rings),
            side[:, :-1].reshape(-1, 3),
            planar(below, turned=True),
            planar(under, turned=True),
            side[:, -1],
        ]
    )
