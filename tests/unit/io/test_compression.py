"""Unpacking and packing streams; gzip data comes from the standard library's ``gzip``."""

from __future__ import annotations

import builtins
import gzip
import io
import random
import tracemalloc
import zlib

import pytest
import zstandard

from maxsidecar.errors import CompressionError, LimitError, MaxSidecarError
from maxsidecar.io.compression import pack, unpack

# Header of every gzip stream in real scenes: no name, no time, OS 0x0b.
MAX_HEADER = bytes.fromhex("1f8b080000000000000b")
BODY = b"".join(random.Random(i).randbytes(8) * 5 + bytes(20) for i in range(2000))
ZSTD_MAGIC = bytes.fromhex("28b52ffd")


def member(body: bytes, level: int, header: bytes = MAX_HEADER) -> bytes:
    deflater = zlib.compressobj(level, zlib.DEFLATED, -15)
    data = deflater.compress(body) + deflater.flush()
    return header + data + zlib.crc32(body).to_bytes(4, "little") + len(body).to_bytes(4, "little")


def frame(body: bytes, level: int = 1, window: int = 19, checksum: bool = True) -> bytes:
    parameters = zstandard.ZstdCompressionParameters.from_level(
        level, window_log=window, write_checksum=checksum, write_content_size=False
    )
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return b"\xff\xff" + compressor.compress(body) + compressor.flush()


def test_plain_stream_is_a_view() -> None:
    raw = bytearray(b"\x00\x20\x06\x00\x00\x00")
    name, body, packed = unpack("Scene", raw)
    assert (name, packed.kind) == ("Scene", "plain")
    raw[0] = 7
    assert body[0] == 7
    assert pack(packed, b"new") == b"new"


@pytest.mark.parametrize("name", ["\x05SummaryInformation", "FileAssetMetaData3"])
def test_streams_that_are_never_compressed(name: str) -> None:
    # An asset's GUID may begin like a gzip header.
    raw = b"\x1f\x8b\x08\x00" + bytes(100)
    assert unpack(name, raw)[2].kind == "plain"
    with pytest.raises(CompressionError):
        unpack("Scene", raw)


@pytest.mark.parametrize("level", [1, 6, 9])
def test_gzip_is_packed_with_the_level_that_it_had(level: int) -> None:
    raw = member(BODY, level)
    name, body, packed = unpack("Scene", raw)
    assert (name, body, packed.kind, packed.header) == ("Scene", BODY, "gzip", MAX_HEADER)
    assert pack(packed, BODY) == raw
    changed = BODY[:-1] + b"!" + BODY
    assert pack(packed, changed) == member(changed, level)
    assert gzip.decompress(pack(packed, changed)) == changed


def test_gzip_header_with_every_field() -> None:
    header = (
        b"\x1f\x8b\x08\x1f" + b"\x01\x02\x03\x04\x02\x03" + b"\x03\x00abc" + b"name\0"
        + b"comment\0"
    )  # fmt: skip
    header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    raw = member(BODY, 1, header)
    assert gzip.decompress(raw) == BODY
    _, body, packed = unpack("Scene", raw)
    assert body == BODY
    assert packed.header == header
    assert pack(packed, b"x") == member(b"x", 1, header)


def test_unknown_deflater_is_kept_while_unchanged_and_replaced_by_level_1() -> None:
    deflater = zlib.compressobj(1, zlib.DEFLATED, -15, 3, zlib.Z_HUFFMAN_ONLY)
    data = deflater.compress(BODY) + deflater.flush()
    trailer = zlib.crc32(BODY).to_bytes(4, "little") + len(BODY).to_bytes(4, "little")
    raw = MAX_HEADER + data + trailer
    assert raw not in [member(BODY, level) for level in range(10)]
    _, body, packed = unpack("Scene", raw)
    assert pack(packed, body) == raw
    assert pack(packed, b"new" * 99) == member(b"new" * 99, 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda raw: raw + b"\0", "other bytes follow"),
        (lambda raw: raw + raw, "other bytes follow"),
        (lambda raw: raw[:-1], "cut off"),
        (lambda raw: raw[:-8], "cut off"),
        (lambda raw: raw[:500], "cut off"),
        (lambda raw: raw[:8], "header is cut off"),
        (lambda raw: raw[:3], "header is cut off"),
        (lambda raw: raw[:3] + b"\x08" + raw[4:10] + b"name without end", "header is cut off"),
        (lambda raw: raw[:3] + b"\x80" + raw[4:], "unknown flags"),
        (lambda raw: raw[:10] + b"\xff" * 20 + raw[30:], "damaged"),
        (lambda raw: raw[:-8] + bytes(4) + raw[-4:], "wrong checksum"),
        (lambda raw: raw[:-4] + bytes(4), "wrong size"),
    ],
)
def test_damaged_gzip(change: object, reason: str) -> None:
    assert callable(change)
    with pytest.raises(CompressionError, match=reason) as caught:
        unpack("Scene", change(member(BODY, 1)))
    assert caught.value.where.stream == "Scene"


def test_gzip_bomb() -> None:
    raw = member(bytes(20_000_000), 9)
    tracemalloc.start()
    with pytest.raises(LimitError, match="unpacks to too many bytes"):
        unpack("Scene", raw, limit=1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000
    assert len(unpack("Scene", raw, limit=20_000_000)[1]) == 20_000_000
    with pytest.raises(LimitError):
        unpack("Scene", raw, limit=19_999_999)


@pytest.mark.parametrize(
    ("stored", "logical"),
    [
        ("Scene_Compressed", "Scene"),
        ("ClassDirectory3_Compressed", "ClassDirectory3"),
        ("Scripted_CA_Defs_Compressed", "ScriptedCustAttribDefs"),
        ("Folder/Scene_Compressed", "Folder/Scene"),
    ],
)
def test_zstd_names(stored: str, logical: str) -> None:
    name, body, packed = unpack(stored, frame(BODY))
    assert (name, body, packed.kind, packed.name) == (logical, BODY, "zstd", stored)


@pytest.mark.parametrize("window", [17, 19, 20])
@pytest.mark.parametrize("checksum", [True, False])
def test_zstd_is_packed_with_the_settings_that_it_had(window: int, checksum: bool) -> None:
    raw = frame(BODY, 1, window, checksum)
    _, body, packed = unpack("Scene_Compressed", raw)
    assert body == BODY
    assert (packed.window_log, packed.checksum, packed.content_size) == (window, checksum, False)
    assert pack(packed, BODY) == raw
    changed = BODY + b"more" * 1000
    assert pack(packed, changed) == frame(changed, 1, window, checksum)


def test_zstd_of_another_level_is_kept_while_unchanged() -> None:
    raw = frame(BODY, 19)
    _, body, packed = unpack("Scene_Compressed", raw)
    assert pack(packed, body) == raw
    assert unpack("Scene_Compressed", pack(packed, b"new"))[1] == b"new"


def test_zstd_with_content_size() -> None:
    raw = b"\xff\xff" + zstandard.ZstdCompressor(level=1, write_content_size=True).compress(BODY)
    _, body, packed = unpack("Scene_Compressed", raw)
    assert body == BODY
    assert packed.content_size
    assert unpack("Scene_Compressed", pack(packed, b"n" * 100))[1] == b"n" * 100


def test_empty_bodies() -> None:
    assert unpack("Scene", b"")[1] == b""
    assert unpack("Scene", member(b"", 1))[1] == b""
    _, body, packed = unpack("Scene_Compressed", frame(b""))
    assert body == b""
    assert unpack("Scene_Compressed", pack(packed, b""))[1] == b""


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "begins wrongly"),
        (BODY, "begins wrongly"),
        (frame(BODY)[2:], "begins wrongly"),
        (b"\xff\xff" + ZSTD_MAGIC, "damaged"),
        (frame(BODY) + b"\0", "other bytes follow"),
        (frame(BODY)[:-1], "cut off"),
        (frame(BODY)[:-4], "cut off"),
        (frame(BODY)[:1000], "cut off"),
        (frame(BODY, checksum=False)[:-1], "cut off"),
        (frame(BODY)[:-4] + b"\0\0\0\0", "damaged"),
        (b"\xff\xff" + ZSTD_MAGIC + b"\x04\xf8" + bytes(40), "damaged"),
    ],
)
def test_damaged_zstd(raw: bytes, reason: str) -> None:
    with pytest.raises(CompressionError, match=reason):
        unpack("Scene_Compressed", raw)


def test_zstd_bomb() -> None:
    raw = frame(bytes(20_000_000))
    tracemalloc.start()
    with pytest.raises(LimitError, match="unpacks to too many bytes"):
        unpack("Scene_Compressed", raw, limit=1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000
    assert len(unpack("Scene_Compressed", raw)[1]) == 20_000_000


def test_default_limit_follows_the_stored_size() -> None:
    raw = frame(bytes(33 << 20))
    with pytest.raises(LimitError):
        unpack("Scene_Compressed", raw)


def test_missing_zstandard_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: object, **kwargs: object) -> object:
        if name == "zstandard":
            raise ImportError(name)
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    raw = frame(BODY)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(CompressionError, match="install the package 'zstandard'"):
        unpack("Scene_Compressed", raw)


@pytest.mark.parametrize("seed", range(300))
def test_mutated_data_gives_our_errors_or_a_body(seed: int) -> None:
    source = random.Random(seed)
    name, raw = source.choice([("Scene", member(BODY, 1)), ("Scene_Compressed", frame(BODY))])
    data = bytearray(raw)
    for _ in range(source.choice((1, 2, 10))):
        limit = source.choice((20, len(data)))
        data[source.randrange(2, limit)] = source.randrange(256)
    if source.random() < 0.2:
        del data[source.randrange(3, len(data)) :]
    try:
        _, body, packed = unpack(name, bytes(data), limit=1 << 24)
    except MaxSidecarError:
        return
    assert pack(packed, body) == bytes(data)


def test_gzip_module_reads_what_is_packed_for_large_bodies() -> None:
    big = random.Random(1).randbytes(1 << 16) * 40
    _, _, packed = unpack("Scene", member(BODY, 1))
    with gzip.GzipFile(fileobj=io.BytesIO(pack(packed, big))) as file:
        assert file.read() == big
