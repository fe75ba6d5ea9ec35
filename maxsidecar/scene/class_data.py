"""ClassData: what plug-in classes keep once per scene, whatever objects there are.

Most entries name a class that is not in the class directory (1,006 of 1,043), so they cannot be
joined with it (measured on the corpus, docs/format/streams.md section 4).
"""

from __future__ import annotations

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.fields import Record, record_codec, u32
from maxsidecar.io.views import ChunkField, ChunkList, ChunkView
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.stream_views import StreamView, register_stream

__all__ = ["ClassData", "ClassDataEntry"]

_PAYLOAD = 0x2120


class ClassKey(Record):
    """Which class the data belongs to."""

    class_a: int = u32(doc="first half of the class id")
    class_b: int = u32(doc="second half of the class id")
    superclass: int = u32(doc="superclass id")


class ClassDataEntry(ChunkView):
    """The data of one class."""

    __slots__ = ()
    key = ChunkField(0x2110, record_codec(ClassKey), doc="identity of the class")

    @property
    def class_id(self) -> ClassId:
        """Class id of the plug-in class."""
        key: ClassKey | None = self.key
        if key is None:
            raise DecodeError("class data without a class", self.where)
        return ClassId(key.class_a, key.class_b)

    @property
    def payload(self) -> Chunk | None:
        """The container of the data; an empty one is stored as a leaf without bytes."""
        return self.find(_PAYLOAD)


@register_stream("ClassData")
class ClassData(StreamView):
    """What plug-in classes keep once per scene."""

    __slots__ = ()
    entries = ChunkList(0x2100, ClassDataEntry)

    def find_class(self, class_id: ClassId, superclass: int) -> ClassDataEntry | None:
        """Return the entry of a class, ``None`` when it keeps nothing."""
        for entry in self.entries:
            key: ClassKey | None = entry.key
            if key is not None and key == ClassKey(
                class_a=class_id.a, class_b=class_id.b, superclass=superclass
            ):
                return entry
        return None
