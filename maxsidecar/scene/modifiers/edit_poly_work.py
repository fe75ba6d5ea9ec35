"""A polygon mesh that operations change: faces with numbered edges, and what lies on corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.pipeline import NotSupportedError
from maxsidecar.scene.geometry.polygons import polygon_mesh
from maxsidecar.scene.geometry.stored.walk import ragged_index
from maxsidecar.scene.geometry.triangulate import default_diagonals, diagonals_of

__all__ = ["NEW_MAPS", "Faces", "PolyWork"]

F32: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]
U32: TypeAlias = npt.NDArray[np.uint32]
Bits: TypeAlias = npt.NDArray[np.bool_]

#: What every operation notes that makes faces where the mesh has texture coordinates.
NEW_MAPS: Final = "no file proves the texture coordinates of new faces"
#: Most corners and edges that all operations of one Edit Poly look at, each time counted: a file of
#: a few bytes could keep a computer busy for hours.  Stacks of hundreds of operations on meshes of
#: a hundred thousand corners stay below.
_MOST_STEPS: Final = 300_000_000


@dataclass(slots=True)
class Faces:
    """Some faces, one behind the other.

    Attributes:
        degrees: (p,) number of corners of each.
        corners: (c,) vertex of each corner.
        sides: (c,) edge from each corner to the next one.
        visible: (c,) whether that edge is shown.
        maps: By channel (c,) map vertex of each corner.
        materials: (p,) material ids.
        smoothing: (p,) smoothing groups.
        diagonals: (d, 2) local corners, three less than corners for each face of four or more.
    """

    degrees: Ints
    corners: Ints
    sides: Ints
    visible: Bits
    maps: dict[int, Ints]
    materials: Ints
    smoothing: U32
    diagonals: Ints

    @property
    def starts(self) -> Ints:
        """(p + 1,) first corner of each face."""
        return np.append(0, np.cumsum(self.degrees))

    @property
    def owner(self) -> Ints:
        """(c,) face of each corner."""
        return np.repeat(np.arange(len(self.degrees), dtype=np.int64), self.degrees)

    @property
    def following(self) -> Ints:
        """(c,) the next corner of the face."""
        after = np.arange(1, len(self.corners) + 1, dtype=np.int64)
        starts = self.starts
        filled = self.degrees > 0
        after[starts[1:][filled] - 1] = starts[:-1][filled]
        return after

    @property
    def previous(self) -> Ints:
        """(c,) the corner before, in the face."""
        out = np.empty(len(self.corners), np.int64)
        out[self.following] = np.arange(len(out))
        return out

    def take(self, faces: npt.NDArray[Any]) -> Faces:
        """Return some of the faces, by numbers or by bools."""
        chosen = np.nonzero(faces)[0] if faces.dtype == np.bool_ else faces
        degrees = self.degrees[chosen]
        rows = ragged_index(self.starts[:-1][chosen], degrees)
        counts = np.maximum(self.degrees - 3, 0)
        pairs = ragged_index((np.cumsum(counts) - counts)[chosen], counts[chosen])
        return Faces(
            degrees,
            self.corners[rows],
            self.sides[rows],
            self.visible[rows],
            {key: values[rows] for key, values in self.maps.items()},
            self.materials[chosen],
            self.smoothing[chosen],
            self.diagonals[pairs],
        )

    @staticmethod
    def joined(parts: Sequence[Faces]) -> Faces:
        """Return the faces of several sets, which have the same map channels."""

        def whole(name: str) -> npt.NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        return Faces(
            whole("degrees"),
            whole("corners"),
            whole("sides"),
            whole("visible"),
            {key: np.concatenate([part.maps[key] for part in parts]) for key in parts[0].maps},
            whole("materials"),
            whole("smoothing"),
            whole("diagonals"),
        )


@dataclass(slots=True)
class PolyWork:
    """The mesh between two operations.

    Attributes:
        positions: (v, 3).
        faces: Its faces.
        ends: (e, 2) vertices of the edges.
        crease: (e,) or ``None``.
        maps: Map vertices by channel.
        slots: (p,) numbers of the faces where there are dead ones among them, else ``None``.
        dead: Number of dead faces, which selections still count.
        unsure: (e,) edges that have numbers that no file proves.
        notes: What is not exactly as in 3ds Max.
        steps: How many corners and edges operations have looked at so far.
    """

    positions: F32
    faces: Faces
    ends: Ints
    crease: F32 | None
    maps: dict[int, F32]
    slots: Ints | None = None
    dead: int = 0
    unsure: Bits = field(default_factory=lambda: np.zeros(0, np.bool_))
    notes: dict[str, None] = field(default_factory=dict)
    steps: int = 0

    @classmethod
    def of(cls, mesh: Mesh) -> PolyWork:
        """Return a mesh in this form.

        Args:
            mesh: A polygon mesh.
        """
        edges = edge_list(mesh)
        sides = edges.of_corner.astype(np.int64)
        ends = edges.vertices.astype(np.int64)
        crease = None if mesh.edges is None else mesh.edges.crease
        missing = sides < 0
        if missing.any():  # a damaged list: all edges anew
            edges = edge_list(replace(mesh, edges=None))
            sides, ends = edges.of_corner.astype(np.int64), edges.vertices.astype(np.int64)
            crease = None
        diagonals, _ = diagonals_of(mesh.starts, mesh.triangles, mesh.triangle_polygons)
        faces = Faces(
            mesh.degrees.astype(np.int64),
            mesh.corners.astype(np.int64),
            sides,
            mesh.edge_visible,
            {key: channel.corners.astype(np.int64) for key, channel in mesh.maps.items()},
            mesh.material_ids.astype(np.int64),
            mesh.smoothing,
            diagonals.astype(np.int64),
        )
        maps = {key: channel.vertices for key, channel in mesh.maps.items()}
        return cls(mesh.positions, faces, ends, crease, maps, unsure=np.zeros(len(ends), np.bool_))

    @property
    def counts(self) -> tuple[int, int, int]:
        """Number of vertices, edges and faces, dead ones included."""
        return len(self.positions), len(self.ends), len(self.faces.degrees) + self.dead

    def spend(self, steps: int) -> None:
        """Count work that a file asks for.

        Args:
            steps: Corners or edges that are looked at.

        Raises:
            NotSupportedError: It adds up to more than any real file needs.
        """
        self.steps += steps
        if self.steps > _MOST_STEPS:
            raise NotSupportedError(f"it takes more than {_MOST_STEPS} steps")

    def twins(self) -> Ints:
        """Return for each corner the other corner with the same edge, -1 at borders."""
        sides = self.faces.sides
        order = np.argsort(sides, kind="stable")
        out = np.full(len(sides), -1, np.int64)
        ordered = sides[order]
        same = np.nonzero(ordered[1:] == ordered[:-1])[0]
        out[order[same]], out[order[same + 1]] = order[same + 1], order[same]
        return out

    def new_vertices(self, positions: npt.NDArray[Any]) -> Ints:
        """Add vertices; return their numbers."""
        first = len(self.positions)
        self.positions = np.concatenate([self.positions, positions.astype(np.float32)])
        return np.arange(first, len(self.positions), dtype=np.int64)

    def new_edges(self, count: int, *, known: bool = False) -> Ints:
        """Add edges, whose ends come from the faces that use them; return their numbers.

        Args:
            count: How many.
            known: Whether files prove which of them has which number.
        """
        first = len(self.ends)
        self.add_edges(np.full((count, 2), -1, np.int64), known=known)
        if self.crease is not None:
            self.crease = np.append(self.crease, np.zeros(count, np.float32))
        return np.arange(first, first + count, dtype=np.int64)

    def add_edges(self, ends: Ints, *, known: bool = False) -> None:
        """Add edges with these ends, (n, 2), but nothing that belongs to them."""
        self.ends = np.concatenate([self.ends, ends])
        self.unsure = np.append(self.unsure, np.full(len(ends), not known))

    def new_map_vertices(self, channel: int, vertices: npt.NDArray[Any]) -> Ints:
        """Add map vertices; return their numbers."""
        first = len(self.maps[channel])
        self.maps[channel] = np.concatenate([self.maps[channel], vertices.astype(np.float32)])
        return np.arange(first, len(self.maps[channel]), dtype=np.int64)

    def cut_anew(self, faces: Faces) -> Faces:
        """Return faces with diagonals by their shape."""
        return replace(
            faces,
            diagonals=default_diagonals(self.positions, faces.corners, faces.starts).astype(
                np.int64
            ),
        )

    def finish(self, before: npt.NDArray[Any] | None = None) -> None:
        """Bring edges up to date, and drop edges and vertices that no face uses any more.

        Args:
            before: (n,) vertices that had faces before the operation; ``None`` to keep all.
        """
        faces = self.faces
        used, at = np.unique(faces.sides, return_index=True)
        fresh = np.stack([faces.corners[at], faces.corners[faces.following[at]]], axis=1)
        old = self.ends[used]
        # An edge keeps its direction as long as its ends are the same two vertices.
        kept = (old[:, ::-1] == fresh).all(axis=1)
        ends = np.where(kept[:, None], old, fresh)
        faces.sides = np.searchsorted(used, faces.sides)
        if self.crease is not None:
            self.crease = self.crease[used]
        self.ends = ends
        self.unsure = self.unsure[used]
        if before is None:
            return
        gone = np.zeros(len(self.positions), np.bool_)
        gone[before] = True
        gone[faces.corners] = False
        if gone.any():
            number = np.cumsum(~gone) - 1
            self.positions = self.positions[~gone]
            faces.corners, self.ends = number[faces.corners], number[ends]

    def number_edges(self) -> None:
        """Number all edges anew, face by face, side by side, as 3ds Max does in some operations."""
        faces = self.faces
        used, at = np.unique(faces.sides, return_index=True)
        order, first = used[np.argsort(at)], np.sort(at)
        number = np.empty(len(self.ends), np.int64)
        number[order] = np.arange(len(order))
        faces.sides = number[faces.sides]
        self.ends = np.stack([faces.corners[first], faces.corners[faces.following[first]]], axis=1)
        if self.crease is not None:
            self.crease = self.crease[order]
        self.unsure = np.zeros(len(order), np.bool_)

    def mesh(self, selection: Selection | None = None) -> Mesh:
        """Return the mesh, without map vertices that no corner uses."""
        faces, maps = self.faces, {}
        for key, corners in faces.maps.items():
            used, number = np.unique(corners, return_inverse=True)
            maps[key] = MapChannel(
                np.ascontiguousarray(self.maps[key][used], np.float32),
                number.reshape(-1).astype(np.int32),
            )
        return polygon_mesh(
            self.positions,
            faces.corners,
            faces.starts,
            diagonals=faces.diagonals,
            material_ids=faces.materials,
            smoothing=faces.smoothing,
            maps=maps,
            edges=Edges(np.ascontiguousarray(self.ends, np.int32), self.crease),
            edge_visible=faces.visible,
            selection=selection,
        )
