"""What the parts of an export share: the scene, the choices, and what was made so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from maxsidecar.gltf import model
from maxsidecar.gltf.export.report import Report

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from maxsidecar.gltf.export.morphs import ExportedMorph
    from maxsidecar.scene.geometry.mesh import Mesh
    from maxsidecar.scene.maxfile import MaxFile
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.node_ids import NodeIds
    from maxsidecar.scene.objects import SceneObject

__all__ = ["Export", "ExportedMesh", "Options"]


@dataclass(slots=True, frozen=True)
class Options:
    """What an export is to hold.

    Attributes:
        nodes: Names or ids of nodes to export with all below them; empty for all.
        selection_set: Only the nodes of this named selection set.
        rig_only: Only nodes, bones and animation; no meshes.
        hidden: Whether hidden nodes are exported, too.
        bone_meshes: Whether bones show the boxes that 3ds Max draws them as.
        animation: Whether to write keys.
        sample: Frames between samples where everything is to be sampled, or ``None`` to keep keys.
        range: First and last frame, or ``None`` for the scene's.
        bind: Where joints' bind matrices come from.
        textures: What happens with pictures that are found.
        texture_roots: Folders that are searched for pictures, after the scene's own folder.
        triangulated: Leave out what a re-import needs to know polygons again.
    """

    nodes: Sequence[str] = ()
    selection_set: str = ""
    rig_only: bool = False
    animation: bool = True
    materials: bool = True
    cameras: bool = True
    lights: bool = True
    hidden: bool = True
    bone_meshes: bool = False
    sample: float | None = None
    range: tuple[float, float] | None = None
    bind: Literal["stored", "first-frame"] = "stored"
    textures: Literal["embed", "copy", "reference", "none"] = "embed"
    texture_roots: Sequence[Path] = ()
    triangulated: bool = False


@dataclass(slots=True)
class ExportedMesh:
    """How a glTF mesh came from a scene's mesh, for weights and morph targets.

    Attributes:
        source: The evaluated mesh, in object space, Z up, scene units.
        vertices: For each primitive (n,) int32: the source vertex of each of its vertices.
        to_gltf: (4, 4) row-vector matrix from the mesh's object space to the glTF node's space;
            positions are ``(source.positions, 1) @ to_gltf``.
        turns: (v, 3, 3) row-vector matrices by which the written mesh is bent after that, at each
            vertex of the source; ``None`` where it is not.
        corners: For each primitive (i,): for each of its indices the place among the corners of the
            source's triangles, ``source.triangles.reshape(-1)``.
    """

    mesh: model.Mesh
    source: Mesh
    vertices: list[npt.NDArray[np.int32]]
    to_gltf: npt.NDArray[np.float64]
    turns: npt.NDArray[np.float64] | None = None
    corners: list[npt.NDArray[np.int64]] = field(default_factory=list)


@dataclass(slots=True)
class Export:
    """One export while it is made.

    Attributes:
        scale: Metres in a unit of the scene.
        time: Ticks of the pose, and of the shapes, that the nodes are written with.
        rest: Where nodes stand, relative to their parents, whose controllers cannot be evaluated:
            for every :class:`~maxsidecar.scene.transform.Pose` of the scene.
        poses: Which pose that is, in words, by storage index of the node.
        bare: Storage indices of nodes that are only there for what hangs on them, or is bound to
            them: nothing that they show is exported.
        sheared: Row-vector matrices (4, 4) in 3ds Max's terms, by storage index, of nodes whose
            translation, rotation and scale do not say all of them.
        ids: Ids of the scene's nodes.
        nodes: The glTF node of each exported scene node, by storage index; parents first.
        meshes: How each exported node's mesh came about, by storage index of the node.
        morphs: What the targets of its mesh are, by storage index of the node.
        materials: glTF materials by storage index of the scene's material (or sub-material).
        turned: Storage indices of nodes that were turned so that their camera or light looks along
            -Z, see :mod:`maxsidecar.gltf.export.views`.
        turned_back: Storage indices of nodes below such nodes, which were turned back.
        document: What will be written.
        folder: Folder that the export is written to, for pictures that are copied or referred to.
    """

    scene_file: MaxFile
    options: Options
    scale: float
    ids: NodeIds
    report: Report = field(default_factory=Report)
    document: model.Document = field(default_factory=model.Document)
    nodes: dict[int, model.Node] = field(default_factory=dict)
    scene_nodes: dict[int, Node] = field(default_factory=dict)
    meshes: dict[int, ExportedMesh] = field(default_factory=dict)
    morphs: dict[int, ExportedMorph] = field(default_factory=dict)
    materials: dict[int, model.Material] = field(default_factory=dict)
    turned: set[int] = field(default_factory=set)
    turned_back: set[int] = field(default_factory=set)
    folder: Path | None = None
    time: int = 0
    rest: Mapping[int, npt.NDArray[np.float64]] = field(default_factory=dict)
    poses: Mapping[int, str] = field(default_factory=dict)
    bare: set[int] = field(default_factory=set)
    sheared: dict[int, npt.NDArray[np.float64]] = field(default_factory=dict)

    def id_of(self, item: SceneObject) -> str:
        """Return the id that is written for a node, or material, in extras and reports."""
        return self.ids.key(item)
