"""Meshes as a graphics card takes them: vertices with one normal each, triangles by material."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.normals import triangle_normals

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["Packed", "normal_keys", "pack"]

#: Numbers of 16 bits with a sign stand for -1 to 1.
_FULL: Final = 32767


@dataclass(frozen=True, slots=True)
class Packed:
    """A mesh for display.

    Attributes:
        positions: (v, 3) float32.
        normals: (v, 3) int16, 32767 is 1.
        indices: (3 t,) uint32, triangles in the order of their material ids.
        groups: (material id, first index, number of indices), ascending.
    """

    positions: npt.NDArray[np.float32]
    normals: npt.NDArray[np.int16]
    indices: npt.NDArray[np.uint32]
    groups: list[tuple[int, int, int]]


def pack(mesh: Mesh) -> Packed:
    """Return a mesh for display; vertices are kept apart only where their normals differ."""
    ids = mesh.material_ids[mesh.triangle_polygons]
    order = np.argsort(ids, kind="stable")
    found, first = np.unique(ids[order], return_index=True)
    ends = np.append(first[1:], len(ids))
    groups = [
        (int(number), 3 * int(begin), 3 * int(end - begin))
        for number, begin, end in zip(found, first, ends, strict=True)
    ]
    vertices = mesh.faces[order].reshape(-1).astype(np.int64)
    normals = np.nan_to_num(triangle_normals(mesh)[order].reshape(-1, 3))
    short = np.rint(np.clip(normals, -1, 1) * _FULL).astype(np.int16)
    kinds, kind = np.unique(normal_keys(short), return_inverse=True)
    wedges, indices = np.unique(vertices * len(kinds) + kind.reshape(-1), return_inverse=True)
    # Any corner of a wedge tells its normal.
    corner = np.empty(len(wedges), np.int64)
    corner[indices.reshape(-1)] = np.arange(len(vertices))
    return Packed(
        positions=mesh.positions[wedges // max(len(kinds), 1)],
        normals=short[corner],
        indices=indices.reshape(-1).astype(np.uint32),
        groups=groups,
    )


def normal_keys(rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return one number for each row of three integers of less than 21 bits."""
    wide = rows.astype(np.int64) & 0x1FFFFF
    out: npt.NDArray[np.int64] = wide[:, 0] << 42 | wide[:, 1] << 21 | wide[:, 2]
    return out
