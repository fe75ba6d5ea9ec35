"""Quaternions and matrices, vectorised.

Quaternions are x, y, z, w on the last axis.  Matrices are row-vector matrices, as 3ds Max has
them: a point is a row, ``p' = p · M``, and the translation is in the last row.

Files store the *conjugate* of the usual quaternion; functions here take and give usual ones.
(Measured: with any other reading the rotations of the glTF twins are off.)
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "EULER_ORDERS",
    "FloatArray",
    "conjugate",
    "continuous",
    "euler_quaternions",
    "matrix_to_quaternion",
    "multiply",
    "normalized",
    "quaternion_to_matrix",
    "slerp",
    "squad",
]

FloatArray: TypeAlias = npt.NDArray[np.float64]

#: In which order rotations about x, y, z apply, by the stored number.  Only 0 is measured; the
#: others are in the order of the public SDK constants.
EULER_ORDERS: Final = ("xyz", "xzy", "yzx", "yxz", "zxy", "zyx", "xyx", "yzy", "zxz")

_CONJUGATE: Final = np.array([-1.0, -1.0, -1.0, 1.0])


def conjugate(q: FloatArray) -> FloatArray:
    """Return the opposite rotations; turns stored quaternions into usual ones and back."""
    out: FloatArray = q * _CONJUGATE
    return out


def normalized(v: FloatArray, fallback: tuple[float, ...]) -> FloatArray:
    """Return vectors of length 1; ``fallback`` for those without a direction."""
    length = np.sqrt(np.einsum("...i,...i->...", v, v))[..., None]
    good = np.isfinite(length) & (length > 0.0)
    return np.where(good, v / np.where(good, length, 1.0), fallback)


def multiply(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the quaternion products ``a · b``: rotate by b, then by a."""
    ax, ay, az, aw = np.moveaxis(a, -1, 0)
    bx, by, bz, bw = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )


def quaternion_to_matrix(q: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Return the row-vector rotation matrices of quaternions: (..., 4) to (..., 3, 3).

    Args:
        q: The quaternions, of any length but 0.
        out: Where to write them, instead of into a new array.
    """
    x, y, z, w = np.ascontiguousarray(np.moveaxis(q, -1, 0))
    squares = x * x + y * y + z * z + w * w
    # Twice over the square of the length: no quaternion needs to be normalised first.
    good = np.isfinite(squares) & (squares > 0.0)
    k = np.where(good, 2.0 / np.where(good, squares, 1.0), 0.0)
    kx, ky, kz = k * x, k * y, k * z
    xx, xy, xz, xw = kx * x, kx * y, kx * z, kx * w
    yy, yz, yw, zz, zw = ky * y, ky * z, ky * w, kz * z, kz * w
    if out is None:
        out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0] = 1.0 - (yy + zz)
    out[..., 0, 1] = xy + zw
    out[..., 0, 2] = xz - yw
    out[..., 1, 0] = xy - zw
    out[..., 1, 1] = 1.0 - (xx + zz)
    out[..., 1, 2] = yz + xw
    out[..., 2, 0] = xz + yw
    out[..., 2, 1] = yz - xw
    out[..., 2, 2] = 1.0 - (xx + yy)
    return out


def matrix_to_quaternion(m: FloatArray) -> FloatArray:
    """Return the quaternions of row-vector rotation matrices: (..., 3, 3) to (..., 4).

    The largest of the four components is computed first, so that none is divided by little.
    """
    t = np.einsum("...ii->...i", m)
    xx, yy, zz = t[..., 0], t[..., 1], t[..., 2]
    squares = np.stack([1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz])
    turned = np.swapaxes(m, -1, -2)
    odd, even = m - turned, m + turned
    wx, wy, wz = odd[..., 1, 2], odd[..., 2, 0], odd[..., 0, 1]
    xy, xz, yz = even[..., 0, 1], even[..., 0, 2], even[..., 1, 2]
    candidates = np.stack(
        [
            np.stack([squares[0], xy, xz, wx], -1),
            np.stack([xy, squares[1], yz, wy], -1),
            np.stack([xz, yz, squares[2], wz], -1),
            np.stack([wx, wy, wz, squares[3]], -1),
        ]
    )
    best = np.argmax(squares, axis=0)
    chosen = np.take_along_axis(candidates, best[None, ..., None], axis=0)[0]
    return normalized(chosen, (0.0, 0.0, 0.0, 1.0))


def euler_quaternions(angles: FloatArray, order: str = "xyz") -> FloatArray:
    """Return the quaternions of Euler angles.

    Args:
        angles: Radians, shape (..., 3).  For an order of three different axes they are the angles
            about x, y and z, whatever the order; else those of the first, second and third turn.
        order: Axes in the order in which the turns apply, of :data:`EULER_ORDERS`.
    """
    half = np.ascontiguousarray(np.moveaxis(angles, -1, 0)) * 0.5
    sin, cos = np.sin(half), np.cos(half)
    if order == "xyz":
        (sx, sy, sz), (cx, cy, cz) = sin, cos
        cc, ss, sc, cs = cy * cz, sy * sz, sy * cz, cy * sz
        rows = np.stack(
            [sx * cc - cx * ss, cx * sc + sx * cs, cx * cs - sx * sc, cx * cc + sx * ss]
        )
        return np.moveaxis(rows, 0, -1)
    out: FloatArray | None = None
    for turn, name in enumerate(order):
        axis = "xyz".index(name)
        column = axis if len(set(order)) == 3 else turn
        q = np.zeros((*angles.shape[:-1], 4))
        q[..., axis] = sin[column]
        q[..., 3] = cos[column]
        out = q if out is None else multiply(q, out)
    return np.zeros((*angles.shape[:-1], 4)) if out is None else out


def slerp(a: FloatArray, b: FloatArray, u: FloatArray, *, shortest: bool) -> FloatArray:
    """Interpolate between quaternions on the sphere.

    Args:
        a: Where u is 0, shape (T, 4).
        b: Where u is 1.
        u: Shape (T,).
        shortest: Turn the short way round, whatever the signs of the quaternions; else as given.
    """
    dot = np.einsum("...i,...i->...", a, b)
    if shortest:
        b = np.where((dot < 0.0)[..., None], -b, b)
        dot = np.abs(dot)
    angle = np.arccos(np.clip(dot, -1.0, 1.0))
    sin = np.sin(angle)
    near = sin < 1e-9
    safe = np.where(near, 1.0, sin)
    wa = np.where(near, 1.0 - u, np.sin((1.0 - u) * angle) / safe)
    wb = np.where(near, u, np.sin(u * angle) / safe)
    return a * wa[..., None] + b * wb[..., None]


def squad(
    a: FloatArray, out: FloatArray, into: FloatArray, b: FloatArray, u: FloatArray
) -> FloatArray:
    """Interpolate smoothly between a and b with two control quaternions (measured: no flips)."""
    return slerp(
        slerp(a, b, u, shortest=False),
        slerp(out, into, u, shortest=False),
        2.0 * u * (1.0 - u),
        shortest=False,
    )


def continuous(q: FloatArray) -> FloatArray:
    """Flip signs so that each quaternion is on the same hemisphere as the one before: (T, 4)."""
    if len(q) < 2:
        return q
    dots: Any = np.einsum("ti,ti->t", q[1:], q[:-1])
    signs = np.cumprod(np.where(dots < 0.0, -1.0, 1.0))
    return np.concatenate([q[:1], q[1:] * signs[:, None]])
