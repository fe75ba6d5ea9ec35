"""UVW XForm: turns, flips, scales and moves texture coordinates (public samples of the SDK)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from maxsidecar.scene.geometry.mesh import COLOR, MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.modifiers.uvw_space import F64, numbers_of

__all__ = ["UVW_XFORM", "uvw_xform"]

#: The one of release 3, and the one of release 6.
UVW_XFORM: Final = ((0x5F32DE12, 0), (0x5F32DE13, 0))
_TILES, _OFFSETS, _FLIPS = (0, 1, 2), (3, 4, 5), (6, 7, 8)
_COLORS, _CHANNEL, _ANGLE, _CENTRE, _ENTIRE = 9, 10, 11, 12, 13


@modifier(*UVW_XFORM)
def uvw_xform(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Change the coordinates of the selected faces, else of all."""
    mesh = call.convert(geometry)
    numbers = numbers_of(call, *range(_ENTIRE + 1))
    number = COLOR if numbers.get(_COLORS) else int(numbers.get(_CHANNEL) or 1)
    channel = mesh.maps.get(number)
    matrix = _matrix(numbers)
    if channel is None or np.array_equal(matrix, np.eye(4)):
        return mesh
    call.approximate("no file proves what it does")
    with np.errstate(over="ignore"):
        moved = channel.vertices.astype(np.float64) @ matrix[:3, :3] + matrix[3, :3]
    vertices = moved.astype(np.float32)
    new = MapChannel(vertices, channel.corners)
    chosen = mesh.selection.polygons
    # Whatever the level is; without a selection all faces.
    if not numbers.get(_ENTIRE, 1.0) and chosen is not None and chosen.any():
        new = _on_faces(mesh, channel, new)
    return replace(mesh, maps={**mesh.maps, number: new})


def _matrix(numbers: dict[int, float]) -> F64:
    """Return the (4, 4) row-vector matrix: turn about w, flips, tiles, offsets."""
    matrix, half = np.eye(4), np.zeros(4)
    if numbers.get(_CENTRE):
        half[:3] = 0.5
    angle = numbers.get(_ANGLE, 0.0)
    if angle:
        matrix[0, :2] = np.cos(angle), np.sin(angle)
        matrix[1, :2] = -np.sin(angle), np.cos(angle)
        matrix[3] += half - half @ matrix
    flips = np.array([bool(numbers.get(n)) for n in _FLIPS])
    tiles = np.array([numbers.get(n, 1.0) or 1.0 for n in _TILES])
    matrix[:, :3] *= np.where(flips, -1.0, 1.0)
    matrix[3, :3] += flips
    matrix[:, :3] *= tiles
    matrix[3, :3] += [numbers.get(n, 0.0) for n in _OFFSETS]
    return matrix


def _on_faces(mesh: Mesh, old: MapChannel, new: MapChannel) -> MapChannel:
    """Return the new coordinates on the selected faces, the old ones on the others."""
    chosen = mesh.selection.polygons
    if chosen is None:
        return old
    here = np.repeat(chosen, mesh.degrees)
    both = np.concatenate([old.vertices, new.vertices])
    mixed = np.where(here, new.corners + len(old.vertices), old.corners)
    return MapChannel(both, mixed.astype(np.int32))
