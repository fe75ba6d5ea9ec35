"""Codecs on random values and random bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.fields import (
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
    Record,
    Text8,
    f32,
    i32,
    record_codec,
    u8,
    u32,
    u64,
)
from maxsidecar.scene.objects import SparseReferences


class Sample(Record):
    """Some fields."""

    a: int = u8(default=0)
    b: int = i32(default=0)
    c: float = f32(default=0.0)
    d: int = u64(default=0)
    e: int = u32(default=0)


FLOATS = st.floats(width=32, allow_nan=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES: list[tuple[Codec[Any], st.SearchStrategy[Any]]] = [
    (U8, st.integers(0, 2**8 - 1)),
    (U16, st.integers(0, 2**16 - 1)),
    (U32, st.integers(0, 2**32 - 1)),
    (U64, st.integers(0, 2**64 - 1)),
    (I32, st.integers(-(2**31), 2**31 - 1)),
    (F32, FLOATS),
    (UTF16, TEXT),
    (UTF16, st.text(st.characters(min_codepoint=0xD800, max_codepoint=0xDBFF))),
    (RAW, st.binary()),
    (Bytes(3), st.binary(min_size=3, max_size=3)),
    (MARK, st.just(True)),
    (Text8(), st.text("abcé€\0")),
    (Text8(terminated=True), st.text("abcé€\0")),
    (GUID, st.uuids()),
    (Array(U16), st.lists(st.integers(0, 2**16 - 1)).map(tuple)),
    (Array(F32, 2), st.tuples(FLOATS, FLOATS)),
    (
        record_codec(Sample),
        st.builds(
            Sample,
            a=st.integers(0, 255),
            b=st.integers(-(2**31), 2**31 - 1),
            c=FLOATS,
            d=st.integers(0, 2**64 - 1),
            e=st.integers(0, 2**32 - 1),
        ),
    ),
    (
        SparseReferences(),
        st.tuples(
            st.integers(0, 2**32 - 1),
            st.dictionaries(st.integers(0, 2**31 - 1), st.integers(-(2**31), 2**31 - 1)),
        ),
    ),
]
CODECS = [codec for codec, _ in VALUES] + [Text8("cp932"), Text8("latin-1", terminated=True)]
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.binary(),
    st.lists(st.integers()),
    st.uuids(),
)


def name(codec: object) -> str | None:
    return codec.kind if isinstance(codec, Codec) else None


@pytest.mark.parametrize(("codec", "values"), VALUES, ids=name)
@given(st.data())
def test_a_value_comes_back(
    codec: Codec[Any], values: st.SearchStrategy[Any], choices: st.DataObject
) -> None:
    value = choices.draw(values)
    data = codec.encode(value)
    assert codec.verified(data) == value
    assert codec.verified(memoryview(data)) == value
    if codec.size is not None:
        assert len(data) == codec.size


@pytest.mark.parametrize("codec", CODECS, ids=name)
@given(st.data())
def test_bytes_come_back_or_are_refused(codec: Codec[Any], choices: st.DataObject) -> None:
    size = codec.size
    sizes = {} if size is None else {"min_size": size, "max_size": size}
    data = choices.draw(st.one_of(st.binary(**sizes), st.binary()))
    try:
        value = codec.verified(data)
    except DecodeError:
        return
    assert codec.encode(value) == data


@pytest.mark.parametrize("codec", [UTF16, Array(U16), Array(I32, 3), Bytes(7), GUID], ids=name)
@given(st.data())
def test_every_right_size_is_read(codec: Codec[Any], choices: st.DataObject) -> None:
    """Nothing of these layouts is ever refused, so that ``verified`` cannot hide a broken codec."""
    count = choices.draw(st.integers(0, 20)) * 2
    size = count if codec.size is None else codec.size
    data = choices.draw(st.binary(min_size=size, max_size=size))
    assert codec.encode(codec.verified(data)) == data


@given(st.integers(0, 2**32 - 1))
def test_every_float_but_signalling_nans_is_read(bits: int) -> None:
    data = bits.to_bytes(4, "little")
    signalling = bits & 0x7FFFFFFF > 0x7F800000 and not bits & 0x00400000
    try:
        value = F32.verified(data)
    except DecodeError:
        # Converting a signalling NaN makes it quiet on most processors: then it is read-only.
        assert signalling
    else:
        assert F32.encode(value) == data


@pytest.mark.parametrize("codec", CODECS, ids=name)
@given(ODD)
def test_any_value_is_stored_or_refused(codec: Codec[Any], value: object) -> None:
    if isinstance(codec, SparseReferences):
        return
    try:
        data = codec.encode(value)
    except EditError:
        return
    codec.verified(data)
