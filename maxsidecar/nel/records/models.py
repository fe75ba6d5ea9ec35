"""A shape with its skeleton and its animation as one record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxsidecar.errors import DecodeError
from maxsidecar.nel.records.meshes import mesh_of
from maxsidecar.nel.records.skeletons import bones_of, motion_of, motion_of_mesh
from maxsidecar.scene.records import ModelRecord

if TYPE_CHECKING:
    from maxsidecar.nel.serial.classes.animation import CAnimation
    from maxsidecar.nel.serial.classes.skeleton import CSkeletonShape

__all__ = ["model_of"]


def model_of(
    content: Any,
    *,
    name: str = "",
    skeleton: CSkeletonShape | None = None,
    animation: CAnimation | None = None,
    motion_name: str = "",
) -> ModelRecord:
    """Return what is to be shown.

    Args:
        content: A shape, or a skeleton.
        name: Name of the model.
        skeleton: Skeleton of the shape.
        animation: Animation of the skeleton, or of the shape where there is none.
        motion_name: Name of the motion.

    Raises:
        DecodeError: There are two skeletons, the shape is no mesh, or one of them is damaged.
    """
    out = ModelRecord(name)
    # Files may hold numbers that no calculation survives; what matters is checked.
    with np.errstate(all="ignore"):
        _fill(out, content, skeleton, animation, motion_name)
    return out


def _fill(
    out: ModelRecord,
    content: Any,
    skeleton: CSkeletonShape | None,
    animation: CAnimation | None,
    motion_name: str,
) -> None:
    if type(content).__name__ == "CSkeletonShape":
        if skeleton is not None:
            raise DecodeError("there are two skeletons")
        skeleton = content
    else:
        out.mesh = mesh_of(content, out.notes)
    if skeleton is not None:
        out.bones = bones_of(skeleton)
    if animation is not None and skeleton is not None:
        out.motion = motion_of(skeleton, animation, out.notes, motion_name)
    elif animation is not None and out.mesh is not None:
        out.motion = motion_of_mesh(out.mesh, animation, out.notes, motion_name)
    if animation is not None and out.motion is None:
        out.notes.append("the animation moves nothing of this")
