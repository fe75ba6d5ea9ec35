"""Bit arrays by hand."""

from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.bit_array import BITS, BitArray


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\x05", [True, False, True]),
        (b"\x05\0\0\0", [True, False, True]),
        (b"\x05\0\0\0\0\0\0\0", [True, False, True]),
        (b"\xff\x01", [True] * 9),
        (b"\xff\x01\0\0", [True] * 9),
    ],
)
def test_whole_bytes_and_whole_words(data: bytes, expected: list[bool]) -> None:
    stored = pack("<I", len(expected)) + data
    bits = BITS.verified(stored)
    assert list(bits) == expected
    assert list(bits.set_bits()) == [i for i, bit in enumerate(expected) if bit]
    assert bits[1:] == expected[1:]


def test_bits_behind_the_last_are_kept() -> None:
    bits = BITS.verified(b"\x03\0\0\0\xff")
    assert list(bits.set_bits()) == [0, 1, 2]
    assert BITS.encode(bits) == b"\x03\0\0\0\xff"


@pytest.mark.parametrize(
    "data", [b"", b"\0\0\0", b"\x01\0\0\0", b"\x01\0\0\0\0\0", b"\xff\xff\xff\xff\0", b"\0\0\0\0\0"]
)
def test_wrong_sizes(data: bytes) -> None:
    with pytest.raises(DecodeError):
        BITS.decode(data)


def test_of_bits_fills_words() -> None:
    assert BITS.encode(BitArray.of([False] * 32 + [True])) == b"\x21\0\0\0" + bytes(4) + b"\1\0\0\0"
    assert BitArray.of([True]) != BitArray(1, b"\x01")


def test_encode_refuses_what_does_not_fit() -> None:
    for value in (BitArray(9, b"\0"), BitArray(2**32, b""), BitArray(-1, b"")):
        with pytest.raises(EditError):
            BITS.encode(value)
    with pytest.raises(EditError):
        BITS.encode([True])  # type: ignore[arg-type]
