"""The neutral record of splines: knots with Bezier handles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh

__all__ = ["Rendering", "Shape", "Spline"]


@dataclass(slots=True)
class Spline:
    """One curve of a shape.

    The segment from knot ``k`` to the next is the cubic with the control points ``points[k]``,
    ``outgoing[k]``, ``incoming[k + 1]``, ``points[k + 1]``, or straight where ``lines[k]``.

    Attributes:
        points: (k, 3) float32.
        incoming: (k, 3) float32: handle towards the previous knot, an absolute position.
        outgoing: (k, 3) float32: handle towards the next knot.
        lines: (k,) bool: whether the segment behind the knot is straight.
        kinds: (k,) int32: 0 automatic, 1 corner, 2 Bezier, 3 Bezier corner.
        material_ids: (k,) int32 of the segments.
        closed: Whether the last knot joins the first.
    """

    points: npt.NDArray[np.float32]
    incoming: npt.NDArray[np.float32]
    outgoing: npt.NDArray[np.float32]
    lines: npt.NDArray[np.bool_]
    kinds: npt.NDArray[np.int32]
    material_ids: npt.NDArray[np.int32]
    closed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """How a shape looks that is set to be rendered.

    Attributes:
        section: (n, 2) float64: corners of what is swept along the curves, counter-clockwise.
        mapped: Whether the surface has texture coordinates.
        threshold: Radians up to which faces are smooth; ``None``: all have one group.
    """

    section: npt.NDArray[np.float64]
    mapped: bool = False
    threshold: float | None = None


@dataclass(slots=True)
class Shape:
    """A set of curves, in object space.

    Attributes:
        splines: The curves.
        steps: Points between two knots when the curve is divided, negative for adaptive.
        optimize: Whether straight segments get none.
        rendering: How it looks when it is set to be rendered; ``None`` when it is not.
    """

    splines: list[Spline] = field(default_factory=list)
    steps: int = 6
    optimize: bool = True
    rendering: Rendering | None = None

    def to_mesh(self) -> Mesh | None:
        """Return the surface that 3ds Max makes of the shape where it needs one.

        That is its tube or strip when it is set to be rendered, else its closed curves, filled
        (measured: a ``.3ds`` export of a scene with both); ``None`` when all curves are open.

        Raises:
            NotSupportedError: The curves are too many, or have too many points.
        """
        if self.rendering is not None:
            from maxsidecar.scene.geometry.shapes.rendering import rendered

            return rendered(self, self.rendering)
        from maxsidecar.scene.geometry.shapes.caps import filled

        return filled(self)
