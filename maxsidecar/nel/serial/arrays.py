"""Kinds of many numbers: numpy arrays over the file's bytes.

Arrays that were read are views of the file and read-only: assign a changed copy to the field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from maxsidecar.errors import EditError, shorten
from maxsidecar.nel.serial.kinds import Kind
from maxsidecar.nel.serial.stream import MAX_COUNT, Reader, Writer

__all__ = ["Array", "BitVector", "Blob", "FixedArray", "put_array", "take_array"]


def take_array(reader: Reader, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
    """Return ``count`` elements at the reader's position as a view, and step over them.

    Raises:
        DecodeError: The file ends before.
    """
    start = reader.take(count * dtype.itemsize)
    if not count:
        return np.empty(0, dtype)
    return np.frombuffer(reader.data, dtype, count, start)


def put_array(writer: Writer, value: Any, dtype: np.dtype[Any], count: int | None = None) -> int:
    """Append an array's elements, and return how many there are.

    Raises:
        EditError: They are of another type, shape or number, or beyond the range of ``dtype``.
    """
    array = _fit(value, dtype)
    if count is not None and len(array) != count:
        raise EditError("wrong number of elements", expected=count, found=len(array))
    if len(array) > MAX_COUNT:
        raise EditError("too many elements", expected=f"up to {MAX_COUNT}", found=len(array))
    writer.out += array.tobytes()
    return len(array)


def _fit(value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a value as an array of a type, which may be a sub-array type."""
    base, shape = dtype.subdtype or (dtype, ())
    try:
        array = np.asarray(value) if len(value) else np.empty((0, *shape), base)
    except (TypeError, ValueError):
        raise EditError("not an array", expected=str(dtype), found=shorten(value)) from None
    if array.ndim != 1 + len(shape) or array.shape[1:] != shape:
        expected = "×".join(("n", *map(str, shape)))
        found = "×".join(map(str, array.shape))
        raise EditError("wrong shape of an array", expected=expected, found=found)
    if array.dtype == base:
        return array
    if base.fields or array.dtype.fields or array.dtype.kind not in "biuf":
        raise EditError("wrong type of an array", expected=str(base), found=str(array.dtype))
    with np.errstate(over="ignore", invalid="ignore"):
        cast = array.astype(base)
    if base.kind == "f":
        exact = bool((np.isfinite(cast) | ~np.isfinite(array)).all())
    else:
        exact = bool((cast == array).all())
    if not exact:
        raise EditError("a number in an array is out of range", expected=str(base))
    return cast


class Array(Kind[NDArray[Any]]):
    """32-bit count, then elements of one fixed type.

    Args:
        dtype: Type of an element, in little-endian order: a number, ``("<f4", 3)`` for rows,
            or a structured type.
        label: Name of an element for the reference.
        zero: Names of fields of a structured type that are version bytes, always 0.
    """

    least = 4

    def __init__(self, dtype: DTypeLike, label: str, *, zero: Sequence[str] = ()) -> None:
        self.dtype = np.dtype(dtype)
        self.label = f"list of {label}"
        self.zero = tuple(zero)

    def fresh(self) -> NDArray[Any]:
        """Return no elements."""
        base, shape = self.dtype.subdtype or (self.dtype, ())
        return np.empty((0, *shape), base)

    def read(self, reader: Reader) -> NDArray[Any]:
        """Return the elements."""
        count = reader.count(self.dtype.itemsize)
        start = reader.pos
        array = take_array(reader, self.dtype, count)
        for name in self.zero:
            if array[name].any():
                number = int(np.flatnonzero(array[name])[0])
                found = int(array[name][number])
                message = f"element {number}: the version is newer than any that is known"
                at = start + number * self.dtype.itemsize
                raise reader.fail(message, "up to 0", found, at)
        return array

    def write(self, writer: Writer, value: Any) -> None:
        """Append the elements."""
        at = len(writer.out)
        writer.out += b"\0\0\0\0"
        count = put_array(writer, value, self.dtype)
        if any(np.asarray(value[name]).any() for name in self.zero):
            raise EditError("a version in an array is not known", expected=0)
        writer.out[at : at + 4] = count.to_bytes(4, "little")


class FixedArray(Kind[NDArray[Any]]):
    """A number of elements that is always the same."""

    def __init__(self, dtype: DTypeLike, count: int, label: str, initial: Any = None) -> None:
        """Take the type, the number and a name of the elements, and their first values."""
        self.dtype = np.dtype(dtype)
        self.count = count
        self.least = self.dtype.itemsize * count
        self.label = f"{count} × {label}"
        self.initial = initial

    def fresh(self) -> NDArray[Any]:
        """Return the first values, by default zeros."""
        if self.initial is not None:
            return np.array(self.initial, self.dtype)
        return np.zeros(self.count, self.dtype)

    def read(self, reader: Reader) -> NDArray[Any]:
        """Return the elements."""
        return take_array(reader, self.dtype, self.count)

    def write(self, writer: Writer, value: Any) -> None:
        """Append the elements."""
        put_array(writer, value, self.dtype, self.count)


class Blob(Kind[bytes]):
    """32-bit count, then bytes that are kept as they are."""

    least = 4
    label = "list of bytes"
    initial = b""

    def read(self, reader: Reader) -> bytes:
        """Return the bytes."""
        start = reader.take(reader.count(1))
        return reader.data[start : reader.pos]

    def write(self, writer: Writer, value: Any) -> None:
        """Append the bytes."""
        if not isinstance(value, bytes | bytearray) or len(value) > MAX_COUNT:
            raise EditError("not bytes", expected=self.label, found=shorten(value))
        writer.out += len(value).to_bytes(4, "little")
        writer.out += value


class BitVector(Kind[NDArray[Any]]):
    """32-bit count, then truth values as bits, the lowest first.

    Unused bits of the last byte must be 0, as the game writes them.
    """

    least = 4
    label = "list of bits"

    def fresh(self) -> NDArray[Any]:
        """Return no bits."""
        return np.empty(0, np.bool_)

    def read(self, reader: Reader) -> NDArray[Any]:
        """Return the bits as an array of truth values."""
        at = reader.take(4)
        count = int.from_bytes(reader.data[at : at + 4], "little", signed=True)
        reader.check_count((count + 7) // 8 if count >= 0 else count, 1, at)
        start = reader.pos
        packed = take_array(reader, np.dtype("u1"), (count + 7) // 8)
        bits = np.unpackbits(packed, bitorder="little")
        if bits[count:].any():
            message = "unused bits of a list are set"
            raise reader.fail(message, 0, int(packed[-1]), start + len(packed) - 1)
        return bits[:count].astype(np.bool_)

    def write(self, writer: Writer, value: Any) -> None:
        """Append the bits."""
        bits = _fit(np.asarray(value, np.uint8), np.dtype("u1"))
        if bits.ndim != 1 or (bits > 1).any():
            raise EditError("not truth values", expected=self.label, found=shorten(value))
        writer.out += len(bits).to_bytes(4, "little")
        writer.out += np.packbits(bits, bitorder="little").tobytes()
