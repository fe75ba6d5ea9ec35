"""Surfaces through copies of curves, as Extrude and Lathe make them.

(Public samples of the 3ds Max SDK; docs/format/shapes.md, sections 8 and 10.  What fills the ends
is not in them.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.shapes.caps import cap_faces
from maxsidecar.scene.geometry.shapes.nesting import Region
from maxsidecar.scene.geometry.shapes.outlines import Outline

__all__ = ["Skin", "Sweep", "side_groups"]

F64: TypeAlias = npt.NDArray[np.float64]
I64: TypeAlias = npt.NDArray[np.int64]

#: Material ids of the sides and of both ends, from 0.
_SIDE, _START, _END = 2, 1, 0
_CAP_GROUP: Final = 1 << 4
#: Shown sides of the two triangles of a quad, by the order of its corners.
_FIRST_TWO, _LAST_TWO = 3, 6


@dataclass(frozen=True, slots=True)
class Skin:
    """What the surface of a solid is like.

    Attributes:
        start: Whether the end at the first copy is closed.
        end: Whether the far end is.
        smooth: Whether sides have smoothing groups.
        ids: Whether sides and ends have material ids of their own.
        shape_ids: Whether sides have those of the segments.
        mapped: Whether there are texture coordinates.
    """

    start: bool = True
    end: bool = True
    smooth: bool = True
    ids: bool = True
    shape_ids: bool = False
    mapped: bool = False


@dataclass(slots=True)
class Sweep:
    """Copies of curves with the surface between them.

    Attributes:
        lines: The curves.
        regions: Which of them have ends.
        copies: (k, n, 3) float64: the points of all curves, one copy behind another.
        by_curve: Whether vertices and faces come curve by curve; else copy by copy.
        round: Whether the last copy meets the first one.
        flipped: Whether faces look to the other side.
    """

    lines: list[Outline]
    regions: list[Region]
    copies: F64
    by_curve: bool = False
    round: bool = False
    flipped: bool = False

    def mesh(self, skin: Skin, flat: tuple[F64, F64] | None = None) -> Mesh:
        """Return the surface.

        Args:
            skin: Ends, groups, ids and map.
            flat: (4, 4) row-vector matrices that lay both ends flat, for their coordinates;
                ``None`` where they are.

        Raises:
            NotSupportedError: The ends cannot be filled.
        """
        steps = len(self.copies) if self.round else len(self.copies) - 1
        curve, piece, following = _pieces(self.lines)
        sizes = np.array([len(line.points) for line in self.lines])
        place = _numbers(sizes, len(self.copies), by_curve=self.by_curve)
        begin = np.cumsum(sizes) - sizes
        first, second = begin[curve] + piece, begin[curve] + following
        low, high = place[np.arange(steps)], place[(np.arange(steps) + 1) % len(self.copies)]
        order = self._order(steps, curve)
        faces = self._quads(low[:, first], low[:, second], high[:, first], high[:, second], order)
        # The diagonal is the first side of the second triangle, or the last one.
        pair = (_LAST_TWO, _FIRST_TWO) if self.flipped else (_FIRST_TWO, _LAST_TWO)
        flags = np.tile(pair, len(faces) // 2)
        own = np.repeat(np.tile(np.arange(len(curve)), steps)[order], 2)
        groups = side_groups(self.lines)[own] if skin.smooth else np.zeros(len(own), np.int64)
        ids = np.full(len(own), _SIDE)
        if skin.shape_ids:
            ids = np.concatenate(
                [line.material_ids[: _count(line)].astype(np.int64) for line in self.lines]
            )[own]
        parts = [(faces, flags, groups, ids if skin.ids else 0 * own)]
        ends = [] if self.round or not self.regions else self._ends(skin, place)
        parts += [end[1] for end in ends]
        face, flag, group, material = (np.concatenate(rows) for rows in zip(*parts, strict=True))
        positions = np.empty((place.size, 3))
        positions[place] = self.copies
        maps: dict[int, tuple[npt.ArrayLike, npt.ArrayLike]] = {}
        if skin.mapped:
            coordinates, map_faces = self._side_map(steps, curve, piece, order)
            for last, (faces, *_) in ends:
                rows, used = _flat_map(positions, faces, None if flat is None else flat[last])
                map_faces = np.concatenate([map_faces, used + len(coordinates)])
                coordinates = np.concatenate([coordinates, rows])
            maps[1] = coordinates, map_faces
        return Mesh.of_triangles(
            positions,
            face,
            smoothing=group.astype(np.uint32),
            material_ids=material,
            edge_flags=flag,
            maps=maps,
        )

    def _order(self, steps: int, curve: I64) -> I64:
        """Return the order of quads, which are numbered step by step."""
        if not self.by_curve:
            return np.arange(steps * len(curve))
        return np.argsort(np.tile(curve, steps), kind="stable")

    def _quads(self, a: I64, b: I64, c: I64, d: I64, order: I64) -> I64:
        """Return two triangles for each quad from ``a`` to ``b``, ``c`` above ``a``."""
        corners = (a, d, b, a, c, d) if self.flipped else (a, b, d, a, d, c)
        found: I64 = np.stack(corners, axis=-1).reshape(-1, 6)[order].reshape(-1, 3)
        return found

    def _ends(self, skin: Skin, place: I64) -> list[tuple[int, tuple[I64, I64, I64, I64]]]:
        """Return for each end that is closed which one it is, and its faces."""
        out = []
        caps, flags = cap_faces(self.lines, self.regions)
        # Seen from behind; the sides 0-1 and 1-2 change places.
        behind = (flags & 4) | ((flags & 1) << 1) | ((flags & 2) >> 1)
        for last, wanted in enumerate((skin.start, skin.end)):
            if not wanted:
                continue
            front = bool(last) != self.flipped
            faces = place[-1 if last else 0][caps if front else caps[:, ::-1]]
            group = np.full(len(faces), _CAP_GROUP if skin.smooth else 0)
            ids = np.full(len(faces), (_END if last else _START) if skin.ids else 0)
            out.append((last, (faces, flags if front else behind, group, ids)))
        return out

    def _side_map(self, steps: int, curve: I64, piece: I64, order: I64) -> tuple[F64, I64]:
        """Return map vertices, u along the curves and v along the copies, and faces."""
        along = [_along(line) for line in self.lines]
        sizes = np.array([len(u) for u in along])
        place = _numbers(sizes, steps + 1, by_curve=self.by_curve)
        rows = np.zeros((place.size, 3))
        rows[place, 0] = np.concatenate(along)
        rows[place, 1] = (np.arange(steps + 1) / steps)[:, None]
        first = (np.cumsum(sizes) - sizes)[curve] + piece
        low, high = place[:-1], place[1:]
        faces = self._quads(
            low[:, first], low[:, first + 1], high[:, first], high[:, first + 1], order
        )
        return rows, faces


def _count(line: Outline) -> int:
    return len(line.points) if line.closed else len(line.points) - 1


def _pieces(lines: list[Outline]) -> tuple[I64, I64, I64]:
    """Return for each piece its curve, and which of its points it joins."""
    counts = np.array([_count(line) for line in lines])
    curve = np.repeat(np.arange(len(lines)), counts)
    piece = np.arange(len(curve)) - np.repeat(np.cumsum(counts) - counts, counts)
    sizes = np.array([len(line.points) for line in lines])
    return curve, piece, (piece + 1) % sizes[curve]


def _numbers(sizes: I64, copies: int, *, by_curve: bool) -> I64:
    """Return the number of each point of each copy, (copies, points)."""
    total = int(sizes.sum())
    rows = np.arange(copies)[:, None]
    if not by_curve:
        return rows * total + np.arange(total)
    size = np.repeat(sizes, sizes)
    begin = np.repeat(np.cumsum(sizes) - sizes, sizes)
    out: I64 = begin * copies + rows * size + (np.arange(total) - begin)
    return out


def _along(line: Outline) -> F64:
    """Return how far along a curve its points are, 0 to 1; closed ones have the first twice."""
    points = np.concatenate([line.points, line.points[:1]]) if line.closed else line.points
    run = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    out: F64 = run / run[-1] if run[-1] > 0 else run
    out[-1] = 1.0
    return out


def _flat_map(positions: F64, faces: I64, matrix: F64 | None) -> tuple[F64, I64]:
    """Return coordinates over the box of an end, and its map faces."""
    used, numbers = np.unique(faces, return_inverse=True)
    points = positions[used]
    if matrix is not None:
        points = points @ matrix[:3, :3] + matrix[3, :3]
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    rows = np.divide(points - low, size, out=np.zeros_like(points), where=size > 0)
    rows[:, 2] = 0.0
    return rows, numbers.reshape(faces.shape)


def side_groups(lines: list[Outline]) -> I64:
    """Return the smoothing groups of the pieces of curves, curve behind curve.

    The first piece has the first group; behind it the second and third take turns, another one
    behind each corner.  Where there is none, the pieces on both sides of the first have its group,
    too.
    """
    out: list[I64] = []
    for line in lines:
        count = _count(line)
        corner = line.corners[:count].astype(np.int64)
        corner[:1] = 0
        groups = np.left_shift(1, 1 + np.cumsum(corner) % 2)
        groups[0] = 1
        if count > 1 and not line.corners[1]:
            groups[1] |= 1
        if not line.corners[0]:
            groups[-1] |= 1
        out.append(groups)
    return np.concatenate(out)
