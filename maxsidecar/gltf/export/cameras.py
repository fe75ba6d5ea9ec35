"""Cameras.

What 3ds Max stores is the horizontal angle of view; glTF wants the vertical one, which follows from
the size of production renders.  Planes of clipping that the camera does not use are left at the
values that 3ds Max's own exporter writes (measured on 6 cameras, as are the angles).
"""

from __future__ import annotations

from math import isfinite, pi
from typing import Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.export.context import Export
from maxsidecar.gltf.export.views import Views
from maxsidecar.scene.cameras import (
    Camera,
    PhysicalCamera,
    StandardCamera,
    target_distance,
    vertical_fov,
)
from maxsidecar.scene.node import Node
from maxsidecar.scene.render import render_size
from maxsidecar.scene.targets import target_of

__all__ = ["add_cameras", "picture_aspect"]

#: Metres; what 3ds Max's exporter writes for cameras that do not clip.
_NEAR: Final = 0.1
_FAR: Final = 10000.0
#: Of pictures that are all width: glTF wants an angle above 0.
_LEAST_ANGLE: Final = 1e-6
#: Width through height of the renders of a new scene, 640 x 480.
_ASPECT: Final = 4 / 3


def add_cameras(export: Export) -> None:
    """Give every exported node that shows a camera a glTF camera."""
    if not export.options.cameras:
        return
    found = [
        (index, node, camera)
        for index, node in export.scene_nodes.items()
        if index not in export.bare and (camera := _camera_of(node)) is not None
    ]
    if not found:
        return
    views, aspect = Views(export), picture_aspect(export)
    known: dict[int, model.Camera] = {}
    for index, node, camera in found:
        line = ("camera", export.nodes[index].name, export.id_of(node), camera.class_name)
        try:
            made = known.get(camera.index) or _camera(export, node, camera, aspect)
            looked_at = target_of(node)
        except MaxSidecarError as error:
            export.report.left_out(*line, str(error))
            continue
        if made is None:
            export.report.left_out(*line, "its angle of view is not known, or is no angle")
            continue
        known[camera.index] = made
        if looked_at is not None:
            export.nodes[index].extras["max_target_id"] = export.id_of(looked_at)
        views.holder(index, "camera").camera = made
        export.report.converted(*line)


def picture_aspect(export: Export) -> float:
    """Return width through height of what a camera sees: that of production renders."""
    try:
        size = render_size(export.scene_file.scene)
    except MaxSidecarError as error:
        export.report.approximated(
            "camera", "", "", "Render settings", f"{error}; pictures of 4:3 are assumed"
        )
        size = None
    return _ASPECT if size is None else size.aspect


def _camera_of(node: Node) -> Camera | None:
    try:
        found = node.base_object
    except MaxSidecarError:
        return None  # what the node shows is reported where its mesh is looked for
    return found if isinstance(found, Camera) else None


def _camera(export: Export, node: Node, camera: Camera, aspect: float) -> model.Camera | None:
    fov = camera.fov(export.time)
    if fov is None or not 0.0 < fov < pi:
        return None
    near, far = _clipping(camera, export)
    return model.Camera(
        name=export.nodes[node.index].name,
        yfov=max(vertical_fov(fov, aspect), _LEAST_ANGLE),
        aspect_ratio=aspect,
        znear=near,
        zfar=far,
        extras=_extras(export, node, camera),
    )


def _clipping(camera: Camera, export: Export) -> tuple[float, float]:
    """Return near and far plane in metres; stored ones count where the camera says so."""
    planes = camera.clipping(export.time)
    if planes is None or not (isinstance(camera, StandardCamera) and camera.clip_manually):
        return _NEAR, _FAR
    near, far = (plane * export.scale for plane in planes)
    # glTF wants 0 < near < far; nothing else can be drawn with.
    if not (isfinite(near) and near > 0.0):
        near = min(_NEAR, far / 2) if isfinite(far) and far > 0.0 else _NEAR
    return near, far if isfinite(far) and far > near else max(_FAR, near * 2)


def _extras(export: Export, node: Node, camera: Camera) -> dict[str, Any]:
    """Return what glTF has no place for."""
    out: dict[str, Any] = {"max_id": export.id_of(camera), "max_class": camera.class_name}
    values: dict[str, float | None] = {"max_fov": camera.fov(export.time)}
    planes = camera.clipping(export.time)
    if planes is not None:
        values["max_near_clip"], values["max_far_clip"] = planes
    values["max_target_distance"] = target_distance(node, export.time)
    if isinstance(camera, PhysicalCamera):
        values["max_focal_length"] = camera.focal_length(export.time)
        values["max_film_width"] = camera.film_width(export.time)
    for key, value in values.items():
        if value is not None and isfinite(value):
            out[key] = value
    if isinstance(camera, StandardCamera):
        out["max_clip_manually"] = camera.clip_manually
    return out
