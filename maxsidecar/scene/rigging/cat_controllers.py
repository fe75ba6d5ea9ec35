"""CAT: the controllers of a rig's nodes.

Measured on two versions of one character, one of them in setup mode; docs/format/cat-and-ik.md
says what is proved how.  Names of chunks that nothing else proves follow the plug-in's public
sources.
"""

from __future__ import annotations

from typing import ClassVar, Final

from maxsidecar.io.fields import F32, I32, U32, Array, Text8
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView
from maxsidecar.scene.controllers.base import FloatController, TransformController
from maxsidecar.scene.controllers.other import StandIn
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register
from maxsidecar.scene.rigging.cat_layers import CatLayerRoot, LayerMatrix3
from maxsidecar.scene.rigging.targets import block_target, block_targets

__all__ = [
    "CatBone",
    "CatCollarbone",
    "CatDigitSegment",
    "CatFoot",
    "CatHub",
    "CatMaster",
    "CatNode",
    "CatPalm",
    "CatPivot",
    "CatSegment",
    "CatSpineLink",
    "CatWeight",
    "ExtraNodes",
    "RigElement",
    "RigNode",
]

_POINT: Final = Array(F32, 3)
_INDICES: Final = Array(U32)
_TEXT: Final = Text8("latin-1")


class ExtraNodes(ChunkView):
    """Nodes of the user's that belong to a part of a rig."""

    __slots__ = ()
    count = ChunkField(0x0001, U32, default=0, doc="number of nodes; 0 in all files")
    nodes = ChunkField(0x0002, _INDICES, default=(), doc="storage indices (likely); empty")


class RigElement(ChunkView):
    """What every part of a rig begins with."""

    __slots__ = ()
    master = ChunkField(0x0005, U32, doc="storage index of the rig's master controller")
    parent_object = ChunkField(0x0001, U32, doc="storage index of the CATParent object")
    flags = ChunkField(0x0002, U32, default=0, doc="locks and inheritance; e000000 inherits all")
    name = ChunkField(0x0003, _TEXT, default="", doc="name of the part, 8-bit")
    version = ChunkField(0x0004, U32, default=0, doc="version of CAT that wrote it; 3500")
    number = ChunkField(
        0x0006, I32, default=-1, doc="number among its siblings, from 0; -1 for a single part"
    )


class RigNode(ChunkView):
    """What every controller of a node of a rig keeps."""

    __slots__ = ()
    element = ChunkChild(0x0001, RigElement, doc="what every part begins with")
    extra_bone_count = ChunkField(0x0005, U32, default=0, doc="extra bones (likely); 0")
    extra_bones = ChunkField(0x0006, _INDICES, default=(), doc="storage indices (likely); empty")
    size = ChunkField(
        0x000A, _POINT, doc="of the bone along x, y, z, in units of the scene, CAT units included"
    )
    mirror = ChunkField(
        0x000C, I32, default=-1, doc="storage index of the part on the other side; -1 for none"
    )
    position_limits_high = ChunkField(0x000E, _POINT, doc="limits (likely); 1, 1, 1")
    position_limits_low = ChunkField(0x000F, _POINT, doc="limits (likely); 1, 1, 1")
    rotation_limits_high = ChunkField(0x0010, _POINT, doc="limits (likely); 1, 1, 1")
    rotation_limits_low = ChunkField(0x0011, _POINT, doc="limits (likely); 1, 1, 1")
    extra_nodes = ChunkChild(0x0014, ExtraNodes, doc="nodes of the user's")


class CatNode(TransformController):
    """The controller of a node of a rig.

    Attributes:
        layer_slot: Reference slot of its layers, which hold its setup matrix; ``None`` for parts
            that another part places.
    """

    __slots__ = ()
    layer_slot: ClassVar[int | None] = None

    @property
    def obstacle(self) -> str:
        """Why it is not evaluated."""
        return "CAT rig: its layers are not evaluated"

    @property
    def node_data(self) -> RigNode | None:
        """What every controller of a rig keeps."""
        found: RigNode | None = getattr(self, "rig", None)
        return found

    @property
    def layers(self) -> LayerMatrix3 | None:
        """Its animation layers and setup matrix.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        found = None if self.layer_slot is None else self.part(self.layer_slot)
        return found if isinstance(found, LayerMatrix3) else None

    @property
    def number(self) -> int:
        """Number among its siblings, from 0; -1 for a single part."""
        data = self.node_data
        element = None if data is None else data.element
        return -1 if element is None else element.number


@register(superclass=0x9008, class_id=(0x1CBB1D2F, 0x30EA5264))
class CatHub(CatNode):
    """A hub: pelvis, ribcage, head."""

    __slots__ = ()
    layer_slot = 1
    rig = ChunkChild(0x0001, RigNode, doc="what every controller of a rig keeps")

    @property
    def limbs(self) -> list[SceneObject | None]:
        """The limbs that start at it."""
        return block_targets(self, 11)


@register(superclass=0x9008, class_id=(0x1F781BE7, 0x19707E49))
class CatBone(CatNode):
    """A bone of a limb; its first segment is the node that is seen."""

    __slots__ = ()
    layer_slot = 1
    rig = ChunkChild(0x0000, RigNode, doc="what every controller of a rig keeps")

    @property
    def limb(self) -> SceneObject | None:
        """The limb that it is a bone of."""
        return block_target(self, 0)

    @property
    def segments(self) -> list[SceneObject | None]:
        """Its segments, one in all files."""
        return block_targets(self, 17)


@register(superclass=0x9008, class_id=(0x485A734C, 0x795557CC))
class CatSegment(CatNode):
    """The node of a segment of a limb's bone."""

    __slots__ = ()
    rig = ChunkChild(0x0000, RigNode, doc="what every controller of a rig keeps")

    @property
    def bone(self) -> CatBone | None:
        """The bone that it is a segment of."""
        found = block_target(self, 0)
        return found if isinstance(found, CatBone) else None


@register(superclass=0x9008, class_id=(0x4EDF6DDE, 0x3D77551C))
class CatPalm(CatNode):
    """A palm or an ankle: the end of a limb."""

    __slots__ = ()
    layer_slot = 2
    rig = ChunkChild(0x0000, RigNode, doc="what every controller of a rig keeps")

    @property
    def limb(self) -> SceneObject | None:
        """The limb that it ends."""
        return block_target(self, 0)

    @property
    def target_align(self) -> SceneObject | None:
        """Its layers of how far it turns as the target does, from 0 to 1."""
        return block_target(self, 7)


@register(superclass=0x9008, class_id=(0x542E413E, 0x08241AA2))
class CatSpineLink(CatNode):
    """A link of a spine, which stands between two hubs."""

    __slots__ = ()
    layer_slot = 1
    rig = ChunkChild(0x0001, RigNode, doc="what every controller of a rig keeps")
    position_weight = ChunkField(
        0x0002, F32, default=0.0, doc="share of the bend towards where the tip is"
    )
    rotation_weight = ChunkField(
        0x0003, F32, default=0.0, doc="share of the turn from base to tip, 0 to 1"
    )

    @property
    def spine(self) -> SceneObject | None:
        """The spine that it is a link of."""
        return block_target(self, 0)


@register(superclass=0x9008, class_id=(0x68C00456, 0x455634FE))
class CatCollarbone(CatNode):
    """A collarbone, between a hub and the first bone of a limb."""

    __slots__ = ()
    layer_slot = 1
    rig = ChunkChild(0x0000, RigNode, doc="what every controller of a rig keeps")

    @property
    def limb(self) -> SceneObject | None:
        """The limb behind it."""
        return block_target(self, 0)


@register(superclass=0x9008, class_id=(0x1ADF2684, 0x2E3B60D2))
class CatDigitSegment(CatNode):
    """A bone of a finger or toe."""

    __slots__ = ()
    layer_slot = 1
    rig = ChunkChild(0x0000, RigNode, doc="what every controller of a rig keeps")

    @property
    def digit(self) -> SceneObject | None:
        """The finger or toe that it is a bone of."""
        return block_target(self, 0)


@register(superclass=0x9008, class_id=(0x71AF1A7D, 0x71C05DE1))
class CatFoot(CatNode):
    """The platform under a foot: where a leg reaches to."""

    __slots__ = ()
    layer_slot = 3
    rig = ChunkChild(0x0100, RigNode, doc="what every controller of a rig keeps")
    limb_index = ChunkField(0x0014, U32, doc="storage index of the limb")


@register(superclass=0x9008, class_id=(0x022D5030, 0x4344191C))
class CatMaster(StandIn):
    """The controller of the CATParent's node: the rig as a whole.  Its place is that of slot 1."""

    __slots__ = ()
    known = True
    slots = (1,)
    plain_slot = 1
    version = ChunkField(0x0001, U32, default=0, doc="version of CAT that wrote it; 3500")
    name = ChunkField(
        0x000B, _TEXT, default="", doc="name of the character, which nodes begin with"
    )
    units = ChunkField(0x0003, F32, default=1.0, doc="CAT unit: units of the scene for one of CAT")
    mode = ChunkField(0x0004, U32, default=0, doc="0 setup mode, 1 animation mode")
    flags = ChunkField(0x0002, U32, default=0, doc="open; 0")
    node = ChunkField(0x0006, U32, doc="storage index of its node")
    root_hub = ChunkField(0x0008, U32, doc="storage index of the hub that all hangs on")
    length_axis = ChunkField(0x0009, U32, default=0, doc="axis along bones: 0 x, 2 z (likely)")
    root_node_handle = ChunkField(0x000C, I32, default=-1, doc="handle of a node (likely); -1")
    extra_nodes = ChunkChild(0x000A, ExtraNodes, doc="nodes of the user's")

    @property
    def obstacle(self) -> None:
        """Nothing keeps it from being evaluated."""
        return

    @property
    def layer_root(self) -> CatLayerRoot | None:
        """What holds the rig's animation layers."""
        found = self.part(2)
        return found if isinstance(found, CatLayerRoot) else None


@register(superclass=0x9008, class_id=(0x6E341CBA, 0x6F9C52CA))
class CatPivot(TransformController):
    """A transform with a pivot; stands in the layers of feet."""

    __slots__ = ()
    chunk_0100 = ChunkField(0x0100, U32, doc="open; 0")
    version = ChunkField(0x0110, U32, default=0, doc="version of CAT that wrote it; 3500")

    @property
    def obstacle(self) -> str:
        """Why it is not evaluated."""
        return "CAT rig"


@register(superclass=0x9003, class_id=(0x265E07A8, 0x0D281541))
class CatWeight(FloatController):
    """A curve of weights along a bone; all of it is parameters."""

    __slots__ = ()

    @property
    def obstacle(self) -> str:
        """Why it is not evaluated."""
        return "CAT rig"
