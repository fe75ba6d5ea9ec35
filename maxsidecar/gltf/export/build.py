"""A scene to a glTF document: all parts of an export, one after the other."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.animation import add_animation
from maxsidecar.gltf.export.cameras import add_cameras
from maxsidecar.gltf.export.context import Export, Options
from maxsidecar.gltf.export.lights import add_lights
from maxsidecar.gltf.export.materials import Materials
from maxsidecar.gltf.export.meshes import add_meshes
from maxsidecar.gltf.export.morphs import add_morphs
from maxsidecar.gltf.export.nodes import add_nodes
from maxsidecar.gltf.export.report import Report
from maxsidecar.gltf.export.skinned_nodes import free_skinned_nodes
from maxsidecar.gltf.export.skins import add_skins
from maxsidecar.gltf.write import write
from maxsidecar.scene.node_ids import NodeIds
from maxsidecar.scene.skin.rest import rest_matrices
from maxsidecar.scene.time_range import read_time_range
from maxsidecar.scene.units import INCH, metres_per_unit

if TYPE_CHECKING:
    from maxsidecar.gltf.model import Document
    from maxsidecar.scene.maxfile import MaxFile

__all__ = ["Exported", "build", "export_file"]

#: Fewer metres than any unit has.
_LEAST: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote.

    Attributes:
        files: The files, that of the given path first.
        report: What became of everything.
        document: What was written.
    """

    files: list[Path]
    report: Report
    document: Document


def build(
    scene_file: MaxFile, options: Options | None = None, *, folder: Path | None = None
) -> Export:
    """Return an export that is ready to be written.

    Args:
        scene_file: The scene.
        options: What to export; everything, as it is, by default.
        folder: Where it will be written, for pictures that are copied or referred to.

    Raises:
        EditError: The options name a node or selection set that is not there.
        MaxSidecarError: The scene as a whole cannot be read.
    """
    options = options or Options()
    # Damaged scenes hold numbers that are none: the writer takes finite ones only, so that every
    # part looks at what it gives.
    with np.errstate(all="ignore"):
        return _build(scene_file, options, folder)


def _build(scene_file: MaxFile, options: Options, folder: Path | None) -> Export:
    scene = scene_file.scene
    span = read_time_range(scene_file)
    time = span.start
    if options.range is not None:
        time = round(min(options.range) * span.ticks_per_frame)
    report = Report()
    rest = rest_matrices(scene, time)
    export = Export(
        scene_file=scene_file,
        options=options,
        scale=_scale(scene_file, report),
        report=report,
        ids=NodeIds(scene),
        folder=folder,
        time=time,
        rest=rest.matrices,
        poses=rest.poses,
    )
    export.document.folder = folder
    export.document.extras = {"max_metres_per_unit": export.scale}
    export.document.name = scene_file.path.stem if scene_file.path else ""
    add_nodes(export)
    add_meshes(export, Materials(export) if options.materials else None)
    add_skins(export)
    add_morphs(export)
    add_cameras(export)
    add_lights(export)
    add_animation(export)
    free_skinned_nodes(export)
    return export


def export_file(
    scene_file: MaxFile,
    path: str | os.PathLike[str],
    options: Options | None = None,
    *,
    generator: str = "maxsidecar",
) -> Exported:
    """Write a scene as ``.glb`` or ``.gltf``.

    Args:
        scene_file: The scene.
        path: The file to write.
        options: What to export; everything, as it is, by default.
        generator: What the file says it was written by.

    Raises:
        EditError: The options name a node or selection set that is not there.
        SaveError: A file cannot be written.
        MaxSidecarError: The scene as a whole cannot be read.
    """
    target = Path(path)
    export = build(scene_file, options, folder=target.parent)
    export.document.asset["generator"] = generator
    inputs = [scene_file.path] if scene_file.path else []
    files = write(export.document, target, inputs=inputs)
    return Exported(files, export.report, export.document)


def _scale(scene_file: MaxFile, report: Report) -> float:
    """Return the metres of a unit; what cannot be read counts as the inch that is the default."""
    try:
        found = metres_per_unit(scene_file.scene)
        reason = "" if _LEAST <= found <= 1 / _LEAST else f"no unit has {found:g} metres"
    except MaxSidecarError as error:
        found, reason = INCH, error.message
    if reason:
        report.approximated("scene", "", "", "unit", f"{reason}; taken for inches")
    return INCH if reason else found
