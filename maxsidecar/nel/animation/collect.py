"""The tracks of a node and of all nodes below it, by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.animation.keyframers import boolean_track, keyed_track, seconds
from maxsidecar.nel.animation.samples import (
    moves,
    position_track,
    rotation_track,
    sample_times,
)
from maxsidecar.nel.serial.classes.track import CKeyString, CTrackKeyFramerConstString
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.scene.biped.system import BipedController
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.composite import PRS, LookAt
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.notes import read_notes
from maxsidecar.scene.skin.targets import morph_layers
from maxsidecar.scene.transform import Pose

if TYPE_CHECKING:
    import numpy.typing as npt

    from maxsidecar.nel.export.view import SceneView

__all__ = ["Collector"]

#: Value names and kinds by reference slot, in the order of the plug-in.
_PRS: Final = ((2, "scale", "scale"), (1, "rotquat", "rotation"), (0, "pos", "position"))
_LOOK_AT: Final = ((3, "scale", "scale"), (1, "pos", "position"))
_ROLL: Final = 2
#: A Morpher's channels, and the first reference slots of their settings and of their targets.
_CHANNELS: Final = 100
_SETTINGS: Final = 1
_TARGETS: Final = 101
#: Parameters of particle systems that may move.
_TRIGGER: Final = "PSTrigger"
_PARAMETERS: Final = ("PSParam0", "PSParam1", "PSParam2", "PSParam3", _TRIGGER)


@dataclass
class Collector:
    """The tracks of an animation while it is put together.

    Attributes:
        view: The scene.
        tracks: By name, in the order in which they came; the first of a name stays.
        notes: What is left out or in doubt, by storage index of the node.
    """

    view: SceneView
    tracks: dict[str, Serial] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)

    def add(self, node: Node, prefix: str, *, scene: bool) -> None:
        """Add a node and all below it.

        Args:
            node: The node.
            prefix: In front of all names.
            scene: Whether names of the node's own tracks have its name.
        """
        nodes = self._below(node)
        times = sample_times(nodes)
        pose = Pose(self.view.scene, times) if len(times) else None
        for item in nodes:
            own = item is node and not scene
            if item is node and isinstance(self._controller(item), BipedController):
                # Only at the top of the scene does a biped's own name stay away.
                own = own and isinstance(item.parent, RootNode)
            start = prefix if own else f"{prefix}{self.view.name(item)}."
            try:
                self._node(item, start, pose, times)
            except MaxSidecarError as error:
                self._tell(item, error.message)

    def _below(self, node: Node) -> list[Node]:
        out: list[Node] = []
        stack, seen = [node], set()
        while stack:
            item = stack.pop()
            if item.index in seen:
                continue
            seen.add(item.index)
            out.append(item)
            stack += reversed(item.children)
        return out

    def _controller(self, node: Node) -> Controller | None:
        try:
            found = node.controller
        except MaxSidecarError as error:
            self._tell(node, error.message)
            return None
        return found if isinstance(found, Controller) else None

    def _node(
        self, node: Node, start: str, pose: Pose | None, times: npt.NDArray[np.float64]
    ) -> None:
        self._notes(node, start)
        controller = self._controller(node)
        if isinstance(controller, BipedController):
            self._biped(node, controller, start, pose, times)
            return
        if isinstance(controller, PRS | LookAt):
            slots = _PRS if isinstance(controller, PRS) else _LOOK_AT
            for slot, name, kind in slots:
                self._keyed(node, controller.part(slot), f"{start}{name}", kind)
            if isinstance(controller, LookAt) and self.view.kind(node) == "camera":
                self._keyed(node, controller.part(_ROLL), f"{start}roll", "float")
                self._target(node, controller, start)
        elif controller is not None:
            self._tell(node, f"{controller.class_name} has no keys that the game knows")
        if self.view.is_particles(node):
            self._particles(node, start)
        self._morphs(node, start)

    def _notes(self, node: Node, start: str) -> None:
        """Add the texts that animators hang on a node, where it asks for them."""
        flags = self.view.flags(node)
        if flags.is_one("EXPORT_SSS_TRACK"):
            self._tell(node, "its spawn script is left out: how it is written is not known")
        if not flags.is_one("EXPORT_NOTE_TRACK"):
            return
        by_time: dict[int, str] = {}
        for note in read_notes(node):
            by_time.setdefault(note.time, note.text)
        if not by_time:
            return
        times = sorted(by_time)
        keys = [CKeyString(time=float(seconds(t)), value=by_time[t]) for t in times]
        begin, end = seconds((times[0], times[-1])).tolist()
        track = CTrackKeyFramerConstString(keys=keys, range_begin=begin, range_end=end)
        self.tracks.setdefault(f"{start}NoteTrack", track)

    def _morphs(self, node: Node, start: str) -> None:
        """Add how far each channel of the Morphers is on, in percent, by the name of its target."""
        for layer in morph_layers(node):
            morpher = layer.modifier
            for number in range(_CHANNELS):
                target = self.view.scene.nodes.get(morpher.references.get(_TARGETS + number, -1))
                settings = morpher.reference(_SETTINGS + number)
                if target is None or settings is None:
                    continue
                found = settings.reference(0)
                controller = found if isinstance(found, Controller) else None
                name = f"{start}{self.view.name(target)}MorphFactor"
                self._keyed(node, controller, name, "float")

    def _keyed(self, node: Node, controller: Controller | None, name: str, kind: str) -> None:
        track = keyed_track(controller, kind)
        if track is not None:
            self.tracks.setdefault(name, track)
        elif controller is not None and _moves(controller):
            self._tell(node, f"{name}: {controller.class_name} has no keys that the game knows")

    def _target(self, node: Node, controller: LookAt, start: str) -> None:
        index = controller.target
        target = None if index is None else self.view.scene.nodes.get(index)
        place = None if target is None else self._controller(target)
        if isinstance(place, PRS):
            self._keyed(node, place.part(0), f"{start}target", "position")

    def _biped(
        self,
        node: Node,
        controller: BipedController,
        start: str,
        pose: Pose | None,
        times: npt.NDArray[np.float64],
    ) -> None:
        if pose is None:
            return
        obstacle, role = controller.obstacle, None if controller.obstacle else controller.role
        if obstacle is not None or role is None:
            self._tell(node, obstacle or "its place in the biped is not known")
            return
        local = pose.local(node)
        self.tracks.setdefault(f"{start}rotquat", rotation_track(times, local))
        if moves(role):
            self.tracks.setdefault(f"{start}pos", position_track(times, local))
        doubt = controller.doubt
        if doubt is not None:
            self._tell(node, doubt)

    def _particles(self, node: Node, start: str) -> None:
        base = self.view.base(node)
        if base is None:
            return
        for name in _PARAMETERS:
            parameter = base.parameters.get(name)
            found = None if parameter is None else parameter.controller
            made = keyed_track if name != _TRIGGER else _switch
            track = made(found if isinstance(found, Controller) else None, "float")
            if track is not None:
                self.tracks.setdefault(f"{start}{name}", track)

    def _tell(self, node: Node, note: str) -> None:
        known = self.notes.setdefault(node.index, [])
        if note not in known:
            known.append(note)


def _moves(controller: Controller) -> bool:
    """Return whether anything below a controller has keys, or cannot be told."""
    stack, seen = [controller], set()
    while stack:
        item = stack.pop()
        if item.index in seen:
            continue
        seen.add(item.index)
        if isinstance(item, KeyedController):
            keys = item.keys
            if keys is not None and len(keys):
                return True
        elif item.obstacle is not None:
            return True
        stack += item.parts()
    return False


def _switch(controller: Controller | None, _: str) -> Serial | None:
    return boolean_track(controller)
