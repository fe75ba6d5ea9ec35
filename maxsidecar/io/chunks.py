"""Chunks: the nested records that most streams of a scene are made of.

A chunk is a header and a body.  The header is ``u16 id, u32 size``; the size counts the header,
and bit 31 says that the body holds child chunks (a *container*).  Size 0 means that a ``u64`` size
with the container bit at bit 63 follows.  Which of the two forms a chunk has is a property of the
chunk, so it is kept.  Compressed 2024 saves also use *open* headers, whose size is unknown
(all bits set) and whose body runs to the end of the stream.  (spec: max-format-facts; measured.)

Nothing here makes an object per chunk ahead of time: :func:`scan` lists one level as tuples, and
:class:`Chunk` is a view that is made when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Final, TypeAlias

from maxsidecar.errors import ChunkError, EditError, Where

__all__ = [
    "NARROW",
    "OPEN_NARROW",
    "OPEN_WIDE",
    "WIDE",
    "Buffer",
    "Chunk",
    "ChunkData",
    "Span",
    "encode_header",
    "scan",
]

Buffer: TypeAlias = bytes | bytearray | memoryview

#: One chunk as a plain tuple: (id, start, body, end, container, form).  Offsets count from the
#: start of the scanned buffer; ``start`` is the header, ``body:end`` the content.
Span: TypeAlias = tuple[int, int, int, int, bool, int]

# Header forms.
NARROW: Final = 0  # u16 id, u32 size
WIDE: Final = 1  # u16 id, u32 0, u64 size
OPEN_NARROW: Final = 2  # u16 id, u32 ffffffff: runs to the end of the stream
OPEN_WIDE: Final = 3  # u16 id, u32 1, u64 all ones: runs to the end of the stream

_NARROW = Struct("<HI")
_WIDE = Struct("<HIQ")
_U64 = Struct("<Q")
_NARROW_LIMIT: Final = 0x7FFFFFFF
_OPEN: Final = 0xFFFFFFFF
_OPEN64: Final = 0xFFFFFFFFFFFFFFFF


def encode_header(chunk_id: int, body_size: int, container: bool, form: int = NARROW) -> bytes:
    """Return the header of a chunk whose body is ``body_size`` bytes long.

    A narrow header that could not hold the size becomes a wide one, as 3ds Max itself does.
    """
    if form == NARROW and body_size + 6 < _NARROW_LIMIT:
        return _NARROW.pack(chunk_id, (body_size + 6) | (container << 31))
    if form == OPEN_NARROW:
        return _NARROW.pack(chunk_id, _OPEN)
    if form == OPEN_WIDE:
        return _WIDE.pack(chunk_id, 1, _OPEN64)
    return _WIDE.pack(chunk_id, 0, (body_size + 14) | (container << 63))


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
    """
    out: list[Span] = []
    append = out.append
    unpack = _NARROW.unpack_from
    pos = start
    while pos < end:
        if end - pos < 6:
            raise _short(pos, end)
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
    return out


def _unusual(data: Buffer, pos: int, end: int, root: bool) -> Span:
    """Read a header that is not in the narrow form."""
    chunk_id, size = _NARROW.unpack_from(data, pos)
    if size == 0:
        if end - pos < 14:
            raise _short(pos, end)
        (long_size,) = _U64.unpack_from(data, pos + 6)
        length = long_size & 0x7FFFFFFFFFFFFFFF
        if length < 14:
            raise ChunkError(
                f"chunk {chunk_id:04x} is smaller than its header",
                Where(offset=pos),
                expected="at least 14 bytes",
                found=length,
            )
        if length > end - pos:
            raise _overrun(chunk_id, pos, length, end)
        return chunk_id, pos, pos + 14, pos + length, long_size != length, WIDE
    if root and size == _OPEN:
        return chunk_id, pos, pos + 6, end, True, OPEN_NARROW
    if root and size == 1 and end - pos >= 14 and _U64.unpack_from(data, pos + 6)[0] == _OPEN64:
        return chunk_id, pos, pos + 14, end, True, OPEN_WIDE
    if size == _OPEN:
        raise _overrun(chunk_id, pos, _NARROW_LIMIT, end)
    raise ChunkError(
        f"chunk {chunk_id:04x} is smaller than its header",
        Where(offset=pos),
        expected="at least 6 bytes",
        found=size & _NARROW_LIMIT,
    )


def _short(pos: int, end: int) -> ChunkError:
    return ChunkError(
        "bytes are left over that are too few for a chunk header",
        Where(offset=pos),
        expected="6 or 14 bytes",
        found=f"{end - pos}",
    )


def _overrun(chunk_id: int, pos: int, size: int, end: int) -> ChunkError:
    return ChunkError(
        f"chunk {chunk_id:04x} ends outside its parent",
        Where(offset=pos),
        expected=f"at most {end - pos} bytes",
        found=f"{size}",
    )


class ChunkData:
    """A run of sibling chunks that can be edited by splicing.

    It is the body of one scene object, or a whole small stream.  ``data`` is a view of the bytes
    that were read until the first edit replaces it; every edit makes older :class:`Chunk` views
    stale, and using a stale one raises :class:`EditError` instead of giving wrong bytes.

    Args:
        data: The bytes that hold the chunks.
        base: Absolute offset of ``data`` in its stream, for messages.
        where: File, stream and path of whatever holds the chunks.
        root: The data is a whole stream, whose first header may be open.
    """

    __slots__ = ("_top", "base", "data", "original", "revision", "root", "where")

    def __init__(
        self, data: Buffer, base: int = 0, where: Where | None = None, *, root: bool = False
    ) -> None:
        """Hold the data; nothing is read yet."""
        self.data: Buffer = data
        self.original: Buffer = data
        self.base = base
        self.where = where or Where()
        self.root = root
        self.revision = 0
        self._top: list[Span] | None = None

    @property
    def edited(self) -> bool:
        """Whether the bytes differ from those that were read."""
        return self.data is not self.original and self.data != self.original

    def top(self) -> list[Span]:
        """Return the spans of the outermost chunks (cached until the next edit).

        Raises:
            ChunkError: The data is not a run of chunks.
        """
        spans = self._top
        if spans is None:
            spans = self._top = self.scan(0, len(self.data), root=self.root)
        return spans

    def scan(
        self, start: int, end: int, *, parent: Chunk | None = None, root: bool = False
    ) -> list[Span]:
        """Scan one level, with errors that say where in the file they are."""
        try:
            return scan(self.data, start, end, root=root)
        except ChunkError as error:
            offset = (error.where.offset or 0) + self.base
            path = parent.path if parent is not None else self.where.path
            error.where = Where(self.where.file, self.where.stream, path, offset)
            raise

    def chunks(self) -> Iterator[Chunk]:
        """Yield views of the outermost chunks."""
        for position, span in enumerate(self.top()):
            yield Chunk(self, None, position, span)

    def find(self, chunk_id: int) -> Chunk | None:
        """Return the first outermost chunk with this id, or ``None``."""
        for position, span in enumerate(self.top()):
            if span[0] == chunk_id:
                return Chunk(self, None, position, span)
        return None

    def insert(
        self,
        parent: Chunk | None,
        position: int,
        chunk_id: int,
        body: Buffer,
        *,
        container: bool = False,
    ) -> None:
        """Insert a chunk as child number ``position`` of ``parent`` (``None``: outermost).

        The new header takes the form of its neighbours, since releases differ in that.
        """
        if parent is not None:
            parent._fresh()
        spans = self.top() if parent is None else parent._spans()
        if not 0 <= position <= len(spans):
            raise EditError("no such position", expected=f"0 to {len(spans)}", found=position)
        if spans:
            near = spans[min(position, len(spans) - 1)]
            form = WIDE if near[5] == WIDE else NARROW
            at = near[1] if position < len(spans) else near[3]
        else:
            form = NARROW if parent is None or parent.form != WIDE else WIDE
            at = 0 if parent is None else parent.body
        self._splice(parent, at, at, encode_header(chunk_id, len(body), container, form), body)

    def _splice(self, parent: Chunk | None, start: int, end: int, *new: Buffer) -> None:
        """Replace ``data[start:end]`` and give every ancestor its new size."""
        data = self.data
        grown = sum(map(len, new)) - (end - start)
        ancestors: list[Chunk] = []
        node = parent
        while node is not None:
            ancestors.append(node)
            node = node.parent
        # Innermost first: an ancestor may have to take the wide form, which grows those outside.
        headers: list[bytes] = []
        for chunk in ancestors:
            header = encode_header(
                chunk.id, chunk.end - chunk.body + grown, chunk.container, chunk.form
            )
            grown += len(header) - (chunk.body - chunk.start)
            headers.append(header)
        pieces: list[Buffer] = []
        pos = 0
        for chunk, header in zip(reversed(ancestors), reversed(headers), strict=True):
            pieces += (data[pos : chunk.start], header)
            pos = chunk.body
        pieces += (data[pos:start], *new, data[end:])
        self.replace_all(b"".join(pieces))

    def replace_all(self, data: Buffer) -> None:
        """Put new bytes in place of all of them."""
        self.data = data
        self.revision += 1
        self._top = None

    def revert(self) -> None:
        """Go back to the bytes that were read."""
        self.replace_all(self.original)


class Chunk:
    """A view of one chunk in a :class:`ChunkData`.

    Attributes:
        owner: The data that it lies in.
        parent: The container around it, or ``None`` for an outermost chunk.
        position: Which child of its parent it is, from 0.
        id: Chunk id.
        start, body, end: Offsets within ``owner.data``.
        container: Whether the body holds chunks.
        form: Header form, one of :data:`NARROW`, :data:`WIDE` and the open forms.
    """

    __slots__ = (
        "_children",
        "body",
        "container",
        "end",
        "form",
        "id",
        "owner",
        "parent",
        "position",
        "revision",
        "start",
    )

    def __init__(self, owner: ChunkData, parent: Chunk | None, position: int, span: Span) -> None:
        """Make a view from a span of :func:`scan`."""
        self.owner = owner
        self.parent = parent
        self.position = position
        self.id, self.start, self.body, self.end, self.container, self.form = span
        self.revision = owner.revision
        self._children: list[Span] | None = None

    def __repr__(self) -> str:
        """Return the path and size, for debugging."""
        return f"<Chunk {self.path} {self.end - self.body} bytes>"

    def _fresh(self) -> None:
        if self.revision != self.owner.revision:
            raise EditError("this chunk view is older than the last edit", self.where)

    def _local_path(self) -> str:
        parts: list[str] = []
        chunk: Chunk | None = self
        while chunk is not None:
            parts.append(f"{chunk.id:04x}[{chunk.position}]")
            chunk = chunk.parent
        return "/".join(reversed(parts))

    @property
    def path(self) -> str:
        """Ids with positions from the stream's root, such as ``2004[0]/0001[3]/0962[2]``."""
        return join_path(self.owner.where.path, self._local_path())

    @property
    def where(self) -> Where:
        """The place of the chunk, for error messages."""
        owner = self.owner
        return Where(owner.where.file, owner.where.stream, self.path, owner.base + self.start)

    @property
    def data(self) -> memoryview:
        """The body."""
        self._fresh()
        return memoryview(self.owner.data)[self.body : self.end]

    @property
    def raw(self) -> memoryview:
        """Header and body."""
        self._fresh()
        return memoryview(self.owner.data)[self.start : self.end]

    def _spans(self) -> list[Span]:
        self._fresh()
        spans = self._children
        if spans is None:
            if not self.container:
                raise ChunkError("this chunk holds data, not chunks", self.where)
            spans = self._children = self.owner.scan(self.body, self.end, parent=self)
        return spans

    def chunks(self) -> Iterator[Chunk]:
        """Yield views of the children of a container.

        Raises:
            ChunkError: It is not a container, or its children are damaged.
        """
        for position, span in enumerate(self._spans()):
            yield Chunk(self.owner, self, position, span)

    def find(self, chunk_id: int) -> Chunk | None:
        """Return the first child with this id, or ``None``."""
        for position, span in enumerate(self._spans()):
            if span[0] == chunk_id:
                return Chunk(self.owner, self, position, span)
        return None

    def replace(self, body: Buffer) -> None:
        """Put a new body into this chunk; sizes of all containers around it follow."""
        self._fresh()
        if body == self.data:
            return
        header = encode_header(self.id, len(body), self.container, self.form)
        self.owner._splice(self.parent, self.start, self.end, header, body)

    def remove(self) -> None:
        """Take this chunk out of its container."""
        self._fresh()
        self.owner._splice(self.parent, self.start, self.end)


def join_path(outer: str | None, inner: str) -> str:
    """Join two chunk paths."""
    return f"{outer}/{inner}" if outer and inner else outer or inner
