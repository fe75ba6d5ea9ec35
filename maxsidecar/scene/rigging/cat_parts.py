"""CAT: limbs, spines and digits, and what nodes of a rig show.

Measured as :mod:`maxsidecar.scene.rigging.cat_controllers`.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.io.fields import F32, U32, Array, Text8
from maxsidecar.io.views import ChunkChild, ChunkField
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register
from maxsidecar.scene.rigging.cat_controllers import RigElement
from maxsidecar.scene.rigging.cat_layers import LayerFloat
from maxsidecar.scene.rigging.targets import block_target, block_targets, first_block

__all__ = ["CatDigit", "CatLimb", "CatParent", "CatShape", "CatSpine"]

ARM: Final = 1 << 1
LEG: Final = 1 << 2
LEFT: Final = 1 << 3
MIDDLE: Final = 1 << 4
RIGHT: Final = 1 << 5
#: Bit of a spine that is posed link by link (public sources; in no file).
FK_SPINE: Final = 1 << 3


def _layer(obj: SceneObject, slot: int) -> LayerFloat | None:
    index = obj.references.get(slot)
    found = None if index is None or index >= len(obj.scene) else obj.scene[index]
    return found if isinstance(found, LayerFloat) else None


@register(superclass=0x200, class_id=(0x6E4253A3, 0x7FFA3373))
class CatLimb(SceneObject):
    """An arm or a leg."""

    __slots__ = ()
    element = ChunkChild(0x0010, RigElement, doc="what every part begins with")
    flags = ChunkField(0x0001, U32, default=0, doc="2 arm, 4 leg; 8 left, 10 middle, 20 right")

    @property
    def side(self) -> int:
        """-1 left, 1 right, 0 neither."""
        return -1 if self.flags & LEFT else int(bool(self.flags & RIGHT))

    @property
    def is_leg(self) -> bool:
        """Whether it is a leg."""
        return bool(self.flags & LEG)

    @property
    def hub(self) -> SceneObject | None:
        """The hub that it starts at."""
        return block_target(self, 1)

    @property
    def collarbone(self) -> SceneObject | None:
        """The collarbone before its first bone."""
        return block_target(self, 8)

    @property
    def palm(self) -> SceneObject | None:
        """The palm or ankle that ends it."""
        return block_target(self, 9)

    @property
    def bones(self) -> list[SceneObject | None]:
        """Its bones from the hub on."""
        return block_targets(self, 12)

    @property
    def ik_to_fk(self) -> LayerFloat | None:
        """0 where it reaches for its target, 1 where its bones turn by themselves."""
        return _layer(self, 3)

    @property
    def reaching_bones(self) -> LayerFloat | None:
        """How many of its bones reach for the target, the palm counted."""
        return _layer(self, 4)

    @property
    def target(self) -> Node | None:
        """The node that it reaches for."""
        return self._node(5)

    @property
    def up_node(self) -> Node | None:
        """The node that its knee or elbow points at."""
        return self._node(7)

    def _node(self, slot: int) -> Node | None:
        index = self.references.get(slot)
        return None if index is None else self.scene.nodes.get(index)


@register(superclass=0x200, class_id=(0x1D473A0E, 0x3B151C9D))
class CatSpine(SceneObject):
    """A spine or neck: links between two hubs."""

    __slots__ = ()
    element = ChunkChild(0x0002, RigElement, doc="what every part begins with")
    flags = ChunkField(0x0001, U32, default=0, doc="8 posed link by link (likely); 0")

    @property
    def base_hub(self) -> SceneObject | None:
        """The hub below."""
        return block_target(self, 1)

    @property
    def tip_hub(self) -> SceneObject | None:
        """The hub above."""
        return block_target(self, 2)

    @property
    def links(self) -> list[SceneObject | None]:
        """Its links from the base on."""
        return block_targets(self, 10)

    @property
    def relative(self) -> LayerFloat | None:
        """1 where it starts along its base, 0 where it heads for its tip (likely)."""
        return _layer(self, 1)

    @property
    def base(self) -> tuple[float, ...] | None:
        """Matrix of its start to the base hub, twelve numbers, the place in CAT units."""
        block = first_block(self)
        value = None if block is None or 14 not in block else block.value(14)
        rows: tuple[float, ...] | None = getattr(value, "rows", None)
        return rows


@register(superclass=0x200, class_id=(0x67E7064D, 0x28271D66))
class CatDigit(SceneObject):
    """A finger or toe."""

    __slots__ = ()
    element = ChunkChild(0x0001, RigElement, doc="what every part begins with")

    @property
    def palm(self) -> SceneObject | None:
        """The palm or ankle that it is on."""
        return block_target(self, 6)

    @property
    def segments(self) -> list[SceneObject | None]:
        """Its bones."""
        return block_targets(self, 8)

    @property
    def root(self) -> tuple[float, float, float] | None:
        """Where it starts: factors of the palm's size along x, y, z."""
        block = first_block(self)
        value = None if block is None or 5 not in block else block.value(5)
        if not isinstance(value, tuple) or len(value) != 3:
            return None
        x, y, z = value
        return float(x), float(y), float(z)


@register(superclass=0x50, class_id=(0x56AE72E5, 0x389B6659))
class CatParent(SceneObject):
    """What the node of a rig as a whole shows."""

    __slots__ = ()
    version = ChunkField(0x0001, U32, default=0, doc="version of CAT that wrote it; 3500")
    flags = ChunkField(0x0002, U32, default=0, doc="open; 40")
    master = ChunkField(0x0005, U32, doc="storage index of the rig's master controller")
    length_axis = ChunkField(0x0007, U32, default=0, doc="axis along bones; as in the master")
    mode = ChunkField(0x0008, U32, doc="open (likely the mode of earlier releases); 0")
    vertex_count = ChunkField(0x0009, U32, default=0, doc="of a mesh of its own; 0")
    face_count = ChunkField(0x000A, U32, default=0, doc="of a mesh of its own; 0")
    vertices = ChunkField(0x000B, Array(F32), default=(), doc="x, y, z of each (likely); empty")
    faces = ChunkField(0x000C, Array(U32), default=(), doc="faces as numbers; empty")
    preset = ChunkField(0x000D, Text8("latin-1"), default="", doc="preset file (likely); empty")
    preset_time = ChunkField(0x000E, Text8("latin-1"), default="", doc="its date (likely); empty")


@register(superclass=0x10, class_id=(0x2E6A0C09, 0x43D5C9C0))  # CATBone
@register(superclass=0x10, class_id=(0x73DC4833, 0x65C93CAA))  # HubObject
@register(superclass=0x50, class_id=(0x67A52F20, 0x2EAC1B81))  # IKTarget
class CatShape(SceneObject):
    """What a node of a rig shows: a box by its parameters, or a mesh of its own."""

    __slots__ = ()
    chunk_0040 = ChunkField(0x0040, U32, doc="open; 0, 3500 on platforms")
    vertex_count = ChunkField(0x0002, U32, default=0, doc="of a mesh of its own; 0")
    face_count = ChunkField(0x0004, U32, default=0, doc="of a mesh of its own; 0")
    vertices = ChunkField(0x0008, Array(F32), default=(), doc="x, y, z of each (likely); empty")
    faces = ChunkField(0x0010, Array(U32), default=(), doc="faces as numbers; empty")
    flags = ChunkField(0x0020, U32, default=0, doc="open; 8")
