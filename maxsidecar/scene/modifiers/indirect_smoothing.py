"""Smoothing groups that keep faces apart that are smooth by way of others only.

(Measured, docs/format/modifiers.md section 10: two rendered shapes in a .3ds export and a skinned
mesh in a .pod export.  Which group 3ds Max takes next is known in part.)
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["MOST_AROUND", "keep_apart"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
U32: TypeAlias = npt.NDArray[np.uint32]

#: Faces around one vertex that are looked at; where there are more, edges alone decide.
MOST_AROUND: Final = 64
_GROUPS: Final = 32
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
    """
    around = _Around(mesh, normals, cosine)
    out = groups.copy()
    for face in around.clashes(groups).tolist():
        near, far = around.touching(face)
        taken = int(np.bitwise_or.reduce(out[far], initial=0))
        out[face] &= ~taken & 0xFFFFFFFF
        for other in near[(out[near] & out[face]) == 0][::-1].tolist():
            if out[face] & out[other]:
                continue
            rivals = around.touching(other)[1]
            used = taken | int(np.bitwise_or.reduce(out[rivals], initial=0))
            free = ~used & (used + 1)
            if free < 1 << _GROUPS:
                out[face] |= free
                out[other] |= free
    return out


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

    def touching(self, face: int) -> tuple[Ints, Ints]:
        """Return the faces that a face touches at a small angle, and at a larger one, ascending."""
        mesh = self._mesh
        corners = mesh.corners[mesh.starts[face] : mesh.starts[face + 1]]
        parts = [
            self._faces[start : start + count]
            for start, count in zip(
                self._starts[corners].tolist(), self._counts[corners].tolist(), strict=True
            )
            if count <= MOST_AROUND
        ]
        others = np.unique(np.concatenate([np.zeros(0, np.int64), *parts]))
        others = others[others != face]
        near = self._normals[others] @ self._normals[face] > self._cosine
        return others[near], others[~near]
