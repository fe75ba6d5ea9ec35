"""AppData: named blobs that plug-ins and scripts hang on any object."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from maxsidecar.errors import ChunkError, EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.appdata_edit import AppDataEdit
from maxsidecar.scene.appdata_layout import (
    APPDATA,
    COUNT,
    COUNT_STRUCT,
    ENTRY,
    AppDataContainer,
    AppDataEntry,
    AppDataItem,
    sound_entries,
)
from maxsidecar.scene.appdata_registry import AppDataKey, Property
from maxsidecar.scene.appdata_values import Value

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject

__all__ = [
    "APPDATA",
    "AppData",
    "AppDataContainer",
    "AppDataEdit",
    "AppDataEntry",
    "AppDataItem",
]


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

    def _sound(self) -> Iterator[tuple[AppDataKey, memoryview]]:
        """Yield key and value of each sound entry."""
        container = self._container()
        if container is not None:
            view = memoryview(container.owner.data)
            for key, _, _, (_, value) in sound_entries(container):
                yield key, view[value[2] : value[3]]

    def __iter__(self) -> Iterator[AppDataItem]:
        """Yield the entries in stored order, as they are now: edits meanwhile do no harm."""
        return iter([AppDataItem(key, bytes(value)) for key, value in self._sound()])

    def __len__(self) -> int:
        """Return the number of sound entries."""
        return sum(1 for _ in self._sound())

    def __contains__(self, key: object) -> bool:
        """Return whether an entry has this key."""
        return any(entry[0] == key for entry in self._sound())

    def get(self, key: AppDataKey) -> bytes | None:
        """Return the bytes of an entry, ``None`` where there is none."""
        for found, value in self._sound():
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
        with self.editing() as entries:
            return entries.edit(prop, value)

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
        if [chunk.id for chunk in children] != [COUNT] + [ENTRY] * (len(children) - 1):
            return ["the AppData container holds other chunks than a count and entries"]
        head, *entries = children
        if head.container or len(head.data) != COUNT_STRUCT.size:
            return ["the AppData count is not a 32-bit number"]
        found = []
        (count,) = COUNT_STRUCT.unpack(head.data)
        if count != len(entries):
            found.append(f"the AppData count says {count}, but there are {len(entries)} entries")
        if len(self) != len(entries):
            found.append("an AppData entry is not a key and a value of the size it says")
        return found

    @contextmanager
    def editing(self) -> Iterator[AppDataEdit]:
        """Edit many entries at once: they are read once, and written once at the end.

        ``with obj.appdata.editing() as entries: ...``, where ``entries`` has the methods ``get``,
        ``set``, ``remove`` and ``edit`` of this class.  An exception on the way leaves
        the object as it was.

        Raises:
            EditError: The stored form is not understood to the last byte, or the object was edited
                in another way meanwhile.
        """
        self._object.require_chunks()
        problems = self.problems()
        if problems:
            raise EditError(f"the AppData is read-only: {problems[0]}", self._object.where)
        edit = AppDataEdit(self._object, self._container())
        yield edit
        edit.commit()

    def set(self, key: AppDataKey, value: bytes, *, occurrence: int = 0) -> None:
        """Change an entry, or add it at the end.

        Only the entry's own bytes, its size field and (for a new entry) the count change.  Each
        call reads and writes all entries; for many of them see :meth:`editing`.

        Args:
            key: Which entry.
            value: Its new bytes.
            occurrence: Which of several entries with the same key, from 0; keys do repeat
                (measured).  Only the first missing one can be added.

        Raises:
            EditError: The stored form is not understood to the last byte.
        """
        with self.editing() as entries:
            entries.set(key, value, occurrence=occurrence)

    def remove(self, key: AppDataKey, *, occurrence: int = 0) -> None:
        """Take an entry out; the container goes with the last one.

        Args:
            key: Which entry.
            occurrence: Which of several entries with the same key, from 0.

        Raises:
            KeyError: There is no such entry.
            EditError: The stored form is not understood to the last byte.
        """
        with self.editing() as entries:
            entries.remove(key, occurrence=occurrence)
