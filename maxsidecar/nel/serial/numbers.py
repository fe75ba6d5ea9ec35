"""Kinds of numbers, truth values, enumerations, vectors and colours.

A :class:`Kind` reads and writes one value, keeps every bit of it, turns it into plain data for a
dump, and has a label for the reference.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from struct import Struct
from typing import Any, Generic, SupportsIndex, TypeVar

import numpy as np

from maxsidecar.errors import EditError, shorten
from maxsidecar.nel.serial.stream import Reader, Writer

__all__ = [
    "BOOL",
    "F32",
    "I8",
    "I16",
    "I32",
    "QUAT",
    "RGBA",
    "RGBAF",
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
    "OddFloat",
    "Rgba",
    "Row",
    "Vec2",
    "Vec3",
    "Vec4",
    "plain_float",
    "unfit",
]

T = TypeVar("T")
Vec2 = tuple[float, float]
Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]
Rgba = tuple[int, int, int, int]

_U32 = Struct("<I")
_F32 = Struct("<f")


class Kind(Generic[T]):
    """How one value is stored.

    Attributes:
        least: The smallest number of bytes it can have; bounds the counts of containers.
        label: What the reference calls it.
        initial: Value for new objects where the declaration names none.
        stored: Whether it has bytes, or only repeats what the object around says.
    """

    least: int = 0
    label: str = ""
    initial: Any = None
    stored: bool = True

    def read(self, reader: Reader) -> T:
        """Return the value at the reader's position, and step over it."""
        raise NotImplementedError

    def write(self, writer: Writer, value: T) -> None:
        """Append the bytes of a value.

        Raises:
            EditError: The value does not fit.
        """
        raise NotImplementedError

    def plain(self, value: T) -> Any:
        """Return a value as plain data: numbers, text, lists, dicts, arrays."""
        return value

    def fresh(self) -> T:
        """Return the value for new objects."""
        return self.initial  # type: ignore[no-any-return]


def unfit(kind: str, value: object) -> EditError:
    """Return the error about a value that its kind cannot hold."""
    return EditError("the value does not fit", expected=kind, found=shorten(value))


class Integer(Kind[int]):
    """A whole number of a ``struct`` format."""

    initial = 0

    def __init__(self, code: str, label: str) -> None:
        """Take the ``struct`` code, without byte order."""
        self.struct = Struct("<" + code)
        self.least = self.struct.size
        self.label = label

    def read(self, reader: Reader) -> int:
        """Return the number."""
        (value,) = self.struct.unpack_from(reader.data, reader.take(self.least))
        return value  # type: ignore[no-any-return]

    def write(self, writer: Writer, value: int) -> None:
        """Append the number."""
        try:
            writer.out += self.struct.pack(value)
        except struct.error:
            raise unfit(self.label, value) from None


U8 = Integer("B", "u8")
U16 = Integer("H", "u16")
U32 = Integer("I", "u32")
U64 = Integer("Q", "u64")
I8 = Integer("b", "i8")
I16 = Integer("h", "i16")
I32 = Integer("i", "i32")


class Enum(Integer):
    """A 32-bit number with names for its values; unknown values are kept."""

    def __init__(self, names: Mapping[int, str], initial: int = 0, code: str = "i") -> None:
        """Take the names by value."""
        super().__init__(code, {"i": "enum", "B": "enum u8"}[code])
        self.names = dict(names)
        self.initial = initial

    def plain(self, value: int) -> Any:
        """Return the name, or the number where it has none."""
        return self.names.get(value, value)


class Bool(Kind[bool]):
    """One byte.  What is neither 0 nor 1 (an uninitialised byte) is kept as a number."""

    least = 1
    label = "bool"
    initial = False

    def read(self, reader: Reader) -> bool:
        """Return the truth value."""
        value = reader.data[reader.take(1)]
        return bool(value) if value <= 1 else value  # type: ignore[return-value]

    def write(self, writer: Writer, value: Any) -> None:
        """Append the byte."""
        if not isinstance(value, SupportsIndex | np.bool_) or not 0 <= int(value) <= 255:
            raise unfit(self.label, value)
        writer.out.append(int(value))


BOOL = Bool()


class OddFloat(float):
    """A 32-bit float that is not a number, with its bits, which Python's own would lose."""

    __slots__ = ("bits",)
    bits: int

    def __new__(cls, bits: int) -> OddFloat:
        """Take the 32 bits."""
        self = super().__new__(cls, "nan")
        self.bits = bits
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with the bits."""
        return OddFloat, (self.bits,)


def _pack_float(value: Any) -> bytes:
    if type(value) is OddFloat:
        return _U32.pack(value.bits)
    try:
        return _F32.pack(value)
    except (struct.error, OverflowError):
        raise unfit("f32", value) from None


def plain_float(value: float) -> float:
    """Return the number with the fewest digits that is the same 32-bit float."""
    for digits in (6, 7, 8):
        short = float(f"{value:.{digits}g}")
        try:
            if _F32.unpack(_F32.pack(short))[0] == value:
                return short
        except OverflowError:
            continue
    return float(value)


class Float(Kind[float]):
    """A 32-bit float."""

    least = 4
    label = "f32"
    initial = 0.0

    def read(self, reader: Reader) -> float:
        """Return the number."""
        at = reader.take(4)
        (value,) = _F32.unpack_from(reader.data, at)
        if value != value:
            return OddFloat(*_U32.unpack_from(reader.data, at))
        return value  # type: ignore[no-any-return]

    def write(self, writer: Writer, value: float) -> None:
        """Append the number."""
        writer.out += _pack_float(value)

    def plain(self, value: float) -> Any:
        """Return the shortest number that stands for it."""
        return plain_float(value)


F32 = Float()


class Row(Kind[Any]):
    """Some numbers of one kind in a row, as a tuple."""

    def __init__(self, code: str, count: int, label: str, initial: tuple[Any, ...] = ()) -> None:
        """Take the ``struct`` code of one number and how many there are."""
        self.struct = Struct(f"<{count}{code}")
        self.count = count
        self.least = self.struct.size
        self.label = label
        self.initial = initial or (0.0 if code == "f" else 0,) * count
        self._floats = code == "f"

    def read(self, reader: Reader) -> tuple[Any, ...]:
        """Return the numbers."""
        at = reader.take(self.least)
        values = self.struct.unpack_from(reader.data, at)
        if self._floats and any(value != value for value in values):
            bits = struct.unpack_from(f"<{self.count}I", reader.data, at)
            return tuple(
                OddFloat(bit) if value != value else value
                for value, bit in zip(values, bits, strict=True)
            )
        return values

    def write(self, writer: Writer, value: Any) -> None:
        """Append the numbers."""
        try:
            numbers = tuple(value)
        except TypeError:
            raise unfit(self.label, value) from None
        if len(numbers) != self.count:
            raise unfit(self.label, value)
        if self._floats:
            for number in numbers:
                writer.out += _pack_float(number)
            return
        try:
            writer.out += self.struct.pack(*numbers)
        except struct.error:
            raise unfit(self.label, value) from None

    def plain(self, value: Any) -> Any:
        """Return the numbers as a list."""
        return [plain_float(number) for number in value] if self._floats else list(value)


UV = Row("f", 2, "2 × f32")
VEC2 = UV
VEC3 = Row("f", 3, "3 × f32")
VEC4 = Row("f", 4, "4 × f32")
QUAT = Row("f", 4, "quaternion: 4 × f32 x y z w", (0.0, 0.0, 0.0, 1.0))
RGBA = Row("B", 4, "RGBA: 4 × u8")
RGBAF = Row("f", 4, "RGBA: 4 × f32")
