"""What differs between two chunk trees, leaf by leaf."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.buffers import same_bytes
from maxsidecar.io.chunks import Chunk
from maxsidecar.sidecar.text_chunks import MAX_DEPTH, Typed, may_be_private
from maxsidecar.sidecar.text_values import short_bytes, show

__all__ = ["LeafDifference", "compare_chunks"]

_WIDTH = 120


class LeafDifference(NamedTuple):
    """A leaf, or a whole container, that differs.

    Attributes:
        path: Ids on the way down, with the position among equal ids where it is not the first,
            and the name of the last one in parentheses where it has one.
        old: What it was, ``None`` when it was not there.
        new: What it is, ``None`` when it is not there.
    """

    path: str
    old: str | None
    new: str | None


def _step(chunk: Chunk, number: int) -> str:
    return f"{chunk.id:04x}[{number}]" if number else f"{chunk.id:04x}"


class _Side:
    def __init__(self, stream: str, typed: Typed) -> None:
        self.stream = stream
        self.typed = typed

    def name(self, chunk: Chunk) -> str:
        known = self.typed.get(chunk.start)
        return f" ({known[0]})" if known is not None else ""

    def show(self, chunk: Chunk, ids: tuple[int, ...]) -> str:
        size = len(chunk.data)
        if may_be_private(self.stream, ids):
            return f"({size} bytes, private, not shown)"
        known = self.typed.get(chunk.start)
        if known is not None:
            try:
                text = show(known[1].verified(chunk.data))
            except DecodeError:
                pass
            else:
                return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."
        if chunk.container:
            return f"(container, {size} bytes)"
        return short_bytes(chunk.data)


def compare_chunks(
    old: Sequence[Chunk],
    new: Sequence[Chunk],
    old_typed: Typed,
    new_typed: Typed,
    stream: str,
    *,
    skip: Container[int] = (),
) -> Iterator[LeafDifference]:
    """Yield what differs between two runs of chunks.

    Args:
        old: The chunks as they were.
        new: The chunks as they are.
        old_typed: What is known of the old leaves.
        new_typed: What is known of the new leaves.
        stream: Name of the stream, by which private data is told.
        skip: Ids of outermost chunks that are compared elsewhere.
    """
    a, b = _Side(stream, old_typed), _Side(stream, new_typed)
    first = [c for c in old if c.id not in skip], [c for c in new if c.id not in skip]
    pending: list[tuple[str, tuple[int, ...], Sequence[Chunk], Sequence[Chunk]]] = [
        ("", (), *first)
    ]
    while pending:
        prefix, trail, left, right = pending.pop()
        deeper: list[tuple[str, tuple[int, ...], Sequence[Chunk], Sequence[Chunk]]] = []
        for step, x, y in _align(left, right):
            chunk = x or y
            if chunk is None or (x is not None and y is not None and _equal(x, y)):
                continue
            ids = trail if chunk.open else (*trail, chunk.id)
            path = f"{prefix}/{step}" if prefix else step
            inside = _children(x, y, a, b) if len(ids) < MAX_DEPTH else None
            if inside is not None:
                deeper.append((path, ids, *inside))
                continue
            yield LeafDifference(
                path + ((a.name(x) if x is not None else "") or (b.name(y) if y else "")),
                a.show(x, ids) if x is not None else None,
                b.show(y, ids) if y is not None else None,
            )
        pending += reversed(deeper)


def _equal(x: Chunk, y: Chunk) -> bool:
    return x.id == y.id and x.container == y.container and same_bytes(x.data, y.data)


def _children(
    x: Chunk | None, y: Chunk | None, a: _Side, b: _Side
) -> tuple[list[Chunk], list[Chunk]] | None:
    """Return the children of two containers that can be compared one by one."""
    if x is None or y is None or not (x.container and y.container):
        return None
    if x.start in a.typed or y.start in b.typed:
        return None
    try:
        return list(x.chunks()), list(y.chunks())
    except MaxSidecarError:
        return None


def _align(
    left: Sequence[Chunk], right: Sequence[Chunk]
) -> Iterator[tuple[str, Chunk | None, Chunk | None]]:
    """Yield pairs of chunks that stand for the same thing.

    What is equal at the beginning and at the end belongs together; between them, chunks with the
    same id do, in order.
    """
    low = 0
    end = min(len(left), len(right))
    counts: Counter[int] = Counter()
    while low < end and _equal(left[low], right[low]):
        counts[left[low].id] += 1
        low += 1
    high = 0
    while high < end - low and _equal(left[-1 - high], right[-1 - high]):
        high += 1
    old, new = left[low : len(left) - high], right[low : len(right) - high]
    waiting: dict[int, list[Chunk]] = {}
    for chunk in reversed(new):
        waiting.setdefault(chunk.id, []).append(chunk)
    taken = Counter(counts)
    for chunk in old:
        step = _step(chunk, taken[chunk.id])
        taken[chunk.id] += 1
        others = waiting.get(chunk.id)
        yield step, chunk, others.pop() if others else None
    for chunk in new:
        others = waiting.get(chunk.id)
        if others and others[-1] is chunk:
            others.pop()
            yield _step(chunk, taken[chunk.id]), None, chunk
            taken[chunk.id] += 1
