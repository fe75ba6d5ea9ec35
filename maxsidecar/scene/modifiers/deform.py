"""Bend, Taper, Twist, Skew and Spherify: deformations along an axis of the box of what is modified.

The formulas are those of the public samples of the 3ds Max SDK; no file at hand proves them
(docs/format/modifiers-shape.md, section 7).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.animated import numbers_at
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.spaces import (
    context_box,
    context_space,
    deform,
    inverse,
    modifier_space,
    moved,
    rotation,
)

__all__ = ["BEND", "NOISE", "SKEW", "SPHERIFY", "TAPER", "TWIST"]

F64: TypeAlias = npt.NDArray[np.float64]

BEND: Final = (0x10, 0)
TAPER: Final = (0x20, 0)
TWIST: Final = (0x90, 0)
SKEW: Final = (0x6F3CC2AA, 0)
SPHERIFY: Final = (0xDE17A34E, 0x8A41E2A0)
NOISE: Final = (0xF997B124, 0)

UNPROVED: Final = "no file proves what it makes"
_X, _Y, _Z = range(3)
#: A bend by less is none, in radians.
_LEAST_ANGLE: Final = 1e-4
_LEAST_LENGTH: Final = 1e-6


@dataclass(frozen=True, slots=True)
class _Limits:
    """How far along the axis it works.

    Attributes:
        on: Whether there are limits.
        low: Lower limit.
        high: Upper limit.
        length: Extent of the box along the axis.
    """

    on: bool
    low: float
    high: float
    length: float

    def within(self, z: F64) -> F64:
        """Return heights, those beyond the limits as the limits."""
        out: F64 = np.clip(z, self.low, max(self.low, self.high)) if self.on else z
        return out


#: Makes places of places in the space of the modifier, its axis along z.
_Formula: TypeAlias = Callable[[F64, Values, _Limits], F64]


def _along_axis(geometry: Geometry, call: ModifierCall, formula: _Formula) -> Geometry:
    """Apply a formula where the modifier works, turned so that its axis is z."""
    values = Values(call.obj, call)
    axis = int(values.number("axis", _Z))
    if axis not in range(3):
        raise NotSupportedError(f"its axis {axis} is not known")
    call.approximate(UNPROVED)
    low, high = context_box(call, geometry)
    limits = _Limits(
        values.switch("limit_effect"),
        values.number("limit_from", 0.0),
        values.number("limit_to", 0.0),
        float(high[axis] - low[axis]),
    )
    to = modifier_space(call)
    if axis == _X:
        to = to @ rotation(_Y, -np.pi / 2)
    elif axis == _Y:
        to = to @ rotation(_X, np.pi / 2)
    to = to @ rotation(_Z, np.radians(values.number("direction", 0.0)))
    back = inverse(to)

    def function(points: F64) -> F64:
        with np.errstate(all="ignore"):
            return moved(formula(moved(points, to), values, limits), back)

    return deform(geometry, function)


@modifier(BEND)
def bend(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Bend it."""
    return _along_axis(geometry, call, _bend)


def _bend(points: F64, values: Values, limits: _Limits) -> F64:
    angle = np.radians(values.number("angle"))
    length = limits.high - limits.low if limits.on else limits.length
    radius = 0.0 if abs(angle) < _LEAST_ANGLE else length / angle
    if radius == 0.0:
        return points
    out = _bent(points, radius)
    if not limits.on:
        return out
    for limit, beyond in (
        (limits.low, points[:, 2] < limits.low),
        (limits.high, points[:, 2] > limits.high),
    ):
        # What is beyond goes on straight from where the bend ends.
        foot = np.array([[0.0, 0.0, limit]])
        end = _bent(foot, radius) - foot
        turn = rotation(_Y, limit / radius)[:3, :3]
        out[beyond] = (points[beyond] - foot) @ turn + foot + end
    return out


def _bent(points: F64, radius: float) -> F64:
    turn = points[:, 2] / radius
    out = points.copy()
    out[:, 0] = radius - (radius - points[:, 0]) * np.cos(turn)
    out[:, 2] = (radius - points[:, 0]) * np.sin(turn)
    return out


@modifier(TAPER)
def taper(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Make it thinner or thicker along an axis."""
    return _along_axis(geometry, call, _taper)


def _taper(points: F64, values: Values, limits: _Limits) -> F64:
    if limits.length == 0.0:
        return points
    height = limits.within(points[:, 2]) / limits.length
    if values.switch("symmetry"):
        height = np.abs(height)
    amount, curve = values.number("amount"), values.number("curve", 0.0)
    factor = 1.0 + height * amount + curve * height * (1.0 - height)
    effect = int(values.number("effect_axis", 2.0))
    if effect not in range(3):
        raise NotSupportedError(f"its effect axis {effect} is not known")
    out = points.copy()
    for column in ((0,), (1,), (0, 1))[effect]:
        out[:, column] *= factor
    return out


@modifier(TWIST)
def twist(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Turn it about an axis, the more the higher."""
    return _along_axis(geometry, call, _twist)


def _twist(points: F64, values: Values, limits: _Limits) -> F64:
    if limits.length == 0.0:
        return points
    height = limits.within(points[:, 2]) / limits.length
    bias = values.number("bias", 0.0)
    if bias:
        share = min(max(1.0 - (bias + 100.0) / 200.0, 1e-5), 1.0 - 1e-5)
        height = np.sign(height) * np.abs(height) ** (np.log(share) / np.log(0.5))
    turn = np.radians(values.number("angle")) * height
    cosine, sine = np.cos(turn), np.sin(turn)
    x, y, z = points.T
    return np.column_stack([cosine * x + sine * y, cosine * y - sine * x, z])


@modifier(SKEW)
def skew(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Shift it sideways, the more the higher."""
    return _along_axis(geometry, call, _skew)


def _skew(points: F64, values: Values, limits: _Limits) -> F64:
    length = limits.high - limits.low if limits.on else limits.length
    out = points.copy()
    height = limits.within(points[:, 2])
    out[:, 0] += height * values.number("amount") / (length or _LEAST_LENGTH)
    return out


@modifier(SPHERIFY)
def spherify(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Move vertices towards a sphere about the middle of the box."""
    call.approximate(UNPROVED)
    share = Values(call.obj, call).number("percent") / 100.0
    low, high = context_box(call, geometry)
    middle, radius = 0.5 * (low + high), 0.5 * float((high - low).max())
    to = context_space(call)
    back = inverse(to)

    def function(points: F64) -> F64:
        away = moved(points, to) - middle
        away[~away.any(axis=1)] = 1.0
        with np.errstate(all="ignore"):
            distance = np.linalg.norm(away, axis=1)[:, None]
            return moved(middle + away * (1.0 + (radius / distance - 1.0) * share), back)

    return deform(geometry, function)


@modifier(NOISE)
def noise(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Leave what has no strength; the numbers of the noise itself are not known."""
    strength = numbers_at(call.obj, "strength", call.time)
    if strength is not None and not any(strength):
        return geometry
    raise NotSupportedError("the table of random numbers of its noise is not known")
