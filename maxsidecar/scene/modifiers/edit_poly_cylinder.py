"""Cylinders and cones as polygon meshes of releases that made them without triangles."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.edges import edge_list
from maxsidecar.scene.geometry.mesh import Edges, Mesh
from maxsidecar.scene.modifiers.edit_poly_work import PolyWork

__all__ = ["early_cylinder"]

Ints: TypeAlias = npt.NDArray[np.int64]


def early_cylinder(mesh: Mesh) -> Mesh:
    """Return a cylinder with the sides first, then the bottom, then the top.

    Cylinders without a version in the file are made so (public samples of the 3ds Max SDK; two
    wheels of the corpus extrude face 90 of 92, and its corners run as those of the bottom).  The
    bottom goes round from its last vertex.  Other forms of caps come back as they are.

    Args:
        mesh: The polygon mesh that its triangles give: the bottom first.
    """
    count, degrees = mesh.polygon_count, mesh.degrees
    if count < 5 or not mesh.is_polygons or np.any(degrees[1:-1] != 4):
        return mesh
    sides = int(degrees[0])
    bottom = np.arange(sides - 1, -1, -1)
    ring = mesh.corners[:sides]
    start = int(np.argmax(ring == sides - 1))
    if sides < 3 or degrees[-1] != sides or not np.array_equal(np.roll(ring, -start), bottom):
        return mesh
    work = PolyWork.of(replace(mesh, edges=None))
    order = np.concatenate([np.arange(1, count - 1), [0, count - 1]])
    faces = work.faces.take(order)
    first = int(faces.starts[count - 2])
    turn = np.arange(len(faces.corners))
    turn[first : first + sides] = first + (np.arange(sides) + start) % sides
    faces = replace(
        faces,
        corners=faces.corners[turn],
        sides=faces.sides[turn],
        visible=faces.visible[turn],
        maps={key: values[turn] for key, values in faces.maps.items()},
    )
    work.faces = work.cut_anew(faces)
    out = work.mesh(mesh.selection)
    return replace(out, edges=Edges(edge_list(replace(out, edges=None)).vertices))
