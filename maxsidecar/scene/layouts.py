"""Layouts as text: chunks of classes whose structure is proved but whose meaning is mostly open.

A layout is what :class:`~maxsidecar.io.views.ChunkField` declarations say, in less space, for
the dozens of classes that only keep settings of the program.  One line is one class::

    c80/0/100 MaterialEditor; 9010=u32x2 09c0:open=u32 0110{ 0100=f32 }

class id A/B/superclass in hex and a name for debugging, then the chunks: id, optionally a name
behind a colon, then ``=`` and the codec of a leaf, or the chunks of a container in braces.  A
chunk without a name is called ``chunk_9010``.  An id may stand for leaves and for containers; a
chunk may occur any number of times.

Codecs: ``mark``; ``u8 u16 u32 i32 f32``, with ``x3`` three of them, with ``s`` as many as there
are bytes for; ``text`` (UTF-16), ``text8``, ``guid``, ``bits``, and ``raw`` for bytes that are kept
as they are.  ``2800@exclusion`` is a container whose layout has a name, see :data:`COMMON`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final

from maxsidecar.errors import ChunkError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import (
    F32,
    GUID,
    I32,
    MARK,
    RAW,
    U8,
    U16,
    U32,
    UTF16,
    Array,
    Codec,
    Fixed,
    Text8,
)
from maxsidecar.io.views import TypedLeaf
from maxsidecar.scene.bit_array import BITS
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.registry import register

__all__ = ["COMMON", "LaidOut", "Layout", "register_layouts"]

_NUMBERS: Final[dict[str, Fixed[Any]]] = {"u8": U8, "u16": U16, "u32": U32, "i32": I32, "f32": F32}
_OTHERS: Final[dict[str, Codec[Any]]] = {
    "mark": MARK,
    "text": UTF16,
    "text8": Text8("latin-1"),
    "guid": GUID,
    "bits": BITS,
    "raw": RAW,
}
_CODEC: Final = re.compile(r"([uif]\d+)(?:x(\d+)|(s))?\Z")
_CHUNK: Final = re.compile(r"([0-9a-f]{1,4})(?::([a-z][a-z0-9_]*))?(?:=([a-z0-9]+)|@([a-z]+)|\{)\Z")
_CODECS: Final[dict[str, Codec[Any]]] = {}


def _codec(word: str) -> Codec[Any]:
    """Return the codec of a word, always the same one for the same word."""
    found = _CODECS.get(word) or _NUMBERS.get(word) or _OTHERS.get(word)
    if found is None:
        match = _CODEC.match(word)
        if match is None or match[1] not in _NUMBERS:
            raise ValueError(f"no such codec: {word!r}")
        found = _CODECS[word] = Array(_NUMBERS[match[1]], int(match[2]) if match[2] else None)
    return found


class Layout:
    """Chunks of one level.

    Attributes:
        leaves: Name and codec of leaves by chunk id.
        containers: Name and layout of containers by chunk id.
    """

    __slots__ = ("containers", "leaves")

    def __init__(self) -> None:
        """Start without any chunk."""
        self.leaves: dict[int, tuple[str, Codec[Any]]] = {}
        self.containers: dict[int, tuple[str, Layout]] = {}

    @classmethod
    def read(cls, text: str, known: Mapping[str, Layout] | None = None) -> Layout:
        """Return the layout that a text describes.

        Args:
            text: Chunks in the form that the module describes.
            known: Layouts that ``@name`` stands for.

        Raises:
            ValueError: The text does not have that form.
        """
        layout = cls()
        stack = [layout]
        for word in text.split():
            if word == "}":
                stack.pop()
                if not stack:
                    raise ValueError("a brace too many")
                continue
            match = _CHUNK.match(word)
            if match is None:
                raise ValueError(f"not a chunk: {word!r}")
            chunk_id = int(match[1], 16)
            name = match[2] or f"chunk_{chunk_id:04x}"
            if match[3]:
                stack[-1].leaves[chunk_id] = name, _codec(match[3])
                continue
            inner = (known or {})[match[4]] if match[4] else cls()
            stack[-1].containers[chunk_id] = name, inner
            if not match[4]:
                stack.append(inner)
        if len(stack) > 1:
            raise ValueError("a brace is not closed")
        return layout

    def typed(self, chunks: Iterable[Chunk], prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the leaves that the layout knows, as :meth:`ChunkView.typed_leaves` does.

        Raises:
            ChunkError: A container is damaged; all sound leaves are yielded first.
        """
        seen: dict[str, int] = {}
        damaged: ChunkError | None = None
        for chunk in chunks:
            found = (self.containers if chunk.container else self.leaves).get(chunk.id)
            if found is None:
                continue
            number = seen[found[0]] = seen.get(found[0], -1) + 1
            name = f"{prefix}{found[0]}" + (f"[{number}]" if number else "")
            if isinstance(found[1], Codec):
                yield chunk, name, found[1]
                continue
            try:
                yield from found[1].typed(chunk.chunks(), f"{name}.")
            except ChunkError as error:
                damaged = damaged or error
        if damaged is not None:
            raise damaged


#: Layouts that many classes share.
COMMON: Final[dict[str, Layout]] = {
    # A row-vector matrix: three axes and the translation, then flags that hint at identity.
    "matrix": Layout.read("03e8:rows=f32x12 03f2:flags=u32"),
    "bits": Layout.read("2700:bits=bits"),
    # Nodes that a light or an effect leaves out, or is limited to.
    "exclusion": Layout.read("03e9:count=u32 03ec:flags=u32 03ea:nodes=u32s"),
}


class LaidOut(SceneObject):
    """An object whose own chunks a :class:`Layout` describes."""

    __slots__ = ()
    layout: ClassVar[Layout] = Layout()

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the leaves that every object has, then those of the layout."""
        yield from super().typed_leaves(prefix)
        yield from self.layout.typed(self.chunks(), prefix)


def register_layouts(
    table: str,
    known: Mapping[str, Layout] | None = None,
    base: type[SceneObject] = SceneObject,
) -> None:
    """Register a view for every line of a table.

    Args:
        table: Lines in the form that the module describes; an indented line goes on with the one
            above, and one that starts with ``#`` is a remark.
        known: Layouts that ``@name`` stands for, besides :data:`COMMON`.
        base: Class that the views are of, too.

    Raises:
        ValueError: A line does not have that form.
    """
    lines: list[str] = []
    for line in table.splitlines():
        if line.startswith(" ") and lines:
            lines[-1] += line
        elif line.strip() and not line.startswith("#"):
            lines.append(line)
    for line in lines:
        head, _, chunks = line.partition(";")
        keys, _, name = head.strip().rpartition(" ")
        layout = Layout.read(chunks, {**COMMON, **(known or {})})
        view = type(
            name,
            (LaidOut,) if base is SceneObject else (LaidOut, base),
            {"__slots__": (), "__doc__": "An object with a known layout.", "layout": layout},
        )
        for key in keys.split():
            class_a, class_b, superclass = (int(part, 16) for part in key.split("/"))
            register(superclass=superclass, class_id=(class_a, class_b))(view)
