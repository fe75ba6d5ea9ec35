"""Codecs of modifiers: whatever is encoded decodes to the same, and the other way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError
from maxsidecar.io.codecs import Codec
from maxsidecar.scene.modifiers import unwrap_views as unwrap
from maxsidecar.scene.modifiers.unwrap_records import UnwrapFaces, UnwrapVertices

WORDS = st.integers(0, 0xFFFFFFFF)
CODECS: list[Codec[Any]] = [
    unwrap.VERTICES,
    unwrap.FACES,
    unwrap.EARLY_VERTICES,
    unwrap.EARLY_FACES,
]


def words(count: int) -> st.SearchStrategy[np.ndarray[Any, Any]]:
    return st.lists(WORDS, min_size=count, max_size=count).map(lambda n: np.array(n, "<u4"))


@st.composite
def unwrap_faces(draw: st.DrawFn) -> UnwrapFaces:
    degrees = np.array(draw(st.lists(st.integers(0, 6), max_size=12)), np.int64)
    count, total = len(degrees), int(degrees.sum())
    flags = draw(words(count))
    handles = int(degrees[flags & 8 != 0].sum()) * 6
    return UnwrapFaces(
        degrees, draw(words(total)), draw(words(count)), draw(words(count)), flags,
        draw(words(total)), draw(words(handles)),
    )  # fmt: skip


@st.composite
def unwrap_vertices(draw: st.DrawFn, early: bool) -> UnwrapVertices:
    count = draw(st.integers(0, 9))
    # Any bits, not-a-number too.
    return UnwrapVertices(
        draw(words(3 * count)).view("<f4").reshape(-1, 3),
        draw(words(count)).view("<f4"),
        None if early else draw(words(count)).view("<i4"),
        draw(words(count)),
    )


@given(unwrap_faces())
def test_faces_of_unwrap(value: UnwrapFaces) -> None:
    for codec in (unwrap.FACES, unwrap.EARLY_FACES):
        data = codec.encode(value)
        assert codec.decode(data) == value
        codec.verified(data)


@given(st.booleans().flatmap(lambda early: st.tuples(st.just(early), unwrap_vertices(early))))
def test_vertices_of_unwrap(pair: tuple[bool, UnwrapVertices]) -> None:
    early, value = pair
    codec = unwrap.EARLY_VERTICES if early else unwrap.VERTICES
    data = codec.encode(value)
    assert codec.decode(data) == value
    codec.verified(data)


@pytest.mark.parametrize("codec", CODECS)
@given(st.binary(max_size=120))
def test_any_bytes(codec: Codec[Any], data: bytes) -> None:
    try:
        value = codec.decode(data)
    except DecodeError:
        return
    assert codec.encode(value) == data
