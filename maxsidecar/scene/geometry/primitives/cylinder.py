"""Cylinder and Cone: rings from the middle of the base up to the middle of the top.

(notes/primitives-modifiers 2.3: collapsed cylinders and glTF cones bit-equal.  Slices and the
material ids of cap rings follow the public samples of the 3ds Max SDK; no file proves them.)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, Arithmetic, arithmetic_of
from maxsidecar.scene.geometry.primitives.mapping import around_axis, close_seam
from maxsidecar.scene.geometry.primitives.slices import between, slice_angles
from maxsidecar.scene.geometry.primitives.topology import (
    FIRST_TWO,
    LAST_TWO,
    Maps,
    band_triangles,
    cells,
    grid,
)
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["CONE", "CYLINDER", "build_cylinder", "cone", "cylinder"]

CYLINDER: Final = (0x12, 0)
CONE: Final = (0xA86C23DD, 0)

I32 = npt.NDArray[np.int32]

#: Kinds of faces, and their smoothing groups and material ids: base, top, side, rings of the base
#: and of the top, both faces of a slice.
_BASE, _TOP, _SIDE, _BASE_RING, _TOP_RING, _FROM, _TO = range(7)
_GROUPS: Final = np.array([1, 1, 8, 1, 1, 2, 4])
_MATERIALS: Final = np.array([1, 0, 2, 0, 1, 3, 4])


@generator(CYLINDER)
def cylinder(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Cylinder."""
    values = Values(obj, call)
    radius = values.size("radius")
    return _build(values, (radius, radius))


@generator(CONE)
def cone(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Cone."""
    values = Values(obj, call)
    return _build(values, (values.size("radius1"), values.size("radius2")))


def _build(values: Values, radii: tuple[float, float]) -> Mesh:
    cut = None
    if values.switch("slice_on"):
        cut = (values.number("slice_from", 0.0), values.number("slice_to", 0.0))
        values.call.approximate("no file proves the order of vertices of slices")
    caps = values.segments("cap_segments", default=1)
    if caps > 1:
        values.call.approximate("no file proves the material ids of cap rings")
    return build_cylinder(
        radii,
        values.number("height"),
        (values.segments("height_segments"), caps, values.segments("sides", least=3)),
        smooth=values.switch("smooth", True),
        cut=cut,
        mapped=values.mapped(),
        arithmetic=arithmetic_of(values.obj.scene.version),
    )


def build_cylinder(
    radii: tuple[float, float],
    height: float,
    counts: tuple[int, int, int],
    *,
    smooth: bool = True,
    cut: tuple[float, float] | None = None,
    mapped: bool = False,
    arithmetic: Arithmetic = SINGLE,
) -> Mesh:
    """Return a cylinder or a cone that stands on the origin.

    Args:
        radii: Of base and top.
        height: A negative one runs around the other way.
        counts: Segments of the height, of a cap, and around.
        smooth: Whether the side has a smoothing group.
        cut: Slice from and to, in radians.
        mapped: Whether it has texture coordinates.
        arithmetic: Of the release.

    Raises:
        NotSupportedError: It is too large.
    """
    levels, caps, sides = counts
    one = arithmetic
    rings = levels - 1 + 2 * caps
    start, step, around = slice_angles(cut, sides, 0.0, one)
    check_triangles(2 * (around + 1) * rings)
    if height < 0.0:
        step = -step
        if cut is not None:
            start, _ = between(cut[0], cut[1], one)
    angles = one.running(start, step, around)
    points = _rings(radii, height, levels, caps, angles, one)
    if cut is None:
        ends = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, height]], np.float32)
        positions = np.concatenate([ends[:1], points.reshape(-1, 3), ends[1:]])
        numbers = grid(rings, around, 1)
        kind = np.zeros(around, np.int32)
    else:
        middle = np.zeros((rings, 1, 3), np.float32)
        share = np.arange(rings, dtype=one.work) / one.number(max(rings - 1, 1))
        middle[:, 0, 2] = one.number(height) * share
        positions = np.concatenate([middle, points], axis=1).reshape(-1, 3)
        numbers = grid(rings, around + 1)
        kind = np.zeros(around + 1, np.int32)
        kind[[0, -1]] = (_FROM, _TO)
    faces, flags, kinds = _faces(numbers, kind, levels, caps, cut is not None)
    groups = _GROUPS.copy()
    groups[_SIDE] = 8 if smooth else 0
    maps: Maps | None = {1: _mapping(positions, faces, height, one)} if mapped else None
    return Mesh.of_triangles(
        positions,
        faces,
        smoothing=groups[kinds],
        material_ids=_MATERIALS[kinds],
        edge_flags=flags,
        maps=maps,
    )


def _rings(
    radii: tuple[float, float],
    height: float,
    levels: int,
    caps: int,
    angles: npt.NDArray[Any],
    one: Arithmetic,
) -> npt.NDArray[np.float32]:
    """Return (rings, around, 3): base from the middle out, sides, top from the rim in."""
    lower, upper, tall = (one.number(value) for value in (*radii, height))
    cap = one.number(caps)
    out = np.arange(1, caps + 1, dtype=one.work) / cap
    back = one.number(1.0) - np.arange(caps, dtype=one.work) / cap
    up = np.arange(1, levels, dtype=one.work) / one.number(levels)
    side = lower * (one.number(1.0) - up) + upper * up
    cosine, sine = one.cos(angles)[None], one.sin(angles)[None]
    points = np.zeros((2 * caps + levels - 1, len(angles), 3), np.float32)
    for axis, wave in enumerate((cosine, sine)):
        points[:caps, :, axis] = wave * lower * out[:, None]
        points[caps:-caps, :, axis] = wave * side[:, None]
        points[-caps:, :, axis] = wave * upper * back[:, None]
    points[caps:-caps, :, 2] = (tall * up)[:, None]
    points[-caps:, :, 2] = tall
    return points


def _faces(
    numbers: I32, kind: I32, levels: int, caps: int, sliced: bool
) -> tuple[I32, I32, npt.NDArray[np.int64]]:
    """Return faces, edge flags and kinds: base, bands from below, top."""
    rings, columns = numbers.shape
    closed = np.concatenate([numbers, numbers[:, :1]], axis=1)
    # A slice has the points of the axis in its first column; the caps turn around the ends.
    first = 1 if sliced else 0
    lower, upper = closed[0, first:], closed[-1, first:]
    if sliced:
        lower, upper = lower[:-1], upper[:-1]
    count = len(lower) - 1
    low = numbers[0, 0] if sliced else np.int32(0)
    high = numbers[-1, 0] if sliced else numbers[-1, -1] + 1
    base = np.stack([np.full(count, low), lower[1:], lower[:-1]], axis=1)
    top = np.stack([np.full(count, high), upper[:-1], upper[1:]], axis=1)
    bands = band_triangles(*cells(closed))

    spokes = 7 if caps > 1 else 2
    base_flags, top_flags = np.full(count, spokes), np.full(count, spokes)
    if sliced and count:
        base_flags[-1], top_flags[0] = FIRST_TWO, FIRST_TWO
        base_flags[0] = top_flags[-1] = LAST_TWO | (spokes & 1)
    band_flags = np.tile([LAST_TWO, FIRST_TWO], len(bands) // 2)
    level = np.repeat(np.arange(rings - 1), columns)
    band_kinds = np.where(level < caps - 1, _BASE_RING, _SIDE)
    band_kinds[level >= caps + levels - 1] = _TOP_RING
    wall = np.tile(kind, rings - 1)
    band_kinds = np.repeat(np.where(wall > 0, wall, band_kinds), 2)
    # Edges between levels are hidden on the faces of a slice.
    hidden = np.repeat(wall > 0, 2)
    band_flags[hidden] = np.tile([4, 2], len(band_flags) // 2)[hidden]
    kinds = np.concatenate([np.full(count, _BASE), band_kinds, np.full(count, _TOP)])
    flags = np.concatenate([base_flags, band_flags, top_flags])
    return np.concatenate([base, bands, top]).astype(np.int32), flags.astype(np.int32), kinds


def _mapping(
    positions: npt.NDArray[np.float32], faces: I32, height: float, one: Arithmetic
) -> tuple[npt.NDArray[np.float32], I32]:
    """Return the map: around the axis, the caps like the side, with the seam at -y."""
    vertices = np.zeros_like(positions)
    vertices[:, 0] = around_axis(-positions[:, 1], positions[:, 0], one)
    scale = np.float32(1.0) / np.float32(height or 1.0)
    vertices[:, 1] = positions[:, 2] * scale
    return close_seam(vertices, faces)
