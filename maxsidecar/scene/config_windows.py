"""Windows that ``Config`` remembers: Track View, Schematic View, Scene and Material Explorer.

Layouts are measured on the corpus (docs/format/streams.md section 5); names marked *likely* fit
every file, but nothing independent proves them.
"""

from __future__ import annotations

from collections.abc import Iterator

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.fields import (
    F32,
    I32,
    U32,
    UTF16,
    Array,
    Codec,
    Record,
    Text8,
    i32,
    record_codec,
    u32,
)
from maxsidecar.io.views import ChunkChild, ChunkField, ChunkList, ChunkView, TypedLeaf

__all__ = [
    "MaterialExplorers",
    "SceneExplorers",
    "SchematicView",
    "SchematicViews",
    "TrackView",
    "TrackViewEntry",
    "TrackViews",
]

RECTANGLE = Array(I32, 4)


class TrackViewEntry(Record):
    """One line of the tree in a Track View window."""

    object: int = i32(doc="object that the line is for, -1 for none; likely a stale index")
    flag_a: int = u32(doc="open")
    flag_b: int = u32(doc="open")


ENTRY = record_codec(TrackViewEntry)


class TrackView(ChunkView):
    """One Track View window."""

    __slots__ = ()
    title = ChunkField(0x290, UTF16, doc="window title, may be empty", default="")
    layout = ChunkField(0x390, UTF16, doc="name of the layout", default="")
    window = ChunkField(0x330, RECTANGLE, doc="window rectangle in pixels")

    @property
    def entries(self) -> list[TrackViewEntry]:
        """The lines of the tree, in stored order.

        Raises:
            DecodeError: A line has another size.
        """
        return [ENTRY.decode(chunk.data) for chunk in self._entries()]

    def _entries(self) -> Iterator[Chunk]:
        return (chunk for chunk in self.chunks() if chunk.id in (0x360, 0x340))

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the declared leaves and every line of the tree."""
        yield from super().typed_leaves(prefix)
        for chunk in self._entries():
            if not chunk.container:
                yield chunk, f"{prefix}entries[{chunk.position}]", ENTRY


class TrackViews(ChunkView):
    """The Track View windows."""

    __slots__ = ()
    count = ChunkField(0x100, U32, doc="number of windows", default=0)
    windows = ChunkList(0x110, TrackView)


class SchematicView(ChunkView):
    """One Schematic View window."""

    __slots__ = ()
    name = ChunkField(0x110, UTF16, doc="window name, may be empty", default="")
    window = ChunkField(0x120, RECTANGLE, doc="window rectangle in pixels")
    zoom = ChunkField(0x140, F32, doc="zoom factor (likely)")
    pan = ChunkField(0x150, Array(I32, 2), doc="scroll position in pixels (likely)")


class SchematicViews(ChunkView):
    """The Schematic View windows."""

    __slots__ = ()
    count = ChunkField(0x100, U32, doc="number of windows", default=0)
    windows = ChunkList(0x110, SchematicView)


# Settings are ASCII in all files; latin-1 keeps any other byte.
TEXT: Codec[str] = Text8("latin-1")


class SceneExplorers(ChunkView):
    """The Scene Explorer windows, each a bag of named settings."""

    __slots__ = ()
    first = ChunkField(0x0, U32, doc="open; 0 in most files")

    def windows(self) -> list[dict[str, str]]:
        """Return the settings of each window by name.

        Raises:
            DecodeError: The settings are not names and values by turns.
        """
        out: list[dict[str, str]] = []
        for count, texts in self._bags():
            if len(texts) != 2 * count:
                raise DecodeError(
                    "a Scene Explorer window has too few settings",
                    self.where,
                    expected=2 * count,
                    found=len(texts),
                )
            values = [TEXT.decode(chunk.data) for chunk in texts]
            out.append(dict(zip(values[::2], values[1::2], strict=True)))
        return out

    def _bags(self) -> Iterator[tuple[int, list[Chunk]]]:
        """Yield, for each window, the number of settings and the chunks of names and values."""
        bag = self.find(0x1)
        if bag is None or not bag.container:
            return
        count, texts = -1, list[Chunk]()
        for chunk in bag.chunks():
            if chunk.id == 0 and len(chunk.data) == 4:
                if count >= 0:
                    yield count, texts
                count, texts = U32.decode(chunk.data), []
            # Two more chunks, with ids that start again at 2, end a window.
            elif chunk.id == len(texts) + 1 <= 2 * count:
                texts.append(chunk)
        if count >= 0:
            yield count, texts

    def typed_leaves(self, prefix: str = "") -> Iterator[TypedLeaf]:
        """Yield the first number and the names and values of all settings."""
        yield from super().typed_leaves(prefix)
        for number, (_, texts) in enumerate(self._bags()):
            for chunk in texts:
                if not chunk.container:
                    yield chunk, f"{prefix}windows[{number}].{chunk.id}", TEXT


class MaterialExplorer(ChunkView):
    """The list of Material Explorer windows."""

    __slots__ = ()
    count = ChunkField(0x1, U32, doc="number of windows (likely)", default=0)


class MaterialExplorers(ChunkView):
    """The Material Explorer windows."""

    __slots__ = ()
    list = ChunkChild(0x0, MaterialExplorer)
