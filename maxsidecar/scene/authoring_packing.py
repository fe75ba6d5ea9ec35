"""Packing of new streams, the way that the releases with compressed saves do it (measured)."""

from __future__ import annotations

import zlib
from typing import Final, Literal, TypeAlias

from maxsidecar.errors import CompressionError
from maxsidecar.io.chunks import OPEN_NARROW, encode_header
from maxsidecar.scene.authoring_chunks import pack_values

__all__ = ["Compression", "pack_stream"]

Compression: TypeAlias = Literal["gzip", "zstd"] | None

#: Header of every gzip stream (measured): no time, no flags, file system NTFS.
_GZIP_HEADER: Final = bytes.fromhex("1f8b080000000000000b")
#: Stream id in the wrapper of zstd saves (measured, docs/format/streams.md).
_ZSTD_WRAPPERS: Final = {
    "DllDirectory": 0x2203,
    "ClassDirectory3": 0x2204,
    "ClassData": 0x2205,
    "Config": 0x2206,
    "VideoPostQueue": 0x2208,
}


def pack_stream(name: str, body: bytes, compression: Compression) -> tuple[str, bytes]:
    """Return the stored name and bytes of a chunk stream.

    Raises:
        CompressionError: ``zstd`` is asked for and the package is missing.
    """
    if compression == "gzip":
        return name, _gzip(body)
    if compression == "zstd":
        if name in _ZSTD_WRAPPERS:
            body = encode_header(_ZSTD_WRAPPERS[name], 0, True, OPEN_NARROW) + body
        return f"{name}_Compressed", _zstd(body)
    return name, body


def _gzip(body: bytes) -> bytes:
    deflater = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = deflater.compress(body) + deflater.flush()
    return _GZIP_HEADER + packed + pack_values("II", zlib.crc32(body), len(body) & 0xFFFFFFFF)


def _zstd(body: bytes) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise CompressionError("to pack with zstd, install the package 'zstandard'") from None
    parameters = zstandard.ZstdCompressionParameters.from_level(
        1, window_log=19, write_checksum=True, write_content_size=False
    )
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return b"\xff\xff" + compressor.compress(body) + compressor.flush()
