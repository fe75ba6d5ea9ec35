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
from maxsidecar.io.chunks import Chunk, ChunkData, encode_header
from maxsidecar.io.fields import RAW, U32, Record, record_codec, u32
from maxsidecar.io.headers import scan, scan_sound
from maxsidecar.io.views import ChunkField, ChunkList, ChunkView
from maxsidecar.scene.appdata_registry import AppDataKey, Property
from maxsidecar.scene.appdata_values import Value

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject

__all__ = ["APPDATA", "AppData", "AppDataContainer", "AppDataEntry", "AppDataItem"]

APPDATA: Final = 0x2150
_COUNT: Final = 0x0100
_ENTRY: Final = 0x0110
_KEY: Final = 0x0120
_VALUE: Final = 0x0130

#: Id of each chunk in an entry, and whether it is a container.
_ENTRY_PARTS: Final = [(_KEY, False), (_VALUE, False)]

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

    Reading never fails on an entry that is damaged: it is left out, and so is what follows damage
    in the container; an edit of the object's AppData is then refused with the reason.

    Raises:
        ChunkError: From reading, when the chunks of the object itself are damaged.
    """

    __slots__ = ("_object",)

    def __init__(self, obj: SceneObject) -> None:
        """Look at the AppData of ``obj``."""
        self._object = obj

    def _container(self) -> Chunk | None:
        chunk = self._object.find(APPDATA)
        return chunk if chunk is not None and chunk.container else None

    def _sound(self) -> Iterator[tuple[AppDataKey, int, memoryview]]:
        """Yield key, position in the container and value of each sound entry.

        There may be thousands of objects with dozens of entries, so no view of a chunk is made.
        """
        container = self._container()
        if container is None:
            return
        data = container.owner.data
        view = memoryview(data)
        spans, _ = scan_sound(data, container.body, container.end)
        for position, (chunk_id, _, start, stop, is_container, _) in enumerate(spans):
            if chunk_id != _ENTRY or not is_container:
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
                yield AppDataKey(a, b, superclass, subid), position, view[value_start:value_stop]

    def _same(self, key: AppDataKey) -> list[Chunk]:
        """Return the entries with a key."""
        positions = [position for found, position, _ in self._sound() if found == key]
        container = self._container()
        if container is None or not positions:
            return []
        spans, _ = scan_sound(container.owner.data, container.body, container.end)
        return [Chunk(container.owner, container, i, spans[i]) for i in positions]

    def __iter__(self) -> Iterator[AppDataItem]:
        """Yield the entries in stored order, as they are now: edits meanwhile do no harm."""
        return iter([AppDataItem(key, bytes(value)) for key, _, value in self._sound()])

    def __len__(self) -> int:
        """Return the number of sound entries."""
        return sum(1 for _ in self._sound())

    def __contains__(self, key: object) -> bool:
        """Return whether an entry has this key."""
        return any(entry[0] == key for entry in self._sound())

    def get(self, key: AppDataKey) -> bytes | None:
        """Return the bytes of an entry, ``None`` where there is none."""
        for found, _, value in self._sound():
            if found == key:
                return bytes(value)
        return None

    def value(self, prop: Property) -> Value | None:
        """Return the value of an entry with a meaning, ``None`` where there is no entry.

        Args:
            prop: Which entry, from the registry.

        Raises:
            DecodeError: Its bytes are not of the declared type.
        """
        raw = self.get(prop.key)
        return None if raw is None else prop.decode(raw, self._object.scene.code_page).value

    def edit(self, prop: Property, value: object) -> bool:
        """Set the value of an entry with a meaning, in the code page of the scene.

        Args:
            prop: Which entry, from the registry.
            value: The new value.  A bit field may be given in part; the rest keeps its bits.

        Returns:
            Whether that changed anything.

        Raises:
            EditError: The value is wrong, the entry's bytes are not of the declared type, or the
                AppData are read-only.
        """
        old = self.get(prop.key)
        new = prop.edit(old, value, self._object.scene.code_page)
        if new == old:
            return False
        self.set(prop.key, new)
        return True

    def problems(self) -> list[str]:
        """Return why the stored form is not what we would write; empty when it is sound."""
        try:
            chunks = [chunk for chunk in self._object.chunks() if chunk.id == APPDATA]
            if not chunks:
                return []
            if len(chunks) > 1:
                return ["there is more than one AppData chunk"]
            if not chunks[0].container:
                return ["the AppData chunk is not a container"]
            children = list(chunks[0].chunks())
        except ChunkError as error:
            return [error.message]
        if [chunk.id for chunk in children] != [_COUNT] + [_ENTRY] * (len(children) - 1):
            return ["the AppData container holds other chunks than a count and entries"]
        head, *entries = children
        if head.container or len(head.data) != _COUNT_STRUCT.size:
            return ["the AppData count is not a 32-bit number"]
        found = []
        (count,) = _COUNT_STRUCT.unpack(head.data)
        if count != len(entries):
            found.append(f"the AppData count says {count}, but there are {len(entries)} entries")
        if len(self) != len(entries):
            found.append("an AppData entry is not a key and a value of the size it says")
        return found

    def _require_sound(self) -> Chunk | None:
        self._object.require_chunks()
        problems = self.problems()
        if problems:
            raise EditError(f"the AppData is read-only: {problems[0]}", self._object.where)
        return self._container()

    def _recount(self) -> None:
        """Make the stored count that of the entries."""
        container = self._container()
        if container is not None:
            head, *entries = container.chunks()
            head.replace(_COUNT_STRUCT.pack(len(entries)))

    def _stored_empty(self) -> bool:
        """Whether the object was read with a container without entries."""
        container = ChunkData(self._object.data.original).find(APPDATA)
        return container is not None and len(list(container.chunks())) == 1

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
        same = self._same(key)
        if occurrence < len(same):
            entry = same[occurrence]
            _, old = entry.chunks()
            if old.data != value:
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
            data = self._object.data
            form = data.new_form(None, data.top(), 0)
            entry_body = _new_entry_body(key, value, form)
            body = (
                encode_header(_COUNT, _COUNT_STRUCT.size, False, form)
                + _COUNT_STRUCT.pack(1)
                + encode_header(_ENTRY, len(entry_body), True, form)
                + entry_body
            )
            data.insert(None, 0, APPDATA, body, container=True)
            return
        chunks = list(container.chunks())
        body = _new_entry_body(key, value, chunks[0].form)
        self._object.data.insert(container, len(chunks), _ENTRY, body, container=True)
        self._recount()

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
        same = self._same(key)
        if container is None or occurrence >= len(same):
            raise KeyError(str(key))
        if len(self) == 1 and not self._stored_empty():
            container.remove()
            return
        same[occurrence].remove()
        self._recount()


def _entry_body(entry: Chunk, key: AppDataKey, value: bytes) -> bytes:
    """Return the body of an entry with a new value, in the header forms that it has."""
    key_chunk, value_chunk = entry.chunks()
    return _new_entry_body(key, value, key_chunk.form, value_chunk.form)


def _new_entry_body(key: AppDataKey, value: bytes, key_form: int, form: int | None = None) -> bytes:
    """Return the body of an entry; ``form`` is that of the value's header, if another one."""
    packed = _KEY_STRUCT.pack(key.class_a, key.class_b, key.superclass, key.subid, len(value))
    return (
        encode_header(_KEY, len(packed), False, key_form)
        + packed
        + encode_header(_VALUE, len(value), False, key_form if form is None else form)
        + value
    )
