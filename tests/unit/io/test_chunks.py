"""Chunk headers and editable chunks, on bytes written by hand."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack
from typing import Any

import pytest

from maxsidecar.errors import ChunkError, EditError, Where
from maxsidecar.io.chunks import (
    NARROW,
    OPEN_NARROW,
    OPEN_WIDE,
    WIDE,
    Chunk,
    ChunkData,
    encode_header,
    scan,
)
from maxsidecar.io.headers import scan_sound

PLACE = Where("a.max", "Config")
MIB = 1 << 20


def narrow(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 + (0x80000000 if container else 0)) + body


def wide(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HIQ", chunk_id, 0, len(body) + 14 + ((1 << 63) if container else 0)) + body


def nth(data: ChunkData, *positions: int) -> Chunk:
    chunk: Chunk | None = None
    for position in positions:
        children = list(data.chunks() if chunk is None else chunk.chunks())
        chunk = children[position]
    assert chunk is not None
    return chunk


# --- headers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "container", "expected"),
    [
        (0, False, "3412 06000000"),
        (0, True, "3412 06000080"),
        (0x7FFFFFFE - 6, True, "3412 feffffff"),
        (0x7FFFFFFF - 6, False, "3412 ffffff7f"),
        # The narrow container of this size would read as an open header.
        (0x7FFFFFFF - 6, True, "3412 00000000 0700008000000080"),
        (0x80000000 - 6, False, "3412 00000000 0800008000000000"),
        (0x1_0000_0000, True, "3412 00000000 0e00000001000080"),
    ],
)
def test_a_narrow_header_becomes_wide_when_the_size_does_not_fit(
    size: int, container: bool, expected: str
) -> None:
    assert encode_header(0x1234, size, container) == bytes.fromhex(expected)


def test_the_other_forms_stay_as_they_are() -> None:
    assert encode_header(0x2034, 2, False, WIDE) == bytes.fromhex("3420 00000000 1000000000000000")
    assert encode_header(0x2210, 99, True, OPEN_NARROW) == bytes.fromhex("1022 ffffffff")
    assert encode_header(0x2029, 99, True, OPEN_WIDE) == bytes.fromhex(
        "2920 01000000 ffffffffffffffff"
    )


def test_scan_lists_one_level() -> None:
    data = narrow(1, b"ab") + wide(2, narrow(3), container=True) + narrow(4)
    assert scan(data, 0, len(data)) == [
        (1, 0, 6, 8, False, NARROW),
        (2, 8, 22, 28, True, WIDE),
        (4, 28, 34, 34, False, NARROW),
    ]


@pytest.mark.parametrize(
    ("head", "form"),
    [("2920 01000000 ffffffffffffffff", OPEN_WIDE), ("1022 ffffffff", OPEN_NARROW)],
)
def test_an_open_header_is_only_for_the_first_chunk_of_a_stream(head: str, form: int) -> None:
    opened = bytes.fromhex(head)
    data = opened + narrow(7, b"x")
    chunk_id = int.from_bytes(opened[:2], "little")
    assert scan(data, 0, len(data), root=True) == [
        (chunk_id, 0, len(opened), len(data), True, form)
    ]
    with pytest.raises(ChunkError):
        scan(data, 0, len(data))
    later = narrow(1) + data
    with pytest.raises(ChunkError) as caught:
        scan(later, 0, len(later), root=True)
    assert caught.value.where.offset == 6


@pytest.mark.parametrize(
    ("data", "offset", "expected", "found"),
    [
        (narrow(1) + b"\1\2\3\4\5", 6, "6 bytes", 5),
        (narrow(1) + bytes.fromhex("0200 00000000 10000000"), 6, "14 bytes", 10),
        (narrow(1) + bytes.fromhex("0200 05000000"), 6, "at least 6 bytes", 5),
        (narrow(1) + bytes.fromhex("0200 00000080"), 6, "at least 6 bytes", 0),
        (bytes.fromhex("0200 00000000 0d00000000000080"), 0, "at least 14 bytes", 13),
        (narrow(1, b"abc")[:-1], 0, "at most 8 bytes", 9),
        (narrow(9) + wide(1, b"abc")[:-1], 6, "at most 16 bytes", 17),
        (bytes.fromhex("0200 00000000 ffffffffffffff7f"), 0, "at most 14 bytes", 2**63 - 1),
        (bytes.fromhex("0200 ffffffff"), 0, "at most 6 bytes", 0x7FFFFFFF),
    ],
)
def test_damage_is_told_with_offset_expected_and_found(
    data: bytes, offset: int, expected: str, found: int
) -> None:
    with pytest.raises(ChunkError) as caught:
        scan(data, 0, len(data))
    assert caught.value.where.offset == offset
    assert (caught.value.expected, caught.value.found) == (expected, found)
    spans, error = scan_sound(data, 0, len(data))
    assert str(error) == str(caught.value)
    assert spans == scan(data, 0, offset)


# --- places ----------------------------------------------------------------------------------


def test_an_error_in_a_nested_container_says_where_it_is() -> None:
    inner = narrow(0x0963) + narrow(0x0964, b"1234")[:-2]
    body = narrow(0x0101) + wide(0x0202, inner, container=True)
    data = ChunkData(body, 0x500, Where("a.max", "Scene", "2004[0]/0001[7]"))
    with pytest.raises(ChunkError) as caught:
        list(nth(data, 1).chunks())
    assert str(caught.value) == (
        "a.max › Scene › 2004[0]/0001[7]/0202[1] › offset 0x51a: "  # 0x500 + 6 + 14 + 6
        "chunk 0964 ends outside its parent (expected at most 8 bytes, found 10)"
    )


def test_a_chunk_knows_its_path_and_absolute_offset() -> None:
    body = narrow(1) + narrow(2, narrow(3) + wide(3, b"x"), container=True)
    chunk = nth(ChunkData(body, 100, PLACE), 1, 1)
    assert str(chunk.where) == "a.max › Config › 0002[1]/0003[1] › offset 0x76"  # 100+6+6+6
    assert bytes(chunk.data) == b"x"
    assert bytes(chunk.raw) == wide(3, b"x")
    assert chunk.trail == (1, 1)


# --- edits -----------------------------------------------------------------------------------


def test_an_edit_changes_the_body_and_the_sizes_around_it() -> None:
    def tree(leaf: bytes) -> bytes:
        inner = narrow(5, b"before") + wide(6, leaf) + narrow(7, b"after")
        return narrow(1, b"x") + wide(2, narrow(3, inner, True), True) + narrow(4, b"y")

    data = ChunkData(tree(b"old"), 0, PLACE)
    nth(data, 1, 0, 1).replace(b"a longer body")
    assert data.data == tree(b"a longer body")
    assert data.edited
    nth(data, 1, 0, 1).replace(b"old")
    assert data.data == tree(b"old")
    assert not data.edited


def test_open_containers_stay_open() -> None:
    for head in (bytes.fromhex("1022 ffffffff"), bytes.fromhex("2920 01000000 ffffffffffffffff")):
        data = ChunkData(head + narrow(1, b"a") + narrow(2), root=True)
        wrapper = nth(data, 0)
        data.insert(wrapper, 1, 9, b"new")
        assert data.data == head + narrow(1, b"a") + narrow(9, b"new") + narrow(2)
        nth(data, 0, 0).remove()
        assert data.data == head + narrow(9, b"new") + narrow(2)


def test_nothing_can_stand_beside_an_open_container() -> None:
    head = bytes.fromhex("1022 ffffffff")
    data = ChunkData(head + narrow(1), root=True)
    for position in (0, 1):
        with pytest.raises(EditError, match="beside"):
            data.insert(None, position, 9, b"")
    assert not data.edited


def test_insert_and_remove_at_each_position() -> None:
    def run(*ids: int) -> bytes:
        return narrow(9, b"".join(narrow(i) for i in ids), True)

    for position, ids in enumerate([(7, 1, 2), (1, 7, 2), (1, 2, 7)]):
        data = ChunkData(run(1, 2))
        data.insert(nth(data, 0), position, 7, b"")
        assert data.data == run(*ids)
        nth(data, 0, position).remove()
        assert data.data == run(1, 2)
        assert not data.edited


@pytest.mark.parametrize(
    ("position", "chunk_id", "body", "container"),
    [(-1, 7, b"", False), (3, 7, b"", False), (0, 0x10000, b"", False), (0, 7, b"xy", True)],
)
def test_an_insert_that_would_damage_the_tree_is_refused(
    position: int, chunk_id: int, body: bytes, container: bool
) -> None:
    data = ChunkData(narrow(9, narrow(1) + narrow(2), True), 50, PLACE)
    with pytest.raises(EditError) as caught:
        data.insert(nth(data, 0), position, chunk_id, body, container=container)
    assert caught.value.where == Where("a.max", "Config", "0009[0]", 50)
    assert not data.edited


def test_a_container_takes_only_a_run_of_chunks() -> None:
    data = ChunkData(narrow(9, narrow(1), True), 50, PLACE)
    with pytest.raises(EditError, match="no run of chunks"):
        nth(data, 0).replace(b"text")
    nth(data, 0).replace(narrow(3) + narrow(4))
    assert [chunk.id for chunk in nth(data, 0).chunks()] == [3, 4]


def test_a_container_of_other_data_is_refused() -> None:
    one, two = ChunkData(narrow(9, narrow(1), True)), ChunkData(narrow(9, narrow(1), True))
    with pytest.raises(EditError, match="other data"):
        one.insert(nth(two, 0), 0, 5, b"")


def test_read_only_data_refuses_every_edit_with_the_reason() -> None:
    data = ChunkData(narrow(9, narrow(1), True), 50, PLACE, read_only="it is cut short")
    leaf, container = nth(data, 0, 0), nth(data, 0)
    edits: list[Callable[[], None]] = [
        lambda: leaf.replace(b"x"),
        leaf.remove,
        lambda: data.insert(container, 0, 5, b""),
        lambda: data.replace_all(b""),
    ]
    for edit in edits:
        with pytest.raises(EditError, match="it is cut short") as caught:
            edit()
        assert caught.value.where == Where("a.max", "Config", None, 50)
    assert not data.edited


# --- header form of new chunks (releases differ: spec max-format-facts) -------------------------


def test_a_new_chunk_has_the_form_of_its_neighbours() -> None:
    for make, form in ((narrow, NARROW), (wide, WIDE)):
        data = ChunkData(make(9, make(1) + make(2), True))
        for position in (0, 1, 3):
            data.insert(nth(data, 0), position, 7, b"")
            assert nth(data, 0, position).form == form
        assert len(data.data) == len(make(9)) + 5 * len(make(1))


def test_a_large_wide_neighbour_says_nothing_about_the_release() -> None:
    large = wide(1, bytes(MIB))
    data = ChunkData(large + narrow(2))
    data.insert(None, 0, 7, b"")
    assert data.data == narrow(7) + large + narrow(2)
    data = ChunkData(large + wide(2))
    data.insert(None, 0, 7, b"")
    assert data.data == wide(7) + large + wide(2)
    alone = ChunkData(wide(9, large, True))
    alone.insert(nth(alone, 0), 1, 7, b"")
    assert alone.data == wide(9, large + narrow(7), True)


def test_the_form_is_given_where_there_is_no_neighbour() -> None:
    data = ChunkData(b"", form=WIDE)
    data.insert(None, 0, 7, b"")
    assert data.data == wide(7)
    data = ChunkData(wide(9, b"", True))
    data.insert(nth(data, 0), 0, 7, b"")
    assert data.data == wide(9, wide(7), True)


# --- stale views -----------------------------------------------------------------------------


def test_a_view_older_than_the_last_edit_is_refused() -> None:
    data = ChunkData(narrow(9, narrow(1, b"a") + narrow(2, b"b"), True))
    container, first, second = nth(data, 0), nth(data, 0, 0), nth(data, 0, 1)
    first.replace(b"longer")
    for use in (
        lambda: second.data,
        lambda: second.raw,
        lambda: second.replace(b"x"),
        second.remove,
        lambda: container.find(2),
        lambda: list(container.chunks()),
        lambda: data.insert(container, 0, 7, b""),
    ):
        with pytest.raises(EditError, match="older than the last edit"):
            use()
    assert data.data == narrow(9, narrow(1, b"longer") + narrow(2, b"b"), True)


def test_replacing_with_the_same_bytes_is_no_edit() -> None:
    data = ChunkData(narrow(9, narrow(1, b"a") + narrow(2, b"b"), True))
    first, second = nth(data, 0, 0), nth(data, 0, 1)
    first.replace(b"a")
    assert bytes(second.data) == b"b"
    assert data.revision == 0


def test_listing_stops_when_there_is_an_edit_meanwhile() -> None:
    data = ChunkData(narrow(1, b"a") + narrow(2, b"b"))
    listing = data.chunks()
    next(listing).replace(b"longer")
    with pytest.raises(EditError, match="while they were listed"):
        next(listing)
    nested = ChunkData(narrow(9, narrow(1, b"a") + narrow(2, b"b"), True))
    listing = nth(nested, 0).chunks()
    next(listing).replace(b"longer")
    with pytest.raises(EditError):
        next(listing)


def test_refresh_follows_a_chunk_through_edits() -> None:
    def leaf(text: bytes) -> bytes:
        return narrow(5, narrow(6, text), True)

    data = ChunkData(leaf(b"a") + leaf(b"b") + leaf(b"c"))
    b, c = nth(data, 1, 0), nth(data, 2, 0)
    data.insert(None, 0, 5, narrow(6, b"new"), container=True)
    assert bytes(data.refresh(b).data) == b"b"
    nth(data, 1).remove()
    assert bytes(data.refresh(b).data) == b"b"
    assert data.refresh(c).trail == (2, 0)
    nth(data, 1).remove()
    with pytest.raises(EditError, match="no longer there"):
        data.refresh(b)
    assert bytes(data.refresh(c).data) == b"c"
    nth(data, 1, 0).replace(b"changed")
    assert bytes(data.refresh(c).data) == b"changed"
    nth(data, 1).replace(narrow(6, b"another chunk"))
    with pytest.raises(EditError, match="no longer there"):
        data.refresh(c)


def test_refresh_after_everything_was_replaced() -> None:
    data = ChunkData(narrow(5, narrow(6, b"a"), True))
    chunk = nth(data, 0, 0)
    chunk.replace(b"b")
    later = nth(data, 0, 0)
    data.revert()
    assert not data.edited
    for stale in (chunk, later):
        with pytest.raises(EditError, match="no longer there"):
            data.refresh(stale)
    again = nth(data, 0, 0)
    data.insert(None, 0, 1, b"")
    assert bytes(data.refresh(again).data) == b"a"


def test_the_wrapper_of_a_whole_stream_outlives_every_edit() -> None:
    head = bytes.fromhex("1022 ffffffff")
    data = ChunkData(head + narrow(1, b"a"), root=True)
    wrapper = nth(data, 0)
    nth(data, 0, 0).remove()
    data.revert()
    assert [chunk.id for chunk in data.refresh(wrapper).chunks()] == [1]


# --- depth -----------------------------------------------------------------------------------


def nest(depth: int, leaf: bytes) -> bytes:
    """Chunks in chunks, as one join: the sizes are known from the depth."""
    heads = [pack("<HI", 1, (6 * (depth - i) + len(leaf)) | 0x80000000) for i in range(depth)]
    return b"".join(heads) + leaf


def test_deep_nesting_needs_no_recursion() -> None:
    depth = 5000
    data = ChunkData(nest(depth, narrow(2, b"a")))
    chunk = nth(data, 0)
    for _ in range(depth):
        (chunk,) = chunk.chunks()
    assert chunk.path.count("/") == depth
    chunk.replace(b"abc")
    assert data.data == nest(depth, narrow(2, b"abc"))
    again = data.refresh(chunk)
    assert bytes(again.data) == b"abc"
    again.remove()
    assert data.data == nest(depth, b"")


@pytest.mark.parametrize("chunk_id", [-1, 0x10000, 2**2000, "x", None, 1.0])
def test_ids_that_do_not_fit(chunk_id: Any) -> None:
    with pytest.raises(EditError, match="chunk id out of range"):
        encode_header(chunk_id, 0, False)
    data = ChunkData(bytes.fromhex("0100 07000000 00"))
    with pytest.raises(EditError, match="chunk id out of range"):
        data.insert(None, 0, chunk_id, b"")


@pytest.mark.parametrize("body", ["x", None, 5, [1], object()])
def test_bodies_that_are_no_bytes(body: Any) -> None:
    data = ChunkData(bytes.fromhex("0100 07000000 00"))
    calls: list[Callable[[], None]] = [
        lambda: data.insert(None, 0, 1, body),
        lambda: next(data.chunks()).replace(body),
    ]
    for call in calls:
        with pytest.raises(EditError, match="must be bytes"):
            call()
    assert bytes(data.data) == bytes.fromhex("0100 07000000 00")
