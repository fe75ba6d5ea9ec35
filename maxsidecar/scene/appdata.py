"""AppData: named blobs that plug-ins and scripts hang on any object.

An AppData container (chunk 0x2150) holds a count (0x0100) and entries (0x0110), each with a key
(0x0120: class id, superclass id, sub id, size) and a value (0x0130).  Order is kept.
(spec: pipeline-max-design section 8; measured on the corpus, see docs/format/node.md.)
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from maxsidecar.errors import ChunkError, EditError
from maxsidecar.io.chunks import NARROW, Chunk, encode_header
from maxsidecar.io.fields import RAW, U32, Record, record_codec, u32
from maxsidecar.io.views import ChunkField, ChunkList, ChunkView
from maxsidecar.scene.appdata_registry import AppDataKey

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject

__all__ = ["APPDATA", "AppData", "AppDataContainer", "AppDataEntry", "AppDataItem"]

APPDATA: Final = 0x2150
_COUNT: Final = 0x0100
_ENTRY: Final = 0x0110
_KEY: Final = 0x0120
_VALUE: Final = 0x0130

_KEY_STRUCT = Struct("<5I")
_COUNT_STRUCT = Struct("<I")


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
    count = ChunkField(_COUNT, U32, doc="number of entries")
    entries = ChunkList(_ENTRY, AppDataEntry)


class AppDataItem(NamedTuple):
    """One entry: its key, and the exact bytes of its value."""

    key: AppDataKey
    value: bytes


class AppData:
    """The AppData of one object, as an ordered mapping from key to bytes.

    Reading never fails on an entry that is damaged: it is left out, and an edit of the object's
    AppData is refused with the reason.
    """

    __slots__ = ("_object",)

    def __init__(self, obj: SceneObject) -> None:
        """Look at the AppData of ``obj``."""
        self._object = obj

    def _container(self) -> Chunk | None:
        chunk = self._object.find(APPDATA)
        return chunk if chunk is not None and chunk.container else None

    def _entries(self) -> Iterator[tuple[AppDataKey, Chunk, Chunk, Chunk]]:
        """Yield key, entry, key chunk and value chunk of each sound entry."""
        container = self._container()
        if container is None:
            return
        for entry in container.chunks():
            if entry.id != _ENTRY or not entry.container:
                continue
            try:
                parts = list(entry.chunks())
            except ChunkError:
                continue
            if [part.id for part in parts] != [_KEY, _VALUE] or len(parts[0].data) != 20:
                continue
            a, b, superclass, subid, size = _KEY_STRUCT.unpack(parts[0].data)
            if size == len(parts[1].data):
                yield AppDataKey(a, b, superclass, subid), entry, parts[0], parts[1]

    def __iter__(self) -> Iterator[AppDataItem]:
        """Yield the entries in stored order."""
        for key, _, _, value in self._entries():
            yield AppDataItem(key, bytes(value.data))

    def __len__(self) -> int:
        """Return the number of sound entries."""
        return sum(1 for _ in self._entries())

    def __contains__(self, key: object) -> bool:
        """Return whether an entry has this key."""
        return any(entry[0] == key for entry in self._entries())

    def get(self, key: AppDataKey) -> bytes | None:
        """Return the bytes of an entry, ``None`` where there is none."""
        for found, _, _, value in self._entries():
            if found == key:
                return bytes(value.data)
        return None

    def problems(self) -> list[str]:
        """Return why the stored form is not what we would write; empty when it is sound."""
        container = self._container()
        if container is None:
            chunk = self._object.find(APPDATA)
            return [] if chunk is None else ["the AppData chunk is not a container"]
        ids = [chunk.id for chunk in container.chunks()]
        if ids[:1] != [_COUNT] or any(i != _ENTRY for i in ids[1:]):
            return ["the AppData container holds other chunks than a count and entries"]
        head = next(container.chunks()).data
        count = _COUNT_STRUCT.unpack(head)[0] if len(head) == 4 else None
        found = []
        if count != len(ids) - 1:
            found.append(f"the AppData count says {count}, but there are {len(ids) - 1} entries")
        if len(self) != len(ids) - 1:
            found.append("an AppData entry is not a key and a value of the size it says")
        return found

    def _require_sound(self) -> Chunk | None:
        self._object.require_chunks()
        problems = self.problems()
        if problems:
            raise EditError(f"the AppData is read-only: {problems[0]}", self._object.where)
        return self._container()

    def set(self, key: AppDataKey, value: bytes, *, occurrence: int = 0) -> None:
        """Change an entry, or add it at the end.

        Only the entry's own bytes, its size field and (for a new entry) the count change.

        Args:
            key: Which entry.
            value: Its new bytes.
            occurrence: Which of several entries with the same key, from 0; keys do repeat
                (measured).  Only the first missing one can be added.

        Raises:
            EditError: The stored form is not understood to the last byte.
        """
        container = self._require_sound()
        same = [entry for entry in self._entries() if entry[0] == key]
        if occurrence < len(same):
            _, entry, _, old = same[occurrence]
            if bytes(old.data) != value:
                entry.replace(_entry_body(entry, key, value))
            return
        if occurrence > len(same):
            raise EditError(
                f"AppData {key} has no entry number {occurrence + 1}",
                self._object.where,
                expected=f"at most {len(same) + 1}",
                found=occurrence + 1,
            )
        if container is None:
            # A new container goes in front, where 3ds Max writes it (measured).
            first = next(iter(self._object.data.top()), None)
            form = NARROW if first is None else first[5]
            body = _count_chunk(1, form) + _new_entry(key, value, form)
            self._object.data.insert(None, 0, APPDATA, body, container=True)
            return
        head = next(container.chunks())
        count = _COUNT_STRUCT.unpack(head.data)[0]
        entries = bytes(container.data[head.end - container.body :])
        container.replace(
            _count_chunk(count + 1, head.form) + entries + _new_entry(key, value, head.form)
        )

    def remove(self, key: AppDataKey, *, occurrence: int = 0) -> None:
        """Take an entry out; the container goes with the last one.

        Args:
            key: Which entry.
            occurrence: Which of several entries with the same key, from 0.

        Raises:
            KeyError: There is no such entry.
            EditError: The stored form is not understood to the last byte.
        """
        container = self._require_sound()
        same = [entry for found, entry, _, _ in self._entries() if found == key]
        if container is None or occurrence >= len(same):
            raise KeyError(str(key))
        hit = same[occurrence]
        head = next(container.chunks())
        count = _COUNT_STRUCT.unpack(head.data)[0]
        if count == 1:
            container.remove()
            return
        old = container.data
        before = bytes(old[head.end - container.body : hit.start - container.body])
        after = bytes(old[hit.end - container.body :])
        container.replace(_count_chunk(count - 1, head.form) + before + after)


def _count_chunk(count: int, form: int) -> bytes:
    return encode_header(_COUNT, 4, False, form) + _COUNT_STRUCT.pack(count)


def _entry_body(entry: Chunk, key: AppDataKey, value: bytes) -> bytes:
    """Return the body of an entry with a new value, in the header forms that it has."""
    forms = [part.form for part in entry.chunks()]
    packed = _KEY_STRUCT.pack(key.class_a, key.class_b, key.superclass, key.subid, len(value))
    return (
        encode_header(_KEY, 20, False, forms[0])
        + packed
        + encode_header(_VALUE, len(value), False, forms[1])
        + value
    )


def _new_entry(key: AppDataKey, value: bytes, form: int) -> bytes:
    packed = _KEY_STRUCT.pack(key.class_a, key.class_b, key.superclass, key.subid, len(value))
    body = (
        encode_header(_KEY, 20, False, form)
        + packed
        + encode_header(_VALUE, len(value), False, form)
        + value
    )
    return encode_header(_ENTRY, len(body), True, form) + body
