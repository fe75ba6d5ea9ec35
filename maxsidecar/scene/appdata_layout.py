"""How AppData is stored.

An AppData container (chunk 0x2150) holds a count (0x0100) and entries (0x0110), each with a key
(0x0120: class id, superclass id, sub id, size) and a value (0x0130).  Order is kept.
(spec: pipeline-max-design section 8; measured on the corpus, see docs/format/node.md.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from maxsidecar.errors import ChunkError
from maxsidecar.io.buffers import Buffer
from maxsidecar.io.chunks import Chunk, encode_header
from maxsidecar.io.fields import RAW, U32, Record, record_codec, u32
from maxsidecar.io.headers import Span, scan, scan_sound
from maxsidecar.io.views import ChunkField, ChunkList, ChunkView
from maxsidecar.scene.appdata_registry import AppDataKey

__all__ = [
    "APPDATA",
    "COUNT",
    "COUNT_STRUCT",
    "ENTRY",
    "AppDataContainer",
    "AppDataEntry",
    "AppDataItem",
    "Forms",
    "SoundEntry",
    "encode_count",
    "encode_entry",
    "sound_entries",
]

APPDATA: Final = 0x2150
COUNT: Final = 0x0100
ENTRY: Final = 0x0110
_KEY: Final = 0x0120
_VALUE: Final = 0x0130

#: Id of each chunk in an entry, and whether it is a container.
_ENTRY_PARTS: Final = [(_KEY, False), (_VALUE, False)]

_KEY_STRUCT = Struct("<5I")
COUNT_STRUCT = Struct("<I")

#: Key, position in the container, span of the entry, and spans of its key and its value.
SoundEntry: TypeAlias = tuple[AppDataKey, int, Span, Sequence[Span]]

#: Header forms of an entry, its key and its value.
Forms: TypeAlias = tuple[int, int, int]


class AppDataKeyRecord(Record):
    """Who owns an entry, and how long its value is."""

    class_a: int = u32(doc="first half of the owner's class id")
    class_b: int = u32(doc="second half of the owner's class id")
    superclass: int = u32(doc="the owner's superclass id")
    subid: int = u32(doc="number of the entry among its owner's")
    size: int = u32(doc="size of the value in bytes")


class AppDataEntry(ChunkView):
    """One entry."""

    __slots__ = ()
    key = ChunkField(_KEY, record_codec(AppDataKeyRecord))
    value = ChunkField(_VALUE, RAW)


class AppDataContainer(ChunkView):
    """The stored form of all entries of one object."""

    __slots__ = ()
    count = ChunkField(COUNT, U32, doc="number of entries")
    entries = ChunkList(ENTRY, AppDataEntry)


class AppDataItem(NamedTuple):
    """One entry: its key, and the exact bytes of its value."""

    key: AppDataKey
    value: bytes


def sound_entries(container: Chunk) -> Iterator[SoundEntry]:
    """Yield the sound entries of a container, in front of the first damaged chunk.

    There may be thousands of objects with dozens of entries, so no view of a chunk is made.
    """
    data = container.owner.data
    spans, _ = scan_sound(data, container.body, container.end)
    for position, span in enumerate(spans):
        chunk_id, _, start, stop, is_container, _ = span
        if chunk_id != ENTRY or not is_container:
            continue
        try:
            parts = scan(data, start, stop)
        except ChunkError:
            continue
        if [(part[0], part[4]) for part in parts] != _ENTRY_PARTS:
            continue
        (_, _, start, stop, _, _), (_, _, value_start, value_stop, _, _) = parts
        if stop - start != _KEY_STRUCT.size:
            continue
        a, b, superclass, subid, size = _KEY_STRUCT.unpack_from(data, start)
        if size == value_stop - value_start:
            yield AppDataKey(a, b, superclass, subid), position, span, parts


def encode_count(count: int, form: int) -> bytes:
    """Return the chunk with the number of entries."""
    return encode_header(COUNT, COUNT_STRUCT.size, False, form) + COUNT_STRUCT.pack(count)


def encode_entry(key: AppDataKey, value: Buffer, forms: Forms) -> bytes:
    """Return the body of an entry with headers of some forms."""
    packed = _KEY_STRUCT.pack(key.class_a, key.class_b, key.superclass, key.subid, len(value))
    _, key_form, value_form = forms
    return b"".join(
        (
            encode_header(_KEY, len(packed), False, key_form),
            packed,
            encode_header(_VALUE, len(value), False, value_form),
            value,
        )
    )
