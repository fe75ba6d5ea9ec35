"""Arrays of bits: selections, flags per vertex, face or key.

``u32 count``, then the bits, the lowest of a byte first, filled up to a whole byte, or to a whole
word of 32 or 64 bits (measured on the corpus: all occur, and bits behind the last one may be set).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Any, Final, overload

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import U32, Codec
from maxsidecar.io.headers import Buffer

__all__ = ["BITS", "BitArray", "BitArrayCodec"]

_COUNT: Final = Struct("<I")


class BitArray(Sequence[bool]):
    """Bits as they are stored.

    Attributes:
        size: Number of bits.
        data: The bytes that hold them.
    """

    __slots__ = ("data", "size")

    def __init__(self, size: int, data: bytes) -> None:
        """Take the stored form."""
        self.size = size
        self.data = data

    @classmethod
    def of(cls, bits: Sequence[bool]) -> BitArray:
        """Return the array of some bits, filled up to whole words with zeros."""
        data = bytearray(-(-len(bits) // 32) * 4)
        for number, bit in enumerate(bits):
            data[number >> 3] |= bool(bit) << (number & 7)
        return cls(len(bits), bytes(data))

    def __len__(self) -> int:
        """Return the number of bits."""
        return self.size

    @overload
    def __getitem__(self, index: int) -> bool: ...
    @overload
    def __getitem__(self, index: slice) -> list[bool]: ...
    def __getitem__(self, index: int | slice) -> bool | list[bool]:
        """Return a bit."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.size))]
        position = range(self.size)[index]
        return bool(self.data[position >> 3] >> (position & 7) & 1)

    def set_bits(self) -> Iterator[int]:
        """Yield the positions of the bits that are set, ascending."""
        for start, byte in enumerate(self.data):
            while byte:
                lowest = byte & -byte
                position = start * 8 + lowest.bit_length() - 1
                if position >= self.size:
                    return
                yield position
                byte ^= lowest

    def __eq__(self, other: object) -> bool:
        """Compare the stored form."""
        return isinstance(other, BitArray) and self.size == other.size and self.data == other.data

    def __hash__(self) -> int:
        """Hash the stored form."""
        return hash((self.size, self.data))

    def __repr__(self) -> str:
        """Return the count and the bytes, for debugging."""
        return f"BitArray({self.size}, {self.data.hex()!r})"


class BitArrayCodec(Codec[BitArray]):
    """A whole leaf that is a bit array."""

    kind = "bit array"

    def decode(self, data: Buffer) -> BitArray:
        """Return the array.

        Raises:
            DecodeError: The bytes are not as many as the count says.
        """
        if len(data) < 4:
            raise DecodeError("a bit array is too short", expected="4 bytes", found=len(data))
        count: int = _COUNT.unpack_from(data)[0]
        if len(data) - 4 not in _sizes(count):
            raise DecodeError(
                "a bit array has the wrong size",
                expected=f"{_sizes(count)[0] + 4} bytes",
                found=len(data),
            )
        return BitArray(count, bytes(data[4:]))

    def encode(self, value: BitArray) -> bytes:
        """Return the bytes.

        Raises:
            EditError: It is no bit array, or its bytes are not as many as its count says.
        """
        if not isinstance(value, BitArray):
            raise EditError("not a bit array", found=type(value).__name__)
        U32.check(value.size, "number of bits")
        if len(value.data) not in _sizes(value.size):
            raise EditError("a bit array of the wrong size", found=len(value.data))
        return _COUNT.pack(value.size) + value.data

    def schema(self) -> dict[str, Any]:
        """Return the schema of a list of booleans."""
        return {"type": "array", "items": {"type": "boolean"}}


def _sizes(count: int) -> tuple[int, int, int]:
    return -(-count // 8), -(-count // 32) * 4, -(-count // 64) * 8


#: The codec of a bit array.
BITS: Final = BitArrayCodec()
