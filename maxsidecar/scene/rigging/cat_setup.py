"""Where the nodes of a CAT rig stand in its setup pose: what meshes are bound to.

Every part keeps a setup matrix, which stands on the end of the bone above; some take their turn
from the rig instead.  Spines bend between their hubs, and legs reach for their platforms.  What no
file proves is left out: docs/format/cat-and-ik.md, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.node import Node
from maxsidecar.scene.rigging.cat_controllers import (
    CatBone,
    CatCollarbone,
    CatDigitSegment,
    CatFoot,
    CatHub,
    CatMaster,
    CatNode,
    CatPalm,
    CatSegment,
    CatSpineLink,
)
from maxsidecar.scene.rigging.cat_layers import LayerFloat, LayerMatrix3
from maxsidecar.scene.rigging.cat_parts import FK_SPINE, CatDigit, CatLimb, CatSpine
from maxsidecar.scene.rigging.reach import reach
from maxsidecar.scene.rigging.turns import about, blend, half_turn, moved, rigid, unit
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.transform import Pose

__all__ = ["setup_worlds"]

F64: TypeAlias = npt.NDArray[np.float64]

# Bits of LayerMatrix3.flags (public sources; each of them is in use in the files).
_WITH_RIG: Final = 1 << 9
_RIG_PLACE: Final = 1 << 16
_RIG_TURN: Final = 1 << 17
_HALF_TURN: Final = 1 << 18
_PARENT_PLACE: Final = 1 << 19
_OWN_CONTROLLER: Final = 1 << 28
#: How they stand together in the files, besides with the rig.
_SEEN: Final = (0, _RIG_TURN, _RIG_TURN | _HALF_TURN | _PARENT_PLACE)
#: Bit of limbs that do not reach in the setup pose (public sources; in no file).
_SETUP_FK: Final = 1 << 10
#: Angles below are none.
_STRAIGHT: Final = 1e-7


def setup_worlds(scene: Scene, time: int = 0) -> dict[int, F64]:
    """Return the world matrices of rigs' nodes in their setup pose.

    Measured against the bind matrices of 53 joints.

    Args:
        scene: The scene.
        time: Ticks, for the place of the rig as a whole.

    Returns:
        (4, 4) by storage index of the node; nodes whose place no rule tells are left out.
    """
    pose = Pose(scene, time)
    rigs: dict[int, _Rig] = {}
    with np.errstate(all="ignore"):
        for node in scene.nodes.values():
            rig = _rig_of(node, pose)
            if rig is not None:
                rigs[rig.master.index] = rig
        owners = _owners(scene, rigs)
        for _, node in scene.nodes.walk():
            rig = owners.get(node.index)
            if rig is not None:
                rig.place(node)
    worlds: dict[int, F64] = {}
    for rig in rigs.values():
        worlds |= rig.worlds
    return worlds


def _owners(scene: Scene, rigs: dict[int, _Rig]) -> dict[int, _Rig]:
    """Return the rigs that nodes belong to, by the node's index, and tell the rigs of them."""
    owners: dict[int, _Rig] = {}
    for node in scene.nodes.values() if rigs else ():
        try:
            controller = node.controller
            data = controller.node_data if isinstance(controller, CatNode) else None
            master = None if data is None or data.element is None else data.element.master
        except MaxSidecarError:
            continue
        if controller is not None and master in rigs:
            rigs[master].nodes[controller.index] = node
            owners[node.index] = rigs[master]
    return owners


def _rig_of(node: Node, pose: Pose) -> _Rig | None:
    try:
        master = node.controller
        if not isinstance(master, CatMaster) or master.length_axis != 0:
            return None
        world = rigid(pose.world(node)[0])
        units = float(master.units)
    except MaxSidecarError:
        return None
    if world is None or not np.isfinite(units):
        return None
    return _Rig(master, world, units, {node.index: world})


@dataclass(slots=True)
class _Rig:
    """One rig.

    Attributes:
        master: Its master controller.
        world: Where it stands as a whole, without scale.
        units: CAT unit.
        worlds: What is known, by storage index of the node.
        spines: World matrices of spine links and of the hubs above them, by the controller's index.
        nodes: Nodes by the storage index of their controller.
    """

    master: CatMaster
    world: F64
    units: float
    worlds: dict[int, F64]
    spines: dict[int, F64] = field(default_factory=dict)
    nodes: dict[int, Node] = field(default_factory=dict)

    def place(self, node: Node) -> None:
        """Find where a node stands; the one above it comes first."""
        if node.index in self.worlds:
            return
        try:
            controller = node.controller
            if not isinstance(controller, CatNode):
                return
            world = self._world(node, controller)
        except MaxSidecarError:
            return
        if world is not None and np.isfinite(world).all():
            self.worlds[node.index] = world

    def _world(self, node: Node, controller: CatNode) -> F64 | None:
        if isinstance(controller, CatSpineLink):
            if controller.number == 0:
                self._bend(node, controller)
            return self.spines.get(controller.index)
        if controller.index in self.spines:
            return self.spines[controller.index]
        if isinstance(controller, CatSegment):
            bone = controller.bone
            if bone is None or len(bone.segments) != 1:
                return None
            limb = bone.limb
            if not isinstance(limb, CatLimb):
                return None
            return self._leg(node, limb) if limb.is_leg else self._own(node, bone)
        if isinstance(controller, CatPalm):
            limb = controller.limb
            if not isinstance(limb, CatLimb):
                return None
            return self._leg(node, limb) if limb.is_leg else self._own(node, controller)
        if isinstance(controller, CatHub) and self._hangs_on_spine(node):
            return None  # the spine has placed it, if a rule tells where
        return self._own(node, controller)

    def _hangs_on_spine(self, node: Node) -> bool:
        parent = node.parent
        return parent is not None and isinstance(parent.controller, CatSpineLink)

    # Parts that stand on the one above.

    def _own(self, node: Node, part: CatNode, above: tuple[F64, F64] | None = None) -> F64 | None:
        """Return the world matrix of a part that stands by its setup matrix.

        Args:
            node: Its node.
            part: The part.
            above: World matrix of the parent and that of the end of its bone, if not as known.
        """
        layers = part.layers
        if layers is None or layers.setup is None or self._has_controller(layers):
            return None
        if layers.flags & _WITH_RIG:
            return self._setup(layers) @ self.world
        above = above or self._above(node)
        if above is None:
            return None
        parent, start = above
        if isinstance(part, CatBone) and part.number == 0:
            parent, start = half_turn(parent), half_turn(start)
        elif isinstance(part, CatCollarbone):
            limb = part.limb
            if not isinstance(limb, CatLimb):
                return None
            start = about(np.array([0.0, 1.0, 0.0]), limb.side * np.pi / 2) @ start
        elif isinstance(part, CatDigitSegment) and part.number == 0:
            root = self._digit_root(node, part)
            if root is None:
                return None
            start = moved(parent, root)
        world = self._stand(layers, parent, start)
        if world is not None and isinstance(part, CatPalm):
            world[3] = start[3]
        return world

    def _stand(self, layers: LayerMatrix3, parent: F64, start: F64) -> F64 | None:
        flags = layers.flags & (_RIG_PLACE | _RIG_TURN | _HALF_TURN | _PARENT_PLACE)
        if flags not in _SEEN:
            return None
        setup = self._setup(layers)
        start = start.copy()
        if flags & _RIG_TURN:
            turn = half_turn(self.world) if flags & _HALF_TURN else self.world
            start[:3, :3] = turn[:3, :3]
        if flags & _PARENT_PLACE:
            start[3, :3] += setup[3, :3] @ parent[:3, :3]
            setup[3, :3] = 0.0
        return setup @ start

    def _above(self, node: Node) -> tuple[F64, F64] | None:
        """Return the world matrix of the parent, and that of the end of its bone."""
        parent = node.parent
        if parent is None or parent.index not in self.worlds:
            return None
        world, controller = self.worlds[parent.index], parent.controller
        if not isinstance(controller, CatNode):
            return None
        if isinstance(controller, CatHub | CatPalm | CatFoot):
            return world, world
        size = self._size(controller)
        if size is None:
            return None
        end = moved(world, np.array([size[0], 0.0, 0.0]))
        if isinstance(controller, CatCollarbone):
            # What is behind a collarbone turns with the hub.
            hub = parent.parent
            if hub is None or hub.index not in self.worlds:
                return None
            end[:3, :3] = self.worlds[hub.index][:3, :3]
        return world, end

    def _digit_root(self, node: Node, part: CatDigitSegment) -> F64 | None:
        digit, parent = part.digit, node.parent
        palm = parent.controller if parent is not None else None
        if not isinstance(digit, CatDigit) or not isinstance(palm, CatPalm):
            return None
        limb, size, root = palm.limb, self._size(palm), digit.root
        if not isinstance(limb, CatLimb) or limb.is_leg or size is None or root is None:
            return None
        offset: F64 = size * np.array(root)
        return offset

    # Spines.

    def _bend(self, node: Node, first: CatSpineLink) -> None:
        """Place the links of a spine and the hub above them."""
        spine, parent = first.spine, node.parent
        if not isinstance(spine, CatSpine) or spine.flags & FK_SPINE or parent is None:
            return
        base, tip, relative = spine.base, spine.tip_hub, spine.relative
        links = [link for link in spine.links if isinstance(link, CatSpineLink)]
        sizes = [size for link in links if (size := self._size(link)) is not None]
        if (
            base is None
            or not isinstance(tip, CatHub)
            or relative is None
            or relative.setup != 1.0
            or len(sizes) != len(spine.links)
            or parent.index not in self.worlds
        ):
            return
        layers = tip.layers
        if layers is None or layers.setup is None or self._has_controller(layers):
            return
        hub = self.worlds[parent.index]
        start = self._scaled(base) @ hub
        whole = np.array([sum(size[0] for size in sizes), 0.0, 0.0])
        goal = self._stand(layers, hub, moved(start, whole))
        if goal is None:
            return
        straight, aim = start[0, :3], unit(goal[3, :3] - start[3, :3])
        axis = np.cross(straight, aim)
        angle = float(np.arctan2(np.linalg.norm(axis), straight @ aim))
        place = start[3].copy()
        for link, size in zip(links, sizes, strict=True):
            turn = self._link_turn(link)
            if turn is None:
                return
            world = turn @ blend(start, goal, link.rotation_weight)
            if angle > _STRAIGHT:
                world = world @ about(axis, angle * link.position_weight)
            world[3] = place
            self.spines[link.index] = world
            place = moved(world, np.array([size[0], 0.0, 0.0]))[3]
        end = goal.copy()
        end[3] = place
        self.spines[tip.index] = end

    def _link_turn(self, link: CatSpineLink) -> F64 | None:
        block = link.param_blocks[0] if link.param_blocks else None
        value = block.value(2) if block is not None and 2 in block else None
        rows = getattr(value, "rows", None)
        if rows is None:
            return None
        out = self._scaled(rows)
        out[3, :3] = 0.0
        return out

    # Legs.

    def _leg(self, node: Node, limb: CatLimb) -> F64 | None:
        """Return the world matrix of a bone or the ankle of a leg that reaches for its platform."""
        parts = self._leg_parts(limb)
        if parts is None:
            return None
        (thigh, calf, ankle), rig_goal = parts
        if node.index not in (thigh.index, calf.index, ankle.index):
            return None
        solved = self._reach(limb, thigh, calf, ankle, rig_goal)
        if solved is None or not all(np.isfinite(world).all() for world in solved.values()):
            return None
        self.worlds |= solved
        return solved[node.index]

    def _leg_parts(self, limb: CatLimb) -> tuple[tuple[Node, Node, Node], F64] | None:
        palm, target, bones = limb.palm, limb.target, limb.bones
        reaching, ratio = limb.reaching_bones, limb.ik_to_fk
        align = palm.target_align if isinstance(palm, CatPalm) else None
        if (
            target is None
            or limb.up_node is not None
            or limb.flags & _SETUP_FK
            or len(bones) != 2
            or reaching is None
            or reaching.setup != 3.0
            or ratio is None
            or ratio.setup != 0.0
            or not isinstance(align, LayerFloat)
            or align.setup != 1.0
        ):
            return None
        owners = [part for bone in bones if isinstance(bone, CatBone) for part in bone.segments]
        nodes = [self.nodes.get(part.index) for part in (*owners, palm) if part is not None]
        platform = target.controller
        if len(nodes) != 3 or None in nodes or not isinstance(platform, CatFoot):
            return None
        stands = self._own(target, platform)
        if stands is None or platform.layers is None or not platform.layers.flags & _WITH_RIG:
            return None
        first, second, third = (n for n in nodes if n is not None)
        return (first, second, third), half_turn(stands)

    def _reach(
        self, limb: CatLimb, thigh: Node, calf: Node, ankle: Node, goal: F64
    ) -> dict[int, F64] | None:
        """Return the world matrices of a thigh, a calf and an ankle that reach for a goal."""
        upper, lower = limb.bones
        palm = limb.palm
        if not (
            isinstance(upper, CatBone)
            and isinstance(lower, CatBone)
            and isinstance(palm, CatPalm)
            and calf.parent is thigh
            and ankle.parent is calf
        ):
            return None
        first = self._own(thigh, upper)
        lengths = [
            size[0] for part in (upper, lower, palm) if (size := self._size(part)) is not None
        ]
        layers = palm.layers
        if first is None or len(lengths) != 3 or layers is None or self._has_controller(layers):
            return None
        knee = moved(first, np.array([lengths[0], 0.0, 0.0]))
        second = self._own(calf, lower, (first, knee))
        if second is None:
            return None
        along = np.array([lengths[1], 0.0, 0.0])
        foot = self._setup(layers) @ goal
        heel = moved(foot, np.array([-lengths[2], 0.0, 0.0]))[3, :3]
        solved = reach(first, second, float(lengths[1]), heel)
        if solved is None:
            return None
        bone, shin = solved
        foot[3] = moved(shin, along)[3]
        return {thigh.index: bone, calf.index: shin, ankle.index: foot}

    # Numbers of parts.

    def _scaled(self, rows: object) -> F64:
        out = np.eye(4)
        out[:, :3] = np.array(rows, np.float64).reshape(4, 3)
        out[3, :3] *= self.units
        return out

    def _setup(self, layers: LayerMatrix3) -> F64:
        return np.eye(4) if layers.setup is None else self._scaled(layers.setup.numbers)

    def _size(self, controller: CatNode) -> F64 | None:
        data = controller.node_data
        size = None if data is None else data.size
        return None if size is None else np.array(size, np.float64)

    def _has_controller(self, layers: LayerMatrix3) -> bool:
        """Whether the setup pose is under a controller, which no file has."""
        return bool(layers.flags & _OWN_CONTROLLER) or layers.layer_count in layers.references
