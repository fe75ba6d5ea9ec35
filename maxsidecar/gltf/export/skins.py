"""Skins: joints, weights and inverse bind matrices from Skin and Physique.

A vertex in the world is ``v · mesh_bind · inverse(bind) · joint(t)`` for each of its joints.  glTF
knows ``p · inverse_bind_matrix · joint(t)``, whatever the place of the node that shows the mesh.
So skinned meshes are written as they were bound, in the world: ``p = v · mesh_bind``, and the
inverse bind matrix is ``inverse(bind)``, both in glTF's terms.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.axes import change_of_basis
from maxsidecar.gltf.export.joint_nodes import JointNodes, join_roots
from maxsidecar.gltf.export.repose import bend, move
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.skin.binding import limited
from maxsidecar.scene.skin.bindings import read_binding, skin_layers
from maxsidecar.scene.skin.carry import carry_binding
from maxsidecar.scene.skin.deform import blended_matrices, joint_matrices
from maxsidecar.scene.skin.rest import rest_matrices
from maxsidecar.scene.transform import Pose

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export, ExportedMesh
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.skin.binding import SkinBinding

__all__ = ["add_skins", "weight_attributes"]

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]

#: Joints in one pair of attributes.
_SET: Final = 4
#: Every vertex of a mesh has room for as many joints as the one with the most.  Where that makes
#: more than so many places, the strongest count: three times the limit that Skin starts with.
_MOST_PLACES: Final = 1 << 24
_MOST_INFLUENCES: Final = 64
#: Joints that numbers of 16 bits tell apart.
_MOST_JOINTS: Final = 0x10000
#: A written joint farther from the real one than this, by size of its matrix, is made up for.
_CLOSE: Final = 1e-5
#: Products of such numbers still fit into 32-bit floats.
_FARTHEST: Final = 1e18
#: Determinants below this are those of flat matrices.
_FLAT: Final = 1e-30


def add_skins(export: Export) -> None:
    """Give the exported meshes their skins."""
    if not export.meshes:
        return
    maker = _Maker(export)
    for index, made in export.meshes.items():
        maker.add(export.scene_nodes[index], made)
    maker.finish()


@dataclass(slots=True)
class _Line:
    """A line of the report that is not written yet."""

    node: Node
    class_name: str
    notes: list[str]
    skin: model.Skin


@dataclass(slots=True)
class _Skinned:
    """A glTF mesh with weights.

    Attributes:
        binding: Of its vertices.
        space: Where the space is in the world that a mesh is written in as it is at the first
            frame, (4, 4) row-vector matrix; ``None`` for one that is written as it was bound.
        turns: What bends it, (v, 4, 4) row-vector matrices for the vertices of the source; ``None``
            where nothing does.
    """

    binding: SkinBinding
    space: F64 | None = None
    turns: F64 | None = None


@dataclass
class _Maker:
    export: Export
    evaluator: Evaluator = field(init=False)
    pose: Pose = field(init=False)
    nodes: JointNodes = field(init=False)
    done: dict[int, _Skinned] = field(default_factory=dict)
    skins: list[model.Skin] = field(default_factory=list)
    lines: list[_Line] = field(default_factory=list)

    def __post_init__(self) -> None:
        scene = self.export.scene_file.scene
        self.evaluator = Evaluator(scene, self.export.time)
        self.pose = Pose(scene, self.export.time, self.export.rest)
        self.nodes = JointNodes(self.export, self.pose)

    @cached_property
    def reasons(self) -> dict[int, str]:
        """Why nodes stand where they were bound, by storage index."""
        return rest_matrices(self.export.scene_file.scene, self.export.time).reasons

    def add(self, node: Node, made: ExportedMesh) -> None:
        """Give a node its skin, if it has one."""
        line = ("skin", self.export.nodes[node.index].name, self.export.id_of(node))
        class_name = "?"
        try:
            found = skin_layers(node)
            if not found:
                return
            class_name = found[0].modifier.class_name
            with np.errstate(all="ignore"):
                skinned = self._skinned(node, made)
                if skinned is None:
                    return
                skin = self._skin(node, skinned)
                # Only now: a mesh without a skin stays as it is.
                if id(made.mesh) not in self.done:
                    self._write(made, skinned)
        except np.linalg.LinAlgError:
            reason = "a matrix has no inverse, or numbers that are none"
            self.export.report.left_out(*line, class_name, reason)
            return
        except MaxSidecarError as error:
            self.export.report.left_out(*line, class_name, str(error))
            return
        notes = [*skinned.binding.notes, *self._notes(node, skinned.binding)]
        self.export.nodes[node.index].skin = skin
        self.lines.append(_Line(node, class_name, notes, skin))

    def finish(self) -> None:
        """Join what must have one root, and write the report."""
        joined = join_roots(self.export, self.skins)
        for line in self.lines:
            if id(line.skin) in joined:
                line.notes.append("its joints had no common root: a node was added above them")
            name = self.export.nodes[line.node.index].name
            key, notes = self.export.id_of(line.node), list(dict.fromkeys(line.notes))
            if notes:
                self.export.report.approximated(
                    "skin", name, key, line.class_name, "; ".join(notes)
                )
            else:
                self.export.report.converted("skin", name, key, line.class_name)

    def _notes(self, node: Node, binding: SkinBinding) -> list[str]:
        out = []
        missing = [j.name for j in binding.joints if j.index not in self.export.nodes]
        if missing:
            out.append(f"joints that are not exported and stand still: {len(missing)}")
        resting = [joint for joint in binding.joints if joint.index in self.export.rest]
        if resting:
            why = self.reasons.get(resting[0].index, "they cannot be evaluated")
            out.append(f"joints that stand as they were bound: {len(resting)} ({why})")
        return out

    def _skinned(self, node: Node, made: ExportedMesh) -> _Skinned | None:
        """Return a mesh with its weights; those of a mesh that several nodes show once."""
        known = self.done.get(id(made.mesh))
        if known is not None:
            return known
        binding = read_binding(node)
        if binding is None:
            return None
        binding = carry_binding(binding, self.evaluator, node.object, made.source)
        most = int(binding.counts.max(initial=0))
        if most > _MOST_INFLUENCES and most * binding.vertex_count > _MOST_PLACES:
            note = f"of up to {most} joints of a vertex only the strongest {_MOST_INFLUENCES} count"
            binding = limited(binding, _MOST_INFLUENCES)
            binding.notes += (note,)
        self._check(made, binding)
        if self.export.options.bind == "first-frame":
            return _Skinned(binding, *self._bent(node, made, binding))
        return _Skinned(binding)

    def _write(self, made: ExportedMesh, skinned: _Skinned) -> None:
        """Put the vertices of a mesh where its skin wants them, and give them their weights."""
        binding = skinned.binding
        if skinned.space is not None and skinned.turns is not None:
            mirrored = bool(np.linalg.det(skinned.space[:3, :3]) < 0)
            bend(made, skinned.turns, mirrored=mirrored)
        else:
            # All meshes in the space in which they were bound, so that a joint has one inverse
            # bind matrix in all skins: readers keep one rest pose for each bone.
            basis = change_of_basis(self.export.scale)
            move(made, np.linalg.inv(made.to_gltf) @ binding.mesh_bind @ basis)
        count = max(len(binding.joints), 1)
        # Fronts and backs have the same vertices.
        weights = {id(v): weight_attributes(binding, v, count) for v in made.vertices}
        for primitive, vertices in zip(made.mesh.primitives, made.vertices, strict=True):
            primitive.attributes.update(weights[id(vertices)])
        self.done[id(made.mesh)] = skinned

    def _check(self, made: ExportedMesh, binding: SkinBinding) -> None:
        """Refuse what cannot be written, before anything is.

        Raises:
            DecodeError: There are more joints than glTF has numbers for.
            numpy.linalg.LinAlgError: A matrix has no inverse, or numbers that are too large.
        """
        joints = len(binding.joints)
        if joints > _MOST_JOINTS:
            raise DecodeError("too many joints for a skin", expected=_MOST_JOINTS, found=joints)
        change = np.linalg.inv(made.to_gltf) @ binding.mesh_bind
        inverses = np.linalg.inv(binding.bind)
        if not ((np.abs(change) <= _FARTHEST).all() and (np.abs(inverses) <= _FARTHEST).all()):
            raise np.linalg.LinAlgError
        np.linalg.inv(change)

    def _bent(self, node: Node, made: ExportedMesh, binding: SkinBinding) -> tuple[F64, F64]:
        """Return the space that a mesh is in, and what bends it into its pose at the first frame.

        Returns:
            (4, 4) and, for each vertex of the source, (v, 4, 4) row-vector matrices.

        Raises:
            numpy.linalg.LinAlgError: A matrix has no inverse, or numbers that are too large.
        """
        space = self.nodes.world(self.export.nodes[node.index])
        if abs(np.linalg.det(space[:3, :3])) < _FLAT:
            space = np.eye(4)
        world = joint_matrices(binding, self.pose)
        to_space = change_of_basis(self.export.scale) @ np.linalg.inv(space)
        matrices = np.linalg.inv(made.to_gltf) @ blended_matrices(binding, world) @ to_space
        if not (np.abs(matrices) <= _FARTHEST).all():
            raise np.linalg.LinAlgError
        return space, matrices

    def _skin(self, node: Node, skinned: _Skinned) -> model.Skin:
        binding, basis = skinned.binding, change_of_basis(self.export.scale)
        seen: dict[int, int] = {}
        joints: list[model.Node] = []
        matrices = np.empty((len(binding.joints), 4, 4))
        for number, joint in enumerate(binding.joints):
            again = seen[joint.index] = seen.get(joint.index, -1) + 1
            if binding.loose and number == len(binding.joints) - 1:
                target = self.nodes.holder(node, joints)
            else:
                target = self.nodes.node(joint, again)
            joints.append(target)
            written = self.nodes.world(target)
            flat = abs(np.linalg.det(written[:3, :3])) < _FLAT
            if skinned.space is not None and not flat:
                matrices[number] = skinned.space @ np.linalg.inv(written)
                continue
            made_up = np.eye(4) if flat else self._made_up(joint, written)
            inverse = np.linalg.inv(binding.bind[number])
            matrices[number] = np.linalg.inv(basis) @ inverse @ basis @ made_up
        if not (np.abs(matrices) <= _FARTHEST).all():
            raise np.linalg.LinAlgError
        columns = np.swapaxes(matrices, 1, 2).astype(np.float32)
        # Not a rounding error: glTF wants this row to be exact.
        columns[:, 3] = 0.0, 0.0, 0.0, 1.0
        return self._shared(node, joints, columns)

    def _made_up(self, joint: Node, written: F64) -> F64:
        """Return what makes up for a joint that glTF cannot put where it is, (4, 4).

        Sheared joints have only the nearest rotation and scale; joints that are cameras or lights
        are turned.
        """
        real = self.nodes.true_world(joint)
        if not np.isfinite(real).all():
            return np.eye(4)  # nobody knows where it is; that is told with its controllers
        if np.abs(real - written).max() <= _CLOSE * max(float(np.abs(real).max()), 1e-30):
            return np.eye(4)
        out: F64 = real @ np.linalg.inv(written)
        return out

    def _shared(
        self, node: Node, joints: list[model.Node], matrices: npt.NDArray[np.float32]
    ) -> model.Skin:
        """Return a skin; the same one for meshes that are bound in the same way."""
        key = [id(joint) for joint in joints]
        for skin in self.skins:
            size = float(np.abs(matrices).max(initial=0.0))
            if [id(joint) for joint in skin.joints] == key and np.allclose(
                skin.inverse_bind_matrices, matrices, rtol=0.0, atol=1e-6 * size
            ):
                return skin
        skin = model.Skin(joints, matrices, name=self.export.nodes[node.index].name)
        self.skins.append(skin)
        return skin


def weight_attributes(
    binding: SkinBinding, vertices: npt.NDArray[Any], joint_count: int
) -> dict[str, npt.NDArray[Any]]:
    """Return ``JOINTS_n`` and ``WEIGHTS_n`` of a primitive, four joints each, strongest first.

    Args:
        binding: Of the mesh's vertices.
        vertices: (n,) vertex of the mesh for each of the primitive.
        joint_count: Number of joints, which decides on the type of their numbers.

    Returns:
        (n, 4) uint8 or uint16, and (n, 4) float32 whose sums are 1 for each vertex.
    """
    counts = binding.counts
    most = int(counts[vertices].max(initial=1))
    width = -(-most // _SET) * _SET
    order = np.lexsort((-binding.weight, binding.vertex))
    rank = np.arange(len(order)) - binding.starts[:-1][binding.vertex[order]]
    joints = np.zeros((binding.vertex_count, max(int(counts.max(initial=1)), width)), np.int64)
    weights = np.zeros(joints.shape, np.float32)
    joints[binding.vertex[order], rank] = binding.joint[order]
    weights[binding.vertex[order], rank] = binding.weight[order]
    # Rounding goes to the strongest, and what is too small for float32 is no joint.
    joints[weights == 0] = 0
    rest = weights[:, 1:].sum(axis=1, dtype=np.float64)
    weights[:, 0] = np.where(weights[:, 0] > 0, 1.0 - rest, 0.0)
    kind = np.uint8 if joint_count <= 0x100 else np.uint16
    out: dict[str, npt.NDArray[Any]] = {}
    for number in range(width // _SET):
        part = slice(_SET * number, _SET * (number + 1))
        out[f"JOINTS_{number}"] = joints[vertices, part].astype(kind)
        out[f"WEIGHTS_{number}"] = weights[vertices, part]
    return out
