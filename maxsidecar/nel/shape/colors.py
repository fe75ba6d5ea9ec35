"""Colours as bytes, computed in single precision as the plug-in does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Rgba", "byte_of", "color_bytes", "rgba_of", "scaled_rgba", "truncated_rgba"]

Rgba = tuple[int, int, int, int]
F32 = npt.NDArray[np.float32]


def color_bytes(values: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Return numbers from 0 to 1 as bytes: × 255 + 0.5, clamped, truncated."""
    numbers = np.asarray(values, np.float32) * np.float32(255) + np.float32(0.5)
    return np.asarray(np.clip(np.nan_to_num(numbers), 0, 255), np.uint8)


def byte_of(value: float) -> int:
    """Return a number from 0 to 1 as a byte, rounded."""
    return int(color_bytes([value])[0])


def rgba_of(color: tuple[float, float, float], alpha: int = 255) -> Rgba:
    """Return a colour from 0 to 1 as bytes, rounded."""
    red, green, blue = color_bytes(color).tolist()
    return red, green, blue, alpha


def scaled_rgba(color: Rgba, factor: float) -> Rgba:
    """Return a colour of bytes times a factor, alpha too, truncated."""
    part = np.array(color, np.float32) / np.float32(255) * np.float32(factor)
    red, green, blue, alpha = _truncated(part)
    return red, green, blue, alpha


def truncated_rgba(color: tuple[float, float, float]) -> Rgba:
    """Return a colour from 0 to 1 as bytes, truncated, with alpha 255."""
    red, green, blue = _truncated(np.array(color, np.float32))
    return red, green, blue, 255


def _truncated(part: F32) -> list[int]:
    found: list[int] = np.clip(np.nan_to_num(part * np.float32(255)), 0, 255).astype(int).tolist()
    return found
