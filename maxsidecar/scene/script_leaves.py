"""Definitions: containers of an identity and one MAXScript value.

``Config`` and ``ScriptedCustAttribDefs`` store them alike (measured on the corpus).
"""

from __future__ import annotations

from collections.abc import Iterator

from maxsidecar.errors import DecodeError, EditError, Where
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.views import ChunkView, TypedLeaf
from maxsidecar.scene.script_codecs import ScriptValueCodec
from maxsidecar.scene.script_types import ScriptValue
from maxsidecar.scene.script_values import encode_value

__all__ = ["locate", "set_value_of", "value_chunk", "value_leaf", "value_of"]


def value_chunk(view: ChunkView) -> Chunk | None:
    """Return the second child, which is the value of a definition, or ``None``."""
    children = list(view.chunks())
    return children[1] if len(children) == 2 else None


def value_leaf(view: ChunkView, name: str, encoding: str) -> Iterator[TypedLeaf]:
    """Yield the value of a definition as a typed leaf."""
    chunk = value_chunk(view)
    if chunk is not None:
        yield chunk, name, ScriptValueCodec(chunk.id, chunk.container, encoding)


def value_of(view: ChunkView, encoding: str) -> ScriptValue:
    """Return the value of a definition, with errors that say where it is."""
    chunk = value_chunk(view)
    if chunk is None:
        raise DecodeError("a definition is not an identity and a value", view.where)
    try:
        return ScriptValueCodec(chunk.id, chunk.container, encoding).decode(chunk.data)
    except DecodeError as error:
        locate(error, chunk.where)
        raise


def set_value_of(view: ChunkView, value: ScriptValue, encoding: str) -> None:
    """Put another value, of any type, into a definition.

    Raises:
        EditError: The stored value is not understood, or the new one cannot be stored.
    """
    container = view.container()
    chunk = value_chunk(view)
    if container is None or chunk is None:
        raise EditError("a definition is not an identity and a value", view.where)
    try:
        ScriptValueCodec(chunk.id, chunk.container, encoding).verified(chunk.data)
    except DecodeError as error:
        raise EditError(f"the value is read-only: {error.message}", chunk.where) from error
    head = bytes(container.data[: chunk.start - container.body])
    container.replace(head + encode_value(value, encoding))


def locate(error: DecodeError, where: Where) -> None:
    """Turn an offset within a value into a place in the file."""
    error.where = Where(where.file, where.stream, where.path, where.offset)
