"""Extrude: pulls curves along z (docs/format/shapes.md, section 8)."""

from __future__ import annotations

from typing import Final

import numpy as np

from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.geometry.shapes.nesting import Region, arranged
from maxsidecar.scene.geometry.shapes.outlines import Outline, outlines
from maxsidecar.scene.geometry.spline import Shape
from maxsidecar.scene.modifiers.swept import Skin, Sweep

__all__ = ["EXTRUDE", "curves_of", "extrude"]

EXTRUDE: Final = (0xA0, 0)


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
        mapped=values.switch("mapping"),
    )
    check_triangles(sum(2 * len(line.points) for line in lines) * (segments + 1))
    ground = np.concatenate([line.points for line in lines])
    # From the lower end up, also where the amount is negative.
    heights = min(amount, 0.0) + abs(amount) * np.arange(segments + 1) / segments
    copies = np.repeat(ground[None], segments + 1, axis=0)
    copies[..., 2] += heights[:, None]
    if int(values.number("output", 1.0)) != 1:
        call.approximate("it makes patches or NURBS, of which the mesh is shown")
    call.approximate("no file proves its faces and the triangles of its ends")
    return Sweep(lines, regions, copies, by_curve=True).mesh(skin)


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
