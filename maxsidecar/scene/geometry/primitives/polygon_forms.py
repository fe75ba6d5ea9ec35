"""Primitives as polygon meshes, where 3ds Max does more than join triangles over hidden edges.

(notes/primitives-modifiers 2.1 and 2.3: Editable Poly boxes store 24 map vertices where an Editable
Mesh has 12; cylinders with plain caps have neither of the middle vertices, in 19 of 19 files.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.polygons import to_polygons
from maxsidecar.scene.geometry.primitives.box import BOX
from maxsidecar.scene.geometry.primitives.cylinder import CONE, CYLINDER

__all__ = ["polygon_form"]

#: Smoothing groups of the sides of a box in the order of its faces, from the bottom.
_SIDES: Final = (2, 4, 8, 16, 32, 64)
#: The edges of a triangle fan whose spokes are hidden.
_RIM: Final = (False, True, False)


def polygon_form(class_id: tuple[int, int], mesh: Mesh) -> Mesh:
    """Return the mesh of a primitive as the polygon mesh that 3ds Max makes of it.

    Args:
        class_id: Class of the primitive.
        mesh: What its generator gave.
    """
    if mesh.is_polygons:
        return mesh
    if class_id == BOX:
        return to_polygons(_side_by_side(mesh))
    if class_id in (CYLINDER, CONE):
        return _without_middles(mesh)
    return to_polygons(mesh)


def _side_by_side(mesh: Mesh) -> Mesh:
    """Give each side of a box map vertices of its own, row by row from its lower corner."""
    channel = mesh.maps.get(1)
    if channel is None:
        return mesh
    groups = np.repeat(mesh.smoothing, 3)
    corners = np.zeros_like(channel.corners)
    parts = []
    count = 0
    for group in _SIDES:
        chosen = groups == group
        used = np.unique(channel.corners[chosen])
        if group == _SIDES[0]:
            # The bottom is counted along x, against which its u runs.
            columns = len(np.unique(channel.vertices[used, 0]))
            used = used.reshape(-1, columns)[:, ::-1].reshape(-1)
        place = np.zeros(len(channel.vertices), np.int32)
        place[used] = np.arange(count, count + len(used))
        corners[chosen] = place[channel.corners[chosen]]
        parts.append(channel.vertices[used])
        count += len(used)
    maps = {**mesh.maps, 1: MapChannel(np.concatenate(parts), corners)}
    return replace(mesh, maps=maps)


def _without_middles(mesh: Mesh) -> Mesh:
    """Join the caps of a cylinder; middles that only hidden edges touch go."""
    visible = mesh.edge_visible.reshape(-1, 3)
    plain = bool(np.all(visible[[0, -1]] == _RIM)) if len(visible) else False
    if not plain:
        return to_polygons(mesh)
    joined = to_polygons(mesh, across_seams=True)
    used = np.zeros(len(joined.positions), bool)
    used[joined.corners] = True
    number = (np.cumsum(used) - 1).astype(np.int32)
    edges = joined.edges
    if edges is not None:
        edges = replace(edges, vertices=number[edges.vertices])
    # Both caps begin at the last corner of their ring: a record of Unwrap UVW in the corpus says
    # 11, 10, ... 0 of the bottom, and 35, 24, ... 34 of a top that Edit Poly pulled out.
    turn = _turn(joined, 0, 2) + _turn(joined, joined.polygon_count - 1, -1)
    return _reordered(
        replace(
            joined, positions=joined.positions[used], corners=number[joined.corners], edges=edges
        ),
        turn,
    )


def _turn(mesh: Mesh, polygon: int, steps: int) -> list[tuple[int, int, int]]:
    """Return first corner, corner behind the last, and by how many corners to turn."""
    start, end = int(mesh.starts[polygon]), int(mesh.starts[polygon + 1])
    return [(start, end, steps % (end - start))]


def _reordered(mesh: Mesh, turns: list[tuple[int, int, int]]) -> Mesh:
    """Return the mesh with some polygons beginning at another corner."""
    order = np.arange(len(mesh.corners), dtype=np.int32)
    for start, end, steps in turns:
        order[start:end] = np.roll(order[start:end], -steps)
    place = np.empty_like(order)
    place[order] = np.arange(len(order), dtype=np.int32)
    return replace(
        mesh,
        corners=mesh.corners[order],
        edge_visible=mesh.edge_visible[order],
        triangles=place[mesh.triangles],
        maps={
            number: MapChannel(channel.vertices, channel.corners[order])
            for number, channel in mesh.maps.items()
        },
    )
