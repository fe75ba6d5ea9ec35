"""What the report says of controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.families import Families
from maxsidecar.gltf.export.motion import Motion, controller_of
from maxsidecar.scene.controllers.base import Controller

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export
    from maxsidecar.scene.node import Node

__all__ = ["report_controllers"]

_SLOTS: Final = ((0, "translation"), (1, "rotation"), (2, "scale"))


def report_controllers(export: Export, motion: Motion, families: Families) -> None:
    """Say of every transform, and of every controller with keys or trouble, what came of it.

    Values that do not change are part of their node and get no line of their own.
    """
    for index, node in export.scene_nodes.items():
        top = controller_of(node)
        if top is None:
            continue
        whole = motion.whole.get(index, "")
        if index in motion.sheared:
            whole += "; the shear that comes of it is lost"
        sampled: dict[int, str] = {}
        tracks = motion.tracks.get(index, ())
        reasons: dict[str, str] = {track.path: whole or track.sampled for track in tracks}
        for slot, path in _SLOTS:
            part = _part(top, slot)
            if part is not None and reasons.get(path):
                sampled |= {item.index: reasons[path] for item in families.below(part)}
        _report_node(export, node, families, top, {**sampled, top.index: whole})


def _report_node(
    export: Export, node: Node, families: Families, top: Controller, sampled: dict[int, str]
) -> None:
    report, key = export.report, export.id_of(node)
    try:
        name = node.name
    except MaxSidecarError:
        name = ""
    for controller in families.below(top):
        try:
            obstacle, doubt = controller.obstacle, controller.doubt
        except MaxSidecarError as error:
            obstacle, doubt = f"damaged: {error.message}", None
        title = controller.class_name
        if obstacle:
            report.left_out("controller", name, key, title, obstacle)
            continue
        if controller is not top and not doubt and families.own_times(controller) is None:
            continue
        reason = "; ".join(filter(None, [doubt, sampled.get(controller.index)]))
        if reason:
            report.approximated("controller", name, key, title, reason)
        else:
            report.converted("controller", name, key, title)


def _part(controller: Controller, slot: int) -> Controller | None:
    try:
        return controller.part(slot)
    except MaxSidecarError:
        return None
