"""Meshes of exports, however they are stored: polygons, and the space that they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from tests.support.mesh_compare import Corners

Array: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

#: ``object``: as 3ds Max evaluates it; ``node``: with the object offset; ``world``: in place.
Space: TypeAlias = Literal["object", "node", "world"]


@dataclass(eq=False)
class Exported:
    """A mesh of an export.

    Attributes:
        name: Name of its node there.
        space: The space of the positions.
        positions: (v, 3), Z up.
        corners: (c,) vertices, polygon after polygon.
        starts: (p + 1,) first corner of each polygon, and ``c``.
        normals: (c, 3), or ``None`` where the format has none.
        coordinates: (c, 2) with v upwards, or ``None``.
        frame: Frame that it was exported at, where the format says so.
        decimals: Decimals that numbers are printed with; ``None`` for binary ones.
        bones: World matrices of the export's nodes by name, (4, 4) of row vectors, Z up, where
            a skinned mesh is stored as these bend it.
        bone_count: How many of them pull at a vertex at most.
    """

    name: str
    space: Space
    positions: Array
    corners: Ints
    starts: Ints
    normals: Array | None = None
    coordinates: Array | None = None
    frame: int | None = None
    decimals: int | None = None
    bones: dict[str, Array] | None = None
    bone_count: int = 0

    @property
    def triangle_count(self) -> int:
        """Triangles that its polygons come to."""
        return int((np.diff(self.starts) - 2).sum())

    def triangles(self, mesh: Mesh) -> Corners:
        """Return its triangles; its polygons have no diagonals, so they are those of ``mesh``.

        Where the polygons of ``mesh`` are others, each is cut from its first corner.
        """
        order = mesh.triangles.astype(np.int64)
        if not (
            np.array_equal(self.starts, mesh.starts) and np.array_equal(self.corners, mesh.corners)
        ):
            sizes = np.diff(self.starts) - 2
            first = np.repeat(self.starts[:-1], sizes)
            step = np.arange(len(first)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            order = np.stack([first, first + step + 1, first + step + 2], axis=1)
        normals = np.full((len(self.corners), 3), np.nan) if self.normals is None else self.normals
        uv = None if self.coordinates is None else self.coordinates[order]
        return Corners(self.positions[self.corners[order]], normals[order], uv)


def of_triangles(name: str, space: Space, corners: Corners, **more: Any) -> Exported:
    """Return a mesh of which the triangles are known only."""
    count = 3 * len(corners.positions)
    uv = corners.coordinates
    return Exported(
        name,
        space,
        corners.positions.reshape(-1, 3),
        np.arange(count),
        np.arange(0, count + 1, 3),
        corners.normals.reshape(-1, 3),
        None if uv is None else uv.reshape(-1, uv.shape[-1])[:, :2],
        **more,
    )
