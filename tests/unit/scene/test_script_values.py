from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.script_codecs import ScriptPairsCodec, ScriptValueCodec
from maxsidecar.scene.script_types import (
    MAX_DEPTH,
    ScriptColor,
    ScriptColorAlpha,
    ScriptMatrix,
    ScriptName,
    ScriptString,
    ScriptStruct,
    ScriptValue,
)
from maxsidecar.scene.script_values import decode_value, decode_values, encode_value


def chunk(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 | container << 31) + body


def array(*items: bytes) -> bytes:
    return chunk(0x07, chunk(0x60, pack("<I", len(items))) + b"".join(items), True)


NAME8 = chunk(0x06, pack("<I", 3) + b"ab\0")
NAME16 = chunk(0x1A, pack("<I", 3) + b"a\0b\0\0\0")
ONE = chunk(0x03, pack("<i", 1))

VALUES: list[tuple[bytes, ScriptValue]] = [
    (chunk(0x00), None),
    (chunk(0x01, pack("<I", 1)), True),
    (chunk(0x01, pack("<I", 0)), False),
    (chunk(0x03, pack("<i", -7)), -7),
    (chunk(0x04, pack("<f", 0.5)), 0.5),
    (chunk(0x05, pack("<I", 4) + b"caf\0"), ScriptString("caf", wide=False)),
    (chunk(0x05, pack("<I", 5) + b"caf\xe9\0"), ScriptString("café", wide=False)),
    (NAME8, ScriptName("ab", wide=False)),
    (chunk(0x19, pack("<I", 1) + b"\0\0"), ScriptString("", wide=True)),
    (NAME16, ScriptName("ab", wide=True)),
    (chunk(0x08, pack("<3f", 255, 128, 0)), ScriptColor(255.0, 128.0, 0.0)),
    (chunk(0x0F, pack("<4f", 1, 0.5, 0, 1)), ScriptColorAlpha(1.0, 0.5, 0.0, 1.0)),
    (
        chunk(0x0D, pack("<12fI", *range(12), 9)),
        ScriptMatrix(tuple(float(n) for n in range(12)), 9),
    ),
    (array(), ()),
    (array(ONE, array(NAME16)), (1, (ScriptName("ab"),))),
    (
        chunk(0x14, NAME8 + NAME8 + ONE, True),
        ScriptStruct(ScriptName("ab", False), ((ScriptName("ab", False), 1),)),
    ),
]


@pytest.mark.parametrize(("data", "value"), VALUES)
def test_values_read_and_write_the_same(data: bytes, value: ScriptValue) -> None:
    decoded = decode_value(data)
    assert decoded == value
    assert type(decoded) is type(value)
    assert encode_value(value) == data


def test_values_lie_side_by_side() -> None:
    assert list(decode_values(ONE + NAME16)) == [1, ScriptName("ab")]


def test_text_is_read_in_the_code_page_of_the_file() -> None:
    data = chunk(0x05, pack("<I", 3) + "日".encode("cp932") + b"\0")
    assert decode_value(data, "cp932") == ScriptString("日", wide=False)
    assert encode_value(ScriptString("日", wide=False), "cp932") == data


def test_a_byte_that_the_code_page_lacks_survives() -> None:
    data = chunk(0x05, pack("<I", 2) + b"\x81\0")
    assert encode_value(decode_value(data)) == data


BROKEN = {
    "unknown type": chunk(0x02, pack("<I", 1)),
    "wrong size": chunk(0x03, b"\0\0"),
    "undefined with bytes": chunk(0x00, b"\0"),
    "boolean 2": chunk(0x01, pack("<I", 2)),
    "leaf as container": chunk(0x03, ONE, True),
    "array as leaf": chunk(0x07, chunk(0x60, pack("<I", 0))),
    "array without length": chunk(0x07, ONE, True),
    "empty array body": chunk(0x07, b"", True),
    "array too short": chunk(0x07, chunk(0x60, pack("<I", 2)) + ONE, True),
    "array length huge": chunk(0x07, chunk(0x60, pack("<I", 0xFFFFFFFF)) + ONE, True),
    "text length": chunk(0x05, pack("<I", 9) + b"a\0"),
    "text length huge": chunk(0x19, pack("<I", 0xFFFFFFFF) + b"\0\0"),
    "text without NUL": chunk(0x05, pack("<I", 1) + b"a"),
    "text without length": chunk(0x05),
    "struct without name": chunk(0x14, ONE, True),
    "struct with half a member": chunk(0x14, NAME8 + NAME8, True),
    "struct key is no name": chunk(0x14, NAME8 + ONE + ONE, True),
    "overrun": pack("<HI", 3, 400) + b"\0\0\0\0",
    "no value": b"",
    "two values": ONE + ONE,
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_broken_values_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_value(data)


def test_depth_is_limited_both_ways() -> None:
    data, value = ONE, 1
    nested: ScriptValue = value
    for _ in range(MAX_DEPTH):
        data, nested = array(data), (nested,)
    assert decode_value(data) == nested
    assert encode_value(nested) == data
    with pytest.raises(DecodeError, match="too deep"):
        decode_value(array(data))
    with pytest.raises(EditError, match="too deep"):
        encode_value((nested,))


@pytest.mark.parametrize(
    "value", [2**31, 1e300, ScriptMatrix((), 0), ScriptString("日", wide=False)]
)
def test_values_that_do_not_fit_are_refused(value: ScriptValue) -> None:
    with pytest.raises(EditError):
        encode_value(value)


def test_the_leaf_codec_keeps_the_type() -> None:
    codec = ScriptValueCodec(0x03, container=False)
    assert codec.verified(pack("<i", 5)) == 5
    assert codec.encode(6) == pack("<i", 6)
    with pytest.raises(EditError, match="another type"):
        codec.encode(6.0)


def test_pairs() -> None:
    codec = ScriptPairsCodec()
    assert codec.verified(NAME8 + ONE) == ((ScriptName("ab", False), 1),)
    with pytest.raises(DecodeError, match="no value"):
        codec.decode(NAME8)
