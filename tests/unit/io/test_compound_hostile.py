"""Mutated containers: only this package's errors, in little time, and no edit that spreads."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_build import NewEntry, build, rebuild
from maxsidecar.io.compound_patch import patch

SPECIAL = [0, 1, 2, 0x7FFFFFFF, 0x80000000, *range(0xFFFFFFFA, 0x100000000)]


def sources() -> list[bytes]:
    source = random.Random(3)
    out = []
    for version in (3, 4):
        entries = [NewEntry("a", None), NewEntry("a/b", None)]
        for number in range(24):
            size = source.choice((0, 10, 100, 1000, 5000, 9000))
            entries.append(NewEntry(f"{'a/b/' * (number & 1)}{number}", source.randbytes(size)))
        out.append(build(entries, version=3 if version == 3 else 4))
    return out


SOURCES = sources()


def mutated(source: random.Random) -> bytes:
    data = bytearray(source.choice(SOURCES))
    compound = CompoundFile.open(bytes(data))
    tables, size = compound.tables, compound.sector_size
    regions = [(0, 512), (0, 80)]
    for sectors in (tables.fat_sectors, compound.directory_chain, compound.mini_fat_chain()):
        regions += [(tables.offset(number), size) for number in sectors]
    for _ in range(source.choice((1, 1, 1, 2, 4, 10))):
        start, length = source.choice(regions)
        kind = source.randrange(4)
        word = start + 4 * source.randrange(length // 4)
        if kind == 0:
            data[start + source.randrange(length)] ^= 1 << source.randrange(8)
        elif kind == 1:
            data[word : word + 4] = source.choice(SPECIAL).to_bytes(4, "little")
        elif kind == 2:
            data[word : word + 4] = source.randrange(tables.sectors + 3).to_bytes(4, "little")
        else:
            data[word : word + 4] = source.randbytes(4)
    if source.random() < 0.1:
        del data[source.randrange(len(data)) :]
    return bytes(data)


def readable(compound: CompoundFile) -> dict[str, bytes]:
    out = {}
    for path in compound.streams:
        try:
            out[path] = bytes(compound.read(path))
        except MaxSidecarError:
            continue
    return out


@pytest.mark.parametrize("seed", range(600))
def test_mutated_container(seed: int) -> None:
    source = random.Random(seed)
    data = mutated(source)
    try:
        compound = CompoundFile.open(data)
    except MaxSidecarError:
        return
    streams = readable(compound)
    if streams:
        path = source.choice(list(streams))
        body = source.randbytes(source.choice((len(streams[path]), 0, 50, 5000, 30_000)))
        try:
            edited = b"".join(patch(compound, {path: body}))
        except MaxSidecarError:
            pass
        else:
            again = readable(CompoundFile.open(edited))
            assert again == streams | {path: body}
    try:
        fresh = rebuild(compound, {})
    except MaxSidecarError:
        return
    assert readable(CompoundFile.open(fresh, lenient=False)) == streams


def test_memory_is_bounded_by_the_file() -> None:
    data = bytearray(SOURCES[0])
    # Every count and size in the header and the directory at its largest.
    for offset in (0x2C, 0x40, 0x48):
        for value in (len(data) // 512 - 1, 0x7FFFFFFF, 0xFFFFFFFF):
            broken = bytearray(data)
            broken[offset : offset + 4] = value.to_bytes(4, "little")
            broken[offset + 4 : offset + 8] = bytes(4)
            tracemalloc.start()
            try:
                readable(CompoundFile.open(bytes(broken)))
            except MaxSidecarError:
                pass
            finally:
                _, peak = tracemalloc.get_traced_memory()
                tracemalloc.stop()
            assert peak < 20 * len(data) + 1_000_000
