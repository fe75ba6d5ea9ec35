"""Which kind of shape a node becomes (spec: nel-export-rules 3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.serial.classes.streams import CShapeStream
from maxsidecar.nel.serial.formats import NelFile
from maxsidecar.nel.shape.context import SceneContext, ShapeContext, class_key
from maxsidecar.nel.shape.mrm import mrm_mesh
from maxsidecar.nel.shape.multi_lod import level_nodes, multi_lod
from maxsidecar.nel.shape.node_mesh import node_mesh
from maxsidecar.nel.shape.plain import plain_mesh
from maxsidecar.nel.shape.releases import use_versions
from maxsidecar.nel.shape.result import ShapeOptions, ShapeResult
from maxsidecar.nel.shape.special import (
    FLARE,
    PARTICLES,
    WAVE_MAKER,
    flare,
    particles,
    remanence,
    wave_maker,
)
from maxsidecar.nel.shape.water import is_water, water
from maxsidecar.scene.time_range import read_time_range

if TYPE_CHECKING:
    from maxsidecar.scene.maxfile import MaxFile
    from maxsidecar.scene.node import Node

__all__ = ["ShapeExporter", "export_shape"]


class ShapeExporter:
    """Exports nodes of a scene as shapes; geometry that nodes share is evaluated once.

    Args:
        scene_file: The scene.
        options: How shapes are exported.
    """

    def __init__(self, scene_file: MaxFile, options: ShapeOptions | None = None) -> None:
        """Nothing is evaluated yet."""
        self.options = options or ShapeOptions()
        if scene_file.path is not None:
            folders = (*self.options.interface_folders, Path(scene_file.path).parent)
            self.options = replace(self.options, interface_folders=folders)
        time = self.options.time
        if time is None:
            time = read_time_range(scene_file).current
        self.shared = SceneContext(scene_file.scene, time, self.options)

    def export(self, node: Node) -> ShapeResult:
        """Return the shape of a node, or why there is none.

        Whether a node is to be exported at all is not asked here.

        Args:
            node: The node.
        """
        notes: list[str] = []
        try:
            context = ShapeContext(self.shared, node, notes)
            found = _shape(context)
            notes += context.flags.problems
            if isinstance(found, str):
                return ShapeResult(reason=found, notes=notes)
            use_versions(found, self.options.versions, notes)
            file = NelFile("shape", CShapeStream(shape=found))
            file.to_bytes()
        except MaxSidecarError as error:
            return ShapeResult(reason=str(error), notes=notes)
        return ShapeResult(file, notes=notes)


def export_shape(
    scene_file: MaxFile, node: Node, options: ShapeOptions | None = None
) -> ShapeResult:
    """Return the shape of a node, or why there is none.

    For many nodes of a scene use one :class:`ShapeExporter`.

    Args:
        scene_file: The scene.
        node: The node.
        options: How shapes are exported.
    """
    return ShapeExporter(scene_file, options).export(node)


def _shape(context: ShapeContext) -> Any:
    """Return the shape, or the reason why there is none."""
    kind = class_key(context.node.base_object)
    if kind is not None and kind[0] == PARTICLES:
        return particles(context)
    if kind is not None and kind[0] == WAVE_MAKER:
        return wave_maker(context)
    if context.flags.on("USE_REMANENCE"):
        return remanence(context)
    if kind is not None and kind[0] == FLARE:
        return flare(context)
    if is_water(context):
        return water(context)
    if level_nodes(context):
        return multi_lod(context)
    found = node_mesh(context)
    if isinstance(found, str):
        return found
    if context.flags.on("LOD_MRM"):
        return mrm_mesh(context, found)
    return plain_mesh(context, found)
