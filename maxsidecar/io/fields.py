"""Records: one declaration of named fields decodes, encodes and documents.

A :class:`Record` is a value made of named fields in a row::

    class NodeParent(Record):
        '''Parent link of a scene node.'''

        parent: int = u32(doc="storage index of the parent node")
        flags: int = u32(doc="node flags")

The codecs of :mod:`maxsidecar.io.codecs` are handed on here, since declarations need both.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, ClassVar, Self, TypeVar, cast, dataclass_transform

from maxsidecar.errors import EditError
from maxsidecar.io.codecs import (
    F32,
    GUID,
    I32,
    MARK,
    RAW,
    U8,
    U16,
    U32,
    U64,
    UTF16,
    Array,
    Bytes,
    Codec,
    Empty,
    Fixed,
    Guid,
    Text8,
    Text16,
    wrong_size,
)
from maxsidecar.io.headers import Buffer

__all__ = [
    "F32",
    "GUID",
    "I32",
    "MARK",
    "RAW",
    "U8",
    "U16",
    "U32",
    "U64",
    "UTF16",
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

R = TypeVar("R", bound="Record")


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


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(u8, u16, u32, u64, i32, f32)
)
class Record:
    """Named numbers in a row; subclasses declare them as class attributes.

    A record is a value: it cannot be changed in place, since that would not reach the file.  Use
    :meth:`replace`, and assign the result to the attribute that the record came from.
    """

    fields: ClassVar[dict[str, RecordField]] = {}
    nbytes: ClassVar[int] = 0
    _struct: ClassVar[Struct] = Struct("<")

    def __init_subclass__(cls) -> None:
        """Collect the fields, those of the base class first, and compile the layout."""
        super().__init_subclass__()
        own = {k: v for k, v in vars(cls).items() if isinstance(v, RecordField)}
        for name, field in own.items():
            if not isinstance(field.codec, Fixed) or hasattr(Record, name):
                raise TypeError(f"{cls.__name__}.{name} cannot be a field of a record")
        cls.fields = {**cls.fields, **own}
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
            raise wrong_size(cls.__name__, cls.nbytes, len(data))
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
            cast("Fixed[Any]", field.codec).check(value, field.name)
        return self._struct.pack(*values)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return type(self)(**{**self.__dict__, **changes})

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a change in place would not reach the file."""
        raise AttributeError(f"{type(self).__name__} is a value; use replace({name}=...)")

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
