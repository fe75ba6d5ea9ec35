"""ScriptedCustAttribDefs: the source text of custom attributes that scripts define.

The stream also keeps old definitions that no object uses (1,377 of 1,684); the class id before
the text is the key, since the text need not name it (measured on the corpus,
docs/format/streams.md section 7).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from struct import Struct
from typing import Final

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.chunks import Buffer, Chunk, ChunkData
from maxsidecar.io.fields import U32, Codec
from maxsidecar.io.views import TypedLeaf
from maxsidecar.scene.directories import ClassId
from maxsidecar.scene.script_leaves import Definition, locate
from maxsidecar.scene.stream_views import StreamView, register_stream

__all__ = ["AttributeDefinition", "AttributeSource", "CustomAttributeDefinitions"]

_DEFINITION: Final = 0x80
_SOURCE8: Final = 0xA0
_SOURCE16: Final = 0xA1


@dataclass(frozen=True, slots=True)
class AttributeSource:
    """Class id and source text of a definition."""

    class_id: ClassId
    text: str


class SourceCodec(Codec[AttributeSource]):
    """``u32 class id A, u32 B, u32 length with NUL, text, NUL``.

    Args:
        wide: UTF-16 text, whose length counts characters, instead of 8-bit text.
        encoding: Code page of 8-bit text; bytes that it lacks survive as lone surrogates.
    """

    kind = "attribute source"
    _head = Struct("<III")

    def __init__(self, wide: bool, encoding: str = "cp1252") -> None:
        """Choose the form of the text."""
        self.width = 2 if wide else 1
        self.encoding = "utf-16-le" if wide else encoding
        self.errors = "surrogatepass" if wide else "surrogateescape"

    def decode(self, data: Buffer) -> AttributeSource:
        """Return class id and text."""
        size = len(data) - self._head.size
        if size < self.width:
            raise DecodeError("an attribute source is too short", found=len(data))
        class_a, class_b, length = self._head.unpack_from(data)
        if length * self.width != size:
            raise DecodeError(
                "an attribute source has the wrong length",
                expected=size // self.width,
                found=length,
            )
        stored = bytes(data[self._head.size :])
        if any(stored[-self.width :]):
            raise DecodeError("an attribute source has no terminating NUL")
        text = str(stored[: -self.width], self.encoding, self.errors)
        return AttributeSource(ClassId(class_a, class_b), text)

    def encode(self, value: AttributeSource) -> bytes:
        """Return the bytes."""
        try:
            body = value.text.encode(self.encoding, self.errors)
        except UnicodeEncodeError as error:
            bad = value.text[error.start : error.end]
            raise EditError(f"{bad!r} cannot be written in {self.encoding}") from None
        for half in (value.class_id.a, value.class_id.b):
            U32.check(half)
        length = len(body) // self.width + 1
        head = self._head.pack(value.class_id.a, value.class_id.b, length)
        return head + body + bytes(self.width)


class AttributeDefinition(Definition):
    """One definition.

    Args:
        data: The stream.
        chunk: The container of the definition.
        encoding: Code page of 8-bit text in the file.
    """

    __slots__ = ()

    def _source(self) -> tuple[Chunk, SourceCodec] | None:
        for chunk in self.chunks():
            if chunk.id in (_SOURCE8, _SOURCE16):
                return chunk, SourceCodec(chunk.id == _SOURCE16, self.encoding)
        return None

    @property
    def source(self) -> AttributeSource:
        """Class id and text.

        Raises:
            DecodeError: They cannot be read.
        """
        found = self._source()
        if found is None:
            raise DecodeError("an attribute definition has no source", self.where)
        chunk, codec = found
        try:
            return codec.decode(chunk.data)
        except DecodeError as error:
            locate(error, chunk.where)
            raise

    @property
    def class_id(self) -> ClassId:
        """Class id of the attribute.

        Raises:
            DecodeError: It cannot be read; setting raises :class:`EditError` then.
        """
        return self.source.class_id

    @class_id.setter
    def class_id(self, class_id: ClassId) -> None:
        self._change(class_id=class_id)

    @property
    def text(self) -> str:
        """Source text of the definition."""
        return self.source.text

    @text.setter
    def text(self, text: str) -> None:
        self._change(text=text)

    def _change(self, **changes: object) -> None:
        found = self._source()
        if found is None:
            raise EditError("an attribute definition has no source", self.where)
        chunk, codec = found
        try:
            source = codec.verified(chunk.data)
        except DecodeError as error:
            raise EditError(f"the source is read-only: {error.message}", chunk.where) from error
        changed = replace(source, **changes)  # type: ignore[arg-type]
        chunk.replace(codec.encode_new(changed, source))

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the source and the value."""
        found = self._source()
        if found is not None:
            yield found[0], prefix + "source", found[1]
        yield from super().typed_leaves(prefix)


@register_stream("ScriptedCustAttribDefs")
class CustomAttributeDefinitions(StreamView):
    """The definitions of custom attributes.

    Attributes:
        encoding: Python codec of 8-bit text;
            :attr:`MaxFile.custom_attribute_definitions` sets that of the file.
    """

    __slots__ = ("encoding",)

    def __init__(self, data: ChunkData) -> None:
        """Look at the stream."""
        super().__init__(data)
        self.encoding = "cp1252"

    @property
    def definitions(self) -> list[AttributeDefinition]:
        """The definitions in stored order."""
        return [
            AttributeDefinition(self.data, chunk, self.encoding)
            for chunk in self.chunks()
            if chunk.id == _DEFINITION and chunk.container
        ]

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield source and value of every definition."""
        for number, definition in enumerate(self.definitions):
            yield from definition.typed_leaves(f"{prefix}definitions[{number}].")
