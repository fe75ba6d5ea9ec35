"""Hedra: polyhedra made by reflecting one spherical triangle.

(Construction: the public samples of the 3ds Max SDK.  A collapsed octahedron has the same vertices
to 2e-15, faces, ids and map; no file proves other families and weights.)

A family is given by two angles of a right spherical triangle.  Reflecting the triangle in its sides
covers the sphere; one point of it, which P and Q choose, gives the vertices, and each corner of the
triangles a polygon: R around the right angle, P and Q around the others.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.objects import SceneObject

__all__ = ["HEDRA", "build_hedra", "hedra"]

HEDRA: Final = (0xF21C5E23, 0)

Vector: TypeAlias = tuple[float, float, float]
#: Corners R, P and Q, and the point.
Triangle: TypeAlias = tuple[Vector, Vector, Vector, Vector]

#: Order of P and Q and the turns of Q by family: tetrahedron, cube and octahedron, dodecahedron
#: and icosahedron, and two stars.
_FAMILIES: Final = ((3, 3, 1), (3, 4, 1), (3, 5, 1), (3, 5, 2), (5, 5, 2))
#: Pi, with ten decimals (measured on the collapsed octahedron, whose zeros tell it).
_PI: Final = 3.1415926535
#: Points that are nearer than this in each coordinate are one.
_NEAR: Final = 0.01
#: The full icosahedral group has 120 triangles.
_MOST_TRIANGLES: Final = 120


@generator(HEDRA)
def hedra(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Hedra."""
    values = Values(obj, call)
    family, vertices = int(values.number("family")), int(values.number("vertices", 0.0))
    weights = (values.number("p"), values.number("q"))
    scales = tuple(values.number(f"scale_{axis}", 1.0) for axis in ("p", "q", "r"))
    if family or vertices or any(weights) or set(scales) != {1.0}:
        call.approximate("only the order of vertices of the plain octahedron is proved")
    return build_hedra(
        values.size("radius"),
        family,
        weights,
        scales,
        vertices=vertices,
        mapped=values.mapped(),
    )


def build_hedra(
    radius: float,
    family: int,
    weights: tuple[float, float] = (0.0, 0.0),
    scales: tuple[float, ...] = (1.0, 1.0, 1.0),
    *,
    vertices: int = 0,
    mapped: bool = False,
) -> Mesh:
    """Return a polyhedron around the origin.

    Args:
        radius: Of its vertices.
        family: From 0 to 4.
        weights: P and Q from 0 to 1; scaled down if their sum is more than 1.
        scales: How far the middles of the polygons around R, P and Q stand out; 3ds Max calls
            them P, Q and R.
        vertices: 0 none added, 1 in the middle of polygons, 2 also in the middle of edges.
        mapped: Whether it has texture coordinates.
    """
    order_p, order_q, turns = _FAMILIES[min(max(family, 0), len(_FAMILIES) - 1)]
    p, q = (min(max(weight, 0.0), 1.0) for weight in weights)
    if p + q > 1.0:
        p, q = p / (p + q), q / (p + q)
    made = _Polyhedron(order_p, order_q, turns, p, q)
    stars = (False, False, turns > 1)
    for axis in range(3):
        if not made.wanted(axis):
            continue
        for triangle in made.axes[axis]:
            made.polygon(axis, triangle, scales[axis], stars[axis], min(max(vertices, 0), 2))
    positions = (np.array(made.points) * np.float32(radius)).astype(np.float32)
    faces = np.array([face[0] for face in made.faces], np.int32).reshape(-1, 3)
    return Mesh.of_triangles(
        positions,
        faces,
        material_ids=np.array([face[2] for face in made.faces], np.int32),
        edge_flags=np.array([face[1] for face in made.faces], np.int32),
        maps={1: _mapping(positions, faces)} if mapped else None,
    )


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1])


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _unit(a: Vector) -> Vector:
    length = sqrt(_dot(a, a))
    return (a[0] / length, a[1] / length, a[2] / length) if length > 0.0 else (1.0, 0.0, 0.0)


def _mirror(point: Vector, normal: Vector) -> Vector:
    twice = 2.0 * _dot(point, normal)
    return (
        point[0] - twice * normal[0],
        point[1] - twice * normal[1],
        point[2] - twice * normal[2],
    )


def _find(points: list[Vector], point: Vector) -> int:
    """Return the number of a point in a list, or -1."""
    for number, other in enumerate(points):
        if all(abs(a - b) <= _NEAR for a, b in zip(point, other, strict=True)):
            return number
    return -1


class _Polyhedron:
    """The triangles of a family, and the faces that are made of them.

    Attributes:
        points: Vertices so far, on the unit sphere at first.
        axes: By corner R, P and Q the triangle that was first there.
        faces: Vertices, edge flags and material id of each face.
    """

    def __init__(self, order_p: int, order_q: int, turns: int, p: float, q: float) -> None:
        """Cover the sphere with triangles."""
        self.points: list[Vector] = []
        self.axes: tuple[list[Triangle], ...] = ([], [], [])
        self.faces: list[tuple[tuple[int, int, int], int, int]] = []
        self._sides = (4, order_p, order_q)
        self._weights = (p, q)
        self._corners: tuple[list[Vector], ...] = ([], [], [])
        angle_p, angle_q = _PI / order_p, _PI * turns / order_q
        cos_p, cos_q = cos(angle_p) / sin(angle_q), cos(angle_q) / sin(angle_p)
        sin_p, sin_q = (sqrt(max(1.0 - c * c, 0.0)) for c in (cos_p, cos_q))
        point = _unit((q * sin_q, p * sin_p, 1.0 + q * (cos_q - 1.0) + p * (cos_p - 1.0)))
        first = ((0.0, 0.0, 1.0), (sin_q, 0.0, cos_q), (0.0, sin_p, cos_p), point)
        self._vertex(point)
        self._cover(first)

    def wanted(self, axis: int) -> bool:
        """Whether the polygons around a corner are more than points or lines."""
        p, q = self._weights
        if axis == 0:
            return p != 0.0 and q != 0.0
        return not ((p, q) == (0.0, 1.0) if axis == 1 else (p, q) == (1.0, 0.0))

    def _vertex(self, point: Vector) -> int:
        number = _find(self.points, point)
        if number < 0:
            number = len(self.points)
            self.points.append(point)
        return number

    def _reflect(self, triangle: Triangle, corner: int) -> Triangle:
        """Return the neighbour beyond the side opposite to a corner; its point is a vertex."""
        others = [triangle[k] for k in range(3) if k != corner]
        normal = _unit(_cross(others[0], others[1]))
        turned = list(triangle)
        turned[corner] = _mirror(triangle[corner], normal)
        turned[3] = _mirror(triangle[3], normal)
        self._vertex(turned[3])
        return turned[0], turned[1], turned[2], turned[3]

    def _cover(self, first: Triangle) -> None:
        """Reflect triangles until no new one comes, the last one made first."""
        seen: set[tuple[int, ...]] = set()
        waiting = [(first, -1)]
        while waiting and len(seen) < _MOST_TRIANGLES:
            triangle, came = waiting.pop()
            key = []
            for axis in range(3):
                number = _find(self._corners[axis], triangle[axis])
                if number < 0:
                    number = len(self._corners[axis])
                    self._corners[axis].append(triangle[axis])
                    self.axes[axis].append(triangle)
                key.append(number)
            if tuple(key) in seen:
                continue
            seen.add(tuple(key))
            for corner in (2, 1, 0):
                if came != corner:
                    waiting.append((self._reflect(triangle, corner), corner))

    def polygon(
        self, axis: int, triangle: Triangle, scale: float, star: bool, vertices: int
    ) -> None:
        """Add the faces of the polygon around a corner of a triangle."""
        ring: list[int] = []

        def add(point: Vector) -> None:
            number = self._vertex(point)
            if number not in ring:
                ring.append(number)

        if axis == 0:
            add(triangle[3])
            for corner in (1, 2, 1):
                triangle = self._reflect(triangle, corner)
                add(triangle[3])
        else:
            for _ in range(self._sides[axis]):
                for corner in (3 - axis, 0):
                    triangle = self._reflect(triangle, corner)
                    add(triangle[3])
        self._fill(axis, self._outward(ring), scale, star, vertices)

    def _outward(self, ring: list[int]) -> list[int]:
        if len(ring) < 3:
            return ring
        a, b, c = (self.points[number] for number in ring[:3])
        along = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
        beyond = (c[0] - b[0], c[1] - b[1], c[2] - b[2])
        return ring[::-1] if _dot(_cross(along, beyond), b) < 0.0 else ring

    def _fill(self, axis: int, ring: list[int], scale: float, star: bool, vertices: int) -> None:
        if vertices == 2:
            ring = self._halved(ring)
        count = len(ring)
        if vertices or star or scale != 1.0:
            total = [sum(self.points[n][k] for n in ring) / max(count, 1) for k in range(3)]
            middle = self._vertex((total[0] * scale, total[1] * scale, total[2] * scale))
            flags = 2 if scale == 1.0 else 7
            for index in range(count):
                face = (middle, ring[index], ring[(index + 1) % count])
                self.faces.append((face, flags, axis))
            return
        for index in range(1, count - 1):
            flags = 2 | (1 if index == 1 else 0) | (4 if index == count - 2 else 0)
            self.faces.append(((ring[0], ring[index], ring[index + 1]), flags, axis))

    def _halved(self, ring: list[int]) -> list[int]:
        """Return the ring with the middles of its edges, made from the last edge back."""
        result = [0] * (2 * len(ring))
        following = ring[0] if ring else 0
        for index in range(len(ring) - 1, -1, -1):
            a, b = self.points[ring[index]], self.points[following]
            middle = ((a[0] + b[0]) * 0.5, (a[1] + b[1]) * 0.5, (a[2] + b[2]) * 0.5)
            result[2 * index : 2 * index + 2] = ring[index], self._vertex(middle)
            following = ring[index]
        return result


def _mapping(
    positions: npt.NDArray[np.float32], faces: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    """Return the map: each face by itself, from the side that it looks to most."""
    size = np.ptp(positions, axis=0) if len(positions) else np.ones(3, np.float32)
    scaled = positions / np.where(size > 0.0, size, np.float32(1.0))
    a, b, c = (positions[faces[:, k]] for k in range(3))
    axis = np.argmax(np.abs(np.cross(b - a, c - b)), axis=1)
    pick = (axis[:, None] + np.array([1, 2, 0])) % 3
    vertices = np.take_along_axis(scaled[faces], pick[:, None, :], axis=2)
    numbers = np.arange(faces.size, dtype=np.int32).reshape(-1, 3)
    return vertices.reshape(-1, 3).astype(np.float32), numbers
