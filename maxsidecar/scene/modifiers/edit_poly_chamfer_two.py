"""Edit Poly: chamfers of two segments, made of one (docs/format/edit-poly.md, section 3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.modifiers.edit_poly_work import Faces, PolyWork

__all__ = ["Chamfer", "divide"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]

_UNPROVED: Final = "no file proves how the faces beside chamfers of two segments are divided"
#: Corners of the face of a vertex.
_CORNERS: Final = 3


@dataclass(frozen=True, slots=True)
class Chamfer:
    """A chamfer of one segment.

    Attributes:
        kept: The old faces.
        at_vertices: A face for each vertex with three new ones, whose first corner is the one
            that kept the old number; the sides lie on gaps.
        at_edges: For each chamfered edge (a on the first face, a on the second, b on the second, b
            on the first).
        gaps: (g,) edges between the new vertices of a vertex, in the order of their numbers.
        starts: (g,) new vertex where each begins.
        ends: (g,) and where it ends.
        edges: Number of edges before.
        tops: (g, 3) where the vertex was, for gaps of vertices with two new ones; else not finite.
    """

    kept: Faces
    at_vertices: Faces
    at_edges: Faces
    gaps: Ints
    starts: Ints
    ends: Ints
    edges: int
    tops: F64


def divide(work: PolyWork, chamfer: Chamfer) -> Faces:
    """Return the faces of a chamfer of two segments.

    Args:
        work: The mesh; the new vertices of one segment are where they belong.
        chamfer: That of one segment.

    Raises:
        NotSupportedError: A vertex has more than three new ones.
    """
    if np.any(chamfer.at_vertices.degrees != _CORNERS):
        raise NotSupportedError("chamfers of 2 segments at a vertex with more than four edges")
    points = work.positions.astype(np.float64)
    middle = (points[chamfer.starts] + points[chamfer.ends]) / 2
    round_ = np.isfinite(chamfer.tops).all(axis=1)
    middle[round_] = (middle[round_] + chamfer.tops[round_]) / 2
    mids = np.full(int(chamfer.gaps.max(initial=-1)) + 1, -1, np.int64)
    mids[chamfer.gaps] = work.new_vertices(middle)
    halves = np.full((len(mids), 2), -1, np.int64)
    halves[chamfer.gaps, 0] = chamfer.gaps
    halves[chamfer.gaps, 1] = work.new_edges(len(chamfer.gaps), known=True)
    work.unsure[chamfer.edges :] = False
    begins = np.full(len(mids), -1, np.int64)
    begins[chamfer.gaps] = chamfer.starts
    sides = _Sides(mids, halves, begins)
    kept = _with_middles(work, chamfer.kept, sides)
    corners, more_corners = _at_vertices(work, chamfer.at_vertices, sides)
    rows, more_rows = _at_edges(work, chamfer.at_edges, sides)
    work.notes[_UNPROVED] = None
    return Faces.joined([kept, corners, rows, more_corners, more_rows])


@dataclass(frozen=True, slots=True)
class _Sides:
    """What became of gaps, by their numbers: middle vertex, both halves, vertex of the first."""

    mids: Ints
    halves: Ints
    begins: Ints

    def divided(self, sides: Ints) -> Bits:
        """Return which edges are gaps."""
        inside = sides < len(self.mids)
        out: Bits = inside & (self.mids[np.where(inside, sides, 0)] >= 0)
        return out

    def both(self, sides: Ints, corners: Ints) -> tuple[Ints, Ints]:
        """Return the half at the corner where a side begins, and the other one."""
        turned = (self.begins[sides] != corners).astype(np.int64)
        return self.halves[sides, turned], self.halves[sides, 1 - turned]


def _middle_maps(work: PolyWork, faces: Faces, one: Ints, other: Ints) -> dict[int, Ints]:
    """Return new map vertices between corners of a face."""
    return {
        key: work.new_map_vertices(
            key,
            (work.maps[key][values[one]].astype(np.float64) + work.maps[key][values[other]]) / 2,
        )
        for key, values in faces.maps.items()
    }


def _with_middles(work: PolyWork, faces: Faces, sides: _Sides) -> Faces:
    """Return old faces with the middles of the gaps at their sides."""
    cut = sides.divided(faces.sides)
    if not cut.any():
        return faces
    rows = np.repeat(np.arange(len(cut)), 1 + cut)
    second = np.zeros(len(rows), np.bool_)
    second[(np.cumsum(1 + cut) - 1)[cut]] = True
    at = np.nonzero(cut)[0]
    near, far = sides.both(faces.sides[at], faces.corners[at])
    corners, edges = faces.corners[rows], faces.sides[rows]
    corners[second] = sides.mids[faces.sides[at]]
    edges[second] = far
    edges[np.nonzero(second)[0] - 1] = near
    maps = {key: values[rows] for key, values in faces.maps.items()}
    for key, fresh in _middle_maps(work, faces, at, faces.following[at]).items():
        maps[key][second] = fresh
    degrees = faces.degrees + np.bincount(faces.owner[at], minlength=len(faces.degrees))
    new = replace(
        faces,
        degrees=degrees,
        corners=corners,
        sides=edges,
        visible=faces.visible[rows],
        maps=maps,
    )
    anew = work.cut_anew(new)
    same = degrees == faces.degrees
    counts = np.maximum(degrees - 3, 0)
    anew.diagonals[np.repeat(same, counts)] = faces.diagonals[
        np.repeat(same, np.maximum(faces.degrees - 3, 0))
    ]
    return anew


def _like(faces: Faces, degrees: list[int], corners: Ints, edges: Ints, maps: dict[int, Ints],
          repeat: int) -> Faces:  # fmt: skip
    """Return faces of some degrees for each of others, quads cut from their first corner."""
    count = len(faces.degrees)
    all_degrees = np.tile(np.array(degrees, np.int64), count)
    quads = int(np.count_nonzero(all_degrees == 4))
    return Faces(
        all_degrees,
        corners.reshape(-1),
        edges.reshape(-1),
        np.ones(corners.size, np.bool_),
        {key: values.reshape(-1) for key, values in maps.items()},
        np.repeat(faces.materials, repeat),
        np.repeat(faces.smoothing, repeat),
        np.tile(np.array([[0, 2]], np.int64), (quads, 1)),
    )


def _at_vertices(work: PolyWork, faces: Faces, sides: _Sides) -> tuple[Faces, Faces]:
    """Return the first of four parts of the triangles at vertices, and the others.

    The middle of a triangle is half way between the first corner and the middle of the side
    across, where the chamfered edge begins.
    """
    count = len(faces.degrees)
    ring = np.arange(count * _CORNERS).reshape(count, _CORNERS)
    c, g = faces.corners[ring], faces.sides[ring]
    m = sides.mids[g]
    near, far = sides.both(g.reshape(-1), c.reshape(-1))
    near, far = near.reshape(c.shape), far.reshape(c.shape)
    points = work.positions.astype(np.float64)
    centre = work.new_vertices((points[m[:, 0]] + points[m[:, 2]]) / 2)
    spokes = work.new_edges(4 * count).reshape(count, 4)  # to c0, m0, m1, m2
    maps, more_maps = {}, {}
    after = np.roll(ring, -1, axis=1).reshape(-1)
    middles = _middle_maps(work, faces, ring.reshape(-1), after)
    for key, values in faces.maps.items():
        own, between = values[ring], middles[key].reshape(ring.shape)
        known = work.maps[key].astype(np.float64)
        inner = work.new_map_vertices(key, (known[between[:, 0]] + known[between[:, 2]]) / 2)
        maps[key] = np.stack([own[:, 0], inner, between[:, 2]], axis=1)
        more_maps[key] = _parts(own, between, inner)
    edges = np.stack([spokes[:, 0], spokes[:, 3], far[:, 2]], axis=1)
    first = np.stack([c[:, 0], centre, m[:, 2]], axis=1)
    more_edges = np.stack(
        [
            near[:, 0], spokes[:, 1], spokes[:, 0],
            far[:, 0], near[:, 1], spokes[:, 2], spokes[:, 1],
            spokes[:, 2], far[:, 1], near[:, 2], spokes[:, 3],
        ],
        axis=1,
    )  # fmt: skip
    return (
        _like(faces, [3], first, edges, maps, 1),
        _like(faces, [3, 4, 4], _parts(c, m, centre), more_edges, more_maps, 3),
    )


def _parts(c: Ints, m: Ints, centre: Ints) -> Ints:
    """Return the corners of the second to the fourth part of triangles."""
    return np.stack(
        [
            c[:, 0], m[:, 0], centre,
            m[:, 0], c[:, 1], m[:, 1], centre,
            centre, m[:, 1], c[:, 2], m[:, 2],
        ],
        axis=1,
    )  # fmt: skip


def _at_edges(work: PolyWork, faces: Faces, sides: _Sides) -> tuple[Faces, Faces]:
    """Return the half of each quad on the first face, and the other one."""
    ring = np.arange(4 * len(faces.degrees)).reshape(-1, 4)
    c, g = faces.corners[ring], faces.sides[ring]
    a, b = sides.mids[g[:, 0]], sides.mids[g[:, 2]]
    a_near, a_far = sides.both(g[:, 0], c[:, 0])
    b_near, b_far = sides.both(g[:, 2], c[:, 2])
    across = work.new_edges(len(c))
    first = np.stack([c[:, 0], a, b, c[:, 3]], axis=1)
    second = np.stack([a, c[:, 1], c[:, 2], b], axis=1)
    edges = np.stack([a_near, across, b_far, g[:, 3]], axis=1)
    more_edges = np.stack([a_far, g[:, 1], b_near, across], axis=1)
    maps, more_maps = {}, {}
    at_a = _middle_maps(work, faces, ring[:, 0], ring[:, 1])
    at_b = _middle_maps(work, faces, ring[:, 2], ring[:, 3])
    for key, values in faces.maps.items():
        own = values[ring]
        maps[key] = np.stack([own[:, 0], at_a[key], at_b[key], own[:, 3]], axis=1)
        more_maps[key] = np.stack([at_a[key], own[:, 1], own[:, 2], at_b[key]], axis=1)
    return _like(faces, [4], first, edges, maps, 1), _like(
        faces, [4], second, more_edges, more_maps, 1
    )
