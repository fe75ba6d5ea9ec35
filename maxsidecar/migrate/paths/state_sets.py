"""State sets: where renders of each state go, in a serialized .NET object.

The leaf is a ``u32`` size and a binary object graph (public specification MS-NRBF).  Strings in it
have their length in front, and nothing else depends on where they stand, so that a string of
another length leaves the graph sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from maxsidecar.errors import EditError
from maxsidecar.io.buffers import Buffer
from maxsidecar.io.chunks import Chunk
from maxsidecar.migrate.paths.looks import reads_as_path
from maxsidecar.migrate.paths.place import OUTPUT, Holder, Place, label
from maxsidecar.scene.objects import SceneObject

__all__ = ["STATE_SETS", "StateSetsHolder", "state_set_holders"]

#: Class id of the attribute that keeps the state sets.
STATE_SETS: Final = (0x1F58F, 0x3A29F)
_LEAF: Final = 0x66
#: Header of an object graph: root id 1, no method, version 1.0.
_HEADER: Final = bytes.fromhex("00 01000000 ffffffff 01000000 00000000")
_STRING: Final = 0x06
_END: Final = 0x0B
#: Real graphs have some kilobytes, and paths in them fewer than 300 bytes.
_LARGEST: Final = 16 << 20
_LONGEST: Final = 4096
#: Objects are numbered from 1.
_MOST_OBJECTS: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class _Text:
    """A string: where its length begins, where its text begins and ends."""

    start: int
    body: int
    end: int
    text: str


def _texts(data: bytes) -> Iterator[_Text]:
    """Yield the string records that read as paths."""
    if (
        not len(_HEADER) + 5 <= len(data) <= _LARGEST
        or int.from_bytes(data[:4], "little") != len(data) - 4
        or not data.startswith(_HEADER, 4)
        or data[-1] != _END
    ):
        return
    pos = data.find(_STRING, 4 + len(_HEADER))
    while 0 <= pos < len(data) - 6:
        number = int.from_bytes(data[pos + 1 : pos + 5], "little")
        found = _text_at(data, pos + 5) if 0 < number < _MOST_OBJECTS else None
        if found is not None and reads_as_path(found.text):
            yield found
            pos = found.end - 1
        pos = data.find(_STRING, pos + 1)


def _text_at(data: bytes, start: int) -> _Text | None:
    size = shift = 0
    pos = start
    while pos < len(data) and pos - start < 5:
        size |= (data[pos] & 0x7F) << shift
        shift += 7
        pos += 1
        if not data[pos - 1] & 0x80:
            break
    if not 0 < size <= min(len(data) - pos, _LONGEST):
        return None
    try:
        text = data[pos : pos + size].decode("utf-8")
    except UnicodeDecodeError:
        return None
    found = _Text(start, pos, pos + size, text)
    return found if _encode(text) == data[start : pos + size] else None


def _encode(text: str) -> bytes:
    """Return a string with its length in groups of 7 bits in front."""
    try:
        body = text.encode("utf-8")
    except UnicodeEncodeError:
        raise EditError("half a surrogate pair cannot be written in utf-8") from None
    size = len(body)
    head = bytearray()
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    head.append(size)
    return bytes(head) + body


class StateSetsHolder(Holder):
    """The paths in one object graph."""

    def __init__(self, obj: SceneObject, chunk: Chunk) -> None:
        """Look at the leaf."""
        self._object = obj
        self._chunk = chunk

    def _data(self) -> Buffer:
        if self._chunk.revision != self._object.data.revision:
            self._chunk = self._object.data.refresh(self._chunk)
        return self._chunk.data

    def places(self) -> Iterator[Place]:
        """Yield the strings that are paths."""
        data = bytes(self._data())
        where, size = self._chunk.where, self._chunk.end - self._chunk.start
        for number, found in enumerate(_texts(data)):
            yield Place(
                found.text,
                OUTPUT,
                "render output of states",
                number,
                where,
                size,
                label(self._object),
                self._object.index,
            )

    def write(self, changes: Mapping[int, str]) -> None:
        """Put other strings into the graph."""
        data = bytes(self._data())
        found = list(_texts(data))
        for number in sorted(changes, reverse=True):
            text = found[number]
            data = data[: text.start] + _encode(changes[number]) + data[text.end :]
        self._chunk.replace((len(data) - 4).to_bytes(4, "little") + data[4:])


def state_set_holders(obj: SceneObject) -> Iterator[Holder]:
    """Yield the object graphs of an attribute that keeps state sets."""
    for chunk in obj.data.chunks():
        if chunk.id == _LEAF and not chunk.container:
            yield StateSetsHolder(obj, chunk)
