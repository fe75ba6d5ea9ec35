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
    CompoundFileError,
    EditError,
    MaxSidecarError,
    NotMaxFileError,
    SaveError,
    Where,
)
from maxsidecar.io.buffers import Body, Buffer
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_patch import patch
from maxsidecar.io.save import FileStamp, WrittenFile, save_segments, stamp
from maxsidecar.scene.directories import ClassInfo
from maxsidecar.scene.file_streams import FileStreams
from maxsidecar.scene.node import NodeTree
from maxsidecar.scene.release import release_name
from maxsidecar.scene.scene import Scene
from maxsidecar.scene.stream import Stream

__all__ = ["MaxFile", "Stream", "open_file"]


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
        self._problems: list[MaxSidecarError] = []

    @property
    def scene(self) -> Scene:
        """The objects of the scene."""
        if self._scene is None:
            stream = self.streams["Scene"]
            self._scene = Scene(
                stream.data,
                self.classes,
                self._dll_names(),
                stream.where,
                lenient=self.lenient,
                code_page=lambda: self.code_page,
                streams=self,
            )
        return self._scene

    def _dll_names(self) -> list[str]:
        """Return the plug-ins' file names; a damaged directory leaves classes without them."""
        try:
            directory = self.dll_directory
            return [entry.file_name for entry in directory.entries] if directory else []
        except MaxSidecarError as error:
            if not self.lenient:
                raise
            self._problems.append(error)
            return []

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
        try:
            directory = self.class_directory
            return directory.infos() if directory else []
        except MaxSidecarError as error:
            if not self.lenient:
                raise
            self._problems.append(error)
            return []

    @property
    def compressed(self) -> bool:
        """Whether the file is a compressed save."""
        return self.streams["Scene"].packing != "plain"

    def changes(self) -> dict[str, Body]:
        """Return the new stored bytes of each edited stream by stored path, maybe in pieces."""
        return {stream.path: stream.pack(new) for stream, new in self._edits()}

    def _edits(self) -> Iterator[tuple[Stream, Body]]:
        """Yield each edited stream with its new unpacked bytes."""
        scene = self._scene
        for stream in self.streams.values():
            if scene is not None and scene.edited and stream is self.streams["Scene"]:
                if stream.edited:
                    raise EditError("edited both as chunks and as objects", stream.where)
                yield stream, scene.encode_pieces()
            elif stream.edited:
                yield stream, stream.content

    @property
    def edited(self) -> bool:
        """Whether saving would write other bytes than were read."""
        scene_edited = self._scene is not None and self._scene.edited
        return scene_edited or any(stream.edited for stream in self.streams.values())

    def segments(self) -> list[Buffer]:
        """Return the bytes of the file as it would be saved, in pieces."""
        return self._segments(self.changes())

    def _segments(self, changes: dict[str, Body]) -> list[Buffer]:
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
        saved = save_segments(
            target,
            self._segments(changes),
            stamp=self._stamp if same else None,
            backup=backup,
            verify=lambda again: self._verify(again, changes),
        )
        if same:
            self._stamp = saved
        return target

    def _verify(self, again: WrittenFile, changes: dict[str, Body]) -> None:
        """Compare every stream of the saved file with what was to be written."""
        if again.streams != list(self.compound.streams):
            raise SaveError("the saved file has other streams")
        for stored in self.compound.streams:
            expected = changes.get(stored)
            if expected is None:
                # A stream that could not be read before the save cannot be compared after it.
                try:
                    expected = self.compound.pieces(stored)
                except CompoundFileError:
                    continue
            if not again.holds(stored, expected):
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
        yield from self._problems
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
