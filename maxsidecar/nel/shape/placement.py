"""Where a shape stands: the default transform, and the way of its vertices into its own space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.nel.serial.kinds import Vec3, Vec4
from maxsidecar.scene.controllers.rotations import matrix_to_quaternion
from maxsidecar.scene.node import Node
from maxsidecar.scene.transform import Pose

__all__ = [
    "Placement",
    "inverse",
    "move_normals",
    "move_points",
    "placement_of",
    "signed",
    "take_apart",
]

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

_IDENTITY: Final = np.eye(3)


@dataclass(frozen=True, slots=True)
class Placement:
    """Position, rotation and scale without animation.

    Attributes:
        position: Metres; the game takes a unit of the scene for one.
        rotation: Quaternion x, y, z, w as the plug-in writes it: without rotation it is
            (-0, -0, -0, -1).
        scale: Factors along the axes.
    """

    position: Vec3
    rotation: Vec4
    scale: Vec3


def placement_of(pose: Pose, node: Node) -> Placement:
    """Return the transform of a node relative to its parent.

    Scale that is turned against the axes of the node keeps its diagonal only, as in the plug-in
    (spec: nel-export-rules 3, 5).

    Args:
        pose: The nodes at the time of export.
        node: The node.

    Raises:
        DecodeError: The transform is not finite.
    """
    return take_apart(np.array(pose.local(node)[0]))


def take_apart(matrix: F64) -> Placement:
    """Return position, rotation and scale of a matrix for row vectors, (4, 4).

    Raises:
        DecodeError: It has values that are no finite 32-bit numbers.
    """
    with np.errstate(over="ignore"):
        if not np.isfinite(matrix.astype(np.float32)).all():
            raise DecodeError("the node's transform is not finite")
    turn, stretch, sign = _polar(matrix[:3, :3])
    x, y, z = matrix[3, :3].astype(np.float32).tolist()
    along_x, along_y, along_z = (sign * np.diagonal(stretch)).astype(np.float32).tolist()
    return Placement((x, y, z), _quaternion(turn), (along_x, along_y, along_z))


def _polar(linear: F64) -> tuple[F64, F64, float]:
    """Return rotation, symmetric stretch and sign with ``linear = sign · stretch · rotation``."""
    if np.array_equal(linear, _IDENTITY):
        return _IDENTITY, _IDENTITY, 1.0
    sign = -1.0 if np.linalg.det(linear) < 0.0 else 1.0
    left, sizes, right = np.linalg.svd(sign * linear)
    if np.linalg.det(left) * np.linalg.det(right) < 0.0:
        # A flat matrix: any rotation fits along the missing axis.
        left[:, 2] = -left[:, 2]
    return left @ right, (left * sizes) @ left.T, sign


def _quaternion(turn: F64) -> Vec4:
    """Return a rotation as the plug-in writes it."""
    x, y, z, w = signed(matrix_to_quaternion(turn)).astype(np.float32).tolist()
    return x, y, z, w


def signed(turns: F64) -> F64:
    """Return quaternions with the sign that those of the plug-in have.

    It negates the w of 3ds Max's quaternion, which is the conjugate of the usual one: the result
    is the negative of the usual one.  Which of the two that is depends on the matrix, as it is
    commonly done: w is positive where the trace is, else the largest of x, y and z.  (Measured:
    1,211 of 1,215 bones, where two parts of the other 4 are equally large; all 93 turns of
    animations, all 41 turned instances of groups that later tools did not turn again, all 100
    shapes.)

    Args:
        turns: Usual quaternions, (..., 4), of any sign.
    """
    parts, w = turns[..., :3], turns[..., 3]
    largest = np.take_along_axis(parts, np.abs(parts).argmax(-1)[..., None], -1)[..., 0]
    whole = np.einsum("...i,...i->...", turns, turns)
    usual = np.where(4.0 * w * w >= whole, w, largest) >= 0.0
    return np.where(usual[..., None], -turns, turns)


def inverse(matrix: F64) -> F64:
    """Return the inverse of a matrix, (4, 4); of a flat one what comes nearest."""
    try:
        return np.asarray(np.linalg.inv(matrix))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(matrix))


def move_points(points: F32, matrix: F64) -> F32:
    """Return points times a matrix, computed in single precision as 3ds Max does.

    Args:
        points: (n, 3) float32.
        matrix: (4, 4), for row vectors.
    """
    if np.array_equal(matrix[:3, :3], _IDENTITY):
        return points + matrix[3, :3].astype(np.float32)
    rows = matrix.astype(np.float32)
    x, y, z = (points[:, axis, None] * rows[axis, :3] for axis in range(3))
    return np.asarray(x + y + z + rows[3, :3], np.float32)


def move_normals(normals: F32, matrix: F64) -> F32:
    """Return normals by the inverse transpose of a matrix, of length 1.

    Args:
        normals: (..., 3) float32.
        matrix: (4, 4), for row vectors.
    """
    linear = matrix[:3, :3]
    if np.array_equal(linear, _IDENTITY):
        return normals
    try:
        inverse = np.linalg.inv(linear)
    except np.linalg.LinAlgError:
        return normals
    moved = normals.astype(np.float64) @ inverse.T
    length = np.linalg.norm(moved, axis=-1, keepdims=True)
    return np.asarray(moved / np.where(length > 0, length, 1.0), np.float32)
