"""Normals that point away from a node, for crowns of trees (spec: nel-export-rules 3.1)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.placement import inverse
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.normals import triangle_normals

__all__ = ["corner_normals"]

_GROUPS: Final = (28, 29, 30, 31)


def corner_normals(context: ShapeContext, mesh: Mesh) -> npt.NDArray[np.float32]:
    """Return the normal of each corner of each triangle in object space, (t, 3, 3) of length 1.

    Faces of a smoothing group that has a pivot point away from it; with several pivots the
    directions are added up.

    Args:
        context: The node.
        mesh: Its mesh.
    """
    out = triangle_normals(mesh, context.options.weighting)
    names = {group: context.flags.text(f"RADIAL_NORMAL_SM_{group}") for group in _GROUPS}
    names = {group: name for group, name in names.items() if name}
    if not names:
        return out
    groups = mesh.smoothing[mesh.triangle_polygons]
    sums = np.zeros(out.shape)
    radial = np.zeros(len(out), bool)
    to_object = inverse(context.shared.pose.object(context.node)[0])
    for group, name in names.items():
        found = context.shared.scene.nodes.find(name)
        if not found:
            context.notes.append(f"the pivot {name!r} of smoothing group {group + 1} is missing")
            continue
        place = context.shared.pose.world(found[0])[0][3] @ to_object
        own = (groups >> np.uint32(group) & 1).astype(bool)
        away = mesh.positions.astype(np.float64)[mesh.faces[own]] - place[:3]
        sums[own] += _unit(away)
        radial |= own
    out[radial] = _unit(sums[radial]).astype(np.float32)
    return out


def _unit(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(np.where(length > 0, vectors / np.where(length > 0, length, 1.0), 0.0))
