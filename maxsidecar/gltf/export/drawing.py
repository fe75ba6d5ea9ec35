"""Pixels of pictures, cut, put together and looked at; all are (height, width, 4) uint8."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, Where
from maxsidecar.gltf.export.pictures import Picture, resized
from maxsidecar.gltf.export.sources import Source

__all__ = [
    "Alpha",
    "Change",
    "alpha_kind",
    "cropped",
    "looks_like_normals",
    "packed",
    "picture_of",
    "source_key",
    "turned_normals",
    "values_of",
    "with_alpha",
    "with_opacity",
]

Pixels = npt.NDArray[np.uint8]
#: What an alpha does: nothing, cut out, or blend.
Alpha = Literal["none", "binary", "gradual"]
Change = Callable[[Pixels], Pixels]

#: How far from 0 and 255 an alpha may be that still only cuts out.
_EDGE: Final = 8
#: Mean of red and green, how far from it they may be, and least mean of blue, of normals.
_LEVEL, _SLACK, _BLUE = 128, 32, 190


def picture_of(source: Source) -> Picture:
    """Return the picture that was read for a map.

    Raises:
        DecodeError: There is none.
    """
    if source.picture is None:
        raise DecodeError("the picture was not read", Where(file=source.path))
    return source.picture


def source_key(source: Source) -> tuple[object, ...]:
    """Return what tells one use of a picture from others, as far as its pixels go."""
    factor = tuple(round(part, 9) for part in source.factor)
    where = source.alpha_source, source.alpha_is_value
    return (picture_of(source).path, source.crop, *where, factor)


def cropped(source: Source) -> Pixels:
    """Return the pixels of the part of a picture that is used.

    Raises:
        DecodeError: The file is damaged, or Pillow is missing.
    """
    pixels = picture_of(source).pixels()
    crop = source.crop
    if crop is None:
        return pixels
    height, width = pixels.shape[:2]
    left, right = _span(crop.u, crop.width, width)
    top, bottom = _span(crop.v, crop.height, height)
    if not crop.place:
        return pixels[top:bottom, left:right]
    # Placed: the whole picture, shrunk into that part, with nothing around it.
    out = np.zeros_like(pixels)
    out[top:bottom, left:right] = resized(pixels, right - left, bottom - top)
    return out


def _span(start: float, size: float, whole: int) -> tuple[int, int]:
    """Return first and last + 1 of at least one of some rows or columns."""
    fraction = start if 0.0 <= start <= 1.0 else 0.0
    first = min(round(fraction * whole), whole - 1)
    part = size if 0.0 <= size <= 1.0 else 1.0
    return first, min(max(round((fraction + part) * whole), first + 1), whole)


def alpha_kind(alpha: Pixels) -> Alpha:
    """Return what an alpha channel does."""
    if (alpha == 255).all():
        return "none"
    cuts = (alpha <= _EDGE) | (alpha >= 255 - _EDGE)
    return "binary" if cuts.all() else "gradual"


def values_of(source: Source) -> Pixels:
    """Return the values of a map where one number is wanted, (height, width).

    Raises:
        DecodeError: It cannot be read, or Pillow is missing.
    """
    pixels = cropped(source)
    if source.alpha_is_value and picture_of(source).has_alpha:
        return pixels[..., 3]
    return _brightness(pixels, source.factor)


def _brightness(pixels: Pixels, factor: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Pixels:
    """Return the mean of red, green and blue, each times a factor, (height, width)."""
    # Band by band, in no larger numbers than needed: pictures may be large.
    total = np.zeros(pixels.shape[:2], np.float32)
    for band, weight in enumerate(factor):
        total += pixels[..., band] * np.float32(weight / 3.0)
    return np.clip(np.rint(total, out=total), 0, 255).astype(np.uint8)


def with_alpha(source: Source) -> Pixels:
    """Return colours with their alpha from where the map says.

    Raises:
        DecodeError: It cannot be read, or Pillow is missing.
    """
    pixels = cropped(source).copy()
    if source.alpha_source == "rgb":
        pixels[..., 3] = _brightness(pixels)
    elif source.alpha_source == "none":
        pixels[..., 3] = 255
    return pixels


def with_opacity(base: Source | None, opacity: Source, inverted: bool) -> Pixels:
    """Return colours, white without a map, with the values of another map as their alpha.

    Raises:
        DecodeError: One cannot be read, or Pillow is missing.
    """
    alpha = values_of(opacity)
    if inverted:
        alpha = 255 - alpha
    height, width = alpha.shape
    if base is None:
        white = np.full((height, width, 3), 255, np.uint8)
        return np.dstack([white, alpha])
    colors = cropped(base)
    height, width = max(height, colors.shape[0]), max(width, colors.shape[1])
    out = resized(colors, width, height).copy()
    out[..., 3] = resized(_grey(alpha), width, height)[..., 0]
    return out


def packed(parts: Mapping[int, tuple[Source, Change | None]]) -> Pixels:
    """Return values of maps, changed, in the channels that are their keys; 255 in the others.

    Raises:
        DecodeError: One cannot be read, or Pillow is missing.
    """
    values = {band: values_of(source) for band, (source, _) in parts.items()}
    height = max(value.shape[0] for value in values.values())
    width = max(value.shape[1] for value in values.values())
    out = np.full((height, width, 4), 255, np.uint8)
    for band, value in values.items():
        change = parts[band][1]
        changed = value if change is None else change(value)
        out[..., band] = resized(_grey(changed), width, height)[..., 0]
    return out


def turned_normals(source: Source, red: bool, green: bool, swapped: bool) -> Pixels:
    """Return normals with red or green turned round, after both were exchanged if so.

    Raises:
        DecodeError: It cannot be read, or Pillow is missing.
    """
    pixels = cropped(source).copy()
    if swapped:
        pixels[..., [0, 1]] = pixels[..., [1, 0]]
    for band, turned in ((0, red), (1, green)):
        if turned:
            pixels[..., band] = 255 - pixels[..., band]
    pixels[..., 3] = 255
    return pixels


def looks_like_normals(source: Source) -> bool:
    """Return whether a picture is one of normals: on the whole they point outwards.

    Raises:
        DecodeError: It cannot be read, or Pillow is missing.
    """
    red, green, blue = cropped(source)[..., :3].reshape(-1, 3).mean(axis=0)
    return bool(abs(red - _LEVEL) < _SLACK and abs(green - _LEVEL) < _SLACK and blue > _BLUE)


def _grey(values: Pixels) -> Pixels:
    return np.repeat(values[..., None], 4, axis=-1)
