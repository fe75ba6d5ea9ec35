"""Files from nothing, checked by two readers that know nothing of this package."""

from __future__ import annotations

import io
import random
import warnings

import compoundfiles
import olefile
import pytest

from maxsidecar.errors import EditError
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_build import NewEntry, build, rebuild
from maxsidecar.io.compound_layout import name_key

NONE = 0xFFFFFFFF
CLSID = bytes(range(16))
VERSIONS = pytest.mark.parametrize("version", [3, 4])


def random_bytes(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def witnesses(data: bytes, streams: dict[str, bytes]) -> None:
    """Let ``olefile`` and ``compoundfiles`` read the streams."""
    with olefile.OleFileIO(io.BytesIO(data), raise_defects=olefile.DEFECT_INCORRECT) as ole:
        assert {"/".join(parts) for parts in ole.listdir()} == set(streams)
        assert not ole.parsing_issues
        for path, body in streams.items():
            assert ole.openstream(path).read() == body, path
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", compoundfiles.CompoundFileEmulationWarning)
        with compoundfiles.CompoundFileReader(io.BytesIO(data)) as reader:
            for path, body in streams.items():
                assert reader.open(path).read() == body, path


@VERSIONS
@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 511, 512, 4095, 4096, 4097, 100_000])
def test_sizes(version: int, size: int) -> None:
    streams = {"Scene": random_bytes(size), "Other": b"x" * 70, "Third": b"y" * 5000}
    data = build([NewEntry(p, b) for p, b in streams.items()], version=3 if version == 3 else 4)
    witnesses(data, streams)
    compound = CompoundFile.open(data, lenient=False)
    assert {path: bytes(compound.read(path)) for path in compound.streams} == streams
    assert list(compound.streams) == list(streams)
    assert len(data) % compound.sector_size == 0


@VERSIONS
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 6, 7, 8, 15, 16, 31, 33, 100])
def test_directory_is_a_red_black_tree(version: int, count: int) -> None:
    streams = {f"s{'x' * (i % 3)}{i}": b"%d" % i for i in range(count)}
    data = build([NewEntry(p, b) for p, b in streams.items()], version=3 if version == 3 else 4)
    witnesses(data, streams)
    entries = CompoundFile.open(data, lenient=False).entries
    order: list[int] = []
    blacks: set[int] = set()

    def walk(sid: int, above: int, depth: int) -> None:
        if sid == NONE:
            blacks.add(depth)
            return
        node = entries[sid]
        assert not (node.color == 0 and above == 0), "red below red"
        walk(node.left, node.color, depth + node.color)
        order.append(sid)
        walk(node.right, node.color, depth + node.color)

    walk(entries[0].child, 0, 0)
    keys = [name_key(entries[sid].name) for sid in order]
    assert keys == sorted(keys)
    assert len(keys) == count
    assert len(blacks) == 1, "unequal black heights"


def test_everything_in_an_entry_survives() -> None:
    entries = [
        NewEntry("Folder", None, CLSID, 1, 10, 20),
        NewEntry("Folder/Inner", None, CLSID[::-1], 2, 30, 40),
        NewEntry("Folder/Inner/a%2Fb", b"slash"),
        NewEntry("Scene", b"z" * 9000, CLSID, 0xFFFFFFFF, (1 << 64) - 1, 1),
    ]
    data = build(
        entries, version=4, root_clsid=CLSID, root_state=3, root_created=4, root_modified=5
    )
    compound = CompoundFile.open(data, lenient=False)
    root = compound.root
    assert (root.clsid, root.state, root.created, root.modified) == (CLSID, 3, 4, 5)
    found = [
        NewEntry(
            e.path, bytes(compound.read(e.path)) if e.kind == "stream" else None, e.clsid,
            e.state, e.created, e.modified,
        )
        for e in compound.entries[1:]
        if e.kind != "unused"
    ]  # fmt: skip
    assert found == entries
    assert compound.entry("Folder/Inner/a%2Fb").name == "a/b"


def test_same_input_gives_same_bytes() -> None:
    entries = [NewEntry("Scene", b"a" * 10000), NewEntry("Config", b"b")]
    assert build(entries, version=3) == build(entries, version=3)


@pytest.mark.parametrize("size", [109 * 128 * 512 - 200 * 512, 109 * 128 * 512, 20_000_000])
def test_fat_beyond_the_header(size: int) -> None:
    streams = {"Scene": random_bytes(size), "Config": b"c"}
    data = build([NewEntry(p, b) for p, b in streams.items()], version=3)
    witnesses(data, streams)
    compound = CompoundFile.open(data, lenient=False)
    assert compound.read("Scene") == streams["Scene"]
    # One FAT sector covers 128 sectors, itself and the DIFAT included.
    assert len(compound.tables.fat_sectors) == -(-compound.tables.sectors // 128)
    assert len(compound.tables.difat_sectors) == -(-(len(compound.tables.fat_sectors) - 109) // 127)


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([NewEntry("x" * 32, b"")], "31 UTF-16 units"),
        ([NewEntry("😀" * 16, b"")], "31 UTF-16 units"),
        ([NewEntry("", b"")], "31 UTF-16 units"),
        ([NewEntry("Scene", b""), NewEntry("SCENE", b"")], "occurs twice"),
        ([NewEntry("a/b", b"")], "is missing"),
        ([NewEntry("a", b"", clsid=b"short")], "16 bytes"),
        ([NewEntry("a", b"", state=1 << 32)], "does not fit"),
        ([NewEntry("a", b"", created=-1)], "does not fit"),
    ],
)
def test_refused(entries: list[NewEntry], reason: str) -> None:
    with pytest.raises(EditError, match=reason):
        build(entries, version=3)


def test_rebuild_adds_and_removes() -> None:
    old = CompoundFile.open(
        build(
            [NewEntry("A", b"a", state=7), NewEntry("B", b"b"), NewEntry("C", b"c" * 5000)],
            version=4,
            root_clsid=CLSID,
        )
    )
    data = rebuild(old, {"B": None, "C": b"new", "D": b"d" * 70})
    witnesses(data, {"A": b"a", "C": b"new", "D": b"d" * 70})
    new = CompoundFile.open(data, lenient=False)
    assert list(new.streams) == ["A", "C", "D"]
    assert new.entry("A").state == 7
    assert (new.version, new.root.clsid) == (4, CLSID)
    with pytest.raises(EditError, match="no stream 'X' to remove"):
        rebuild(old, {"X": None})
