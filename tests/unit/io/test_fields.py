"""Codecs and records, against bytes by hand."""

from __future__ import annotations

import copy
import math
import pickle
import uuid
from struct import pack
from typing import Any

import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import _F32_LIMIT
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
    Fixed,
    Record,
    RecordField,
    Text8,
    f32,
    i32,
    record_codec,
    u8,
    u16,
    u32,
    u64,
)


class Sample(Record):
    """One field of each kind."""

    byte: int = u8(default=0, doc="a byte")
    word: int = u16(default=7)
    number: int = u32(default=0)
    large: int = u64(default=0)
    signed: int = i32(default=-1)
    real: float = f32(default=0.5)


CASES: list[tuple[Codec[Any], Any, str]] = [
    (U8, 255, "ff"),
    (U16, 0x1234, "3412"),
    (U32, 0xFFFFFFFF, "ffffffff"),
    (U64, 2**64 - 1, "ffffffffffffffff"),
    (I32, -2, "feffffff"),
    (F32, 1.5, "0000c03f"),
    (F32, -0.0, "00000080"),
    (F32, math.inf, "0000807f"),
    (UTF16, "Añ\U0001d11e", "4100f10034d81edd"),
    (UTF16, "\ud834", "34d8"),
    (UTF16, "", ""),
    (RAW, b"\0\1", "0001"),
    (Bytes(2), b"ab", "6162"),
    (MARK, True, ""),
    (Text8(), "é€", "e980"),
    (Text8(terminated=True), "a\0b", "61006200"),
    (Text8("cp932"), "骨", "8d9c"),
    (
        GUID,
        uuid.UUID("1cdd8c7b-81c0-45a0-9fed-04143144cc1e"),
        "7b8cdd1cc081a0459fed04143144cc1e",
    ),
    (Array(U16), (1, 2, 3), "010002000300"),
    (Array(F32, 2), (0.0, 1.0), "000000000000803f"),
    (Array(I32), (), ""),
    (
        record_codec(Sample),
        Sample(byte=1, number=2, large=3),
        "01 0700 02000000 0300000000000000 ffffffff 0000003f",
    ),
]


@pytest.mark.parametrize(("codec", "value", "stored"), CASES)
def test_a_codec_reads_and_writes(codec: Codec[Any], value: Any, stored: str) -> None:
    data = bytes.fromhex(stored)
    assert codec.decode(memoryview(data)) == value
    assert codec.encode(value) == data
    assert codec.verified(data) == value
    assert codec.size in (None, len(data))
    assert isinstance(codec.schema(), dict)


@pytest.mark.parametrize(
    ("codec", "stored"),
    [
        (U8, ""),
        (U16, "00"),
        (U32, "0000000000"),
        (F32, "000000"),
        (UTF16, "410000"),
        (Bytes(2), "616263"),
        (MARK, "00"),
        (Text8(), "81"),  # not a character of code page 1252
        (Text8(terminated=True), "61"),
        (Text8(terminated=True), ""),
        (GUID, "00" * 15),
        (Array(U16), "010002"),
        (Array(F32, 2), "00000000"),
        (record_codec(Sample), "00" * 22),
    ],
)
def test_bytes_of_another_layout_are_refused(codec: Codec[Any], stored: str) -> None:
    with pytest.raises(DecodeError):
        codec.decode(bytes.fromhex(stored))
    with pytest.raises(DecodeError):
        codec.verified(bytes.fromhex(stored))


@pytest.mark.parametrize(
    ("codec", "value"),
    [
        (U8, 256),
        (U8, -1),
        (U16, 1.0),
        (U32, True),
        (U32, "1"),
        (U64, 2**64),
        (I32, 2**31),
        (I32, None),
        (U32, 1 << 20000),
        (F32, 1e39),
        (F32, 1 << 20000),
        (F32, 3.4028235677973366e38),  # rounds to 2**128
        (F32, "1"),
        (F32, False),
        (UTF16, b"a"),
        (RAW, 5),
        (RAW, "a"),
        (Bytes(2), b"abc"),
        (MARK, False),
        (Text8(), "骨"),
        (Text8(), b"a"),
        (GUID, "1cdd8c7b-81c0-45a0-9fed-04143144cc1e"),
        (Array(U16), (1, 65536)),
        (Array(U16), 5),
        (Array(U16), None),
        (Array(F32, 2), (0.0,)),
        (record_codec(Sample), None),
        (record_codec(Sample), Sample(byte=256)),
        (record_codec(Sample), Sample(real=1e39)),
        (record_codec(Sample), Sample(word="1")),  # type: ignore[arg-type]
    ],
    ids=lambda value: value.kind if isinstance(value, Codec) else "value",
)
def test_a_value_that_cannot_be_stored_is_refused(codec: Codec[Any], value: Any) -> None:
    with pytest.raises(EditError) as caught:
        codec.encode(value)
    assert len(str(caught.value)) < 200


def test_the_largest_floats_are_stored() -> None:
    largest = (2 - 2**-23) * 2.0**127
    assert F32.encode(largest) == bytes.fromhex("ffff7f7f")
    # The last double below the limit still rounds down to it.
    assert F32.encode(math.nextafter(_F32_LIMIT, 0)) == bytes.fromhex("ffff7f7f")
    with pytest.raises(OverflowError):
        pack("<f", _F32_LIMIT)


def test_a_range_error_names_the_field() -> None:
    with pytest.raises(EditError, match="byte out of range"):
        Sample(byte=256).encode()


def test_quiet_nan_payloads_survive() -> None:
    data = bytes.fromhex("0100c07f efbeffff")
    value = Array(F32).verified(data)
    assert all(math.isnan(number) for number in value)


def test_verified_refuses_what_would_be_written_another_way() -> None:
    class Loose(Codec[int]):
        kind = "loose number"

        def decode(self, data: Any) -> int:
            return int(bytes(data))

        def encode(self, value: int) -> bytes:
            if value > 99:
                raise EditError("too large")
            return str(value).encode()

    assert Loose().verified(b"7") == 7
    with pytest.raises(DecodeError) as caught:
        Loose().verified(b"007")
    assert (caught.value.expected, caught.value.found) == ("303037", "37")
    with pytest.raises(DecodeError, match="loose number would not be written the same"):
        Loose().verified(b"100")
    # Code page 932 has two byte pairs for some characters, and writes the first.
    assert Text8("cp932").decode(b"\xed\x40") == Text8("cp932").decode(b"\xfa\x5c")
    with pytest.raises(DecodeError):
        Text8("cp932").verified(b"\xfa\x5c")


# --- records ---------------------------------------------------------------------------------


def test_a_record_has_defaults_and_a_size() -> None:
    record = Sample(byte=3)
    assert (record.byte, record.word, record.signed, record.real) == (3, 7, -1, 0.5)
    assert Sample.nbytes == 23
    assert list(Sample.fields) == ["byte", "word", "number", "large", "signed", "real"]
    assert Sample.fields["byte"].doc == "a byte"
    with pytest.raises(TypeError, match="nope"):
        Sample(nope=1)  # type: ignore[call-arg]


def test_a_record_is_a_value() -> None:
    record = Sample(byte=3)
    with pytest.raises(AttributeError, match="replace"):
        record.byte = 4  # type: ignore[misc]
    with pytest.raises(AttributeError):
        record.typo = 4
    assert record.replace(byte=4) == Sample(byte=4)
    assert record == Sample(byte=3)
    assert hash(record) == hash(Sample(byte=3))
    assert record != Sample(byte=4)
    with pytest.raises(TypeError):
        record.replace(typo=1)
    assert copy.deepcopy(record) == record
    assert pickle.loads(pickle.dumps(record)) == record  # noqa: S301 - our own bytes
    assert repr(record).startswith("Sample(byte=3, word=7, ")


def test_a_record_inherits_fields() -> None:
    class Longer(Sample):
        """One more field."""

        extra: int = u8()

    assert list(Longer.fields) == [*Sample.fields, "extra"]
    data = Sample(byte=1).encode() + b"\x09"
    assert Longer.decode(data).extra == 9
    assert Longer.decode(data).encode() == data
    assert list(Sample.fields)[-1] == "real"
    assert Longer.decode(data) != Sample(byte=1)


def test_a_record_takes_only_numbers_under_free_names() -> None:
    with pytest.raises(TypeError, match="text"):
        type("Bad", (Record,), {"text": RecordField(UTF16)})
    with pytest.raises(TypeError, match="encode"):
        type("Bad", (Record,), {"encode": RecordField(Fixed[int]("B", "u8"))})


def test_schemas_say_the_ranges() -> None:
    assert U8.schema() == {"type": "integer", "minimum": 0, "maximum": 255}
    assert I32.schema() == {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}
    assert Array(F32, 3).schema() == {
        "type": "array",
        "items": {"type": "number"},
        "minItems": 3,
        "maxItems": 3,
    }
    schema = record_codec(Sample).schema()
    assert schema["properties"]["byte"] == {**U8.schema(), "description": "a byte"}
