"""A scene file: its streams, the scene in them, and saving.

Everything is lazy: opening reads the compound file's tables; a stream is unpacked when it is asked
for; an object is looked into when somebody asks.  Saving packs the streams that were edited and
patches them into the bytes of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from maxsidecar.errors import (
    ChunkError,
    CompoundFileError,
    CompressionError,
    LimitError,
    MaxSidecarError,
    NotMaxFileError,
    SaveError,
    Where,
)
from maxsidecar.io.buffers import same_bytes
from maxsidecar.io.chunks import Buffer, ChunkData
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_patch import patch
from maxsidecar.io.compression import Packed, logical_name, pack, unpack
from maxsidecar.io.save import FileStamp, save_segments, stamp
from maxsidecar.scene.directories import ClassInfo
from maxsidecar.scene.file_streams import FileStreams
from maxsidecar.scene.node import NodeTree
from maxsidecar.scene.release import release_name
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.stream_views import StreamView, stream_view_class

__all__ = ["MaxFile", "Stream", "open_file"]


class Stream:
    """One stream of the file.

    Attributes:
        path: Path in the compound file, as stored (``Scene_Compressed``).
        name: Logical name (``Scene``).
    """

    def __init__(self, compound: CompoundFile, path: str, file: str | None) -> None:
        """Remember where the stream is; nothing is read yet."""
        self.path = path
        self.name = logical_name(path)
        self.file = file
        self._compound = compound
        self._raw: memoryview | None = None
        self._data: Buffer | None = None
        self._packed: Packed | None = None
        self._chunks: ChunkData | None = None
        self._replacement: Buffer | None = None
        self._view: StreamView | None = None

    @property
    def where(self) -> Where:
        """The stream's place, for messages."""
        return Where(self.file, self.name)

    @property
    def raw(self) -> memoryview:
        """The stored bytes.

        Raises:
            CompoundFileError: The stream's chain of sectors is damaged.
        """
        if self._raw is None:
            self._raw = self._compound.read(self.path)
        return self._raw

    @property
    def data(self) -> Buffer:
        """The unpacked bytes as they were read.

        Raises:
            CompressionError: The packed bytes are damaged.
            LimitError: They unpack to more than is safe.
        """
        if self._data is None:
            try:
                _, self._data, self._packed = unpack(self.path, self.raw)
            except (CompressionError, LimitError) as error:
                error.locate(file=self.file, stream=self.name)
                raise
        return self._data

    @property
    def packing(self) -> str:
        """How the stream is compressed: ``plain``, ``gzip`` or ``zstd``."""
        self.data  # noqa: B018 - unpacking finds it out
        return self._packed.kind if self._packed else "plain"

    @property
    def chunks(self) -> ChunkData:
        """The stream as editable chunks."""
        if self._chunks is None:
            self._chunks = ChunkData(self.data, 0, self.where, root=True)
        return self._chunks

    @property
    def view(self) -> StreamView | None:
        """The typed view of the stream, ``None`` when it is not made of chunks."""
        if self._view is None:
            cls = stream_view_class(self.name)
            self._view = cls(self.chunks) if cls else None
        return self._view

    @property
    def content(self) -> Buffer:
        """The unpacked bytes, edits included."""
        if self._chunks is not None:
            return self._chunks.data
        return self.data if self._replacement is None else self._replacement

    def replace(self, data: Buffer) -> None:
        """Put other bytes in place of all of them."""
        if stream_view_class(self.name) is not None:
            self.chunks.replace_all(data)
        else:
            self._replacement = data

    @property
    def edited(self) -> bool:
        """Whether the bytes differ from those that were read."""
        if self._chunks is not None:
            return self._chunks.edited
        changed = self._replacement
        return changed is not None and not same_bytes(changed, self.data)

    def pack(self, body: Buffer) -> Buffer:
        """Return new contents packed the way this stream was."""
        self.data  # noqa: B018 - finds out how it was packed
        return pack(self._packed, body) if self._packed else bytes(body)


class MaxFile(FileStreams):
    """An opened scene file.

    Use :func:`maxsidecar.open`.  As a context manager it lets go of its buffers at the end.

    Attributes:
        path: Where it was read from, or ``None`` for data in memory.
        compound: The compound file around the streams.
        streams: Streams by logical name, in directory order.
    """

    def __init__(
        self,
        data: Buffer,
        path: Path | None = None,
        *,
        lenient: bool = True,
        stamp: FileStamp | None = None,
    ) -> None:
        """Read the tables of the compound file.

        Raises:
            NotMaxFileError: It is no compound file, or one without a Scene stream.
            CompoundFileError: Its tables are damaged.
        """
        self.path = path
        self.lenient = lenient
        self._stamp = stamp
        file = str(path) if path is not None else None
        self.compound = CompoundFile.open(memoryview(data), file, lenient=lenient)
        self.streams: dict[str, Stream] = {}
        for stored in self.compound.streams:
            stream = Stream(self.compound, stored, file)
            # Two stored names may mean the same stream; the later one keeps its stored name.
            self.streams.setdefault(stream.name, stream)
            if self.streams[stream.name] is not stream:
                self.streams[stored] = stream
        if "Scene" not in self.streams:
            raise NotMaxFileError("not a 3ds Max scene: there is no Scene stream", Where(file))
        self._scene: Scene | None = None

    @property
    def scene(self) -> Scene:
        """The objects of the scene."""
        if self._scene is None:
            stream = self.streams["Scene"]
            self._scene = Scene(
                stream.data,
                self.classes,
                [entry.file_name for entry in self.dll_directory.entries]
                if self.dll_directory
                else [],
                stream.where,
                lenient=self.lenient,
            )
        return self._scene

    @property
    def nodes(self) -> NodeTree:
        """The nodes of the scene."""
        return self.scene.nodes

    @property
    def release(self) -> str:
        """The release that the Scene stream's root id stands for, such as ``"2012"``."""
        return release_name(self.scene.version)

    @property
    def classes(self) -> list[ClassInfo | None]:
        """Identity of each class directory entry."""
        directory = self.class_directory
        try:
            return directory.infos() if directory else []
        except ChunkError:
            if not self.lenient:
                raise
            return []

    @property
    def compressed(self) -> bool:
        """Whether the file is a compressed save."""
        return self.streams["Scene"].packing != "plain"

    def changes(self) -> dict[str, Buffer]:
        """Return the new stored bytes of each edited stream, by stored path."""
        out: dict[str, Buffer] = {}
        for stream in self.streams.values():
            if self._scene is not None and stream is self.streams["Scene"]:
                if self._scene.edited:
                    out[stream.path] = stream.pack(self._scene.encode())
            elif stream.edited:
                out[stream.path] = stream.pack(stream.content)
        return out

    @property
    def edited(self) -> bool:
        """Whether saving would write other bytes than were read."""
        return bool(self.changes())

    def segments(self) -> list[Buffer]:
        """Return the bytes of the file as it would be saved, in pieces."""
        return self._segments(self.changes())

    def _segments(self, changes: dict[str, Buffer]) -> list[Buffer]:
        return list(patch(self.compound, changes)) if changes else [self.compound.data]

    def to_bytes(self) -> bytes:
        """Return the bytes of the file as it would be saved."""
        return b"".join(self.segments())

    def save(self, path: str | os.PathLike[str] | None = None, *, backup: bool = False) -> Path:
        """Save, in one step that leaves either the old or the new file.

        Args:
            path: Where to; ``None`` saves over the file that was opened.
            backup: Keep the old file as ``<name>.bak``.

        Returns:
            The path written.

        Raises:
            FileChangedError: The file on disk is no longer the one that was opened.
            SaveError: Anything else that kept the new file from being written and checked.
        """
        target = Path(path) if path is not None else self.path
        if target is None:
            raise SaveError("no path to save to")
        changes = self.changes()
        same = self.path is not None and _same_file(target, self.path)
        save_segments(
            target,
            self._segments(changes),
            stamp=self._stamp if same else None,
            backup=backup,
            verify=lambda again: self._verify(again, changes),
        )
        if same:
            self._stamp = stamp(target, target.read_bytes())
        return target

    def _verify(self, again: CompoundFile, changes: dict[str, Buffer]) -> None:
        """Compare every stream of the saved file with what was to be written."""
        if list(again.streams) != list(self.compound.streams):
            raise SaveError("the saved file has other streams")
        for stored in self.compound.streams:
            expected = changes.get(stored)
            if expected is None:
                # A stream that could not be read before the save cannot be compared after it.
                try:
                    expected = self.compound.read(stored)
                except CompoundFileError:
                    continue
            if not same_bytes(again.read(stored), expected):
                raise SaveError(f"stream {stored!r} was not saved as it should be")

    def __enter__(self) -> Self:
        """Return the file itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of the parsed objects."""
        self._scene = None

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what lenient reading passed over so far."""
        if self._scene is not None:
            yield from self._scene.problems


def _same_file(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return a.resolve() == b.resolve()


def open_file(path: str | os.PathLike[str], *, lenient: bool = True) -> MaxFile:
    """Open a scene file.

    Args:
        path: The ``.max`` file.
        lenient: Read what can be read of a damaged file; ``False`` raises at the first damage.

    Raises:
        NotMaxFileError: The file is no 3ds Max scene.
        MaxSidecarError: It is damaged.
        OSError: It cannot be read at all.
    """
    target = Path(path)
    data = target.read_bytes()
    return MaxFile(data, target, lenient=lenient, stamp=stamp(target, data))
