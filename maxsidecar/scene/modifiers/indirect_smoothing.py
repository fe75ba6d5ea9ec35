"""Smoothing groups that keep faces apart that are smooth by way of others only.

(Measured, docs/format/modifiers.md section 10: two rendered shapes in a .3ds export and a skinned
mesh in a .pod export.  Which group 3ds Max takes next is known in part.)
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.stored.walk import ragged_index

__all__ = ["MOST_AROUND", "keep_apart"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
U32: TypeAlias = npt.NDArray[np.uint32]

#: Faces around one vertex that are looked at; where there are more, edges alone decide.
MOST_AROUND: Final = 64
_GROUPS: Final = 32
#: Faces that are done at most, some seconds of work.
_MOST_FACES: Final = 50_000
#: Pairs of faces that are looked at together.
_BLOCK: Final = 1 << 20


def keep_apart(mesh: Mesh, normals: F64, cosine: float, groups: U32) -> U32:
    """Return groups so that faces share one where they touch at a small angle, and only there.

    Face after face loses the groups that it shares with faces that it touches, at an edge or a
    vertex, at a larger angle.  With each one that it touches at a smaller angle and shares none any
    more, it gets the lowest group that none of the faces has that either must be apart from.

    Args:
        mesh: The mesh.
        normals: (p, 3) face normals of length 1.
        cosine: Of the largest angle between smooth faces.
        groups: (p,) groups of sets of faces that hang together.

    Returns:
        (p,) groups.  Of very many faces that need others the first ones get them.
    """
    around = _Around(mesh, normals, cosine)
    clashes = around.clashes(groups)[:_MOST_FACES]
    near, far = around.touching(clashes)
    out: list[int] = groups.tolist()
    for face in clashes.tolist():
        taken = 0
        for rival in far[face]:
            taken |= out[rival]
        mine = out[face] & ~taken
        for other in near[face]:
            if out[other] & mine:
                continue
            used = taken
            for rival in far.get(other, ()):
                used |= out[rival]
            free = ~used & (used + 1)
            if free < 1 << _GROUPS:
                mine |= free
                out[other] |= free
        out[face] = mine
    return np.array(out, np.uint32)


class _Around:
    """Which faces touch each other at vertices."""

    def __init__(self, mesh: Mesh, normals: F64, cosine: float) -> None:
        self._mesh, self._normals, self._cosine = mesh, normals, cosine
        faces = mesh.corner_polygons.astype(np.int64)
        order = np.argsort(mesh.corners, kind="stable")
        self._faces = faces[order]
        self._counts = np.bincount(mesh.corners, minlength=len(mesh.positions))
        self._starts = np.cumsum(self._counts) - self._counts

    def clashes(self, groups: U32) -> Ints:
        """Return the faces that share a group with one that they touch at a larger angle."""
        found = np.zeros(self._mesh.polygon_count, np.bool_)
        for count in np.flatnonzero(np.bincount(self._counts)).tolist():
            if not 1 < count <= MOST_AROUND:
                continue
            vertices = np.flatnonzero(self._counts == count)
            step = max(1, _BLOCK // (count * count))
            for at in range(0, len(vertices), step):
                starts = self._starts[vertices[at : at + step]]
                rows = self._faces[starts[:, None] + np.arange(count)]
                normals = self._normals[rows]
                far = np.einsum("vik,vjk->vij", normals, normals) <= self._cosine
                far &= rows[:, :, None] != rows[:, None, :]
                far &= (groups[rows][:, :, None] & groups[rows][:, None, :]) != 0
                found[rows[far.any(axis=2)]] = True
        return np.flatnonzero(found)

    def touching(self, faces: Ints) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Return what some faces touch at a small angle, from the highest number down.

        Also what they, and those that they touch so, touch at a larger one.
        """
        near = self._pairs(faces, far=False)
        both = np.union1d(faces, near[1])
        return _lists(*near), _lists(*self._pairs(both, far=True))

    def _pairs(self, faces: Ints, *, far: bool) -> tuple[Ints, Ints]:
        """Return each pair of one of some faces with one that it touches, sorted."""
        mesh = self._mesh
        degrees = mesh.degrees[faces].astype(np.int64)
        vertices = mesh.corners[ragged_index(mesh.starts[faces].astype(np.int64), degrees)]
        own = np.repeat(faces, degrees)
        usual = self._counts[vertices] <= MOST_AROUND
        vertices, own = vertices[usual], own[usual]
        counts = self._counts[vertices]
        others = self._faces[ragged_index(self._starts[vertices], counts)]
        keys = np.unique(np.repeat(own, counts) * mesh.polygon_count + others)
        one, other = keys // mesh.polygon_count, keys % mesh.polygon_count
        chosen = np.zeros(len(keys), np.bool_)
        for at in range(0, len(keys), _BLOCK):
            part = slice(at, at + _BLOCK)
            cosine = np.einsum("ij,ij->i", self._normals[one[part]], self._normals[other[part]])
            chosen[part] = (cosine <= self._cosine) if far else (cosine > self._cosine)
        chosen &= one != other
        return one[chosen], other[chosen]


def _lists(one: Ints, other: Ints) -> dict[int, list[int]]:
    """Return the second ones of sorted pairs by the first, descending; none for what is missing."""
    out: dict[int, list[int]] = defaultdict(list)
    starts = np.flatnonzero(np.diff(one, prepend=-1))
    for first, part in zip(one[starts].tolist(), np.split(other, starts[1:]), strict=False):
        out[first] = part[::-1].tolist()
    return out
