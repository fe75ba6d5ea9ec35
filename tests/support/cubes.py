"""A cube of triangles and of polygons, with texture coordinates, groups and materials."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from maxsidecar.scene.authoring_chunks import ChunkTree
from tests.support.stored_meshes import (
    bits,
    edge,
    face,
    map_chunks,
    poly_chunks,
    tri_chunks,
    vertex,
)

#: Its corners: 2 units wide, about the origin.
CORNERS: Final = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
#: Its sides, counter-clockwise from outside: below, above, front, right, back, left.
SIDES: Final = [
    (0, 2, 3, 1),
    (4, 5, 7, 6),
    (0, 1, 5, 4),
    (1, 3, 7, 5),
    (3, 2, 6, 7),
    (2, 0, 4, 6),
]
#: Each side has the group 1 << number and the material id of its number, and the whole texture.
CHART: Final = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
TRIANGLES: Final = [row for a, b, c, d in SIDES for row in ((a, b, c), (c, d, a))]


def cube_triangles() -> list[ChunkTree]:
    """Return a cube of twelve triangles; the diagonals of its sides are hidden."""
    flags = [3 | number << 16 for number in range(6) for _ in range(2)]
    groups = [1 << number for number in range(6) for _ in range(2)]
    chart = map_chunks(1, CHART, [(0, 1, 2), (2, 3, 0)] * 6)
    return tri_chunks(CORNERS, TRIANGLES, smoothing=groups, flags=flags, more=chart)


def cube_polygons() -> list[ChunkTree]:
    """Return a cube of six polygons, without texture coordinates."""
    ends = sorted({(min(a, b), max(a, b)) for s in SIDES for a, b in pairwise((*s, s[0]))})
    faces = [
        face(side, material=number, smoothing=1 << number, diagonals=(0, 2))
        for number, side in enumerate(SIDES)
    ]
    return poly_chunks(
        [vertex(x, y, z) for x, y, z in CORNERS], [edge(*pair) for pair in ends], faces
    )


def face_selection(text: str) -> list[ChunkTree]:
    """Return what a Mesh Select keeps of selected faces."""
    return [(0x0210, [(0x2700, bits(text))])]


def area_of(positions: np.ndarray, triangles: np.ndarray) -> float:
    """Return the area of a surface: (v, 3) positions, (t, 3) vertices."""
    a, b, c = positions.astype(np.float64)[triangles].transpose(1, 0, 2)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def volume_of(positions: np.ndarray, triangles: np.ndarray) -> float:
    """Return the volume inside a closed surface."""
    a, b, c = positions.astype(np.float64)[triangles].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)
