"""Containers that objects of any class may have, whatever else they hold.

Layouts are measured on the corpus, where no object of any class contradicts them; what they mean
is open unless it is said (docs/format/coverage.md).
"""

from __future__ import annotations

from maxsidecar.io.fields import MARK, U32, UTF16
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkView
from maxsidecar.scene.bit_array import BITS

__all__ = ["AttributeLink", "BitFlags", "Chunk2047", "Chunk2300", "ModifierHead"]


class BitFlags(ChunkView):
    """A container with one bit array."""

    __slots__ = ()
    bits = ChunkField(0x2700, BITS, doc="the bits")


class Chunk2047(ChunkView):
    """Two bit arrays of equal length; files up to 9."""

    __slots__ = ()
    first = ChunkChild(0x2048, BitFlags, doc="open")
    second = ChunkChild(0x2049, BitFlags, doc="open")
    mark = ChunkField(0x204A, MARK, doc="always there")


class AttributeLink(ChunkView):
    """Link to the container of the object's custom attributes."""

    __slots__ = ()
    container_index = ChunkField(0x1020, U32, doc="storage index of the container")


class Chunk2300(ChunkView):
    """A number; not the handle of a node."""

    __slots__ = ()
    number = ChunkField(0x0100, U32, doc="open")


class ModifierHead(ChunkView):
    """What most classes of modifiers begin with."""

    __slots__ = ()
    name = ChunkField(0x0100, UTF16, doc="name that the user gave; empty: that of the class")
    off = ChunkField(0x0110, MARK, doc="there when the modifier is switched off (likely)")
    off_in_part = ChunkField(0x0120, MARK, doc="there when off in viewports or renders (likely)")
