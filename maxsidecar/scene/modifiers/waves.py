"""Ripple and Wave: sine waves along z (docs/format/modifiers-unproved.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.deform import UNPROVED
from maxsidecar.scene.modifiers.spaces import deform, inverse, modifier_space, moved

__all__ = ["RIPPLE", "WAVE", "ripple", "wave"]

F64: TypeAlias = npt.NDArray[np.float64]

RIPPLE: Final = (0x45, 0)
WAVE: Final = (0x47, 0)


@dataclass(frozen=True, slots=True)
class _Waves:
    """What both have.

    Attributes:
        first: Amplitude along x.
        second: Amplitude along y.
        length: From crest to crest, not 0.
        phase: In waves: whole numbers change nothing.
        decay: How fast the amplitude falls with the distance.
    """

    first: float
    second: float
    length: float
    phase: float
    decay: float

    def heights(self, distance: F64) -> F64:
        """Return how high a wave of amplitude 1 is at a distance."""
        turns = np.fmod(distance / self.length, 1.0) + np.fmod(self.phase, 1.0)
        out: F64 = np.sin(2.0 * np.pi * turns) * np.exp(-self.decay * np.abs(distance))
        return out


def _waves(call: ModifierCall) -> _Waves:
    values = Values(call.obj, call)
    waves = _Waves(
        values.number("amplitude1"),
        values.number("amplitude2"),
        values.number("wavelength"),
        values.number("phase", 0.0),
        values.number("decay", 0.0),
    )
    if not waves.length:
        raise NotSupportedError("its wave length is 0")
    return waves


def _raised(geometry: Geometry, call: ModifierCall, rise: Callable[[F64], F64]) -> Geometry:
    """Move points along z, where the modifier works.

    Args:
        geometry: What is below.
        call: The evaluation.
        rise: Makes of points how far they move up.
    """
    to = modifier_space(call)
    back = inverse(to)

    def function(points: F64) -> F64:
        with np.errstate(all="ignore"):
            out = moved(points, to)
            out[:, 2] += rise(out)
            return moved(out, back)

    new = deform(geometry, function)
    call.approximate(UNPROVED)
    return new


@modifier(RIPPLE)
def ripple(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Make rings of waves around the centre."""
    waves = _waves(call)

    def rise(points: F64) -> F64:
        squares = points[:, :2] ** 2
        distance = np.sqrt(squares.sum(axis=1))
        share = np.divide(
            squares[:, 0], distance**2, out=np.ones(len(points)), where=distance > 0.0
        )
        out: F64 = (waves.first * share + waves.second * (1.0 - share)) * waves.heights(distance)
        return out

    new = _raised(geometry, call, rise)
    if waves.first != waves.second:
        call.approximate("how its two amplitudes blend between the axes is not public")
    return new


@modifier(WAVE)
def wave(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Make straight waves along y."""
    waves = _waves(call)
    if waves.first != waves.second:
        raise NotSupportedError("how its two amplitudes blend is not public")
    return _raised(geometry, call, lambda points: waves.first * waves.heights(points[:, 1]))
