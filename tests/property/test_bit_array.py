"""Bit arrays: any bits, and any bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError
from maxsidecar.scene.bit_array import BITS, BitArray


@given(st.lists(st.booleans(), max_size=200))
def test_bits_survive(bits: list[bool]) -> None:
    again = BITS.verified(BITS.encode(BitArray.of(bits)))
    assert list(again) == bits
    assert list(again.set_bits()) == [i for i, bit in enumerate(bits) if bit]


@given(st.binary(max_size=64))
def test_any_bytes_come_out_the_same_or_are_refused(data: bytes) -> None:
    try:
        value = BITS.decode(data)
    except DecodeError:
        return
    assert BITS.encode(value) == data
    assert len(list(value)) == len(value)
