"""Changes of meshes that keep track of where vertices and polygons come from.

A stored mesh keeps more for its vertices and faces than :class:`~.mesh.Mesh` says, such as what is
hidden; whoever writes a changed mesh back says which old ones the new ones come from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError
from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Edges, ExplicitNormals, MapChannel, Mesh, Selection
from maxsidecar.scene.geometry.polygons import take_corners
from maxsidecar.scene.geometry.stored.walk import ragged_index

__all__ = ["Origins", "add_polygons", "keep_polygons"]

Ints: TypeAlias = npt.NDArray[np.int64]


@dataclass(slots=True)
class Origins:
    """Where the vertices and polygons of a changed mesh come from.

    Attributes:
        vertices: (v,) integers: number of the vertex in the old mesh, -1 for a new one; ``None``:
            they are the old ones where their number is the same, else all are new.
        polygons: (p,) integers, likewise.
    """

    vertices: npt.NDArray[Any] | None = None
    polygons: npt.NDArray[Any] | None = None


def keep_polygons(
    mesh: Mesh, keep: npt.ArrayLike, *, vertices: bool = True
) -> tuple[Mesh, Origins]:
    """Return a mesh with some of the polygons only.

    Args:
        mesh: The mesh.
        keep: (p,) bool: which polygons stay.
        vertices: Whether vertices, map vertices and normals that no polygon uses any more go, too;
            those that no polygon used before stay.

    Raises:
        EditError: There is not one bool for each polygon.
    """
    chosen = np.asarray(keep)
    if chosen.shape != (mesh.polygon_count,) or chosen.dtype != np.bool_:
        raise EditError("one bool for each polygon", expected=f"({mesh.polygon_count},)")
    degrees = mesh.degrees.astype(np.int64)
    corners = ragged_index(mesh.starts[:-1][chosen].astype(np.int64), degrees[chosen])
    renumber = np.full(len(mesh.corners), -1, np.int32)
    renumber[corners] = np.arange(len(corners))
    of_kept = chosen[mesh.triangle_polygons]
    polygon_number = np.cumsum(chosen, dtype=np.int32) - 1
    selection = mesh.selection
    out = replace(
        mesh,
        corners=mesh.corners[corners],
        starts=np.append(0, np.cumsum(degrees[chosen])).astype(np.int32),
        material_ids=mesh.material_ids[chosen],
        smoothing=mesh.smoothing[chosen],
        edge_visible=mesh.edge_visible[corners],
        triangles=renumber[mesh.triangles[of_kept]],
        triangle_polygons=polygon_number[mesh.triangle_polygons[of_kept]],
        edges=_kept_edges(mesh, chosen),
        selection=replace(
            selection,
            polygons=None if selection.polygons is None else selection.polygons[chosen],
            corners=None if selection.corners is None else selection.corners[corners],
        ),
        **take_corners(mesh, corners),
    )
    origins = Origins(np.arange(len(mesh.positions)), np.nonzero(chosen)[0])
    if vertices:
        origins.vertices = _drop_vertices(mesh, out)
    return out, origins


def _kept_edges(mesh: Mesh, chosen: npt.NDArray[np.bool_]) -> Edges | None:
    if mesh.edges is None:
        return None
    of_corner = edge_list(mesh).of_corner
    used = np.zeros(len(mesh.edges.vertices), bool)
    kept = of_corner[chosen[mesh.corner_polygons]]
    used[kept[kept >= 0]] = True
    crease = mesh.edges.crease
    return Edges(mesh.edges.vertices[used], None if crease is None else crease[used])


def _compact(count: int, before: npt.NDArray[Any], after: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Return which of ``count`` things stay, and their new numbers."""
    gone = np.zeros(count, bool)
    gone[before] = True
    gone[after] = False
    return np.nonzero(~gone)[0], np.cumsum(~gone) - 1


def _drop_vertices(mesh: Mesh, out: Mesh) -> Ints:
    """Take out vertices, map vertices and normals that lost their last polygon."""
    stay, number = _compact(len(mesh.positions), mesh.corners, out.corners)
    out.positions = mesh.positions[stay]
    out.corners = number[out.corners].astype(np.int32)
    selection = out.selection
    out.selection = Selection(
        selection.level,
        None if selection.vertices is None else selection.vertices[stay],
        selection.polygons,
        selection.corners,
        None if selection.weights is None else selection.weights[stay],
    )
    if out.edges is not None:
        out.edges = Edges(number[out.edges.vertices].astype(np.int32), out.edges.crease)
    for channel, mapping in out.maps.items():
        old = mesh.maps[channel]
        kept, renumber = _compact(len(old.vertices), old.corners, mapping.corners)
        out.maps[channel] = MapChannel(
            old.vertices[kept], renumber[mapping.corners].astype(np.int32)
        )
    return stay


def add_polygons(mesh: Mesh, other: Mesh) -> tuple[Mesh, Origins]:
    """Return a mesh with the vertices and polygons of another one behind its own.

    Map channels that only one of the two has get one map vertex at 0 for the corners of the other.
    Edge lists and selections of both are kept; explicit normals, too.

    Args:
        mesh: The mesh.
        other: What is added; of the same kind, triangles or polygons.

    Raises:
        EditError: One is a mesh of triangles and the other is not.
    """
    if mesh.is_polygons != other.is_polygons:
        raise EditError("triangles and polygons cannot be mixed", expected=mesh.is_polygons)
    vertices, corners, polygons = len(mesh.positions), len(mesh.corners), mesh.polygon_count
    join = np.concatenate
    maps = {
        channel: _joined_map(mesh, other, channel) for channel in sorted({*mesh.maps, *other.maps})
    }
    out = replace(
        mesh,
        positions=join([mesh.positions, other.positions]),
        corners=join([mesh.corners, other.corners + np.int32(vertices)]),
        starts=join([mesh.starts, other.starts[1:] + np.int32(corners)]),
        material_ids=join([mesh.material_ids, other.material_ids]),
        smoothing=join([mesh.smoothing, other.smoothing]),
        edge_visible=join([mesh.edge_visible, other.edge_visible]),
        triangles=join([mesh.triangles, other.triangles + np.int32(corners)]),
        triangle_polygons=join(
            [mesh.triangle_polygons, other.triangle_polygons + np.int32(polygons)]
        ),
        maps=maps,
        normals=_joined_normals(mesh, other),
        edges=_joined_edges(mesh, other),
        selection=_joined_selection(mesh, other),
    )
    fresh = np.full(len(other.positions), -1), np.full(other.polygon_count, -1)
    return out, Origins(
        join([np.arange(vertices), fresh[0]]), join([np.arange(polygons), fresh[1]])
    )


def _joined_map(mesh: Mesh, other: Mesh, channel: int) -> MapChannel:
    parts = []
    for part in (mesh, other):
        mapping = part.maps.get(channel)
        if mapping is None:
            corners = np.zeros(len(part.corners), np.int32)
            mapping = MapChannel(np.zeros((min(1, len(corners)), 3), np.float32), corners)
        parts.append(mapping)
    first, second = parts
    return MapChannel(
        np.concatenate([first.vertices, second.vertices]),
        np.concatenate([first.corners, second.corners + np.int32(len(first.vertices))]),
    )


def _joined_normals(mesh: Mesh, other: Mesh) -> ExplicitNormals | None:
    if mesh.normals is None and other.normals is None:
        return None
    vectors, corners, count = [], [], 0
    for part in (mesh, other):
        normals = part.normals or ExplicitNormals(
            np.zeros((0, 3), np.float32), np.full(len(part.corners), -1, np.int32)
        )
        vectors.append(normals.vectors)
        shifted = np.where(normals.corners < 0, -1, normals.corners + count)
        corners.append(shifted.astype(np.int32))
        count += len(normals.vectors)
    return ExplicitNormals(np.concatenate(vectors), np.concatenate(corners))


def _joined_edges(mesh: Mesh, other: Mesh) -> Edges | None:
    if mesh.edges is None or other.edges is None:
        return None
    count = np.int32(len(mesh.positions))
    crease = None
    if mesh.edges.crease is not None or other.edges.crease is not None:
        crease = np.concatenate(
            [
                np.zeros(len(part.vertices), np.float32) if part.crease is None else part.crease
                for part in (mesh.edges, other.edges)
            ]
        )
    return Edges(np.concatenate([mesh.edges.vertices, other.edges.vertices + count]), crease)


def _joined_selection(mesh: Mesh, other: Mesh) -> Selection:
    def join(
        a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None, counts: tuple[int, int], dtype: Any
    ) -> Any:
        if a is None and b is None:
            return None
        filled = [
            np.zeros(count, dtype) if part is None else part
            for part, count in zip((a, b), counts, strict=True)
        ]
        return np.concatenate(filled)

    one, two = mesh.selection, other.selection
    vertices = len(mesh.positions), len(other.positions)
    return Selection(
        one.level,
        join(one.vertices, two.vertices, vertices, bool),
        join(one.polygons, two.polygons, (mesh.polygon_count, other.polygon_count), bool),
        join(one.corners, two.corners, (len(mesh.corners), len(other.corners)), bool),
        join(one.weights, two.weights, vertices, np.float32),
    )
