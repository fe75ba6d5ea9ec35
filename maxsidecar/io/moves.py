"""Where a chunk is after edits: positions followed through a log of moves.

A view of the third of five equal entries must stay a view of that entry when the first one is
removed.  Ids do not tell them apart, so every edit notes what it did to positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Move", "follow"]


class Move(NamedTuple):
    """What one edit did to positions.

    Attributes:
        path: Positions from the outermost level down to a container (``()``: none around).
        position: Which child of that container came or went.
        step: 1 it came, -1 it went; 0 the whole body of the chunk with that path is new.
    """

    path: tuple[int, ...]
    position: int = 0
    step: int = 0


def follow(trail: tuple[int, ...], moves: Iterable[Move]) -> tuple[int, ...] | None:
    """Return the positions that lead to a chunk after some edits.

    Args:
        trail: Positions from the outermost level down to the chunk.
        moves: The edits since then, oldest first.

    Returns:
        The new positions; ``None`` when the chunk or a container around it is gone.
    """
    now = list(trail)
    for path, position, step in moves:
        depth = len(path)
        if len(now) <= depth or tuple(now[:depth]) != path:
            continue
        if step == 0 or (step < 0 and now[depth] == position):
            return None
        if now[depth] >= position:
            now[depth] += step
    return tuple(now)
