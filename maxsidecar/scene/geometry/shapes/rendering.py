"""Shapes that are set to be rendered: parameters, and the mesh."""

from __future__ import annotations

from dataclasses import replace
from math import radians
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.geometry.shapes.outlines import Outline, outlines
from maxsidecar.scene.geometry.shapes.sweep import circle_section, rectangle_section, sweep
from maxsidecar.scene.geometry.spline import Rendering, Shape
from maxsidecar.scene.objects import SceneObject

__all__ = ["finished", "rendered"]

_MOST_SIDES: Final = 200


def finished(obj: SceneObject, call: GeneratorCall, shape: Shape) -> Shape:
    """Return a shape with the way that it looks, when it is set to be rendered.

    Raises:
        NotSupportedError: A parameter is out of range.
    """
    if shape.steps < 0:
        call.approximate("how 3ds Max chooses adaptive steps is not known; taken are 6")
    values = Values(obj, call)
    if not values.switch("renderable"):
        return shape
    angle = values.number("angle", 0.0)
    if values.switch("rectangular"):
        section = rectangle_section(
            values.number("section_length", 6.0),
            values.number("section_width", 2.0),
            values.number("section_angle", 0.0),
        )
        call.approximate("no file proves the rectangular section of a rendered shape")
    else:
        sides = int(values.number("sides", 12.0))
        if not 3 <= sides <= _MOST_SIDES:
            raise NotSupportedError(f"its section has {sides} sides")
        section = circle_section(values.number("thickness", 1.0), sides, angle)
        if angle:
            call.approximate("no file proves the angle of a rendered shape's section")
    if len(shape.splines) != 1 or shape.splines[0].closed:
        call.approximate("no file proves a rendered shape that is closed or of several curves")
    threshold = None
    if values.switch("auto_smooth", True):
        threshold = values.number("threshold", radians(40.0))
        call.approximate("which smoothing group a face gets is that of 3ds Max in part")
    mapped = values.switch("generate_uvs")
    return replace(shape, rendering=Rendering(section, mapped, threshold))


def rendered(shape: Shape, rendering: Rendering) -> Mesh | None:
    """Return the surface of a shape that is rendered; ``None`` when its curves are points.

    Raises:
        NotSupportedError: It would have too many triangles.
    """
    section = rendering.section
    lines = [line for line in map(_distinct, outlines(shape)) if len(line.points) > 1]
    check_triangles(sum(2 * len(line.points) * len(section) for line in lines))
    if not lines:
        return None
    parts = [sweep(line, section, rendering.mapped) for line in lines]
    starts = np.concatenate([[0], np.cumsum([len(part[0]) for part in parts])])
    faces = np.concatenate([part[1] + start for part, start in zip(parts, starts, strict=False)])
    maps: dict[int, tuple[npt.ArrayLike, npt.ArrayLike]] | None = None
    charts = [part[3] for part in parts if part[3] is not None]
    if charts:
        firsts = np.concatenate([[0], np.cumsum([len(chart[0]) for chart in charts])])
        maps = {
            1: (
                np.concatenate([chart[0] for chart in charts]),
                np.concatenate([c[1] + first for c, first in zip(charts, firsts, strict=False)]),
            )
        }
    mesh = Mesh.of_triangles(
        np.concatenate([part[0] for part in parts]),
        faces,
        smoothing=1,
        edge_flags=np.concatenate([part[2] for part in parts]),
        maps=maps,
    )
    if rendering.threshold is None:
        return mesh
    # It imports the pipeline's modifiers, which import this package.
    from maxsidecar.scene.modifiers.smooth import auto_smooth

    return replace(mesh, smoothing=auto_smooth(mesh, rendering.threshold, prevent=True)[0])


def _distinct(line: Outline) -> Outline:
    """Return the curve without points that stand where the one in front of them does."""
    step = np.linalg.norm(line.points - np.roll(line.points, 1, axis=0), axis=1)
    keep = step > 0.0
    if not line.closed and len(keep):
        keep[0] = True
    if len(keep) and not keep.any():
        keep[0] = True
    if keep.all():
        return line
    return Outline(line.points[keep], line.corners[keep], line.material_ids[keep], line.closed)
