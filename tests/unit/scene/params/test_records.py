"""Parameter records of every type and generation, on bytes by hand."""

from __future__ import annotations

from struct import pack
from typing import Any

import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.params.records import ParamRecord, RecordCodec, slot_count
from maxsidecar.scene.params.types import ASSET, TYPES, Kind, Matrix, type_name

GENERATIONS = (0x000A, 0x000E, 0x100E, 0x200E)


def head(generation: int, code: int, flags: int = 0, param_id: int = 7) -> bytes:
    """The bytes in front of the elements; flags beyond 32 bits where there is room for them."""
    if generation == 0x000A:
        return pack("<HII", param_id, code, flags)
    if generation == 0x200E:
        return pack("<HIQI", param_id, code, flags, 3)
    return pack("<HIQ", param_id, code, flags)


def text(generation: int, value: str) -> bytes:
    body = (value + "\0").encode("cp1252" if generation in (0x000A, 0x000E) else "utf-16-le")
    return pack("<i", len(body)) + body


NUMBERS: list[tuple[int, bytes, Any]] = [
    (0, pack("<f", 2.5), 2.5),
    (1, pack("<i", -3), -3),
    (2, pack("<3f", 1, 0.5, 0), (1.0, 0.5, 0.0)),
    (3, pack("<3f", -1, 2, 3), (-1.0, 2.0, 3.0)),
    (4, pack("<i", 1), 1),
    (5, pack("<f", 0.25), 0.25),
    (6, pack("<f", 0.5), 0.5),
    (7, pack("<f", 100), 100.0),
    (10, pack("<3f", 1, 2, 4), (1.0, 2.0, 4.0)),
    (11, pack("<f", 8), 8.0),
    (12, pack("<i", 4800), 4800),
    (13, pack("<i", 2), 2),
    (16, b"\1", 1),
    (19, pack("<i", 5), 5),
    (20, pack("<12fI", *range(12), 7), Matrix(tuple(map(float, range(12))), 7)),
    (22, pack("<4f", 1, 2, 3, 4), (1.0, 2.0, 3.0, 4.0)),
    (23, pack("<4f", 0, 0.5, 1, 1), (0.0, 0.5, 1.0, 1.0)),
]


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize(("code", "body", "value"), NUMBERS)
def test_numbers(generation: int, code: int, body: bytes, value: Any) -> None:
    data = head(generation, code, 1) + b"\xc0" + body
    record = RecordCodec(generation).verified(data)
    assert (record.id, record.type, record.flags, record.tab_flag) == (7, code, 1, None)
    assert record.elements == ((0xC0, value),)
    assert record.asset_type == (3 if generation == 0x200E else None)


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize(("code", "body", "value"), NUMBERS)
def test_tables_of_numbers(generation: int, code: int, body: bytes, value: Any) -> None:
    elements = b"\x40" + body + b"\0" + b"\x40" + body
    data = head(generation, code | 0x800) + pack("<BI", 0x80, 3) + elements
    record = RecordCodec(generation).verified(data)
    assert record.tab_flag == 0x80
    assert record.elements == ((0x40, value), (0, None), (0x40, value))
    assert slot_count(record) == 1


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("code", [8, 9])
def test_texts(generation: int, code: int) -> None:
    codec = RecordCodec(generation)
    start = head(generation, code) + b"\x40"
    for body, value in (
        (text(generation, "Größe"), "Größe"),
        (text(generation, ""), ""),
        (pack("<i", -1), None),
        (pack("<i", -2), ASSET),
        (pack("<i", 0), b""),
        (pack("<i", 3) + b"abc", b"abc"),
    ):
        assert codec.verified(start + body).elements == ((0x40, value),)
    tab = head(generation, code | 0x800) + pack("<BI", 0, 2)
    record = codec.verified(tab + b"\x40" + text(generation, "a") + b"\x40" + pack("<i", -1))
    assert record.elements == ((0x40, "a"), (0x40, None))


def test_text_in_the_code_page_of_the_scene() -> None:
    body = "바탕.psd".encode("cp949") + b"\0"
    data = head(0x000E, 9) + b"\x40" + pack("<i", len(body)) + body
    assert RecordCodec(0x000E, "cp949").verified(data).elements[0][1] == "바탕.psd"
    # In another code page it is another text, and still the same bytes.
    assert isinstance(RecordCodec(0x000E, "cp1252").verified(data).elements[0][1], str)
    assert RecordCodec(0x000E, "utf-8").verified(data).kind.kind is Kind.TEXT
    with pytest.raises(EditError, match="cannot be written in ascii"):
        RecordCodec(0x000E, "ascii").encode(ParamRecord(7, 8, 0, ((0x40, "é"),)))


def test_wide_text_with_an_odd_size_stays_bytes() -> None:
    data = head(0x100E, 8) + b"\x40" + pack("<i", 3) + b"a\0\0"
    assert RecordCodec(0x100E).verified(data).elements[0][1] == b"a\0\0"


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("code", [14, 15, 17, 18, 21])
def test_references(generation: int, code: int) -> None:
    codec = RecordCodec(generation)
    own = codec.verified(head(generation, code) + b"\x40")
    assert own.elements == ((0x40, None),)
    assert slot_count(own) == 1
    held = codec.verified(head(generation, code, 0x100) + b"\x40" + pack("<i", 12))
    assert held.elements == ((0x40, 12),)
    assert slot_count(held) == 0
    tab = codec.verified(head(generation, code | 0x800) + pack("<BI", 0, 3) + b"\x40\x40\x40")
    assert slot_count(tab) == 3


def test_void_and_controlled_have_no_bytes() -> None:
    codec = RecordCodec(0x100E)
    assert codec.verified(head(0x100E, 25) + b"\x40").elements == ((0x40, None),)
    controlled = codec.verified(head(0x100E, 0, 1) + b"\x80")
    assert controlled.elements == ((0x80, None),)
    assert slot_count(controlled) == 1


def test_high_flags_are_kept() -> None:
    data = head(0x000E, 0, 0x20000_0080_0001) + b"\xc0" + pack("<f", 1)
    assert RecordCodec(0x000E).verified(data).flags == 0x20000_0080_0001


GOOD = head(0x000E, 0) + b"\x40" + pack("<f", 1)
BAD = {
    "empty": b"",
    "no element": head(0x000E, 0),
    "cut value": GOOD[:-1],
    "left over": GOOD + b"\0",
    "unknown type": head(0x000E, 24) + b"\x40" + bytes(4),
    "type beyond 16 bits": head(0x000E, 0x10000) + b"\x40" + bytes(4),
    "cut table": head(0x000E, 0x800) + b"\0\1\0",
    "huge table": head(0x000E, 0x800) + pack("<BI", 0, 0xFFFFFFFF),
    "table one short": head(0x000E, 0x801) + pack("<BI", 0, 2) + b"\x40" + bytes(4),
    "cut text length": head(0x000E, 8) + b"\x40\1\0",
    "text beyond the end": head(0x000E, 8) + b"\x40" + pack("<i", 2) + b"\0",
    "negative length": head(0x000E, 8) + b"\x40" + pack("<i", -3),
    "value of a controlled one": head(0x000E, 0) + b"\0" + bytes(4),
}


@pytest.mark.parametrize("case", BAD)
def test_damaged_records(case: str) -> None:
    with pytest.raises(DecodeError):
        RecordCodec(0x000E).decode(BAD[case])


@pytest.mark.parametrize(
    "record",
    [
        ParamRecord(0x10000, 0, 0, ((0x40, 1.0),)),
        ParamRecord(1, 0, 1 << 32, ((0x40, 1.0),)),
        ParamRecord(1, 24, 0, ((0x40, 1.0),)),
        ParamRecord(1, 0, 0, ((0x140, 1.0),)),
        ParamRecord(1, 0, 0, ((0x40, "1"),)),
        ParamRecord(1, 0, 0, ((0x00, 1.0),)),
        ParamRecord(1, 0, 0, ()),
        ParamRecord(1, 0x800, 0, ((0x40, 1.0),)),
        ParamRecord(1, 0, 0, ((0x40, 1.0),), tab_flag=0),
        ParamRecord(1, 0, 0, ((0x40, 1.0),), asset_type=0),
        ParamRecord(1, 2, 0, ((0x40, (1.0, 2.0)),)),
        ParamRecord(1, 20, 0, ((0x40, (1.0, 2.0)),)),
        ParamRecord(1, 20, 0, ((0x40, Matrix((1.0,))),)),
        ParamRecord(1, 8, 0, ((0x40, 5),)),
        ParamRecord(1, 25, 0, ((0x40, 5),)),
        ParamRecord(1, 1, 0, ((0x40, 1 << 40),)),
    ],
)
def test_records_that_cannot_be_stored(record: ParamRecord) -> None:
    with pytest.raises(EditError):
        RecordCodec(0x000A).encode(record)


def test_type_names() -> None:
    assert type_name(0x811) == "node[]"
    assert type_name(24) == "type 0x18"
    assert len({kind.name for kind in TYPES.values()}) == len(TYPES)
