"""The record sets of a biped system object.

Its chunks are one sequence in which ids repeat: a header, the entries of the copy and paste
clipboard with a whole set each, then behind ``0x0108`` the live set and those of the layers.  A set
runs from ``0x0190`` to ``0x0141``.  (Measured on all systems of the corpus; docs/format/biped.md.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from maxsidecar.io.chunks import Chunk

__all__ = ["RecordSets", "split_sets"]

_FIRST: Final = 0x0190
_LAST: Final = 0x0141
#: Stands in front of the live set, from release 4 on.
_LIVE: Final = 0x0108


@dataclass(slots=True)
class RecordSets:
    """Chunks of a system object by id, set by set; the first where a set repeats an id.

    Attributes:
        live: The set that poses the rig; empty where there is none.
        layers: Sets of animation layers.
        clipboard: Sets of copied postures, poses and tracks, often of other rigs.
        common: Chunks outside of all sets.
    """

    live: Mapping[int, Chunk] = field(default_factory=dict)
    layers: list[Mapping[int, Chunk]] = field(default_factory=list)
    clipboard: list[Mapping[int, Chunk]] = field(default_factory=list)
    common: dict[int, Chunk] = field(default_factory=dict)


def split_sets(chunks: Iterable[Chunk]) -> RecordSets:
    """Return the chunks of a system object by set."""
    out = RecordSets()
    before: list[Mapping[int, Chunk]] = []
    behind: list[Mapping[int, Chunk]] = []
    passed = False
    for records in _runs(chunks, out.common):
        passed = passed or _LIVE in out.common
        (behind if passed else before).append(records)
    if not passed:
        # The release of 1997 has one set and no mark in front of it.
        before, behind = before[:-1], before[-1:]
    if behind:
        out.live, out.layers = behind[0], behind[1:]
    out.clipboard = before
    return out


def _runs(chunks: Iterable[Chunk], common: dict[int, Chunk]) -> Iterator[Mapping[int, Chunk]]:
    """Yield the sets as they end; what is outside of them goes into ``common``."""
    current: dict[int, Chunk] | None = None
    for chunk in chunks:
        if chunk.id == _FIRST:
            current = {}
        if current is None:
            common.setdefault(chunk.id, chunk)
            continue
        current.setdefault(chunk.id, chunk)
        if chunk.id == _LAST:
            yield current
            current = None
