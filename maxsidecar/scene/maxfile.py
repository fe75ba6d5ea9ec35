"""A scene file: its streams, the scene in them, and saving.

Everything is lazy: opening reads the compound file's tables; a stream is unpacked when it is asked
for; an object is looked into when somebody asks.  Saving packs the streams that were edited and
patches them into the bytes of the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from maxsidecar.errors import (
    CompoundFileError,
    EditError,
    LimitError,
    MaxSidecarError,
    NotMaxFileError,
    SaveError,
    Where,
)
from maxsidecar.io.buffers import Body, Buffer
from maxsidecar.io.compound import CompoundFile
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

    Use :func:`maxsidecar.open`.  As a context manager it is closed at the end.

    Attributes:
        path: Where it was read from, or ``None`` for data in memory.
        streams: Streams by logical name, in directory order.
        backup: Where the last save kept the old file, if it did.
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
        self._seal = ""
        self.backup: Path | None = None
        file = str(path) if path is not None else None
        self._compound: CompoundFile | None = CompoundFile.open(
            memoryview(data), file, lenient=lenient
        )
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
            _ = self.compound  # raises when the file was closed
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
        names: list[str]
        error: MaxSidecarError | None
        try:
            directory = self.dll_directory
            names, error = directory.read_names() if directory else ([], None)
        except MaxSidecarError as problem:
            names, error = [], problem
        self._tolerate(error)
        return names

    def _tolerate(self, error: MaxSidecarError | None) -> None:
        """Note a problem that lenient reading goes on with."""
        if error is not None:
            if not self.lenient:
                raise error
            self._problems.append(error.with_traceback(None))

    @property
    def nodes(self) -> NodeTree:
        """The nodes of the scene."""
        return self.scene.nodes

    @property
    def release(self) -> str:
        """The release that the Scene stream's root id stands for, such as ``"2012"``."""
        return release_name(self.scene.version)

    @cached_property
    def classes(self) -> list[ClassInfo | None]:
        """Identity of each class directory entry, as the scene was opened."""
        infos: list[ClassInfo | None]
        error: MaxSidecarError | None
        try:
            directory = self.class_directory
            infos, error = directory.read_infos() if directory else ([], None)
        except MaxSidecarError as problem:
            infos, error = [], problem
        self._tolerate(error)
        return infos

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the file as it was opened, in hexadecimal."""
        import hashlib  # loads OpenSSL, which opening a scene does not need

        return hashlib.sha256(self.compound.data).hexdigest()

    @property
    def compressed(self) -> bool:
        """Whether the file is a compressed save."""
        return self.streams["Scene"].packing != "plain"

    def changes(self) -> dict[str, Body]:
        """Return the new stored bytes of each edited stream by stored path, maybe in pieces."""
        return {stream.path: stream.pack(new) for stream, new in self._edits()}

    def _edits(self) -> Iterator[tuple[Stream, Body]]:
        """Yield each edited stream with its new unpacked bytes."""
        _ = self.compound  # raises when the file was closed
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
        """Whether the scene differs from what was opened; a save does not change that."""
        _ = self.compound  # raises when the file was closed
        scene_edited = self._scene is not None and self._scene.edited
        return scene_edited or any(stream.edited for stream in self.streams.values())

    def segments(self) -> list[Buffer]:
        """Return the bytes of the file as it would be saved, in pieces."""
        return self._segments(self.changes())

    def _segments(self, changes: dict[str, Body]) -> list[Buffer]:
        if not changes:
            return [self.compound.data]
        from maxsidecar.io.compound_patch import patch  # only a save needs it

        return list(patch(self.compound, changes))

    def to_bytes(self) -> bytes:
        """Return the bytes of the file as it would be saved."""
        return b"".join(self.segments())

    def save(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        backup: bool = False,
        before: Callable[[Sequence[Buffer]], None] | None = None,
    ) -> Path:
        """Save, in one step that leaves either the old or the new file.

        Args:
            path: Where to; ``None`` saves over the file that was opened.
            backup: Keep the old file as ``<name>.bak``, or with a number behind that where
                another file has the name; :attr:`backup` tells.
            before: Called with the bytes of the new file, in pieces, before anything is written;
                an error that it raises goes on to the caller, and nothing is saved.

        Returns:
            The path written.

        Raises:
            EditError: It is not to be saved now: see :meth:`sealed`.
            FileChangedError: The file on disk is no longer the one that was opened.
            SaveError: Anything else that kept the new file from being written and checked.
        """
        if self._seal:
            raise EditError(self._seal, Where(str(self.path) if self.path else None))
        target = Path(path) if path is not None else self.path
        if target is None:
            raise SaveError("no path to save to")
        changes = self.changes()
        same = self.path is not None and _same_file(target, self.path)
        segments = self._segments(changes)
        if before is not None:
            before(segments)
        saved = save_segments(
            target,
            segments,
            stamp=self._stamp if same else None,
            backup=backup,
            kept_as=self._note_backup,
            verify=lambda again: self._verify(again, changes),
        )
        if same:
            self._stamp = saved
        return target

    @contextmanager
    def sealed(self, reason: str) -> Iterator[None]:
        """Let no one save, for as long as the ``with`` block lasts: :meth:`save` raises the reason.

        For code that is lent an opened file to edit, while saving it is left to somebody else.
        """
        outer, self._seal = self._seal, reason
        try:
            yield
        finally:
            self._seal = outer

    def _note_backup(self, path: Path) -> None:
        self.backup = path

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
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Let go of the file's bytes; edits that were not saved are gone, and using it raises."""
        self._scene = None
        self._stamp = None
        self.streams = {}
        self._compound = None

    @property
    def compound(self) -> CompoundFile:
        """The compound file around the streams.

        Raises:
            EditError: The file was closed.
        """
        if self._compound is None:
            raise EditError("the file was closed", Where(str(self.path) if self.path else None))
        return self._compound

    def problems(self) -> Iterator[MaxSidecarError]:
        """Yield what lenient reading passed over so far."""
        yield from self._problems
        if self._scene is not None:
            yield from self._scene.problems
            yield from self._scene.nodes.problems


def _same_file(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except ValueError:  # a NUL in a path, which saving reports
        return False
    except OSError:
        return a.resolve() == b.resolve()


def open_file(path: str | os.PathLike[str], *, lenient: bool = True) -> MaxFile:
    """Open a scene file.

    Args:
        path: The ``.max`` file.
        lenient: Read what can be read of a damaged file; ``False`` raises at the first damage.

    Raises:
        NotMaxFileError: The file is no 3ds Max scene.
        LimitError: It does not fit into memory.
        MaxSidecarError: It is damaged.
        OSError: It cannot be read at all.
    """
    target = Path(path)
    try:
        if target.is_char_device() or target.is_block_device():
            raise NotMaxFileError("a device is no scene", Where(str(path)))
        data = target.read_bytes()
    except ValueError as error:  # a NUL in the path
        raise NotMaxFileError(f"no file can have this name: {error}", Where(str(path))) from None
    except MemoryError:
        raise LimitError("the file is too large for the memory", Where(str(path))) from None
    # A pipe is not there any more to be compared with.
    known = stamp(target, data) if target.is_file() else None
    return MaxFile(data, target, lenient=lenient, stamp=known)
