"""Comparing buffers, whole and in pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.io.buffers import body_pieces, same_bytes, same_pieces


@pytest.mark.parametrize("size", [0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 3 << 18])
def test_same_bytes(size: int) -> None:
    data = bytes(range(256)) * (size // 256) + bytes(size % 256)
    assert same_bytes(data, memoryview(bytearray(data)))
    assert not same_bytes(data, data + b"x")
    if size:
        changed = bytearray(data)
        changed[-1] ^= 1
        assert not same_bytes(data, changed)


def test_body_pieces() -> None:
    assert [bytes(p) for p in body_pieces(b"ab")] == [b"ab"]
    assert [bytes(p) for p in body_pieces([b"ab", bytearray(b"c")])] == [b"ab", b"c"]
    assert body_pieces([]) == []


def cut(data: bytes, places: list[int]) -> list[memoryview]:
    ends = sorted(min(place, len(data)) for place in places)
    bounds = [0, *ends, len(data)]
    return [memoryview(data)[a:b] for a, b in pairwise(bounds)]


@given(st.binary(max_size=60), st.lists(st.integers(0, 60)), st.lists(st.integers(0, 60)))
def test_pieces_compare_as_if_joined(data: bytes, left: list[int], right: list[int]) -> None:
    assert same_pieces(cut(data, left), cut(data, right))
    assert not same_pieces(cut(data, left), cut(data + b"x", right))
    if data:
        changed = bytes([data[0] ^ 1]) + data[1:]
        assert not same_pieces(cut(data, left), cut(changed, right))
