"""Saving so that the old file or the new one is whole, whatever happens on the way.

The new bytes go to a temporary file in the same folder, are flushed to the disk, read back and
verified; only then does one rename put them in place.  A process that is killed leaves at worst a
temporary file ``.maxsidecar-*.tmp`` behind.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from maxsidecar.errors import FileChangedError, MaxSidecarError, SaveError, Where
from maxsidecar.io.buffers import Body, Buffer, body_pieces
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.file_view import FileView

__all__ = ["FileStamp", "WrittenFile", "save_segments", "stamp", "sync_folder"]

_CHUNK = 1 << 17  # small beside any scene, since some of these are in memory at once
_BINARY: int = getattr(os, "O_BINARY", 0)
_CREATE = os.O_CREAT | os.O_EXCL | os.O_RDWR | _BINARY | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True)
class FileStamp:
    """What a file on disk was when it was read or written.

    The bytes themselves are kept (by reference), so that a change shows even where size and time
    are the same, and no hash is needed for that.

    Attributes:
        size: Bytes of the file.
        mtime_ns: Time of the last change in nanoseconds; for information.
        pieces: The file's bytes in order.
    """

    size: int
    mtime_ns: int
    pieces: tuple[memoryview, ...] = field(repr=False, compare=False)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the bytes in hexadecimal, computed when first asked for."""
        import hashlib  # loads OpenSSL, which opening a scene does not need

        digest = hashlib.sha256()
        for piece in self.pieces:
            digest.update(piece)
        return digest.hexdigest()

    def matches(self, path: Path) -> bool:
        """Return whether the file at ``path`` still holds exactly these bytes.

        Raises:
            OSError: The file is there but cannot be read.
        """
        try:
            return _holds(path, self.pieces)
        except FileNotFoundError:
            return False


def stamp(path: str | os.PathLike[str], data: bytes | memoryview) -> FileStamp:
    """Return the stamp of a file whose bytes were just read as ``data``.

    Raises:
        FileChangedError: The file is gone, or its size is no longer that of ``data``.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        raise FileChangedError(f"cannot look at the file: {_reason(error)}", _at(path)) from None
    view = memoryview(data).cast("B")
    if status.st_size != len(view):
        raise FileChangedError(
            "the file changed while it was read",
            _at(path),
            expected=f"{len(view)} bytes",
            found=status.st_size,
        )
    return FileStamp(status.st_size, status.st_mtime_ns, (view,))


def save_segments(
    path: str | os.PathLike[str],
    segments: Iterable[Buffer],
    *,
    stamp: FileStamp | None = None,
    backup: bool | str | os.PathLike[str] = False,
    verify: Callable[[WrittenFile], None] | None = None,
    kept_as: Callable[[Path], None] | None = None,
) -> FileStamp:
    """Write a file from segments, verify it on disk, and put it in the place of the old one.

    Args:
        path: Target.  A symbolic link stays; the file that it points to is replaced.
        segments: The new file's bytes in order.
        stamp: Stamp of the file that was opened; saving over any other file is refused.  Without
            it, whatever is there is replaced.
        backup: ``True`` keeps the old file as ``<name>.bak``, a path keeps it there.  A backup
            with other bytes is never overwritten: then ``.bak1``, ``.bak2`` and so on are tried.
        verify: Called with the written file, read back from disk; raises a
            :class:`~maxsidecar.errors.MaxSidecarError` to refuse it.
        kept_as: Called with the backup, once the new file is in place.

    Returns:
        The stamp of the new file.

    Raises:
        FileChangedError: The file on disk is no longer the one that was opened.
        SaveError: Anything else went wrong.  The old file is untouched in every case.
    """
    where = _at(path)
    try:
        target = Path(os.path.realpath(path))
        mode = _check_target(target, where)
        if stamp is not None and mode is None:
            raise FileChangedError("the file is no longer there", where)
        pieces = [memoryview(segment).cast("B") for segment in segments]
        temporary = _temporary(target.parent)
        try:
            _write(temporary, pieces, mode)
            _verify(temporary, pieces, verify, where)
            if stamp is not None and not stamp.matches(target):
                raise FileChangedError("the file was changed by another program", where)
            kept, is_new = None, False
            if backup is not False and mode is not None:
                wanted = Path(f"{target}.bak") if backup is True else Path(backup)
                kept, is_new = _keep_old(target, wanted)
            try:
                _replace(temporary, target)
            except OSError:
                if kept is not None and is_new:
                    os.unlink(kept)
                raise
        finally:
            with suppress(OSError):  # after success there is nothing to remove
                os.unlink(temporary)
        sync_folder(target.parent)
        if kept is not None and kept_as is not None:
            kept_as(kept)
        return FileStamp(sum(map(len, pieces)), _changed_at(target), tuple(pieces))
    except ValueError as error:  # a NUL in the path
        raise SaveError(f"no file can have this name: {error}", where) from None
    except OSError as error:
        raise SaveError(f"cannot save: {_reason(error)}", where) from error


def _changed_at(path: Path) -> int:
    # The new file is in place: whoever removes it again does not make the save fail.
    with suppress(OSError):
        return os.stat(path).st_mtime_ns
    return 0


def _at(path: str | os.PathLike[str]) -> Where:
    return Where(os.fspath(path))


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _temporary(folder: Path) -> Path:
    return folder / f".maxsidecar-{os.urandom(8).hex()}.tmp"


def _check_target(target: Path, where: Where) -> int | None:
    """Return the permissions of the file to replace, or ``None`` where there is none."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise SaveError("cannot save: the target is not a regular file", where)
    if not os.access(target, os.W_OK):
        raise SaveError("cannot save: the file is write-protected", where)
    return stat.S_IMODE(status.st_mode)


def _write(path: Path, pieces: list[memoryview], mode: int | None) -> None:
    """Create a file, fill it and wait for the disk; permissions ``None`` are the usual ones."""
    handle = os.open(path, _CREATE, 0o666 if mode is None else 0o600)
    try:
        for piece in pieces:
            done = 0
            while done < len(piece):
                done += os.write(handle, piece[done : done + 1 << 26])
        if mode is not None:
            os.chmod(path, mode)
        os.fsync(handle)
    finally:
        os.close(handle)


class WrittenFile:
    """A compound file as it stands on disk, to be checked before it takes its place.

    Streams are read piece by piece, so that a check does not hold a second copy of the file.

    Args:
        view: The file.
        name: What messages call it.

    Attributes:
        compound: Its tables.
    """

    def __init__(self, view: FileView, name: str | None) -> None:
        """Read the tables.

        Raises:
            MaxSidecarError: It is no sound compound file.
        """
        self._view = view
        self.compound = CompoundFile.open(view, name)

    @property
    def streams(self) -> list[str]:
        """The streams' paths."""
        return list(self.compound.streams)

    def holds(self, path: str, data: Body) -> bool:
        """Return whether a stream has exactly these bytes, whole or in pieces, on disk.

        Raises:
            CompoundFileError: There is no such stream, or its sector chain is damaged.
        """
        extents = self.compound.extents(path)
        pieces = body_pieces(data)
        if sum(length for _, length in extents) != sum(map(len, pieces)):
            return False
        expected = _Slices(pieces)
        return all(_holds_at(self._view, start, length, expected) for start, length in extents)


class _Slices:
    """Hands out the next bytes of a sequence of views."""

    def __init__(self, pieces: Sequence[memoryview]) -> None:
        self._pieces = [piece for piece in reversed(pieces) if piece]

    def take(self, count: int) -> memoryview:
        """Return at most ``count`` of the next bytes."""
        piece = self._pieces.pop()
        if count < len(piece):
            self._pieces.append(piece[count:])
        return piece[:count]


def _holds_at(view: FileView, start: int, length: int, expected: _Slices) -> bool:
    """Return whether a part of a file holds the next bytes of ``expected``."""
    end = start + length
    while start < end:
        piece = expected.take(min(end - start, _CHUNK))
        # Bytes compare at once; memory views would go item by item.
        if view.read(start, len(piece)) != bytes(piece):
            return False
        start += len(piece)
    return True


def _verify(
    path: Path,
    pieces: list[memoryview],
    verify: Callable[[WrittenFile], None] | None,
    where: Where,
) -> None:
    """Read the file back from disk and compare it with what was written."""
    if not _holds(path, pieces):
        raise SaveError("the written file does not hold what was written", where)
    if verify is None:
        return
    try:
        with FileView(path) as view:
            verify(WrittenFile(view, where.file))
    except SaveError:
        raise
    except MaxSidecarError as error:
        raise SaveError(f"the written file failed its check: {error}", where) from error


def _holds(path: Path, pieces: Sequence[memoryview]) -> bool:
    """Return whether a file consists of exactly these bytes."""
    size = sum(map(len, pieces))
    with FileView(path) as view:
        return len(view) == size and _holds_at(view, 0, size, _Slices(pieces))


def _keep_old(target: Path, wanted: Path) -> tuple[Path, bool]:
    """Keep the bytes of ``target`` under the wanted name, or that name with a number.

    Returns:
        The backup, and whether it is new: one with the same bytes may have been there.
    """
    content: list[memoryview] | None = None
    number = 0
    while True:
        name = Path(f"{wanted}{number or ''}")
        try:
            os.link(target, name)
        except OSError:
            content = content or [memoryview(target.read_bytes())]
            if os.path.lexists(name):
                if Path(os.path.realpath(name)) != target and _is_copy(name, content):
                    return name, False
                number += 1
                continue
            # No hard links here (FAT, some network drives), or the backup is on another disk.
            _copy(target, content, name)
        return name, True


def _is_copy(name: Path, content: list[memoryview]) -> bool:
    return not name.is_symlink() and name.is_file() and _holds(name, content)


def _copy(target: Path, content: list[memoryview], name: Path) -> None:
    """Make a whole copy appear under a free name."""
    temporary = _temporary(name.parent)
    try:
        _write(temporary, content, stat.S_IMODE(os.stat(target).st_mode))
        os.rename(temporary, name)
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _replace(temporary: Path, target: Path) -> None:
    # On Windows a virus scanner may hold the target for a moment.
    for delay in (0.05, 0.1, 0.2, 0.4) if os.name == "nt" else ():
        try:
            os.replace(temporary, target)
            return
        except PermissionError:
            time.sleep(delay)
    os.replace(temporary, target)


def sync_folder(folder: Path) -> None:
    """Wait until the rename is on the disk, where folders can be opened for that."""
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
