"""VideoPostQueue: the entries of the Video Post queue.

(measured on the corpus, docs/format/streams.md section 7; the meaning of an entry is open)
"""

from __future__ import annotations

from maxsidecar.io.chunks import Chunk
from maxsidecar.io.fields import U32
from maxsidecar.io.views import ChunkField
from maxsidecar.scene.stream_views import StreamView, register_stream

__all__ = ["VideoPostQueue"]

_ENTRIES = 0x60


@register_stream("VideoPostQueue")
class VideoPostQueue(StreamView):
    """The Video Post queue."""

    __slots__ = ()
    count = ChunkField(0x50, U32, doc="number of entries", default=0)

    @property
    def entries(self) -> list[Chunk]:
        """The chunks of the entries; an empty queue is stored as a leaf without bytes."""
        chunk = self.find(_ENTRIES)
        return list(chunk.chunks()) if chunk is not None and chunk.container else []
