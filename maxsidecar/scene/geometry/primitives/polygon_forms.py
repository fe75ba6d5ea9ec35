"""Primitives as polygon meshes, where 3ds Max does more than join triangles over hidden edges.

(docs/format/primitives.md, section 5: Editable Poly boxes store 24 map vertices where an Editable
Mesh has 12; cylinders with plain caps have neither of the middle vertices, in 19 of 19 files.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Edges, MapChannel, Mesh
from maxsidecar.scene.geometry.polygons import take_corners, to_polygons
from maxsidecar.scene.geometry.primitives.box import BOX
from maxsidecar.scene.geometry.primitives.cylinder import CONE, CYLINDER
from maxsidecar.scene.geometry.triangulate import default_diagonals, triangulate

__all__ = ["polygon_form"]

#: Smoothing groups of the sides of a box in the order of its faces, from the bottom.
_SIDES: Final = (2, 4, 8, 16, 32, 64)
#: The edges of a triangle fan whose spokes are hidden.
_RIM: Final = (False, True, False)


def polygon_form(class_id: tuple[int, int], mesh: Mesh, *, early: bool = False) -> Mesh:
    """Return the mesh of a primitive as the polygon mesh that 3ds Max makes of it.

    Args:
        class_id: Class of the primitive.
        mesh: What its generator gave.
        early: Whether the object has no version in the file.
    """
    if mesh.is_polygons:
        return mesh
    if class_id == BOX:
        return to_polygons(_side_by_side(mesh))
    if class_id in (CYLINDER, CONE):
        return _cylinder(mesh, early=early)
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


def _cylinder(mesh: Mesh, *, early: bool) -> Mesh:
    """Join the caps of a cylinder, each begun at the last vertex of its ring and cut anew.

    A record of Unwrap UVW in the corpus says 11, 10, ... 0 of the bottom, and 35, 24, ... 34 of a
    top that Edit Poly pulled out; the FBX export of that scene cuts both from there.  Cylinders
    without a version have the sides first, then the bottom, then the top (two wheels of the corpus
    extrude face 90 of 92, and its corners run as those of the bottom); where their top begins is
    not known, and it is left as it is.
    """
    visible = mesh.edge_visible.reshape(-1, 3)
    plain = bool(np.all(visible[[0, -1]] == _RIM)) if len(visible) else False
    joined = to_polygons(mesh)
    count, degrees = joined.polygon_count, joined.degrees
    sides = int(degrees[0]) if count else 0
    if not plain or count < sides + 2 or np.any(degrees[1:-1] != 4) or degrees[-1] != sides:
        return joined
    ring, bottom = np.arange(sides), joined.corners[:sides]
    turn = np.roll(ring, -int(np.argmax(bottom)))
    if not np.array_equal(bottom[turn], ring[::-1]):
        return joined  # a slice has other rings
    last = len(joined.corners) - sides
    walls = np.arange(sides, last)
    if early:
        return _arranged(joined, np.concatenate([walls, turn, last + ring]), early=True)
    top = np.roll(ring, -int(np.argmax(joined.corners[last:])))
    return _arranged(joined, np.concatenate([turn, walls, last + top]), early=False)


def _arranged(mesh: Mesh, corners: npt.NDArray[np.int64], *, early: bool) -> Mesh:
    """Return the polygons with their corners in another order, first and last ones cut anew.

    Early ones are all cut anew, and their edges are numbered along the polygons.
    """
    polygons = mesh.corner_polygons[corners]
    order = polygons[np.diff(polygons, prepend=-1) != 0]
    degrees = mesh.degrees[order]
    starts = np.append(0, np.cumsum(degrees)).astype(np.int32)
    place = np.empty(len(corners), np.int32)
    place[corners] = np.arange(len(corners), dtype=np.int32)
    ring = mesh.corners[corners]
    anew, _, _ = triangulate(starts, default_diagonals(mesh.positions, ring, starts))
    sizes = degrees - 2
    owner = np.repeat(np.arange(len(order), dtype=np.int32), sizes)
    triangles = anew
    if not early:
        kept = (owner > 0) & (owner < len(order) - 1)
        triangles = np.where(kept[:, None], place[mesh.triangles], anew)
    old = mesh.selection
    out = replace(
        mesh,
        corners=ring,
        starts=starts,
        material_ids=mesh.material_ids[order],
        smoothing=mesh.smoothing[order],
        edge_visible=mesh.edge_visible[corners],
        triangles=triangles,
        triangle_polygons=owner,
        selection=replace(
            old,
            polygons=None if old.polygons is None else old.polygons[order],
            corners=None if old.corners is None else old.corners[corners],
        ),
        **take_corners(mesh, corners),
    )
    out.edges = Edges(edge_list(replace(out, edges=None)).vertices)
    return out
