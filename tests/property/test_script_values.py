from __future__ import annotations

from contextlib import suppress
from struct import pack

from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError
from maxsidecar.scene.script_types import ScriptColor, ScriptName, ScriptString, ScriptStruct
from maxsidecar.scene.script_values import decode_value, encode_value

FLOATS = st.floats(width=32, allow_nan=False)
TEXT = st.text(st.characters(codec="utf-16"))
STRINGS = st.builds(ScriptString, TEXT, st.just(True)) | st.builds(
    ScriptString, st.text(st.characters(codec="cp1252")), st.just(False)
)
NAMES = st.builds(ScriptName, TEXT, st.just(True))
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**31), 2**31 - 1)
    | FLOATS
    | STRINGS
    | NAMES
    | st.builds(ScriptColor, FLOATS, FLOATS, FLOATS)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4).map(tuple)
        | st.builds(ScriptStruct, NAMES, st.lists(st.tuples(NAMES, inner), max_size=3).map(tuple))
    ),
    max_leaves=12,
)

IDS = st.sampled_from([0, 1, 3, 4, 5, 6, 7, 8, 0x0D, 0x0F, 0x14, 0x19, 0x1A, 0x30, 0x60])


def _chunk(chunk_id: int, body: bytes, container: bool) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 | container << 31) + body


# Bytes that look like values more often than plain noise does.
ALMOST = st.recursive(
    st.builds(_chunk, IDS, st.binary(max_size=16), st.booleans()),
    lambda inner: st.builds(
        lambda i, items: _chunk(i, b"".join(items), True), IDS, st.lists(inner, max_size=4)
    ),
    max_leaves=10,
)


@given(VALUES)
def test_every_value_reads_back(value: object) -> None:
    data = encode_value(value)  # type: ignore[arg-type]
    assert decode_value(data) == value
    assert encode_value(decode_value(data)) == data


@given(st.binary(max_size=200) | ALMOST)
def test_any_bytes_are_a_value_or_our_error(data: bytes) -> None:
    with suppress(DecodeError):
        decode_value(data)
