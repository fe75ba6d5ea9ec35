"""The tracks of a node and of all nodes below it, by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.animation.bone_scale import divided
from maxsidecar.nel.animation.keyframers import boolean_track, keyed_track, seconds
from maxsidecar.nel.animation.samples import (
    Samples,
    moves,
    position_track,
    rotation_track,
    sample,
    sample_times,
)
from maxsidecar.nel.serial.classes.track import CKeyString, CTrackKeyFramerConstString
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.scene.animated import parameter_of
from maxsidecar.scene.biped.system import BipedController
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.composite import PRS, LookAt
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.notes import read_notes
from maxsidecar.scene.skin.targets import morph_layers

if TYPE_CHECKING:
    import numpy.typing as npt

    from maxsidecar.nel.export.view import SceneView
    from maxsidecar.scene.objects import SceneObject

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
#: Kind of what is on or off.
_SWITCH: Final = "switch"
_PARAMETERS: Final = ("PSParam0", "PSParam1", "PSParam2", "PSParam3", _TRIGGER)


@dataclass
class Collector:
    """The tracks of an animation while it is put together.

    Attributes:
        view: The scene.
        tracks: By name, in the order in which they came; the first of a name stays.
        nodes: What was looked at, by storage index, in the same order.
        notes: What is left out or in doubt, by storage index of the node.
    """

    view: SceneView
    tracks: dict[str, Serial] = field(default_factory=dict)
    nodes: dict[int, Node] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)
    _owners: dict[str, int] = field(default_factory=dict, repr=False)

    def add(self, node: Node, prefix: str, *, scene: bool) -> None:
        """Add a node and all below it.

        Args:
            node: The node.
            prefix: In front of all names.
            scene: Whether names of the node's own tracks have its name.
        """
        nodes = self._below(node)
        times, samples = self._sampled(nodes)
        for item in nodes:
            self.nodes.setdefault(item.index, item)
            own = item is node and not scene
            if item is node and isinstance(self._controller(item), BipedController):
                # Only at the top of the scene does a biped's own name stay away.
                own = own and isinstance(item.parent, RootNode)
            start = prefix if own else f"{prefix}{self.view.name(item)}."
            try:
                self._node(item, start)
                if item.index in samples:
                    self._biped(item, start, samples[item.index], times)
            except MaxSidecarError as error:
                self._tell(item, error.message)

    def _sampled(self, nodes: list[Node]) -> tuple[npt.NDArray[np.float64], dict[int, Samples]]:
        """Return the times of the bipeds among nodes, and where their bones are then."""
        bones = [item for item in nodes if isinstance(self._controller(item), BipedController)]
        try:
            times = sample_times(bones)
        except MaxSidecarError as error:
            for bone in bones:
                self._tell(bone, error.message)
            return np.zeros(0), {}
        placed = []
        for bone in bones:
            controller = self._controller(bone)
            obstacle = controller.obstacle if isinstance(controller, BipedController) else None
            if obstacle is None:
                placed.append(bone)
            else:
                self._tell(bone, obstacle)
        samples, problems = sample(self.view.scene, placed, times)
        for bone in placed if len(times) else ():
            controller = self._controller(bone)
            for index in (bone.index, -1 if controller is None else controller.index):
                if index in problems:
                    self._tell(bone, problems[index])
        return times, samples if len(times) else {}

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

    def _node(self, node: Node, start: str) -> None:
        """Add all tracks of a node but those of a biped's bone."""
        try:
            self._notes(node, start)
        except MaxSidecarError as error:
            self._tell(node, f"its notes are left out: {error.message}")
        controller = self._controller(node)
        if isinstance(controller, BipedController):
            return
        camera = self.view.kind(node) == "camera"
        if isinstance(controller, PRS | LookAt):
            slots = _PRS if isinstance(controller, PRS) else _LOOK_AT
            if camera and isinstance(controller, LookAt):
                slots = (*slots, (_ROLL, "roll", "float"))
            for slot, name, kind in slots:
                self._keyed(node, self._part(node, controller, slot), f"{start}{name}", kind)
            if camera and isinstance(controller, LookAt):
                self._target(node, controller, start)
        elif controller is not None:
            self._tell(node, f"{controller.class_name} has no keys that the game knows")
        if camera:
            self._parameter(node, "fov", start)
        if self.view.is_particles(node):
            for name in _PARAMETERS:
                self._parameter(node, name, start)
        self._morphs(node, start)
        if self.view.flags(node).is_one("EXPORT_ANIMATED_MATERIALS"):
            self._tell(node, "the animation of its materials is left out")

    def _part(self, node: Node, controller: Controller, slot: int) -> Controller | None:
        """Return the controller in a slot; what is wrong with the slot is told."""
        fault = controller.slot_fault(slot)
        if fault is not None:
            self._tell(node, fault)
            return None
        return controller.part(slot)

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
        self._put(node, f"{start}NoteTrack", track)

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
        try:
            made = boolean_track(controller) if kind == _SWITCH else keyed_track(controller, kind)
        except MaxSidecarError as error:
            self._tell(node, f"{name}: {error.message}")
            return
        if made is not None:
            self._put(node, name, made)
        elif controller is not None and _moves(controller):
            self._tell(node, f"{name}: {controller.class_name} has no keys that the game knows")

    def _put(self, node: Node, name: str, track: Serial) -> None:
        """Add a track, if its name is free; that another node has it is told."""
        owner = self._owners.setdefault(name, node.index)
        if owner == node.index:
            self.tracks.setdefault(name, track)
        else:
            self._tell(node, f"{name} is left out: another node has a track of this name")

    def _target(self, node: Node, controller: LookAt, start: str) -> None:
        index = controller.target
        target = None if index is None else self.view.scene.nodes.get(index)
        place = None if target is None else self._controller(target)
        if isinstance(place, PRS):
            self._keyed(node, place.part(0), f"{start}target", "position")

    def _biped(
        self, node: Node, start: str, samples: Samples, times: npt.NDArray[np.float64]
    ) -> None:
        """Add what a bone of a biped does."""
        controller = self._controller(node)
        role = controller.role if isinstance(controller, BipedController) else None
        turns, places = np.concatenate(samples.turns), np.concatenate(samples.places)
        if role is None or not (np.isfinite(turns).all() and np.isfinite(places).all()):
            self._tell(node, "its place is no finite number")
            return
        self._put(node, f"{start}rotquat", rotation_track(times, turns))
        if moves(role):
            below = divided(self.view, node.parent, places.astype(np.float64))
            self._put(node, f"{start}pos", position_track(times, below))

    def _parameter(self, node: Node, name: str, start: str) -> None:
        """Add what moves a parameter of the node's object."""
        base: SceneObject | None = self.view.base(node)
        try:
            parameter = None if base is None else parameter_of(base, name)
            found = None if parameter is None else parameter.controller
        except MaxSidecarError as error:
            self._tell(node, f"{name}: {error.message}")
            return
        controller = found if isinstance(found, Controller) else None
        kind = _SWITCH if name == _TRIGGER else "float"
        self._keyed(node, controller, f"{start}{name}", kind)

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
