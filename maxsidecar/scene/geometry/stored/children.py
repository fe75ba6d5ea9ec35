"""The children of a container as a list that is changed and then written in one go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from maxsidecar.io.buffers import same_bytes
from maxsidecar.io.chunks import Buffer, Chunk, encode_header
from maxsidecar.io.headers import form_beside, scan

__all__ = ["Child", "Children"]


@dataclass(slots=True)
class Child:
    """One child chunk.

    Attributes:
        id: Chunk id.
        body: Its body.
        container: Whether the body holds chunks.
        form: Form of its header.
        raw: Header and body as they were read; ``None`` for a new or changed one.
    """

    id: int
    body: Buffer
    container: bool
    form: int
    raw: Buffer | None = None

    def encode(self) -> Iterable[Buffer]:
        """Return the bytes of the chunk, in pieces."""
        if self.raw is not None:
            return (self.raw,)
        return encode_header(self.id, len(self.body), self.container, self.form), self.body


class Children:
    """The children of a container.

    Args:
        container: The container.
        order: Ids in the order in which 3ds Max writes them; new chunks find their place by it.

    Attributes:
        items: The children.
    """

    def __init__(self, container: Chunk, order: Sequence[int]) -> None:
        """Read the children; nothing is changed yet."""
        self.container = container
        self.rank = {chunk_id: rank for rank, chunk_id in enumerate(order)}
        data = memoryview(container.owner.data)
        spans = scan(data, container.body, container.end)
        #: Header form of new chunks.
        form = form_beside(spans, 0)
        self.form = container.form if form is None else form
        self.items = [
            Child(chunk_id, data[body:end], inner, form, data[start:end])
            for chunk_id, start, body, end, inner, form in spans
        ]

    def find(self, chunk_id: int) -> Child | None:
        """Return the first child with an id."""
        return next((item for item in self.items if item.id == chunk_id), None)

    def put(self, chunk_id: int, body: Buffer, *, container: bool = False) -> None:
        """Give the first child with an id a body; it is added where there is none."""
        child = self.find(chunk_id)
        if child is None:
            self.items.insert(self.place(chunk_id), self.new(chunk_id, body, container=container))
        elif not same_bytes(child.body, body):
            child.body, child.raw = body, None

    def new(self, chunk_id: int, body: Buffer, *, container: bool = False) -> Child:
        """Return a child that is in no list yet."""
        return Child(chunk_id, body, container, self.form)

    def place(self, chunk_id: int) -> int:
        """Return where a new child with an id belongs."""
        rank = self.rank[chunk_id]
        for place, item in enumerate(self.items):
            if self.rank.get(item.id, -1) > rank:
                return place
        return len(self.items)

    def remove(self, chunk_id: int, unless: Callable[[Child], bool] | None = None) -> None:
        """Take out all children with an id, but those that ``unless`` is true for."""
        self.items = [
            item
            for item in self.items
            if item.id != chunk_id or (unless is not None and unless(item))
        ]

    def write(self) -> None:
        """Put the list into the container.

        Raises:
            EditError: The container is read-only, or was edited meanwhile.
        """
        self.container.replace(b"".join(part for item in self.items for part in item.encode()))
