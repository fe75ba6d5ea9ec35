"""The flat index, on bytes written by hand."""

from __future__ import annotations

import time
import tracemalloc
from struct import pack

import pytest

from maxsidecar.errors import ChunkError, Where
from maxsidecar.io.index import MAX_DEPTH, MAX_PROBLEMS, ChunkIndex

PLACE = Where("a.max", "Scene")


def narrow(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HI", chunk_id, len(body) + 6 + (0x80000000 if container else 0)) + body


def wide(chunk_id: int, body: bytes = b"", container: bool = False) -> bytes:
    return pack("<HIQ", chunk_id, 0, len(body) + 14 + ((1 << 63) if container else 0)) + body


def nest(depth: int) -> bytes:
    return b"".join(pack("<HI", 1, 6 * (depth - i) | 0x80000000) for i in range(depth))


def test_the_index_lists_chunks_in_file_order() -> None:
    # 0: 2004 { 6: 0001 wide { 20: 0010 "ab" 28: 0011 {} } 34: 0002 "" }
    inner = narrow(0x10, b"ab") + narrow(0x11, b"", True)
    data = narrow(0x2004, wide(1, inner, True) + narrow(2), True)
    index = ChunkIndex(data)
    assert list(index.walk()) == [
        (0, 0x2004, 0, 6, 40, 1),
        (1, 1, 6, 20, 34, 3),
        (2, 0x10, 20, 26, 28, 0),
        (2, 0x11, 28, 34, 34, 1),
        (1, 2, 34, 40, 40, 0),
    ]
    assert [index.is_leaf(i) for i in range(5)] == [False, False, True, True, True]
    assert len(index) == 5
    assert index.rebuild() == data
    assert index.problems == []


@pytest.mark.parametrize("head", ["1022 ffffffff", "2920 01000000 ffffffffffffffff"])
def test_open_streams_are_rebuilt(head: str) -> None:
    data = bytes.fromhex(head) + narrow(1, b"x") + wide(2, narrow(3), True)
    index = ChunkIndex(data)
    assert list(index.ids)[1:] == [1, 2, 3]
    assert index.rebuild() == data


def test_nothing_is_an_empty_stream() -> None:
    index = ChunkIndex(b"")
    assert (len(index), index.rebuild(), index.path_at(0)) == (0, b"", None)


def test_path_at_names_the_chunks_around_an_offset() -> None:
    inner = narrow(0x10, b"ab") + narrow(0x11, narrow(0x20), True) + narrow(0x10, b"cd")
    index = ChunkIndex(narrow(1) + narrow(2, inner, True) + narrow(3, b"zz"))
    # 0: 0001; 6: 0002 { 12: 0010 "ab"; 20: 0011 { 26: 0020 }; 32: 0010 "cd" }; 40: 0003
    for offset, path in {
        0: "0001[0]",
        6: "0002[1]",
        19: "0002[1]/0010[0]",
        20: "0002[1]/0011[1]",
        31: "0002[1]/0011[1]/0020[0]",
        32: "0002[1]/0010[2]",
        47: "0003[2]",
        48: None,
        1000: None,
    }.items():
        assert index.path_at(offset) == path, offset


def test_strict_names_the_damaged_container() -> None:
    bad = narrow(0x10) + narrow(0x11, b"abc")[:-1]
    data = narrow(0x2004, narrow(1) + narrow(2, bad, True) + narrow(3), True)
    with pytest.raises(ChunkError) as caught:
        ChunkIndex(data, where=PLACE)
    # 6 root header, 6 for 0001, 6 header of 0002, 6 for 0010
    assert str(caught.value) == (
        "a.max › Scene › 2004[0]/0002[1] › offset 0x18: "
        "chunk 0011 ends outside its parent (expected at most 8 bytes, found 9)"
    )


def test_lenient_keeps_a_damaged_container_as_a_leaf() -> None:
    bad = narrow(0x10) + narrow(0x11, b"abc")[:-1]
    data = narrow(0x2004, narrow(1) + narrow(2, bad, True) + narrow(3), True)
    index = ChunkIndex(data, strict=False, where=PLACE)
    assert list(index.ids) == [0x2004, 1, 2, 3]
    assert index.rebuild() == data
    (problem,) = index.problems
    assert problem.where == Where("a.max", "Scene", "2004[0]/0002[1]", 0x18)
    assert problem.__traceback__ is None


@pytest.mark.parametrize("strict", [True, False])
def test_damage_of_the_outermost_level_is_always_an_error(strict: bool) -> None:
    with pytest.raises(ChunkError) as caught:
        ChunkIndex(narrow(1) + b"\0\0\0", strict=strict, where=PLACE)
    assert caught.value.where == Where("a.max", "Scene", None, 6)


def test_too_deep_a_nest_is_an_error_not_a_crash() -> None:
    with pytest.raises(ChunkError, match="nest too deep") as caught:
        ChunkIndex(nest(5000))
    assert caught.value.where.offset == 6 * MAX_DEPTH
    lenient = ChunkIndex(nest(5000), strict=False)
    assert len(lenient) == MAX_DEPTH + 1
    assert lenient.rebuild() == nest(5000)
    deepest = ChunkIndex(nest(MAX_DEPTH + 1))
    assert max(deepest.depths) == MAX_DEPTH
    assert deepest.rebuild() == nest(MAX_DEPTH + 1)


def test_a_million_bytes_of_damaged_containers_are_read_in_bounded_time_and_memory() -> None:
    count = 1_000_000 // 9
    data = narrow(0x2004, narrow(1, b"bad", True) * count, True)
    tracemalloc.start()
    started = time.process_time()
    index = ChunkIndex(data, strict=False, where=PLACE)
    elapsed = time.process_time() - started
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(index) == count + 1
    assert len(index.problems) == MAX_PROBLEMS + 1
    assert index.problems[-1].message == (
        f"{count - MAX_PROBLEMS} more damaged containers are not listed"
    )
    assert index.problems[5].where == Where("a.max", "Scene", "2004[0]/0001[5]", 6 + 5 * 9 + 6)
    # Quadratic work takes an hour here, so a wide margin still tells.
    assert elapsed < 30
    assert peak < 100 * len(data)
    assert index.rebuild() == data


def test_damage_at_the_bottom_of_a_deep_nest_stays_bounded() -> None:
    depth, count = MAX_DEPTH - 1, 100_000
    leaves = narrow(1, b"bad", True) * count
    heads = [pack("<HI", 1, (6 * (depth - i) + len(leaves)) | 0x80000000) for i in range(depth)]
    index = ChunkIndex(b"".join(heads) + leaves, strict=False)
    assert len(index) == depth + count
    assert len(index.problems) == MAX_PROBLEMS + 1
    assert sum(len(str(problem)) for problem in index.problems) < 20 * depth * MAX_PROBLEMS
