"""Where nodes stand whose controllers cannot be evaluated: as they were bound, or set up.

CAT rigs and solvers pose their nodes by themselves.  Skin and Physique store the world matrix that
every joint had when the mesh was bound to it (docs/format/skin.md, section 5).  What nothing was
bound to stands in the setup pose of its CAT rig, or as the solver starts from
(docs/format/cat-and-ik.md, sections 3 and 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.other import IKControl, StandIn
from maxsidecar.scene.controllers.rotations import euler_quaternions, quaternion_to_matrix
from maxsidecar.scene.node import Node
from maxsidecar.scene.rigging.cat_controllers import CatNode
from maxsidecar.scene.rigging.cat_setup import setup_worlds
from maxsidecar.scene.rigging.ik import preferred_place
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.skin.joints import physique_joints, skin_joints
from maxsidecar.scene.skin.physique_views import Physique
from maxsidecar.scene.skin.skin_views import Skin
from maxsidecar.scene.transform import Pose

__all__ = [
    "BOUND",
    "PREFERRED",
    "SET_UP",
    "RestPose",
    "bind_matrices",
    "obstacle",
    "rest_matrices",
]

F64: TypeAlias = npt.NDArray[np.float64]

#: Poses that nodes rest in.
BOUND: Final = "as it was bound"
SET_UP: Final = "as the rig was set up"
PREFERRED: Final = "as the solver starts from"

#: Largest 32-bit float; files of exports hold nothing beyond.
_LARGEST: Final = float(np.finfo(np.float32).max)


@dataclass(slots=True)
class RestPose:
    """Nodes that stand as they were bound or set up.

    Attributes:
        matrices: (4, 4) relative to the parent, by storage index of the node: for
            :class:`~maxsidecar.scene.transform.Pose`.
        reasons: Why the controller is not asked, by storage index of the node.
        poses: Which pose it is, by storage index of the node: :data:`BOUND`, :data:`SET_UP` or
            :data:`PREFERRED`.
        unknown: Why the controller is not asked, for nodes that no pose is known of.
    """

    matrices: dict[int, F64] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    poses: dict[int, str] = field(default_factory=dict)
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
        parts = list(controller.parts())
        if isinstance(controller, StandIn):
            parts += [below for part in parts for below in part.parts()]
        for part in parts:
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
    move.  Below a node that nothing was bound to it stands where it was bound.  A node of a CAT rig
    that nothing was bound to stands to its parent as both were set up, and a joint of a solver as
    the solver starts from.

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
    setups: dict[int, F64] | None = None
    for _, node in scene.nodes.walk():
        reason = stuck.get(node.index)
        if reason is None:
            continue
        bind, kind = binds.get(node.index), BOUND
        local: F64 | None = None
        if bind is not None:
            local = _below(bind, node, binds, pose)
        elif isinstance(controller := _controller(node), CatNode):
            setups = setup_worlds(scene, time) if setups is None else setups
            world, kind = setups.get(node.index), SET_UP
            local = None if world is None else _below(world, node, setups, pose)
        elif isinstance(controller, IKControl):
            local, kind = _preferred(controller), PREFERRED
        if local is None or not (np.abs(local) <= _LARGEST).all():
            rest.unknown[node.index] = reason
            continue
        rest.matrices[node.index] = local
        rest.reasons[node.index] = reason
        rest.poses[node.index] = kind
    return rest


def _below(world: F64, node: Node, others: Mapping[int, F64], pose: Pose) -> F64 | None:
    """Return a matrix to the parent, where both stood; ``None`` for a flat parent."""
    above, parent = np.eye(4), node.parent
    if parent is not None:
        known = others.get(parent.index)
        above = pose.world(parent)[0] if known is None else known
    try:
        with np.errstate(all="ignore"):
            return world @ np.linalg.inv(above)
    except np.linalg.LinAlgError:
        return None


def _controller(node: Node) -> object:
    try:
        return node.controller
    except MaxSidecarError:
        return None


def _preferred(joint: IKControl) -> F64 | None:
    try:
        place = preferred_place(joint)
    except MaxSidecarError:
        return None
    if place is None or not np.isfinite(place).all():
        return None
    out = np.eye(4)
    out[:3, :3] = quaternion_to_matrix(euler_quaternions(np.array([place[3:]])))[0]
    out[3, :3] = place[:3]
    return out
