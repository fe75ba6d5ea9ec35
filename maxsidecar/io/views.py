"""Typed views over chunks: attributes that read and write the live chunk tree.

A view class declares which chunk an attribute lives in::

    class DllEntry(ChunkView):
        description = ChunkField(0x2039, UTF16, doc="what the plug-in calls itself")
        file_name = ChunkField(0x2037, UTF16)

Reading finds the chunk and decodes it; writing checks that the untouched value would be written
the same (*verified decode*), then splices the new bytes in.  Chunks that no attribute claims are
never looked at.  The same declarations drive the round-trip check, the text form and the
reference page, through :meth:`ChunkView.typed_leaves`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, Self, TypeVar, cast, overload

from maxsidecar.errors import ChunkError, DecodeError, EditError, MaxSidecarError, Where
from maxsidecar.io.chunks import Chunk, ChunkData
from maxsidecar.io.fields import Codec
from maxsidecar.io.headers import Span, scan_sound

__all__ = ["ChunkChild", "ChunkField", "ChunkList", "ChunkView", "TypedLeaf", "check_leaves"]

T = TypeVar("T")
D = TypeVar("D")
V = TypeVar("V", bound="ChunkView")

#: A leaf chunk that a declaration claims: the chunk, the attribute's dotted name and its codec.
TypedLeaf = tuple[Chunk, str, Codec[Any]]


class ChunkField(Generic[T, D]):
    """An attribute that lives in the first child chunk with a given id.

    Args:
        chunk_id: Id of the leaf chunk.
        codec: How its body is stored.
        doc: One line on meaning and unit.
        default: What reading gives when the chunk is absent.
        after: Ids that come before this chunk; lets an absent chunk be written, behind the last
            of those that are there (``()``: in front).  ``None``: an absent chunk cannot be set.
    """

    @overload
    def __init__(
        self: ChunkField[T, None],
        chunk_id: int,
        codec: Codec[T],
        *,
        doc: str = "",
        after: tuple[int, ...] | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: ChunkField[T, T],
        chunk_id: int,
        codec: Codec[T],
        *,
        default: T,
        doc: str = "",
        after: tuple[int, ...] | None = None,
    ) -> None: ...
    def __init__(
        self,
        chunk_id: int,
        codec: Codec[T],
        *,
        doc: str = "",
        default: Any = None,
        after: tuple[int, ...] | None = None,
    ) -> None:
        """Declare the attribute."""
        self.chunk_id = chunk_id
        self.codec: Codec[T] = codec
        self.doc = doc
        self.default = default
        self.after = after
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Remember the attribute name."""
        self.name = name

    @overload
    def __get__(self, view: None, owner: type) -> Self: ...
    @overload
    def __get__(self, view: ChunkView, owner: type) -> T | D: ...
    def __get__(self, view: ChunkView | None, owner: type) -> Self | T | D:
        """Return the value, or the default where the chunk is absent.

        Raises:
            DecodeError: The chunk does not have the layout that is declared.
        """
        if view is None:
            return self
        chunk = view.find(self.chunk_id)
        if chunk is None:
            return cast("D", self.default)
        try:
            return self.codec.decode(_leaf(chunk))
        except DecodeError as error:
            error.locate(**_place(chunk))
            raise

    def __set__(self, view: ChunkView, value: T) -> None:
        """Write the value into the chunk.

        Raises:
            EditError: The record is read-only, the value does not fit, or there is no such chunk.
        """
        chunk = view.find(self.chunk_id)
        if chunk is None:
            if self.after is None:
                raise EditError(f"{self.name} is not stored here", view.where)
            view.insert(self.chunk_id, self._encode(value, view.where), self.after)
            return
        try:
            old = self.codec.verified(_leaf(chunk))
        except DecodeError as error:
            raise EditError(
                f"{self.name} is read-only: {error.message}",
                chunk.where,
                expected=error.expected,
                found=error.found,
            ) from error
        chunk.replace(self._encode(value, chunk.where, old))

    def _encode(self, value: T, where: Where, old: T | None = None) -> bytes:
        try:
            return self.codec.encode_new(value, old)
        except EditError as error:
            error.message = f"{self.name}: {error.message}"
            error.locate(file=where.file, stream=where.stream, path=where.path, offset=where.offset)
            raise


class _Nested(Generic[V]):
    """What declarations of nested views share."""

    def __init__(self, chunk_id: int, view: type[V], *, doc: str = "") -> None:
        """Declare the attribute."""
        self.chunk_id = chunk_id
        self.view = view
        self.doc = doc
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Remember the attribute name."""
        self.name = name


class ChunkList(_Nested[V]):
    """An attribute that lists every child with a given id as a view."""

    @overload
    def __get__(self, view: None, owner: type) -> Self: ...
    @overload
    def __get__(self, view: ChunkView, owner: type) -> list[V]: ...
    def __get__(self, view: ChunkView | None, owner: type) -> Self | list[V]:
        """Return the views in stored order."""
        if view is None:
            return self
        return [
            self.view(chunk.owner, chunk) for chunk in view.chunks() if chunk.id == self.chunk_id
        ]


class ChunkChild(_Nested[V]):
    """An attribute that is a view of the first child container with a given id, or ``None``."""

    @overload
    def __get__(self, view: None, owner: type) -> Self: ...
    @overload
    def __get__(self, view: ChunkView, owner: type) -> V | None: ...
    def __get__(self, view: ChunkView | None, owner: type) -> Self | V | None:
        """Return the view, or ``None`` where the container is absent."""
        if view is None:
            return self
        chunk = view.find(self.chunk_id)
        return None if chunk is None or not chunk.container else self.view(view.data, chunk)


#: Any declaration of a view class.
Declared = ChunkField[Any, Any] | ChunkList[Any] | ChunkChild[Any]


def _leaf(chunk: Chunk) -> memoryview:
    """Return the body of a chunk that a field claims."""
    if chunk.container:
        raise DecodeError("the chunk holds chunks", expected="data", found="a container")
    return chunk.data


def _place(chunk: Chunk) -> dict[str, Any]:
    where = chunk.where
    return {
        "file": where.file,
        "stream": where.stream,
        "path": where.path,
        "offset": where.offset,
    }


class ChunkView:
    """A typed view of a run of chunks: a whole :class:`ChunkData`, or one container in it.

    Args:
        data: The data that holds the chunks.
        chunk: The container, or ``None`` for the outermost level of ``data``.
    """

    #: Declared attributes by name, those of base classes first.
    declared: ClassVar[dict[str, Declared]] = {}
    _by_id: ClassVar[dict[int, Declared]] = {}

    __slots__ = ("chunk", "data")

    def __init_subclass__(cls) -> None:
        """Collect the declarations."""
        super().__init_subclass__()
        own = {
            k: v for k, v in vars(cls).items() if isinstance(v, ChunkField | ChunkList | ChunkChild)
        }
        inherited: dict[str, Declared] = {}
        for base in reversed(cls.__mro__[1:]):
            inherited |= vars(base).get("declared", {})
        cls.declared = inherited | own
        cls._by_id = {field.chunk_id: field for field in reversed(cls.declared.values())}

    def __init__(self, data: ChunkData, chunk: Chunk | None = None) -> None:
        """Look at the data; nothing is read yet."""
        self.data = data
        self.chunk = chunk

    def container(self) -> Chunk | None:
        """Return the container, looked up again when an edit made the old view stale."""
        chunk = self.chunk
        if chunk is not None and chunk.revision != self.data.revision:
            chunk = self.chunk = self.data.refresh(chunk)
        return chunk

    @property
    def where(self) -> Where:
        """The place of this view, for messages."""
        chunk = self.container()
        if chunk is not None:
            return chunk.where
        data = self.data
        return Where(data.where.file, data.where.stream, data.where.path, data.base)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the child chunks."""
        chunk = self.container()
        return self.data.chunks() if chunk is None else chunk.chunks()

    def sound_chunks(self) -> tuple[list[Chunk], ChunkError | None]:
        """Return the child chunks in front of the first damaged one, and what is wrong there."""
        chunk, data = self.container(), self.data
        start, end = (0, len(data.data)) if chunk is None else (chunk.body, chunk.end)
        spans, error = scan_sound(data.data, start, end, root=chunk is None and data.root)
        if error is not None:
            offset = (error.where.offset or 0) + data.base
            path = data.where.path if chunk is None else chunk.path
            error.where = Where(data.where.file, data.where.stream, path, offset)
        return [Chunk(data, chunk, i, span) for i, span in enumerate(spans)], error

    def find(self, chunk_id: int) -> Chunk | None:
        """Return the first child chunk with this id, or ``None``."""
        chunk = self.container()
        return (self.data if chunk is None else chunk).find(chunk_id)

    def firsts(self) -> dict[int, Span]:
        """Return the span of the first child of each id, for those who look for several."""
        chunk = self.container()
        spans = self.data.top() if chunk is None else chunk.spans()
        return {span[0]: span for span in reversed(spans)}

    def insert(
        self, chunk_id: int, body: bytes, after: tuple[int, ...] = (), *, container: bool = False
    ) -> None:
        """Insert a child chunk behind the last child whose id is in ``after``, else in front."""
        position = 0
        for chunk in self.chunks():
            if chunk.id in after:
                position = chunk.position + 1
        self.data.insert(self.container(), position, chunk_id, body, container=container)

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield every leaf that a declaration claims, nested views included.

        A field that does not decode is still yielded, since it is the caller who verifies.

        Raises:
            ChunkError: A container is damaged.  A damaged container inside this one is passed
                over first, so the error comes when all sound leaves have been yielded.
        """
        by_id = self._by_id
        seen: dict[int, int] = {}
        errors: list[ChunkError] = []
        data, outer = self.data, self.container()
        revision = data.revision
        # Most chunks of many objects are not declared; those do not become views.
        for position, span in enumerate(data.top() if outer is None else outer.spans()):
            field = by_id.get(span[0])
            if field is None:
                continue
            if data.revision != revision:
                raise EditError("the chunks were edited while they were listed", data.place)
            chunk = Chunk(data, outer, position, span)
            number = seen[chunk.id] = seen.get(chunk.id, -1) + 1
            name = prefix + field.name
            if isinstance(field, ChunkField):
                if number == 0 and not chunk.container:
                    yield chunk, name, field.codec
            elif chunk.container and (number == 0 or isinstance(field, ChunkList)):
                name += f"[{number}]." if isinstance(field, ChunkList) else "."
                try:
                    yield from field.view(data, chunk).typed_leaves(name)
                except ChunkError as error:
                    errors.append(error)
        if errors:
            if len(errors) > 1:
                errors[0].message += f"; {len(errors) - 1} more containers here are damaged"
            raise errors[0]


def check_leaves(
    leaves: Iterator[TypedLeaf], report: Callable[[MaxSidecarError], None]
) -> tuple[int, int]:
    """Verify every typed leaf.

    Args:
        leaves: From :meth:`ChunkView.typed_leaves`.
        report: Called with each :class:`DecodeError` or :class:`ChunkError`, place filled in.

    Returns:
        Number of leaves and number of bytes that decode and encode to the same bytes.
    """
    count = size = 0
    try:
        for chunk, name, codec in leaves:
            data = chunk.data
            try:
                codec.verified(data)
            except DecodeError as error:
                error.message = f"{name}: {error.message}"
                report(error.locate(**_place(chunk)))
            else:
                count += 1
                size += len(data)
    except ChunkError as error:
        report(error)
    return count, size
