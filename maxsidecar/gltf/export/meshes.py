"""Meshes of the nodes: nodes with the same object, object offset and materials share one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.axes import change_of_basis
from maxsidecar.gltf.export.channels import texture_channels
from maxsidecar.gltf.export.context import Export, ExportedMesh
from maxsidecar.gltf.export.extras import object_extras
from maxsidecar.gltf.export.nodes import residue, shears_its_mesh
from maxsidecar.gltf.export.polygons import polygon_extras
from maxsidecar.gltf.export.primitives import Built, build_primitives, line_primitive
from maxsidecar.scene.geometry.pipeline import (
    Evaluation,
    Evaluator,
    NotSupportedError,
    Skipped,
)
from maxsidecar.scene.geometry.primitives.cat import CAT_BONE, CAT_HUB
from maxsidecar.scene.geometry.shapes.outlines import outlines
from maxsidecar.scene.geometry.spline import Shape
from maxsidecar.scene.skin.morpher_views import MORPHER
from maxsidecar.scene.skin.physique_views import PHYSIQUE
from maxsidecar.scene.skin.skin_views import SKIN
from maxsidecar.scene.transform import object_offset

if TYPE_CHECKING:
    from maxsidecar.scene.geometry.mesh import Mesh
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.objects import SceneObject

__all__ = ["MaterialSlots", "Materials", "add_meshes"]

F64 = npt.NDArray[np.float64]

#: Objects that 3ds Max draws bones as: Bone, Biped Object, CATBone and the hub of CAT.
_BONES: Final = frozenset({(0x28BF6E8D, 0x2ECCA840), (0x9125, 0), CAT_BONE, CAT_HUB})
#: Modifiers that become skins and morph targets, and are reported there.
_ELSEWHERE: Final = frozenset({SKIN, PHYSIQUE, MORPHER})
#: Superclasses of modifiers: of objects, and of the world.
_MODIFIERS: Final = frozenset({0x810, 0x820})
_BAD_FACES: Final = "faces use vertices that are not there"
_CURVES: Final = "curves are written as straight pieces, with as many steps as the scene has"
_NO_FACES: Final = "it has no faces"
_BONE: Final = "bones are nodes; the shapes that 3ds Max draws them as are not wanted"


class MaterialSlots(Protocol):
    """The materials of a node."""

    def material(self, material_id: int) -> model.Material | None:
        """Return the material for a material id."""

    def back(self, material_id: int) -> model.Material | None:
        """Return the material of the backs of such faces, if they have one of their own."""


class Materials(Protocol):
    """The materials of an export."""

    def for_node(self, node: Node, channels: Sequence[int] | None = None) -> MaterialSlots:
        """Return the materials of a node whose mesh has some map channels."""


def add_meshes(export: Export, materials: Materials | None) -> None:
    """Give the nodes their meshes."""
    if export.options.rig_only:
        return
    maker = _Maker(export, materials)
    for index, node in export.scene_nodes.items():
        if index not in export.bare:
            maker.add(node)


class _Maker:
    def __init__(self, export: Export, materials: Materials | None) -> None:
        self.export = export
        self.materials = materials
        self.evaluator = Evaluator(export.scene_file.scene, export.time)
        self._made: dict[tuple[object, ...], ExportedMesh | model.Mesh] = {}
        self._reasons: dict[tuple[object, ...], list[str]] = {}

    def add(self, node: Node) -> None:
        """Give a node its mesh, if it has one."""
        export, name = self.export, self.export.nodes[node.index].name
        try:
            obj, base = node.object, node.base_object
        except MaxSidecarError as error:
            line = ("mesh", name, export.id_of(node), "?")
            export.report.left_out(*line, f"the object cannot be read: {error.message}")
            return
        if obj is None or base is None:
            return
        if _class_of(base) in _BONES and not export.options.bone_meshes:
            line = ("mesh", name, export.id_of(node), base.class_name)
            export.report.approximated(*line, _BONE)
            return
        evaluation = self.evaluator.node(node)
        shape = evaluation.geometry
        mesh = None
        if not isinstance(shape, Shape) or shape.rendering is not None:
            mesh = evaluation.mesh  # may add to what is skipped
        modifiers, notes, faults = self._skipped(evaluation)
        if isinstance(shape, Shape) and shape.rendering is None:
            self._curves(node, obj, base, shape, notes)
        elif mesh is not None:
            self._mesh(node, obj, base, mesh, notes)
        name, key = export.nodes[node.index].name, export.id_of(node)
        for entry in faults:
            export.report.left_out("mesh", name, key, entry.class_name, entry.reason)
        self._report_modifiers(name, key, evaluation, modifiers)

    # --- meshes ----------------------------------------------------------------------------------

    def _mesh(
        self, node: Node, obj: SceneObject, base: SceneObject, mesh: Mesh, notes: list[str]
    ) -> None:
        target, reasons = self.export.nodes[node.index], list(notes)
        line = ("mesh", target.name, self.export.id_of(node), base.class_name)
        if not len(mesh.triangles):
            self.export.report.approximated(*line, _NO_FACES)
            return
        if not _sound(mesh):
            self.export.report.left_out(*line, _BAD_FACES)
            return
        to_gltf = self._to_gltf(node, reasons)
        slots = None
        if self.materials is not None:
            slots = self.materials.for_node(node, texture_channels(mesh))
        found = {
            number: None if slots is None else slots.material(number)
            for number in np.unique(mesh.material_ids[mesh.triangle_polygons]).tolist()
        }
        backs = {number: None if slots is None else slots.back(number) for number in found}
        used = [id(material) for material in (*found.values(), *backs.values())]
        key = (obj.index, to_gltf.tobytes(), *used)
        made = self._made.get(key)
        if not isinstance(made, ExportedMesh):
            numbered = not self.export.options.triangulated
            built = build_primitives(
                mesh, to_gltf, found.__getitem__, back=backs.__getitem__, numbered=numbered
            )
            made = self._made[key] = self._finish(built, mesh, base, target.name, to_gltf)
            self._reasons[key] = built.reasons
        reasons += self._reasons[key]
        target.mesh = made.mesh
        self.export.meshes[node.index] = made
        if reasons:
            self.export.report.approximated(*line, "; ".join(reasons))
        else:
            self.export.report.converted(*line)

    def _finish(
        self, built: Built, mesh: Mesh, base: SceneObject, name: str, to_gltf: F64
    ) -> ExportedMesh:
        extras = object_extras(self.export, base, name, "mesh")
        if not self.export.options.triangulated:
            extras |= polygon_extras(mesh, built.groups)
        whole = model.Mesh(built.primitives, name, extras=extras)
        return ExportedMesh(whole, mesh, built.vertices, to_gltf, corners=built.corners)

    def _curves(
        self, node: Node, obj: SceneObject, base: SceneObject, shape: Shape, notes: list[str]
    ) -> None:
        """Give a node the curves of a shape that is not rendered, as lines."""
        target, reasons = self.export.nodes[node.index], [_CURVES, *notes]
        line = ("mesh", target.name, self.export.id_of(node), base.class_name)
        to_gltf = self._to_gltf(node, reasons)
        key = (obj.index, to_gltf.tobytes())
        made = self._made.get(key)
        if made is None:
            try:
                pieces = _pieces(shape)
            except NotSupportedError as error:
                self.export.report.left_out(*line, str(error))
                return
            if not len(pieces):
                self.export.report.approximated(*line, "it has no curves")
                return
            extras = object_extras(self.export, base, target.name, "mesh")
            primitive = line_primitive(pieces, to_gltf)
            made = self._made[key] = model.Mesh([primitive], target.name, extras=extras)
        if isinstance(made, model.Mesh):
            target.mesh = made
        self.export.report.approximated(*line, "; ".join(reasons))

    def _to_gltf(self, node: Node, reasons: list[str]) -> F64:
        """Return the matrix from the node's object to the glTF node."""
        try:
            offset = object_offset(node)
        except MaxSidecarError as error:
            reasons.append(f"the object offset cannot be read: {error.message}")
            offset = np.eye(4)
        if shears_its_mesh(self.export, node):
            offset = offset @ residue(self.export, node.index)
        if not (np.abs(offset) <= 1e18).all():
            reasons.append("the object offset is no number, or far too large: it is left out")
            offset = np.eye(4)
        out: F64 = offset @ change_of_basis(self.export.scale)
        return out

    # --- the report ------------------------------------------------------------------------------

    def _skipped(self, evaluation: Evaluation) -> tuple[list[Skipped], list[str], list[Skipped]]:
        """Return what was not evaluated: modifiers, what is not exact of the object, the rest."""
        scene = self.export.scene_file.scene
        modifiers: list[Skipped] = []
        notes: list[str] = []
        faults: list[Skipped] = []
        for entry in dict.fromkeys(evaluation.skipped):
            obj = scene[entry.index] if 0 <= entry.index < len(scene) else None
            if obj is not None and obj.superclass in _MODIFIERS:
                modifiers.append(entry)
            elif entry.approximate:
                notes.append(entry.reason)
            else:
                faults.append(entry)
        return modifiers, notes, faults

    def _report_modifiers(
        self, name: str, key: str, evaluation: Evaluation, skipped: list[Skipped]
    ) -> None:
        report, scene = self.export.report, self.export.scene_file.scene
        not_exact = {entry.index for entry in skipped}
        for index in evaluation.applied:
            if index not in not_exact and _class_of(scene[index]) not in _ELSEWHERE:
                report.converted("modifier", name, key, scene[index].class_name)
        for entry in skipped:
            line = ("modifier", name, key, entry.class_name)
            if entry.approximate:
                report.approximated(*line, entry.reason)
            else:
                report.left_out(*line, entry.reason)


def _class_of(obj: SceneObject) -> tuple[int, int] | None:
    class_id = obj.class_id
    return None if class_id is None else (class_id.a, class_id.b)


def _pieces(shape: Shape) -> F64:
    """Return the straight pieces that the curves of a shape are drawn with, (n, 2, 3)."""
    parts = []
    for line in outlines(shape):
        points = line.points
        if line.closed:
            points = np.concatenate([points, points[:1]])
        parts.append(np.stack([points[:-1], points[1:]], axis=1))
    return np.concatenate(parts) if parts else np.empty((0, 2, 3))


def _sound(mesh: Mesh) -> bool:
    """Whether faces use vertices, and map vertices, that there are."""
    pairs = [(mesh.corners, len(mesh.positions)), (mesh.triangles, len(mesh.corners))]
    pairs += [(channel.corners, len(channel.vertices)) for channel in mesh.maps.values()]
    return all(
        not used.size or (int(used.min()) >= 0 and int(used.max()) < count) for used, count in pairs
    )
