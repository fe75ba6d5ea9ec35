"""Plane: one grid.

(notes/primitives-modifiers 2.6: a collapsed plane bit-equal, glTF and POD exports.)
"""

from __future__ import annotations

from typing import Final

import numpy as np

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, Arithmetic, arithmetic_of
from maxsidecar.scene.geometry.primitives.topology import OUTER, cells, grid
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["PLANE", "build_plane", "plane"]

PLANE: Final = (0x081F1DFC, 0x77566F65)


@generator(PLANE)
def plane(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Plane, as the viewport shows it: not scaled for rendering."""
    values = Values(obj, call)
    return build_plane(
        (values.number("width"), values.number("length")),
        (values.segments("width_segments"), values.segments("length_segments")),
        values.mapped(),
        arithmetic_of(obj.scene.version),
    )


def build_plane(
    extents: tuple[float, float],
    counts: tuple[int, int],
    mapped: bool = False,
    arithmetic: Arithmetic = SINGLE,
) -> Mesh:
    """Return a plane around the origin that looks up.

    Args:
        extents: Along x and y.
        counts: Segments along x and y.
        mapped: Whether it has texture coordinates.
        arithmetic: How the texture coordinates are added up.

    Raises:
        NotSupportedError: It is too large.
    """
    nx, ny = counts
    check_triangles(2 * nx * ny)
    # A point is added up in memory, so both arithmetics round here.
    x, y = (
        SINGLE.running(
            -np.float32(extent) / np.float32(2.0), np.float32(extent) / np.float32(count), count + 1
        )
        for extent, count in zip(extents, counts, strict=True)
    )
    u, v = (arithmetic.running(0.0, 1.0 / count, count + 1) for count in counts)
    positions = np.zeros((ny + 1, nx + 1, 3), np.float32)
    positions[:, :, 0], positions[:, :, 1] = x[None], y[:, None]
    mapping = np.zeros((ny + 1, nx + 1, 3), np.float32)
    mapping[:, :, 0], mapping[:, :, 1] = u[None], v[:, None]
    a, b, c, d = cells(grid(ny + 1, nx + 1))
    faces = np.stack([d, a, c, b, c, a], axis=1).reshape(-1, 3)
    return Mesh.of_triangles(
        positions,
        faces,
        smoothing=1,
        edge_flags=OUTER,
        maps={1: (mapping, faces)} if mapped else None,
    )
