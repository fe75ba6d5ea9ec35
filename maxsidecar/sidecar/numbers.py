"""Numbers of 32 bits as the shortest decimals that mean them, and angles in degrees."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from struct import Struct

__all__ = ["degrees", "exact", "from_euler", "radians", "single", "to_euler"]

_F32 = Struct("<f")


def single(value: float) -> float | None:
    """Return the nearest number of 32 bits; ``None`` where there is no finite one."""
    try:
        found = float(_F32.unpack(_F32.pack(value))[0])
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _shortest(
    start: float, stored: float, back: Callable[[float], float | None], first: int = 1
) -> float | None:
    for digits in range(first, 18):
        short = float(f"{start:.{digits}g}")
        if back(short) == stored:
            return short
    return None


def exact(value: float) -> float:
    """Return the shortest decimal that is rounded to a stored number of 32 bits: 0.1 for 0.1f.

    Numbers that are none of 32 bits, infinities and NaN are returned as they are.
    """
    if value == 0.0 or not math.isfinite(value):
        return value
    if value.is_integer() and abs(value) < 1 << 24:
        return value
    # What 32 bits can tell apart takes between 6 and 9 digits, unless trailing ones are zeros,
    # which writing the number leaves out anyway.
    found = _shortest(value, value, single, 6)
    return value if found is None else found


def radians(value: float) -> float | None:
    """Return the number of 32 bits for an angle in degrees."""
    return single(math.radians(value))


def degrees(value: float) -> float | None:
    """Return the shortest angle in degrees that :func:`radians` takes back to a stored one."""
    if value == 0.0:
        return value
    if not math.isfinite(value):
        return None
    return _shortest(math.degrees(value), value, radians, 4)


def from_euler(angles: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the quaternion x, y, z, w of turns about x, then y, then z, in degrees."""
    sx, sy, sz = (math.sin(math.radians(angle) / 2) for angle in angles)
    cx, cy, cz = (math.cos(math.radians(angle) / 2) for angle in angles)
    return (
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
        cx * cy * cz + sx * sy * sz,
    )


def to_euler(quaternion: Sequence[float]) -> tuple[float, float, float]:
    """Return turns about x, then y, then z, in degrees, that make a quaternion."""
    x, y, z, w = quaternion
    sine = max(-1.0, min(1.0, 2 * (w * y - z * x)))
    if abs(sine) > 1 - 1e-9:
        return math.degrees(2 * math.atan2(x, w)), math.copysign(90.0, sine), 0.0
    about_x = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    about_z = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return math.degrees(about_x), math.degrees(math.asin(sine)), math.degrees(about_z)
