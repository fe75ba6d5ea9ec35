"""Vertex programs: trees in the wind, and lighting of each pixel with its tangents.

(spec: nel-export-rules 3.1, 3.5)
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.flags import Flags
from maxsidecar.nel.serial.classes.mesh import CMeshVPPerPixelLight, CMeshVPWindTree, CWindLevel
from maxsidecar.nel.shape.corners import merge_corners
from maxsidecar.nel.shape.materials import MaterialSet
from maxsidecar.nel.shape.mesh_build import MeshBuild

__all__ = ["add_tangents", "is_tree", "per_pixel_program", "wind_tree"]

F32 = npt.NDArray[np.float32]

_WIND_TREE: Final = 1
_LEVELS: Final = 3
#: Positions of the sliders.
_TICKS: Final = 100.0
_PER_PIXEL, _PER_PIXEL_NO_SPECULAR = 6, 7


def is_tree(flags: Flags) -> bool:
    """Return whether a node moves in the wind."""
    return flags.integer("VERTEXPROGRAM_ID") == _WIND_TREE


def wind_tree(flags: Flags) -> CMeshVPWindTree:
    """Return the program of a tree."""
    frequency = flags.number("VPWT_FREQUENCY_SCALE") / _TICKS
    distance = flags.number("VPWT_DIST_SCALE") / _TICKS
    levels = [
        CWindLevel(
            frequency=flags.integer(f"VPWT_FREQUENCY_{number}") * frequency,
            frequency_wind_factor=flags.integer(f"VPWT_FACTOR_{number}") * frequency,
            power_xy=flags.integer(f"VPWT_DIST_XY_{number}") * distance,
            power_z=flags.integer(f"VPWT_DIST_Z_{number}") * distance,
            bias=flags.integer(f"VPWT_BIAS_{number}") / _TICKS * 4 - 2,
        )
        for number in range(_LEVELS)
    ]
    return CMeshVPWindTree(levels=levels, specular_lighting=flags.integer("VPWT_SPECULAR") == 1)


def per_pixel_program(materials: MaterialSet) -> CMeshVPPerPixelLight | None:
    """Return the program of the first material that is lit by the pixel, ``None`` without one."""
    for material in materials.materials:
        if material.shader in (_PER_PIXEL, _PER_PIXEL_NO_SPECULAR):
            return CMeshVPPerPixelLight(specular_lighting=material.shader == _PER_PIXEL)
    return None


def add_tangents(build: MeshBuild) -> bool:
    """Give vertices the direction in which u grows, as a further set of coordinates.

    It is the sum over the faces at a corner with the same vertex, normal and coordinates, each by
    its area, made square to the normal.

    Args:
        build: The mesh.

    Returns:
        Whether there were coordinates to take it from, and room for it.
    """
    if 0 not in build.uvs or 1 in build.uvs:
        return False
    uv = build.uvs[0]
    _, group = merge_corners(
        [build.faces.reshape(-1).astype(np.uint32), build.normals.reshape(-1, 3), uv.reshape(-1, 2)]
    )
    points = build.positions.astype(np.float64)[build.faces]
    one, two = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    u = uv[..., 0].astype(np.float64)
    du_one, du_two = u[:, 1] - u[:, 0], u[:, 2] - u[:, 0]
    across = np.cross(one, two)
    square = np.einsum("ij,ij->i", across, across)
    with np.errstate(all="ignore"):
        # The gradient of u in the plane of the face, times twice its area.
        gradient = np.cross(du_one[:, None] * two - du_two[:, None] * one, across)
        gradient /= np.sqrt(square)[:, None]
    gradient[~(square > 0)] = 0.0
    count = int(group.max()) + 1 if len(group) else 0
    sums = np.stack(
        [np.bincount(group, np.repeat(gradient[:, axis], 3), count) for axis in range(3)], axis=1
    )
    tangent = sums[group]
    normal = build.normals.reshape(-1, 3).astype(np.float64)
    tangent -= np.einsum("ij,ij->i", tangent, normal)[:, None] * normal
    length = np.linalg.norm(tangent, axis=1, keepdims=True)
    tangent = np.where(length > 0, tangent / np.where(length > 0, length, 1.0), 0.0)
    build.uvs[1] = tangent.astype(np.float32).reshape(-1, 3, 3)
    return True
