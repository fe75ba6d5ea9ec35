"""Views of modifiers that keep data of their own on each object that they modify."""

from __future__ import annotations

from typing import Any, ClassVar

from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import Codec
from maxsidecar.scene.layouts import LaidOut, Layout

__all__ = ["LOCAL", "LocalModifier", "local_container"]

#: In the context of a modifier: what it keeps on the object that it modifies.
LOCAL = 0x2512


class LocalModifier(LaidOut):
    """A modifier with local data.

    Attributes:
        local: Chunks in container 0x2512 of its context in the derived object.
        local_leaf: Layout of 0x2512 where it is no container; ``None`` when it is not known.
    """

    __slots__ = ()
    local: ClassVar[Layout] = Layout()
    local_leaf: ClassVar[Codec[Any] | None] = None


def local_container(context: Chunk | None) -> Chunk | None:
    """Return the container of local data in a context; ``None`` where there is none."""
    # A context without anything in it may be written as a chunk without a body.
    chunk = context.find(LOCAL) if context is not None and context.container else None
    return chunk if chunk is not None and chunk.container else None
