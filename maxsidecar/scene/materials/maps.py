"""Maps of any class; those that are bitmaps are in :mod:`maxsidecar.scene.materials.bitmap`."""

from __future__ import annotations

from collections.abc import Iterator

from maxsidecar.io.fields import U32, UTF16, Array
from maxsidecar.io.views import ChunkField, TypedLeaf
from maxsidecar.scene.layouts import Layout
from maxsidecar.scene.materials.base import MAP, MaterialBase
from maxsidecar.scene.materials.coordinates import MapOutput, UVCoordinates, XYZCoordinates
from maxsidecar.scene.registry import register

__all__ = ["AutodeskMap", "Map"]

#: Chunks of maps that only tell versions of the layout, whatever the class (measured on Checker,
#: Mask, RGB Multiply, Smoke, Flat Mirror and the mental ray contour shaders).
_VERSIONS = Layout.read("1010=mark 1050=mark 2010=mark 2020=u32 2030=mark 0101{ 1000=u8 }")


@register(superclass=MAP)
class Map(MaterialBase):
    """Any map.

    Maps in its slots are in ``maps``; numbers and colours in ``parameters``.
    """

    __slots__ = ()
    stored_scripted = ChunkField(0x0010, Array(U32, 2), doc="open; on scripted classes")

    @property
    def coordinates(self) -> UVCoordinates | XYZCoordinates | None:
        """Where it lies; ``None`` for maps that only put others together.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        for slot in sorted(self.references):
            found = self.reference(slot)
            if isinstance(found, UVCoordinates | XYZCoordinates):
                return found
        return None

    @property
    def output(self) -> MapOutput | None:
        """What is done with its colours.

        Raises:
            DecodeError: The reference list cannot be read.
        """
        for slot in sorted(self.references):
            found = self.reference(slot)
            if isinstance(found, MapOutput):
                return found
        return None

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the declared leaves and those that tell versions."""
        yield from super().typed_leaves(prefix)
        yield from _VERSIONS.typed(self.chunks(), prefix)


@register(superclass=MAP, class_id=(0x7ED417E4, 0x273DEEF8))
class AutodeskMap(Map):
    """A map of the Autodesk library; its values are PB2Parameter objects."""

    __slots__ = ()
    chunk_1000 = ChunkField(0x1000, U32, doc="open; 100")
    library_name = ChunkField(0x1210, UTF16, default="", doc="name in the library")
    chunk_1220 = ChunkField(0x1220, U32, doc="open; 1")
    chunk_1230 = ChunkField(0x1230, U32, doc="open; 1")
