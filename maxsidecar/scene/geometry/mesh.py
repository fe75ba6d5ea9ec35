"""The neutral mesh record: polygons, their triangles, map channels, normals.

Everything is a flat numpy array over *corners*: a corner is one polygon's use of one vertex.
Polygon ``i`` has the corners ``starts[i]`` to ``starts[i + 1]``, counter-clockwise seen from
outside.  A map channel has its own vertices and one index for each corner, in the same order, so
one corner number says vertex, texture coordinate, colour and normal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = [
    "ALPHA",
    "COLOR",
    "ILLUMINATION",
    "Edges",
    "ExplicitNormals",
    "MapChannel",
    "Mesh",
    "Selection",
]

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U32 = npt.NDArray[np.uint32]
Bits = npt.NDArray[np.bool_]

#: Numbers of the map channels that hold no texture coordinates.
COLOR: Final = 0
ILLUMINATION: Final = -1
ALPHA: Final = -2


@dataclass(slots=True)
class MapChannel:
    """Texture coordinates, or colours, with faces of their own.

    Attributes:
        vertices: (m, 3) float32: u, v, w, or red, green, blue from 0 to 1; alpha and illumination
            have the same number three times.
        corners: (c,) int32: for each corner of the mesh an index into ``vertices``.
    """

    vertices: F32
    corners: I32


@dataclass(slots=True)
class ExplicitNormals:
    """Normals that somebody set, in object space.

    Attributes:
        vectors: (n, 3) float32, of length 1.
        corners: (c,) int32: for each corner of the mesh an index into ``vectors``, -1 where the
            smoothing groups decide.
    """

    vectors: F32
    corners: I32


@dataclass(slots=True)
class Edges:
    """Edges in the order that a polygon mesh stores them, which subdivision depends on.

    Attributes:
        vertices: (e, 2) int32.
        crease: (e,) float32 from 0 to 1, or ``None`` for 0 everywhere.
    """

    vertices: I32
    crease: F32 | None = None


@dataclass(slots=True)
class Selection:
    """What is selected in a mesh, for modifiers that work on the selection.

    Attributes:
        level: ``"object"``, ``"vertex"``, ``"edge"`` or ``"face"``.
        vertices: (v,) bool, or ``None`` for nothing.
        polygons: (p,) bool, or ``None``.
        corners: (c,) bool: the edge from the corner to the next one, or ``None``.
        weights: (v,) float32 from 0 to 1: soft selection, or ``None``.
    """

    level: str = "object"
    vertices: Bits | None = None
    polygons: Bits | None = None
    corners: Bits | None = None
    weights: F32 | None = None


@dataclass(slots=True)
class Mesh:
    """A mesh in object space, in units of the scene, Z up.

    Attributes:
        positions: (v, 3) float32.
        corners: (c,) int32: vertex of each corner, polygon after polygon.
        starts: (p + 1,) int32: first corner of each polygon, and ``c`` at the end.
        material_ids: (p,) int32, from 0.
        smoothing: (p,) uint32: smoothing groups, one bit each; 0 is flat.
        edge_visible: (c,) bool: whether the edge from this corner to the next one is shown.
        triangles: (t, 3) int32: *corner* numbers of the triangles that 3ds Max makes of the
            polygons, in its order and with its first corner.
        triangle_polygons: (t,) int32: polygon of each triangle, ascending.
        maps: Map channels by number: 0 colour, from 1 texture coordinates, -1 illumination,
            -2 alpha.  Map channels that are absent have no coordinates.
        normals: Explicit normals, or ``None``.
        edges: Edge list of a polygon mesh, or ``None`` for a mesh of triangles.
        selection: What is selected.
        is_polygons: Whether 3ds Max keeps it as a polygon mesh; else it is a triangle mesh, each
            polygon has three corners, and hidden edges join triangles to faces.
    """

    positions: F32
    corners: I32
    starts: I32
    material_ids: I32
    smoothing: U32
    edge_visible: Bits
    triangles: I32
    triangle_polygons: I32
    maps: dict[int, MapChannel] = field(default_factory=dict)
    normals: ExplicitNormals | None = None
    edges: Edges | None = None
    selection: Selection = field(default_factory=Selection)
    is_polygons: bool = False

    @classmethod
    def of_triangles(
        cls,
        positions: npt.ArrayLike,
        faces: npt.ArrayLike,
        *,
        smoothing: npt.ArrayLike | int = 0,
        material_ids: npt.ArrayLike | int = 0,
        edge_flags: npt.ArrayLike | int = 7,
        maps: dict[int, tuple[npt.ArrayLike, npt.ArrayLike]] | None = None,
    ) -> Mesh:
        """Return a triangle mesh.

        Args:
            positions: (v, 3).
            faces: (t, 3): vertices, counter-clockwise seen from outside.
            smoothing: (t,) or one number for all.
            material_ids: (t,) or one number for all.
            edge_flags: (t,) or one number: bit 0 shows the edge from corner 0 to 1, bit 1 from 1
                to 2, bit 2 from 2 to 0.
            maps: By channel the map vertices (m, 3) and map faces (t, 3).
        """
        face = np.ascontiguousarray(faces, np.int32).reshape(-1, 3)
        count = len(face)
        flags = np.broadcast_to(np.asarray(edge_flags, np.uint32), (count,))
        visible = (flags[:, None] >> np.arange(3, dtype=np.uint32)) & 1
        triangles = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
        return cls(
            positions=np.ascontiguousarray(positions, np.float32).reshape(-1, 3),
            corners=face.reshape(-1),
            starts=np.arange(0, 3 * count + 1, 3, dtype=np.int32),
            material_ids=np.broadcast_to(np.asarray(material_ids, np.int32), (count,)).copy(),
            smoothing=np.broadcast_to(np.asarray(smoothing, np.uint32), (count,)).copy(),
            edge_visible=visible.astype(bool).reshape(-1),
            triangles=triangles,
            triangle_polygons=np.arange(count, dtype=np.int32),
            maps={
                channel: MapChannel(
                    np.ascontiguousarray(vertices, np.float32).reshape(-1, 3),
                    np.ascontiguousarray(corners, np.int32).reshape(-1),
                )
                for channel, (vertices, corners) in (maps or {}).items()
            },
        )

    @property
    def polygon_count(self) -> int:
        """Number of polygons."""
        return len(self.starts) - 1

    @property
    def degrees(self) -> I32:
        """(p,) int32: number of corners of each polygon."""
        return np.diff(self.starts)

    @property
    def corner_polygons(self) -> I32:
        """(c,) int32: polygon of each corner."""
        return np.repeat(np.arange(self.polygon_count, dtype=np.int32), self.degrees)

    @property
    def next_corners(self) -> I32:
        """(c,) int32: the corner behind each one, around its polygon."""
        following = np.arange(1, len(self.corners) + 1, dtype=np.int32)
        filled = self.degrees > 0
        following[self.starts[1:][filled] - 1] = self.starts[:-1][filled]
        return following

    @property
    def faces(self) -> I32:
        """(t, 3) int32: vertices of the triangles."""
        return self.corners[self.triangles]

    def with_positions(self, positions: F32) -> Mesh:
        """Return the mesh with its vertices elsewhere; the other arrays are shared.

        Explicit normals are dropped, since they belong to the old shape.
        """
        return replace(self, positions=np.ascontiguousarray(positions, np.float32), normals=None)
