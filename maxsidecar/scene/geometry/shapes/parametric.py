"""Shapes that are made of parameters.

A Rectangle is proved by what an Edit Spline keeps of it, Circle and Donut by their sizes; the
others follow the public documentation (docs/format/shapes.md, section 6).
"""

from __future__ import annotations

from math import cos, pi
from typing import Final

import numpy as np

from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError, generator
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.geometry.shapes.curves import (
    BEZIER,
    BEZIER_CORNER,
    CORNER,
    arc_handle,
    circle,
    polygon,
    rounded,
    spline_of,
)
from maxsidecar.scene.geometry.shapes.rendering import finished
from maxsidecar.scene.geometry.shapes.shape_views import SHAPE
from maxsidecar.scene.geometry.spline import Shape, Spline
from maxsidecar.scene.objects import SceneObject

__all__ = ["build_arc", "build_helix", "build_ngon", "build_star", "interpolation"]

_UNPROVED: Final = "no file proves the knots of this class"
_MOST_SIDES: Final = 10_000
_MOST_TURNS: Final = 1000.0
#: Pieces of a turn of a helix.
_PER_TURN: Final = 8


def interpolation(values: Values) -> tuple[int, bool]:
    """Return steps and whether straight segments have none, as the shape says.

    Raises:
        NotSupportedError: The steps are out of range.
    """
    steps = int(values.number("steps", 6.0))
    if not 0 <= steps <= 1000:
        raise NotSupportedError(f"it has {steps} steps")
    if values.switch("adaptive"):
        steps = -1
    return steps, values.switch("optimize", True)


def _finished(obj: SceneObject, call: GeneratorCall, *splines: Spline) -> Shape:
    steps, optimize = interpolation(Values(obj, call))
    return finished(obj, call, Shape(list(splines), steps, optimize))


@generator((0x1065, 0), superclass=SHAPE)
def rectangle(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return a Rectangle."""
    values = Values(obj, call)
    x, y = values.number("width") / 2.0, values.number("length") / 2.0
    fillet = values.number("corner_radius", 0.0)
    corners = np.array([[x, y], [-x, y], [-x, -y], [x, -y]])
    if fillet > 0.0:
        call.approximate("no file proves a rectangle with round corners")
        return _finished(obj, call, rounded(corners, np.full(4, fillet)))
    return _finished(obj, call, polygon(corners))


@generator((0x1999, 0), superclass=SHAPE)
def circle_shape(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return a Circle."""
    call.approximate(_UNPROVED)
    return _finished(obj, call, circle(Values(obj, call).size("radius")))


@generator((0x1060, 0), superclass=SHAPE)
def donut(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return a Donut: two circles."""
    values = Values(obj, call)
    call.approximate(_UNPROVED)
    return _finished(obj, call, *(circle(values.size(name)) for name in ("radius1", "radius2")))


@generator((0x1097, 0), superclass=SHAPE)
def ellipse(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return an Ellipse."""
    values = Values(obj, call)
    call.approximate(_UNPROVED)
    width, length = values.number("width"), values.number("length")
    return _finished(obj, call, circle(width / 2.0, length / 2.0))


@generator((0x1050, 0), superclass=SHAPE)
def ngon(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return an NGon."""
    values = Values(obj, call)
    sides = _count(values, "side_count")
    call.approximate(_UNPROVED)
    spline = build_ngon(
        sides,
        values.size("radius"),
        circular=values.switch("circular"),
        fillet=values.number("corner_radius", 0.0),
        inscribed=values.switch("scribe", True),
    )
    return _finished(obj, call, spline)


def build_ngon(
    sides: int,
    radius: float,
    *,
    circular: bool = False,
    fillet: float = 0.0,
    inscribed: bool = True,
) -> Spline:
    """Return a regular polygon with a corner at +x, or the circle through its corners.

    Args:
        sides: How many.
        radius: To the corners, or to the middles of the sides.
        circular: Whether it is a circle.
        fillet: Radius of round corners.
        inscribed: Whether the radius goes to the corners.
    """
    if not inscribed:
        radius /= cos(pi / sides)
    turn = 2.0 * pi * np.arange(sides) / sides
    points = np.column_stack([np.cos(turn), np.sin(turn)]) * radius
    if circular:
        ahead = np.column_stack([-points[:, 1], points[:, 0]]) * arc_handle(2.0 * pi / sides)
        return spline_of(points, points - ahead, points + ahead, BEZIER, closed=True)
    return rounded(points, np.full(sides, fillet)) if fillet > 0.0 else polygon(points)


@generator((0x1995, 0), superclass=SHAPE)
def star(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return a Star."""
    values = Values(obj, call)
    points = _count(values, "points")
    call.approximate(_UNPROVED)
    spline = build_star(
        points,
        (values.size("radius1"), values.size("radius2")),
        values.number("distortion", 0.0),
        (values.number("fillet_radius1", 0.0), values.number("fillet_radius2", 0.0)),
    )
    return _finished(obj, call, spline)


def build_star(
    points: int,
    radii: tuple[float, float],
    distortion: float = 0.0,
    fillets: tuple[float, float] = (0.0, 0.0),
) -> Spline:
    """Return a star: corners at the first radius from +x on, between them those at the second.

    Args:
        points: How many.
        radii: Of both kinds of corners.
        distortion: Radians that the second kind is turned by.
        fillets: Radii of the rounded corners.
    """
    turn = pi * np.arange(2 * points) / points
    turn[1::2] += distortion
    radius = np.tile(radii, points)
    corners = np.column_stack([np.cos(turn), np.sin(turn)]) * radius[:, None]
    if max(fillets) > 0.0:
        return rounded(corners, np.maximum(np.tile(fillets, points), 0.0))
    return polygon(corners)


@generator((0x1996, 0), superclass=SHAPE)
def arc(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return an Arc."""
    values = Values(obj, call)
    call.approximate(_UNPROVED)
    spline = build_arc(
        values.size("radius"),
        values.number("from"),
        values.number("to"),
        pie=values.switch("pie"),
        turned=values.switch("reverse"),
    )
    return _finished(obj, call, spline)


def build_arc(
    radius: float, start: float, end: float, *, pie: bool = False, turned: bool = False
) -> Spline:
    """Return an arc of four knots.

    Args:
        radius: Of the circle.
        start: Radians from +x.
        end: Radians from +x; the arc runs counter-clockwise to it.
        pie: Whether the middle is a knot, and the curve closed.
        turned: Whether it runs from the end to the start.
    """
    angle = (end - start) % (2.0 * pi) or 2.0 * pi
    turn = start + angle * np.arange(4) / 3.0
    points = np.column_stack([np.cos(turn), np.sin(turn)]) * radius
    ahead = np.column_stack([-points[:, 1], points[:, 0]]) * arc_handle(angle / 3.0)
    incoming, outgoing = points - ahead, points + ahead
    kinds = np.full(4, BEZIER)
    if turned:
        points, incoming, outgoing = points[::-1], outgoing[::-1], incoming[::-1]
    if pie:
        middle = np.zeros((1, 2))
        points = np.concatenate([middle, points])
        incoming = np.concatenate([middle, incoming])
        outgoing = np.concatenate([middle, outgoing])
        # Handles of the straight sides, at a third of them.
        incoming[1], outgoing[-1] = points[1] * (2.0 / 3.0), points[-1] * (2.0 / 3.0)
        outgoing[0], incoming[0] = points[1] / 3.0, points[-1] / 3.0
        kinds = np.array([CORNER, BEZIER_CORNER, BEZIER, BEZIER, BEZIER_CORNER])
    else:
        incoming[0], outgoing[-1] = points[0], points[-1]
    return spline_of(points, incoming, outgoing, kinds, closed=pie)


@generator((0x1994, 0), superclass=SHAPE)
def helix(obj: SceneObject, call: GeneratorCall) -> Shape:
    """Return a Helix."""
    values = Values(obj, call)
    turns = values.number("turns")
    if not 0.0 <= turns <= _MOST_TURNS:
        raise NotSupportedError(f"it has {turns:g} turns")
    call.approximate("no file proves the points of a helix")
    spline = build_helix(
        (values.size("radius1"), values.size("radius2")),
        values.number("height"),
        turns,
        max(-1.0, min(1.0, values.number("bias", 0.0))),
        clockwise=values.switch("direction"),
    )
    return _finished(obj, call, spline)


def build_helix(
    radii: tuple[float, float],
    height: float,
    turns: float,
    bias: float = 0.0,
    *,
    clockwise: bool = False,
) -> Spline:
    """Return a helix that rises from the ground, as pieces of a turn.

    Args:
        radii: At both ends.
        height: Of the upper end.
        turns: How many.
        bias: -1 to 1: where the turns are close together, at the ground or above.
        clockwise: Seen from above.
    """
    pieces = max(int(np.ceil(turns * _PER_TURN)), 1)
    share = np.arange(pieces + 1) / pieces
    angle = (-1.0 if clockwise else 1.0) * 2.0 * pi * turns
    power = abs(bias) * 9.0 + 1.0

    def place(
        at: np.ndarray[tuple[int], np.dtype[np.float64]],
    ) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        radius = radii[0] + (radii[1] - radii[0]) * at
        rise = 1.0 - (1.0 - at) ** power if bias > 0.0 else at**power
        return np.column_stack(
            [radius * np.cos(angle * at), radius * np.sin(angle * at), height * rise]
        )

    points = place(share)
    step = 1e-5
    low, high = np.maximum(share - step, 0.0), np.minimum(share + step, 1.0)
    slope = (place(high) - place(low)) / (high - low)[:, None]
    # A third of the way on, a little more where the piece is an arc.
    part = abs(angle) / pieces
    ahead = slope / pieces * (arc_handle(part) / part if part else 1.0 / 3.0)
    incoming, outgoing = points - ahead, points + ahead
    incoming[0], outgoing[-1] = points[0], points[-1]
    return spline_of(points, incoming, outgoing, BEZIER, closed=False)


def _count(values: Values, name: str) -> int:
    """Return a number of corners.

    Raises:
        NotSupportedError: It is out of range.
    """
    count = int(values.number(name))
    if not 3 <= count <= _MOST_SIDES:
        raise NotSupportedError(f"its {name} is {count}")
    return count
