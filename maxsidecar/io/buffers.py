"""Small helpers for byte buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

__all__ = ["Body", "Buffer", "body_pieces", "same_bytes", "same_pieces"]

Buffer: TypeAlias = bytes | bytearray | memoryview

#: Bytes that are given whole or in pieces.
Body: TypeAlias = Buffer | Sequence[Buffer]

_STEP: Final = 1 << 18


def same_bytes(a: Buffer, b: Buffer) -> bool:
    """Compare two buffers quickly.

    Python compares memory views item by item, which takes 2 ms a megabyte; copies of small
    slices compare a hundred times as fast.
    """
    size = len(a)
    if size != len(b):
        return False
    if a is b:
        return True
    if size <= _STEP:
        return bytes(a) == bytes(b)
    left, right = memoryview(a), memoryview(b)
    return all(
        bytes(left[i : i + _STEP]) == bytes(right[i : i + _STEP]) for i in range(0, size, _STEP)
    )


def body_pieces(body: Body) -> list[memoryview]:
    """Return bytes that are given whole or in pieces as a list of views."""
    pieces = [body] if isinstance(body, bytes | bytearray | memoryview) else body
    return [memoryview(piece).cast("B") for piece in pieces]


def same_pieces(a: Sequence[memoryview], b: Sequence[memoryview]) -> bool:
    """Compare two sequences of views as if each were joined."""
    if sum(map(len, a)) != sum(map(len, b)):
        return False
    right = iter(b)
    piece, used = memoryview(b""), 0
    for left in a:
        done = 0
        while done < len(left):
            while used == len(piece):
                piece, used = next(right), 0
            step = min(len(left) - done, len(piece) - used)
            if not same_bytes(left[done : done + step], piece[used : used + step]):
                return False
            done += step
            used += step
    return True
