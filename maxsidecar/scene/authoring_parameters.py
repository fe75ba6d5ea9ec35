"""Parameter blocks of new objects: records of ParamBlock2, and the old kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from maxsidecar.scene.authoring_chunks import ChunkTree, check_finite, pack_values
from maxsidecar.scene.params.records import ANIMATABLE, ANIMATED, CONSTANT, ParamRecord, RecordCodec
from maxsidecar.scene.params.tables import Alias, AliasCodec
from maxsidecar.scene.params.types import TAB

__all__ = [
    "HEADER",
    "RECORD",
    "OldEntry",
    "aliases",
    "block_header",
    "old_block",
    "old_float",
    "old_int",
    "record",
    "rollout",
    "table",
]

#: Chunk ids of a block's header and of one record, in releases 3 to 8.
HEADER: Final = 0x0009
RECORD: Final = 0x000A
#: Version of every block of a program's own class in release 6 (measured).
_VERSION: Final = 0x17700D00

_RECORDS: Final = RecordCodec(RECORD)
_ALIASES: Final = AliasCodec(wide=False)

#: A parameter of an old block: chunk id of the value, value, and whether it can be animated.
OldEntry: TypeAlias = tuple[int, bytes, bool]


def record(number: int, code: int, flags: int, value: Any) -> ChunkTree:
    """Return a parameter with a constant value.

    Args:
        number: Parameter id.
        code: Its type, see :data:`~maxsidecar.scene.params.types.TYPES`.
        flags: Its flags.
        value: The stored value.

    Raises:
        EditError: The value does not fit the type, or is no finite number.
    """
    check_finite(value if isinstance(value, tuple) else (value,))
    mark = CONSTANT | (ANIMATED if flags & ANIMATABLE else 0)
    return RECORD, _RECORDS.encode(ParamRecord(number, code, flags, ((mark, value),)))


def table(number: int, code: int, flags: int, values: Sequence[Any]) -> ChunkTree:
    """Return a table of constant values; ``code`` is the type of one of them.

    Raises:
        EditError: A value does not fit the type, or text the code page 1252.
    """
    for value in values:
        check_finite(value if isinstance(value, tuple) else (value,))
    elements = tuple((CONSTANT, value) for value in values)
    return RECORD, _RECORDS.encode(ParamRecord(number, code | TAB, flags, elements, 0))


def aliases(rows: Sequence[tuple[str, int, int]]) -> ChunkTree:
    """Return names of table values: name, parameter id, position."""
    return 0x0005, _ALIASES.encode(tuple(Alias(*row) for row in rows))


def rollout(first: int) -> ChunkTree:
    """Return the state of one rollout; ``first`` is 1 for the first block of most owners."""
    return 0x000C, pack_values("I3H", 1, first, 0, 0)


def block_header(class_index: int, number: int, count: int, owner: int) -> ChunkTree:
    """Return the header of a block.

    Args:
        class_index: Class directory index of the owner's class.
        number: Number of the block among those of its owner.
        count: Number of parameters.
        owner: Storage index of the owner.
    """
    return HEADER, pack_values("IHIHi", class_index, number, _VERSION, count, owner)


def old_block(version: int, *entries: OldEntry) -> list[ChunkTree]:
    """Return an old-style parameter block."""
    chunks: list[ChunkTree] = [
        (0x0001, pack_values("I", len(entries))),
        (0x0005, pack_values("H", version)),
    ]
    for number, (value_id, value, animatable) in enumerate(entries):
        mark: list[ChunkTree] = [(0x0004, b"")] if animatable else []
        chunks.append((0x0002, [(0x0003, pack_values("I", number)), *mark, (value_id, value)]))
    return chunks


def old_float(value: float, animatable: bool = True) -> OldEntry:
    """Return a number for an old block."""
    return 0x0100, pack_values("f", value), animatable


def old_int(value: int, animatable: bool = True) -> OldEntry:
    """Return a whole number for an old block."""
    return 0x0101, pack_values("i", value), animatable
