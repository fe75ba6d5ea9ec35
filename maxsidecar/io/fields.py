"""Value codecs and records: one declaration decodes, encodes and documents.

A :class:`Codec` turns the bytes of a leaf chunk into a value and back.  A :class:`Record` is a
codec made of named fields in a row::

    class NodeParent(Record):
        '''Parent link of a scene node.'''

        parent: int = u32(doc="storage index of the parent node")
        flags: int = u32(doc="node flags")

A decode is trusted only when encoding its value gives the same bytes: use
:meth:`Codec.verified`, which refuses with :class:`~maxsidecar.errors.DecodeError` otherwise.
"""

from __future__ import annotations

import uuid
from struct import Struct
from typing import Any, ClassVar, Generic, Self, TypeVar, cast, dataclass_transform

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.chunks import Buffer

__all__ = [
    "Array",
    "Bytes",
    "Codec",
    "Empty",
    "Fixed",
    "Guid",
    "Record",
    "RecordField",
    "Text8",
    "Text16",
    "f32",
    "i32",
    "record_codec",
    "u8",
    "u16",
    "u32",
    "u64",
]

T = TypeVar("T")
R = TypeVar("R", bound="Record")


class Codec(Generic[T]):
    """Bytes of a whole leaf to a value and back.

    Attributes:
        size: Number of bytes when it is always the same, else ``None``.
        kind: Short name for tables and messages.
        fmt: ``struct`` code when the value is one number, else ``None``.
    """

    size: int | None = None
    kind: str = "bytes"
    fmt: str | None = None

    def decode(self, data: Buffer) -> T:
        """Return the value of exactly these bytes.

        Raises:
            DecodeError: The bytes do not have this layout.
        """
        raise NotImplementedError

    def encode(self, value: T) -> bytes:
        """Return the bytes of a value.

        Raises:
            EditError: The value cannot be stored in this layout.
        """
        raise NotImplementedError

    def verified(self, data: Buffer) -> T:
        """Decode, encode again and compare.

        Raises:
            DecodeError: The bytes do not have this layout, or would not be written the same.
        """
        value = self.decode(data)
        try:
            again = self.encode(value)
        except EditError as error:
            raise DecodeError(f"the {self.kind} would not be written the same") from error
        if again != data:
            raise DecodeError(
                f"the {self.kind} would not be written the same",
                expected=_short(data),
                found=_short(again),
            )
        return value

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the value."""
        return {}


def _short(data: Buffer) -> str:
    text = bytes(data[:16]).hex()
    return f"{text}... ({len(data)} bytes)" if len(data) > 16 else text or "nothing"


def _wrong_size(kind: str, expected: object, found: int) -> DecodeError:
    return DecodeError(f"{kind} has the wrong size", expected=f"{expected} bytes", found=found)


class Bytes(Codec[bytes]):
    """Any bytes, as they are."""

    def __init__(self, size: int | None = None) -> None:
        """Accept any number of bytes, or exactly ``size``."""
        self.size = size

    def decode(self, data: Buffer) -> bytes:
        """Return the bytes."""
        if self.size is not None and len(data) != self.size:
            raise _wrong_size(self.kind, self.size, len(data))
        return bytes(data)

    def encode(self, value: bytes) -> bytes:
        """Return the bytes."""
        if self.size is not None and len(value) != self.size:
            raise EditError("wrong number of bytes", expected=self.size, found=len(value))
        return bytes(value)

    def schema(self) -> dict[str, Any]:
        """Return the schema of hex text."""
        return {"type": "string", "pattern": "^hex:([0-9a-f]{2})*$"}


class Empty(Codec[bool]):
    """A chunk without a body: its presence is the value."""

    size = 0
    kind = "marker"

    def decode(self, data: Buffer) -> bool:
        """Return ``True``; there must be no bytes."""
        if len(data):
            raise _wrong_size(self.kind, 0, len(data))
        return True

    def encode(self, value: bool) -> bytes:
        """Return no bytes."""
        return b""

    def schema(self) -> dict[str, Any]:
        """Return the schema of a boolean."""
        return {"type": "boolean"}


class Fixed(Codec[T]):
    """One number of a fixed size.

    Args:
        fmt: ``struct`` code without byte order.
        kind: Name such as ``u32``.
    """

    _INTS: ClassVar[dict[str, tuple[int, int]]] = {
        "B": (0, 0xFF),
        "b": (-0x80, 0x7F),
        "H": (0, 0xFFFF),
        "h": (-0x8000, 0x7FFF),
        "I": (0, 0xFFFFFFFF),
        "i": (-0x80000000, 0x7FFFFFFF),
        "Q": (0, 0xFFFFFFFFFFFFFFFF),
        "q": (-(2**63), 2**63 - 1),
    }

    def __init__(self, fmt: str, kind: str) -> None:
        """Compile the layout."""
        self.fmt = fmt
        self.kind = kind
        self._struct = Struct("<" + fmt)
        self.size = self._struct.size

    def decode(self, data: Buffer) -> T:
        """Return the number."""
        if len(data) != self.size:
            raise _wrong_size(self.kind, self.size, len(data))
        return cast(T, self._struct.unpack(data)[0])

    def encode(self, value: T) -> bytes:
        """Return the number's bytes, after a range check."""
        self.check(value)
        return self._struct.pack(value)

    def check(self, value: T) -> None:
        """Refuse a value that does not fit.

        Raises:
            EditError: Wrong type or out of range.
        """
        limits = self._INTS.get(self.fmt or "")
        if limits is None:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise EditError("not a number", expected=self.kind, found=repr(value))
            if abs(value) > 3.4028235677973366e38 and abs(value) != float("inf"):
                raise EditError("number out of range", expected=self.kind, found=value)
            return
        if isinstance(value, bool) or not isinstance(value, int):
            raise EditError("not a whole number", expected=self.kind, found=repr(value))
        if not limits[0] <= value <= limits[1]:
            raise EditError(
                "number out of range", expected=f"{limits[0]} to {limits[1]}", found=value
            )

    def schema(self) -> dict[str, Any]:
        """Return the schema of the number, with its range."""
        limits = self._INTS.get(self.fmt or "")
        if limits is None:
            return {"type": "number"}
        return {"type": "integer", "minimum": limits[0], "maximum": limits[1]}


class Text16(Codec[str]):
    """UTF-16LE text without a terminator, as names are stored in all releases (measured)."""

    kind = "UTF-16 text"

    def decode(self, data: Buffer) -> str:
        """Return the text; unpaired surrogates survive."""
        if len(data) % 2:
            raise _wrong_size(self.kind, "an even number of", len(data))
        return str(data, "utf-16-le", "surrogatepass")

    def encode(self, value: str) -> bytes:
        """Return the text's bytes."""
        if not isinstance(value, str):
            raise EditError("not text", expected=self.kind, found=repr(value))
        return value.encode("utf-16-le", "surrogatepass")

    def schema(self) -> dict[str, Any]:
        """Return the schema of text."""
        return {"type": "string"}


class Text8(Codec[str]):
    """8-bit text in a code page, optionally ended by a NUL that is not part of the value."""

    kind = "8-bit text"

    def __init__(self, encoding: str = "cp1252", *, terminated: bool = False) -> None:
        """Choose the code page and whether a NUL ends the text."""
        self.encoding = encoding
        self.terminated = terminated

    def decode(self, data: Buffer) -> str:
        """Return the text."""
        body = bytes(data)
        if self.terminated:
            if body[-1:] != b"\0":
                raise DecodeError("the text has no terminating NUL")
            body = body[:-1]
        try:
            return body.decode(self.encoding)
        except UnicodeDecodeError as error:
            raise DecodeError(f"the text is not {self.encoding}: {error.reason}") from None

    def encode(self, value: str) -> bytes:
        """Return the text's bytes."""
        if not isinstance(value, str):
            raise EditError("not text", expected=self.kind, found=repr(value))
        try:
            body = value.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise EditError(
                f"{value[error.start : error.end]!r} cannot be written in {self.encoding}"
            ) from None
        return body + b"\0" if self.terminated else body

    def schema(self) -> dict[str, Any]:
        """Return the schema of text."""
        return {"type": "string"}


class Guid(Codec[uuid.UUID]):
    """A 16-byte GUID in Microsoft byte order."""

    size = 16
    kind = "GUID"

    def decode(self, data: Buffer) -> uuid.UUID:
        """Return the GUID."""
        if len(data) != 16:
            raise _wrong_size(self.kind, 16, len(data))
        return uuid.UUID(bytes_le=bytes(data))

    def encode(self, value: uuid.UUID) -> bytes:
        """Return the 16 bytes."""
        return value.bytes_le

    def schema(self) -> dict[str, Any]:
        """Return the schema of a GUID."""
        return {"type": "string", "format": "uuid"}


class Array(Codec[tuple[T, ...]]):
    """Numbers of one kind side by side, as many as fit, or exactly ``count``."""

    def __init__(self, item: Fixed[T], count: int | None = None) -> None:
        """Choose the item and, for a fixed array, how many."""
        self.item = item
        self.count = count
        self.kind = f"{item.kind}[{'' if count is None else count}]"
        self._width = item.size or 1
        self.size = None if count is None else self._width * count

    def decode(self, data: Buffer) -> tuple[T, ...]:
        """Return the numbers."""
        count, rest = divmod(len(data), self._width)
        if rest or (self.count is not None and count != self.count):
            raise _wrong_size(self.kind, self.size or f"a multiple of {self._width}", len(data))
        return Struct(f"<{count}{self.item.fmt}").unpack(data)

    def encode(self, value: tuple[T, ...]) -> bytes:
        """Return the numbers' bytes."""
        if self.count is not None and len(value) != self.count:
            raise EditError("wrong number of values", expected=self.count, found=len(value))
        for item in value:
            self.item.check(item)
        return Struct(f"<{len(value)}{self.item.fmt}").pack(*value)

    def schema(self) -> dict[str, Any]:
        """Return the schema of an array."""
        schema: dict[str, Any] = {"type": "array", "items": self.item.schema()}
        if self.count is not None:
            schema |= {"minItems": self.count, "maxItems": self.count}
        return schema


class RecordField:
    """One named field of a :class:`Record`.

    Attributes:
        codec: How it is stored.
        doc: One line on meaning and unit, for tables and editors.
        default: Value for new records.
        name: Set by the record class.
    """

    def __init__(self, codec: Codec[Any], doc: str = "", default: Any = None) -> None:
        """Declare the field."""
        self.codec = codec
        self.doc = doc
        self.default = default
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Remember the attribute name."""
        self.name = name


def _number(fmt: str, kind: str, default: Any, doc: str) -> Any:
    return RecordField(Fixed(fmt, kind), doc, default)


def u8(*, default: int = 0, doc: str = "") -> Any:
    """Declare an unsigned byte."""
    return _number("B", "u8", default, doc)


def u16(*, default: int = 0, doc: str = "") -> Any:
    """Declare an unsigned 16-bit field."""
    return _number("H", "u16", default, doc)


def u32(*, default: int = 0, doc: str = "") -> Any:
    """Declare an unsigned 32-bit field."""
    return _number("I", "u32", default, doc)


def u64(*, default: int = 0, doc: str = "") -> Any:
    """Declare an unsigned 64-bit field."""
    return _number("Q", "u64", default, doc)


def i32(*, default: int = 0, doc: str = "") -> Any:
    """Declare a signed 32-bit field."""
    return _number("i", "i32", default, doc)


def f32(*, default: float = 0.0, doc: str = "") -> Any:
    """Declare a 32-bit float field."""
    return _number("f", "f32", default, doc)


@dataclass_transform(kw_only_default=True, field_specifiers=(u8, u16, u32, u64, i32, f32))
class Record:
    """Named fields of fixed size in a row; subclasses declare them as class attributes."""

    fields: ClassVar[dict[str, RecordField]] = {}
    nbytes: ClassVar[int] = 0
    _struct: ClassVar[Struct] = Struct("<")

    def __init_subclass__(cls) -> None:
        """Collect the fields and compile the layout."""
        cls.fields = {k: v for k, v in vars(cls).items() if isinstance(v, RecordField)}
        cls._struct = Struct("<" + "".join(f.codec.fmt or "" for f in cls.fields.values()))
        cls.nbytes = cls._struct.size

    def __init__(self, **values: Any) -> None:
        """Make a record from field values; the rest take their defaults."""
        for name, field in self.fields.items():
            self.__dict__[name] = values.pop(name, field.default)
        if values:
            raise TypeError(f"{type(self).__name__} has no field {next(iter(values))!r}")

    @classmethod
    def decode(cls, data: Buffer) -> Self:
        """Return the record in exactly these bytes.

        Raises:
            DecodeError: The size is not the record's.
        """
        if len(data) != cls.nbytes:
            raise _wrong_size(cls.__name__, cls.nbytes, len(data))
        record = cls.__new__(cls)
        record.__dict__.update(zip(cls.fields, cls._struct.unpack(data), strict=True))
        return record

    def encode(self) -> bytes:
        """Return the record's bytes, after a range check of each field.

        Raises:
            EditError: A value does not fit its field.
        """
        values = [self.__dict__[name] for name in self.fields]
        for field, value in zip(self.fields.values(), values, strict=True):
            cast("Fixed[Any]", field.codec).check(value)
        return self._struct.pack(*values)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return type(self)(**{**self.__dict__, **changes})

    def __eq__(self, other: object) -> bool:
        """Compare by type and values."""
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        """Hash by values."""
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        """Return the fields, for debugging."""
        inner = ", ".join(f"{k}={v!r}" for k, v in self.__dict__.items())
        return f"{type(self).__name__}({inner})"


class _RecordCodec(Codec[R]):
    def __init__(self, record: type[R]) -> None:
        self.record = record
        self.size = record.nbytes
        self.kind = record.__name__

    def decode(self, data: Buffer) -> R:
        return self.record.decode(data)

    def encode(self, value: R) -> bytes:
        if type(value) is not self.record:
            raise EditError("wrong kind of value", expected=self.kind, found=repr(value))
        return value.encode()

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                name: {**field.codec.schema(), **({"description": field.doc} if field.doc else {})}
                for name, field in self.record.fields.items()
            },
            "additionalProperties": False,
        }


def record_codec(record: type[R]) -> Codec[R]:
    """Return the codec of a record class."""
    return _RecordCodec(record)


# The codecs that chunk declarations name most.
U8: Fixed[int] = Fixed("B", "u8")
U16: Fixed[int] = Fixed("H", "u16")
U32: Fixed[int] = Fixed("I", "u32")
U64: Fixed[int] = Fixed("Q", "u64")
I32: Fixed[int] = Fixed("i", "i32")
F32: Fixed[float] = Fixed("f", "f32")
UTF16 = Text16()
RAW = Bytes()
MARK = Empty()
GUID = Guid()
