"""Where a map lies on a surface: from 3ds Max's coordinates to samplers and texture transforms.

3ds Max moves a map by its offset, and turns and tiles it about the middle of the unit square, with
v upwards; glTF scales, turns and moves texture coordinates about the upper left corner, with v
downwards.  A positive angle turns the map counter-clockwise as it is seen (documented).  The order
of offset and tiling is likely, and no scene of the corpus has an offset; the order of turn and
tiling matters only for tilings that differ in u and v, which are said to be approximated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, isfinite, sin
from typing import Any, Final

from maxsidecar.gltf import model
from maxsidecar.scene.materials import Map, UVCoordinates, XYZCoordinates

__all__ = ["Placing", "placing_of", "texture_transform"]

_REPEAT, _CLAMP, _MIRROR = 10497, 33071, 33648
_MIRROR_U: Final = 1 << 2
_MIRROR_V: Final = 1 << 3


@dataclass(frozen=True, slots=True)
class Placing:
    """Where a map lies.

    Attributes:
        channel: Map channel of the mesh.
        transform: Of ``KHR_texture_transform``, as sorted pairs; empty when nothing changes.
        sampler: How it repeats.
        reason: What is not as in 3ds Max; empty if all is.
    """

    channel: int = 1
    transform: tuple[tuple[str, Any], ...] = ()
    sampler: model.Sampler = field(default=model.Sampler())
    reason: str = ""


def placing_of(found: Map, time: int = 0) -> Placing | None:
    """Return where a map lies; ``None`` for maps that lie on no texture coordinates of the mesh.

    Raises:
        DecodeError: It cannot be read.
    """
    coordinates = found.coordinates
    if coordinates is None:
        return Placing()
    if isinstance(coordinates, XYZCoordinates) or coordinates.environment:
        return None
    return _of_uv(coordinates, time)


def _of_uv(coordinates: UVCoordinates, time: int) -> Placing:
    offset = coordinates.offset(time) or (0.0, 0.0)
    tiling = coordinates.tiling(time) or (1.0, 1.0)
    angle = coordinates.angle(time) or 0.0
    reasons = []
    wraps = []
    scales = []
    mirrors = coordinates.flags & _MIRROR_U, coordinates.flags & _MIRROR_V
    for repeats, mirrored, times in zip(coordinates.repeats, mirrors, tiling, strict=True):
        # Mirrored, a tiling of 1 shows the map twice (documented).
        wraps.append(_MIRROR if mirrored else _REPEAT if repeats else _CLAMP)
        scales.append(times * 2 if mirrored else times)
    if _CLAMP in wraps:
        reasons.append("beyond its edge it is drawn on, where 3ds Max shows what is below")
    if angle and abs(scales[0]) != abs(scales[1]):
        reasons.append("it is turned and tiled unequally, whose order is not known")
    numbers = (*offset, *scales, angle)
    if not all(isfinite(number) for number in numbers):
        reasons.append("its coordinates are no numbers")
        offset, scales, angle = (0.0, 0.0), [1.0, 1.0], 0.0
    return Placing(
        channel=coordinates.map_channel,
        transform=texture_transform(offset, (scales[0], scales[1]), angle),
        sampler=model.Sampler(wrap_s=wraps[0], wrap_t=wraps[1]),
        reason="; ".join(reasons),
    )


def texture_transform(
    offset: tuple[float, float], tiling: tuple[float, float], angle: float
) -> tuple[tuple[str, Any], ...]:
    """Return the ``KHR_texture_transform`` of an offset, a tiling and an angle of 3ds Max.

    Args:
        offset: Along u and v, v upwards.
        tiling: How often the map repeats along u and v.
        angle: Radians, counter-clockwise.

    Returns:
        Its properties that are not the default.
    """
    # With v downwards the point that stays is (1/2 + u offset, 1/2 - v offset), and it goes to the
    # middle; between them the coordinates are scaled, and turned against the map.
    u, v = (0.5 + offset[0]) * tiling[0], (0.5 - offset[1]) * tiling[1]
    c, s = cos(-angle), sin(-angle)
    moved = (0.5 - (c * u + s * v), 0.5 - (c * v - s * u))
    out: dict[str, Any] = {}
    if max(abs(part) for part in moved) > 1e-9:
        out["offset"] = moved
    if angle:
        out["rotation"] = -angle
    if tiling != (1.0, 1.0):
        out["scale"] = tiling
    return tuple(sorted(out.items()))
