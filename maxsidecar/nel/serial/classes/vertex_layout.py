"""Which values a vertex has, and how they lie in a row, as a numpy type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from maxsidecar.errors import EditError

__all__ = [
    "DEFAULT_TYPES",
    "OLD_SLOTS",
    "SLOTS",
    "TYPES",
    "flags_of",
    "layout",
    "old_layout",
]

#: Names of the sixteen slots of a vertex; the bit of a slot is 1 << its place here.
SLOTS: Final = (
    "position", "normal", "uv0", "uv1", "uv2", "uv3", "uv4", "uv5", "uv6", "uv7", "color",
    "specular", "weight", "palette_skin", "fog", "empty",
)  # fmt: skip

#: Element types of a slot by number: numpy code and how many numbers.
TYPES: Final = (
    ("<f8", 1), ("<f4", 1), ("<u2", 1), ("<f8", 2), ("<f4", 2), ("<i2", 2), ("<f8", 3),
    ("<f4", 3), ("<i2", 3), ("<f8", 4), ("<f4", 4), ("<i2", 4), ("u1", 4),
)  # fmt: skip

#: Type of each slot unless a buffer asks for another; current writers give it to unused slots too.
DEFAULT_TYPES: Final = (7, 7, 4, 4, 4, 4, 4, 4, 4, 4, 12, 12, 10, 12, 1, 1)

#: Slots of old buffers by the bit of their flags; weights have four bits, one for each number.
OLD_SLOTS: Final = {
    0x1: "position", 0x20: "normal", 0x40: "color", 0x80: "specular",
    **{0x100 << stage: f"uv{stage}" for stage in range(8)},
}  # fmt: skip
#: Matrix indices have a bit of their own and need all four weights.
_OLD_PALETTE: Final = 0x10000 | 0x1E


def _weights(old_flags: int) -> int:
    """Return how many weights a vertex of an old buffer has: as the highest of their bits says."""
    return ((old_flags >> 1) & 0xF).bit_length()


def _old_parts(old_flags: int) -> Iterator[tuple[str, int]]:
    """Yield slots and types of a vertex with the flags of old buffers, by slot."""
    names = {name for bit, name in OLD_SLOTS.items() if old_flags & bit}
    count = _weights(old_flags)
    if count:
        names.add("weight")
    if old_flags & _OLD_PALETTE == _OLD_PALETTE:
        names.add("palette_skin")
    weight_type = (1, 4, 7, 10)[count - 1] if count else 0
    for slot, default in zip(SLOTS, DEFAULT_TYPES, strict=True):
        if slot in names:
            yield slot, weight_type if slot == "weight" else default


def _dtype(parts: Sequence[tuple[str, int]]) -> np.dtype[Any]:
    fields = []
    for slot, number in parts:
        code, count = TYPES[number]
        fields.append((slot, code) if count == 1 else (slot, code, (count,)))
    return np.dtype(fields)


@lru_cache(maxsize=256)
def layout(flags: int, types: tuple[int, ...]) -> np.dtype[Any]:
    """Return the type of a vertex: its slots in ascending order, without padding.

    Args:
        flags: Bit ``1 << i`` for slot ``i``.
        types: Number of the element type of every slot; those of absent slots do not matter.

    Raises:
        EditError: A slot has a type that does not exist.
    """
    parts = []
    for place, slot in enumerate(SLOTS):
        if flags >> place & 1:
            if types[place] >= len(TYPES):
                message = f"the vertex slot {slot} has an unknown type"
                raise EditError(message, expected=f"0 to {len(TYPES) - 1}", found=types[place])
            parts.append((slot, types[place]))
    return _dtype(parts)


@lru_cache(maxsize=256)
def old_layout(old_flags: int, *, palette: bool = True) -> np.dtype[Any]:
    """Return the type of a vertex with the flags of old buffers, in the order of the slots too.

    Args:
        old_flags: The flags.
        palette: Whether matrix indices are stored (buffers of version 0 had none).
    """
    return _dtype([part for part in _old_parts(old_flags) if palette or part[0] != "palette_skin"])


def flags_of(names: Sequence[str]) -> int:
    """Return the flags of a buffer with some slots.

    Raises:
        EditError: A name is no slot.
    """
    flags = 0
    for name in names:
        if name not in SLOTS:
            raise EditError("unknown vertex slot", expected=", ".join(SLOTS), found=name)
        flags |= 1 << SLOTS.index(name)
    return flags
