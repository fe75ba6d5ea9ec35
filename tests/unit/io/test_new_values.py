"""What a user gives must be numbers and text; what files hold besides may stay where it is."""

from __future__ import annotations

from dataclasses import dataclass
from struct import pack
from typing import Any

import pytest

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import ChunkData
from maxsidecar.io.codecs import F32, UTF16, Array
from maxsidecar.io.fields import Record, Text8, f32, record_codec
from maxsidecar.io.new_values import check_new
from maxsidecar.io.views import ChunkField, ChunkView

INF, NAN = float("inf"), float("nan")


class Pair(Record):
    """Two numbers."""

    a: float = f32()
    b: float = f32()


@dataclass
class Named:
    """A text and numbers."""

    text: str
    numbers: tuple[float, ...] = ()


class View(ChunkView):
    """One chunk of each kind."""

    __slots__ = ()
    number = ChunkField(1, F32)
    numbers = ChunkField(2, Array(F32, 2))
    pair = ChunkField(3, record_codec(Pair))
    text = ChunkField(4, UTF16)
    narrow = ChunkField(5, Text8("latin-1", terminated=True))
    absent = ChunkField(6, F32, after=())


def view(number: float = 1.0, text: bytes = b"a\0") -> View:
    bodies = {
        1: pack("<f", number),
        2: pack("<2f", number, 2),
        3: pack("<2f", number, 2),
        4: text,
        5: text[::2] + b"\0",
    }
    chunks = (pack("<HI", n, len(body) + 6) + body for n, body in bodies.items())
    return View(ChunkData(b"".join(chunks)))


BAD: list[tuple[str, Any]] = [
    *(("number", n) for n in (INF, -INF, NAN)),
    *(("absent", n) for n in (INF, -INF, NAN)),
    ("numbers", (1.0, NAN)),
    ("numbers", (INF, 1.0)),
    ("pair", Pair(a=1.0, b=-INF)),
    ("pair", Pair(a=NAN, b=0.0)),
    *(("text", text) for text in ("a\0b", "\0", "\ud800", "x\udc00", "\ude00\ud83d")),
    *(("narrow", text) for text in ("a\0", "\0b")),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_they_are_refused_and_nothing_changes(name: str, value: Any) -> None:
    changed = view()
    before = bytes(changed.data.data)
    with pytest.raises(EditError, match=f"{name}: a (number must be finite|text cannot hold)"):
        setattr(changed, name, value)
    assert bytes(changed.data.data) == before


@pytest.mark.parametrize("number", [INF, -INF, NAN])
def test_what_is_there_may_stay_or_be_replaced(number: float) -> None:
    changed = view(number, b"\0\0\0\xd8")
    changed.text = f"{changed.text}a"
    changed.narrow = f"{changed.narrow}a"
    assert (changed.text, changed.narrow) == ("\0\ud800a", "\0\0a")
    changed.text = "b"
    with pytest.raises(EditError):
        changed.text = "\0"
    before = bytes(changed.data.data)
    changed.number = changed.number or 0.0
    changed.numbers = changed.numbers or ()
    changed.pair = changed.pair or Pair(a=0.0, b=0.0)
    assert bytes(changed.data.data) == before
    assert changed.pair is not None
    changed.pair = changed.pair.replace(b=3.0)
    with pytest.raises(EditError):
        changed.pair = Pair(a=1.0, b=number)
    changed.number, changed.numbers, changed.pair = 4.0, (5.0, 6.0), Pair(a=7.0, b=8.0)
    for field, value in (
        ("number", number),
        ("numbers", (number, 1.0)),
        ("pair", Pair(a=number, b=8.0)),
    ):
        with pytest.raises(EditError):
            setattr(changed, field, value)


def test_lists_mappings_and_dataclasses_are_looked_into() -> None:
    check_new([1.0, "a", None, {"b": (2.0,)}, Named("c"), b"\0", 10**400])
    for value in ([[NAN]], {"a": [INF]}, Named("\0"), Named("a", (NAN,)), (("a", "\udfff"),)):
        with pytest.raises(EditError):
            check_new(value)
        check_new(value, value)


def test_a_list_without_an_end_is_no_trouble() -> None:
    endless: list[Any] = []
    endless.append(endless)
    check_new(endless)
