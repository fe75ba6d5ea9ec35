"""Lathe: turns curves about an axis (docs/format/shapes.md, section 10)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import MapChannel, Mesh
from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.geometry.shapes.outlines import Outline
from maxsidecar.scene.modifiers.extrude import curves_of
from maxsidecar.scene.modifiers.spaces import context_space, controller_space, inverse, rotation
from maxsidecar.scene.modifiers.swept import F64, Skin, Sweep

__all__ = ["LATHE", "lathe"]

LATHE: Final = (0xB0, 0)
_AXIS: Final = 0
_FULL: Final = 360.0
_LEAST_SEGMENTS: Final = 3
#: Points nearer to the axis are on it: this, or a hundredth of the size of the curve.
_CORE: Final = 0.01


@modifier(LATHE)
def lathe(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the curves, turned about the axis."""
    values = Values(call.obj, call)
    lines, regions = curves_of(geometry)
    degrees = min(max(values.number("degrees", _FULL), 0.0), _FULL)
    segments = max(values.segments("segments", default=16), _LEAST_SEGMENTS)
    check_triangles(sum(2 * len(line.points) for line in lines) * (segments + 1))
    full = degrees == _FULL
    axis = controller_space(call, _AXIS) @ inverse(context_space(call))
    to_axis = inverse(axis)
    copies = segments if full else segments + 1
    turns = np.radians(degrees) * np.arange(copies) / segments
    ground = np.concatenate([line.points for line in lines])
    matrices = [to_axis @ rotation(2, turn) @ axis for turn in turns]
    points = np.stack([ground @ matrix[:3, :3] + matrix[3, :3] for matrix in matrices])
    away = (ground @ to_axis[:3, :3] + to_axis[3, :3])[:, 0]
    core = np.repeat([_core(line, to_axis) for line in lines], [len(line.points) for line in lines])
    flipped = _rises(points, away, core) == values.switch("flip_normals")
    sweep = Sweep(lines, regions, points, round=full, flipped=flipped)
    skin = Skin(
        start=values.switch("cap_start", True),
        end=values.switch("cap_end", True),
        smooth=values.switch("smooth", True),
        ids=values.switch("generate_material_ids", True),
        shape_ids=values.switch("use_shape_ids"),
        mapped=values.switch("mapping"),
    )
    if int(values.number("output", 1.0)) != 1:
        call.approximate("it makes patches or NURBS, of which the mesh is shown")
    call.approximate("no file proves its faces and the triangles of its ends")
    mesh = sweep.mesh(skin, (inverse(matrices[0]), inverse(matrices[-1])))
    if not values.switch("weld_core"):
        return mesh
    return _welded(mesh, np.abs(away) < core)


def _core(line: Outline, to_axis: F64) -> float:
    across = line.points @ to_axis[:3, 0] + to_axis[3, 0]
    return min(_CORE, float(np.ptp(across)) / 100.0)


def _rises(points: F64, away: F64, core: F64) -> bool:
    """Return whether the second copy is above the curves for any point that is off the axis."""
    return bool(np.any((points[1][:, 2] > 0.0) & (np.abs(away) > core)))


def _welded(mesh: Mesh, on_axis: npt.NDArray[np.bool_]) -> Mesh:
    """Return the mesh with the points on the axis those of the first copy, without flat faces."""
    count = len(on_axis)
    numbers = np.arange(len(mesh.positions))
    numbers = np.where(on_axis[numbers % count], numbers % count, numbers)
    faces = numbers[mesh.faces]
    kept = np.all(faces != np.roll(faces, 1, axis=1), axis=1)
    used, faces = np.unique(faces[kept], return_inverse=True)
    maps: dict[int, tuple[npt.ArrayLike, npt.ArrayLike]] = {}
    for channel, found in mesh.maps.items():
        maps[channel] = _used(found, kept)
    flags = (mesh.edge_visible.reshape(-1, 3)[kept] * np.array([1, 2, 4])).sum(axis=1)
    return Mesh.of_triangles(
        mesh.positions[used],
        faces.reshape(-1, 3),
        smoothing=mesh.smoothing[kept],
        material_ids=mesh.material_ids[kept],
        edge_flags=flags,
        maps=maps,
    )


def _used(
    channel: MapChannel, kept: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    used, corners = np.unique(channel.corners.reshape(-1, 3)[kept], return_inverse=True)
    return channel.vertices[used], corners.reshape(-1, 3)
