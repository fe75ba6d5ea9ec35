"""Scales of the bones of bipeds, which have none themselves: that of their objects counts.

A bone is compared with a reference bone, whose name has an ending behind that of the bone.
(spec: nel-export-rules, sections 1 and 4; quotients and places agree with real skeletons)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.biped.system import BipedController

if TYPE_CHECKING:
    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.nel.serial.kinds import Vec3
    from maxsidecar.scene.node import Node

__all__ = ["bone_scale", "divided", "is_biped", "reference_bone"]

#: Where the view keeps its nodes by name.
_BY_NAME: Final = "nodes by name"
_ONE: Final = (1.0, 1.0, 1.0)


def is_biped(node: Node | None) -> bool:
    """Return whether a node is part of a biped."""
    if node is None:
        return False
    try:
        return isinstance(node.controller, BipedController)
    except MaxSidecarError:
        return False


def reference_bone(view: SceneView, node: Node) -> Node | None:
    """Return the bone that a bone is compared with, if its flags name one.

    Its name is that of the bone with an ending behind.  Bones of bipeds have their scale from it,
    and all bones their bind pose.
    """
    flags = view.flags(node)
    ending = flags.text("EXPORT_BONE_SCALE_NAME_EXT")
    if flags.integer("EXPORT_BONE_SCALE") != 1 or not ending:
        return None
    by_name: dict[str, Node] | None = view.kept.get(_BY_NAME)
    if by_name is None:
        by_name = view.kept[_BY_NAME] = {}
        for other in view.all_nodes:
            by_name.setdefault(view.name(other), other)
    wanted = view.name(node) + ending
    if wanted not in by_name:
        view.tell(node, f"there is no reference bone {wanted!r}: the scale is 1")
    return by_name.get(wanted)


def bone_scale(view: SceneView, node: Node) -> Vec3:
    """Return the scale of a biped's bone: that of its object beside that of a reference bone."""
    reference = reference_bone(view, node)
    if reference is None:
        return _ONE
    own, other = _offset_scale(node), _offset_scale(reference)
    x, y, z = (a / b if b else a for a, b in zip(own, other, strict=True))
    return x, y, z


def _offset_scale(node: Node) -> Vec3:
    scale = node.offset_scale
    return _ONE if scale is None else (scale.x, scale.y, scale.z)


def divided(
    view: SceneView, above: Node | None, places: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return places below a node by the scale of that node, if it is a biped's bone.

    The game multiplies them by it.

    Args:
        view: The scene.
        above: What the places are relative to; ``None`` for the scene.
        places: (n, 3), units of the scene.
    """
    if above is None or not is_biped(above):
        return places
    by = np.array(bone_scale(view, above))
    return np.asarray(places / np.where(by == 0.0, 1.0, by), np.float64)
