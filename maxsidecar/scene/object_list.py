"""The list of a scene's objects: what each was read from, and in which order they are now.

Objects that were read stay where they are in the bytes; a changed list only says in which order
they are to be written, which of them are left out, and which new ones stand between them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import NARROW, WIDE, Buffer, Span, scan
from maxsidecar.io.headers import LARGE

__all__ = ["NewObject", "ObjectList", "ObjectListState", "first_span"]


class NewObject(NamedTuple):
    """An object to put into a scene.

    Attributes:
        chunk_id: Index of its class in the class directory, or the id of a derived object.
        body: Its chunks; of no bytes for an object without any.
    """

    chunk_id: int
    body: bytes


#: Everything that tells one list of objects from another one of the same scene.
ObjectListState: TypeAlias = tuple["array[int]", list[int] | None]


class ObjectList:
    """Chunk id and place of each object, by storage index.

    Args:
        data: The stream.
        spans: The objects as they were read, one behind the other.
        end: Where the last one ends.
    """

    def __init__(self, data: Buffer, spans: Sequence[Span], end: int) -> None:
        """Take over what was read."""
        self._data = data
        self._end = end
        # Objects lie side by side, so the starts say all; a tuple each would cost more than some
        # scenes' objects do.
        self._starts = array("Q", [span[1] for span in spans])
        self._read_ids = array("H", [span[0] for span in spans])
        self.ids = self._read_ids
        # Number of each object among those that were read, -1 - n for the n-th new one; ``None``
        # as long as the list is the one that was read.
        self._places: list[int] | None = None
        self._new: list[tuple[bool, int]] = []
        self._now: dict[int, int] | None = None

    def __len__(self) -> int:
        """Return the number of objects."""
        return len(self.ids)

    @property
    def changed(self) -> bool:
        """Whether objects came, went or moved."""
        return self._places is not None

    @property
    def end(self) -> int:
        """Where the last object that was read ends."""
        return self._end

    def was_read(self, index: int) -> bool:
        """Return whether an object comes from the stream."""
        return self._places is None or self._places[index] >= 0

    def span(self, index: int) -> Span:
        """Return where an object was read from; an empty span at 0 for a new one."""
        place = index if self._places is None else self._places[index]
        if place < 0:
            container, form = self._new[-1 - place]
            return self.ids[index], 0, 0, 0, container, form
        start, end = self._extent(place)
        return scan(self._data, start, end)[0]

    def _extent(self, place: int) -> tuple[int, int]:
        starts = self._starts
        return starts[place], starts[place + 1] if place + 1 < len(starts) else self._end

    def extents(self) -> Iterator[tuple[int, int] | None]:
        """Yield start and end of each object in the stream, ``None`` for a new one."""
        for place in range(len(self.ids)) if self._places is None else self._places:
            yield None if place < 0 else self._extent(place)

    def at(self, offset: int) -> int | None:
        """Return the storage index of the object whose bytes were read there, ``None``: none."""
        place = bisect_right(self._starts, offset) - 1
        if place < 0 or offset >= self._end:
            return None
        if self._places is None:
            return place
        if self._now is None:
            self._now = {p: i for i, p in enumerate(self._places) if p >= 0}
        return self._now.get(place)

    def state(self) -> ObjectListState:
        """Return the list as it is, for :meth:`restore`."""
        return self.ids, self._places

    def restore(self, state: ObjectListState) -> None:
        """Go back to an earlier list."""
        self.ids, self._places = state
        self._now = None

    def insert(self, new: Sequence[NewObject]) -> None:
        """Put new objects in front of the last one.

        Raises:
            EditError: There is no object, or a chunk id is out of range.
        """
        last = len(self.ids) - 1
        if last < 0:
            raise EditError("there is no object to put others in front of")
        ids = array("H", self.ids)
        ids[last:last] = array("H", [_checked(item.chunk_id) for item in new])
        places = list(range(last + 1)) if self._places is None else list(self._places)
        places[last:last] = [-len(self._new) - n - 1 for n in range(len(new))]
        form = self._form()
        self._new += [(len(item.body) > 0, form) for item in new]
        self._places, self.ids, self._now = places, ids, None

    def rearrange(self, order: Sequence[int | NewObject]) -> None:
        """Change the list.

        Args:
            order: What each place of the new list holds: the object that has this storage index
                until now, or a new one.

        Raises:
            EditError: An object occurs twice, or is not there; or a chunk id is out of range.
        """
        count = len(self.ids)
        seen: set[int] = set()
        places: list[int] = []
        ids = array("H")
        new: list[tuple[bool, int]] = []
        for item in order:
            if isinstance(item, NewObject):
                ids.append(_checked(item.chunk_id))
                new.append((len(item.body) > 0, self._form()))
                places.append(-len(self._new) - len(new))
                continue
            if not 0 <= item < count or item in seen:
                raise EditError("not an object, or one that occurs twice", found=item)
            seen.add(item)
            places.append(item if self._places is None else self._places[item])
            ids.append(self.ids[item])
        self._new += new
        as_read = len(places) == len(self._starts) and all(p == i for i, p in enumerate(places))
        self._places = None if as_read else places
        self.ids = self._read_ids if as_read else ids
        self._now = None

    def _form(self) -> int:
        """Return the header form of a new object: that of the last ordinary one."""
        for place in range(len(self._starts) - 1, -1, -1):
            start, end = self._extent(place)
            if end - start < LARGE:
                return WIDE if not any(self._data[start + 2 : start + 6]) else NARROW
        return NARROW


def _checked(chunk_id: int) -> int:
    if not 0 <= chunk_id <= 0xFFFF:
        raise EditError("chunk id out of range", found=chunk_id)
    return chunk_id


def first_span(data: Buffer) -> tuple[list[Span], bool]:
    """Return the first chunk of a damaged stream, cut to what is there, and whether it was cut."""
    if len(data) < 6:
        return [], False
    size = int.from_bytes(data[2:6], "little")
    container = size > 0x7FFFFFFF
    size &= 0x7FFFFFFF
    wide = not size and not container
    head = 14 if wide else 6
    if len(data) < head:
        return [], False
    if wide:
        size = int.from_bytes(data[6:14], "little")
        container = size >= 1 << 63
        size &= (1 << 63) - 1
    if size < head:
        return [], False
    chunk_id = int.from_bytes(data[:2], "little")
    form = WIDE if wide else NARROW
    return [(chunk_id, 0, head, min(size, len(data)), container, form)], size > len(data)
