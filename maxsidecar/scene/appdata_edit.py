"""Editing the AppData of one object: read once, changed in memory, written once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maxsidecar.errors import EditError
from maxsidecar.io.buffers import Buffer
from maxsidecar.io.chunks import Chunk, ChunkData, encode_header
from maxsidecar.io.headers import Span, form_beside
from maxsidecar.scene.appdata_layout import (
    APPDATA,
    COUNT_STRUCT,
    ENTRY,
    AppDataItem,
    Forms,
    encode_count,
    encode_entry,
    sound_entries,
)
from maxsidecar.scene.appdata_registry import AppDataKey, Property

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject

__all__ = ["AppDataEdit"]


@dataclass(slots=True)
class _Entry:
    """An entry; what is stored of it is ``None`` where it is new."""

    key: AppDataKey
    value: Buffer
    stored: Buffer | None = None
    span: Span | None = None
    forms: Forms | None = None
    position: int = -1

    @property
    def changed(self) -> bool:
        return self.stored is not None and self.value != self.stored


class AppDataEdit:
    """The entries of one object while they are edited; see :meth:`AppData.editing`.

    Every method works as its namesake of :class:`~maxsidecar.scene.appdata.AppData`, and what they
    change is written to the object by :meth:`commit`.
    """

    def __init__(self, obj: SceneObject, container: Chunk | None) -> None:
        """Read the entries of a container that is sound."""
        self._object = obj
        self._container = container
        self._revision = obj.data.revision
        self._next = 0
        self._entries: dict[int, _Entry] = {}
        self._numbers: dict[AppDataKey, list[int]] = {}
        if container is not None:
            view = memoryview(container.owner.data)
            for key, position, span, (key_part, value_part) in sound_entries(container):
                value = view[value_part[2] : value_part[3]]
                forms = (span[5], key_part[5], value_part[5])
                self._add(_Entry(key, value, value, span, forms, position))
        self._stored = len(self._entries)

    def _add(self, entry: _Entry) -> None:
        self._entries[self._next] = entry
        self._numbers.setdefault(entry.key, []).append(self._next)
        self._next += 1

    def __iter__(self) -> Iterator[AppDataItem]:
        """Yield the entries in order."""
        return iter([AppDataItem(e.key, bytes(e.value)) for e in self._entries.values()])

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        """Return whether an entry has this key."""
        return bool(self._numbers.get(key)) if isinstance(key, AppDataKey) else False

    def get(self, key: AppDataKey) -> bytes | None:
        """Return the bytes of an entry, ``None`` where there is none."""
        numbers = self._numbers.get(key)
        return bytes(self._entries[numbers[0]].value) if numbers else None

    def set(self, key: AppDataKey, value: bytes, *, occurrence: int = 0) -> None:
        """Change an entry, or add it at the end."""
        numbers = self._numbers.get(key, [])
        if occurrence > len(numbers):
            raise EditError(
                f"AppData {key} has no entry number {occurrence + 1}",
                self._object.where,
                expected=f"at most {len(numbers) + 1}",
                found=occurrence + 1,
            )
        if occurrence == len(numbers):
            self._add(_Entry(key, value))
        else:
            self._entries[numbers[occurrence]].value = value

    def remove(self, key: AppDataKey, *, occurrence: int = 0) -> None:
        """Take an entry out; raises :class:`KeyError` where there is none."""
        numbers = self._numbers.get(key, [])
        if occurrence >= len(numbers):
            raise KeyError(str(key))
        del self._entries[numbers.pop(occurrence)]

    def edit(self, prop: Property, value: object) -> bool:
        """Set the value of an entry with a meaning; returns whether that changed anything."""
        old = self.get(prop.key)
        new = prop.edit(old, value, self._object.scene.code_page)
        if new == old:
            return False
        self.set(prop.key, new)
        return True

    def commit(self) -> None:
        """Write what was changed into the object.

        A single change touches its own bytes only, so views of the other entries stay views of
        them; several are one new container, in which an entry that was not changed has the bytes
        that it had.

        Raises:
            EditError: The object was edited meanwhile.
        """
        data = self._object.data
        if data.revision != self._revision:
            raise EditError("the object was edited while its AppData were", self._object.where)
        left = [entry for entry in self._entries.values() if entry.stored is not None]
        new = [entry for entry in self._entries.values() if entry.stored is None]
        changed = [entry for entry in left if entry.changed]
        edits = self._stored - len(left) + len(new) + len(changed)
        if not edits:
            return
        if self._container is None:
            self._create(data)
        elif not self._entries and not self._was_empty():
            self._container.remove()
        elif edits > 1:
            self._container.replace(self._body(self._container))
        elif changed:
            (entry,) = changed
            chunk = list(self._container.chunks())[entry.position]
            chunk.replace(encode_entry(entry.key, entry.value, entry.forms or _forms(chunk.form)))
        else:
            if new:
                head = self._head(self._container)
                body = encode_entry(new[0].key, new[0].value, _forms(head.form))
                data.insert(self._container, self._stored + 1, ENTRY, body, container=True)
            else:
                gone = {*range(1, self._stored + 1)} - {entry.position for entry in left}
                list(self._container.chunks())[gone.pop()].remove()
            self._recount(data)

    def _was_empty(self) -> bool:
        """Whether the object was read with a container without entries."""
        container = ChunkData(self._object.data.original).find(APPDATA)
        return container is not None and len(list(container.chunks())) == 1

    def _head(self, container: Chunk) -> Chunk:
        return next(container.chunks())

    def _recount(self, data: ChunkData) -> None:
        """Make the stored count that of the entries."""
        container = data.find(APPDATA)
        if container is not None:
            self._head(container).replace(COUNT_STRUCT.pack(len(self._entries)))

    def _create(self, data: ChunkData) -> None:
        """Put a new container in front, where 3ds Max writes it (measured)."""
        form = data.new_form(None, data.top(), 0)
        pieces: list[Buffer] = [encode_count(len(self._entries), form)]
        for entry in self._entries.values():
            pieces += _whole(entry, _forms(form))
        data.insert(None, 0, APPDATA, b"".join(pieces), container=True)

    def _body(self, container: Chunk) -> bytes:
        """Return the container's new body."""
        view = memoryview(container.owner.data)
        head = self._head(container)
        spans = [head.span, *(e.span for e in self._entries.values() if e.span is not None)]
        beside = form_beside(spans, len(spans))
        new = (head.form if beside is None else beside, head.form, head.form)
        pieces: list[Buffer] = [encode_count(len(self._entries), head.form)]
        for entry in self._entries.values():
            if entry.span is None or entry.changed:
                pieces += _whole(entry, entry.forms or new)
            else:
                pieces.append(view[entry.span[1] : entry.span[3]])
        return b"".join(pieces)


def _forms(form: int) -> Forms:
    return form, form, form


def _whole(entry: _Entry, forms: Forms) -> tuple[bytes, bytes]:
    """Return header and body of an entry."""
    body = encode_entry(entry.key, entry.value, forms)
    return encode_header(ENTRY, len(body), True, forms[0]), body
