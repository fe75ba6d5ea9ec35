"""Shell: gives a surface thickness (docs/format/modifiers-shape.md, section 9)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import edge_list, twin_corners
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.as_polygons import as_polygons
from maxsidecar.scene.modifiers.rebuild import mirrored_copy
from maxsidecar.scene.modifiers.spaces import check_corners

__all__ = ["SHELL", "shell"]

F64: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

SHELL: Final = (0x3B9B1A16, 0x6D84E8D0)


@modifier(SHELL)
def shell(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the surface moved outwards, one moved inwards, and strips along the borders."""
    values = Values(call.obj, call)
    if values.switch("bevel_edges"):
        raise NotSupportedError("edges that are beveled along a spline are not known")
    call.approximate("no file proves more than the size of what it makes")
    mesh = replace(as_polygons(geometry, call), normals=None)
    segments = values.segments("segments")
    border = np.nonzero(twin_corners(mesh) < 0)[0].astype(np.int64)
    check_corners(2 * len(mesh.corners) + 4 * len(border) * segments)
    normals = _vertex_normals(mesh)
    places = mesh.positions.astype(np.float64)
    outer = (places + normals * values.number("outer_amount", 0.0)).astype(np.float32)
    inner = (places - normals * values.number("inner_amount", 0.0)).astype(np.float32)
    both = mirrored_copy(mesh, np.arange(mesh.polygon_count), inner)
    both.positions[: len(outer)] = outer
    if not len(border):
        return both
    return _with_strips(mesh, both, border, segments)


def _vertex_normals(mesh: Mesh) -> F64:
    """Return the (v, 3) normals of vertices: the mean of those of their polygons."""
    points = mesh.positions.astype(np.float64)[mesh.corners]
    crosses = np.cross(points, points[mesh.next_corners])
    each: F64 = np.stack(
        [
            np.bincount(mesh.corner_polygons, crosses[:, axis], mesh.polygon_count).astype(
                np.float64
            )
            for axis in range(3)
        ],
        axis=1,
    )
    each = each / np.maximum(np.linalg.norm(each, axis=1), 1e-30)[:, None]
    sums = np.zeros((len(mesh.positions), 3))
    np.add.at(sums, mesh.corners, each[mesh.corner_polygons])
    out: F64 = sums / np.maximum(np.linalg.norm(sums, axis=1), 1e-30)[:, None]
    return out


def _with_strips(mesh: Mesh, both: Mesh, border: Ints, segments: int) -> Mesh:
    """Return both surfaces with quads between their borders.

    Args:
        mesh: The surface below.
        both: The outer surface, then the inner one.
        border: Corners of the surface whose side lies on a border.
        segments: Quads from the outer to the inner surface.
    """
    half = len(mesh.corners)
    # Number of the inner vertex of each outer one.
    image = np.zeros(len(mesh.positions), np.int64)
    degrees = mesh.degrees.astype(np.int64)
    firsts = np.repeat(mesh.starts.astype(np.int64)[:-1], degrees)
    local = np.arange(half) - firsts
    image[mesh.corners] = both.corners[half + firsts + -local % np.repeat(degrees, degrees)]
    start, end = mesh.corners[border], mesh.corners[mesh.next_corners[border]]
    used, number = np.unique(np.append(start, end), return_inverse=True)
    # Rings of vertices between both surfaces, those of the surfaces first and last.
    count = len(both.positions)
    rings = [used.astype(np.int64)]
    points = [both.positions]
    one = both.positions[used].astype(np.float64)
    other = both.positions[image[used]].astype(np.float64)
    for step in range(1, segments):
        rings.append(count + np.arange(len(used)))
        points.append((one + (other - one) * (step / segments)).astype(np.float32))
        count += len(used)
    rings.append(image[used])
    a, b = number.reshape(2, -1)
    quads = np.concatenate(
        [
            np.stack([upper[b], upper[a], lower[a], lower[b]], axis=1)
            for upper, lower in pairwise(rings)
        ]
    )
    owners = np.tile(mesh.corner_polygons[border], segments)
    following = mesh.next_corners[border]
    sides = np.tile(np.stack([following, border, border, following], axis=1), (segments, 1))
    maps = {
        number: MapChannel(
            channel.vertices,
            np.append(channel.corners, mesh.maps[number].corners[sides]).astype(np.int32),
        )
        for number, channel in both.maps.items()
    }
    first = len(both.corners) + 4 * np.arange(len(quads))
    triangles = (first[:, None] + np.array([0, 1, 2, 2, 3, 0])).reshape(-1, 3)
    polygons = np.repeat(both.polygon_count + np.arange(len(quads)), 2)
    old = both.selection
    more = np.zeros(len(quads), np.bool_)
    vertices = np.zeros(count - len(both.positions), np.bool_)
    out = replace(
        both,
        positions=np.concatenate(points),
        corners=np.append(both.corners, quads).astype(np.int32),
        starts=np.append(both.starts, first + 4).astype(np.int32),
        material_ids=np.append(both.material_ids, both.material_ids[owners]),
        smoothing=np.append(both.smoothing, np.zeros(len(quads), np.uint32)),
        edge_visible=np.append(both.edge_visible, np.ones(4 * len(quads), np.bool_)),
        triangles=np.concatenate([both.triangles, triangles]).astype(np.int32),
        triangle_polygons=np.append(both.triangle_polygons, polygons).astype(np.int32),
        maps=maps,
        edges=None,
        selection=replace(
            old,
            vertices=None if old.vertices is None else np.append(old.vertices, vertices),
            weights=None
            if old.weights is None
            else np.append(old.weights, vertices.astype(np.float32)),
            polygons=None if old.polygons is None else np.append(old.polygons, more),
            corners=None,
        ),
    )
    out.edges = Edges(edge_list(out).vertices)
    return out
