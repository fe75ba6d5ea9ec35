"""Reading: a file written by hand, sector by sector, and everything that can be wrong with one."""

from __future__ import annotations

import gc
import struct
import threading
import warnings
from collections.abc import Callable

import pytest

from maxsidecar.errors import CompoundFileError, LimitError, MaxSidecarError, NotMaxFileError
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_build import NewEntry, build
from maxsidecar.io.compound_layout import escape_name, name_key, runs, unescape_name

FREE, END, FAT, DIF = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFC
NONE = 0xFFFFFFFF
MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")


def entry(
    name: str, kind: int, start: int, size: int, *, left: int = NONE, right: int = NONE,
    child: int = NONE, clsid: bytes = bytes(16), state: int = 0, times: tuple[int, int] = (0, 0),
) -> bytes:  # fmt: skip
    raw = name.encode("utf-16-le", "surrogatepass")
    return struct.pack(
        "<64sHBBIII16sIQQIQ", raw, len(raw) + 2 if kind else 0, kind, 1, left, right, child,
        clsid, state, *times, start, size,
    )  # fmt: skip


# Sectors of the file by hand: 0 FAT, 1 directory, 2 mini FAT, 3 mini stream,
# 4 and 6 and 5 the stream "Scene" of 4100 bytes out of order, then 7 to 12 its rest.
SCENE = bytes(i * 7 & 0xFF for i in range(4100))
CONFIG = bytes(range(100))
CLSID = bytes(range(16))
SCENE_CHAIN = [4, 6, 5, 7, 8, 9, 10, 11, 12]


def by_hand() -> bytearray:
    fat = [FREE] * 128
    fat[0], fat[1], fat[2], fat[3] = FAT, END, END, END
    for here, there in zip(SCENE_CHAIN, [*SCENE_CHAIN[1:], END], strict=True):
        fat[here] = there
    mini_fat = [1, END] + [FREE] * 126
    sectors = [
        struct.pack("<128I", *fat),
        entry("Root Entry", 5, 3, 128, child=1, clsid=CLSID, times=(0, 77))
        + entry("Scene", 2, 4, 4100, right=2)
        + entry("\x05Config", 2, 0, 100, state=9, times=(5, 6))
        + entry("", 0, 0, 0),
        struct.pack("<128I", *mini_fat),
        CONFIG + bytes(412),
        *[b""] * 9,
    ]
    for position, sector in enumerate(SCENE_CHAIN):
        sectors[sector] = SCENE[512 * position :][:512].ljust(512, b"\0")
    header = MAGIC + struct.pack(
        "<16sHHHHHHLLLLLLLLLL", bytes(16), 0x3E, 3, 0xFFFE, 9, 6, 0, 0, 0, 1, 1, 0, 4096, 2, 1,
        END, 0,
    )  # fmt: skip
    return bytearray(header + struct.pack("<109I", 0, *[FREE] * 108) + b"".join(sectors))


def put(data: bytearray, offset: int, *values: int) -> None:
    data[offset : offset + 4 * len(values)] = struct.pack(f"<{len(values)}I", *values)


def sector(number: int) -> int:
    return 512 * (number + 1)


def test_file_by_hand() -> None:
    data = bytes(by_hand())
    compound = CompoundFile.open(data, "by hand")
    assert (compound.version, compound.sector_size, compound.defects) == (3, 512, [])
    assert list(compound.streams) == ["Scene", "\x05Config"]
    assert compound.read("Scene") == SCENE
    assert compound.read("\x05Config") == CONFIG
    assert [e.kind for e in compound.entries] == ["root", "stream", "stream", "unused"]
    assert (compound.root.clsid, compound.root.modified, compound.root.created) == (CLSID, 77, 0)
    config = compound.entry("\x05Config")
    assert (config.sid, config.state, config.created, config.modified) == (2, 9, 5, 6)
    assert config.raw == data[sector(1) + 256 :][:128]


def test_extents_merge_neighbours_and_cover_the_size() -> None:
    compound = CompoundFile.open(bytes(by_hand()))
    assert compound.extents("Scene") == [
        (sector(4), 512),
        (sector(6), 512),
        (sector(5), 512),
        (sector(7), 4100 - 3 * 512),
    ]
    assert compound.extents("\x05Config") == [(sector(3), 100)]


def test_stream_in_one_piece_is_a_view_of_the_file() -> None:
    data = by_hand()
    view = CompoundFile.open(memoryview(data)).read("\x05Config")
    data[sector(3)] = 0xEE
    assert view[0] == 0xEE


def test_runs() -> None:
    assert runs([]) == []
    assert runs([4]) == [(4, 1)]
    assert runs([4, 5, 6, 2, 3, 9]) == [(4, 3), (2, 2), (9, 1)]


@pytest.mark.parametrize(
    "name", ["Scene", "a/b", "100%", "%2F", "%", "\ud800x", "\x05Summary", "ж/%u0041", "😀"]
)
def test_escaped_names_are_reversible_and_safe(name: str) -> None:
    escaped = escape_name(name)
    assert "/" not in escaped
    escaped.encode()
    assert unescape_name(escaped) == name


def test_name_order() -> None:
    # Spec [MS-CFB] 2.6.4: length in UTF-16 units first, then upper case unit by unit.
    names = ["b", "A", "aa", "Z", "ab", "AC", "😀", "zzz"]
    assert sorted(names, key=name_key) == ["A", "b", "Z", "aa", "ab", "AC", "😀", "zzz"]
    assert name_key("straße") != name_key("STRASSE")
    assert name_key("Scene") == name_key("sCENE")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"\0" * 4096, "begins with zeros"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "git lfs pull"),
        (b'{\n"classname" "worldspawn"\n', "is text"),
        (MAGIC[:5], "cut off within its header"),
        (MAGIC + bytes(100), "cut off within its header"),
        (b"PK\x03\x04" + bytes(600), "ZIP"),
        (b"\x1f\x8b\x08" + bytes(600), "gzip"),
        (b"\x89PNG\r\n\x1a\n" + bytes(600), "wrong first bytes"),
    ],
)
def test_other_files_get_one_clear_line(data: bytes, reason: str) -> None:
    with pytest.raises(NotMaxFileError, match=reason) as caught:
        CompoundFile.open(data, "a file.max")
    assert str(caught.value).startswith("a file.max: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("offset", "value", "reason"),
    [
        (0x1A, 5, "major version"),
        (0x1A, 4, "sector size"),
        (0x1C, 0xFEFF, "byte order"),
        (0x1E, 40, "sector size"),
        (0x1E, 0xFFFF, "sector size"),
        (0x20, 7, "mini sector size"),
        (0x38, 0x2000, "cutoff"),
        (0x2C, 0x7FFF, "more FAT sectors"),
        (0x40, 0x7FFF, "more mini FAT sectors"),
        (0x48, 0xFFFF, "more DIFAT sectors"),
        (0x2C, 2, "FAT sectors is too short"),
        (0x4C, 999, "FAT sector lies outside"),
        (0x30, 999, "chain of the directory"),
        (0x30, 2, "does not begin with a root"),
    ],
)
def test_damaged_header(offset: int, value: int, reason: str) -> None:
    data = by_hand()
    data[offset : offset + 2] = value.to_bytes(2, "little")
    with pytest.raises(CompoundFileError, match=reason):
        CompoundFile.open(bytes(data))


def test_error_names_offset_expected_and_found() -> None:
    data = by_hand()
    put(data, sector(0) + 4 * 6, 500)
    with pytest.raises(CompoundFileError) as caught:
        CompoundFile.open(bytes(data), "x.max").read("Scene")
    assert caught.value.where.offset == sector(0) + 4 * 6
    assert caught.value.expected == "a sector below 0xd"
    assert caught.value.found == "0x1f4"


@pytest.mark.parametrize(
    ("offset", "value", "reason"),
    [
        (sector(0) + 4 * 5, 6, "runs in a circle"),
        (sector(0) + 4 * 4, 4, "runs in a circle"),
        (sector(0) + 4 * 6, END, "ends early"),
        (sector(0) + 4 * 6, FREE, "cannot use"),
        (sector(1) + 128 + 116, 13, "cannot use"),
        (sector(1) + 128 + 120, 0x7FFFFFFF, "more bytes than the file has"),
        (sector(1) + 128 + 120, 13 * 512, "ends early"),
    ],
)
def test_damaged_chain_spoils_only_its_stream(offset: int, value: int, reason: str) -> None:
    data = by_hand()
    put(data, offset, value)
    compound = CompoundFile.open(bytes(data))
    with pytest.raises(CompoundFileError, match=reason):
        compound.read("Scene")
    assert compound.read("\x05Config") == CONFIG
    with pytest.raises(CompoundFileError):
        CompoundFile.open(bytes(data), lenient=False)


@pytest.mark.parametrize(
    ("offset", "value", "reason"),
    [
        (sector(2), END, "ends early"),
        (sector(2), 2, "leaves the mini stream"),
        (sector(2) + 4, 0, ""),  # a circle beyond what the size needs: readable, but not sound
        (sector(1) + 256 + 116, 2, "leaves the mini stream"),
        (sector(1) + 116, 77, "chain of the mini stream"),
    ],
)
def test_damaged_mini_chain(offset: int, value: int, reason: str) -> None:
    data = by_hand()
    put(data, offset, value)
    compound = CompoundFile.open(bytes(data))
    if reason:
        with pytest.raises(CompoundFileError, match=reason):
            compound.read("\x05Config")
    assert compound.read("Scene") == SCENE
    with pytest.raises(CompoundFileError):
        CompoundFile.open(bytes(data), lenient=False)


def test_shared_sectors_are_found_when_strict() -> None:
    data = by_hand()
    put(data, sector(0) + 4 * 12, 3)
    assert CompoundFile.open(bytes(data)).read("Scene") == SCENE
    with pytest.raises(CompoundFileError, match="already taken"):
        CompoundFile.open(bytes(data), lenient=False)


@pytest.mark.parametrize("link", [68, 72, 76])
@pytest.mark.parametrize("to", [0, 1, 2, 3, 4, 0x7FFFFFFF])
def test_directory_links_that_lead_nowhere(link: int, to: int) -> None:
    data = by_hand()
    put(data, sector(1) + 256 + link, to)
    compound = CompoundFile.open(bytes(data))
    assert compound.read("Scene") == SCENE
    if link != 76:  # a stream's child link is not followed
        assert any("cannot be used there" in defect for defect in compound.defects)
        with pytest.raises(CompoundFileError):
            CompoundFile.open(bytes(data), lenient=False)


def test_unreachable_entry_is_reported() -> None:
    data = by_hand()
    put(data, sector(1) + 128 + 72, NONE)
    compound = CompoundFile.open(bytes(data))
    assert list(compound.streams) == ["Scene"]
    assert compound.defects == ["directory entry 2 cannot be reached from the root"]


def test_duplicate_and_empty_names_stay_readable() -> None:
    data = by_hand()
    data[sector(1) + 256 : sector(1) + 384] = entry("scene", 2, 0, 100)
    compound = CompoundFile.open(bytes(data))
    assert list(compound.streams) == ["Scene", "scene%#2"]
    assert compound.read("scene%#2") == CONFIG
    data[sector(1) + 256 : sector(1) + 384] = entry("", 2, 0, 100)
    assert list(CompoundFile.open(bytes(data)).streams) == ["Scene", "%#2"]


@pytest.mark.parametrize("lenient", [True, False])
def test_the_upper_half_of_a_32_bit_size_means_nothing(lenient: bool) -> None:
    data = by_hand()
    put(data, sector(1) + 128 + 124, 0xA0)
    compound = CompoundFile.open(bytes(data), lenient=lenient)
    assert compound.read("Scene") == SCENE
    assert compound.defects == []


def test_cut_last_sector() -> None:
    data = bytes(by_hand())
    need = sector(12) + 4100 - 8 * 512
    compound = CompoundFile.open(data[:need])
    assert compound.defects == ["the last sector is cut short"]
    assert compound.read("Scene") == SCENE
    short = CompoundFile.open(data[: need - 1])
    with pytest.raises(CompoundFileError, match="past the end"):
        short.read("Scene")


def test_every_truncation_is_our_error_or_readable() -> None:
    data = bytes(by_hand())
    for length in range(0, len(data), 13):
        try:
            compound = CompoundFile.open(data[:length])
            for path in compound.streams:
                compound.read(path)
        except MaxSidecarError:
            continue


def grown(change: Callable[[list[bytes]], None], count: int) -> bytes:
    """A file whose directory has ``count`` more entries behind the root, linked by ``change``."""
    entries = [entry("Root Entry", 5, END, 0, child=1)]
    entries += [entry(f"e{i}", 1, 0, 0) for i in range(1, count + 1)]
    change(entries)
    entries += [entry("", 0, 0, 0)] * (-len(entries) % 4)
    sectors = len(entries) // 4
    tables = -(-sectors // 127)
    fat = [i + 1 for i in range(sectors - 1)] + [END] + [FAT] * tables
    fat += [FREE] * (128 * tables - len(fat))
    head = MAGIC + struct.pack(
        "<16sHHHHHHLLLLLLLLLL", bytes(16), 0x3E, 3, 0xFFFE, 9, 6, 0, 0, 0, tables, 0, 0, 4096,
        END, 0, END, 0,
    )  # fmt: skip
    listed = list(range(sectors, sectors + tables)) + [FREE] * (109 - tables)
    return b"".join(
        [head, struct.pack("<109I", *listed), *entries, struct.pack(f"<{len(fat)}I", *fat)]
    )


def relink(entries: list[bytes], sid: int, offset: int, to: int) -> None:
    raw = bytearray(entries[sid])
    put(raw, offset, to)
    entries[sid] = bytes(raw)


def test_tree_that_is_one_long_branch() -> None:
    def branch(entries: list[bytes]) -> None:
        for sid in range(1, 20000):
            relink(entries, sid, 72, sid + 1)

    compound = CompoundFile.open(grown(branch, 20000))
    assert compound.defects == []
    assert compound.entries[20000].path == "e20000"


def test_storages_nested_without_end() -> None:
    def nest(entries: list[bytes]) -> None:
        for sid in range(1, 5000):
            relink(entries, sid, 76, sid + 1)

    with pytest.raises(LimitError, match="nested too deep"):
        CompoundFile.open(grown(nest, 5000))


def test_too_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    data = grown(lambda entries: None, 100)
    CompoundFile.open(data)
    monkeypatch.setattr("maxsidecar.io.compound_entries._MAX_ENTRIES", 100)
    with pytest.raises(LimitError, match="directory is too long"):
        CompoundFile.open(data)


def test_difat_that_runs_in_a_circle() -> None:
    data = by_hand()
    data += bytes(-(-200 * 512 - len(data)) % 512) + bytes(200 * 512)
    listed = [0, *range(13, 13 + 108)]
    put(data, 0x4C, *listed)
    put(data, 0x2C, 180)
    put(data, 0x44, 150, 4)  # first DIFAT sector, count
    put(data, sector(150), *range(13 + 108, 150), *range(151, 249), 150)
    with pytest.raises(CompoundFileError, match="DIFAT sector is used twice"):
        CompoundFile.open(bytes(data))


def test_nothing_is_printed_warned_or_left_open(capfd: pytest.CaptureFixture[str]) -> None:
    data = by_hand()
    put(data, sector(1) + 128 + 124, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CompoundFile.open(bytes(data)).read("Scene")
        for bad in (b"", b"text", bytes(data[:1000])):
            with pytest.raises(MaxSidecarError):
                CompoundFile.open(bad)
        gc.collect()
    assert capfd.readouterr() == ("", "")


def test_one_file_read_by_many_threads() -> None:
    compound = CompoundFile.open(bytes(by_hand()))
    found: list[bytes] = []

    def read() -> None:
        found.extend(bytes(compound.read(path)) for path in ("Scene", "\x05Config"))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted([SCENE, CONFIG] * 8)


def test_missing_stream() -> None:
    with pytest.raises(CompoundFileError, match="no stream 'Nothing'"):
        CompoundFile.open(bytes(by_hand())).read("Nothing")


def test_holds_compares_without_joining() -> None:
    body = bytes(range(256)) * 40
    file = CompoundFile.open(
        memoryview(build([NewEntry("A", body), NewEntry("B", b"x")], version=3))
    )
    assert file.holds("A", body)
    assert file.holds("B", b"x")
    assert not file.holds("A", body[:-1] + b"!")
    assert not file.holds("A", body[:-1])
    assert not file.holds("B", b"xy")
    assert not file.holds("B", b"")
    with pytest.raises(CompoundFileError):
        file.holds("C", b"")
