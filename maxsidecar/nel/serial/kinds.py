"""Kinds of single values: text, magics, versions, track defaults; numbers are handed on.

Numbers are in :mod:`maxsidecar.nel.serial.numbers`, kinds of many values in
:mod:`maxsidecar.nel.serial.arrays` and :mod:`maxsidecar.nel.serial.containers`.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final, SupportsIndex, TypeVar

from maxsidecar.errors import EditError
from maxsidecar.nel.serial.numbers import (
    BOOL,
    F32,
    I8,
    I16,
    I32,
    QUAT,
    RGBA,
    RGBAF,
    U8,
    U16,
    U32,
    U64,
    UV,
    VEC2,
    VEC3,
    VEC4,
    Bool,
    Enum,
    Float,
    Integer,
    Kind,
    OddFloat,
    Rgba,
    Row,
    Vec2,
    Vec3,
    Vec4,
    plain_float,
    unfit,
)
from maxsidecar.nel.serial.stream import Reader, Writer

__all__ = [
    "BOOL",
    "F32",
    "I8",
    "I16",
    "I32",
    "MAX_STRING",
    "QUAT",
    "RGBA",
    "RGBAF",
    "STRING",
    "U8",
    "U16",
    "U32",
    "U64",
    "UV",
    "VEC2",
    "VEC3",
    "VEC4",
    "Bool",
    "Enum",
    "Float",
    "Integer",
    "Kind",
    "Magic",
    "OddFloat",
    "Rgba",
    "Row",
    "String",
    "Tracked",
    "Vec2",
    "Vec3",
    "Vec4",
    "Version",
    "plain_float",
    "unfit",
]

T = TypeVar("T")

#: Bytes of a string; the game refuses longer ones.
MAX_STRING: Final = 1_000_000

_U32 = Struct("<I")


class String(Kind[str]):
    """Text: 32-bit length in bytes, then the bytes, without an end mark.

    Taken as UTF-8; bytes that are none become half surrogates, and the same bytes when written.
    """

    least = 4
    label = "string"
    initial = ""

    def read(self, reader: Reader) -> str:
        """Return the text."""
        at = reader.take(4)
        (size,) = _U32.unpack_from(reader.data, at)
        if size > MAX_STRING:
            raise reader.fail("a string is too long", f"up to {MAX_STRING} bytes", size, at)
        start = reader.take(size)
        return reader.data[start : start + size].decode("utf-8", "surrogateescape")

    def write(self, writer: Writer, value: str) -> None:
        """Append the text."""
        if not isinstance(value, str):
            raise unfit(self.label, value)
        try:
            raw = value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise unfit("text without half surrogates", value) from None
        if len(raw) > MAX_STRING:
            raise EditError("the text is too long", expected=f"up to {MAX_STRING}", found=len(raw))
        writer.out += _U32.pack(len(raw))
        writer.out += raw


STRING = String()


class Magic(Kind[bytes]):
    """Bytes that are always the same."""

    def __init__(self, value: bytes) -> None:
        """Take the bytes in the order of the file."""
        self.initial = value
        self.least = len(value)
        self.label = f"`{value.decode('ascii')}`"

    def read(self, reader: Reader) -> bytes:
        """Return the bytes."""
        start = reader.take(self.least)
        found = reader.data[start : reader.pos]
        if found != self.initial:
            raise reader.fail("wrong magic", self.initial, found, start)
        return found

    def write(self, writer: Writer, value: bytes) -> None:
        """Append the bytes."""
        if value != self.initial:
            raise unfit(self.label, value)
        writer.out += value

    def plain(self, value: bytes) -> Any:
        """Return the bytes as text."""
        return value.decode("ascii")


class Version(Kind[int]):
    """One byte that says which fields follow.

    A version of 255 or more would be the byte 0xFF and 32 more bits; no class has one.

    Attributes:
        newest: The newest that is known; the game refuses what is newer than itself.
        oldest: The oldest that the game reads.
    """

    least = 1
    label = "version"

    def __init__(self, newest: int, oldest: int = 0, default: int | None = None) -> None:
        """Take the versions; new objects have the newest unless ``default`` is another."""
        self.newest = newest
        self.oldest = oldest
        self.initial = newest if default is None else default

    def read(self, reader: Reader) -> int:
        """Return the version."""
        at = reader.take(1)
        value = reader.data[at]
        if self.oldest <= value <= self.newest:
            return value
        if value == 0xFF:
            (value,) = _U32.unpack_from(reader.data, reader.take(4))
        if value > self.newest:
            expected = f"up to {self.newest}"
            raise reader.fail("the version is newer than any that is known", expected, value, at)
        if value < self.oldest:
            message = "the version is too old, the game refuses it as well"
            raise reader.fail(message, f"at least {self.oldest}", value, at)
        raise reader.fail("a version has 32 bits that fits 8", "1 byte", "5 bytes", at)

    def write(self, writer: Writer, value: Any) -> None:
        """Append the version."""
        if not isinstance(value, SupportsIndex) or not self.oldest <= int(value) <= self.newest:
            raise unfit(f"version {self.oldest} to {self.newest}", value)
        writer.out.append(int(value))


class Tracked(Kind[T]):
    """A value behind a version byte of its own, always 0: the default of a track."""

    def __init__(self, kind: Kind[T], initial: Any = None) -> None:
        """Take the kind of the value."""
        self.kind = kind
        self.version = Version(0)
        self.least = 1 + kind.least
        self.label = f"version 0, {kind.label}"
        self.initial = kind.initial if initial is None else initial

    def read(self, reader: Reader) -> T:
        """Return the value."""
        self.version.read(reader)
        return self.kind.read(reader)

    def write(self, writer: Writer, value: T) -> None:
        """Append the value."""
        writer.out.append(0)
        self.kind.write(writer, value)

    def plain(self, value: T) -> Any:
        """Return what the value's kind does."""
        return self.kind.plain(value)
