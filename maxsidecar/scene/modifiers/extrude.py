"""Extrude: pulls curves along z (docs/format/shapes.md, section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.geometry.shapes.caps import cap_faces
from maxsidecar.scene.geometry.shapes.nesting import Region, arranged
from maxsidecar.scene.geometry.shapes.outlines import Outline, outlines
from maxsidecar.scene.geometry.spline import Shape

__all__ = ["EXTRUDE", "Skin", "curves_of", "extrude", "pulled"]

EXTRUDE: Final = (0xA0, 0)

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

#: Material ids of the sides and of both ends, as the documentation numbers them, from 0.
_SIDE, _START, _END = 2, 0, 1
_CAP_GROUP: Final = 1 << 4
_FIRST_TWO, _LAST_TWO = 3, 6


@dataclass(frozen=True, slots=True)
class Skin:
    """What the surface of a solid is like.

    Attributes:
        start: Whether the end at the curves is closed.
        end: Whether the far end is.
        smooth: Whether sides have smoothing groups.
        ids: Whether sides and ends have material ids of their own.
        shape_ids: Whether sides have those of the segments.
    """

    start: bool = True
    end: bool = True
    smooth: bool = True
    ids: bool = True
    shape_ids: bool = False


@modifier(EXTRUDE)
def extrude(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the curves, pulled along z."""
    values = Values(call.obj, call)
    lines, regions = curves_of(geometry)
    segments = values.segments("segments", default=1)
    amount = values.number("amount")
    skin = Skin(
        start=values.switch("cap_start", True),
        end=values.switch("cap_end", True),
        smooth=values.switch("smooth", True),
        ids=values.switch("generate_material_ids", True),
        shape_ids=values.switch("use_shape_ids"),
    )
    check_triangles(sum(2 * len(line.points) for line in lines) * (segments + 1))
    ground = np.concatenate([line.points for line in lines])
    heights = amount * np.arange(segments + 1) / segments
    levels = np.repeat(ground[None], segments + 1, axis=0)
    levels[..., 2] += heights[:, None]
    if values.switch("mapping"):
        call.approximate("how 3ds Max maps what it extrudes is not known, so it has no map")
    if int(values.number("output", 1.0)) != 1:
        call.approximate("it makes patches or NURBS, of which the mesh is shown")
    call.approximate("no file proves smoothing groups, material ids and triangles of the ends")
    return pulled(lines, regions, levels, skin, inside_out=amount < 0.0)


def curves_of(geometry: Geometry) -> tuple[list[Outline], list[Region]]:
    """Return the curves of a shape, turned so that outer ones run counter-clockwise.

    Raises:
        NotSupportedError: It is no shape, or has no curves.
    """
    if not isinstance(geometry, Shape):
        raise NotSupportedError("it works on splines, and there is a surface below it")
    lines = [line for line in outlines(geometry) if len(line.points) > 1]
    if not lines:
        raise NotSupportedError("there are no curves below it")
    return arranged(lines)


def pulled(
    lines: list[Outline],
    regions: list[Region],
    levels: F64,
    skin: Skin,
    *,
    inside_out: bool = False,
) -> Mesh:
    """Return the surface through copies of curves.

    Args:
        lines: The curves.
        regions: Which of them have ends.
        levels: (k, n, 3): the points of all curves, one copy after another.
        skin: Ends, groups and ids.
        inside_out: Whether the copies run downwards.

    Raises:
        NotSupportedError: The ends cannot be filled.
    """
    count = levels.shape[1]
    first, second, piece = _sides(lines)
    rows = np.arange(len(levels) - 1)[:, None] * count
    low, along = rows + first, rows + second
    faces = np.stack([low, along, along + count, low, along + count, low + count], axis=2).reshape(
        -1, 3
    )
    flags = np.tile([_FIRST_TWO, _LAST_TWO], len(faces) // 2)
    repeat = 2 * np.ones(len(first), np.int64)
    groups = np.tile(np.repeat(_groups(lines) if skin.smooth else 0 * piece, repeat), len(rows))
    ids = np.full(len(faces), _SIDE if skin.ids else 0)
    if skin.shape_ids:
        ids = np.tile(np.repeat(piece, repeat), len(rows))
    parts = [(faces, flags, groups, ids)]
    if regions and (skin.start or skin.end):
        caps, cap_flags = cap_faces(lines, regions)
        top = (len(levels) - 1) * count
        if skin.start:
            # Seen from below; the sides 0-1 and 1-2 change places.
            turned = (cap_flags & 4) | ((cap_flags & 1) << 1) | ((cap_flags & 2) >> 1)
            parts.append(_cap(caps[:, ::-1], turned, _START if skin.ids else 0, skin))
        if skin.end:
            parts.append(_cap(caps + top, cap_flags, _END if skin.ids else 0, skin))
    face, flag, group, material = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    if inside_out:
        face = face[:, ::-1]
        flag = (flag & 4) | ((flag & 1) << 1) | ((flag & 2) >> 1)
    return Mesh.of_triangles(
        levels.reshape(-1, 3),
        face,
        smoothing=group.astype(np.uint32),
        material_ids=material,
        edge_flags=flag,
    )


def _cap(faces: I64, flags: I64, material: int, skin: Skin) -> tuple[I64, I64, I64, I64]:
    count = len(faces)
    group = np.full(count, _CAP_GROUP if skin.smooth else 0)
    return faces, flags, group, np.full(count, material)


def _sides(lines: list[Outline]) -> tuple[I64, I64, I64]:
    """Return for each piece of a curve its ends, and its material id."""
    first: list[I64] = []
    second: list[I64] = []
    ids: list[I64] = []
    start = 0
    for line in lines:
        count = len(line.points)
        numbers = np.arange(count if line.closed else count - 1)
        first.append(start + numbers)
        second.append(start + (numbers + 1) % count)
        ids.append(line.material_ids[: len(numbers)].astype(np.int64))
        start += count
    return np.concatenate(first), np.concatenate(second), np.concatenate(ids)


def _groups(lines: list[Outline]) -> I64:
    """Return smoothing groups of the pieces: another one behind each corner."""
    out: list[I64] = []
    for line in lines:
        count = len(line.points) if line.closed else len(line.points) - 1
        corners = line.corners[:count].astype(np.int64)
        runs = int(corners.sum())
        run = np.cumsum(corners) - corners[:1]
        if line.closed and runs:
            # What stands in front of the first corner goes on behind the last one.
            run %= runs
        group = run % 2
        if line.closed and runs > 1 and runs % 2:
            # The last run meets the first one, which is even as well.
            group = np.where(run == runs - 1, 2, group)
        out.append(np.left_shift(1, group))
    return np.concatenate(out)
