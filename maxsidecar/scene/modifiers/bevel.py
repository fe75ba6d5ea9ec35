"""Bevel: up to three levels, each with its own height and outline (docs/format/shapes.md, 9)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import Geometry, ModifierCall, modifier
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.geometry.shapes.outlines import Outline
from maxsidecar.scene.modifiers.extrude import curves_of
from maxsidecar.scene.modifiers.swept import Skin, Sweep

__all__ = ["BEVEL", "bevel", "offset_outline"]

BEVEL: Final = (0x1017, 0x7F9E)

F64 = npt.NDArray[np.float64]

#: A corner goes out at most this many times as far as its sides.
_LONGEST: Final = 20.0


@modifier(BEVEL)
def bevel(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the curves, pulled and widened level by level."""
    values = Values(call.obj, call)
    lines, regions = curves_of(geometry)
    outline, height = values.number("start_outline", 0.0), 0.0
    stages = [(height, outline)]
    for level in (1, 2, 3):
        if level > 1 and not values.switch(f"use_level{level}"):
            # The third level stands on the second one.
            break
        height += values.number(f"level{level}_height", 0.0)
        outline += values.number(f"level{level}_outline", 0.0)
        stages.append((height, outline))
    segments = values.segments("segments", default=1)
    if segments > 1 or values.switch("curved_sides"):
        call.approximate("sides are straight between levels, and not divided")
    check_triangles(sum(2 * len(line.points) for line in lines) * (len(stages) + 1))
    levels = np.array(
        [
            np.concatenate([offset_outline(line, outline) for line in lines])
            + np.array([0.0, 0.0, height])
            for height, outline in stages
        ]
    )
    call.approximate("no file proves the order of vertices, smoothing groups, ids and ends")
    skin = Skin(values.switch("cap_start", True), values.switch("cap_end", True))
    return Sweep(lines, regions, levels, flipped=height < 0.0).mesh(skin)


def offset_outline(line: Outline, distance: float) -> F64:
    """Return the points of a curve moved outwards, so that its pieces stay parallel.

    Args:
        line: The curve; an outer one runs counter-clockwise, a hole clockwise.
        distance: How far the pieces move to their right.
    """
    points = line.points
    ahead = np.roll(points, -1, axis=0) - points
    if not line.closed:
        ahead[-1] = ahead[-2]
    lengths = np.linalg.norm(ahead[:, :2], axis=1, keepdims=True)
    ahead = np.divide(ahead[:, :2], lengths, out=np.zeros((len(points), 2)), where=lengths > 0)
    right = np.column_stack([ahead[:, 1], -ahead[:, 0]])
    behind = np.roll(right, 1, axis=0)
    if not line.closed:
        behind[0] = right[0]
    both = right + behind
    # 1 / cos of half the turn, along the middle of both directions.
    square = np.sum(both * both, axis=1, keepdims=True)
    scale = 2.0 / np.maximum(square, 4.0 / _LONGEST**2)
    out: F64 = points.copy()
    out[:, :2] += distance * both * scale
    return out
