"""Layers, and the manager that lists them.

Measured on 141 managers and 168 layers (docs/format/node.md section 5).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.io.fields import RAW, U8, U32, Array, Record, f32, record_codec, u8
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.layouts import LaidOut, Layout
from maxsidecar.scene.members import count_problems, slots_of, write_members
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

if TYPE_CHECKING:
    from maxsidecar.scene.scene import Scene

__all__ = ["Layer", "LayerManager", "LayerVisibility", "layers"]

_MANAGER: Final = (0x0D7374FC, 0x51FF028E)
_COUNT: Final = 0x1800


def _text(obj: SceneObject, name: bytes) -> str:
    # Finding out the code page takes longer than reading all names that are ASCII.
    return name.decode("ascii" if name.isascii() else obj.scene.code_page, "replace")


class LayerVisibility(Record):
    """How the nodes of a layer are seen (likely)."""

    visibility: float = f32(default=1.0)
    blur_multiplier: float = f32(default=1.0)
    blur: int = u8(default=1)


@register(superclass=0x10F0, class_id=(0x7E9858FE, 0x1DBA1DF0))
class Layer(LaidOut):
    """A layer; a node names its layer in reference slot 6."""

    __slots__ = ()
    # Radiosity settings, of two ages.
    layout = Layout.read("1070{ 0005=u8x17 0006=u8x21 }")
    version = ChunkField(0x1000, U32, doc="1 in all files (likely a version)")
    stored_name = ChunkField(0x1010, RAW, doc="name, 8-bit without NUL", default=b"")
    flags = ChunkField(0x1020, U32, doc="bits as of a node's parent link (likely)", default=0)
    color = ChunkField(0x1030, Array(U8, 4), doc="red, green, blue (likely) and one more")
    chunk_1040 = ChunkField(0x1040, U32, doc="open; 0")
    display_flags = ChunkField(0x1050, U32, doc="bits as of a node's (likely)", default=0)
    visibility = ChunkField(0x1060, record_codec(LayerVisibility), doc="visibility (likely)")
    chunk_1080 = ChunkField(0x1080, U32, doc="open; 0")
    chunk_1090 = ChunkField(0x1090, U8, doc="open; 0")

    @property
    def name(self) -> str:
        """The name, in the code page of the scene."""
        return _text(self, self.stored_name)


@register(superclass=0x200, class_id=_MANAGER)
@register(superclass=0x0, class_id=_MANAGER)
class LayerManager(SceneObject):
    """Names the layers; slot 0 is the default layer."""

    __slots__ = ()
    version = ChunkField(0x1500, U32, default=1, doc="1 in all files (likely a version)")
    current = ChunkField(0x1600, U32, default=0, doc="position of the current layer")
    stored_current_name = ChunkField(0x1700, RAW, default=b"", doc="name of the current layer")
    stored_count = ChunkField(_COUNT, U32, doc="number of layers; 2015 and later")
    current_index = ChunkField(0x1900, U32, doc="storage index of a layer (likely the current one)")

    @property
    def current_name(self) -> str:
        """The name of the current layer; empty when it is not stored."""
        return _text(self, self.stored_current_name)

    @property
    def count(self) -> int | None:
        """The number of layers; ``None`` before 2015, where it is not stored."""
        return self.stored_count

    @property
    def layers(self) -> list[Layer]:
        """The layers in the order of the slots.

        A slot that leads to anything else is left out; :meth:`problems` tells.
        """
        found = (self.reference(slot) for slot in sorted(self.references))
        return [layer for layer in found if isinstance(layer, Layer)]

    def add(self, layer: Layer) -> None:
        """List a layer behind the others, and count it.

        Raises:
            EditError: It is no layer, listed already, or not in the scene; or the list is not as
                is known.
        """
        if not isinstance(layer, Layer):
            raise EditError("not a layer", self.where, found=shorten(layer, 60))
        slots = self.references
        members = [self.reference(slot) for slot in range(slots_of(self))]
        if layer.index in slots.values():
            raise EditError("the layer is listed already", layer.where)
        write_members(self, [*members, layer], Layer, _COUNT)

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield slots that lead to no layer, and a number that does not agree."""
        return count_problems(self, Layer, self.count)


def layers(scene: Scene) -> list[Layer]:
    """Return the layers of a scene, the default layer first.

    Raises:
        DecodeError: The list cannot be read.
    """
    managers = [obj for obj in scene.of_superclass(0x200, 0x0) if isinstance(obj, LayerManager)]
    return managers[0].layers if managers else []
