"""Kinds of values: every bit is kept, and what does not fit is refused."""

from __future__ import annotations

import math
import pickle
from struct import pack
from typing import Any

import numpy as np
import pytest

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.nel.serial.arrays import Array, BitVector, Blob, FixedArray
from maxsidecar.nel.serial.containers import Fixed, List, Map, UnsortedMap
from maxsidecar.nel.serial.kinds import (
    BOOL,
    F32,
    I16,
    I32,
    RGBA,
    STRING,
    U8,
    U16,
    U64,
    VEC3,
    Enum,
    Kind,
    Magic,
    OddFloat,
    Tracked,
    Version,
    plain_float,
)
from maxsidecar.nel.serial.stream import Reader, Writer

RECORD = np.dtype([("version", "u1"), ("value", "<u2")])


def read(kind: Kind[Any], raw: bytes) -> Any:
    reader = Reader(raw)
    value = kind.read(reader)
    assert reader.pos == len(raw)
    return value


def write(kind: Kind[Any], value: Any) -> bytes:
    writer = Writer()
    kind.write(writer, value)
    return bytes(writer.out)


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        (U8, b"\xff", 255),
        (I16, b"\xfe\xff", -2),
        (I32, b"\xff\xff\xff\xff", -1),
        (U64, b"\1\0\0\0\0\0\0\x80", 0x8000000000000001),
        (BOOL, b"\0", False),
        (BOOL, b"\1", True),
        (BOOL, b"\xcd", 0xCD),  # never initialised
        (F32, pack("<f", 0.1), float(np.float32(0.1))),
        (VEC3, pack("<3f", 1, -2, 0.5), (1.0, -2.0, 0.5)),
        (RGBA, b"\1\2\3\xff", (1, 2, 3, 255)),
        (STRING, b"\3\0\0\0a\xc3\xa9", "a\N{LATIN SMALL LETTER E WITH ACUTE}"),
        (STRING, b"\2\0\0\0a\xe9", "a\udce9"),  # an old code page
        (Magic(b"SKWT"), b"SKWT", b"SKWT"),
        (Version(6), b"\5", 5),
        (Tracked(F32), b"\0" + pack("<f", 2.0), 2.0),
        (Blob(), b"\2\0\0\0\0\1", b"\0\1"),
        (List(STRING), pack("<iI", 1, 1) + b"x", ["x"]),
        (Fixed(U16, 2), b"\1\0\2\0", [1, 2]),
        (Map(STRING, U8), pack("<iI", 2, 1) + b"a\7" + pack("<I", 1) + b"b\5", {"a": 7, "b": 5}),
    ],
)  # fmt: skip
def test_single_values(kind: Kind[Any], raw: bytes, value: Any) -> None:
    found = read(kind, raw)
    assert found == value
    assert type(found) is type(value)
    assert write(kind, value) == write(kind, found) == raw
    assert kind.least <= len(raw)


@pytest.mark.parametrize("bits", [0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FA5A5A5, 0xFFFFFFFF])
def test_the_bits_of_what_is_no_number(bits: int) -> None:
    raw = bits.to_bytes(4, "little")
    value = read(F32, raw)
    assert math.isnan(value)
    assert write(F32, value) == raw
    again = pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes
    assert write(F32, again) == raw
    assert write(VEC3, read(VEC3, raw * 3)) == raw * 3
    assert isinstance(value, OddFloat)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (U8, 256), (U8, -1), (U8, "1"), (I32, 1 << 31), (BOOL, 256), (BOOL, "yes"), (F32, 1e39),
        (F32, "1"), (VEC3, (1.0, 2.0)), (VEC3, 1.0), (RGBA, (0, 0, 0, 256)), (STRING, b"a"),
        (STRING, "\ud800"), (Magic(b"SKWT"), b"SHAP"), (Version(6), 7), (Version(6, oldest=6), 5),
        (Version(6), None), (Blob(), "a"), (List(U8), None), (Fixed(U8, 2), [1]), (Map(U8, U8), []),
        (List(U8), [1, 300]), (Map(U8, U8), {1: 300}), (Enum({0: "a"}), 1 << 31),
        (Array("<u2", "u16"), [70000]), (Array("<u2", "u16"), [-1]), (Array("<u2", "u16"), [0.5]),
        (Array(("<f4", 3), "vec"), [[1.0, 2.0]]), (Array("<f4", "f32"), [1e39]),
        (Array(RECORD, "record"), [1, 2]), (Array("<u2", "u16"), None), (Array("u1", "u8"), "ab"),
        (Array("<u2", "u16"), [[1], [1, 2]]), (FixedArray("<u4", 16, "u32"), [0] * 15),
        (BitVector(), [0, 2]), (BitVector(), [[0], [1]]),
        (Array(RECORD, "record", zero=("version",)), np.ones(2, RECORD)),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(kind: Kind[Any], value: Any) -> None:
    with pytest.raises(EditError):
        write(kind, value)


def test_numbers_of_numpy() -> None:
    assert write(BOOL, np.bool_(True)) == b"\1"
    assert write(U8, np.uint16(7)) == write(Version(9), np.int64(7)) == b"\7"
    assert write(F32, np.float32(0.1)) == write(F32, np.float64(0.1)) == pack("<f", 0.1)
    assert write(VEC3, np.array([1, 2, 3])) == pack("<3f", 1, 2, 3)
    assert write(RGBA, np.array([1, 2, 3, 4], np.uint8)) == b"\1\2\3\4"


def test_arrays_are_views_of_the_file() -> None:
    raw = pack("<i", 3) + bytes(range(6))
    array = read(Array("<u2", "u16"), raw)
    assert array.tolist() == [0x0100, 0x0302, 0x0504]
    assert np.shares_memory(array, np.frombuffer(raw, "u1"))
    assert not array.flags.writeable
    assert write(Array("<u2", "u16"), array) == raw
    assert write(Array("<u2", "u16"), array.tolist()) == raw
    assert write(Array("<u2", "u16"), array.astype(">i8")) == raw


def test_rows_and_rounding() -> None:
    kind = Array(("<f4", 3), "vec")
    raw = pack("<i6f", 2, 1, 2, 3, 4, 5, 6)
    assert read(kind, raw).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert write(kind, np.arange(1, 7, dtype=np.float64).reshape(2, 3)) == raw
    assert write(kind, []) == write(kind, kind.fresh()) == b"\0\0\0\0"
    assert write(Array("<f4", "f32"), [0.1, math.inf]) == pack("<i2f", 2, 0.1, math.inf)


def test_versions_in_arrays() -> None:
    kind = Array(RECORD, "record", zero=("version",))
    assert read(kind, pack("<i", 2) + b"\0\1\0\0\2\0")["value"].tolist() == [1, 2]
    with pytest.raises(DecodeError, match="element 1: the version is newer") as caught:
        read(kind, pack("<i", 2) + b"\0\1\0\1\2\0")
    assert caught.value.where.offset == 7


def test_bits() -> None:
    raw = pack("<i", 10) + b"\x05\x02"
    assert np.flatnonzero(read(BitVector(), raw)).tolist() == [0, 2, 9]
    assert write(BitVector(), [1, 0, 1] + [0] * 6 + [1]) == raw
    with pytest.raises(DecodeError, match="unused bits"):
        read(BitVector(), pack("<i", 10) + b"\x05\x04")


def test_maps_are_in_the_order_of_the_game() -> None:
    kind = Map(STRING, U8)
    text = b"".join(pack("<I", 1) + name + b"\0" for name in (b"B", b"a"))
    assert write(kind, {"a": 0, "B": 0}) == pack("<i", 2) + text
    # Bytes above 0x7f sort behind ASCII, whatever the text stands for.
    assert list(read(kind, write(kind, {"\udcff": 0, "z": 0}))) == ["z", "\udcff"]
    other = pack("<i", 2) + b"".join(pack("<I", 1) + name + b"\0" for name in (b"a", b"B"))
    unsorted = read(kind, other)
    assert isinstance(unsorted, UnsortedMap)
    assert write(kind, unsorted) == other
    with pytest.raises(DecodeError, match="twice"):
        read(kind, pack("<i", 2) + (pack("<I", 1) + b"a\0") * 2)


@pytest.mark.parametrize(
    ("kind", "raw", "words"),
    [
        (Version(6), b"\7", "newer"),
        (Version(6), b"\xff\0\1\0\0", "newer"),
        (Version(6), b"\xff\1\0\0\0", "32 bits that fits 8"),
        (Version(6, oldest=6), b"\3", "the game refuses"),
        (Tracked(F32), b"\1\0\0\0\0", "newer"),
        (Magic(b"SKWT"), b"SKWX", "wrong magic"),
        (STRING, pack("<I", 1_000_001) + bytes(1_000_001), "too long"),
        (STRING, pack("<I", 5) + b"1234", "ends too early"),
        (F32, b"\0\0\0", "ends too early"),
        (Array("<u2", "u16"), pack("<i", -1), "0 to 0"),
        (Array("<u2", "u16"), pack("<i", 0x7FFFFFFF) + bytes(4), "0 to 2"),
        (List(STRING), pack("<i", 0x7FFFFFFF) + bytes(8), "0 to 2"),
        (Blob(), pack("<i", 5) + bytes(4), "0 to 4"),
        (BitVector(), pack("<i", 0x7FFFFFFF) + bytes(4), "0 to 4"),
        (BitVector(), pack("<i", -9) + bytes(4), "0 to 4"),
        (Map(U8, U8), pack("<i", 3) + bytes(4), "0 to 2"),
    ],
)
def test_damage(kind: Kind[Any], raw: bytes, words: str) -> None:
    with pytest.raises(DecodeError, match=words) as caught:
        read(kind, raw)
    assert caught.value.where.offset is not None


def test_short_numbers() -> None:
    assert plain_float(float(np.float32(0.1))) == 0.1
    assert plain_float(16777216.0) == 16777216.0
    assert np.float32(plain_float(float(np.float32(1 / 3)))) == np.float32(1 / 3)
    assert Enum({1: "one"}).plain(1) == "one"
    assert Enum({1: "one"}).plain(2) == 2
