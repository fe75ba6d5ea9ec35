"""What holds for every mesh that an evaluation gives, whatever the file holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["broken_rules", "same_meshes"]

Array = npt.NDArray[Any]


def broken_rules(mesh: Mesh) -> list[str]:
    """Return what is wrong with a mesh; nothing for a sound one."""
    shapes = list(_shapes(mesh))
    # The other rules look numbers up, which needs arrays of the right sizes.
    return shapes or [*_ranges(mesh), *_maps(mesh), *(_triangulation(mesh))]


def _shapes(mesh: Mesh) -> Iterator[str]:
    starts, count = mesh.starts, len(mesh.corners)
    if len(starts) == 0 or starts[0] != 0 or starts[-1] != count or np.any(np.diff(starts) < 0):
        yield "starts do not ascend from 0 to the number of corners"
        return
    polygons = len(starts) - 1
    expected: tuple[tuple[str, Array, tuple[int, ...], type], ...] = (
        ("positions", mesh.positions, (len(mesh.positions), 3), np.float32),
        ("corners", mesh.corners, (count,), np.int32),
        ("starts", starts, (polygons + 1,), np.int32),
        ("material ids", mesh.material_ids, (polygons,), np.int32),
        ("smoothing", mesh.smoothing, (polygons,), np.uint32),
        ("edge_visible", mesh.edge_visible, (count,), np.bool_),
        ("triangles", mesh.triangles, (len(mesh.triangles), 3), np.int32),
        ("triangle_polygons", mesh.triangle_polygons, (len(mesh.triangles),), np.int32),
    )
    for name, array, shape, kind in expected:
        if array.shape != shape or array.dtype != kind:
            yield f"{name}: {array.dtype}{array.shape} instead of {np.dtype(kind)}{shape}"


def _outside(array: Array, low: int, high: int) -> bool:
    return bool(np.any((array < low) | (array >= high)))


def _ranges(mesh: Mesh) -> Iterator[str]:
    if _outside(mesh.corners, 0, len(mesh.positions)):
        yield "a corner names no vertex"
    # 3ds Max keeps them in 16 bits without a sign.
    if _outside(mesh.material_ids, 0, 0x10000):
        yield "a material id is not from 0 to 65535"
    if not mesh.is_polygons and np.any(mesh.degrees != 3):
        yield "a polygon of a triangle mesh has not three corners"
    if mesh.edges is not None:
        if _outside(mesh.edges.vertices, 0, len(mesh.positions)):
            yield "an edge names no vertex"
        crease = mesh.edges.crease
        if crease is not None and len(crease) != len(mesh.edges.vertices):
            yield "creases are not as many as edges"
    chosen, sizes = mesh.selection, (len(mesh.positions), mesh.polygon_count, len(mesh.corners))
    found = (chosen.vertices, chosen.polygons, chosen.corners, chosen.weights)
    for bits, size in zip(found, (*sizes, sizes[0]), strict=True):
        if bits is not None and len(bits) != size:
            yield f"a selection of {len(bits)} among {size}"


def _maps(mesh: Mesh) -> Iterator[str]:
    count = len(mesh.corners)
    for number, channel in mesh.maps.items():
        if channel.corners.shape != (count,) or channel.vertices.shape[1:] != (3,):
            yield f"map channel {number} has not a corner for each of the mesh, or wrong vertices"
        elif _outside(channel.corners, 0, len(channel.vertices)):
            yield f"a corner of map channel {number} names no map vertex"
    if mesh.normals is not None:
        if mesh.normals.corners.shape != (count,):
            yield "explicit normals have not a corner for each of the mesh"
        elif _outside(mesh.normals.corners, -1, len(mesh.normals.vectors)):
            yield "a corner names no explicit normal"


def _triangulation(mesh: Mesh) -> Iterator[str]:
    """Yield what keeps the triangles from covering each polygon once.

    A polygon of n corners is covered once when n - 2 triangles have each of its sides once, and
    each other edge of theirs is there both ways.
    """
    triangles, owner = mesh.triangles.astype(np.int64), mesh.triangle_polygons
    count, polygons = len(mesh.corners), mesh.polygon_count
    if _outside(triangles, 0, count) or _outside(owner, 0, polygons):
        yield "a triangle names no corner, or no polygon"
        return
    if np.any(np.diff(owner) < 0):
        yield "triangles are not in the order of the polygons"
    if np.any(mesh.corner_polygons[triangles] != owner[:, None]):
        yield "a triangle has corners of another polygon"
    if np.any(np.bincount(owner, minlength=polygons) != np.maximum(mesh.degrees - 2, 0)):
        yield "a polygon of n corners has not n - 2 triangles"
        return
    begins, ends = triangles.reshape(-1), np.roll(triangles, -1, axis=1).reshape(-1)
    is_side = mesh.next_corners[begins] == ends
    sides = np.bincount(begins[is_side], minlength=count)
    if np.any(sides != np.repeat(mesh.degrees >= 3, mesh.degrees)):
        yield "a side of a polygon is not in one triangle"
    inner, back = begins * count + ends, ends * count + begins
    if not np.array_equal(np.sort(inner[~is_side]), np.sort(back[~is_side])):
        yield "a diagonal is not there both ways"


def same_meshes(one: Mesh | None, other: Mesh | None) -> bool:
    """Whether two meshes have the same numbers everywhere; those that are none are the same."""
    if one is None or other is None:
        return one is other
    return all(
        _same(getattr(one, name), getattr(other, name))
        for name in Mesh.__dataclass_fields__
        if name not in ("maps", "normals", "edges", "selection")
    ) and all(_same(a, b) for a, b in zip(_parts(one), _parts(other), strict=True))


def _parts(mesh: Mesh) -> list[Any]:
    normals, edges, chosen = mesh.normals, mesh.edges, mesh.selection
    parts: list[Any] = [list(mesh.maps)]
    parts += [None, None] if normals is None else [normals.vectors, normals.corners]
    parts += [None, None] if edges is None else [edges.vertices, edges.crease]
    parts += [chosen.level, chosen.vertices, chosen.polygons, chosen.corners, chosen.weights]
    for channel in mesh.maps.values():
        parts += [channel.vertices, channel.corners]
    return parts


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    return bool(one == other) if not isinstance(one, np.ndarray) else False
