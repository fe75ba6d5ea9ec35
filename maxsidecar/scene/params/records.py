"""Records of ParamBlock2: one parameter each, in four generations.

``u16 id, u32 type, flags`` (32 bits in the oldest generation, 64 bits since), in the newest one a
``u32`` asset type; then one element, or for a table ``u8 flag, u32 count`` and its elements.  An
element is ``u8 flag``, then the value when the flag says that it is constant.  (Measured: every
record of the corpus, see docs/format/parameters.md.)
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Any, Final, TypeAlias

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import I32, U8, U16, U32, U64, Codec
from maxsidecar.io.headers import Buffer
from maxsidecar.scene.params.types import ASSET, TAB, TYPES, Kind, ParamType

__all__ = [
    "ANIMATABLE",
    "CONSTANT",
    "OWNER_REFERENCE",
    "RECORDS",
    "Element",
    "ParamRecord",
    "RecordCodec",
    "TextForm",
    "slot_count",
    "takes_slot",
]

#: Element flag: the value follows; without it a controller gives the value.
CONSTANT: Final = 0x40
#: Element flag: the element can be animated; it equals bit 0 of the record's flags (measured).
ANIMATED: Final = 0x80
#: Record flag: the parameter can be animated.
ANIMATABLE: Final = 0x1
#: Record flag: a reference that the owner holds itself; the value is a storage index.
OWNER_REFERENCE: Final = 0x100

#: Flag and stored value; the value is ``None`` where no bytes follow the flag, and for the null
#: string.
Element: TypeAlias = tuple[int, Any]

_TAB_HEAD = Struct("<BI")
_NULL: Final = -1
_IN_ASSET_TABLE: Final = -2

#: Records up to this many bytes are remembered, and how many of them.
_REMEMBERED: Final = 40
_MOST_REMEMBERED: Final = 8192


@dataclass(frozen=True, slots=True)
class ParamRecord:
    """One parameter as it is stored.

    Attributes:
        id: Parameter id, unique in the block.
        type: Type code, with the tab bit.
        flags: Flags; see :data:`ANIMATABLE` and :data:`OWNER_REFERENCE`, the rest is kept.
        elements: Flag and value; one, or as many as the table is long.
        tab_flag: The table's own flag byte, ``None`` for a single value.
        asset_type: Kind of asset in the newest generation, else ``None``.
    """

    id: int
    type: int
    flags: int
    elements: tuple[Element, ...]
    tab_flag: int | None = None
    asset_type: int | None = None

    @property
    def kind(self) -> ParamType:
        """The type without the tab bit."""
        return TYPES[self.type & ~TAB]


def takes_slot(record: ParamRecord, element: Element) -> bool:
    """Return whether an element's target stands in the block's own reference list.

    It does when it is controlled, or a reference that the owner does not hold (measured: such
    elements are exactly as many as the list has slots, in every block).
    """
    if not element[0] & CONSTANT:
        return True
    return record.kind.kind is Kind.REFERENCE and not record.flags & OWNER_REFERENCE


def slot_count(record: ParamRecord) -> int:
    """Return how many reference slots the elements of a record take."""
    if record.kind.kind is Kind.REFERENCE and not record.flags & OWNER_REFERENCE:
        return len(record.elements)
    return sum(not element[0] & CONSTANT for element in record.elements)


class TextForm:
    """How a generation stores text: UTF-16, or 8-bit in the code page of the scene."""

    def __init__(self, encoding: str | None) -> None:
        """Choose the Python codec of 8-bit text, ``None`` for UTF-16."""
        self.encoding = encoding or "utf-16-le"
        self.errors = "surrogateescape" if encoding else "surrogatepass"
        self.end = b"\0" if encoding else b"\0\0"

    def decode(self, raw: bytes) -> str | bytes:
        """Return the text in front of the NUL; the bytes when they are not such a text."""
        end = self.end
        if raw.endswith(end) and len(raw) % len(end) == 0:
            body = raw[: -len(end)]
            try:
                text = body.decode(self.encoding, self.errors)
                if text.encode(self.encoding, self.errors) == body:
                    return text
            except UnicodeError:
                pass
        return raw

    def encode(self, value: str | bytes) -> bytes:
        """Return the bytes, NUL included.

        Raises:
            EditError: The text is not in the code page.
        """
        if isinstance(value, bytes):
            return value
        try:
            return value.encode(self.encoding, self.errors) + self.end
        except UnicodeEncodeError as error:
            bad = value[error.start : error.end]
            raise EditError(f"{bad!r} cannot be written in {self.encoding}") from None


@dataclass(frozen=True, slots=True)
class Generation:
    """Layout of one generation of records.

    Attributes:
        head: Layout of what stands in front of the elements.
        wide: Strings are UTF-16.
        flags: Check of the flags.
        asset_type: Whether the head ends with an asset type.
    """

    head: Struct
    wide: bool
    flags: Any
    asset_type: bool = False


#: Generations by chunk id.
RECORDS: Final = {
    0x000A: Generation(Struct("<HII"), False, U32),
    0x000E: Generation(Struct("<HIQ"), False, U64),
    0x100E: Generation(Struct("<HIQ"), True, U64),
    0x200E: Generation(Struct("<HIQI"), True, U64, asset_type=True),
}


class RecordCodec(Codec[ParamRecord]):
    """One record of a generation.

    Args:
        chunk_id: Which generation.
        encoding: Python codec of 8-bit text.
    """

    kind = "parameter"

    def __init__(self, chunk_id: int, encoding: str = "cp1252") -> None:
        """Choose the generation."""
        self.generation = RECORDS[chunk_id]
        self.text = TextForm(None if self.generation.wide else encoding)
        # Most records of a scene repeat, and a record never changes.
        self._known: dict[bytes, ParamRecord] = {}

    def decode(self, data: Buffer) -> ParamRecord:
        """Return the record.

        Raises:
            DecodeError: Unknown type, or the bytes do not end where the record does.
        """
        if len(data) > _REMEMBERED:
            return self._decode(data)
        key = bytes(data)
        record = self._known.get(key)
        if record is None:
            record = self._decode(data)
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[key] = record
        return record

    def _decode(self, data: Buffer) -> ParamRecord:
        head = self.generation.head
        pos, size = head.size, len(data)
        if size <= pos:
            raise _cut(pos + 1, size)
        param_id, code, flags, *rest = head.unpack_from(data)
        asset_type = rest[0] if rest else None
        kind = TYPES.get(code & ~TAB)
        if kind is None:
            raise DecodeError("unknown parameter type", found=f"{code:#x}")
        tab_flag: int | None = None
        count = 1
        if code & TAB:
            if size - pos < _TAB_HEAD.size:
                raise _cut(pos + _TAB_HEAD.size, size)
            tab_flag, count = _TAB_HEAD.unpack_from(data, pos)
            pos += _TAB_HEAD.size
            if count > size - pos:  # every element takes a byte at least
                raise DecodeError("a table is cut off", expected=count, found=size - pos)
        stored = kind if kind.kind is not Kind.VOID and _has_bytes(kind, flags) else None
        elements, pos = self._elements(data, pos, count, stored)
        if pos != size:
            raise DecodeError("bytes are left over behind a parameter", expected=pos, found=size)
        return ParamRecord(param_id, code, flags, elements, tab_flag, asset_type)

    def _elements(
        self, data: Buffer, pos: int, count: int, stored: ParamType | None
    ) -> tuple[tuple[Element, ...], int]:
        """Read ``count`` elements; ``stored`` is ``None`` when no value follows a flag."""
        out: list[Element] = []
        size = len(data)
        layout = stored.layout if stored is not None else None
        for _ in range(count):
            if pos >= size:
                raise _cut(pos + 1, size)
            flag = data[pos]
            pos += 1
            value: Any = None
            if stored is None or not flag & CONSTANT:
                pass
            elif layout is None:
                value, pos = self._text(data, pos)
            elif size - pos < layout.size:
                raise _cut(pos + layout.size, size)
            else:
                value = stored.unpack(data, pos)
                pos += layout.size
            out.append((flag, value))
        return tuple(out), pos

    def _text(self, data: Buffer, pos: int) -> tuple[Any, int]:
        if len(data) - pos < 4:
            raise _cut(pos + 4, len(data))
        length = int.from_bytes(data[pos : pos + 4], "little", signed=True)
        pos += 4
        if length == _NULL:
            return None, pos
        if length == _IN_ASSET_TABLE:
            return ASSET, pos
        if not 0 <= length <= len(data) - pos:
            raise DecodeError("a text is cut off", expected=length, found=len(data) - pos)
        return self.text.decode(bytes(data[pos : pos + length])), pos + length

    def encode(self, value: ParamRecord) -> bytes:
        """Return the bytes.

        Raises:
            EditError: A value does not fit.
        """
        kind = TYPES.get(value.type & ~TAB)
        if kind is None:
            raise EditError("unknown parameter type", found=f"{value.type:#x}")
        pieces = [self._head(value)]
        if value.tab_flag is not None:
            U8.check(value.tab_flag, "flag")
            U32.check(len(value.elements), "number of values")
            pieces.append(_TAB_HEAD.pack(value.tab_flag, len(value.elements)))
        elif len(value.elements) != 1:
            raise EditError("wrong number of values", expected=1, found=len(value.elements))
        stored = kind.kind is not Kind.VOID and _has_bytes(kind, value.flags)
        for flag, item in value.elements:
            U8.check(flag, "flag")
            pieces.append(bytes((flag,)))
            if stored and flag & CONSTANT:
                pieces.append(self._value(kind, item))
            elif item is not None:
                raise EditError("a value where none is stored", found=type(item).__name__)
        return b"".join(pieces)

    def _head(self, value: ParamRecord) -> bytes:
        U16.check(value.id, "id")
        U32.check(value.type, "type")
        if (value.tab_flag is not None) != bool(value.type & TAB):
            raise EditError("a table and its type disagree")
        self.generation.flags.check(value.flags, "flags")
        numbers = [value.id, value.type, value.flags]
        if (value.asset_type is not None) != self.generation.asset_type:
            raise EditError("an asset type of another generation", found=value.asset_type)
        if value.asset_type is not None:
            U32.check(value.asset_type, "asset type")
            numbers.append(value.asset_type)
        return self.generation.head.pack(*numbers)

    def _value(self, kind: ParamType, value: Any) -> bytes:
        if kind.kind is not Kind.TEXT:
            kind.check(value)
            return kind.pack(value)
        if value is None or value is ASSET:
            return (_NULL if value is None else _IN_ASSET_TABLE).to_bytes(4, "little", signed=True)
        if not isinstance(value, str | bytes):
            raise EditError("not text", found=type(value).__name__)
        body = self.text.encode(value)
        I32.check(len(body), "length of the text")
        return len(body).to_bytes(4, "little") + body


def _has_bytes(kind: ParamType, flags: int) -> bool:
    """Return whether a constant element is followed by a value: own references are not."""
    return kind.kind is not Kind.REFERENCE or bool(flags & OWNER_REFERENCE)


def _cut(expected: int, found: int) -> DecodeError:
    return DecodeError("a parameter is cut off", expected=f"{expected} bytes", found=found)
