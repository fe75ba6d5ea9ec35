"""A deterministic mutator of scene files: the same base and seed always give the same bytes.

It knows where the parts of a compound file lie (found with ``olefile``, not with the code under
test), so that most cases get past the first check and break something deeper.
"""

from __future__ import annotations

import gzip
import io
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import olefile

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_build import rebuild

__all__ = ["Base", "mutate"]

#: Numbers that are wrong in interesting ways.
ODD = (
    0, 1, 2, 3, 5, 6, 7, 13, 14, 15, 0x3F, 0x40, 0xFF, 0x100, 0xFFF, 0x1000, 0x7FFF, 0x8000, 0xFFFF,
    0x10000, 0x7FFFFFF, 0x10000000, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000005, 0x80000006,
    0x80000007, 0xFFFFFFF8, 0xFFFFFFFA, 0xFFFFFFFB, 0xFFFFFFFC, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF,
)  # fmt: skip
#: Offsets and sizes of the header's fields.
HEADER_FIELDS = (
    (0, 8), (24, 2), (26, 2), (28, 2), (30, 2), (32, 2), (40, 4), (44, 4), (48, 4), (52, 4),
    (56, 4), (60, 4), (64, 4), (68, 4), (72, 4), (76, 4), (80, 4),
)  # fmt: skip
#: The same for a directory entry.
ENTRY_FIELDS = (
    (0, 2), (2, 2), (62, 2), (64, 2), (66, 1), (67, 1), (68, 4), (72, 4), (76, 4), (80, 16),
    (96, 4), (100, 8), (108, 8), (116, 4), (120, 4), (124, 4),
)  # fmt: skip


@dataclass
class Stream:
    """A stream of a base file: stored name, unpacked bytes, how packed, file offset per piece."""

    name: str
    body: bytes
    packing: str
    offsets: list[tuple[int, int]]  # (offset in the file, length) of each piece, in order
    headers: list[int] = field(default_factory=list)  # offsets of chunk headers in the body

    def at(self, offset: int) -> int | None:
        """Return the file offset of a byte of the stored stream."""
        for start, length in self.offsets:
            if offset < length:
                return start + offset
            offset -= length
        return None


class Base:
    """A sound file to damage."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self.compound = CompoundFile.open(memoryview(data))
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            self.sector = int(ole.sectorsize)
            self.fat = [int(n) for n in ole.fat]
            self.fat_sectors = [n for n, link in enumerate(self.fat) if link == 0xFFFFFFFD]
            self.directory = self._chain(ole.first_dir_sector)
            self.mini_fat = self._chain(ole.first_mini_fat_sector)
            self.streams = [self._stream(ole, "/".join(path)) for path in ole.listdir()]
        self.chunky = [s for s in self.streams if s.headers]

    def offset(self, sector: int) -> int:
        return (sector + 1) * self.sector

    def _chain(self, sector: int) -> list[int]:
        out: list[int] = []
        while 0 <= sector < len(self.fat) and len(out) < len(self.fat):
            out.append(sector)
            sector = self.fat[sector]
        return out

    def _stream(self, ole: olefile.OleFileIO, name: str) -> Stream:
        raw = ole.openstream(name).read()
        entry = ole.direntries[ole._find(name)]
        pieces: list[tuple[int, int]] = []
        if entry.size >= ole.minisectorcutoff:
            pieces = [(self.offset(n), self.sector) for n in self._chain(entry.isectStart)]
        else:
            root = self._chain(ole.root.isectStart)
            ole.loadminifat()
            mini, links = entry.isectStart, list(ole.minifat)
            while 0 <= mini < len(links) and len(pieces) < len(links):
                place, within = divmod(mini * 64, self.sector)
                pieces.append((self.offset(root[place]) + within, 64))
                mini = links[mini]
        body, packing = raw, "plain"
        if raw[:3] == b"\x1f\x8b\x08":
            body, packing = gzip.decompress(raw), "gzip"
        elif name.endswith("_Compressed"):
            import zstandard

            body = zstandard.ZstdDecompressor().decompressobj().decompress(raw[2:])
            packing = "zstd"
        stream = Stream(name, body, packing, pieces)
        if not name.startswith("\x05") and not name.startswith("FileAsset"):
            stream.headers = chunk_headers(body)
        return stream


def chunk_headers(body: bytes) -> list[int]:
    """Return the offset of every chunk header of a sound stream, all depths."""
    out: list[int] = []
    todo = [(0, len(body))]
    while todo:
        pos, end = todo.pop()
        while end - pos >= 6:
            (size,) = struct.unpack_from("<I", body, pos + 2)
            head, deep, length = 6, bool(size >> 31), size & 0x7FFFFFFF
            if size in (0xFFFFFFFF, 1):
                head, deep, length = (6 if size != 1 else 14), True, end - pos
            elif size == 0:
                (long,) = struct.unpack_from("<Q", body, pos + 6)
                head, deep, length = 14, bool(long >> 63), long & (2**63 - 1)
            if length < head or pos + length > end:
                break
            out.append(pos)
            if deep:
                todo.append((pos + head, pos + length))
            pos += length
    return out


def _number(rng: random.Random, size: int, old: int) -> bytes:
    limit = 1 << (8 * size)
    choice = rng.randrange(5)
    if choice == 0:
        value = rng.choice(ODD)
    elif choice == 1:
        value = old + rng.choice((-64, -8, -4, -2, -1, 1, 2, 4, 8, 64))
    elif choice == 2:
        value = old ^ (1 << rng.randrange(8 * size))
    elif choice == 3:
        value = rng.randrange(limit)
    else:
        value = rng.randrange(256)
    return (value % limit).to_bytes(size, "little")


def _put(data: bytearray, rng: random.Random, offset: int, size: int) -> None:
    old = int.from_bytes(data[offset : offset + size], "little")
    data[offset : offset + size] = _number(rng, size, old)


# --- the compound file ---------------------------------------------------------------------------


def truncate(base: Base, rng: random.Random) -> bytes:
    whole = rng.random() < 0.5
    cut = rng.randrange(len(base.data))
    return base.data[: cut // base.sector * base.sector if whole else cut]


def flip(base: Base, rng: random.Random) -> bytes:
    data = bytearray(base.data)
    for _ in range(1 << rng.randrange(6)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def header(base: Base, rng: random.Random) -> bytes:
    data = bytearray(base.data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        _put(data, rng, *rng.choice(HEADER_FIELDS))
    return bytes(data)


def table(base: Base, rng: random.Random) -> bytes:
    """Break links of the FAT or the mini FAT: cycles, cross links, chains that leave the file."""
    data = bytearray(base.data)
    places = base.fat_sectors if rng.random() < 0.7 or not base.mini_fat else base.mini_fat
    used = max(1, len(base.fat))
    for _ in range(rng.choice((1, 1, 2, 8))):
        sector = rng.choice(places)
        slot = rng.randrange(min(base.sector // 4, used))
        at = base.offset(sector) + 4 * slot
        choice = rng.randrange(4)
        if choice == 0:
            value = slot  # a chain of one sector that never ends
        elif choice == 1:
            value = rng.randrange(used)
        elif choice == 2:
            value = max(0, slot - rng.randrange(1, 20))
        else:
            value = rng.choice(ODD)
        struct.pack_into("<I", data, at, value)
    return bytes(data)


def directory(base: Base, rng: random.Random) -> bytes:
    data = bytearray(base.data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        slot = rng.randrange(min(base.sector // 128, 16))
        at = base.offset(rng.choice(base.directory)) + 128 * slot
        offset, size = rng.choice(ENTRY_FIELDS)
        if offset in (68, 72, 76) and rng.random() < 0.7:
            struct.pack_into("<I", data, at + offset, rng.randrange(14))
        else:
            _put(data, rng, at + offset, size)
    return bytes(data)


def swap_sectors(base: Base, rng: random.Random) -> bytes:
    data = bytearray(base.data)
    count = len(data) // base.sector
    a, b = (rng.randrange(count) * base.sector for _ in range(2))
    size = base.sector
    data[a : a + size], data[b : b + size] = data[b : b + size], data[a : a + size]
    return bytes(data)


def overwrite(base: Base, rng: random.Random) -> bytes:
    """Copy a run of bytes to another place."""
    data = bytearray(base.data)
    size = 1 << rng.randrange(2, 12)
    a, b = rng.randrange(len(data) - size), rng.randrange(len(data) - size)
    data[a : a + size] = data[b : b + size]
    return bytes(data)


# --- chunks --------------------------------------------------------------------------------------


def _with_body(base: Base, stream: Stream, body: bytes, rng: random.Random) -> bytes:
    """Return the file with another body of a stream."""
    if stream.packing == "plain" and len(body) == len(stream.body):
        data = bytearray(base.data)
        pos = 0
        for offset, length in stream.offsets:
            piece = body[pos : pos + length]
            data[offset : offset + len(piece)] = piece
            pos += length
        return bytes(data)
    stored = body
    if stream.packing == "gzip":
        stored = _gzip(body, rng)
    elif stream.packing == "zstd":
        stored = _zstd(body)
    try:
        return rebuild(base.compound, {stream.name: stored})
    except MaxSidecarError:
        return base.data


def _gzip(body: bytes, rng: random.Random) -> bytes:
    packed = zlib.compressobj(1, zlib.DEFLATED, -15)
    raw = packed.compress(body) + packed.flush()
    size = len(body) if rng.random() < 0.95 else rng.randrange(2**32)
    head = bytes.fromhex("1f8b080000000000000b")
    return head + raw + struct.pack("<II", zlib.crc32(body), size & 0xFFFFFFFF)


def _zstd(body: bytes) -> bytes:
    import zstandard

    return b"\xff\xff" + zstandard.ZstdCompressor(level=1, write_checksum=True).compress(body)


def _pick(base: Base, rng: random.Random) -> Stream:
    scene = [s for s in base.chunky if s.name.startswith("Scene")]
    return rng.choice(scene if rng.random() < 0.6 and scene else base.chunky)


def chunk_sizes(base: Base, rng: random.Random) -> bytes:
    stream = _pick(base, rng)
    body = bytearray(stream.body)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.choice(stream.headers)
        choice = rng.randrange(4)
        if choice == 0:
            body[at + 5] ^= 0x80  # container or not
        elif choice == 1:
            _put(body, rng, at, 2)
        else:
            _put(body, rng, at + 2, 4)
    return _with_body(base, stream, bytes(body), rng)


def chunk_values(base: Base, rng: random.Random) -> bytes:
    """Change numbers in chunk bodies: counts, sizes, indices, text."""
    stream = _pick(base, rng)
    body = bytearray(stream.body)
    for _ in range(rng.choice((1, 2, 4, 16))):
        at = rng.choice(stream.headers) + 6 + 4 * rng.choice((0, 0, 0, 1, 2, 3, 4))
        if at + 4 <= len(body):
            _put(body, rng, at, rng.choice((1, 2, 4, 4)))
    return _with_body(base, stream, bytes(body), rng)


def chunk_moves(base: Base, rng: random.Random) -> bytes:
    """Take bytes out of a stream, double some, or put others in."""
    stream = _pick(base, rng)
    body = bytearray(stream.body)
    at = rng.choice(stream.headers)
    size = rng.choice((1, 2, 4, 6, 8, 14, 20, rng.randrange(1, 400)))
    choice = rng.randrange(4)
    if choice == 0:
        del body[at : at + size]
    elif choice == 1:
        body[at:at] = body[at : at + size]
    elif choice == 2:
        body[at:at] = rng.randbytes(size)
    else:
        del body[rng.randrange(len(body)) :]
    return _with_body(base, stream, bytes(body), rng)


def nesting(base: Base, rng: random.Random) -> bytes:
    """Put a stream of very deep containers in."""
    stream = _pick(base, rng)
    depth = rng.choice((50, 400, 1100, 3000))
    size, parts = 6 * depth, []
    for _ in range(depth):
        parts.append(struct.pack("<HI", rng.choice((0x2150, 0x0110, 0x07)), size | 0x80000000))
        size -= 6
    deep = b"".join(parts)
    head = stream.body[:6]
    if rng.random() < 0.5 and head[:2] != b"":
        deep = head[:2] + struct.pack("<I", (len(deep) + 6) | 0x80000000) + deep
    return _with_body(base, stream, deep, rng)


# --- packed streams ------------------------------------------------------------------------------


def packed_bytes(base: Base, rng: random.Random) -> bytes:
    """Damage bytes of packed streams; where none is packed, of any stream."""
    packed = [s for s in base.streams if s.packing != "plain"] or base.streams
    stream = rng.choice(packed)
    total = sum(length for _, length in stream.offsets)
    data = bytearray(base.data)
    for _ in range(rng.choice((1, 1, 3, 10)) if total else 0):
        near = min(total, 24) if rng.random() < 0.5 else total
        at = stream.at(rng.randrange(near))
        if at is not None and at < len(data):
            data[at] = rng.randrange(256)
    return bytes(data)


@lru_cache(maxsize=4)
def _bomb(kind: str, size: int) -> bytes:
    if kind == "gzip":
        packed = zlib.compressobj(9, zlib.DEFLATED, -15)
        piece = bytes(1 << 20)
        raw = b"".join(packed.compress(piece) for _ in range(size >> 20)) + packed.flush()
        return bytes.fromhex("1f8b080000000000000b") + raw + bytes(8)
    import zstandard

    squeezer = zstandard.ZstdCompressor(level=1).compressobj()
    piece = bytes(1 << 20)
    raw = b"".join(squeezer.compress(piece) for _ in range(size >> 20)) + squeezer.flush()
    return b"\xff\xff" + raw


def bomb(base: Base, rng: random.Random) -> bytes:
    """Put a stream in that unpacks to far more than it should."""
    name = rng.choice(base.chunky).name
    kind = "zstd" if name.endswith("_Compressed") else "gzip"
    try:
        return rebuild(base.compound, {name: _bomb(kind, 40 << 20)})
    except MaxSidecarError:
        return base.data


Strategy = Callable[[Base, random.Random], bytes]

#: How often each kind of damage is chosen.
WEIGHTS: dict[Strategy, float] = {
    truncate: 4,
    flip: 10,
    header: 8,
    table: 14,
    directory: 12,
    swap_sectors: 3,
    overwrite: 5,
    chunk_sizes: 20,
    chunk_values: 24,
    chunk_moves: 12,
    nesting: 2,
    packed_bytes: 8,
    bomb: 0.02,
}


def mutate(base: Base, seed: int) -> tuple[str, bytes]:
    """Return the name of the damage done and the damaged file."""
    rng = random.Random(f"{base.name}:{seed}")
    (strategy,) = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))
    data = strategy(base, rng)
    if rng.random() < 0.05:  # damage on top of damage
        more = bytearray(data)
        for _ in range(4 if more else 0):
            more[rng.randrange(len(more))] = rng.randrange(256)
        data = bytes(more)
    return strategy.__name__, data
