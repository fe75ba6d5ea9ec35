"""How the exported nodes move in a piece of the scene's time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.export.families import Families, part_of
from maxsidecar.gltf.export.frame import Frame
from maxsidecar.gltf.export.pointers import Pointed, pointed
from maxsidecar.gltf.export.sampling import Clock, Values, smooth_turns, window
from maxsidecar.gltf.export.tracks import Track, matrix_tracks, part_track, straight_scale
from maxsidecar.gltf.export.weights import weight_track
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.compile import compile_together
from maxsidecar.scene.controllers.composite import MOVE, PRS, ROTATE, SCALE, LookAt
from maxsidecar.scene.controllers.rotations import quaternion_to_matrix
from maxsidecar.scene.controllers.sampling import Sampler
from maxsidecar.scene.node import Node
from maxsidecar.scene.transform import Pose

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export

__all__ = ["Motion", "Mover", "Movers", "controller_of"]

Array = npt.NDArray[np.float64]

_PARTS: Final = ((0, "position"), (1, "rotation"), (2, "scale"))
_SHEAR: Final = "sampled: scale along turned axes, of which glTF has no more than the lengths"


def controller_of(node: Node) -> Controller | None:
    """Return a node's transform controller; ``None`` where there is none that can be read."""
    try:
        found = node.controller
    except MaxSidecarError:
        return None
    return found if isinstance(found, Controller) else None


@dataclass(slots=True)
class Mover:
    """A node that may move.

    Attributes:
        node: The node in the scene.
        target: The node in the export.
        controller: Its transform controller.
        frame: How its numbers are changed.
        ancestor: The node above it in the export, ``None`` for a top node.
        direct: Whether that is the node's own parent.
    """

    node: Node
    target: model.Node
    controller: Controller
    frame: Frame
    ancestor: Node | None
    direct: bool

    @property
    def plain(self) -> bool:
        """Whether position, rotation and scale are all there is to it."""
        controller = self.controller
        if not self.direct or type(controller) is not PRS:
            return False
        try:
            return not controller.inheritance & (MOVE | ROTATE | SCALE)
        except MaxSidecarError:
            return True


@dataclass(slots=True)
class Motion:
    """What moves in a piece of time: tracks by the storage index of the node.

    Attributes:
        whole: Nodes that were sampled as a whole, with the reason.
        sheared: Nodes whose matrices are more than translation, rotation and scale.
        unsound: Nodes with values that are no numbers, or do not fit into 32 bits; those tracks are
            not there.
        pointed: Tracks of lights, cameras and materials, in the order of :attr:`Movers.pointed`.
        lost: What of those could not be read, with the reason.
    """

    clock: Clock
    tracks: dict[int, list[Track]] = field(default_factory=dict)
    whole: dict[int, str] = field(default_factory=dict)
    sheared: set[int] = field(default_factory=set)
    unsound: set[int] = field(default_factory=set)
    pointed: list[list[Track]] = field(default_factory=list)
    lost: dict[int, str] = field(default_factory=dict)


class Movers:
    """The nodes of an export that may move.

    Args:
        export: The export, with its nodes.
        movers: Them.

    Attributes:
        families: What their controllers are put together from.
        pointed: Lights, cameras and materials with keys.
    """

    def __init__(self, export: Export, movers: list[Mover]) -> None:
        """Compile the keys of all of them together."""
        self.export = export
        self.movers = movers
        self.scene = export.scene_file.scene
        compile_together([mover.controller for mover in movers])
        self.families = Families()
        self.pointed: list[Pointed] = list(pointed(export, self.families))
        self._first: dict[frozenset[int], Sampler] = {}
        self._samplers: dict[frozenset[int], Values] = {}
        self._scales: dict[int, bool] = {}

    @property
    def count(self) -> int:
        """How many nodes may move; those whose controllers have no keys do not."""
        return sum(
            not mover.plain or bool(self.families.times(mover.controller)) for mover in self.movers
        )

    def sampler(self, controller: Controller, clock: Clock) -> Values:
        """Return what gives the values of a controller in a piece of time, samples and keys."""
        times = self.families.times(controller)
        key = frozenset(map(id, times))
        found = self._samplers.get(key)
        if found is None:
            ticks = clock.samples(times)
            whole = self._first.setdefault(key, Sampler(ticks))
            found = self._samplers[key] = window(whole, ticks)
        return found

    def motion(self, clock: Clock) -> Motion:
        """Return the tracks of all nodes in a piece of time."""
        # Keys may hold anything; what comes of them is looked at in the end.
        with np.errstate(all="ignore"):
            return self._motion(clock)

    def _motion(self, clock: Clock) -> Motion:
        out = Motion(clock)
        self._samplers.clear()
        whole: list[tuple[Mover, str]] = []
        for mover in self.movers:
            reason = self._whole(mover, clock)
            if reason:
                whole.append((mover, reason))
                continue
            tracks = list(self._parts(mover, clock))
            if tracks:
                out.tracks[mover.node.index] = tracks
                self._match(mover, clock)
        if whole:
            self._wholes(whole, clock, out)
        for index, morph in self.export.morphs.items():
            track = weight_track(morph, clock, self.families)
            if track is not None:
                out.tracks.setdefault(index, []).append(track)
        for index, tracks in out.tracks.items():
            sound = [track for track in tracks if track.sound]
            if len(sound) < len(tracks):
                out.unsound.add(index)
                out.tracks[index] = sound
        for number, item in enumerate(self.pointed):
            try:
                out.pointed.append(item.tracks(clock, self.families))
            except MaxSidecarError as error:
                out.pointed.append([])
                out.lost[number] = str(error)
        return out

    def _whole(self, mover: Mover, clock: Clock) -> str:
        """Return why a node must be sampled as a whole; nothing if it need not be."""
        if not mover.plain:
            name = mover.controller.class_name
            return f"sampled: depends on more than its own keys ({name})"
        scale = part_of(mover.controller, 2)
        return "" if scale is None or self._straight(scale, clock) else _SHEAR

    def _straight(self, scale: Controller, clock: Clock) -> bool:
        """Return whether scale applies along the node's own axes; asked once if it has no keys."""
        found = self._scales.get(scale.index)
        if found is None:
            found = straight_scale(scale, self.sampler(scale, clock))
            if not self.families.times(scale):
                self._scales[scale.index] = found
        return found

    def _parts(self, mover: Mover, clock: Clock) -> Iterator[Track]:
        for slot, kind in _PARTS:
            controller = part_of(mover.controller, slot)
            if controller is None or controller.kind != kind:
                continue
            sampler = self.sampler(controller, clock)
            track = part_track(controller, kind, mover.frame, clock, self.families, sampler)
            if track is not None:
                yield track

    def _match(self, mover: Mover, clock: Clock) -> None:
        """Take a mirrored node apart as its controllers do, so that its keys fit to the rest.

        A matrix alone does not tell which axes are mirrored, only that some are.
        """
        node, sampler = mover.target, Sampler(np.array([clock.start]))
        if min(node.scale) >= 0.0:
            return
        scale = sampler.value(part_of(mover.controller, 2), "scale")[:, :3]
        if not np.any(scale < 0.0):
            return
        rotation = mover.frame.rotations(sampler.value(part_of(mover.controller, 1), "rotation"))
        factors = mover.frame.scales(scale)
        own = quaternion_to_matrix(rotation)[0].T * factors[0]
        now = quaternion_to_matrix(np.array([node.rotation]))[0].T * np.array(node.scale)
        if np.allclose(own, now, rtol=0.0, atol=1e-5 * np.abs(now).max()):
            x, y, z, w = (float(part) for part in smooth_turns(rotation)[0])
            node.rotation = x, y, z, w
            x, y, z = (float(part) for part in factors[0])
            node.scale = x, y, z

    def _wholes(self, whole: list[tuple[Mover, str]], clock: Clock, out: Motion) -> None:
        needed = self._needs([mover.node for mover, _ in whole])
        controllers = [found for node in needed if (found := controller_of(node))]
        keys = {id(times): times for top in controllers for times in self.families.times(top)}
        pose = Pose(self.scene, clock.samples(keys.values()), self.export.rest)
        pose.prepare([mover.node for mover, _ in whole])
        for mover, reason in whole:
            index = mover.node.index
            local = self._local(pose, mover)
            if len(local) < 2:
                continue
            tracks, all_ = matrix_tracks(
                local, pose.times, mover.frame, clock, mover.target.scale, reason
            )
            out.tracks[index] = tracks
            out.whole[index] = reason
            if not all_:
                out.sheared.add(index)

    def _local(self, pose: Pose, mover: Mover) -> Array:
        """Return a node's matrices below the node above it in the export."""
        if mover.direct:
            return pose.local(mover.node)
        world = pose.world(mover.node)
        if mover.ancestor is None:
            return world
        above = pose.world(mover.ancestor)
        flat = np.abs(np.linalg.det(above[:, :3, :3])) < 1e-30
        safe = np.where(flat[:, None, None], np.eye(4), above)
        with np.errstate(all="ignore"):
            return np.asarray(world @ np.linalg.inv(safe))

    def _needs(self, nodes: list[Node]) -> Iterator[Node]:
        """Yield nodes and those whose movement is theirs as well, each once."""
        stack, seen = list(nodes), set()
        while stack:
            top = stack.pop()
            if top.index in seen:
                continue
            seen.add(top.index)
            yield top
            if (parent := top.parent) is not None:
                stack.append(parent)
            controller = controller_of(top)
            if isinstance(controller, LookAt):
                try:
                    index = controller.target
                except MaxSidecarError:
                    continue
                target = None if index is None else self.scene.nodes.get(index)
                if target is not None:
                    stack.append(target)
