"""Smooth: smoothing groups, given or by the angle between faces."""

from __future__ import annotations

from dataclasses import replace
from math import cos
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.face_sets import components, face_normals, neighbours
from maxsidecar.scene.modifiers.indirect_smoothing import keep_apart
from maxsidecar.scene.modifiers.uvw_space import chosen_faces

__all__ = ["SMOOTH", "auto_smooth", "smooth"]

Ints: TypeAlias = npt.NDArray[np.int64]
U32: TypeAlias = npt.NDArray[np.uint32]

SMOOTH: Final = (0xF8613, 0)
_GROUPS: Final = 32


@modifier(SMOOTH)
def smooth(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Replace the smoothing groups of the selected faces, else of all."""
    mesh = call.convert(geometry)
    values = Values(call.obj, call)
    if values.switch("auto_smooth"):
        prevent = values.switch("prevent_indirect")
        groups, leaks = auto_smooth(mesh, values.number("threshold"), prevent=prevent)
        if prevent:
            call.approximate("which group a face gets next is known in part")
        else:
            call.approximate("no file proves which group a set of faces gets")
        if leaks and prevent:
            call.approximate(f"{leaks} edges are smooth or sharp against their angle")
    else:
        bits = int(values.number("smoothing_bits")) & 0xFFFFFFFF
        groups = np.full(mesh.polygon_count, bits, np.uint32)
    chosen = chosen_faces(mesh)
    if chosen is not None:
        groups = np.where(chosen, groups, mesh.smoothing).astype(np.uint32)
    return replace(mesh, smoothing=groups)


def auto_smooth(mesh: Mesh, threshold: float, *, prevent: bool = False) -> tuple[U32, int]:
    """Return smoothing groups so that faces are smooth where they meet at a small angle.

    Args:
        mesh: The mesh.
        threshold: Largest angle between faces, in radians.
        prevent: Whether faces that meet at a larger angle must not be smooth over others.

    Returns:
        (p,) groups, and the number of edges whose faces share a group though they meet at a larger
        angle, or share none though they do not.
    """
    one, other = neighbours(mesh)
    faces = mesh.corner_polygons.astype(np.int64)
    a, b = faces[one], faces[other]
    normals, cosine = face_normals(mesh), cos(threshold)
    near = np.einsum("ij,ij->i", normals[a], normals[b]) > cosine
    labels = components(mesh.polygon_count, a[near], b[near])
    # Sets that meet at a vertex must not have the same group.
    pairs = np.unique(np.column_stack([mesh.corners.astype(np.int64), labels[faces]]), axis=0)
    groups = _colored(labels, pairs)
    if prevent:
        groups = keep_apart(mesh, normals, cosine, groups)
    return groups, int(((groups[a] & groups[b] != 0) != near).sum())


def _colored(labels: Ints, pairs: Ints) -> U32:
    """Give each set the lowest group that no set has that it meets.

    Args:
        labels: (p,) set of each face.
        pairs: (n, 2) vertex and set, sorted.
    """
    sets = np.unique(labels)
    number = np.searchsorted(sets, pairs[:, 1])
    # Each vertex remembers the groups of the sets around it.
    around = np.zeros(int(pairs[:, 0].max()) + 1 if len(pairs) else 0, np.uint32)
    order = np.argsort(number, kind="stable")
    vertices, starts = pairs[order, 0], np.searchsorted(number[order], np.arange(len(sets) + 1))
    groups = np.zeros(len(sets), np.uint32)
    for index in range(len(sets)):
        mine = vertices[starts[index] : starts[index + 1]]
        used = int(np.bitwise_or.reduce(around[mine], initial=0))
        groups[index] = min(~used & (used + 1), 1 << (_GROUPS - 1))
        around[mine] |= groups[index]
    found: U32 = groups[np.searchsorted(sets, labels)]
    return found
