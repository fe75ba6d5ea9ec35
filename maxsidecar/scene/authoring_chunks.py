"""Small parts that new scenes are put together from: chunk trees, classes and plug-ins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from struct import Struct
from struct import error as StructError
from typing import Any, Final, TypeAlias, Union

from maxsidecar.errors import EditError, shorten
from maxsidecar.io.chunks import NARROW, encode_header
from maxsidecar.io.codecs import UTF16
from maxsidecar.scene.authoring_checks import bits, items, text, typed, whole

__all__ = [
    "ChunkTree",
    "NewClass",
    "Plugin",
    "check_finite",
    "encode_chunks",
    "encode_text",
    "pack_values",
]

#: Real chunks are nested about ten deep.
_DEEPEST: Final = 64

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
    except (StructError, OverflowError, TypeError) as error:
        raise EditError(f"a value does not fit: {error}", found=shorten(values, 80)) from None


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

    Raises:
        EditError: An id does not fit 16 bits, or what stands for chunks is none.
    """
    return _encode(chunks, form, 0)


def _encode(chunks: Iterable[ChunkTree], form: int, depth: int) -> bytes:
    out: list[bytes] = []
    for chunk in items(chunks, "a run of chunks"):
        if not isinstance(chunk, tuple | list) or len(chunk) != 2 or depth == _DEEPEST:
            raise EditError(
                "not a chunk", expected="id and bytes or chunks", found=shorten(chunk, 60)
            )
        chunk_id = whole(chunk[0], "the id of a chunk", 0, 0xFFFF)
        content = chunk[1]
        leaf = isinstance(content, bytes | bytearray | memoryview)
        body = bytes(content) if leaf else _encode(content, form, depth + 1)
        container = not leaf and len(content) > 0
        out += (encode_header(chunk_id, len(body), container, form), body)
    return b"".join(out)


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in file of the DLL directory."""

    description: str
    file_name: str

    def __post_init__(self) -> None:
        """Refuse what is no text."""
        for part in (self.description, self.file_name):
            text(part, "a text of a plug-in")


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

    def __post_init__(self) -> None:
        """Refuse what cannot be an identity."""
        text(self.name, "the name of a class")
        for part in (self.a, self.b, self.superclass):
            bits(part, "an id of a class")
        if self.plugin is not None:
            typed(self.plugin, "the plug-in of a class", Plugin)


def encode_text(value: str) -> bytes:
    """Return text as UTF-16LE without terminator, as chunks hold it.

    Raises:
        EditError: It holds a NUL or half of a surrogate pair.
    """
    return UTF16.encode_new(value)
