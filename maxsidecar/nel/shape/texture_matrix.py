"""Matrices that move textures, and what of a movement they hold without animation.

In the game v runs down, so that its matrices are turned over on both sides.
(spec: nel-export-rules 3.3; what animated materials take from a matrix: NeL's public sources)
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.serial.classes.basic import CMatrix
from maxsidecar.nel.serial.classes.material import CMaterial, CTexAnimTracks
from maxsidecar.nel.shape.material_state import TEXTURE_MATRIX

__all__ = ["still_movements", "user_matrix"]

#: For rows (u, v, 1): v becomes 1 - v.
_FLIP: Final = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 1.0, 1.0]])
_MIDDLE: Final = np.array([0.5, 0.5])
#: A matrix with translation, rotation and any scale, as the game writes one.
_STATE: Final = 1 | 2 | 8
_STAGES: Final = 4


def user_matrix(matrix: npt.NDArray[np.floating] | None) -> CMatrix:
    """Return the game's matrix of a texture.

    Args:
        matrix: (3, 3) for rows (u, v, 1) as in 3ds Max, or ``None`` where nothing is moved.
    """
    if matrix is None:
        return CMatrix()
    moved = _FLIP @ matrix @ _FLIP
    rotation = (
        float(moved[0, 0]), float(moved[1, 0]), 0.0,
        float(moved[0, 1]), float(moved[1, 1]), 0.0,
        0.0, 0.0, 1.0,
    )  # fmt: skip
    translation = float(moved[2, 0]), float(moved[2, 1]), 0.0
    return CMatrix(state=_STATE, rotation=rotation, translation=translation)


def still_movements(material: CMaterial) -> list[CTexAnimTracks]:
    """Return how the texture of each stage is shifted and repeated while nothing moves it.

    Stages without a matrix have no shift and one repetition.  The game stores no turn.
    """
    return [
        _movement(getattr(material, f"user_mat{stage}"))
        if material.flags & TEXTURE_MATRIX << stage
        else CTexAnimTracks()
        for stage in range(_STAGES)
    ]


def _movement(matrix: CMatrix) -> CTexAnimTracks:
    stored = np.eye(3)
    stored[:2, :2] = np.array(matrix.rotation, np.float64).reshape(3, 3)[:2, :2].T
    stored[2, :2] = matrix.translation[:2]
    moved = _FLIP @ stored @ _FLIP
    linear = moved[:2, :2]
    scale = np.sqrt((linear**2).sum(axis=0))
    shift = np.zeros(2)
    # A picture that is repeated 0 times shows one point: its shift cannot be told.
    if abs(np.linalg.det(linear)) > 0.0:
        shift = (_MIDDLE - moved[2, :2]) @ np.linalg.inv(linear) - _MIDDLE
    values = np.concatenate([shift, scale])
    if not np.isfinite(values.astype(np.float32)).all():
        return CTexAnimTracks()
    u, v, along_u, along_v = values.tolist()
    return CTexAnimTracks(u_trans=u, v_trans=v, u_scale=along_u, v_scale=along_v)
