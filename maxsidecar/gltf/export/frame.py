"""From a node's position, rotation and scale in the scene to those of its node in glTF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.gltf.axes import TURN
from maxsidecar.scene.controllers.rotations import conjugate, multiply

__all__ = ["Frame"]

Array = npt.NDArray[np.float64]

#: ``(x, y, z)`` becomes ``(x, z, -y)``.
_ORDER: Final = [0, 2, 1]
_SIGNS: Final = np.array([1.0, 1.0, -1.0])


@dataclass(frozen=True, slots=True)
class Frame:
    """How a node's own space and its parent's are turned in glTF, beside the change of axes.

    Cameras and lights look along -Z in both worlds, so that the axes of such a node are others
    than those of a mesh in its place.

    Attributes:
        scale: Metres in a unit of the scene.
        own: Quaternion from the node's axes in glTF to those that a mesh in its place would have.
        parent: The same of the parent.
    """

    scale: float
    own: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    parent: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    def linear(self) -> Array:
        """Return the (3, 3) row-vector matrix that turns positions of the scene into glTF's."""
        return TURN * self.scale @ _matrix(self.parent)

    def positions(self, values: Array) -> Array:
        """Return positions, or their slopes, below the parent."""
        return values @ self.linear()

    def rotations(self, values: Array) -> Array:
        """Return quaternions, (k, 4)."""
        changed = values[:, [*_ORDER, 3]]
        changed[:, :3] *= _SIGNS
        if self.parent[3] != 1.0:
            changed = multiply(conjugate(np.array([self.parent])), changed)
        if self.own[3] != 1.0:
            changed = multiply(changed, np.array([self.own]))
        return changed

    def scales(self, values: Array) -> Array:
        """Return scale factors, or their slopes, along the node's axes in glTF."""
        axes: Array = np.abs(TURN) @ np.abs(np.round(_matrix(self.own), 9))
        out: Array = values @ axes
        return out

    def matrices(self, local: Array) -> Array:
        """Return column-vector matrices from row-vector ones below the parent: (k, 4, 4)."""
        out = np.zeros(local.shape)
        # The change of axes moves numbers about, and turns the sign of one of three.
        moved = local[:, :3, :3][:, _ORDER][:, :, _ORDER] * np.outer(_SIGNS, _SIGNS)
        out[:, :3, :3] = np.swapaxes(moved, 1, 2)
        out[:, :3, 3] = local[:, 3, _ORDER] * (_SIGNS * self.scale)
        out[:, 3, 3] = 1.0
        if self.own[3] != 1.0:
            out[:, :3, :3] = out[:, :3, :3] @ _matrix(self.own)
        if self.parent[3] != 1.0:
            out[:, :3] = _matrix(self.parent).T @ out[:, :3]
        return out


def _matrix(quaternion: Sequence[float]) -> Array:
    """Return the column-vector matrix of a quaternion."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
