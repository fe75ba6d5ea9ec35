"""Skeletons (``.skel``): the bones below ``Bip01``, as they stand when the biped is in figure mode.

(spec: nel-export-rules, sections 2 and 4; levels of detail checked on real skeletons.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.nel.animation.bone_scale import bone_scale, divided, is_biped, reference_bone
from maxsidecar.nel.export.registry import (
    Failure,
    Job,
    LeftOut,
    Process,
    Product,
    Stage,
    Step,
    register,
)
from maxsidecar.nel.serial.classes.basic import CMatrix
from maxsidecar.nel.serial.classes.skeleton import CBoneBase, CSkeletonLod, CSkeletonShape
from maxsidecar.nel.serial.classes.streams import CShapeStream
from maxsidecar.nel.serial.formats import NelFile
from maxsidecar.nel.shape.placement import take_apart
from maxsidecar.nel.shape.skin import bone_names
from maxsidecar.scene.controllers.composite import PRS, SCALE, LookAt
from maxsidecar.scene.matrices import turn_of
from maxsidecar.scene.transform import Pose

if TYPE_CHECKING:
    import numpy.typing as npt

    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.scene.node import Node

__all__ = ["bones_below", "export", "find_root", "lods_of"]

_ROOT: Final = "bip01"
_ON: Final = 255
#: A matrix with translation, rotation and any scale, as the game writes one.
_STATE: Final = 1 | 2 | 8


def export(job: Job) -> Iterator[Step]:
    """Yield the skeleton of the scene, if it has a biped of that name."""
    view = job.view
    root = find_root(view)
    nodes, _ = ([], []) if root is None else bones_below(view, root)
    below = {node.index for node in nodes}
    for node in view.nodes:
        if node.index not in below:
            yield LeftOut(node, "it is not below Bip01")
    if root is None:
        return
    try:
        skeleton, notes = _skeleton(view, root)
    except MaxSidecarError as error:
        yield Failure(root, error.message)
        return
    yield Product(
        job.stem,
        ".skel",
        NelFile("skel", CShapeStream(shape=skeleton)),
        nodes,
        (),
        notes,
        lower=False,
    )


def find_root(view: SceneView) -> Node | None:
    """Return the node that the scripts look for, ``None`` where there is none.

    MAXScript does not mind the case of its name; of several the first counts.
    """
    return next((node for node in view.nodes if view.name(node).lower() == _ROOT), None)


def bones_below(view: SceneView, root: Node) -> tuple[list[Node], list[str]]:
    """Return a node and all below it, from the top down, and the names of their bones."""
    numbers, names = bone_names(root)
    nodes = [view.scene.nodes[index] for index in sorted(numbers, key=lambda i: numbers[i])]
    return nodes, names


def _skeleton(view: SceneView, root: Node) -> tuple[CSkeletonShape, dict[int, list[str]]]:
    pose = Pose(view.scene, view.time, figure=True)
    nodes, names = bones_below(view, root)
    numbers = {node.index: number for number, node in enumerate(nodes)}
    pose.prepare(nodes)
    bones: list[CBoneBase] = []
    notes: dict[int, list[str]] = {}
    taken: set[str] = set()
    for node, name in zip(nodes, names, strict=True):
        above = None if node is root else node.parent
        father = -1 if above is None else numbers.get(above.index, -1)
        try:
            bones.append(_bone(view, pose, node, above, name, father))
        except MaxSidecarError as error:
            raise DecodeError(f"{name}: {error.message}") from error
        notes[node.index] = _doubts(view, pose, node)
        if name != view.name(node):
            notes[node.index].append(f"its name is taken, so it is {name!r} in the skeleton")
        if name in taken:
            notes[node.index].append(f"{name!r} is taken, too: what is after it finds the last one")
        taken.add(name)
    for bone in bones:
        if bone.father_id >= 0:
            limit = bones[bone.father_id].lod_disable_distance
            own = bone.lod_disable_distance
            if limit and (own == 0.0 or own > limit):
                bone.lod_disable_distance = limit
    order = {bone.name: number for number, bone in enumerate(bones)}
    made = CSkeletonShape(bones=bones, bone_map=dict(sorted(order.items())), lods=lods_of(bones))
    return made, notes


def lods_of(bones: Sequence[CBoneBase]) -> list[CSkeletonLod]:
    """Return the levels of detail: which bones still move at which distance."""
    limits = np.array([bone.lod_disable_distance for bone in bones])
    distances = sorted({0.0, *(d for d in limits.tolist() if d > 0.0)})
    out = []
    for distance in distances:
        active = (limits == 0.0) | (limits > distance) if distance else np.ones(len(bones), bool)
        out.append(
            CSkeletonLod(distance=distance, active_bones=np.where(active, _ON, 0).astype(np.uint8))
        )
    return out


def _bone(
    view: SceneView, pose: Pose, node: Node, above: Node | None, name: str, father: int
) -> CBoneBase:
    flags = view.flags(node)
    world = np.array(pose.world(node)[0])
    reference = reference_bone(view, node)
    bound = world if reference is None else np.array(pose.world(reference)[0])
    local = take_apart(np.array(pose.local(node)[0]))
    take_apart(bound)  # raises where it is not finite
    # That a biped's own root has no father's scale is measured on all real skeletons.
    unherit = is_biped(node.parent) or (above is None and is_biped(node)) or _drops_scale(node)
    if is_biped(node):
        scale = bone_scale(view, node)
    else:
        scale = take_apart(world).scale if unherit else local.scale
    x, y, z = divided(view, above, np.array([local.position]))[0].tolist()
    bone = CBoneBase(
        name=name,
        inv_bind_pos=_matrix(_inverse(view, node, bound)),
        father_id=father,
        unherit_scale=unherit,
        lod_disable_distance=max(flags.number("BONE_LOD_DISTANCE"), 0.0),
        default_pos=(0.0, 0.0, 0.0) if above is None else (x, y, z),
        default_rot_quat=(0.0, 0.0, 0.0, 1.0) if above is None else local.rotation,
        default_scale=scale,
    )
    return bone


def _drops_scale(node: Node) -> bool:
    """Return whether a node's flags keep any of its parent's scale away."""
    try:
        controller = node.controller
        return isinstance(controller, PRS | LookAt) and bool(controller.inheritance & SCALE)
    except MaxSidecarError:
        return False


def _inverse(
    view: SceneView, node: Node, matrix: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the inverse of a matrix; that of its turn and place where it is flat."""
    if np.linalg.matrix_rank(matrix[:3, :3]) < 3:
        view.tell(node, "it is scaled to nothing: the bind pose leaves its scale out")
        matrix = matrix.copy()
        matrix[:3, :3] = turn_of(matrix[None, :3, :3])[0]
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _matrix(rows: npt.NDArray[np.float64]) -> CMatrix:
    """Return a row-vector matrix as the game has it."""
    rotation = tuple(rows[:3, :3].T.astype(np.float32).ravel().tolist())
    x, y, z = rows[3, :3].astype(np.float32).tolist()
    return CMatrix(state=_STATE, rotation=rotation, translation=(x, y, z))


def _doubts(view: SceneView, pose: Pose, node: Node) -> list[str]:
    out = view.problems(node)
    keys = [node.index]
    try:
        controller = node.controller
        if controller is not None:
            keys.append(controller.index)
    except MaxSidecarError:
        pass
    return [*out, *(pose.problems[key] for key in keys if pose.problems.get(key))]


register(
    Process(
        "skel",
        "skeletons",
        export,
        Stage(
            "skel", (("SkelSourceDirectories", "SkelExportDirectory"),), "SkelTagExportDirectory"
        ),
    )
)
