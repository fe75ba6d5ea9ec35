"""Colours and numbers of materials."""

from __future__ import annotations

from maxsidecar.scene.animated import numbers_at
from maxsidecar.scene.objects import SceneObject

__all__ = ["Color", "color_at", "inverted", "mean", "scaled"]

#: Red, green, blue.
Color = tuple[float, float, float]


def color_at(obj: SceneObject | None, name: str, time: int = 0) -> Color | None:
    """Return a colour parameter without its alpha; ``None`` when there is none.

    Raises:
        DecodeError: It cannot be read.
    """
    value = numbers_at(obj, name, time) if obj is not None else None
    return None if value is None or len(value) < 3 else (value[0], value[1], value[2])


def scaled(color: Color | None, factor: float | None) -> Color | None:
    """Return a colour times a factor; ``None`` when one of them is missing."""
    if color is None or factor is None:
        return None
    return color[0] * factor, color[1] * factor, color[2] * factor


def inverted(value: float | None) -> float | None:
    """Return 1 - a value: opacity of transparency, roughness of glossiness."""
    return None if value is None else 1.0 - value


def mean(color: Color | None) -> float | None:
    """Return the mean of red, green and blue."""
    return None if color is None else sum(color) / 3.0
