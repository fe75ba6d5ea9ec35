"""GeoSphere: a regular solid whose faces are divided on the sphere.

(Two collapsed icosahedra with 3 segments: a whole one with its map, and a hemisphere.  The other
solids follow the public samples of the 3ds Max SDK; no file proves them.)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, Arithmetic, arithmetic_of
from maxsidecar.scene.geometry.primitives.mapping import around_axis, close_seam
from maxsidecar.scene.geometry.primitives.slices import PI
from maxsidecar.scene.geometry.primitives.topology import Maps
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["GEOSPHERE", "build_geosphere", "geosphere"]

GEOSPHERE: Final = (0, 0x7F9E)

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]

#: The solid that is proved.
_ICOSAHEDRON: Final = 2


@dataclass(frozen=True, slots=True)
class _Solid:
    """A solid to divide.

    Attributes:
        points: (n, 3) on the unit sphere.
        edges: (e, 2) in the order in which their points are made.
        faces: (f, 3): the corner that rows count from, then left and right.
        base: First of the faces whose last row is the rim of the base; ``None`` without a base.
    """

    points: npt.NDArray[np.float64]
    edges: list[tuple[int, int]]
    faces: list[tuple[int, int, int]]
    base: int | None = None


@generator(GEOSPHERE)
def geosphere(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a GeoSphere."""
    values = Values(obj, call)
    base = int(values.number("base_type"))
    hemisphere = values.switch("hemisphere")
    mapped = values.mapped()
    if base != _ICOSAHEDRON:
        call.approximate("only the order of vertices of icosahedra is proved")
    if mapped and hemisphere:
        call.approximate("no file proves how hemispheres are mapped")
    return build_geosphere(
        values.size("radius"),
        values.segments("segments"),
        base,
        hemisphere=hemisphere,
        smooth=values.switch("smooth", True),
        base_to_pivot=values.switch("base_to_pivot"),
        mapped=mapped,
        arithmetic=arithmetic_of(obj.scene.version),
    )


def build_geosphere(
    radius: float,
    segments: int,
    base: int = _ICOSAHEDRON,
    *,
    hemisphere: bool = False,
    smooth: bool = True,
    base_to_pivot: bool = False,
    mapped: bool = False,
    arithmetic: Arithmetic = SINGLE,
) -> Mesh:
    """Return a geodesic sphere around the origin.

    Args:
        radius: Its radius.
        segments: Of each edge of the solid.
        base: 0 tetrahedron, 1 octahedron, 2 icosahedron.
        hemisphere: Whether only the upper half is made, with a base.
        smooth: Whether it has smoothing groups, and material ids.
        base_to_pivot: Whether a whole one stands on the origin.
        mapped: Whether it has texture coordinates.
        arithmetic: Of the release.

    Raises:
        NotSupportedError: It is too large.
    """
    solid = _solid(base, hemisphere)
    check_triangles(len(solid.faces) * segments * (segments + 1))
    positions, numbers = _divided(solid, radius, segments)
    faces = _triangles(numbers, segments)
    shell = len(faces)
    if solid.base is not None:
        rim = numbers[solid.base :, -segments - 1 :]
        centre = np.full(rim[:, 1:].size, len(positions), np.int32)
        fans = np.stack([rim[:, 1:].reshape(-1), rim[:, :-1].reshape(-1), centre], axis=1)
        faces = np.concatenate([faces, fans])
        positions = np.concatenate([positions, np.zeros((1, 3), np.float32)])
    kind = np.arange(len(faces)) >= shell
    maps: Maps | None = {1: _mapping(positions, faces, arithmetic)} if mapped else None
    if base_to_pivot and not hemisphere:
        positions[:, 2] += np.float32(radius)
    return Mesh.of_triangles(
        positions,
        faces,
        smoothing=np.where(kind, 2, 1) if smooth else 0,
        material_ids=np.where(kind, 0, 1) if smooth else 0,
        maps=maps,
    )


def _ring(count: int, radius: float, height: float, turn: int) -> list[tuple[float, ...]]:
    # Angles are float32: that half a turn is a little more than pi decides on which side of the
    # seam of the map a vertex is.
    half_turns = (2.0 * np.arange(count) + turn).astype(np.float32)
    angles = (half_turns * np.float32(PI) / np.float32(count)).astype(np.float64)
    return [(radius * np.cos(a), radius * np.sin(a), height) for a in angles]


def _solid(base: int, hemisphere: bool) -> _Solid:
    """Return one of six solids."""
    if base <= 0:
        return _tetrahedron(hemisphere)
    if base == 1:
        return _octahedron(hemisphere)
    return _half_icosahedron() if hemisphere else _icosahedron()


def _tetrahedron(hemisphere: bool) -> _Solid:
    rim = _ring(3, 1.0, 0.0, 0) if hemisphere else _ring(3, sqrt(8.0 / 9.0), -1.0 / 3.0, 0)
    points = np.array([(0.0, 0.0, 1.0), *rim])
    edges = [(0, 1), (0, 2), (0, 3)]
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 1)]
    if hemisphere:
        return _Solid(points, [*edges, (1, 2), (2, 3), (3, 1)], faces, 0)
    return _Solid(points, [*edges, (1, 2), (1, 3), (2, 3)], [*faces, (1, 3, 2)])


def _octahedron(hemisphere: bool) -> _Solid:
    rim = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]
    around = [(k + 1, (k + 1) % 4 + 1) for k in range(4)]
    down = [(0, k + 1) for k in range(4)]
    faces = [(0, left, right) for left, right in around]
    if hemisphere:
        return _Solid(np.array([(0.0, 0.0, 1.0), *rim]), [*down, *around], faces, 0)
    points = np.array([(0.0, 0.0, 1.0), *rim, (0.0, 0.0, -1.0)])
    up = [(5, k + 1) for k in range(4)]
    return _Solid(points, [*down, *up, *around], [*faces, *((5, b, a) for a, b in around)])


def _icosahedron() -> _Solid:
    height = sqrt(0.2)
    upper = _ring(5, 2.0 * height, height, 0)
    lower = _ring(5, 2.0 * height, -height, 1)
    points = np.array([(0.0, 0.0, 1.0), *upper, *lower, (0.0, 0.0, -1.0)])
    five = range(5)
    edges = [
        *((0, k + 1) for k in five),
        *((k + 1, (k + 1) % 5 + 1) for k in five),
        *((k + 1, k + 6) for k in five),
        *((k + 1, (k + 4) % 5 + 6) for k in five),
        *((k + 6, (k + 1) % 5 + 6) for k in five),
        *((11, k + 6) for k in five),
    ]
    faces = [
        *((0, k + 1, (k + 1) % 5 + 1) for k in five),
        *((k + 1, (k + 4) % 5 + 6, k + 6) for k in five),
        *((k + 6, (k + 1) % 5 + 1, k + 1) for k in five),
        *((11, (k + 1) % 5 + 6, k + 6) for k in five),
    ]
    return _Solid(points, edges, faces)


def _half_icosahedron() -> _Solid:
    """Return the upper half: its faces are divided once before, and the rim has ten points."""
    height = sqrt(0.2)
    ring = np.array(_ring(5, 2.0 * height, height, 0))
    top = np.array([0.0, 0.0, 1.0])
    spokes = ring + top
    between = ring + np.roll(ring, -1, axis=0)
    halves = [m / np.linalg.norm(m, axis=1)[:, None] for m in (spokes, between)]
    rim = np.array(_ring(10, 1.0, 0.0, 1))
    points = np.concatenate([top[None], halves[0], ring, halves[1], rim])
    five = range(5)
    edges = [
        *((0, k + 1) for k in five),
        *((k + 1, (k + 1) % 5 + 1) for k in five),
        *((k + 1, k + 6) for k in five),
        *((k + 1, k + 11) for k in five),
        *((k + 1, (k + 4) % 5 + 11) for k in five),
        *((k + 6, k + 11) for k in five),
        *(((k + 4) % 5 + 11, k + 6) for k in five),
    ]
    for k in five:
        edges += [(k + 6, 2 * k + 16), (k + 11, 2 * k + 16), (k + 11, 2 * k + 17)]
        edges.append(((k + 1) % 5 + 6, 2 * k + 17))
    edges += [(k + 16, (k + 1) % 10 + 16) for k in range(10)]
    faces = [
        *((0, k + 1, (k + 1) % 5 + 1) for k in five),
        *((k + 11, (k + 1) % 5 + 1, k + 1) for k in five),
    ]
    for k in five:
        faces += [(k + 1, (k + 4) % 5 + 11, k + 6), (k + 1, k + 6, k + 11)]
    for k in five:
        faces += [(2 * k + 16, k + 11, k + 6), (2 * k + 17, (k + 1) % 5 + 6, k + 11)]
    for k in five:
        faces += [(k + 6, (2 * k + 9) % 10 + 16, 2 * k + 16), (k + 11, 2 * k + 16, 2 * k + 17)]
    return _Solid(points, edges, faces, 30)


def _arc(first: F32, last: F32, parts: int) -> F32:
    """Return (n, parts - 1, 3): points between, at equal angles.

    Args:
        first: (n, 3).
        last: (n, 3).
        parts: At least 2.
    """
    a, b = first.astype(np.float64), last.astype(np.float64)
    square = np.sum(a * a, axis=1)
    cosine = np.clip(np.sum(a * b, axis=1) / np.where(square > 0.0, square, 1.0), -1.0, 1.0)
    angle = np.arccos(cosine)[:, None]
    share = np.arange(1, parts)[None] / parts
    sine = np.sin(angle)
    sine = np.where(sine > 0.0, sine, 1.0)
    from_first, from_last = np.sin(angle * (1.0 - share)) / sine, np.sin(angle * share) / sine
    points: F64 = a[:, None] * from_first[:, :, None] + b[:, None] * from_last[:, :, None]
    return points.astype(np.float32)


def _divided(solid: _Solid, radius: float, segments: int) -> tuple[F32, I32]:
    """Return positions, and (faces, (s + 1) (s + 2) / 2) their numbers row by row in each face."""
    corners = (solid.points * np.float32(radius)).astype(np.float32)
    inner = segments - 1
    edge = np.array(solid.edges)
    parts = [corners]
    if inner:
        parts.append(_arc(corners[edge[:, 0]], corners[edge[:, 1]], segments).reshape(-1, 3))
    known = np.concatenate(parts)
    face = np.array(solid.faces)
    count = len(face)
    first_inner = len(known)
    per_face = inner * (inner - 1) // 2
    places = np.zeros((count, (segments + 1) * (segments + 2) // 2), np.int64)
    sides = [_side(solid, face[:, a], face[:, b], segments) for a, b in ((0, 1), (0, 2), (1, 2))]
    rows = np.arange(segments + 1)
    start = rows * (rows + 1) // 2
    places[:, start] = sides[0]
    places[:, start + rows] = sides[1]
    places[:, start[-1] :] = sides[2]
    points = np.zeros((count, per_face, 3), np.float32)
    for row in range(2, segments):
        offset = (row - 2) * (row - 1) // 2
        arc = _arc(known[sides[0][:, row]], known[sides[1][:, row]], row)
        points[:, offset : offset + row - 1] = arc
        numbers = first_inner + np.arange(count)[:, None] * per_face + offset + np.arange(row - 1)
        places[:, start[row] + 1 : start[row] + row] = numbers
    return np.concatenate([known, points.reshape(-1, 3)]), places.astype(np.int32)


def _side(solid: _Solid, first: I32, last: I32, segments: int) -> npt.NDArray[np.int64]:
    """Return (faces, s + 1): numbers of the points from one corner of each face to another."""
    inner = segments - 1
    place = {pair: number for number, pair in enumerate(solid.edges)}
    result = np.zeros((len(first), segments + 1), np.int64)
    result[:, 0], result[:, -1] = first, last
    along = np.arange(inner)
    for index, (a, b) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        number = place.get((a, b))
        steps = along if number is not None else along[::-1]
        number = place[(b, a)] if number is None else number
        result[index, 1:-1] = len(solid.points) + number * inner + steps
    return result


def _triangles(numbers: I32, segments: int) -> I32:
    """Return the triangles of all faces: row by row, the ones that point down between."""
    a, b, c = [], [], []
    for row in range(segments):
        above = row * (row + 1) // 2 + np.arange(row + 1)
        below = above + row + 1
        up = np.stack([above, below, below + 1], axis=1)
        down = np.stack([above[:-1], below[1:], above[1:]], axis=1)
        mixed = np.empty((2 * row + 1, 3), np.int64)
        mixed[0::2], mixed[1::2] = up, down
        a.append(mixed[:, 0])
        b.append(mixed[:, 1])
        c.append(mixed[:, 2])
    local = np.stack([np.concatenate(part) for part in (a, b, c)], axis=1)
    return numbers[:, local].reshape(-1, 3)


def _mapping(positions: F32, faces: I32, one: Arithmetic) -> tuple[F32, I32]:
    """Return the map: longitude, latitude, and distance from the middle."""
    vertices = np.zeros_like(positions)
    length = np.sqrt(np.sum(positions.astype(np.float64) ** 2, axis=1))
    vertices[:, 0] = around_axis(positions[:, 0], positions[:, 1], one)
    sine = positions[:, 2] / np.where(length > 0.0, length, 1.0)
    vertices[:, 1] = 0.5 + np.arcsin(np.clip(sine, -1.0, 1.0)) / PI
    vertices[:, 2] = length
    poles = (positions[:, 0] == 0.0) & (positions[:, 1] == 0.0)
    return close_seam(vertices, faces, poles)
