"""Small parts that new scenes are put together from: chunk trees, classes and plug-ins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from struct import Struct
from struct import error as StructError
from typing import Any, TypeAlias, Union

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import NARROW, encode_header

__all__ = [
    "ChunkTree",
    "NewClass",
    "Plugin",
    "check_finite",
    "encode_chunks",
    "encode_text",
    "pack_values",
]

#: A chunk to write: id, and either its bytes or its child chunks.
ChunkTree: TypeAlias = tuple[int, Union[bytes, "Sequence[ChunkTree]"]]


def pack_values(layout: str, *values: float) -> bytes:
    """Pack little-endian values; ``layout`` is that of :mod:`struct`, without the byte order.

    Raises:
        EditError: A value does not fit, or is no finite number.
    """
    check_finite(values)
    try:
        return Struct("<" + layout).pack(*values)
    except (StructError, OverflowError) as error:
        raise EditError(f"a value does not fit: {error}", found=values) from None


def check_finite(values: Iterable[Any]) -> None:
    """Refuse numbers that are infinite or none at all; what is no number is passed over.

    Raises:
        EditError: There is such a number.
    """
    for value in values:
        try:
            finite = isfinite(value)
        except (TypeError, OverflowError):
            continue
        if not finite:
            raise EditError("a number must be finite", found=value)


def encode_chunks(chunks: Iterable[ChunkTree], form: int = NARROW) -> bytes:
    """Return the bytes of chunks that lie side by side.

    An empty list of children is written as a leaf of 0 bytes, as 3ds Max does (measured).

    Args:
        chunks: The chunks.
        form: Header form of all of them.
    """
    out: list[bytes] = []
    for chunk_id, content in chunks:
        container = not isinstance(content, bytes) and len(content) > 0
        body = content if isinstance(content, bytes) else encode_chunks(content, form)
        out += (encode_header(chunk_id, len(body), container, form), body)
    return b"".join(out)


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in file of the DLL directory."""

    description: str
    file_name: str


@dataclass(frozen=True, slots=True)
class NewClass:
    """A class that objects can be made of.

    Attributes:
        name: Class name; 3ds Max writes it in the language of the program.
        a, b: The two halves of the class id.
        superclass: Superclass id.
        plugin: The plug-in file; ``None`` for a class of the program itself.
    """

    name: str
    a: int
    b: int
    superclass: int
    plugin: Plugin | None = None


def encode_text(text: str) -> bytes:
    """Return text as UTF-16LE without terminator, as chunks hold it.

    Raises:
        EditError: It holds half of a surrogate pair.
    """
    try:
        return text.encode("utf-16-le")
    except UnicodeEncodeError:
        raise EditError("the text holds half a character", found=ascii(text)) from None
