"""The tracks of a node and of all nodes below it, by name.

Names and order are those of the plug-in: whatever hangs below the node has its own name in front,
and nothing of the nodes between.  A biped is sampled from its centre of mass on, as far as bones
hang on bones; what else moves keeps its keys.  (spec: nel-export-rules, section 5; which nodes have
which tracks: NeL's public sources)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.animation.bone_scale import divided
from maxsidecar.nel.animation.extras import SWITCH, UNSEEN, Extra, extras
from maxsidecar.nel.animation.keyframers import Level, boolean_track, keyed_track, seconds
from maxsidecar.nel.animation.samples import (
    Samples,
    moves,
    position_track,
    rotation_track,
    sample,
    sample_times,
    step_of,
)
from maxsidecar.nel.animation.spawn import BoneScript, compile_scripts
from maxsidecar.nel.serial.classes.track import CKeyString, CTrackKeyFramerConstString
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.scene.biped.system import BipedBody, BipedController, BipedMember
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.composite import PRS, LookAt
from maxsidecar.scene.controllers.keyed import KeyedController
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.notes import Note, read_notes
from maxsidecar.scene.time_range import read_time_range

if TYPE_CHECKING:
    import numpy.typing as npt

    from maxsidecar.nel.export.view import SceneView

__all__ = ["Collector"]

#: Value names and kinds by reference slot, in the order of the plug-in.
_PRS: Final = ((2, "scale", "scale"), (1, "rotquat", "rotation"), (0, "pos", "position"))
_LOOK_AT: Final = ((3, "scale", "scale"), (1, "pos", "position"))
_ROLL: Final = 2
#: Names of tracks that belong to an animation as a whole: the first has no prefix.
_NOTES: Final = "NoteTrack"
_SPAWN: Final = "spawn_script"


@dataclass(frozen=True, slots=True)
class _Visit:
    """A node on the way down.

    Attributes:
        node: The node.
        start: In front of the names of its tracks.
        sampled: Whether it is a bone of a biped that is sampled.
    """

    node: Node
    start: str
    sampled: bool

    @property
    def key(self) -> tuple[int, str, bool]:
        """What tells visits apart."""
        return self.node.index, self.start, self.sampled


@dataclass
class Collector:
    """The tracks of an animation while it is put together.

    Attributes:
        view: The scene.
        chosen: Storage indices of all nodes that are to be added.
        tracks: By name, in the order in which they came; the first of a name stays.
        shapes: What spawn scripts may make appear.
        nodes: What was looked at, by storage index, in the same order.
        notes: What is left out or in doubt, by storage index of the node.
    """

    view: SceneView
    chosen: frozenset[int] = frozenset()
    tracks: dict[str, Serial] = field(default_factory=dict)
    shapes: list[str] = field(default_factory=list)
    nodes: dict[int, Node] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)
    _owners: dict[str, int] = field(default_factory=dict, repr=False)
    _moving: set[int] = field(default_factory=set, repr=False)
    _done: set[tuple[int, str, bool]] = field(default_factory=set, repr=False)

    def add(self, node: Node, prefix: str) -> None:
        """Add a node and all below it.

        Args:
            node: The node.
            prefix: In front of all names.
        """
        visits = list(self._visits(node, prefix))
        for visit in visits:
            self.nodes.setdefault(visit.node.index, visit.node)
        # What hangs on two chosen nodes has its tracks from the first of them.
        new = {visit.key for visit in visits} - self._done
        self._done |= new
        times, samples = self._sampled(visits, new)
        scripts = []
        for visit in visits:
            item = visit.node
            try:
                if visit.key in new:
                    self._place(visit)
                if item.index in samples:
                    self._biped(item, visit.start, samples[item.index], times)
            except MaxSidecarError as error:
                self._tell(item, error.message)
            if self.view.flags(item).on("EXPORT_SSS_TRACK"):
                scripts.append(BoneScript(item.index, self.view.name(item), self._read(item)))
            if visit.key in new or item is node:
                self._extras(visit, own=item is node)
        self._notes(node)
        self._spawn(prefix, scripts)

    def _visits(self, node: Node, prefix: str) -> Iterator[_Visit]:
        """Yield a node and all below it from the top down, each once."""
        stack = [(node, False)]
        seen: set[int] = set()
        while stack:
            item, below_bone = stack.pop()
            if item.index in seen:
                continue
            seen.add(item.index)
            controller = self._controller(item)
            body = isinstance(controller, BipedBody)
            sampled = body or (below_bone and isinstance(controller, BipedController))
            # The node itself has no name, but for a biped that hangs on something.
            bare = item is node and (not body or isinstance(item.parent, RootNode))
            yield _Visit(item, prefix if bare else f"{prefix}{self.view.name(item)}.", sampled)
            stack += [(child, sampled) for child in reversed(item.children)]

    def _sampled(
        self, visits: list[_Visit], new: set[tuple[int, str, bool]]
    ) -> tuple[npt.NDArray[np.float64], dict[int, Samples]]:
        """Return the times of the bipeds among nodes, and where the new ones of their bones are."""
        bones = [v for v in visits if isinstance(self._controller(v.node), BipedController)]
        wanted = [visit.node for visit in bones if visit.sampled and visit.key in new]
        if not wanted:
            return np.zeros(0), {}
        try:
            step = step_of(read_time_range(self.view.file).frame_rate)
            # All bones count for the times, also those that are not sampled.
            times = sample_times([visit.node for visit in bones], step)
        except MaxSidecarError as error:
            for bone in wanted:
                self._tell(bone, error.message)
            return np.zeros(0), {}
        placed = []
        for bone in wanted:
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

    def _controller(self, node: Node) -> Controller | None:
        try:
            found = node.controller
        except MaxSidecarError as error:
            self._tell(node, error.message)
            return None
        return found if isinstance(found, Controller) else None

    def _place(self, visit: _Visit) -> None:
        """Add where a node is, and where a camera looks; bones of bipeds have no keys for it."""
        node, start = visit.node, visit.start
        controller = self._controller(node)
        if isinstance(controller, BipedController):
            if not visit.sampled and node.index not in self._moving:
                self._tell(node, "bones of bipeds have tracks below their centre of mass only")
            return
        if not isinstance(controller, PRS | LookAt):
            # Footsteps only follow their biped.
            if controller is not None and not isinstance(controller, BipedMember):
                self._tell(node, f"{controller.class_name} has no keys that the game knows")
            return
        slots = _PRS if isinstance(controller, PRS) else _LOOK_AT
        camera = isinstance(controller, LookAt) and self.view.kind(node) == "camera"
        if camera:
            slots = (*slots, (_ROLL, "roll", "float"))
        for slot, name, kind in slots:
            self._keyed(node, self._part(node, controller, slot), f"{start}{name}", kind)
        if camera and isinstance(controller, LookAt):
            self._target(node, controller, start)

    def _part(self, node: Node, controller: Controller, slot: int) -> Controller | None:
        """Return the controller in a slot; what is wrong with the slot is told."""
        fault = controller.slot_fault(slot)
        if fault is not None:
            self._tell(node, fault)
            return None
        return controller.part(slot)

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

    def _extras(self, visit: _Visit, *, own: bool) -> None:
        """Add what else of a node moves; of nodes that are not chosen it is told only."""
        node = visit.node
        # A biped that is chosen has the tracks of its bones, and no others.
        wanted = own and not isinstance(self._controller(node), BipedBody)
        lost: list[str] = []
        for part in extras(self.view, node, visit.start):
            try:
                for item in part:
                    if item.kind == UNSEEN:
                        self._unseen(node, item)
                    elif wanted:
                        self._keyed(node, item.controller, item.name, item.kind, item.level)
                    elif _has_keys(item):
                        lost.append(item.name)
            except MaxSidecarError as error:
                self._tell(node, error.message)
        if own or node.index not in self.chosen:
            if self.view.flags(node).on("EXPORT_NOTE_TRACK") and not own:
                lost.append(_NOTES)
            if lost:
                names = ", ".join(lost)
                told = "only nodes that are chosen, and are no biped, have such tracks"
                self._tell(node, f"{names} left out: {told}")

    def _unseen(self, node: Node, item: Extra) -> None:
        """Tell what moves, and has no track because the plug-in does not look at it."""
        if item.controller is not None and _moves(item.controller):
            self._tell(node, f"{item.name} is left out: the plug-in does not look at it")

    def _read(self, node: Node) -> list[Note]:
        """Return the notes of a node; what is wrong with them is told."""
        try:
            return read_notes(node)
        except MaxSidecarError as error:
            self._tell(node, f"its notes are left out: {error.message}")
            return []

    def _notes(self, node: Node) -> None:
        """Add the texts that animators hang on a node, if it asks for them."""
        if not self.view.flags(node).on("EXPORT_NOTE_TRACK"):
            return
        by_time: dict[int, str] = {}
        for note in self._read(node):
            by_time.setdefault(note.time, note.text)
        if not by_time:
            self._tell(node, "EXPORT_NOTE_TRACK is set, but it has no notes")
            return
        times = sorted(by_time)
        keys = [CKeyString(time=float(seconds(t)), value=by_time[t]) for t in times]
        begin, end = seconds((times[0], times[-1])).tolist()
        track = CTrackKeyFramerConstString(
            keys=keys, range_lock=False, range_begin=begin, range_end=end
        )
        self._put(node, _NOTES, track)

    def _spawn(self, prefix: str, scripts: list[BoneScript]) -> None:
        """Add what the spawn scripts of all nodes make appear."""
        try:
            made = compile_scripts(scripts)
        except MaxSidecarError as error:
            self._tell(self.nodes[scripts[0].index], error.message)
            return
        for script in scripts:
            for problem in made.problems.get(script.index, ()):
                self._tell(self.nodes[script.index], problem)
            if not script.notes:
                told = "EXPORT_SSS_TRACK is set, but it has no notes with a spawn script"
                self._tell(self.nodes[script.index], told)
        if made.track is not None:
            self._put(self.nodes[scripts[0].index], f"{prefix}{_SPAWN}", made.track)
            self.shapes += [shape for shape in made.shapes if shape not in self.shapes]

    def _keyed(
        self,
        node: Node,
        controller: Controller | None,
        name: str,
        kind: str,
        level: Level | None = None,
    ) -> None:
        try:
            made = _track(controller, kind, level)
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
            self._moving.add(node.index)
        else:
            self._tell(node, f"{name} is left out: another node has a track of this name")

    def _tell(self, node: Node, note: str) -> None:
        known = self.notes.setdefault(node.index, [])
        if note not in known:
            known.append(note)


def _track(controller: Controller | None, kind: str, level: Level | None = None) -> Serial | None:
    """Return the track of a controller, see :func:`keyed_track`."""
    if kind == SWITCH:
        return boolean_track(controller)
    return keyed_track(controller, kind, level)


def _has_keys(item: Extra) -> bool:
    """Return whether there would be a track."""
    return _track(item.controller, item.kind) is not None


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
