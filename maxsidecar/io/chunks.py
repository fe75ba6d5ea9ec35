"""Chunks: the nested records that most streams of a scene are made of, as editable views.

What a header looks like is told in :mod:`maxsidecar.io.headers`.  Nothing here makes an object per
chunk ahead of time: :func:`scan` lists one level as tuples, and :class:`Chunk` is a view that is
made when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maxsidecar.errors import ChunkError, EditError, Where, shorten
from maxsidecar.io.buffers import same_bytes
from maxsidecar.io.headers import (
    NARROW,
    OPEN_NARROW,
    OPEN_WIDE,
    WIDE,
    Buffer,
    Span,
    encode_header,
    form_beside,
    require_id,
    scan,
)
from maxsidecar.io.moves import Move, follow
from maxsidecar.io.splice import check_run, splice

__all__ = [
    "NARROW",
    "OPEN_NARROW",
    "OPEN_WIDE",
    "WIDE",
    "Buffer",
    "Chunk",
    "ChunkData",
    "EditCount",
    "Span",
    "encode_header",
    "scan",
]


class EditCount:
    """How often something was edited; whoever caches what it read compares it."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        """Start at no edits."""
        self.count = 0


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
        form: Header form of new chunks where no chunk is there to take it from.
        read_only: Why nothing here can be edited, or ``None``.
        edits: Counts the edits of everything that belongs together, such as a scene.
    """

    __slots__ = (
        "_moves",
        "_replaced",
        "_top",
        "base",
        "data",
        "edits",
        "form",
        "original",
        "read_only",
        "revision",
        "root",
        "where",
    )

    def __init__(
        self,
        data: Buffer,
        base: int = 0,
        where: Where | None = None,
        *,
        root: bool = False,
        form: int = NARROW,
        read_only: str | None = None,
        edits: EditCount | None = None,
    ) -> None:
        """Hold the data; nothing is read yet."""
        self.data: Buffer = data
        self.original: Buffer = data
        self.base = base
        self.where = where or Where()
        self.root = root
        self.form = form
        self.read_only = read_only
        self.edits = edits
        self.revision = 0
        self._top: list[Span] | None = None
        # The edits since the revision that last replaced everything.
        self._moves: list[Move] = []
        self._replaced = 0

    @property
    def edited(self) -> bool:
        """Whether the bytes differ from those that were read."""
        return self.data is not self.original and not same_bytes(self.data, self.original)

    @property
    def place(self) -> Where:
        """Where the data begins, for messages."""
        return Where(self.where.file, self.where.stream, self.where.path, self.base)

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
        """Scan one level, with errors that say where in the file they are.

        Raises:
            ChunkError: The level is damaged; the path is that of ``parent``.
        """
        try:
            return scan(self.data, start, end, root=root)
        except ChunkError as error:
            offset = (error.where.offset or 0) + self.base
            path = parent.path if parent is not None else self.where.path
            error.where = Where(self.where.file, self.where.stream, path, offset)
            raise

    def chunks(self) -> Iterator[Chunk]:
        """Yield views of the outermost chunks.

        Raises:
            ChunkError: The data is not a run of chunks.
            EditError: There was an edit between two of them.
        """
        revision = self.revision
        for position, span in enumerate(self.top()):
            if self.revision != revision:
                raise EditError("the chunks were edited while they were listed", self.place)
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

        Raises:
            EditError: There is no such place, or the new chunk would not be a sound one.
        """
        where = self.place if parent is None else parent.where
        if parent is not None:
            if parent.owner is not self:
                raise EditError("the container is in other data", where)
            parent._fresh()
        require_id(chunk_id, where)
        _require_bytes(body, where)
        if container:
            check_run(body, where)
        spans = self.top() if parent is None else parent.spans()
        if not 0 <= position <= len(spans):
            raise EditError(
                "no such position", where, expected=f"0 to {len(spans)}", found=position
            )
        if spans and spans[0][5] in (OPEN_NARROW, OPEN_WIDE):
            raise EditError("nothing can stand beside a chunk without an end", where)
        if position < len(spans):
            at = spans[position][1]
        elif spans:
            at = spans[-1][3]
        else:
            at = 0 if parent is None else parent.body
        form = self.new_form(parent, spans, position)
        header = encode_header(chunk_id, len(body), container, form)
        trail = () if parent is None else parent.trail
        self._splice(parent, at, at, (header, body), Move(trail, position, 1))

    def new_form(self, parent: Chunk | None, spans: Sequence[Span], position: int) -> int:
        """Return the header form for a new chunk at a position among ``spans``."""
        form = form_beside(spans, position)
        while form is None and parent is not None:
            form = form_beside([parent.span], 0)
            parent = parent.parent
        return self.form if form is None else form

    def _splice(
        self, parent: Chunk | None, start: int, end: int, new: Sequence[Buffer], move: Move
    ) -> None:
        around = [] if parent is None else [chunk.span for chunk in parent._line()]
        self._commit(splice(self.data, around, start, end, new), move)

    def _commit(self, data: Buffer, move: Move | None) -> None:
        if self.read_only is not None:
            raise EditError(self.read_only, self.place)
        self.data = data
        self.revision += 1
        if self.edits is not None:
            self.edits.count += 1
        self._top = None
        if move is None:
            self._moves.clear()
            self._replaced = self.revision
        else:
            self._moves.append(move)

    def replace_all(self, data: Buffer) -> None:
        """Put new bytes in place of all of them.

        Raises:
            EditError: The data is read-only.
        """
        self._commit(data, None)

    def revert(self) -> None:
        """Go back to the bytes that were read."""
        if self.data is not self.original:
            self.replace_all(self.original)

    def refresh(self, chunk: Chunk) -> Chunk:
        """Return a view of the same chunk as a stale view, wherever edits have moved it.

        Raises:
            EditError: The chunk, or a container around it, was removed or replaced.
        """
        if chunk.revision < self._replaced and not chunk.open:
            raise EditError("the chunk is no longer there", self.place)
        done = max(chunk.revision, self._replaced) - self._replaced
        trail = follow(chunk.trail, self._moves[done:])
        found: Chunk | None = None
        for position in trail or ():
            spans = self.top() if found is None else found.spans()
            if position >= len(spans):
                found = None
                break
            found = Chunk(self, found, position, spans[position])
        if found is None or found.id != chunk.id:
            raise EditError("the chunk is no longer there", self.place)
        return found


def _require_bytes(body: object, where: Where) -> None:
    if not isinstance(body, bytes | bytearray | memoryview):
        raise EditError("the body of a chunk must be bytes", where, found=shorten(body, 40))


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
        revision: Revision of the owner that it is a view of.
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

    def _line(self) -> list[Chunk]:
        """Return the chunks from the outermost one down to this one."""
        line: list[Chunk] = []
        chunk: Chunk | None = self
        while chunk is not None:
            line.append(chunk)
            chunk = chunk.parent
        line.reverse()
        return line

    @property
    def span(self) -> Span:
        """The chunk as a plain tuple."""
        return self.id, self.start, self.body, self.end, self.container, self.form

    @property
    def open(self) -> bool:
        """Whether it has an open header and runs to the end of the stream."""
        return self.form in (OPEN_NARROW, OPEN_WIDE)

    @property
    def trail(self) -> tuple[int, ...]:
        """Position at each level from the outermost down to this chunk."""
        return tuple(chunk.position for chunk in self._line())

    @property
    def path(self) -> str:
        """Ids with positions from the stream's root, such as ``2004[0]/0001[3]/0962[2]``."""
        local = "/".join(f"{chunk.id:04x}[{chunk.position}]" for chunk in self._line())
        outer = self.owner.where.path
        return f"{outer}/{local}" if outer else local

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

    def spans(self) -> list[Span]:
        """Return the spans of the children of a container, see :meth:`chunks` for errors."""
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
            EditError: There was an edit between two of them.
        """
        for position, span in enumerate(self.spans()):
            self._fresh()
            yield Chunk(self.owner, self, position, span)

    def find(self, chunk_id: int) -> Chunk | None:
        """Return the first child with this id, or ``None``."""
        for position, span in enumerate(self.spans()):
            if span[0] == chunk_id:
                return Chunk(self.owner, self, position, span)
        return None

    def replace(self, body: Buffer) -> None:
        """Put a new body into this chunk; sizes of all containers around it follow.

        Raises:
            EditError: The view is stale, or the chunk is a container and the body is no chunks.
        """
        _require_bytes(body, self.where)
        if same_bytes(body, self.data):
            return
        if self.container:
            check_run(body, self.where)
        header = encode_header(self.id, len(body), self.container, self.form)
        self.owner._splice(self.parent, self.start, self.end, (header, body), Move(self.trail))

    def remove(self) -> None:
        """Take this chunk out of its container.

        Raises:
            EditError: The view is stale.
        """
        self._fresh()
        *outer, position = self.trail
        self.owner._splice(self.parent, self.start, self.end, (), Move(tuple(outer), position, -1))
