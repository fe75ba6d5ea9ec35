"""Where nodes are: local, world and object matrices at any times.

Matrices are 4x4 row-vector matrices of float64, as 3ds Max has them: a point is a row ``(x, y, z,
1)``, ``world = local · world of the parent``, and the translation is the last row.  Lengths are in
units of the scene, see :mod:`maxsidecar.scene.units`; Z is up.

(Formulas: docs/format/controllers.md section 6, measured against glTF, .pod and .ase twins.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.biped.system import BipedMember
from maxsidecar.scene.biped.worlds import BipedWorlds
from maxsidecar.scene.controllers.base import Controller
from maxsidecar.scene.controllers.compile import compile_together
from maxsidecar.scene.controllers.composite import MOVE, PRS, ROTATE, SCALE, LookAt
from maxsidecar.scene.controllers.other import StandIn
from maxsidecar.scene.controllers.rotations import FloatArray, conjugate
from maxsidecar.scene.controllers.sampling import Sampler, Times, as_times
from maxsidecar.scene.matrices import compose, look_at, turn_of
from maxsidecar.scene.node import Node
from maxsidecar.scene.scene import Scene

__all__ = ["Pose", "object_offset", "world_matrices"]

_IDENTITY: Final = np.eye(4)[None]
_NO_TURN: Final = np.array([0.0, 0.0, 0.0, 1.0])
#: Reference slot of a node that holds its transform controller.
_TRANSFORM_SLOT: Final = 0


def object_offset(node: Node) -> FloatArray:
    """Return the matrix from a node's object to the node, (4, 4): its pivot.

    It moves geometry only; children, cameras and lights stand on the node itself.

    Raises:
        DecodeError: It is not stored as is known.
    """
    move, turn, scale = node.offset_position, node.offset_rotation, node.offset_scale
    position = (0.0, 0.0, 0.0) if move is None else (move.x, move.y, move.z)
    rotation = _NO_TURN if turn is None else np.array([turn.x, turn.y, turn.z, turn.w])
    factors = np.array([1.0, 1.0, 1.0, *_NO_TURN])
    if scale is not None:
        factors[:3] = scale.x, scale.y, scale.z
        factors[3:] = conjugate(np.array([scale.axis_x, scale.axis_y, scale.axis_z, scale.axis_w]))
    with np.errstate(all="ignore"):
        matrices = compose(np.array([position]), conjugate(rotation)[None], factors[None])
    return np.array(matrices[0])


class Pose:
    """All nodes of a scene at some times; computes each node once.

    Args:
        scene: The scene.
        times: Ticks: a number, or an array of shape (T,).
        rest: Matrices (4, 4) relative to the parent, by storage index, of nodes whose controllers
            are not to be asked, see :func:`maxsidecar.scene.skin.rest.rest_matrices`.
        figure: Whether bipeds stand in their figure pose instead of that of their keys.

    Attributes:
        problems: What could not be evaluated, or need not be right, by storage index of the
            controller or node.
    """

    def __init__(
        self,
        scene: Scene,
        times: Times,
        rest: Mapping[int, FloatArray] | None = None,
        *,
        figure: bool = False,
    ) -> None:
        """Keep the times; nothing is computed yet."""
        self.scene = scene
        self.rest = {} if rest is None else rest
        self.times, self.single = as_times(times)
        self.sampler = Sampler(self.times)
        self.problems = self.sampler.problems
        self._worlds: dict[int, FloatArray] = {}
        self._bipeds = BipedWorlds(scene, self.times, figure=figure)
        self._controllers: dict[int, Controller | None] = {}
        self._prepared: set[int] = set()
        self._cut: set[tuple[int, int]] = set()

    def prepare(self, nodes: Iterable[Node]) -> None:
        """Compile the keys of many nodes together, which is faster than node by node.

        Only the time that :meth:`world` takes depends on it: call it with all the nodes that will
        be asked for.
        """
        waiting = list(nodes)
        controllers: list[Controller] = []
        while waiting:
            node = waiting.pop()
            if node.index in self._prepared:
                continue
            self._prepared.add(node.index)
            waiting += self._needs(node)
            controller = self._controller(node)
            if controller is not None:
                controllers.append(controller)
        compile_together(controllers)

    def world(self, node: Node) -> FloatArray:
        """Return a node's world matrices, (T, 4, 4); (1, 4, 4) where they do not change."""
        done = self._worlds
        if node.index in done:
            return done[node.index]
        self.prepare([node])
        with np.errstate(all="ignore"):
            stack, waiting = [node], {node.index}
            while stack:
                top = stack[-1]
                needed = None
                for other in self._needs(top):
                    if other.index in done or (top.index, other.index) in self._cut:
                        continue
                    if other.index in waiting:
                        self._cut.add((top.index, other.index))
                        self.problems[top.index] = f"depends on itself through {other.name!r}"
                        continue
                    needed = other
                    break
                if needed is not None:
                    stack.append(needed)
                    waiting.add(needed.index)
                    continue
                stack.pop()
                waiting.discard(top.index)
                done[top.index] = self._world(top)
        return done[node.index]

    def _needs(self, node: Node) -> list[Node]:
        """Return the nodes whose world matrices a node's own one is made from."""
        out = [parent] if (parent := node.parent) is not None else []
        controller = self._controller(node)
        target = self._target(controller)
        if target is None and isinstance(controller, BipedMember):
            target = self._bipeds.carried(controller)
            target = None if target is node else target
        return out if target is None else [*out, target]

    def _controller(self, node: Node) -> Controller | None:
        known = self._controllers
        if node.index in known:
            return known[node.index]
        found: Controller | None = None
        try:
            stored = node.controller
            if isinstance(stored, Controller):
                found = stored
            elif _TRANSFORM_SLOT in node.references:
                self.problems[node.index] = f"slot {_TRANSFORM_SLOT} leads to no controller"
        except MaxSidecarError as error:
            self.problems[node.index] = f"damaged: {error.message}"
        known[node.index] = found
        return found

    def _target(self, controller: Controller | None) -> Node | None:
        if not isinstance(controller, LookAt):
            return None
        try:
            index = controller.target
        except MaxSidecarError:
            return None
        return None if index is None else self.scene.nodes.get(index)

    def _parent_world(self, node: Node) -> FloatArray:
        parent = node.parent
        if parent is None or (node.index, parent.index) in self._cut:
            return _IDENTITY
        return self._worlds.get(parent.index, _IDENTITY)

    def _world(self, node: Node) -> FloatArray:
        parent = self._parent_world(node)
        controller = self._controller(node)
        fixed = self.rest.get(node.index)
        if fixed is not None:
            return np.asarray(fixed, np.float64) @ parent
        if controller is None:
            return parent
        self._doubt(controller)
        if isinstance(controller, LookAt) and self._looks(controller):
            target = self._target(controller)
            if target is not None and (node.index, target.index) not in self._cut:
                goal = self._worlds.get(target.index, _IDENTITY)
                return self._look_at(controller, parent, goal)
            self.problems.setdefault(controller.index, "the target is no node")
        if isinstance(controller, BipedMember):
            world = self._biped(node, controller, parent)
            if world is not None:
                if np.isfinite(world).all():
                    return world
                self.problems[controller.index] = "biped: its place is no finite number"
                return parent
        return self._own(controller) @ self._inherited(controller, parent)

    def _biped(self, node: Node, controller: BipedMember, parent: FloatArray) -> FloatArray | None:
        """Return the world matrices of a bone of a biped, ``None`` where they are not known."""
        world = self._bipeds.world(controller)
        body = self._bipeds.carried(controller)
        if world is None or body is None:
            return world
        if body is node:
            link = self._bipeds.link(controller)
            self.problems[controller.index] = (
                "biped: carried by another node; its own keys of place and turn are left out"
            )
            return world if link is None else link @ parent
        stands = self._controller(body)
        free = self._bipeds.world(stands) if isinstance(stands, BipedMember) else None
        if free is None or body.index not in self._worlds or not np.isfinite(free).all():
            return world
        move: FloatArray = np.linalg.inv(free) @ self._worlds[body.index]
        return self._bipeds.following(controller, world, move)

    def _doubt(self, controller: Controller) -> None:
        """Note why what a controller gives need not be right."""
        if isinstance(controller, BipedMember) and self._bipeds.figure:
            return  # keys are what is in doubt of a biped, and its figure does without them
        try:
            doubt = controller.doubt
        except MaxSidecarError as error:
            doubt = f"damaged: {error.message}"
        if doubt is not None:
            self.problems.setdefault(controller.index, doubt)

    def _part(self, controller: Controller, slot: int) -> Controller | None:
        """Return the controller in a slot; what is wrong with the slot is noted."""
        try:
            fault = controller.slot_fault(slot)
            found = controller.part(slot) if fault is None else None
        except MaxSidecarError as error:
            fault, found = f"damaged: {error.message}", None
        if fault is not None:
            self.problems.setdefault(controller.index, fault)
        return found

    def _plain(self, controller: Controller) -> Controller:
        """Return the plain transform below a solver or link, else the controller itself."""
        if isinstance(controller, StandIn):
            plain = self._part(controller, controller.plain_slot)
            return controller if plain is None else plain
        return controller

    def _looks(self, controller: LookAt) -> bool:
        obstacle = _obstacle(controller)
        if obstacle is not None:
            self.problems[controller.index] = obstacle
        return obstacle is None

    def _own(self, controller: Controller) -> FloatArray:
        """Return the matrices of a transform controller by itself."""
        value = self.sampler.value
        if isinstance(controller, StandIn):
            plain = self._plain(controller)
            lost = self.problems.get(controller.index)
            notes = [_obstacle(controller), None if isinstance(plain, PRS) else lost]
            if any(notes):
                self.problems[controller.index] = "; ".join(filter(None, notes))
            if not isinstance(plain, PRS):
                return _IDENTITY
            controller = plain
            self._doubt(controller)
        if isinstance(controller, PRS):
            slots = (0, 1, 2)
        elif isinstance(controller, LookAt):
            slots = (1, -1, 3)
        else:
            if controller.kind != "transform":
                self.problems[controller.index] = f"gives a {controller.kind}, no transform"
            else:
                self.problems[controller.index] = _obstacle(controller) or "its place is not known"
            return _IDENTITY
        position, rotation, scale = (
            None if slot < 0 else self._part(controller, slot) for slot in slots
        )
        return compose(
            value(position, "position"), value(rotation, "rotation"), value(scale, "scale")
        )

    def _inherited(self, controller: Controller, parent: FloatArray) -> FloatArray:
        """Return the part of the parent's matrices that a controller takes.

        (Which bits stand for scale is measured; how the stretch is dropped is spec.)
        """
        controller = self._plain(controller)
        if not isinstance(controller, PRS):
            return parent
        try:
            flags = controller.inheritance
        except MaxSidecarError as error:
            self.problems[controller.index] = f"damaged: {error.message}"
            return parent
        if not flags & (MOVE | ROTATE | SCALE):
            return parent
        out = parent.copy()
        turn = turn_of(parent[:, :3, :3])
        if flags & ROTATE == ROTATE:
            stretch = parent[:, :3, :3] @ np.swapaxes(turn, 1, 2)
            out[:, :3, :3] = np.eye(3) if flags & SCALE == SCALE else stretch
        elif flags & SCALE == SCALE:
            out[:, :3, :3] = turn
        for axis in range(3):
            if flags >> axis & 1:
                out[:, 3, axis] = 0.0
        return out

    def _look_at(self, controller: LookAt, parent: FloatArray, goal: FloatArray) -> FloatArray:
        """Return world matrices that turn -Z towards a goal, whatever the parent's rotation."""
        value = self.sampler.value
        position = value(self._part(controller, 1), "position")
        roll = value(self._part(controller, 2), "float")[:, 0]
        scale = value(self._part(controller, 3), "scale")
        place = (position[:, None, :] @ parent[:, :3, :3])[:, 0] + parent[:, 3, :3]
        return look_at(place, goal[:, 3, :3], roll, scale)

    def local(self, node: Node) -> FloatArray:
        """Return a node's matrices relative to its parent, (T, 4, 4) or (1, 4, 4).

        They are ``world · inverse(world of the parent)``.  Where the parent is flat they are those
        of the node's own controller.
        """
        world = self.world(node)
        controller = self._controller(node)
        with np.errstate(all="ignore"):
            parent = self._parent_world(node)
            fixed = self.rest.get(node.index)
            if fixed is not None:
                return np.array(fixed, np.float64)[None]
            if controller is None:
                return _IDENTITY
            if isinstance(controller, PRS) and not _flags(controller):
                return self._own(controller)
            volume: FloatArray = np.linalg.det(parent[:, :3, :3])
            solid = np.asarray(volume != 0.0).reshape(-1, 1, 1)
            safe = np.where(solid, parent, np.eye(4))
            try:
                relative: FloatArray = world @ np.linalg.inv(safe)
            except np.linalg.LinAlgError:
                return self._own(controller)
            if solid.all():
                return relative
            out: FloatArray = np.where(solid, relative, self._own(controller))
            return out

    def object(self, node: Node) -> FloatArray:
        """Return the matrices from a node's geometry to the world: pivot offset, then node."""
        try:
            offset = object_offset(node)
        except MaxSidecarError as error:
            self.problems[node.index] = f"damaged: {error.message}"
            offset = _IDENTITY[0]
        with np.errstate(all="ignore"):
            return offset @ self.world(node)

    def controller_matrix(self, controller: Controller) -> FloatArray:
        """Return what a transform controller gives, relative to the parent of its node."""
        placed = isinstance(controller, LookAt | BipedMember)
        if placed or (isinstance(controller, PRS) and _flags(controller)):
            for node in self.scene.nodes.values():
                if self._controller(node) is controller:
                    return self.local(node)
        return self._own(controller)

    def full(self, matrices: FloatArray) -> FloatArray:
        """Return matrices in the shape of the times: (4, 4) for one number, else (T, 4, 4)."""
        if self.single:
            return np.array(matrices[0])
        return np.array(np.broadcast_to(matrices, (len(self.times), 4, 4)))


def _flags(controller: PRS) -> int:
    try:
        return controller.inheritance & (MOVE | ROTATE | SCALE)
    except MaxSidecarError:
        return 0


def _obstacle(controller: Controller) -> str | None:
    try:
        return controller.obstacle
    except MaxSidecarError as error:
        return f"damaged: {error.message}"


def world_matrices(
    scene: Scene, times: Times, nodes: Iterable[Node] | None = None
) -> dict[int, FloatArray]:
    """Return the world matrices of many nodes.

    Args:
        scene: The scene.
        times: Ticks: a number, or an array of shape (T,).
        nodes: Which nodes; ``None`` means all.

    Returns:
        By storage index: (4, 4) for one time, else (T, 4, 4).
    """
    pose = Pose(scene, times)
    chosen = list(scene.nodes.values() if nodes is None else nodes)
    pose.prepare(chosen)
    return {node.index: pose.full(pose.world(node)) for node in chosen}
