"""Where joints stand whose controllers cannot be evaluated: as they were bound.

Bipeds, CAT rigs and solvers pose their nodes by themselves.  Skin and Physique store the world
matrix that every joint had when the mesh was bound to it (docs/format/skin.md, section 5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.node import Node
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.joints import physique_joints, skin_joints
from maxsidecar.scene.skin.physique_views import Physique
from maxsidecar.scene.skin.skin_views import Skin
from maxsidecar.scene.transform import Pose

__all__ = ["RestPose", "bind_matrices", "obstacle", "rest_matrices"]

F64: TypeAlias = npt.NDArray[np.float64]


@dataclass(slots=True)
class RestPose:
    """Nodes that stand as they were bound.

    Attributes:
        matrices: (4, 4) relative to the parent, by storage index of the node: for
            :class:`~maxsidecar.scene.transform.Pose`.
        reasons: Why the controller is not asked, by storage index of the node.
        unknown: The same for nodes that no modifier was bound to: where they stand is not known.
    """

    matrices: dict[int, F64] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    unknown: dict[int, str] = field(default_factory=dict)


def obstacle(node: Node) -> str | None:
    """Return why a node's transform controller gives no place; ``None`` when it does.

    A controller whose value is only in doubt is asked all the same.
    """
    try:
        controller = node.controller
        if not isinstance(controller, Controller):
            return None
        if controller.obstacle is not None:
            return controller.obstacle
        for part in controller.parts():
            if part.obstacle is not None:
                return f"{part.class_name}: {part.obstacle}"
    except MaxSidecarError as error:
        return f"damaged: {error.message}"
    return None


def bind_matrices(scene: Scene) -> dict[int, F64]:
    """Return the world matrix that each joint of the scene was bound with.

    Where modifiers were bound at different poses, the one with the most joints counts.

    Returns:
        (4, 4) by storage index of the node.
    """
    found: list[Mapping[int, F64]] = []
    for obj in scene.of_superclass(0x810):
        try:
            if isinstance(obj, Skin):
                joints = skin_joints(obj)
            elif isinstance(obj, Physique):
                joints = physique_joints(obj)
            else:
                continue
        except MaxSidecarError:
            continue  # told where the modifier itself is looked at
        matrices: dict[int, F64] = {}
        for joint in joints:
            if joint is not None and joint.own:
                matrices.setdefault(joint.node.index, joint.bind)
        found.append(matrices)
    out: dict[int, F64] = {}
    for mapping in sorted(found, key=len, reverse=True):
        for index, matrix in mapping.items():
            out.setdefault(index, matrix)
    return out


def rest_matrices(scene: Scene, time: int = 0) -> RestPose:
    """Return where nodes stand whose controllers cannot be evaluated.

    A joint stands to its parent as both were bound, so that it goes along with a parent that does
    move.  Below a node that nothing was bound to it stands where it was bound.

    Args:
        scene: The scene.
        time: Ticks, for parents that nothing was bound to.
    """
    rest = RestPose()
    stuck = {node.index: reason for node in scene.nodes.values() if (reason := obstacle(node))}
    if not stuck:
        return rest
    binds = bind_matrices(scene)
    # It sees the matrices that are still to come: nodes come from the top down.
    pose = Pose(scene, time, rest.matrices)
    for _, node in scene.nodes.walk():
        reason = stuck.get(node.index)
        if reason is None:
            continue
        bind, parent = binds.get(node.index), node.parent
        if bind is None:
            rest.unknown[node.index] = reason
            continue
        above = np.eye(4)
        if parent is not None:
            known = binds.get(parent.index)
            above = pose.world(parent)[0] if known is None else known
        try:
            rest.matrices[node.index] = bind @ np.linalg.inv(above)
        except np.linalg.LinAlgError:
            rest.unknown[node.index] = reason
            continue
        rest.reasons[node.index] = reason
    return rest
