"""Rotations as the formulas of biped rigs need them: column-vector matrices, (T, 3, 3)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.controllers.rotations import quaternion_to_matrix

__all__ = [
    "MIRROR",
    "QUARTER",
    "UP",
    "about_x",
    "about_y",
    "about_z",
    "half_turn",
    "link_turn",
    "mirrored",
    "of_quaternion",
    "transposed",
]

Array = npt.NDArray[np.float64]

#: The plug-in's axes (Y up) to those of 3ds Max: (x, y, z) to (x, -z, y).
UP: Final = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
#: Left to right.
MIRROR: Final = np.diag([1.0, 1.0, -1.0])


def of_quaternion(q: npt.ArrayLike) -> Array:
    """Return the rotations of quaternions x, y, z, w: (..., 4) to (..., 3, 3)."""
    return transposed(quaternion_to_matrix(np.asarray(q, np.float64)))


def transposed(m: Array) -> Array:
    """Return the inverse of rotations."""
    return np.swapaxes(m, -1, -2)


def mirrored(m: Array) -> Array:
    """Return rotations of one side as the other side has them."""
    out: Array = MIRROR @ m @ MIRROR
    return out


def _about(angles: npt.ArrayLike, first: int, second: int) -> Array:
    angle = np.asarray(angles, np.float64)
    out = np.zeros((*angle.shape, 3, 3))
    third = 3 - first - second
    sin, cos = np.sin(angle), np.cos(angle)
    out[..., third, third] = 1.0
    out[..., first, first] = out[..., second, second] = cos
    out[..., first, second] = -sin
    out[..., second, first] = sin
    return out


def about_x(angles: npt.ArrayLike) -> Array:
    """Return right-handed rotations about x."""
    return _about(angles, 1, 2)


def about_y(angles: npt.ArrayLike) -> Array:
    """Return right-handed rotations about y."""
    return _about(angles, 2, 0)


def about_z(angles: npt.ArrayLike) -> Array:
    """Return right-handed rotations about z."""
    return _about(angles, 0, 1)


def half_turn(angles: Array) -> Array:
    """Return half turns about the axes (cos a, 0, sin a): (T,) to (T, 3, 3)."""
    axis = np.stack([np.cos(angles), np.zeros_like(angles), np.sin(angles)], axis=-1)
    out: Array = 2.0 * axis[..., :, None] * axis[..., None, :] - np.eye(3)
    return out


def link_turn(angles: npt.ArrayLike) -> Array:
    """Return the rotations of links of spine, neck, tail and ponytails: (..., 3) to (..., 3, 3)."""
    a = np.asarray(angles, np.float64)
    out: Array = about_x(a[..., 2]) @ about_z(-a[..., 0]) @ about_y(a[..., 1])
    return out


#: From a biped's centre of mass to its pelvis.
QUARTER: Final = of_quaternion([0.5, 0.5, 0.5, -0.5])
