"""Where an object holds storage indices of others: reference lists, and raw numbers elsewhere.

A *place* knows one form in which indices are stored.  It lists the indices that an object holds
there, and rewrites them when objects were renumbered or taken out.  Which class has which places is
declared in :mod:`maxsidecar.scene.restructure.declared`; a class that is learned about later adds
its own with :func:`declare`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Set
from dataclasses import dataclass
from struct import Struct, unpack_from
from typing import Final, Protocol, TypeAlias

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.views import ChunkView
from maxsidecar.scene.directories import ClassInfo
from maxsidecar.scene.objects import (
    DENSE_REFERENCES,
    SPARSE_REFERENCES,
    SceneObject,
    SparseReferences,
)

__all__ = [
    "NONE",
    "Change",
    "Held",
    "IndexPlace",
    "LeafIndices",
    "ReferenceLists",
    "chunks_at",
    "declare",
    "outermost",
    "places_of",
    "places_of_class",
]

#: Gives the new storage index of an object; ``None`` when it was taken out of the scene.
Change: TypeAlias = Callable[[int], int | None]

#: Stored for no object at all.
NONE: Final = -1

_I32: Final = Struct("<i")


@dataclass(frozen=True, slots=True)
class Held:
    """An index that an object holds.

    Attributes:
        index: The storage index, as it is stored: a damaged one may lead outside the scene.
        owns: Whether the object keeps the other one alive, as a reference does.  A link back to an
            owner does not.
        slot: Reference slot, ``None`` outside reference lists.
        can_be_empty: Whether it is known how "none" is stored there.
    """

    index: int
    owns: bool
    slot: int | None = None
    can_be_empty: bool = True


class IndexPlace(Protocol):
    """A form in which an object holds storage indices.

    Attributes:
        name: What it is called in messages.
        starts: Ids of the outermost chunks that may hold such indices.
        kinds: Superclasses of the objects that it leads to (measured); empty for any.
        likely: The superclasses are measured on few objects only.
    """

    @property
    def name(self) -> str: ...  # noqa: D102 - described above
    @property
    def starts(self) -> Collection[int]: ...  # noqa: D102
    @property
    def kinds(self) -> frozenset[int]: ...  # noqa: D102
    @property
    def likely(self) -> bool: ...  # noqa: D102

    def read(self, obj: SceneObject) -> Iterator[Held]:
        """Yield the indices that the object holds there; empty ones are left out.

        Raises:
            DecodeError: The place does not have the layout that is known.
            ChunkError: The object is damaged.
        """

    def rewrite(self, obj: SceneObject, change: Change) -> None:
        """Put the new indices there.

        Raises:
            DecodeError: The place does not have the layout that is known.
            EditError: An index must become empty, and how is not known.
        """


def outermost(view: ChunkView, *ids: int) -> list[Chunk]:
    """Return the outermost chunks with some ids; no other becomes a view, for that takes time."""
    data = view.data
    return [Chunk(data, None, n, span) for n, span in enumerate(data.top()) if span[0] in ids]


def chunks_at(view: ChunkView, path: tuple[int, ...]) -> Iterator[Chunk]:
    """Yield every leaf at the end of a path of chunk ids from the outermost level, in order."""
    level = outermost(view, path[0])
    for chunk_id in path[1:]:
        level = [
            child
            for chunk in level
            if chunk.container
            for child in chunk.chunks()
            if child.id == chunk_id
        ]
    yield from (chunk for chunk in level if not chunk.container)


def replace_bodies(view: ChunkView, bodies: list[tuple[Chunk, bytes]]) -> None:
    """Replace the bodies of some chunks that were found at the same time."""
    for chunk, body in bodies:
        view.data.refresh(chunk).replace(body)


class ReferenceLists:
    """The reference list, in either form; an empty slot is -1, or no pair at all (measured)."""

    name: Final = "reference"
    starts: Final = (DENSE_REFERENCES, SPARSE_REFERENCES)
    kinds: Final[frozenset[int]] = frozenset()
    likely: Final = False
    _sparse = SparseReferences()

    def _entries(self, obj: SceneObject) -> Iterator[tuple[Chunk, int, dict[int, int]]]:
        """Yield each list: its chunk, the head of a sparse one (else -1), indices by slot."""
        for chunk in outermost(obj, DENSE_REFERENCES, SPARSE_REFERENCES):
            if chunk.container:
                continue
            if chunk.id == DENSE_REFERENCES:
                count, rest = divmod(len(chunk.data), 4)
                if rest:
                    raise DecodeError("a reference list has the wrong size", chunk.where)
                yield chunk, -1, dict(enumerate(Struct(f"<{count}i").unpack(chunk.data)))
            else:
                head, pairs = self._sparse.verified(chunk.data)
                yield chunk, head, pairs

    def are_plain(self, obj: SceneObject, count: int, apart: Set[int]) -> bool:
        """Return whether no reference needs a closer look.

        Args:
            obj: The object.
            count: Number of objects of the scene: a reference is empty or leads to one of them.
            apart: Objects that a reference does not lead to, besides the object itself.

        Raises:
            ChunkError: The object is damaged.
        """
        data = obj.data.data
        for chunk_id, _, start, end, container, _ in obj.data.top():
            if container or chunk_id not in self.starts:
                continue
            numbers = unpack_from(f"<{(end - start) // 4}i", data, start)
            # The head of a sparse list and its slots, which are no indices, are passed over.
            if chunk_id == SPARSE_REFERENCES:
                numbers = numbers[2::2]
            if numbers and (max(numbers) >= count or min(numbers) < NONE):
                return False
            if obj.index in numbers or not apart.isdisjoint(numbers):
                return False
        return True

    def read(self, obj: SceneObject) -> Iterator[Held]:
        """Yield the references."""
        for _, _, pairs in self._entries(obj):
            for slot, index in pairs.items():
                if index != NONE:
                    yield Held(index, owns=True, slot=slot)

    def rewrite(self, obj: SceneObject, change: Change) -> None:
        """Put the new indices there."""
        bodies: list[tuple[Chunk, bytes]] = []
        for chunk, head, pairs in self._entries(obj):
            new = {slot: change(index) if index >= 0 else index for slot, index in pairs.items()}
            if new == pairs:
                continue
            if head < 0:
                values = [-1 if index is None else index for index in new.values()]
                body = Struct(f"<{len(values)}i").pack(*values)
            else:
                kept = {slot: index for slot, index in new.items() if index is not None}
                body = self._sparse.encode((head, kept))
            bodies.append((chunk, body))
        replace_bodies(obj, bodies)


@dataclass(frozen=True, slots=True)
class LeafIndices:
    """Indices at a fixed place of a leaf.

    Attributes:
        path: Chunk ids from the object down to the leaf.
        offset: Where in the leaf the (first) index is.
        stride: Distance of further ones up to the end of the leaf; 0 when there is one only.
        size: Size of the leaf that is known; 0 for any.  Another size is refused.
        owns: Whether the object keeps the others alive.
        empty: What is stored for none; ``None`` when no object of the corpus shows it.
        drops: Which chunk goes when the index becomes empty, as a number of ids of the path: 1 is
            the outermost one, ``len(path)`` the leaf; 0 none, ``empty`` is stored instead.
        kinds: Superclasses of the objects that it leads to (measured); empty for any.
        likely: The superclasses are measured on few objects only.
    """

    path: tuple[int, ...]
    offset: int = 0
    stride: int = 0
    size: int = 0
    owns: bool = False
    empty: int | None = None
    drops: int = 0
    kinds: frozenset[int] = frozenset()
    likely: bool = False

    @property
    def starts(self) -> tuple[int, ...]:
        """The outermost chunk."""
        return self.path[:1]

    @property
    def name(self) -> str:
        """The path, for messages."""
        return f"the index in {'/'.join(f'{chunk_id:04x}' for chunk_id in self.path)}"

    def _offsets(self, chunk: Chunk) -> range:
        size = len(chunk.data)
        if (self.size and size != self.size) or size < self.offset + 4:
            raise DecodeError(
                "a leaf that holds storage indices has another size than is known",
                chunk.where,
                expected=self.size or f"at least {self.offset + 4}",
                found=size,
            )
        if not self.stride:
            return range(self.offset, self.offset + 4, 4)
        if (size - self.offset) % self.stride:
            raise DecodeError("a list of storage indices ends in the middle of one", chunk.where)
        return range(self.offset, size - 3, self.stride)

    def read(self, obj: SceneObject) -> Iterator[Held]:
        """Yield the indices."""
        can_be_empty = self.empty is not None or self.drops > 0
        for chunk in chunks_at(obj, self.path):
            data = chunk.data
            for offset in self._offsets(chunk):
                (index,) = _I32.unpack_from(data, offset)
                if index not in (NONE, self.empty):
                    yield Held(index, self.owns, None, can_be_empty)

    def rewrite(self, obj: SceneObject, change: Change) -> None:
        """Put the new indices there."""
        bodies: list[tuple[Chunk, bytes]] = []
        dropped: list[Chunk] = []
        for chunk in chunks_at(obj, self.path):
            body = bytearray(chunk.data)
            for offset in self._offsets(chunk):
                (index,) = _I32.unpack_from(body, offset)
                new = change(index) if index >= 0 else index
                if new is None and self.drops:
                    outer: Chunk | None = chunk
                    for _ in range(len(self.path) - self.drops):
                        outer = outer.parent if outer is not None else None
                    if outer is not None:
                        dropped.append(outer)
                    break
                if new is None:
                    new = self.empty
                if new is None:
                    raise EditError("this index cannot become empty", chunk.where, found=index)
                _I32.pack_into(body, offset, new)
            if body != chunk.data:
                bodies.append((chunk, bytes(body)))
        replace_bodies(obj, bodies)
        for chunk in dropped:
            obj.data.refresh(chunk).remove()


_anywhere: list[IndexPlace] = [ReferenceLists()]
_by_superclass: dict[int, list[IndexPlace]] = {}
_by_class: dict[tuple[int, int, int], list[IndexPlace]] = {}
#: What :func:`places_of` found, by class.
_found: dict[tuple[int, int, int], list[IndexPlace]] = {}


def declare(
    place: IndexPlace, *, superclass: int | None = None, class_id: tuple[int, int] | None = None
) -> None:
    """Say where objects hold storage indices.

    Args:
        place: The place.
        superclass: Superclass id of the objects; ``None`` for objects of any class.
        class_id: Both halves of the class id; ``None`` for all classes of the superclass.
    """
    _found.clear()
    if superclass is None:
        _anywhere.append(place)
    elif class_id is None:
        _by_superclass.setdefault(superclass, []).append(place)
    else:
        _by_class.setdefault((*class_id, superclass), []).append(place)


def places_of(obj: SceneObject) -> list[IndexPlace]:
    """Return all places that are declared for an object; none for one that holds no chunks."""
    return places_of_class(obj.info) if len(obj.data.data) else []


def places_of_class(info: ClassInfo | None) -> list[IndexPlace]:
    """Return all places that are declared for objects of a class."""
    from maxsidecar.scene.restructure import declared  # noqa: F401 - fills the tables

    if info is None:
        return _anywhere
    key = info.class_id.a, info.class_id.b, info.superclass
    found = _found.get(key)
    if found is None:
        places = *_anywhere, *_by_superclass.get(info.superclass, ()), *_by_class.get(key, ())
        found = _found[key] = list(places)
    return found
