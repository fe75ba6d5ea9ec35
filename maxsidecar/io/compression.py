"""Compressed streams: gzip (Max 4, 2010 to 2015) and zstd (Max 2024), unpacked and packed again.

Which streams are compressed is a property of each stream: a gzip stream keeps its name and is
known by its magic; a zstd stream is renamed to ``..._Compressed`` and begins with ``ff ff``
(measured on the corpus).  Packing uses the settings that give the original bytes again:
zlib level 1 or 6, zstd level 1 streamed with the frame's own window.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from maxsidecar.errors import CompressionError, LimitError, Where
from maxsidecar.io.compound_layout import Buffer

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Packed", "logical_name", "pack", "unpack"]

_MIB: Final = 1 << 20
_GZIP_MAGIC: Final = b"\x1f\x8b\x08"
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_PREFIX: Final = b"\xff\xff"
_SUFFIX: Final = "_Compressed"
_LOGICAL: Final = {"Scripted_CA_Defs": "ScriptedCustAttribDefs"}
# Never compressed, and the latter begin with a random GUID that could look like anything.
_PLAIN: Final = ("\x05", "FileAssetMetaData")
_LEVELS: Final = (1, 6, 9, 5, 4, 3, 2, 7, 8)
_PROBE: Final = 1 << 18
_MAX_WINDOW: Final = 1 << 27


@dataclass(frozen=True, slots=True)
class Packed:
    """How a stream was stored, enough to store it the same way again.

    Attributes:
        kind: ``plain``, ``gzip`` or ``zstd``.
        name: Name of the stream in the file.
        raw: The stored bytes.
        header: gzip: the member's header as read; zstd: the bytes before the frame.
        limit: The limit that the stream was unpacked with.
        window_log: zstd: base-2 logarithm of the window size.
        checksum: zstd: whether the frame ends with a checksum.
        content_size: zstd: whether the frame states its content size.
    """

    kind: Literal["plain", "gzip", "zstd"]
    name: str
    raw: memoryview
    header: bytes = b""
    limit: int = 0
    window_log: int = 0
    checksum: bool = False
    content_size: bool = False


def logical_name(name: str) -> str:
    """Return a stream's name without the mark of compression.

    ``Scene`` for ``Scene_Compressed``, and ``ScriptedCustAttribDefs`` for
    ``Scripted_CA_Defs_Compressed``, which had to be shortened to the 31 characters of a name.
    """
    folder, slash, own = name.rpartition("/")
    if not own.endswith(_SUFFIX):
        return name
    own = own.removesuffix(_SUFFIX)
    return folder + slash + _LOGICAL.get(own, own)


def unpack(name: str, raw: Buffer, *, limit: int | None = None) -> tuple[str, Buffer, Packed]:
    """Return a stream's logical name, its unpacked bytes, and how it was packed.

    Args:
        name: Name of the stream in the file, for example ``Scene_Compressed``.
        raw: The stored bytes.
        limit: Most bytes to unpack; by default 64 times the stored size, at least 32 MiB and at
            most 4 GiB.

    Returns:
        The name without the mark of compression (``Scene``; ``ScriptedCustAttribDefs`` for
        ``Scripted_CA_Defs_Compressed``), the bytes (a view of ``raw`` where they are stored
        plainly), and the record that :func:`pack` wants.

    Raises:
        CompressionError: The data is damaged, cut off or followed by other bytes, or the
            ``zstandard`` package is missing.
        LimitError: It unpacks to more than ``limit`` bytes.
    """
    view = memoryview(raw).cast("B")
    where = Where(stream=name)
    own = name.rpartition("/")[2]
    if limit is None:
        limit = min(max(32 * _MIB, 64 * len(view)), 4096 * _MIB)
    if own.endswith(_SUFFIX):
        body, packed = _unpack_zstd(name, view, limit, where)
        return logical_name(name), body, packed
    if bytes(view[:3]) == _GZIP_MAGIC and not own.startswith(_PLAIN):
        body, header = _gunzip(view, limit, where)
        return name, body, Packed("gzip", name, view, header, limit)
    return name, view, Packed("plain", name, view)


def pack(packed: Packed, body: Buffer) -> bytes:
    """Return ``body`` stored as the stream was.

    Bytes that equal the unpacked original give the stored original, whatever wrote it.

    Raises:
        CompressionError: The ``zstandard`` package is missing.
    """
    if packed.kind == "plain":
        return bytes(body)
    _, original, _ = unpack(packed.name, packed.raw, limit=packed.limit)
    if len(original) == len(body) and bytes(original) == bytes(body):
        return bytes(packed.raw)
    if packed.kind == "gzip":
        return _gzip(packed, bytes(original), body)
    return packed.header + _zstd(packed, body)


# --- gzip ----------------------------------------------------------------------------------------


def _gunzip(view: memoryview, limit: int, where: Where) -> tuple[bytes, bytes]:
    """Return the content of one gzip member that fills ``view``, and its header."""
    start = _gzip_header(view, where)
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        body = inflater.decompress(view[start:], limit + 1)
    except zlib.error as error:
        raise CompressionError(
            f"the gzip data is damaged ({error})", where.within(offset=start)
        ) from None
    if len(body) > limit:
        raise LimitError("the stream unpacks to too many bytes", where, expected=f"<= {limit}")
    tail = inflater.unused_data
    end = len(view) - len(tail)
    if not inflater.eof or len(tail) < 8:
        raise CompressionError("the gzip data is cut off", where.within(offset=len(view)))
    if len(tail) > 8:
        raise CompressionError(
            "other bytes follow the gzip data", where.within(offset=end + 8), found=len(tail) - 8
        )
    for offset, what, expected, word in (
        (end, "checksum", zlib.crc32(body), tail[:4]),
        (end + 4, "size", len(body) & 0xFFFFFFFF, tail[4:]),
    ):
        if (found := int.from_bytes(word, "little")) != expected:
            raise CompressionError(
                f"the gzip data has the wrong {what}",
                where.within(offset=offset),
                expected=f"{expected:#x}",
                found=f"{found:#x}",
            )
    return body, bytes(view[:start])


def _gzip_header(view: memoryview, where: Where) -> int:
    """Return the length of a gzip header, its optional fields included."""
    head = bytes(view[:_MIB])
    flags = head[3] if len(head) > 3 else 0
    if flags & 0xE0:
        raise CompressionError(
            "the gzip header has unknown flags", where.within(offset=3), found=f"{flags:#x}"
        )
    end = 10
    if flags & 4:
        end += 2 + int.from_bytes(head[10:12], "little")
    for bit in (8, 16):
        if flags & bit:
            end = head.find(b"\0", end) + 1 or len(head) + 1
    if flags & 2:
        end += 2
    if end > len(head):
        raise CompressionError("the gzip header is cut off", where)
    return end


def _gzip(packed: Packed, original: bytes, body: Buffer) -> bytes:
    level = _gzip_level(packed, original)
    deflater = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    trailer = zlib.crc32(body).to_bytes(4, "little") + (len(body) & 0xFFFFFFFF).to_bytes(
        4, "little"
    )
    return b"".join((packed.header, deflater.compress(body), deflater.flush(), trailer))


def _gzip_level(packed: Packed, original: bytes) -> int:
    """Return the first level that gives the original's beginning; 1 where none does."""
    stored = packed.raw[len(packed.header) :]
    for level in _LEVELS:
        deflater = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
        out = deflater.compress(original[:_PROBE])
        if len(original) <= _PROBE:
            out += deflater.flush()
        if out == bytes(stored[: len(out)]):
            return level
    return 1


# --- zstd ----------------------------------------------------------------------------------------


def _zstandard(where: Where) -> ModuleType:
    try:
        import zstandard
    except ImportError:
        raise CompressionError(
            "the stream is compressed with zstd: install the package 'zstandard'", where
        ) from None
    return zstandard


def _unpack_zstd(name: str, view: memoryview, limit: int, where: Where) -> tuple[bytes, Packed]:
    if bytes(view[:6]) != _PREFIX + _ZSTD_MAGIC:
        raise CompressionError(
            "the compressed stream begins wrongly",
            where.within(offset=0),
            expected=(_PREFIX + _ZSTD_MAGIC).hex(" "),
            found=bytes(view[:6]).hex(" "),
        )
    zstandard = _zstandard(where)
    frame = view[len(_PREFIX) :]
    try:
        parameters = zstandard.get_frame_parameters(bytes(frame[:18]))
        header_size = zstandard.frame_header_size(bytes(frame[:18]))
    except zstandard.ZstdError as error:
        raise CompressionError(f"the zstd frame is damaged ({error})", where) from None
    end = _zstd_end(frame, header_size, parameters.has_checksum, where)
    if end != len(frame):
        raise CompressionError(
            "other bytes follow the zstd data",
            where.within(offset=len(_PREFIX) + end),
            found=len(frame) - end,
        )
    body = _read_zstd(zstandard, frame, limit, where)
    descriptor = frame[4]
    return body, Packed(
        "zstd",
        name,
        view,
        _PREFIX,
        limit,
        max(10, (parameters.window_size - 1).bit_length()),
        bool(parameters.has_checksum),
        bool(descriptor >> 6 or descriptor & 0x20),
    )


def _zstd_end(frame: memoryview, start: int, checksum: bool, where: Where) -> int:
    """Return where the frame ends, by its block headers (spec: RFC 8878, 3.1.1.2).

    The decoder itself does not tell a frame that is cut off from one that ends.
    """
    position, last = start, False
    while not last and position + 3 <= len(frame):
        block = int.from_bytes(frame[position : position + 3], "little")
        last = bool(block & 1)
        # A run-length block stores one byte, whatever it unpacks to.
        position += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
    position += 4 if checksum else 0
    if not last or position > len(frame):
        raise CompressionError(
            "the zstd data is cut off", where.within(offset=len(_PREFIX) + len(frame))
        )
    return position


def _read_zstd(zstandard: Any, frame: memoryview, limit: int, where: Where) -> bytes:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
    pieces: list[bytes] = []
    total = 0
    try:
        with decompressor.stream_reader(frame) as reader:
            while piece := reader.read(min(4 * _MIB, limit + 1 - total)):
                pieces.append(piece)
                total += len(piece)
                if total > limit:
                    raise LimitError(
                        "the stream unpacks to too many bytes", where, expected=f"<= {limit}"
                    )
    except zstandard.ZstdError as error:
        raise CompressionError(f"the zstd data is damaged ({error})", where) from None
    return b"".join(pieces)


def _zstd(packed: Packed, body: Buffer) -> bytes:
    zstandard = _zstandard(Where(stream=packed.name))
    parameters = zstandard.ZstdCompressionParameters.from_level(
        1,
        window_log=packed.window_log,
        write_checksum=packed.checksum,
        write_content_size=packed.content_size,
    )
    # Streamed: compressing in one call would choose other settings from the known size.
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj(
        size=len(body) if packed.content_size else -1
    )
    return bytes(compressor.compress(body) + compressor.flush())
