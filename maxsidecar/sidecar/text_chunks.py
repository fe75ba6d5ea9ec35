"""Chunk trees as lines of text: known records by name, everything else as bytes.

Works on damaged trees: what cannot be read as chunks is shown as bytes, with the reason in front.
Nothing shown depends on offsets, so that a change in one place leaves all other lines alone.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, Final

from maxsidecar.errors import DecodeError, MaxSidecarError
from maxsidecar.io.chunks import Chunk, ChunkData
from maxsidecar.io.fields import Codec
from maxsidecar.io.headers import OPEN_NARROW, OPEN_WIDE
from maxsidecar.io.views import ChunkView
from maxsidecar.scene.private import may_be_private
from maxsidecar.sidecar.text_values import bytes_lines, value_lines

__all__ = ["Meaning", "Typed", "chunk_lines", "problem_text", "typed_by_offset"]

#: Attribute name and codec of each typed leaf, by the offset of its chunk.
Typed = Mapping[int, tuple[str, Codec[Any]]]

#: What is shown of a decoded value.
Meaning = Callable[[object], object]

#: Containers nested deeper are shown as bytes; real ones reach 11 (measured).
MAX_DEPTH: Final = 40


def _as_it_is(value: object) -> object:
    return value


def problem_text(error: MaxSidecarError) -> str:
    """Return an error without its place, which depends on everything in front of it."""
    text = error.message
    if error.expected is not None or error.found is not None:
        text += f" (expected {error.expected}, found {error.found})"
    return "!! " + "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def typed_by_offset(view: ChunkView) -> tuple[Typed, list[MaxSidecarError]]:
    """Return the typed leaves of a view; where it is damaged, those in front of the damage."""
    found: dict[int, tuple[str, Codec[Any]]] = {}
    try:
        for chunk, name, codec in view.typed_leaves():
            found.setdefault(chunk.start, (name.rpartition(".")[2], codec))
    except MaxSidecarError as error:
        return found, [error]
    return found, []


def chunk_lines(
    data: ChunkData,
    typed: Typed,
    stream: str,
    *,
    skip: Container[int] = (),
    full: bool = False,
    meaning: Meaning = _as_it_is,
) -> Iterator[str]:
    """Yield the lines of a chunk tree.

    Args:
        data: The tree.
        typed: What is known of its leaves.
        stream: Name of the stream, by which private data is told.
        skip: Offsets of outermost chunks that are left out.
        full: Show all bytes of long leaves.
        meaning: Turns a decoded value into what is shown of it.

    Raises:
        ChunkError: The outermost level is damaged.
    """
    levels: list[Iterator[Chunk]] = [data.chunks()]
    trail: list[int] = []
    while levels:
        chunk = next(levels[-1], None)
        if chunk is None:
            levels.pop()
            if trail:
                trail.pop()
            continue
        if len(levels) == 1 and chunk.start in skip:
            continue
        # The wrapper of compressed saves has no part in the path.
        wrapper = chunk.form in (OPEN_NARROW, OPEN_WIDE)
        ids = (*(i for i in trail if i >= 0), *(() if wrapper else (chunk.id,)))
        indent = "  " * (len(levels) - 1)
        known = typed.get(chunk.start)
        if known is None and chunk.container and len(levels) <= MAX_DEPTH:
            try:
                children = list(chunk.chunks())
            except MaxSidecarError as error:
                yield f"{indent}{chunk.id:04x}: {problem_text(error)}"
            else:
                yield f"{indent}{chunk.id:04x}:"
                levels.append(iter(children))
                trail.append(-1 if wrapper else chunk.id)
                continue
        elif known is None and chunk.container:
            yield f"{indent}{chunk.id:04x}: !! nested too deep to be shown"
        if may_be_private(stream, ids):
            yield f"{indent}{chunk.id:04x} = ({len(chunk.data)} bytes, private, not shown)"
            continue
        name, lines = _leaf(chunk, known, full, meaning)
        head = f"{indent}{chunk.id:04x}{name} = "
        yield head + next(lines)
        yield from (indent + line for line in lines)


def _leaf(
    chunk: Chunk, known: tuple[str, Codec[Any]] | None, full: bool, meaning: Meaning
) -> tuple[str, Iterator[str]]:
    """Return the name of a leaf with a space in front, and its value as lines."""
    if known is None:
        return "", bytes_lines(chunk.data, full=full)
    name, codec = known
    try:
        return f" {name}", value_lines(meaning(codec.verified(chunk.data)), full=full)
    except DecodeError as error:
        raw = bytes_lines(chunk.data, full=full)
        return f" {name} {problem_text(error)}", raw
