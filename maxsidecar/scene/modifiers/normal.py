"""Normal: turns faces over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.polygons import take_corners
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.face_sets import components
from maxsidecar.scene.modifiers.uvw_space import chosen_faces

__all__ = ["NORMAL", "flip", "normal", "unify"]

Bits: TypeAlias = npt.NDArray[np.bool_]
Ints: TypeAlias = npt.NDArray[np.int64]

NORMAL: Final = (0xF8614, 0)


@modifier(NORMAL)
def normal(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Make faces look the same way as their neighbours, then turn the selected ones over."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    turned = np.zeros(mesh.polygon_count, np.bool_)
    if values.switch("unify"):
        turned ^= unify(mesh)
        if turned.any():
            call.approximate("no file proves to which side the faces are unified")
    if values.switch("flip"):
        chosen = chosen_faces(mesh)
        turned ^= chosen if chosen is not None else np.True_
        if mesh.is_polygons:
            call.approximate("no file proves with which corner a polygon starts when turned over")
    return flip(mesh, turned) if turned.any() else mesh


def unify(mesh: Mesh) -> Bits:
    """Return which faces to turn over so that neighbours look the same way.

    Of faces that hang together the first keeps its side.

    Returns:
        (p,) bool.
    """
    a = mesh.corners.astype(np.int64)
    b = a[mesh.next_corners]
    faces = mesh.corner_polygons.astype(np.int64)
    key = np.minimum(a, b) * (int(a.max(initial=0)) + 1) + np.maximum(a, b)
    order = np.argsort(key, kind="stable")
    same = key[order][1:] == key[order][:-1]
    one, other = order[:-1][same], order[1:][same]
    agrees = a[one] != a[other]  # sides that run in opposite directions
    # Every face is there twice: as it is, and turned over.
    count = mesh.polygon_count
    f, g = faces[one], faces[other]
    straight = np.where(agrees, g, g + count)
    crossed = np.where(agrees, g + count, g)
    labels = components(
        2 * count, np.concatenate([f, f + count]), np.concatenate([straight, crossed])
    )
    return labels[count:] < labels[:count]


def flip(mesh: Mesh, turned: npt.NDArray[Any]) -> Mesh:
    """Return the mesh with faces turned over.

    Of a triangle the first two corners change places (measured on boxes of negative height);
    of a polygon all but the first change their order.

    Args:
        mesh: The mesh.
        turned: (p,) bool.
    """
    count = len(mesh.corners)
    where: Ints = np.arange(count, dtype=np.int64)
    here = np.repeat(turned, mesh.degrees)
    start = np.repeat(mesh.starts[:-1].astype(np.int64), mesh.degrees)
    degree = np.repeat(mesh.degrees.astype(np.int64), mesh.degrees)
    local = where - start
    if mesh.is_polygons:
        source = start + np.where(here, (degree - local) % np.maximum(degree, 1), local)
        side = start + np.where(here, degree - 1 - local, local)
    else:
        source = start + np.where(here, np.array([1, 0, 2])[local % 3], local)
        side = start + np.where(here, np.array([0, 2, 1])[local % 3], local)
    inverse = np.empty(count, np.int64)
    inverse[source] = where
    triangles = mesh.triangles
    if mesh.is_polygons:
        over = turned[mesh.triangle_polygons]
        triangles = inverse[triangles].astype(np.int32)
        triangles[over] = triangles[over][:, [0, 2, 1]]
    selection = mesh.selection
    normals = take_corners(mesh, source)
    explicit = normals["normals"]
    if explicit is not None:
        normals["normals"] = None
    return replace(
        mesh,
        corners=mesh.corners[source],
        edge_visible=mesh.edge_visible[side],
        triangles=triangles,
        selection=replace(
            selection,
            corners=None if selection.corners is None else selection.corners[side],
        ),
        **normals,
    )
