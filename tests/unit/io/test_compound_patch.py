"""Edits in place: what changes, what does not, and what two other readers say."""

from __future__ import annotations

import io
import random
import struct
import warnings
from typing import Literal

import compoundfiles
import olefile
import pytest

from maxsidecar.errors import CompoundFileError, EditError
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_audit import audit
from maxsidecar.io.compound_build import NewEntry, build
from maxsidecar.io.compound_patch import patch

FREE = 0xFFFFFFFF
CLSID = bytes(range(16))
VERSIONS = pytest.mark.parametrize("version", [3, 4])
Version = Literal[3, 4]


def make(version: Version, streams: dict[str, bytes]) -> bytes:
    entries = [NewEntry(p, b, state=5) for p, b in streams.items()]
    return build(entries, version=version, root_clsid=CLSID, root_modified=9)


def edited(data: bytes, changes: dict[str, bytes]) -> bytes:
    """Patch, and check everything that must hold after any edit."""
    old = CompoundFile.open(data)
    new_bytes = b"".join(patch(old, changes))
    new = CompoundFile.open(new_bytes, lenient=False)
    streams = {p: bytes(old.read(p)) for p in old.streams} | changes
    assert {p: bytes(new.read(p)) for p in new.streams} == streams
    with olefile.OleFileIO(io.BytesIO(new_bytes), raise_defects=olefile.DEFECT_INCORRECT) as ole:
        for path, body in streams.items():
            assert ole.openstream(path).read() == body, path
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", compoundfiles.CompoundFileEmulationWarning)
        with compoundfiles.CompoundFileReader(io.BytesIO(new_bytes)) as reader:
            for path, body in streams.items():
                assert reader.open(path).read() == body, path
    for before, after in zip(old.entries, new.entries, strict=True):
        assert before.raw[:116] == after.raw[:116]
        if before.sid and before.path not in changes:
            assert before.raw == after.raw
            if before.kind == "stream":
                assert old.extents(before.path) == new.extents(after.path)
    return new_bytes


def differing(old: bytes, new: bytes) -> set[int]:
    return {i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b}


def noise(size: int, seed: int = 0) -> bytes:
    return random.Random(f"{size}/{seed}").randbytes(size)


STREAMS = {"Scene": noise(20_000), "Config": noise(1000), "Dll": noise(300), "Empty": b""}


@VERSIONS
def test_no_change_is_one_view_of_the_original(version: Version) -> None:
    data = bytearray(make(version, STREAMS))
    compound = CompoundFile.open(memoryview(data))
    for changes in ({}, STREAMS):
        (segment,) = patch(compound, changes)
        assert bytes(segment) == bytes(data)
        assert isinstance(segment, memoryview)
        assert segment.obj is data


@VERSIONS
@pytest.mark.parametrize("path", ["Scene", "Config"])
def test_same_size_changes_only_the_streams_bytes(version: Version, path: str) -> None:
    data = make(version, STREAMS)
    body = bytearray(STREAMS[path])
    for index in (0, len(body) // 2, len(body) - 1):
        body[index] ^= 0xFF
    new = edited(data, {path: bytes(body)})
    extents = CompoundFile.open(data).extents(path)
    inside = {i for start, length in extents for i in range(start, start + length)}
    assert len(differing(data, new)) == 3
    assert differing(data, new) <= inside


@VERSIONS
def test_unchanged_regions_are_not_copied(version: Version) -> None:
    data = make(version, {"A": noise(200_000), "B": noise(5000), "C": noise(200_000)})
    segments = patch(CompoundFile.open(data), {"B": noise(5000, 1)})
    views = [s for s in segments if isinstance(s, memoryview) and s.obj is data]
    assert sum(map(len, views)) >= 400_000


@VERSIONS
@pytest.mark.parametrize("old", [0, 1, 64, 4095, 4096, 9000, 50_000])
@pytest.mark.parametrize("new", [0, 1, 64, 65, 4095, 4096, 9000, 50_000, 200_000])
def test_any_size_to_any_size(version: Version, old: int, new: int) -> None:
    data = make(version, STREAMS | {"X": noise(old)})
    edited(data, {"X": noise(new, 1)})


@VERSIONS
def test_shrinking_frees_sectors_and_clears_the_rest(version: Version) -> None:
    data = make(version, {"Scene": b"\xaa" * 20_000})
    size = 512 if version == 3 else 4096
    old = CompoundFile.open(data)
    new = edited(data, {"Scene": b"\xbb" * 10_000})
    after = CompoundFile.open(new)
    assert len(new) == len(data)
    first = old.entry("Scene").start
    kept = -(-10_000 // size)
    freed = list(range(first + kept, first + -(-20_000 // size)))
    assert [after.tables.fat[s] for s in freed] == [FREE] * len(freed)
    start = (first + 1) * size
    assert new[start : start + kept * size] == b"\xbb" * 10_000 + bytes(kept * size - 10_000)


@VERSIONS
def test_growth_takes_free_sectors_before_new_ones(version: Version) -> None:
    data = make(version, {"Scene": noise(100_000), "Other": noise(9000), "Last": noise(9000)})
    shrunk = edited(data, {"Scene": noise(5000)})
    grown = edited(shrunk, {"Other": noise(40_000, 2)})
    assert len(grown) == len(data)


@VERSIONS
def test_left_over_bytes_of_reused_sectors_are_cleared(version: Version) -> None:
    data = make(version, {"Scene": b"\xaa" * 100_000, "Other": b"\xbb" * 4500})
    shrunk = edited(data, {"Scene": b"\xaa" * 5000})
    new = edited(shrunk, {"Other": b"\xcc" * 9001})
    after = CompoundFile.open(new)
    start, length = after.extents("Other")[-1]
    end = start + length
    padding = -end % after.sector_size
    assert padding
    assert new[end : end + padding] == bytes(padding)


@VERSIONS
def test_free_mini_sectors_are_used_again(version: Version) -> None:
    data = make(version, {"A": b"\xaa" * 3000, "B": b"\xbb" * 64, "C": b"\xcc" * 64})
    size = CompoundFile.open(data).root.size
    shrunk = edited(data, {"A": b"\xaa" * 64})
    grown = edited(shrunk, {"B": b"\xbb" * 1000, "C": b"\xcc" * 1000})
    assert CompoundFile.open(grown).root.size == size
    start, length = CompoundFile.open(grown).extents("B")[-1]
    assert grown[start + length : start + length + 24] == bytes(24)  # 1000 = 15 × 64 + 40
    both = edited(data, {"A": b"\xaa" * 64, "B": b"\xbb" * 1000, "C": b"\xcc" * 1000})
    assert CompoundFile.open(both).root.size == size


@VERSIONS
def test_growth_beyond_the_end_appends_what_it_needs(version: Version) -> None:
    data = make(version, STREAMS)
    size = 512 if version == 3 else 4096
    new = edited(data, {"Scene": noise(20_000 + 3 * size)})
    assert len(new) == len(data) + 3 * size


@VERSIONS
def test_one_edit_may_use_what_another_frees(version: Version) -> None:
    data = make(version, {"A": noise(60_000), "B": noise(5000)})
    new = edited(data, {"A": noise(5000, 1), "B": noise(50_000, 1)})
    assert len(new) == len(data)


@VERSIONS
def test_mini_fat_and_mini_stream_grow(version: Version) -> None:
    names = [f"s{i}" for i in range(60)]
    data = make(version, dict.fromkeys(names, b"."))
    new = edited(data, {name: noise(4000, i) for i, name in enumerate(names)})
    before, after = CompoundFile.open(data), CompoundFile.open(new)
    # 60 streams of 63 mini sectors each, the first of each where it was.
    assert after.root.size == 60 * 63 * 64
    unit = after.sector_size // 4
    assert len(after.mini_fat_chain()) == -(-60 * 63 // unit)
    assert before.root.start == after.root.start


@VERSIONS
def test_first_small_stream_makes_the_mini_stream(version: Version) -> None:
    data = make(version, {"Scene": noise(9000), "Small": b""})
    assert CompoundFile.open(data).root.size == 0
    new = edited(data, {"Small": b"now it is there"})
    assert CompoundFile.open(new).root.size == 64


def test_fat_grows_beyond_the_header_and_into_a_second_difat_sector() -> None:
    data = make(3, {"Scene": noise(6_900_000), "Config": b"c"})
    assert CompoundFile.open(data).tables.difat_sectors == []
    one = edited(data, {"Scene": noise(7_500_000, 1)})
    assert len(CompoundFile.open(one).tables.difat_sectors) == 1
    # The header lists 109 FAT sectors and one DIFAT sector 127, of 128 sectors each.
    two = edited(one, {"Scene": noise((109 + 127 + 3) * 128 * 512, 2)})
    assert len(CompoundFile.open(two).tables.difat_sectors) == 2
    small = edited(two, {"Scene": noise(100_000, 3)})
    assert len(small) == len(two)
    again = edited(small, {"Scene": noise(7_000_000, 4)})
    assert len(again) == len(two)


@VERSIONS
def test_cut_last_sector_is_filled_when_something_follows(version: Version) -> None:
    streams = {"Config": b"c", "Scene": noise(9001)}
    data = make(version, streams)
    size = 512 if version == 3 else 4096
    # Put the stream's last sector at the end of the file by growing it, then cut its padding.
    data = edited(data, {"Scene": noise(9001 + 5 * size)})
    end = sum(CompoundFile.open(data).extents("Scene")[-1])
    cut = data[:end]
    assert len(cut) % size
    assert CompoundFile.open(cut).read("Scene") == noise(9001 + 5 * size)
    (whole,) = patch(CompoundFile.open(cut), {})
    assert whole == cut
    body = noise(9001 + 5 * size, 1)
    same = b"".join(patch(CompoundFile.open(cut), {"Scene": body}))
    assert len(same) == len(cut)
    assert CompoundFile.open(same).read("Scene") == body
    longer = edited(cut, {"Scene": body + b"+"})
    assert len(longer) % size == 0
    edited(cut, {"Scene": body + noise(9 * size)})
    edited(cut, {"Config": noise(30_000)})


def test_garbage_above_the_size_stays() -> None:
    data = bytearray(make(3, STREAMS))
    compound = CompoundFile.open(bytes(data))
    offset = (compound.directory_chain[0] + 1) * 512 + 128 + 124
    struct.pack_into("<I", data, offset, 0xA0)
    new = b"".join(patch(CompoundFile.open(bytes(data)), {"Scene": noise(30_000)}))
    assert struct.unpack_from("<I", new, offset) == (0xA0,)
    assert CompoundFile.open(new).read("Scene") == noise(30_000)


def test_sector_of_the_range_lock_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make(4, STREAMS)
    lock = len(data) + 2 * 4096 + 100  # as if the third new sector held it
    monkeypatch.setattr("maxsidecar.io.compound_alloc.RANGE_LOCK", lock)
    new = CompoundFile.open(edited(data, {"Scene": noise(60_000)}))
    number = lock // 4096 - 1
    assert new.tables.fat[number] == 0xFFFFFFFE
    assert audit(new).used[number] == 0
    grown = new.entry("Scene").size // 4096 + 1 - 5
    assert new.tables.sectors == CompoundFile.open(data).tables.sectors + grown + 1


def test_version_3_ends_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make(3, STREAMS)
    monkeypatch.setattr("maxsidecar.io.compound_alloc.V3_LIMIT", len(data) + 10 * 512)
    with pytest.raises(EditError, match="larger than its version allows"):
        patch(CompoundFile.open(data), {"Scene": noise(20_000 + 11 * 512)})
    edited(data, {"Scene": noise(20_000 + 10 * 512)})


def test_unknown_stream_is_refused() -> None:
    with pytest.raises(EditError, match="no stream 'New'"):
        patch(CompoundFile.open(make(3, STREAMS)), {"New": b""})


@VERSIONS
def test_shared_sectors_are_refused(version: Version) -> None:
    data = bytearray(make(version, {"A": noise(9000), "B": noise(9000)}))
    compound = CompoundFile.open(bytes(data))
    start = (compound.directory_chain[0] + 1) * compound.sector_size
    struct.pack_into("<I", data, start + 2 * 128 + 116, compound.entry("A").start)
    with pytest.raises(CompoundFileError, match="cannot be edited safely"):
        patch(CompoundFile.open(bytes(data)), {"A": noise(9000, 1)})


def test_damaged_stream_rides_along_while_another_is_edited() -> None:
    data = bytearray(make(3, {"A": noise(9000), "B": noise(9000)}))
    compound = CompoundFile.open(bytes(data))
    tables = compound.tables
    struct.pack_into("<I", data, tables.link_offset(compound.entry("A").start + 2), 0xFFFF)
    damaged = CompoundFile.open(bytes(data))
    new = CompoundFile.open(b"".join(patch(damaged, {"B": noise(50_000)})))
    assert new.read("B") == noise(50_000)
    assert new.entry("A").raw == compound.entry("A").raw
    with pytest.raises(CompoundFileError):
        patch(damaged, {"A": b"new"})


@VERSIONS
def test_sector_that_only_the_table_calls_free_is_not_taken(version: Version) -> None:
    data = bytearray(make(version, STREAMS))
    compound = CompoundFile.open(bytes(data))
    (table,) = compound.tables.fat_sectors
    struct.pack_into("<I", data, compound.tables.link_offset(table), FREE)
    new = b"".join(patch(CompoundFile.open(bytes(data)), {"Scene": noise(40_000)}))
    assert CompoundFile.open(new).read("Scene") == noise(40_000)
    assert CompoundFile.open(new).read("Config") == STREAMS["Config"]
