"""Chunk headers: reading one level of chunks, and writing a header.

The header is ``u16 id, u32 size``; the size counts the header, and bit 31 says that the body holds
child chunks (a *container*).  Size 0 means that a ``u64`` size with the container bit at bit 63
follows.  Which of the two forms a chunk has is a property of the chunk, so it is kept.  Compressed
2024 saves also use *open* headers, whose size is unknown (all bits set) and whose body runs to the
end of the stream.  (spec: max-format-facts; measured.)
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Final, TypeAlias

from maxsidecar.errors import ChunkError, EditError, LimitError, Where, shorten
from maxsidecar.io.buffers import Buffer

__all__ = [
    "LARGE",
    "NARROW",
    "OPEN_NARROW",
    "OPEN_WIDE",
    "WIDE",
    "Buffer",
    "Span",
    "encode_header",
    "form_beside",
    "require_id",
    "scan",
    "scan_sound",
]


#: One chunk as a plain tuple: (id, start, body, end, container, form).  Offsets count from the
#: start of the scanned buffer; ``start`` is the header, ``body:end`` the content.
Span: TypeAlias = tuple[int, int, int, int, bool, int]

# Header forms.
NARROW: Final = 0  # u16 id, u32 size
WIDE: Final = 1  # u16 id, u32 0, u64 size
OPEN_NARROW: Final = 2  # u16 id, u32 ffffffff: runs to the end of the stream
OPEN_WIDE: Final = 3  # u16 id, u32 1, u64 all ones: runs to the end of the stream

#: From this size on, releases since 2010 write the wide form whatever stands beside it; below it
#: all chunks of a stream have one form (measured: narrow up to 843,166, wide from 1,063,580).
LARGE: Final = 1 << 20

#: More chunks than this on one level are an attack: empty ones, packed small, would need a
#: hundred thousand times their size in memory.  The largest real scene at hand has 4,030 objects.
MAX_SIBLINGS: Final = 1 << 20

_NARROW = Struct("<HI")
_WIDE = Struct("<HIQ")
_U64 = Struct("<Q")
_NARROW_LIMIT: Final = 0x7FFFFFFF
_OPEN: Final = 0xFFFFFFFF
_OPEN64: Final = 0xFFFFFFFFFFFFFFFF


def require_id(chunk_id: object, where: Where) -> None:
    """Refuse what is no chunk id.

    Raises:
        EditError: It is no number of 16 bits.
    """
    if not isinstance(chunk_id, int) or not 0 <= chunk_id <= 0xFFFF:
        found = shorten(chunk_id, 40)
        raise EditError("chunk id out of range", where, expected="0 to 65535", found=found)


def encode_header(chunk_id: int, body_size: int, container: bool, form: int = NARROW) -> bytes:
    """Return the header of a chunk whose body is ``body_size`` bytes long.

    A narrow header that could not hold the size becomes a wide one.

    Raises:
        EditError: The id does not fit 16 bits.
    """
    require_id(chunk_id, Where())
    if form == NARROW:
        size = body_size + 6
        # A narrow container of exactly the largest size would read as an open header.
        if size < _NARROW_LIMIT or (size == _NARROW_LIMIT and not container):
            return _NARROW.pack(chunk_id, size | (container << 31))
    elif form == OPEN_NARROW:
        return _NARROW.pack(chunk_id, _OPEN)
    elif form == OPEN_WIDE:
        return _WIDE.pack(chunk_id, 1, _OPEN64)
    return _WIDE.pack(chunk_id, 0, (body_size + 14) | (container << 63))


def form_beside(spans: Sequence[Span], position: int) -> int | None:
    """Return the header form for a new chunk at a position among others.

    It is the form of the nearest chunk that is not so large that it would be wide anyway;
    ``None`` when there is none, or when it is open.
    """
    for span in (*spans[position:], *reversed(spans[:position])):
        if span[3] - span[1] < LARGE:
            return span[5] if span[5] in (NARROW, WIDE) else None
    return None


def scan(data: Buffer, start: int, end: int, *, root: bool = False) -> list[Span]:
    """List the chunks that lie side by side in ``data[start:end]``.

    Args:
        data: The bytes.
        start: Where the first chunk begins.
        end: Where the last chunk must end.
        root: Accept an open header, which only the first chunk of a stream may have.

    Raises:
        ChunkError: A header does not fit, or a chunk ends outside ``start:end``; ``where.offset``
            is the offset of that header in ``data``.
        LimitError: There are more than :data:`MAX_SIBLINGS`.
    """
    out: list[Span] = []
    append = out.append
    unpack = _NARROW.unpack_from
    pos = start
    while pos < end:
        if end - pos < 6:
            raise _short(pos, end, 6)
        chunk_id, size = unpack(data, pos)
        if size & 0x7FFFFFFF > 5 and size != _OPEN:
            stop = pos + (size & 0x7FFFFFFF)
            if stop > end:
                raise _overrun(chunk_id, pos, stop - pos, end)
            append((chunk_id, pos, pos + 6, stop, size > _NARROW_LIMIT, NARROW))
        else:
            span = _unusual(data, pos, end, root and pos == start)
            append(span)
            stop = span[3]
        pos = stop
        if len(out) > MAX_SIBLINGS:
            raise LimitError(
                "too many chunks side by side", Where(offset=start), expected=f"{MAX_SIBLINGS}"
            )
    return out


def scan_sound(
    data: Buffer, start: int, end: int, *, root: bool = False
) -> tuple[list[Span], ChunkError | None]:
    """List the chunks in front of the first damaged one, and say what is wrong with that.

    Args:
        data: The bytes.
        start: Where the first chunk begins.
        end: Where the last chunk should end.
        root: Accept an open header, see :func:`scan`.

    Returns:
        The sound chunks, and the error that :func:`scan` raises, or ``None``.
    """
    try:
        return scan(data, start, end, root=root), None
    except ChunkError as error:
        bad = start if error.where.offset is None else error.where.offset
        # The frames of the traceback hold on to everything scanned so far.
        return scan(data, start, bad, root=root), error.with_traceback(None)


def _unusual(data: Buffer, pos: int, end: int, root: bool) -> Span:
    """Read a header that is not in the narrow form."""
    chunk_id, size = _NARROW.unpack_from(data, pos)
    if size == 0:
        if end - pos < 14:
            raise _short(pos, end, 14)
        (long_size,) = _U64.unpack_from(data, pos + 6)
        length = long_size & 0x7FFFFFFFFFFFFFFF
        if length < 14:
            raise _small(chunk_id, pos, length, 14)
        if length > end - pos:
            raise _overrun(chunk_id, pos, length, end)
        return chunk_id, pos, pos + 14, pos + length, long_size != length, WIDE
    if root and size == _OPEN:
        return chunk_id, pos, pos + 6, end, True, OPEN_NARROW
    if root and size == 1 and end - pos >= 14 and _U64.unpack_from(data, pos + 6)[0] == _OPEN64:
        return chunk_id, pos, pos + 14, end, True, OPEN_WIDE
    if size == _OPEN:
        raise _overrun(chunk_id, pos, _NARROW_LIMIT, end)
    raise _small(chunk_id, pos, size & _NARROW_LIMIT, 6)


def _short(pos: int, end: int, header: int) -> ChunkError:
    return ChunkError(
        "bytes are left over that are too few for a chunk header",
        Where(offset=pos),
        expected=f"{header} bytes",
        found=end - pos,
    )


def _small(chunk_id: int, pos: int, size: int, header: int) -> ChunkError:
    return ChunkError(
        f"chunk {chunk_id:04x} is smaller than its header",
        Where(offset=pos),
        expected=f"at least {header} bytes",
        found=size,
    )


def _overrun(chunk_id: int, pos: int, size: int, end: int) -> ChunkError:
    return ChunkError(
        f"chunk {chunk_id:04x} ends outside its parent",
        Where(offset=pos),
        expected=f"at most {end - pos} bytes",
        found=size,
    )
