"""What a ParamBlock2 keeps beside its parameters: header, aliases, map slots, rollout states.

(Measured on every block of the corpus, see docs/format/parameters.md.)
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final, Generic, NamedTuple, TypeVar

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import I32, U16, U32, Codec, Fixed
from maxsidecar.io.fields import Record, i32, u16, u32
from maxsidecar.io.headers import Buffer
from maxsidecar.scene.params.records import TextForm

__all__ = [
    "MAP_SLOTS_BY_ID",
    "MAP_SLOTS_BY_POSITION",
    "ROLLOUTS",
    "Alias",
    "AliasCodec",
    "BlockHeader",
    "BlockHeaderById",
    "MapSlot",
    "Rollout",
    "RowsCodec",
]

_U32 = Struct("<I")
_ALIAS_END = Struct("<Hi")


class BlockHeader(Record):
    """Identity of a block whose owner's class is in the class directory."""

    class_index: int = u32(doc="class directory index of the owner's class")
    block_id: int = u16(doc="number of the block among those of its owner")
    version: int = u32(doc="version of the block's description")
    count: int = u16(doc="number of parameters")
    owner: int = i32(doc="storage index of the owner, -1 none")


class BlockHeaderById(Record):
    """Identity of a block that names the owner's class by its ids."""

    class_a: int = u32(doc="first half of the owner's class id")
    class_b: int = u32(doc="second half of the owner's class id")
    superclass: int = u32(doc="superclass of the owner")
    block_id: int = u16(doc="number of the block among those of its owner")
    version: int = u32(doc="version of the block's description")
    count: int = u16(doc="number of parameters")
    owner: int = i32(doc="storage index of the owner, -1 none")


class MapSlot(NamedTuple):
    """Which sub-map or sub-material of the owner a parameter is.

    Attributes:
        parameter: Parameter id, or position of the record, by the chunk that it is from.
        reference: Reference slot of the owner, 0 when it has none.
        sub: Number of the sub-map or sub-material.
    """

    parameter: int
    reference: int
    sub: int


class Rollout(NamedTuple):
    """State of a rollout of the user interface.

    Attributes:
        opened: 1 when it is open.
        second: Meaning unknown; kept.
        third: Meaning unknown, often not initialised; kept.
    """

    opened: int
    second: int
    third: int


R = TypeVar("R", MapSlot, Rollout)


class RowsCodec(Codec[tuple[R, ...]], Generic[R]):
    """``u32`` number of rows, then the rows, to the end of the chunk.

    Args:
        row: Named tuple of a row.
        fields: Codecs of its numbers.
        kind: Name for messages.
    """

    def __init__(self, row: type[R], fields: tuple[Fixed[int], ...], kind: str) -> None:
        """Compile the layout of a row."""
        self.row: type[R] = row
        self.fields = fields
        self.kind = kind
        self._struct = Struct("<" + "".join(field.fmt or "" for field in fields))

    def decode(self, data: Buffer) -> tuple[R, ...]:
        """Return the rows.

        Raises:
            DecodeError: Their number and the size of the chunk disagree.
        """
        width = self._struct.size
        size = len(data)
        count = _U32.unpack_from(data)[0] if size >= 4 else 0
        if size != 4 + count * width:
            raise DecodeError(
                f"{self.kind} has the wrong size", expected=f"4 + {count} * {width}", found=size
            )
        return tuple(self.row(*numbers) for numbers in self._struct.iter_unpack(data[4:]))

    def encode(self, value: tuple[R, ...]) -> bytes:
        """Return the bytes.

        Raises:
            EditError: A number is out of range.
        """
        U32.check(len(value), "number of rows")
        pieces = [_U32.pack(len(value))]
        for row in value:
            for field, number, name in zip(self.fields, row, self.row._fields, strict=True):
                field.check(number, name)
            pieces.append(self._struct.pack(*row))
        return b"".join(pieces)


#: Chunk 0x0012: rows name a parameter by the position of its record.
MAP_SLOTS_BY_POSITION: Final = RowsCodec(MapSlot, (U32, U16, U16), "map slots")
#: Chunk 0x0013: rows name a parameter by its id.
MAP_SLOTS_BY_ID: Final = RowsCodec(MapSlot, (U16, U16, U16), "map slots")
#: Chunk 0x000c.
ROLLOUTS: Final = RowsCodec(Rollout, (U16, U16, U16), "rollout states")


class Alias(NamedTuple):
    """A name that the file gives to a parameter, or to one value of a table.

    Attributes:
        name: The name; bytes where it is no text that ends in a NUL.
        parameter: Parameter id.
        position: Position in the table, -1 for the whole parameter.
    """

    name: str | bytes
    parameter: int
    position: int


class AliasCodec(Codec[tuple[Alias, ...]]):
    """``u32`` count, then ``u32`` size of the name in bytes, name, ``u16`` id, ``i32`` index.

    Args:
        wide: Names are UTF-16.
        encoding: Python codec of 8-bit names.
    """

    kind = "aliases"

    def __init__(self, wide: bool, encoding: str = "cp1252") -> None:
        """Choose the form of the names."""
        self.text = TextForm(None if wide else encoding)

    def decode(self, data: Buffer) -> tuple[Alias, ...]:
        """Return the aliases.

        Raises:
            DecodeError: The chunk does not end where the last one does.
        """
        size = len(data)
        if size < 4:
            raise DecodeError("aliases are cut off", expected=4, found=size)
        (count,) = _U32.unpack_from(data)
        pos = 4
        if count > (size - pos) // (4 + _ALIAS_END.size):
            raise DecodeError("aliases are cut off", expected=f"{count} names", found=size)
        out: list[Alias] = []
        for _ in range(count):
            left = size - pos - 4 - _ALIAS_END.size
            length = _U32.unpack_from(data, pos)[0] if left >= 0 else 0
            if length > left:
                raise DecodeError("an alias is cut off", expected=length, found=left)
            name = self.text.decode(bytes(data[pos + 4 : pos + 4 + length]))
            pos += 4 + length
            out.append(Alias(name, *_ALIAS_END.unpack_from(data, pos)))
            pos += _ALIAS_END.size
        if pos != size:
            raise DecodeError("bytes are left over behind the aliases", expected=pos, found=size)
        return tuple(out)

    def encode(self, value: tuple[Alias, ...]) -> bytes:
        """Return the bytes.

        Raises:
            EditError: A name or number cannot be stored.
        """
        pieces: list[bytes] = [_U32.pack(len(value))]
        for name, parameter, position in value:
            if not isinstance(name, str | bytes):
                raise EditError("not text", found=type(name).__name__)
            body = self.text.encode(name)
            U16.check(parameter, "parameter id")
            I32.check(position, "position")
            pieces += (_U32.pack(len(body)), body, _ALIAS_END.pack(parameter, position))
        return b"".join(pieces)

    def schema(self) -> dict[str, Any]:
        """Return the schema of a list."""
        return {"type": "array"}
