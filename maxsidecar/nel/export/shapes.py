"""Shapes (``.shape``): which nodes become one, and into which folder it goes.

The shapes themselves are made by :mod:`maxsidecar.nel.shape`; here are the rules of the script
around it (spec: nel-export-rules, section 2).  Different from the script: nodes that another one
names as its levels of detail are left out of their own scene only, not of all scenes that are
exported after it, so that the order of scenes does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from maxsidecar.nel.export.automatic import automatic_animations
from maxsidecar.nel.export.registry import (
    AUTOMATIC,
    COARSE,
    MAIN,
    Failure,
    Job,
    LeftOut,
    Process,
    Product,
    Stage,
    Step,
    register,
)
from maxsidecar.nel.export.view import GEOMETRY, SHAPE
from maxsidecar.nel.shape.dispatch import ShapeExporter
from maxsidecar.nel.shape.result import ShapeOptions
from maxsidecar.nel.shape.skin import skeleton_root

if TYPE_CHECKING:
    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.scene.node import Node

__all__ = ["export", "reason_against", "shape_exporter"]

_BIPED: Final = "Bip"
_MOST_LEVELS: Final = 10


def shape_exporter(job: Job) -> ShapeExporter:
    """Return what makes the shapes of a job's scene; one for all processes."""
    known: ShapeExporter | None = job.view.kept.get("shapes")
    if known is not None:
        return known
    folders = tuple(Path(folder) for folder in job.particle_folders)
    options = ShapeOptions(time=job.view.time, particle_folders=folders)
    made = ShapeExporter(job.view.file, options)
    # The time is the same, so a node is evaluated once for all processes.
    made.shared.evaluator = job.view.evaluator
    made.shared.known_flags = job.view.known_flags
    job.view.kept["shapes"] = made
    return made


def level_names(view: SceneView, node: Node) -> list[str]:
    """Return the names of the nodes that are a node's levels of detail."""
    flags = view.flags(node)
    count = min(flags.integer("LOD_NAME_COUNT"), _MOST_LEVELS)
    names = [flags.text(f"LOD_NAME_{number}") for number in range(max(count, 0))]
    return [name for name in names if name]


def reason_against(view: SceneView, node: Node) -> tuple[str, bool]:
    """Return why the script does not export a node as a shape, and whether a flag says so.

    The reason is empty if it does.
    """
    flags = view.flags(node)
    name = view.name(node)
    if name.startswith(_BIPED):
        return "it belongs to a biped", False
    if view.name(skeleton_root(node)).startswith(_BIPED):
        return f"it hangs on the biped {view.name(skeleton_root(node))}", False
    if view.accelerates(node):
        sort = {1: "it is a portal", 2: "it is a cluster"}.get(
            view.accelerator(node), "visibility flags are set, and only clusterize may be"
        )
        return f"{sort} (ACCEL is {flags.text('ACCEL')})", True
    if view.is_patches(node):
        return "it is a patch of the landscape", False
    if view.is_particles(node):
        return "particle systems have files of their own", False
    if view.pacs(node):
        return "it is a collision primitive", False
    # The script compares texts; the C++ side behind it reads numbers of two of them.
    kept_out = {
        "DONTEXPORT": flags.on("DONTEXPORT"),
        "COLLISION": flags.integer("COLLISION") == 1,
        "COLLISION_EXTERIOR": flags.is_one("COLLISION_EXTERIOR"),
    }
    for flag, is_set in kept_out.items():
        if is_set:
            return f"{flag} is set", True
    return "", False


def export(job: Job) -> Iterator[Step]:
    """Yield the shapes of the scene."""
    view = job.view
    by_name: dict[str, list[Node]] = {}
    levels: dict[str, str] = {}
    for node in view.all_nodes:
        by_name.setdefault(view.name(node).casefold(), []).append(node)
        for name in level_names(view, node):
            levels.setdefault(name.casefold(), view.name(node))
    exporter = shape_exporter(job)
    for node in view.nodes:
        if view.kind(node) not in (GEOMETRY, SHAPE):
            yield LeftOut(node, f"a {view.kind(node)} has no shape")
    for node in view.of_kinds(GEOMETRY, SHAPE):
        reason, chosen = reason_against(view, node)
        owner = levels.get(view.name(node).casefold())
        if not reason and owner is not None:
            reason, chosen = f"it is a level of detail of {owner}", True
        if not reason and not view.has_surface(node):
            reason = "it has no surface"
        if reason:
            yield LeftOut(node, reason, chosen)
            continue
        result = exporter.export(node)
        if result.file is None:
            yield Failure(node, "; ".join([result.reason, *result.notes]))
            continue
        children = [
            child for name in level_names(view, node) for child in by_name.get(name.casefold(), ())
        ]
        coarse = any(view.flags(child).is_one("LOD_COARSE_MESH") for child in children)
        yield Product(
            view.name(node),
            ".shape",
            result.file,
            [node],
            result.notes,
            folder=COARSE if coarse else MAIN,
        )
    yield from automatic_animations(job)


register(
    Process(
        "shape",
        "meshes",
        export,
        Stage(
            "shape",
            (("ShapeSourceDirectories", "ShapeNotOptimizedExportDirectory"),),
            "ShapeTagExportDirectory",
            {
                COARSE: "ShapeWithCoarseMeshExportDirectory",
                AUTOMATIC: "ShapeAnimExportDirectory",
            },
            ("ShapeLightmapNotOptimizedExportDirectory", "ShapeAnimExportDirectory"),
        ),
        ".shape",
    )
)
