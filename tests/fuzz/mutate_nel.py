"""A deterministic mutator of the game's files: equal bases and seeds give equal bytes."""

from __future__ import annotations

import random
import struct

__all__ = ["mutate_nel"]

#: Numbers that are wrong in interesting ways: counts, lengths, versions, ids.
ODD = (
    0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 1_000_000,
    1_000_001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF,
)  # fmt: skip
#: Most fields that decide about others stand near the beginning.
HEAD = 400


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(1 << rng.randrange(5)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _number(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(max(1, len(data) - 4))
        data[at : at + 4] = struct.pack("<I", rng.choice(ODD))


def _remove(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.choice((1, 2, 4, 8, 100))]


def _insert(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    data[at:at] = rng.randbytes(rng.choice((1, 2, 4, 8, 100)))


def _repeat(data: bytearray, rng: random.Random) -> None:
    at, to = rng.randrange(len(data)), rng.randrange(len(data))
    piece = data[at : at + rng.choice((4, 16, 64, 1000))]
    data[to : to + len(piece)] = piece


def _head(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 2, 3))):
        at = rng.randrange(min(len(data), HEAD))
        data[at] = rng.choice((*range(11), 0x7F, 0xFF, rng.randrange(256)))


DAMAGES = (_cut, _flip, _number, _remove, _insert, _repeat, _head)


def mutate_nel(data: bytes, seed: int) -> bytes:
    """Return a damaged copy of a file's bytes."""
    rng = random.Random(seed)
    out = bytearray(data)
    DAMAGES[seed % len(DAMAGES)](out, rng)
    return bytes(out)
