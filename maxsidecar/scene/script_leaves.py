"""Definitions: containers of an identity and one MAXScript value.

``Config`` and ``ScriptedCustAttribDefs`` store them alike (measured on the corpus).
"""

from __future__ import annotations

from collections.abc import Iterator

from maxsidecar.errors import DecodeError, EditError, Where
from maxsidecar.io.chunks import Chunk, ChunkData
from maxsidecar.io.views import ChunkView, TypedLeaf
from maxsidecar.scene.script_codecs import ScriptValueCodec
from maxsidecar.scene.script_types import ScriptValue
from maxsidecar.scene.script_values import encode_value

__all__ = ["Definition", "locate"]


class Definition(ChunkView):
    """An identity, which subclasses declare, and a value.

    Args:
        data: The stream.
        chunk: The container of the definition.
        encoding: Code page of 8-bit text in the file.
    """

    __slots__ = ("encoding",)

    def __init__(
        self, data: ChunkData, chunk: Chunk | None = None, encoding: str = "cp1252"
    ) -> None:
        """Look at the definition."""
        super().__init__(data, chunk)
        self.encoding = encoding

    def _value_chunk(self) -> Chunk | None:
        children = list(self.chunks())
        return children[1] if len(children) == 2 else None

    @property
    def value(self) -> ScriptValue:
        """The value: a definition as it is stored, or what its editor keeps.

        Raises:
            DecodeError: It cannot be read; setting raises :class:`EditError` when the stored value
                is not understood, or the new one, of any type, cannot be stored.
        """
        chunk = self._value_chunk()
        if chunk is None:
            raise DecodeError("a definition is not an identity and a value", self.where)
        try:
            return ScriptValueCodec(chunk.id, chunk.container, self.encoding).decode(chunk.data)
        except DecodeError as error:
            locate(error, chunk.where)
            raise

    @value.setter
    def value(self, value: ScriptValue) -> None:
        container = self.container()
        chunk = self._value_chunk()
        if container is None or chunk is None:
            raise EditError("a definition is not an identity and a value", self.where)
        try:
            ScriptValueCodec(chunk.id, chunk.container, self.encoding).verified(chunk.data)
        except DecodeError as error:
            raise EditError(f"the value is read-only: {error.message}", chunk.where) from error
        head = bytes(container.data[: chunk.start - container.body])
        container.replace(head + encode_value(value, self.encoding))

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield what is declared, and the value."""
        yield from super().typed_leaves(prefix)
        chunk = self._value_chunk()
        if chunk is not None:
            codec = ScriptValueCodec(chunk.id, chunk.container, self.encoding)
            yield chunk, prefix + "value", codec


def locate(error: DecodeError, where: Where) -> None:
    """Turn an offset within a value into a place in the file."""
    error.where = Where(where.file, where.stream, where.path, where.offset)
