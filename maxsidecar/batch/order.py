"""Putting results that come as they are ready into the order of what they are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["in_order"]

R = TypeVar("R")


def in_order(numbered: Iterable[tuple[int, R]]) -> Iterator[R]:
    """Yield results in the order of the items, each as soon as those before it are out."""
    early: dict[int, R] = {}
    position = 0
    for number, result in numbered:
        early[number] = result
        while position in early:
            yield early.pop(position)
            position += 1
