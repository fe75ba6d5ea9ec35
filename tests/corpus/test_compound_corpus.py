"""Real scenes: read, edit and rebuild, with ``olefile`` and ``compoundfiles`` as witnesses."""

from __future__ import annotations

import io
import random
import warnings
from pathlib import Path

import compoundfiles
import olefile

from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_build import NewEntry, build, rebuild
from maxsidecar.io.compound_layout import CUTOFF
from maxsidecar.io.compound_patch import patch
from maxsidecar.io.compression import pack, unpack


def contents(compound: CompoundFile) -> dict[str, bytes]:
    return {path: bytes(compound.read(path)) for path in compound.streams}


def witnesses(data: bytes, streams: dict[str, bytes]) -> None:
    with olefile.OleFileIO(io.BytesIO(data)) as ole:
        assert {"/".join(parts) for parts in ole.listdir()} == set(streams)
        for path, body in streams.items():
            assert ole.openstream(path).read() == body, path
    with warnings.catch_warnings():
        # Scenes of 1997 break rules that this reader warns of; the bytes are what counts.
        warnings.simplefilter("ignore", compoundfiles.CompoundFileWarning)
        with compoundfiles.CompoundFileReader(io.BytesIO(data)) as reader:
            for path, body in streams.items():
                assert reader.open(path).read() == body, path


def test_reads_what_others_read(max_file: Path) -> None:
    data = max_file.read_bytes()
    compound = CompoundFile.open(data, str(max_file))
    assert data[:8] == bytes.fromhex("d0cf11e0a1b11ae1")
    assert compound.sector_size == (512 if compound.version == 3 else 4096)
    witnesses(data, contents(compound))
    for path, entry in compound.streams.items():
        assert sum(length for _, length in compound.extents(path)) == entry.size
    allowed = ("incorrect stream size", "the last sector is cut short")
    assert [d for d in compound.defects if not d.startswith(allowed)] == []


def test_no_change_gives_the_same_bytes(max_file: Path) -> None:
    data = max_file.read_bytes()
    compound = CompoundFile.open(data)
    assert b"".join(patch(compound, contents(compound))) == data


def test_same_size_edit_changes_only_the_streams_extents(max_file: Path) -> None:
    data = max_file.read_bytes()
    compound = CompoundFile.open(data)
    for path, body in contents(compound).items():
        if not body:
            continue
        new = b"".join(patch(compound, {path: bytes(b ^ 0x55 for b in body[:500]) + body[500:]}))
        rest, rest_new = bytearray(data), bytearray(new)
        for start, length in compound.extents(path):
            rest[start : start + length] = rest_new[start : start + length] = bytes(length)
        assert rest == rest_new, path
        assert new != data


def test_edits_of_every_kind(max_file: Path) -> None:
    data = max_file.read_bytes()
    source = random.Random(len(data))
    streams = contents(CompoundFile.open(data))
    scene = "Scene" if "Scene" in streams else "Scene_Compressed"
    size = len(streams[scene])
    small = min((p for p in streams if streams[p]), key=lambda p: len(streams[p]))
    steps: list[dict[str, int]] = [
        {scene: size + 1},
        {scene: size + 70_000},
        {scene: size // 2, small: CUTOFF},
        {scene: size, small: CUTOFF - 1},
        {scene: 100, small: 0},
        {scene: size + 300_000, small: 20},
    ]
    for step in steps:
        compound = CompoundFile.open(data)
        changes = {}
        for path, wanted in step.items():
            old = streams[path][:wanted]
            changes[path] = old + source.randbytes(wanted - len(old))
        data = b"".join(patch(compound, changes))
        streams |= changes
        again = CompoundFile.open(data)
        assert contents(again) == streams
        for before, after in zip(compound.entries[1:], again.entries[1:], strict=True):
            if before.path in changes:
                assert before.raw[:116] == after.raw[:116]
            else:
                assert before.raw == after.raw
    witnesses(data, streams)


def test_rebuilt_file_has_the_same_entries(max_file: Path) -> None:
    old = CompoundFile.open(max_file.read_bytes())
    data = rebuild(old, {})
    new = CompoundFile.open(data, lenient=False)
    streams = contents(old)
    witnesses(data, streams)
    for before, after in zip(old.entries, new.entries, strict=False):
        assert (before.name, before.kind, before.clsid, before.state, before.created,
                before.modified) == (after.name, after.kind, after.clsid, after.state,
                                     after.created, after.modified)  # fmt: skip
    root = old.root
    entries = [
        NewEntry(e.path, streams[e.path], e.clsid, e.state, e.created, e.modified)
        for e in old.streams.values()
    ]
    assert data == build(
        entries,
        version=3 if old.version == 3 else 4,
        root_clsid=root.clsid,
        root_state=root.state,
        root_created=root.created,
        root_modified=root.modified,
    )


def test_streams_pack_to_their_own_bytes(max_file: Path) -> None:
    compound = CompoundFile.open(max_file.read_bytes())
    for path in compound.streams:
        raw = compound.read(path)
        name, body, packed = unpack(path, raw)
        assert pack(packed, body) == raw
        assert not name.endswith("_Compressed")
        if packed.kind == "plain":
            assert (name, bytes(body)) == (path, bytes(raw))
            continue
        changed = bytes(body[:-1]) + b"\xa5\x5a"
        assert unpack(path, pack(packed, changed))[1] == changed
