"""Vegetables (``.veget``): small plants that the game strews over the landscape.

Nodes with VEGETABLE give one file each (spec: nel-export-rules, sections 2 and 7, and what the
game's sources say of ``CVegetableShape``).  What does not go together is corrected as the game's
own class does: a plant without normals is not lit, and only one without lighting while it is drawn
is blended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
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
from maxsidecar.nel.export.shapes import shape_exporter
from maxsidecar.nel.export.view import GEOMETRY
from maxsidecar.nel.serial.classes.buffers import CVertexBuffer
from maxsidecar.nel.serial.classes.vegetable import CVegetableShape
from maxsidecar.nel.serial.formats import NelFile
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.node_mesh import node_mesh
from maxsidecar.nel.shape.plain import plain_geometry

if TYPE_CHECKING:
    import numpy.typing as npt

    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.nel.flags import Flags
    from maxsidecar.nel.serial.classes.mesh import CMeshGeom
    from maxsidecar.nel.shape.dispatch import ShapeExporter
    from maxsidecar.scene.node import Node

__all__ = ["export", "vegetable"]

_BIPED_ROOT: Final = "Bip01"
_PRECOMPUTED, _UNLIT = 0, 2


def export(job: Job) -> Iterator[Step]:
    """Yield the vegetables of the scene."""
    view = job.view
    exporter = shape_exporter(job)
    for node in view.nodes:
        reason = _reason_against(view, node)
        if reason:
            chosen = view.flags(node).is_one("VEGETABLE")
            yield LeftOut(node, reason, chosen)
            continue
        notes: list[str] = []
        try:
            shape = vegetable(view.flags(node), _geometry(exporter, node, notes))
        except MaxSidecarError as error:
            yield Failure(node, "; ".join([error.message, *notes]))
            continue
        file = NelFile("veget", shape)
        yield Product(view.name(node), ".veget", file, [node], notes, lower=False)


def _reason_against(view: SceneView, node: Node) -> str:
    flags = view.flags(node)
    if view.kind(node) != GEOMETRY:
        return f"a {view.kind(node)} is no vegetable"
    if not flags.is_one("VEGETABLE"):
        return "VEGETABLE is not set"
    if flags.on("DONTEXPORT"):
        return "DONTEXPORT is set"
    parent = node.parent
    if parent is not None and parent.parent is not None:
        return f"it hangs on {view.name(parent)}; vegetables stand in the scene itself"
    if view.name(node) == _BIPED_ROOT:
        return "it is the root of a biped"
    if view.is_particles(node):
        return "particle systems have files of their own"
    return ""


def _geometry(exporter: ShapeExporter, node: Node, notes: list[str]) -> CMeshGeom:
    """Return the plain geometry of a node, whatever its flags say about levels of detail.

    Raises:
        MaxSidecarError: It has none.
    """
    context = ShapeContext(exporter.shared, node, notes)
    found = node_mesh(context, skinned=False)
    if isinstance(found, str):
        raise MaxSidecarError(found)
    return plain_geometry(context, found)


def vegetable(flags: Flags, geom: CMeshGeom) -> CVegetableShape:
    """Return the vegetable of a mesh.

    Args:
        flags: The export flags of its node.
        geom: The node as the geometry of a plain mesh.

    Raises:
        MaxSidecarError: It has no texture coordinates, is skinned, or has several materials.
    """
    source = geom.vertex_buffer.vertices
    names = source.dtype.names or ()
    if "uv0" not in names:
        raise MaxSidecarError("a vegetable needs texture coordinates")
    blocks = geom.matrix_blocks
    if len(blocks) != 1:
        raise MaxSidecarError("a vegetable cannot be skinned")
    passes = blocks[0].rdr_passes
    if len(passes) != 1:
        raise MaxSidecarError(f"a vegetable has one material, and this mesh has {len(passes)}")
    blended = flags.integer("VEGETABLE_ALPHA_BLEND") == 0
    if blended:
        lit = flags.integer("VEGETABLE_ALPHA_BLEND_ON_LIGHTED") == 0
        once, both_sides = True, True
    else:
        lighting = flags.integer("VEGETABLE_ALPHA_BLEND_OFF_LIGHTED")
        lit, once = lighting != _UNLIT, lighting == _PRECOMPUTED
        both_sides = flags.on("VEGETABLE_ALPHA_BLEND_OFF_DOUBLE_SIDED")
    lit = lit and "normal" in names
    once = once and lit
    slots = {"position": source["position"]}
    if lit:
        slots["normal"] = source["normal"]
    slots["uv0"] = source["uv0"]
    slots["uv1"] = _bending(source, names, flags.number("VEGETABLE_BEND_FACTOR"))
    return CVegetableShape(
        lighted=lit,
        double_sided=both_sides,
        pre_compute_lighting=once,
        alpha_blend=blended and both_sides and (not lit or once),
        bend_center_mode=flags.integer("VEGETABLE_BEND_CENTER"),
        vertex_buffer=CVertexBuffer.of(0, **slots),
        triangle_indices=passes[0].primitives.triangles.reshape(-1),
        best_sided_pre_compute_lighting=once and flags.on("VEGETABLE_FORCE_BEST_SIDED"),
    )


def _bending(
    source: npt.NDArray[np.void], names: tuple[str, ...], factor: float
) -> npt.NDArray[np.float32]:
    """Return how much each vertex bends, as coordinates: the red of its colour, or its height."""
    out = np.zeros((len(source), 2), np.float32)
    if "color" in names:
        weight = source["color"][:, 0].astype(np.float32) / np.float32(255)
    else:
        height = np.maximum(source["position"][:, 2], np.float32(0))
        weight = height / (height.max(initial=0) or np.float32(1))
    out[:, 0] = weight * np.float32(factor)
    return out


register(
    Process(
        "veget",
        "vegetables",
        export,
        Stage(
            "veget",
            (("VegetSourceDirectories", "VegetExportDirectory"),),
            "VegetTagExportDirectory",
        ),
        ".veget",
    )
)
