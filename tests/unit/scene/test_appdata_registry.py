from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.scene.appdata_bits import BitFieldCodec, Choice, Flag
from maxsidecar.scene.appdata_registry import AppDataKey, AppDataRegistry, Property
from maxsidecar.scene.appdata_values import (
    BOOL,
    COLOR,
    FLOAT,
    INT,
    TEXT,
    EnumCodec,
    Value,
    ValueCodec,
    stored_code_page,
)

MODE = EnumCodec({0: "off", 1: "on", 5: "best"})
BITS = BitFieldCodec(Choice("mode", 6, {0: "low", 1: "high"}), Flag("lit", 1), Flag("fast", 16))


def make(codec: ValueCodec, subid: int = 1, path: str = "plug.value", **more: Any) -> Property:
    key = AppDataKey(0xA, 0xB, 0x1020, subid)
    default = more.pop("default", None)
    return Property(key, f"P{subid}", tuple(path.split(".")), codec, default, "Test", **more)


# --- keys -----------------------------------------------------------------------------------------


def test_key_text_form_is_hex_for_ids_and_decimal_for_the_number() -> None:
    key = AppDataKey(0x04D64858, 0x16D1751D, 0x1020, 77)
    assert str(key) == "04d64858-16d1751d/1020/77"
    assert AppDataKey.parse("04D64858-16d1751d/1020/77") == key


@given(*[st.integers(0, 2**32 - 1)] * 4)
def test_key_text_form_reads_back(a: int, b: int, superclass: int, subid: int) -> None:
    key = AppDataKey(a, b, superclass, subid)
    assert AppDataKey.parse(str(key)) == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1-2/3",
        "1-2/3/x",
        "123456789-2/3/4",
        "1-2/3/4294967296",
        "1-2/3/-4",
        "1-2/3/٤",
        "1-2/3/4\n",
    ],
)
def test_wrong_key_text_is_an_edit_error(text: str) -> None:
    with pytest.raises(EditError):
        AppDataKey.parse(text)


# --- reading and writing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codec", "raw", "value", "canonical"),
    [
        (BOOL, b"0\0", False, True),
        (BOOL, b"1\0", True, True),
        (BOOL, b"01\0", True, False),
        (INT, b"1000\0", 1000, True),
        (INT, b"-12\0", -12, True),
        (INT, b"-0\0", 0, False),
        (INT, b"007\0", 7, False),
        (INT, b"+3\0", 3, False),
        (INT, b"-2147483648\0", -(2**31), True),
        (FLOAT, b"1000\0", 1000.0, True),
        (FLOAT, b"1.4\0", 1.4, True),
        (FLOAT, b"0.02\0", 0.02, True),
        (FLOAT, b"1.0\0", 1.0, False),
        (FLOAT, b"1.50\0", 1.5, False),
        (FLOAT, b"1,5\0", 1.5, False),
        (FLOAT, b".5\0", 0.5, False),
        (FLOAT, b"1e-005\0", 0.00001, False),
        (FLOAT, b"0.00001\0", 0.00001, True),
        (TEXT, b"\0", "", True),
        (TEXT, b"caf\xe9\0", "café", True),
        (TEXT, b"\xef\xbb\xbfcaf\xc3\xa9\0", "café", True),
        (BOOL, b"\xef\xbb\xbf1\0", True, True),
        (INT, b"\xef\xbb\xbf01\0", 1, False),
        (COLOR, b"1 2 3\0", [1, 2, 3], True),
        (COLOR, b"1 2 3 4\0", [1, 2, 3, 4], True),
        (COLOR, b"1 2\0", [1, 2, 255], False),
        (COLOR, b"-5 300 3\0", [0, 255, 3], False),
        (MODE, b"5\0", "best", True),
        (MODE, b"7\0", 7, True),
        (MODE, b"01\0", "on", False),
        (BITS, b"19\0", {"mode": "high", "lit": True, "fast": True}, True),
        (BITS, b"4\0", {"mode": 2, "lit": False, "fast": False}, True),
        (BITS, b"41\0", {"mode": "low", "lit": True, "fast": False, "other_bits": 40}, True),
    ],
)
def test_stored_text_decodes(codec: ValueCodec, raw: bytes, value: Value, canonical: bool) -> None:
    decoded = make(codec).decode(raw, "cp1252")
    assert decoded.value == value
    assert type(decoded.value) is type(value)
    assert decoded.canonical is canonical
    assert make(codec).edit(raw, decoded.value, "cp1252") == raw


def test_negative_zero_keeps_its_bytes() -> None:
    decoded = make(FLOAT).decode(b"-0\0", "cp1252")
    assert math.copysign(1.0, decoded.value) == -1.0  # type: ignore[arg-type]
    assert decoded.canonical


@pytest.mark.parametrize(
    ("codec", "raw"),
    [
        (TEXT, b""),
        (TEXT, b"abc"),
        (TEXT, b"a\0b\0"),
        (TEXT, b"\x81\0"),
        (TEXT, b"\xef\xbb\xbfcaf\xe9\0"),
        (INT, b"\0"),
        (INT, b"1"),
        (INT, b"1\0\0\0"),
        (INT, b"1.0\0"),
        (INT, b" 1\0"),
        (INT, b"\xb2\0"),
        (INT, b"2147483648\0"),
        (INT, b"9" * 5000 + b"\0"),
        (BOOL, b"2\0"),
        (BOOL, b"true\0"),
        (FLOAT, b"abc\0"),
        (FLOAT, b"1.0f\0"),
        (FLOAT, b"nan\0"),
        (FLOAT, b"1e39\0"),
        (FLOAT, b"1e999\0"),
        (FLOAT, b".\0"),
        (FLOAT, b"\0"),
        (COLOR, b"\0"),
        (COLOR, b"1 2 x\0"),
        (COLOR, b"1  2 3\0"),
        (COLOR, b"1 2 3 4 5\0"),
        (MODE, b"best\0"),
        (BITS, b"-1\0"),
        (BITS, b"2147483648\0"),
    ],
)
def test_text_of_another_type_is_a_decode_error_and_read_only(
    codec: ValueCodec, raw: bytes
) -> None:
    with pytest.raises(DecodeError, match=r"^P1: .*expected"):
        make(codec).decode(raw, "cp1252")
    with pytest.raises(EditError, match="read-only"):
        make(codec).edit(raw, "1", "cp1252")


@given(
    st.binary(max_size=12).map(lambda body: body + b"\0")
    | st.text(max_size=8).map(lambda text: text.encode("utf-8-sig") + b"\0")
)
def test_any_bytes_decode_to_a_value_that_encodes_to_the_same_value(raw: bytes) -> None:
    for codec in (TEXT, INT, BOOL, FLOAT, COLOR, MODE, BITS):
        prop = make(codec)
        try:
            decoded = prop.decode(raw, "cp1252")
        except DecodeError:
            continue
        again = prop.encode(decoded.value, stored_code_page(raw, "cp1252"))
        assert prop.decode(again, "cp1252").value == decoded.value
        assert prop.decode(again, "cp1252").canonical
        assert decoded.canonical is (again == raw)


@given(st.text(alphabet="0123456789+-.,e ", max_size=12))
def test_number_like_text_decodes_as_python_reads_it(text: str) -> None:
    try:
        value = make(FLOAT).decode(text.encode() + b"\0", "cp1252").value
    except DecodeError:
        return
    assert value == float(text.replace(",", "."))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_floats_are_written_so_that_they_read_back(value: float) -> None:
    raw = make(FLOAT).encode(value, "cp1252")
    assert float(raw[:-1]) == value
    assert raw.endswith(b"\0")
    assert b"e" not in raw or not 1e-16 <= abs(value) < 1e16


@pytest.mark.parametrize(
    ("value", "raw"),
    [(1000, b"1000\0"), (1.0, b"1\0"), (0.1, b"0.1\0"), (0.00005, b"0.00005\0"), (-2.5, b"-2.5\0")],
)
def test_float_text_is_short_and_has_no_exponent(value: float, raw: bytes) -> None:
    assert make(FLOAT).encode(value, "cp1252") == raw


def test_text_uses_the_code_page_of_the_scene() -> None:
    prop = make(TEXT)
    raw = "木".encode("cp932") + b"\0"
    assert prop.decode(raw, "cp932").value == "木"
    assert prop.encode("木", "cp932") == raw
    with pytest.raises(EditError, match="cp1252"):
        prop.encode("木", "cp1252")


def test_an_edit_keeps_the_encoding_of_the_entry() -> None:
    assert make(TEXT).edit(b"\xef\xbb\xbfa\0", "木", "cp1252") == b"\xef\xbb\xbf\xe6\x9c\xa8\0"
    assert make(TEXT).edit(b"a\0", "é", "cp1252") == b"\xe9\0"


# --- edits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codec", "value"),
    [
        (TEXT, 1),
        (TEXT, "a\0b"),
        (TEXT, "\ud800"),
        (TEXT, "ï»¿"),  # its bytes would read back as the mark of UTF-8
        (INT, True),
        (INT, 1.0),
        (INT, 2**31),
        (BOOL, 1),
        (BOOL, "1"),
        (FLOAT, True),
        (FLOAT, "1"),
        (FLOAT, math.nan),
        (FLOAT, math.inf),
        (FLOAT, 10**400),
        (COLOR, [1, 2]),
        (COLOR, [1, 2, 256]),
        (COLOR, [1, 2, True]),
        (COLOR, "1 2 3"),
        (MODE, "Best"),
        (MODE, True),
        (MODE, 2**31),
        (BITS, 3),
        (BITS, {"mode": "low", "lit": True}),
        (BITS, {"mode": "middle", "lit": True, "fast": True}),
        (BITS, {"mode": 4, "lit": True, "fast": True}),
        (BITS, {"mode": "low", "lit": 1, "fast": True}),
        (BITS, {"mode": "low", "lit": True, "fast": True, "slow": True}),
        (BITS, {"mode": "low", "lit": True, "fast": True, "other_bits": 16}),
        (BITS, {"mode": "low", "lit": True, "fast": True, "other_bits": -32}),
    ],
)
def test_wrong_new_value_is_an_edit_error(codec: ValueCodec, value: object) -> None:
    with pytest.raises(EditError, match=r"expected .* found"):
        make(codec).encode(value, "cp1252")


def test_range_binds_new_values_only() -> None:
    prop = make(INT, minimum=0, maximum=10)
    assert prop.decode(b"11\0", "cp1252").value == 11
    assert prop.edit(b"11\0", 11, "cp1252") == b"11\0"
    assert prop.edit(b"11\0", 10, "cp1252") == b"10\0"
    for value in (-1, 12):
        with pytest.raises(EditError, match=r"^plug\.value: value too"):
            prop.edit(b"11\0", value, "cp1252")


def test_unchanged_value_keeps_its_spelling_and_a_new_one_is_canonical() -> None:
    prop = make(FLOAT)
    assert prop.edit(b"1.50\0", 1.5, "cp1252") == b"1.50\0"
    assert prop.edit(b"1.0\0", 1, "cp1252") == b"1.0\0"
    assert prop.edit(b"1.50\0", 2.5, "cp1252") == b"2.5\0"
    assert prop.edit(None, 1.5, "cp1252") == b"1.5\0"


def test_enum_accepts_the_number_and_shows_the_name() -> None:
    prop = make(MODE)
    assert prop.check(5) == "best"
    assert prop.encode("best", "cp1252") == prop.encode(5, "cp1252") == b"5\0"
    assert prop.encode(7, "cp1252") == b"7\0"


def test_part_of_a_bit_field_changes_only_its_bits() -> None:
    prop = make(BITS, default=BITS.parse("16"))
    assert prop.edit(b"41\0", {"mode": "high"}, "cp1252") == b"43\0"  # 41 = 32 + 8 (unnamed) + 1
    assert prop.edit(b"41\0", {"other_bits": 0}, "cp1252") == b"1\0"
    assert prop.edit(b"041\0", {"lit": True}, "cp1252") == b"041\0"
    assert prop.edit(None, {"lit": True}, "cp1252") == b"17\0"


# --- registry -------------------------------------------------------------------------------------


def test_lookup_by_key_and_by_place() -> None:
    first, second = make(INT, 1, "plug.a"), make(BITS, 2, "plug.deep.b")
    registry = AppDataRegistry([second, first])
    assert registry.by_key(first.key) is first
    assert registry.by_toml_path(["plug", "deep", "b"]) is second
    assert registry.by_key(AppDataKey(1, 2, 3, 4)) is None
    assert registry.by_toml_path(["plug"]) is None
    assert list(registry) == [second, first]
    assert list(registry.groups().items()) == [(("plug",), (first,)), (("plug", "deep"), (second,))]


@pytest.mark.parametrize(
    ("subid", "path"),
    [(1, "plug.b"), (2, "plug.a"), (2, "plug.a.b"), (2, "plug"), (2, "plug.B"), (2, "plug..b")],
)
def test_conflicting_declaration_is_refused(subid: int, path: str) -> None:
    registry = AppDataRegistry([make(INT, 1, "plug.a")])
    with pytest.raises(ValueError, match=f"P{subid}"):
        registry.register(make(INT, subid, path))
    assert len(registry) == 1


def test_overlapping_bits_and_repeated_names_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        BitFieldCodec(Flag("a", 1), Choice("b", 3, {}))
    with pytest.raises(ValueError, match="repeat"):
        BitFieldCodec(Flag("a", 1), Flag("a", 2))
    with pytest.raises(ValueError, match="repeat"):
        EnumCodec({0: "a", 1: "a"})
