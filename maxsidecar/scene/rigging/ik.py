"""Inverse kinematics: chains that a solver poses, and the settings of their joints.

Measured on one scene with seven chains of two kinds, and on its exports, which hold the solved
motion (docs/format/cat-and-ik.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.fields import F32, I32, U32, Array
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.controllers.base import FloatController, TransformController
from maxsidecar.scene.controllers.other import IKControl, StandIn
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register
from maxsidecar.scene.rigging.targets import first_block
from maxsidecar.scene.scene import Scene

__all__ = [
    "AxisLimits",
    "BooleanController",
    "ChainObject",
    "IKChain",
    "free_joints",
    "joint_limits",
    "preferred_place",
]

_NO_KEYS: Final = (-(2**31), -(2**31))
#: Parameters of a joint: for each axis, moving along x, y, z, then turning about them, whether it
#: is free, limited below, limited above, eased, and both limits.
_AXES: Final = (
    ("move x", (0, 1, 2, 30, 3, 4)),
    ("move y", (5, 6, 7, 31, 8, 9)),
    ("move z", (10, 11, 12, 32, 13, 14)),
    ("turn x", (15, 16, 17, 33, 18, 19)),
    ("turn y", (20, 21, 22, 34, 23, 24)),
    ("turn z", (25, 26, 27, 35, 28, 29)),
)
_PREFERRED: Final = (36, 37, 38, 39, 40, 41)


@register(superclass=0x9003, class_id=(0x5ED56FC5, 0x6AF0E521))
class BooleanController(FloatController):
    """1 or 0; whether a chain is enabled, for example.  No file has keys of it."""

    __slots__ = ()
    state = ChunkField(0x3006, F32, default=0.0, doc="1 or 0")
    validity = ChunkField(0x2500, Array(I32, 2), doc="when the value holds, ticks")
    track_flags = ChunkField(0x3002, U32, doc="flags of the track")
    key_range = ChunkField(0x3003, Array(I32, 2), doc="first and last key; no keys")

    @property
    def obstacle(self) -> str | None:
        """Why it is not evaluated: keys of it were never seen."""
        if self.key_range in (None, _NO_KEYS):
            return None
        return "boolean controller with keys, which no file proves"

    @property
    def stored(self) -> tuple[float, ...]:
        """The stored value."""
        return (self.state,)


@register(superclass=0x9008, class_id=(0x78724378, 0x008A4FD9))
class IKChain(StandIn):
    """The controller of a chain's node, the goal; the goal's place is that of slot 1."""

    __slots__ = ()
    known = True
    slots = (1,)
    plain_slot = 1

    @property
    def obstacle(self) -> None:
        """Nothing keeps the goal from being evaluated; it is the joints that a solver poses."""
        return

    @property
    def start(self) -> Node | None:
        """The first joint of the chain."""
        return self._node(4)

    @property
    def end(self) -> Node | None:
        """The node behind the last joint, whose place is to reach the goal."""
        return self._node(2)

    @property
    def enabled(self) -> float:
        """1 where the solver is on, 0 where it is off, as stored."""
        found = self.part(3)
        return found.stored[0] if found is not None else 1.0

    @property
    def solver(self) -> str | None:
        """Name of the solver, such as ``IKHISolver`` or ``IKLimb``."""
        value = self._value(2)
        return value if isinstance(value, str) else None

    @property
    def swivel(self) -> float | None:
        """Angle of the chain's plane about the line to the goal; ``None`` under a controller."""
        value = self._value(4)
        return float(value) if isinstance(value, int | float) else None

    @property
    def swivel_in_goal(self) -> bool:
        """Whether the angle is measured in the goal's space; else in that above the start."""
        return self._value(19) == 0

    @property
    def swivel_target(self) -> Node | None:
        """The node that the plane turns to, where one does."""
        block = first_block(self)
        parameter = None if block is None else block.get(18)
        found = None if parameter is None else parameter.target
        return found if isinstance(found, Node) and self._value(17) else None

    @property
    def joints(self) -> list[Node]:
        """The nodes from the start to the end; empty where the end is not below the start."""
        start, found = self.start, self.end
        chain: list[Node] = []
        seen: set[int] = set()
        while found is not None and found.index not in seen:
            seen.add(found.index)
            chain.append(found)
            if start is not None and found.index == start.index:
                return chain[::-1]
            found = found.parent
        return []

    def _node(self, slot: int) -> Node | None:
        index = self.references.get(slot)
        return None if index is None else self.scene.nodes.get(index)

    def _value(self, number: int) -> object:
        block = first_block(self)
        return None if block is None or number not in block else block.value(number)


@register(superclass=0x50, class_id=(0x1C706482, 0x03E82994))
class ChainObject(SceneObject):
    """What a chain's node shows: the goal's cross."""

    __slots__ = ()


def free_joints(scene: Scene) -> frozenset[int]:
    """Return the joints that no solver turns, by the storage index of their controllers.

    Those are the nodes that end a chain: their place is to reach its goal, and they turn by
    themselves, unless another chain starts there.  None where the scene has transform controllers
    that nothing is known of, which may be chains of another kind.
    """
    known = scene.kept.get(free_joints)
    if known is None or known[0] != scene.edits.count:
        known = scene.kept[free_joints] = (scene.edits.count, _free(scene))
    found: frozenset[int] = known[1]
    return found


def _free(scene: Scene) -> frozenset[int]:
    turned: set[int] = set()
    ends: set[int] = set()
    for chain in scene.of_superclass(0x9008):
        if type(chain) is TransformController:
            return frozenset()
        if not isinstance(chain, IKChain):
            continue
        try:
            controllers = [joint.controller for joint in chain.joints]
        except MaxSidecarError:
            return frozenset()
        if not controllers:
            return frozenset()
        turned |= {found.index for found in controllers[:-1] if found is not None}
        ends |= {found.index for found in controllers[-1:] if found is not None}
    return frozenset(ends - turned)


@dataclass(frozen=True, slots=True)
class AxisLimits:
    """How a joint moves along an axis or turns about it.

    Attributes:
        axis: ``move x`` to ``turn z``.
        free: Whether the solver may use it.
        low: Whether it is limited below, and ``lowest`` where.
        high: Whether it is limited above, and ``highest`` where.
    """

    axis: str
    free: bool
    low: bool
    high: bool
    lowest: float
    highest: float


def joint_limits(joint: IKControl) -> list[AxisLimits]:
    """Return the six axes of a joint; lengths in units of the scene, angles in radians.

    Raises:
        DecodeError: They are not stored as is known.
    """
    block = first_block(joint)
    if block is None:
        return []
    out = []
    for axis, (free, low, high, _, lowest, highest) in _AXES:
        if any(number not in block for number in (free, low, high, lowest, highest)):
            continue
        bits = [bool(block.value(number)) for number in (free, low, high)]
        ends = [_number(block.value(number), joint) for number in (lowest, highest)]
        out.append(AxisLimits(axis, *bits, *ends))
    return out


def preferred_place(joint: IKControl) -> tuple[float, ...] | None:
    """Return where the solver starts from: place, then angles about x, y, z in radians.

    It is where the joint was when its chain was made; ``None`` where it is not stored.

    Raises:
        DecodeError: It is not stored as is known.
    """
    block = first_block(joint)
    if block is None or any(number not in block for number in _PREFERRED):
        return None
    return tuple(_number(block.value(number), joint) for number in _PREFERRED)


def _number(value: object, joint: IKControl) -> float:
    if not isinstance(value, int | float):
        raise DecodeError("a setting of the joint is no number", joint.where, found=value)
    return float(value)
