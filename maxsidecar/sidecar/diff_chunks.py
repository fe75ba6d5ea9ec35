"""What differs between two chunk trees, leaf by leaf."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

from maxsidecar.errors import DecodeError, MaxSidecarError, cut, cut_both
from maxsidecar.io.buffers import same_bytes
from maxsidecar.io.chunks import Buffer, Chunk
from maxsidecar.scene.private import may_be_private
from maxsidecar.sidecar.text_chunks import MAX_DEPTH, Meaning, Typed
from maxsidecar.sidecar.text_values import short_bytes, show

__all__ = ["LeafDifference", "Side", "both_cut", "compare_chunks"]

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


def _as_it_is(value: object) -> object:
    return value


def _body(chunk: Chunk) -> Buffer:
    return chunk.data


class Side(NamedTuple):
    """What is known of one of the two trees.

    Attributes:
        typed: Its typed leaves.
        meaning: Turns a decoded value into what is compared and shown of it.
        content: Gives what is compared of the body of a chunk; it is not shown.
    """

    typed: Typed
    meaning: Meaning = _as_it_is
    content: Callable[[Chunk], Buffer] = _body

    def value(self, chunk: Chunk) -> object:
        """Return the meaning of a typed leaf; raises :class:`DecodeError`."""
        return self.meaning(self.typed[chunk.start][1].verified(chunk.data))

    def name(self, chunk: Chunk) -> str:
        """Return the name of a typed leaf in parentheses."""
        known = self.typed.get(chunk.start)
        return f" ({known[0]})" if known is not None else ""

    def show(self, chunk: Chunk) -> str:
        """Return a chunk's content on one line, of any length."""
        size = len(chunk.data)
        if chunk.start in self.typed:
            try:
                text = show(self.value(chunk))
            except DecodeError:
                pass
            else:
                return text
        if chunk.container:
            return f"(container, {size} bytes)"
        return short_bytes(chunk.data)


def compare_chunks(
    old: Sequence[Chunk],
    new: Sequence[Chunk],
    a: Side,
    b: Side,
    stream: str,
    *,
    skip: Container[int] = (),
) -> Iterator[LeafDifference]:
    """Yield what differs between two runs of chunks.

    Args:
        old: The chunks as they were.
        new: The chunks as they are.
        a: What is known of the old chunks.
        b: What is known of the new chunks.
        stream: Name of the stream, by which private data is told.
        skip: Ids of outermost chunks that are compared elsewhere.
    """
    first = [c for c in old if c.id not in skip], [c for c in new if c.id not in skip]
    pending: list[tuple[str, tuple[int, ...], Sequence[Chunk], Sequence[Chunk]]] = [
        ("", (), *first)
    ]

    def same(x: Chunk, y: Chunk) -> bool:
        return (
            x.id == y.id and x.container == y.container and same_bytes(a.content(x), b.content(y))
        )

    while pending:
        prefix, trail, left, right = pending.pop()
        deeper: list[tuple[str, tuple[int, ...], Sequence[Chunk], Sequence[Chunk]]] = []
        for step, x, y in _align(left, right, same):
            chunk = x or y
            if chunk is None or (x is not None and y is not None and same(x, y)):
                continue
            ids = trail if chunk.open else (*trail, chunk.id)
            path = f"{prefix}/{step}" if prefix else step
            inside = _children(x, y, a, b) if len(ids) < MAX_DEPTH else None
            if inside is not None:
                deeper.append((path, ids, *inside))
                continue
            if x is not None and y is not None and _same_meaning(x, y, a, b):
                continue
            name = (a.name(x) if x is not None else "") or (b.name(y) if y is not None else "")
            if may_be_private(stream, ids):
                yield LeafDifference(path + name, _hidden(x), _hidden(y))
                continue
            shown = a.show(x) if x is not None else None, b.show(y) if y is not None else None
            yield LeafDifference(path + name, *both_cut(*shown))
        pending += reversed(deeper)


def both_cut(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Return two texts on lines that are not too long, and not the same if the texts are not."""
    if old is None or new is None:
        return old and cut(old, _WIDTH), new and cut(new, _WIDTH)
    return cut_both(old, new, _WIDTH)


def _hidden(chunk: Chunk | None) -> str | None:
    return f"({len(chunk.data)} bytes, private, not shown)" if chunk is not None else None


def _same_meaning(x: Chunk, y: Chunk, a: Side, b: Side) -> bool:
    """Return whether two leaves that differ say the same, such as indices of one object."""
    if x.start not in a.typed or y.start not in b.typed:
        return False
    if a.meaning is _as_it_is and b.meaning is _as_it_is:
        return False
    try:
        left, right = a.value(x), b.value(y)
    except DecodeError:
        return False
    # Only values that name other objects are dictionaries; others differ because their bytes do.
    return isinstance(left, dict) and left == right


def _children(
    x: Chunk | None, y: Chunk | None, a: Side, b: Side
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
    left: Sequence[Chunk], right: Sequence[Chunk], same: Callable[[Chunk, Chunk], bool]
) -> Iterator[tuple[str, Chunk | None, Chunk | None]]:
    """Yield pairs of chunks that stand for the same thing.

    What is equal at the beginning and at the end belongs together; between them, chunks with the
    same id do, in order.
    """
    low = 0
    end = min(len(left), len(right))
    counts: Counter[int] = Counter()
    while low < end and same(left[low], right[low]):
        counts[left[low].id] += 1
        low += 1
    high = 0
    while high < end - low and same(left[-1 - high], right[-1 - high]):
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
