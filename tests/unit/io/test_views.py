"""Typed views: attributes that read and write chunks, on bytes by hand."""

from __future__ import annotations

from struct import pack

import pytest

from maxsidecar.errors import ChunkError, DecodeError, EditError, MaxSidecarError, Where
from maxsidecar.io.chunks import ChunkData
from maxsidecar.io.fields import U32, UTF16, Record, Text8, record_codec, u16
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkList, ChunkView, check_leaves


def narrow(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 + (0x80000000 if container else 0)) + body


def text(chunk_id: int, value: str) -> bytes:
    return narrow(chunk_id, value.encode("utf-16-le"))


def u32(value: int) -> bytes:
    return pack("<I", value)


class Pair(Record):
    """Two words."""

    a: int = u16()
    b: int = u16()


class Item(ChunkView):
    """An entry."""

    __slots__ = ()
    name = ChunkField(0x10, UTF16)
    number = ChunkField(0x11, U32, default=5, after=(0x10,))


class Extra(ChunkView):
    """A nested view with a list of its own."""

    __slots__ = ()
    pair = ChunkField(0x20, record_codec(Pair))
    items = ChunkList(0x30, Item)


class Top(ChunkView):
    """The whole."""

    __slots__ = ()
    title = ChunkField(0x01, UTF16, default="none", after=())
    count = ChunkField(0x02, U32, after=(0x01,))
    loose = ChunkField(0x03, Text8("cp932"))
    items = ChunkList(0x30, Item)
    extra = ChunkChild(0x40, Extra)


PLACE = Where("a.max", "Config", "2004[0]")


def item(name: str, *more: bytes) -> bytes:
    return narrow(0x30, text(0x10, name) + b"".join(more), True)


def top(body: bytes) -> Top:
    return Top(ChunkData(body, 0x100, PLACE))


def test_fields_read_and_write_their_chunk() -> None:
    view = top(text(1, "old") + narrow(2, u32(7)) + b"")
    assert (view.title, view.count) == ("old", 7)
    view.title = "a new title"
    view.count = 8
    assert view.data.data == text(1, "a new title") + narrow(2, u32(8))
    assert (view.title, view.count) == ("a new title", 8)
    view.title, view.count = "old", 7
    assert not view.data.edited


def test_an_absent_chunk_gives_the_default() -> None:
    view = top(b"")
    assert (view.title, view.count, view.loose) == ("none", None, None)
    assert view.items == []
    assert view.extra is None
    assert Top.title.chunk_id == 1
    assert Top.title.name == "title"
    assert Top.items.view is Item
    assert Top.extra is not None


def test_an_absent_chunk_is_written_behind_those_that_come_before() -> None:
    view = top(narrow(9) + text(1, "a") + narrow(8))
    view.count = 3
    assert view.data.data == narrow(9) + text(1, "a") + narrow(2, u32(3)) + narrow(8)
    view = top(narrow(9))
    view.title = "t"
    assert view.data.data == text(1, "t") + narrow(9)


def test_an_absent_chunk_without_a_place_is_refused() -> None:
    view = top(narrow(9))
    with pytest.raises(EditError, match="loose is not stored here") as caught:
        view.loose = "x"
    assert caught.value.where == Where("a.max", "Config", "2004[0]", 0x100)
    assert not view.data.edited


def test_a_record_that_would_not_be_written_the_same_is_read_only() -> None:
    body = narrow(9) + narrow(3, b"\xfa\x5c")
    view = top(body)
    assert view.loose == "纊"
    with pytest.raises(EditError, match=r"loose is read-only: .*not be written the same") as caught:
        view.loose = "x"
    assert caught.value.where == Where("a.max", "Config", "2004[0]/0003[1]", 0x106)
    assert (caught.value.expected, caught.value.found) == ("fa5c", "ed40")
    assert view.data.data == body


def test_a_value_that_does_not_fit_is_refused_with_the_place() -> None:
    view = top(text(1, "a") + narrow(2, u32(7)))
    with pytest.raises(EditError, match="count: number out of range") as caught:
        view.count = -1
    assert caught.value.where == Where("a.max", "Config", "2004[0]/0002[1]", 0x108)
    absent = top(b"")
    with pytest.raises(EditError, match="count: number out of range") as caught:
        absent.count = 2**32
    assert caught.value.where == Where("a.max", "Config", "2004[0]", 0x100)
    assert not view.data.edited
    assert not absent.data.edited


def test_a_damaged_field_says_where_it_is() -> None:
    view = top(text(1, "a") + narrow(2, b"123"))
    with pytest.raises(DecodeError) as caught:
        view.count  # noqa: B018 - reading is the test
    assert caught.value.where == Where("a.max", "Config", "2004[0]/0002[1]", 0x108)


def test_a_container_in_place_of_a_value_is_not_read_as_one() -> None:
    view = top(narrow(2, b"", True) + narrow(2, u32(1)))
    with pytest.raises(DecodeError, match="holds chunks"):
        view.count  # noqa: B018 - reading is the test
    with pytest.raises(EditError, match="count is read-only"):
        view.count = 2
    assert list(view.typed_leaves()) == []


# --- nested views ----------------------------------------------------------------------------


def three_items() -> Top:
    return top(b"".join(item(name, narrow(0x11, u32(ord(name)))) for name in "abc"))


def test_firsts_are_the_first_of_each_id() -> None:
    view = top(text(1, "old") + narrow(2, u32(7)) + narrow(2, u32(8)) + narrow(0x40, b"", True))
    spans = view.firsts()
    assert list(map(hex, sorted(spans))) == ["0x1", "0x2", "0x40"]
    _, start, body, end, container, _ = spans[2]
    assert (start, bytes(view.data.data[body:end]), container) == (12, u32(7), False)
    assert spans[0x40][4]
    assert view.extra is not None
    assert view.extra.firsts() == {}
    view.title = "longer"
    assert view.firsts()[2][1] == 18
    with pytest.raises(ChunkError):
        top(narrow(2, u32(7)) + b"x").firsts()


def test_entries_are_views_of_the_live_tree() -> None:
    view = three_items()
    first, second, third = view.items
    first.name = "a much longer name"
    third.name = "z"
    second.number = 9
    assert view.data.data == (
        item("a much longer name", narrow(0x11, u32(97)))
        + item("b", narrow(0x11, u32(9)))
        + item("z", narrow(0x11, u32(99)))
    )
    assert [entry.name for entry in view.items] == ["a much longer name", "b", "z"]


def test_an_entry_stays_the_same_when_others_come_and_go() -> None:
    view = three_items()
    first, second, third = view.items
    view.data.insert(None, 0, 0x30, text(0x10, "new"), container=True)
    assert (first.name, second.name, third.name) == ("a", "b", "c")
    chunk = second.container()
    assert chunk is not None
    chunk.remove()
    third.name = "changed"
    assert [entry.name for entry in view.items] == ["new", "a", "changed"]
    with pytest.raises(EditError, match="no longer there"):
        second.name  # noqa: B018 - reading is the test
    with pytest.raises(EditError, match="no longer there"):
        second.name = "x"


def test_a_nested_absent_field_is_written() -> None:
    view = top(narrow(0x40, narrow(0x20, b"\1\0\2\0") + item("n"), True) + narrow(9))
    extra = view.extra
    assert extra is not None
    (entry,) = extra.items
    assert entry.number == 5
    entry.number = 6
    extra.pair = Pair(a=3, b=4)
    entry.name = "later"
    assert view.data.data == narrow(
        0x40, narrow(0x20, b"\3\0\4\0") + item("later", narrow(0x11, u32(6))), True
    ) + narrow(9)
    assert entry.where.path == "2004[0]/0040[0]/0030[1]"


def test_a_view_of_a_leaf_is_no_child() -> None:
    view = top(narrow(0x40, b"data") + narrow(0x30, b"data"))
    assert view.extra is None
    (entry,) = view.items
    with pytest.raises(ChunkError, match="holds data"):
        entry.name  # noqa: B018 - reading is the test


def test_declarations_are_inherited_and_replaced() -> None:
    class Sub(Top):
        __slots__ = ()
        count = ChunkField(0x02, U32, default=0)
        more = ChunkField(0x05, U32)

    assert list(Sub.declared) == ["title", "count", "loose", "items", "extra", "more"]
    assert Sub.declared["count"] is vars(Sub)["count"]
    assert list(Top.declared) == ["title", "count", "loose", "items", "extra"]


# --- typed leaves ----------------------------------------------------------------------------


def names(view: ChunkView) -> list[str]:
    return [name for _, name, _ in view.typed_leaves()]


def test_typed_leaves_name_each_claimed_leaf_once() -> None:
    view = top(
        text(1, "t")
        + text(1, "not claimed: the second of its id")
        + narrow(9, b"unknown")
        + item("a", narrow(0x11, u32(1)), narrow(0x12))
        + narrow(0x40, narrow(0x20, b"\1\0\2\0") + item("n"), True)
        + narrow(0x40, narrow(0x20, b"\1\0\2\0"), True)
        + item("b")
    )
    assert names(view) == [
        "title",
        "items[0].name",
        "items[0].number",
        "extra.pair",
        "extra.items[0].name",
        "items[1].name",
    ]
    assert view.items[1].name == "b"
    problems: list[MaxSidecarError] = []
    # 2 + 2 + 4 + 4 + 2 + 2 bytes
    assert check_leaves(view.typed_leaves(), problems.append) == (6, 16)
    assert problems == []


def test_check_leaves_reports_what_does_not_decode() -> None:
    view = top(text(1, "ab") + narrow(2, b"123") + narrow(3, b"\xfa\x5c"))
    problems: list[MaxSidecarError] = []
    assert check_leaves(view.typed_leaves(), problems.append) == (1, 4)
    assert [str(problem) for problem in problems] == [
        "a.max › Config › 2004[0]/0002[1] › offset 0x10a: count: u32 has the wrong size "
        "(expected 4 bytes, found 3)",
        "a.max › Config › 2004[0]/0003[2] › offset 0x113: loose: the 8-bit text would not be "
        "written the same (expected fa5c, found ed40)",
    ]


def test_a_damaged_entry_does_not_hide_the_others() -> None:
    bad = narrow(0x30, b"bad", True)
    view = top(item("a") + bad + item("b") + bad)
    problems: list[MaxSidecarError] = []
    assert check_leaves(view.typed_leaves(), problems.append) == (2, 4)
    (problem,) = problems
    assert isinstance(problem, ChunkError)
    assert problem.where.path == "2004[0]/0030[1]"
    assert "1 more containers here are damaged" in str(problem)
