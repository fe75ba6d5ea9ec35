"""CAT: animation layers, and the setup pose that stands beside them.

Measured as :mod:`maxsidecar.scene.rigging.cat_controllers`.
"""

from __future__ import annotations

from typing import Final

from maxsidecar.io.fields import F32, I32, MARK, U32, Array, Record, Text8, f32, record_codec, u32
from maxsidecar.io.views import ChunkField, ChunkView
from maxsidecar.scene.controllers.base import FloatController, TransformController
from maxsidecar.scene.registry import register

__all__ = [
    "CatLayer",
    "CatLayerRoot",
    "LayerFloat",
    "LayerMatrix3",
    "LayerValue",
    "LayerWeights",
    "SetupMatrix",
]

_TEXT: Final = Text8("latin-1")


class SetupMatrix(Record):
    """The setup matrix of a part: three axes, then the place in CAT units."""

    x_axis_x: float = f32(default=1.0)
    x_axis_y: float = f32()
    x_axis_z: float = f32()
    y_axis_x: float = f32()
    y_axis_y: float = f32(default=1.0)
    y_axis_z: float = f32()
    z_axis_x: float = f32()
    z_axis_y: float = f32()
    z_axis_z: float = f32(default=1.0)
    x: float = f32()
    y: float = f32()
    z: float = f32()
    flags: int = u32(default=7, doc="hints at identity")

    @property
    def numbers(self) -> tuple[float, ...]:
        """The twelve numbers in stored order."""
        return tuple(self.__dict__.values())[:12]


class LayerValue(ChunkView):
    """What all values with layers keep; slots 0 to n - 1 are the layers, slot n the setup."""

    __slots__ = ()
    version = ChunkField(0x0005, U32, default=0, doc="version of CAT that wrote it; 3500")
    layer_count = ChunkField(0x0001, U32, default=0, doc="number of layers")
    selected = ChunkField(0x0002, I32, default=-1, doc="layer that is edited (likely)")
    flags = ChunkField(0x0003, U32, default=0, doc="what it takes from the rig and its parent")
    root = ChunkField(0x000A, U32, doc="storage index of what holds the layers")
    master = ChunkField(0x000E, U32, doc="storage index of the rig's master controller")
    weights = ChunkField(
        0x0007, I32, default=-1, doc="storage index of the weights of its layers; -1 for none"
    )
    callback = ChunkField(0x0010, _TEXT, default="", doc="script (likely), 8-bit; empty")
    parent_object = ChunkField(0x0006, U32, doc="storage index of the CATParent object")
    display = ChunkField(0x0012, U32, doc="open; 1")


@register(superclass=0x9008, class_id=(0x18D026A1, 0x347D1CF3))
class LayerMatrix3(TransformController, LayerValue):
    """The layers of a part's transform, and its place in the setup pose."""

    __slots__ = ()
    setup = ChunkField(0x0008, record_codec(SetupMatrix), doc="setup matrix")

    @property
    def obstacle(self) -> str:
        """Why it is not evaluated."""
        return "CAT rig layer"


class _Numbers(FloatController, LayerValue):
    __slots__ = ()

    @property
    def obstacle(self) -> str:
        """Why it is not evaluated."""
        return "CAT rig layer"


@register(superclass=0x9003, class_id=(0x40585238, 0x2503240D))
class LayerFloat(_Numbers):
    """The layers of a number, and its value in the setup pose."""

    __slots__ = ()
    setup = ChunkField(0x0008, F32, default=0.0, doc="value in the setup pose")


@register(superclass=0x9003, class_id=(0x72ED43DC, 0x3EC96A0A))
class LayerWeights(_Numbers):
    """The weights that the layers have for a part of the rig."""

    __slots__ = ()
    setup = ChunkField(0x0008, MARK, doc="empty")


@register(superclass=0x9003, class_id=(0x43BF76AC, 0x60AB5707))
class CatLayer(FloatController):
    """An animation layer; slot 0 is its weight, slot 2 a transform that moves all of it."""

    __slots__ = ()
    version = ChunkField(0x0000, U32, default=0, doc="version of CAT that wrote it; 3500")
    name = ChunkField(0x0001, _TEXT, default="", doc="name of the layer, 8-bit")
    number = ChunkField(0x0005, U32, default=0, doc="its number, which is its slot in the root")
    flags = ChunkField(0x0002, U32, default=0, doc="lowest 3 bits the method, 1 absolute (likely)")
    color = ChunkField(0x0003, U32, default=0, doc="colour, red in the lowest byte (likely)")
    root = ChunkField(0x0004, U32, doc="storage index of what holds the layers")
    manual_range = ChunkField(0x0006, Array(I32, 2), doc="ticks (likely); never")
    before = ChunkField(0x0007, U32, doc="out-of-range type before (likely); 1 constant")
    behind = ChunkField(0x0008, U32, doc="out-of-range type behind (likely); 1 constant")
    loop_range = ChunkField(0x0009, Array(I32, 2), doc="ticks; 0 to 16000 in both files")

    @property
    def obstacle(self) -> str:
        """Why it is not evaluated."""
        return "CAT rig layer"


@register(superclass=0x9003, class_id=(0x742D30AC, 0x37984F09))
class CatLayerRoot(FloatController):
    """What holds the layers of a rig, one in each slot."""

    __slots__ = ()
    version = ChunkField(0x0011, U32, default=0, doc="version of CAT that wrote it; 3500")
    layer_count = ChunkField(0x0001, U32, default=0, doc="number of layers")
    parent_object = ChunkField(0x0009, U32, doc="storage index of the CATParent object")
    master = ChunkField(0x0013, U32, doc="storage index of the rig's master controller")
    chunk_0008 = ChunkField(0x0008, U32, doc="open; 0")
    chunk_000e = ChunkField(0x000E, U32, doc="open; 0")
    chunk_0014 = ChunkField(0x0014, U32, doc="open; 0")

    @property
    def obstacle(self) -> str:
        """Why it is not evaluated."""
        return "CAT rig layer"

    @property
    def layers(self) -> list[CatLayer]:
        """The animation layers in order.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        found = (self.part(slot) for slot in sorted(self.references))
        return [layer for layer in found if isinstance(layer, CatLayer)]
