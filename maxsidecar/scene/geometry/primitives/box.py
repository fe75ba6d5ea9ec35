"""Box: two grids, and rings between them.

(notes/primitives-modifiers 2.1: 271 collapsed boxes, 105 with negative height.)
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, Arithmetic, arithmetic_of
from maxsidecar.scene.geometry.primitives.topology import FIRST_TWO, OUTER, cells, grid
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["BOX", "box", "build_box"]

BOX: Final = (0x10, 0)

I32 = npt.NDArray[np.int32]

#: Axis that each side looks along, and the way: bottom, top, front, right, back, left.
_SIDES: Final = ((2, -1), (2, 1), (1, -1), (0, 1), (1, 1), (0, -1))
#: Material id by axis, of a side that looks the positive and the negative way.
_MATERIALS: Final = ((3, 2), (5, 4), (0, 1))


@generator(BOX)
def box(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Box."""
    values = Values(obj, call)
    extents = (values.number("width"), values.number("length"), values.number("height"))
    counts = (
        values.segments("width_segments"),
        values.segments("length_segments"),
        values.segments("height_segments"),
    )
    mapped = values.mapped()
    return build_box(extents, counts, mapped, arithmetic_of(obj.scene.version))


def build_box(
    extents: tuple[float, float, float],
    counts: tuple[int, int, int],
    mapped: bool = False,
    arithmetic: Arithmetic = SINGLE,
) -> Mesh:
    """Return a box that stands on the origin; a negative height hangs from it.

    Args:
        extents: Along x, y and z.
        counts: Segments along x, y and z.
        mapped: Whether it has texture coordinates.
        arithmetic: How the texture coordinates are added up.

    Raises:
        NotSupportedError: It is too large.
    """
    nx, ny, nz = counts
    check_triangles(4 * (nx * ny + nx * nz + ny * nz))
    positions, places, levels = _vertices(extents, counts)
    # Map coordinates are found from positions, which are all the same along an extent of 0.
    places[:, [axis for axis in range(3) if extents[axis] == 0.0]] = 0
    bottom, top = (grid(ny + 1, nx + 1, start) for start in (0, (nx + 1) * (ny + 1)))
    a, d, c, b = cells(bottom)
    quads = [np.stack([a, b, c, d], axis=1), np.stack(cells(top), axis=1)]
    offset = 0
    for count in (nx, ny, nx, ny):
        side = levels[:, offset : offset + count + 1]
        quads.append(np.stack(cells(side), axis=1))
        offset += count
    quad = np.concatenate(quads)
    hanging = extents[2] < 0.0
    order = [1, 0, 2, 3, 2, 0] if hanging else [0, 1, 2, 2, 3, 0]
    faces = quad[:, order].reshape(-1, 3)
    side_of = np.repeat(np.arange(6), [2 * len(part) for part in quads])
    axes, ways = _directions(extents)
    maps = _mapping(faces, axes[side_of], ways[side_of], places, counts, arithmetic)
    materials = np.array(_MATERIALS)[axes, (ways < 0).astype(int)]
    return Mesh.of_triangles(
        positions,
        faces,
        smoothing=(2 << np.arange(6))[side_of],
        material_ids=materials[side_of],
        edge_flags=OUTER if hanging else FIRST_TWO,
        maps={1: maps} if mapped else None,
    )


def _vertices(
    extents: tuple[float, float, float], counts: tuple[int, int, int]
) -> tuple[npt.NDArray[np.float32], I32, I32]:
    """Return positions, (v, 3) places counted in segments, and the rings of vertices.

    The rings are (levels, around + 1): the outline of each level, from the corner at -x, -y
    around over +x, and that corner again.
    """
    nx, ny, nz = counts
    half = [np.float32(extent) / np.float32(2.0) for extent in extents]
    step = [np.float32(e) / np.float32(n) for e, n in zip(extents, counts, strict=True)]
    # A point is added up in memory, so both arithmetics round here.
    east, north = (SINGLE.running(-half[i], step[i], counts[i] + 1) for i in (0, 1))
    west, south = (SINGLE.running(half[i], -step[i], counts[i] + 1) for i in (0, 1))
    column, row = np.meshgrid(np.arange(nx + 1), np.arange(ny + 1))
    flat = np.stack([east[column], north[row], np.zeros_like(east[column])], axis=2).reshape(-1, 3)
    flat_places = np.stack([column, row, np.zeros_like(row)], axis=2).reshape(-1, 3)
    around_places = np.zeros((2 * (nx + ny), 3), np.int32)
    around_places[:, 0] = np.r_[0:nx, [nx] * ny, nx:0:-1, [0] * ny]
    around_places[:, 1] = np.r_[[0] * nx, 0:ny, [ny] * nx, ny:0:-1]
    around = np.zeros((2 * (nx + ny), 3), np.float32)
    around[:, 0] = np.concatenate([east[:-1], [half[0]] * ny, west[:-1], [-half[0]] * ny])
    around[:, 1] = np.concatenate([[-half[1]] * nx, north[:-1], [half[1]] * nx, south[:-1]])
    upper, upper_places = flat.copy(), flat_places.copy()
    upper[:, 2], upper_places[:, 2] = np.float32(extents[2]), nz
    inner = np.tile(around, (nz - 1, 1, 1))
    inner[:, :, 2] = (step[2] * np.arange(1, nz, dtype=np.float32))[:, None]
    inner_places = np.tile(around_places, (nz - 1, 1, 1))
    inner_places[:, :, 2] = np.arange(1, nz)[:, None]
    positions = np.concatenate([flat, upper, inner.reshape(-1, 3)])
    places = np.concatenate([flat_places, upper_places, inner_places.reshape(-1, 3)])

    outline = around_places[:, 1] * (nx + 1) + around_places[:, 0]
    rings = np.concatenate(
        [
            outline[None],
            grid(nz - 1, len(outline), 2 * len(flat)),
            outline[None] + len(flat),
        ]
    )
    return positions, places.astype(np.int32), np.concatenate([rings, rings[:, :1]], axis=1)


def _directions(extents: tuple[float, float, float]) -> tuple[I32, I32]:
    """Return axis and way that each side really looks, when extents are negative or 0.

    A side without an area counts as one that looks along +x.
    """
    signs = np.sign(extents)
    axes, ways = np.array(_SIDES, np.int32).T
    for side, (axis, way) in enumerate(_SIDES):
        turned = way * signs[(axis + 1) % 3] * signs[(axis + 2) % 3]
        turned *= -1.0 if signs[2] < 0.0 else 1.0
        axes[side], ways[side] = (axis, turned) if turned else (0, 1)
    return axes, ways


def _mapping(
    faces: I32,
    axes: I32,
    ways: I32,
    places: I32,
    counts: tuple[int, int, int],
    arithmetic: Arithmetic,
) -> tuple[npt.NDArray[np.float32], I32]:
    """Return map vertices and map faces: one grid for each axis, shared by both sides.

    Args:
        faces: (t, 3).
        axes: (t,) axis that a triangle looks along.
        ways: (t,) whether it looks the positive or the negative way.
        places: (v, 3) places of the vertices, counted in segments.
        counts: Segments along x, y and z.
        arithmetic: How the coordinates are added up.
    """
    run = [arithmetic.running(0.0, 1.0 / count, count + 1) for count in counts]
    vertices = []
    starts = []
    start = 0
    for across, high in ((1, 2), (0, 2), (0, 1)):
        v, u = np.meshgrid(run[high], run[across], indexing="ij")
        vertices.append(np.stack([u, v, np.zeros_like(u)], axis=2).reshape(-1, 3))
        starts.append(start)
        start += u.size
    corners = places[faces]
    along = np.where(axes == 0, 1, 0)[:, None]
    up = np.where(axes == 2, 1, 2)[:, None]
    rows = np.arange(len(faces))[:, None]
    slots = np.arange(3)[None]
    width = np.array(counts)[along]
    u = corners[rows, slots, along]
    v = corners[rows, slots, up]
    # Sides that look along +x, +z and -y have u along the axis, the others against it.
    against = (axes != 1) == (ways < 0)
    u = np.where(against[:, None], width - u, u)
    found = np.array(starts)[axes][:, None] + v * (width + 1) + u
    return np.concatenate(vertices).astype(np.float32), found.astype(np.int32)
