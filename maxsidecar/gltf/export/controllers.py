"""What the report says of controllers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.families import Families, part_of
from maxsidecar.gltf.export.motion import Motion, Movers, controller_of
from maxsidecar.gltf.export.report import Report
from maxsidecar.gltf.export.weights import weight_controllers
from maxsidecar.scene.controllers.base import Controller

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export

__all__ = ["report_controllers"]

_UNSOUND: Final = "keys that are no numbers, or far too large"
_SLOTS: Final = ((0, "translation"), (1, "rotation"), (2, "scale"))


def report_controllers(export: Export, motion: Motion, movers: Movers) -> None:
    """Say of every transform, and of every controller with keys or trouble, what came of it.

    Values that do not change are part of their node and get no line of their own.
    """
    families = movers.families
    for index, node in export.scene_nodes.items():
        top = controller_of(node)
        line = _Line(export.report, families, export.nodes[index].name, export.id_of(node))
        if top is not None:
            line.tell([top], _sampled(motion, families, index, top), top, export.poses.get(index))
            if index in motion.unsound:
                export.report.left_out("controller", line.name, line.id, top.class_name, _UNSOUND)
        morph = export.morphs.get(index)
        if morph is not None:
            found = [track for track in motion.tracks.get(index, ()) if track.path == "weights"]
            controllers = list(weight_controllers(morph))
            every = {item.index for top in controllers for item in families.below(top)}
            line.tell(controllers, dict.fromkeys(every, found[0].sampled) if found else {})
    for number, item in enumerate(movers.pointed):
        line = _Line(export.report, families, item.name, item.id)
        lost = motion.lost.get(number)
        if lost is not None:
            export.report.left_out("controller", item.name, item.id, item.source.class_name, lost)
            continue
        reason = "; ".join({track.sampled for track in motion.pointed[number]})
        every = {below.index for top in item.controllers for below in families.below(top)}
        line.tell(item.controllers, dict.fromkeys(every, reason))


def _sampled(motion: Motion, families: Families, index: int, top: Controller) -> dict[int, str]:
    """Return why controllers of a node were sampled, by storage index of the controller."""
    whole = motion.whole.get(index, "")
    if index in motion.sheared:
        whole += "; the shear that comes of it is lost"
    out = {top.index: whole}
    tracks = motion.tracks.get(index, ())
    reasons: dict[str, str] = {track.path: whole or track.sampled for track in tracks}
    for slot, path in _SLOTS:
        part = part_of(top, slot)
        if part is not None and reasons.get(path):
            out |= {item.index: reasons[path] for item in families.below(part)}
    return out


@dataclass(frozen=True, slots=True)
class _Line:
    """Where lines go, and whom they are about."""

    report: Report
    families: Families
    name: str
    id: str

    def tell(
        self,
        tops: Iterable[Controller],
        sampled: Mapping[int, str],
        always: Controller | None = None,
        pose: str | None = None,
    ) -> None:
        """Write the lines of controllers and of all below them.

        Args:
            tops: The controllers.
            sampled: Why some were sampled.
            always: One that gets a line though it has no keys.
            pose: How the node stands instead of by its controllers, in words.
        """
        for top in tops:
            for controller in self.families.below(top):
                reason = sampled.get(controller.index, "")
                self._tell(controller, reason, controller is always, pose)

    def _tell(self, controller: Controller, sampled: str, always: bool, pose: str | None) -> None:
        try:
            obstacle, doubt = controller.obstacle, controller.doubt
        except MaxSidecarError as error:
            obstacle, doubt = f"damaged: {error.message}", None
        line = ("controller", self.name, self.id, controller.class_name)
        if obstacle:
            stands = "" if pose is None else f"; the node stands {pose}"
            self.report.left_out(*line, obstacle + stands)
        elif always or doubt or self.families.own_times(controller) is not None:
            reason = "; ".join(filter(None, [doubt, sampled]))
            if reason:
                self.report.approximated(*line, reason)
            else:
                self.report.converted(*line)
