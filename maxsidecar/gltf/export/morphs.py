"""Morph targets from Morpher: displacements of the exported vertices, names and weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.normals import triangle_normals
from maxsidecar.scene.geometry.pipeline import Evaluator
from maxsidecar.scene.skin.carry import carry_positions
from maxsidecar.scene.skin.morpher_views import Morpher
from maxsidecar.scene.skin.physique_views import Physique
from maxsidecar.scene.skin.skin_views import Skin
from maxsidecar.scene.skin.stacks import Layer, layers
from maxsidecar.scene.skin.targets import MorphTargets, morph_layers, read_targets

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export, ExportedMesh
    from maxsidecar.scene.node import Node

__all__ = ["ExportedMorph", "add_morphs"]

F64 = npt.NDArray[np.float64]

#: Displacements that still fit into 32-bit floats after the change of units.
_FARTHEST: Final = 1e18
#: Weights that are written as they are; larger ones are cut, since nothing real has them.
_MOST_WEIGHT: Final = 1e6


@dataclass(slots=True, eq=False)
class ExportedMorph:
    """How the targets of a glTF mesh came about, for the animation of their weights.

    Attributes:
        targets: What the Morphers add, from the bottom of the stack up; the targets of the glTF
            mesh are theirs, one behind the other.
        kept: For each target of them whether it was written.
    """

    targets: list[MorphTargets]
    kept: npt.NDArray[np.bool_]

    def weights(self, times: npt.ArrayLike) -> F64:
        """Return the weights of the mesh's targets at times in ticks, (T, targets)."""
        columns = np.concatenate([part.weights(times) for part in self.targets], axis=1)
        out: F64 = np.clip(columns[:, self.kept], -_MOST_WEIGHT, _MOST_WEIGHT)
        return out


def add_morphs(export: Export) -> None:
    """Give the exported meshes their morph targets."""
    maker = _Maker(export)
    for index, made in export.meshes.items():
        maker.add(export.scene_nodes[index], made)


@dataclass(slots=True)
class _Maker:
    export: Export
    evaluator: Evaluator = field(init=False)
    done: dict[int, tuple[ExportedMorph | None, list[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.export.scene_file.scene, self.export.time)

    def add(self, node: Node, made: ExportedMesh) -> None:
        """Give a node's mesh its targets, if it has any."""
        report = self.export.report
        line = ("morph", self.export.nodes[node.index].name, self.export.id_of(node))
        class_name = "?"
        try:
            found = morph_layers(node)
            if not found:
                return
            class_name = found[0].modifier.class_name
            if id(made.mesh) not in self.done:
                self.done[id(made.mesh)] = self._made(node, made, found[::-1])
        except MaxSidecarError as error:
            report.left_out(*line, class_name, str(error))
            return
        morph, notes = self.done[id(made.mesh)]
        if morph is None:
            report.left_out(*line, class_name, "; ".join(notes) or "none of its channels is in use")
            return
        self.export.morphs[node.index] = morph
        if notes:
            report.approximated(*line, class_name, "; ".join(notes))
        else:
            report.converted(*line, class_name)

    def _made(
        self, node: Node, made: ExportedMesh, found: list[Layer]
    ) -> tuple[ExportedMorph | None, list[str]]:
        notes = self._order(node)
        parts: list[MorphTargets] = []
        names: list[str] = []
        channels: list[int] = []
        shapes: list[_Shape] = []
        kept: list[bool] = []
        linear = made.to_gltf[:3, :3]
        normals = _Normals(made)
        for layer in found:
            mesh = self._input(layer)
            targets = read_targets(layer, mesh, self.evaluator)
            notes += targets.notes
            parts.append(targets)
            for channel, target in targets.targets:
                places = mesh.positions.astype(np.float64) + target.deltas
                try:
                    top = carry_positions(
                        layer, self.evaluator, node.object, mesh, made.source, places
                    )
                except DecodeError as error:
                    notes.append(f"channel {channel.index} ({channel.name}): {error.message}")
                    kept.append(False)
                    continue
                if top is places:
                    # Not by way of the sum, which would round small displacements.
                    delta = target.deltas
                else:
                    delta = top - made.source.positions.astype(np.float64)
                delta = delta @ linear
                if made.turns is not None:
                    delta = np.einsum("vi,vij->vj", delta, made.turns)
                sound = bool((np.abs(delta) <= _FARTHEST).all())
                kept.append(sound)
                if not sound:
                    notes.append(f"channel {channel.index} ({channel.name}) goes too far: left out")
                    continue
                names.append(channel.name)
                channels.append(channel.index)
                shapes.append(_Shape(delta, normals.of(top)))
        notes = list(dict.fromkeys(notes))
        if not shapes:
            return None, notes
        morph = ExportedMorph(parts, np.array(kept, np.bool_))
        self._write(made, morph, names, channels, shapes)
        return morph, notes

    def _input(self, layer: Layer) -> Mesh:
        geometry = self.evaluator.below(layer.derived, layer.slot).geometry
        if not isinstance(geometry, Mesh):
            kind = "nothing" if geometry is None else f"a {type(geometry).__name__}"
            raise DecodeError("what comes into the Morpher is no mesh", found=kind)
        return geometry

    def _order(self, node: Node) -> list[str]:
        """Return what glTF cannot say of the order: it morphs first, and then bends."""
        found = layers(node.object, lambda obj: isinstance(obj, Skin | Physique | Morpher))
        on = [layer.modifier for layer in found if not layer.off]
        top = next((n for n, obj in enumerate(on) if not isinstance(obj, Morpher)), 0)
        return ["it is above the skin, in glTF below it"] if top else []

    def _write(
        self,
        made: ExportedMesh,
        morph: ExportedMorph,
        names: list[str],
        channels: list[int],
        shapes: list[_Shape],
    ) -> None:
        for number, primitive in enumerate(made.mesh.primitives):
            vertices = made.vertices[number]
            primitive.targets = []
            for shape in shapes:
                target = {"POSITION": shape.moves[vertices].astype(np.float32)}
                if shape.turns is not None:
                    target["NORMAL"] = shape.turns[number]
                primitive.targets.append(target)
        mesh: model.Mesh = made.mesh
        mesh.target_names = _distinct(names)
        mesh.weights = [float(value) for value in morph.weights(self.export.time)[0]]
        mesh.extras["max_morph_channels"] = channels


@dataclass(slots=True, eq=False)
class _Shape:
    """A target.

    Attributes:
        moves: (v, 3) displacements of the source's vertices, in the space of the written ones.
        turns: For each primitive (n, 3) float32, what is added to the normals; or ``None``.
    """

    moves: F64
    turns: list[npt.NDArray[np.float32]] | None


class _Normals:
    """What targets add to the normals of a written mesh."""

    def __init__(self, made: ExportedMesh) -> None:
        self.made = made
        self._corners: list[npt.NDArray[np.int64]] | None = None
        # Normals that somebody set do not follow from the shape.
        self._known = made.source.normals is None and _solid(made.to_gltf)
        if self._known:
            self._corners = made.corners
            self._before = self._of(made.source)

    def of(self, places: F64) -> list[npt.NDArray[np.float32]] | None:
        """Return what is added to the normals of each primitive when the vertices go elsewhere.

        A written vertex that stands for several corners gets the mean of theirs.

        Args:
            places: (v, 3) the source's vertices in its target.
        """
        if self._corners is None:
            return None
        change = self._of(self.made.source.with_positions(places.astype(np.float32)))
        change = (change - self._before).reshape(-1, 3)
        out = []
        pairs = zip(self.made.mesh.primitives, self.made.vertices, self._corners, strict=True)
        for primitive, vertices, corners in pairs:
            used = np.asarray(primitive.indices, np.int64)
            sums = np.zeros((len(vertices), 3))
            np.add.at(sums, used, change[corners])
            counts = np.bincount(used, minlength=len(vertices))
            mean = sums / np.maximum(counts, 1)[:, None]
            if primitive.extras.get("max_back"):
                mean = -mean
            if self.made.turns is not None:
                mean = np.einsum("vi,vij->vj", mean, self.made.turns[vertices])
            out.append(mean.astype(np.float32))
        return out

    def _of(self, mesh: Mesh) -> F64:
        """Return the normals of the triangles' corners in the written space, (t, 3, 3)."""
        turn = np.linalg.inv(self.made.to_gltf[:3, :3]).T
        found = triangle_normals(mesh).astype(np.float64) @ turn
        lengths = np.linalg.norm(found, axis=-1, keepdims=True)
        out: F64 = found / np.where(lengths > 0, lengths, 1.0)
        return out


def _solid(matrix: F64) -> bool:
    return bool(abs(np.linalg.det(matrix[:3, :3])) > 1e-30)


def _distinct(names: list[str]) -> list[str]:
    """Return names that are told apart, since readers find targets by them."""
    taken: set[str] = set()
    out: list[str] = []
    for name in names:
        found, number = name, 1
        while found in taken:
            number += 1
            found = f"{name} {number}"
        taken.add(found)
        out.append(found)
    return out
