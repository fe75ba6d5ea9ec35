"""What undoing needs: for each file that was saved, how to get the old bytes back.

A record is on the disk before the scene is saved, so it also tells a run that comes later what an
interrupted one has done.  It holds the old file as a difference from the new one: zstandard with
the new bytes as its dictionary, usually a few hundred bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from maxsidecar.errors import EditError, MaxSidecarError, SaveError, Where
from maxsidecar.io.buffers import Buffer
from maxsidecar.io.file_view import FileView
from maxsidecar.io.save import save_segments, sync_folder
from maxsidecar.migrate.log import Entry

__all__ = ["Store", "UndoRecord", "keep_backup", "path_key"]

_FOLDER: Final = "undo"
_SUFFIX: Final = ".undo"
#: The head of a record is one line of JSON; a longer one is none of ours.
_LONGEST_HEAD: Final = 64 << 20
#: Beyond this, the old file is kept whole: the window of a difference spans both files.
_LARGEST_WINDOW: Final = 30
_NAME: Final = 32
_RECORD: Final = re.compile(
    rf"(?P<key>[0-9a-f]{{{_NAME}}})\.(?P<number>0|[1-9][0-9]{{0,8}}){re.escape(_SUFFIX)}"
)
#: How many backups of one name are told apart by a number.
_NUMBERED: Final = 10


def path_key(path: str) -> str:
    """Return the key of an absolute path: the same for all spellings that the system ignores."""
    return hashlib.sha256(os.fsencode(os.path.normcase(path))).hexdigest()[:_NAME]


@dataclass(slots=True)
class UndoRecord:
    """What is known of a save.

    Attributes:
        path: Absolute path of the scene.
        before: SHA-256 of the file before.
        after: SHA-256 of the file after.
        fingerprint: Identity of the migration.
        backup: Where the old file is kept whole, for people.
        entries: What the migration told.
    """

    path: str
    before: str
    after: str
    fingerprint: str = ""
    backup: str | None = None
    entries: list[Entry] = field(default_factory=list)


class Store:
    """The records of a journal.

    Args:
        folder: Folder of the journal.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Look at the folder; nothing needs to be there yet."""
        self.folder = Path(folder, _FOLDER)

    def file_of(self, key: str, number: int) -> Path:
        """Return the file of a record."""
        return self.folder / key[:2] / f"{key}.{number}{_SUFFIX}"

    def all_records(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the key of every path that has records, and their numbers, the last first."""
        for folder in _names(self.folder):
            numbers: dict[str, list[int]] = {}
            for name in _names(self.folder / folder):
                found = _RECORD.fullmatch(name)
                if found is not None and found["key"].startswith(folder):
                    numbers.setdefault(found["key"], []).append(int(found["number"]))
            for key, known in numbers.items():
                yield key, tuple(sorted(known, reverse=True))

    def records(self, path: str, number: int) -> Iterator[tuple[int, UndoRecord]]:
        """Yield the records of a path from a number on, up to the first that is not there."""
        while (record := self.read(path, number)) is not None:
            yield number, record
            number += 1

    def read(self, path: str, number: int) -> UndoRecord | None:
        """Return a record, ``None`` where there is none or only part of one."""
        return self.read_key(path_key(path), number)

    def read_key(self, key: str, number: int) -> UndoRecord | None:
        """Return a record by the key of its path, ``None`` where there is none.

        A record that names another path is none: its file would get the bytes of this one.
        """
        try:
            with open(self.file_of(key, number), "rb") as file:
                record = _parse(file.readline(_LONGEST_HEAD))
        except FileNotFoundError:
            return None
        try:
            return record if record is not None and path_key(record.path) == key else None
        except UnicodeEncodeError:  # half of a surrogate pair, which no path has
            return None

    def write(self, record: UndoRecord, number: int, old: Buffer, new: Buffer) -> None:
        """Put a record on the disk.

        Raises:
            SaveError: It cannot be written.
        """
        file = self.file_of(path_key(record.path), number)
        body, form = _difference(old, new)
        head = {
            "format": 1,
            "path": record.path,
            "before": record.before,
            "after": record.after,
            "fingerprint": record.fingerprint,
            "size": len(old),
            "form": form,
            "backup": record.backup,
            "log": [entry.as_dict() for entry in record.entries],
        }
        line = json.dumps(head, ensure_ascii=True).encode("ascii") + b"\n"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            # Not written aside and renamed: a record that is cut off by a crash is of a save that
            # did not happen, and waiting for the disk twice would cost more than all else here.
            with open(file, "wb") as stream:
                stream.write(line)
                stream.write(body)
                stream.flush()
                os.fsync(stream.fileno())
            sync_folder(file.parent)
        except OSError as error:
            reason = f"cannot write the undo record: {error.strerror}"
            raise SaveError(reason, Where(str(file))) from error

    def remove(self, path: str, number: int) -> None:
        """Take away the record of a save that did not happen, if that can be done."""
        with suppress(OSError):
            os.unlink(self.file_of(path_key(path), number))

    def old_bytes(self, key: str, number: int, new: Buffer) -> bytes:
        """Return the old file of a record.

        Args:
            key: Key of the path.
            number: Number of the record.
            new: The file as the save left it.

        Raises:
            EditError: The record is damaged.
            OSError: It cannot be read.
        """
        file = self.file_of(key, number)
        with open(file, "rb") as stream:
            line = stream.readline(_LONGEST_HEAD)
            body = stream.read()
        record = _parse(line)
        head = json.loads(line) if record is not None else {}
        old = b""
        if record is not None and isinstance(head.get("size"), int):
            old = _restore(body, head.get("form"), new, head["size"])
        if record is None or hashlib.sha256(old).hexdigest() != record.before:
            raise EditError("the record of the old file is damaged", Where(str(file)))
        return old


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _parse(line: bytes) -> UndoRecord | None:
    try:
        head: Any = json.loads(line)
        texts = [head[name] for name in ("path", "before", "after", "fingerprint")]
        backup = head.get("backup")
        entries = [Entry.parse(entry) for entry in head.get("log", [])]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not all(isinstance(text, str) for text in texts):
        return None
    path, before, after, identity = texts
    kept = backup if isinstance(backup, str) else None
    return UndoRecord(path, before, after, identity, kept, entries)


def _difference(old: Buffer, new: Buffer) -> tuple[bytes, str]:
    """Return the old bytes as a difference from the new ones, and the form of that."""
    import zstandard

    span = max((len(old) + len(new)).bit_length(), 10)
    if span <= _LARGEST_WINDOW:
        # Large tables: the standard ones of this level lose the matches of all but small files.
        table = min(max(len(new).bit_length(), 12), 24)
        parameters = zstandard.ZstdCompressionParameters.from_level(
            3, window_log=span, hash_log=table, chain_log=table, write_content_size=1
        )
        compressor = zstandard.ZstdCompressor(
            dict_data=_dictionary(new), compression_params=parameters
        )
        body = compressor.compress(old)
        if _restore(body, "difference", new, len(old)) == old:
            return body, "difference"
    return zstandard.ZstdCompressor(level=3).compress(old), "whole"


def _dictionary(new: Buffer) -> Any:
    import zstandard

    return zstandard.ZstdCompressionDict(bytes(new), dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def _restore(body: bytes, form: object, new: Buffer, size: int) -> bytes:
    """Return the old bytes; nothing where the record is damaged."""
    import zstandard

    try:
        if zstandard.frame_content_size(body) != size:
            return b""
        if form == "whole":
            return zstandard.ZstdDecompressor().decompress(body)
        decompressor = zstandard.ZstdDecompressor(
            dict_data=_dictionary(new), max_window_size=1 << _LARGEST_WINDOW
        )
        return decompressor.decompress(body)
    except (zstandard.ZstdError, MemoryError):
        return b""


def keep_backup(wanted: Path, old: Buffer) -> Path:
    """Keep the bytes of a file under a name, or that name with a number.

    Many processes may do so at once, with the same name: none writes over the backup of another.

    Returns:
        The backup; one with the same bytes may have been there.

    Raises:
        SaveError: It cannot be written.
    """
    aside = wanted.with_name(f".maxsidecar-{os.urandom(8).hex()}.tmp")
    written = False
    try:
        for name in _backup_names(wanted, old):
            if os.path.lexists(name):
                if _holds(name, old):
                    return name
                continue
            if not written:
                aside.parent.mkdir(parents=True, exist_ok=True)
                save_segments(aside, [old])
                written = True
            if _take_name(aside, name):
                sync_folder(name.parent)
                return name
            if _holds(name, old):
                return name
    except OSError as error:
        raise SaveError(f"cannot save: {error.strerror}", Where(str(wanted))) from error
    finally:
        if written:
            with suppress(OSError):
                os.unlink(aside)
    raise SaveError("cannot save: all names are taken", Where(str(wanted)))


def _backup_names(wanted: Path, old: Buffer) -> Iterator[Path]:
    """Yield the names that a backup may have, in the order in which they are tried.

    A search through all numbers would take longer with each file of the same name, so that after
    the first few the name comes from the contents.
    """
    for number in range(_NUMBERED):
        yield wanted.with_name(f"{wanted.name}{number or ''}")
    digest = hashlib.sha256(old).hexdigest()[:_NAME]
    for number in range(_NUMBERED):
        yield wanted.with_name(f"{wanted.name}-{digest}{f'-{number}' if number else ''}")


def _take_name(aside: Path, name: Path) -> bool:
    """Give a file a name that is free; return whether it was."""
    try:
        os.link(aside, name)
        return True
    except FileExistsError:
        return False
    except OSError:  # no hard links here: FAT, some network drives
        pass
    try:
        # Nobody else takes a name that is there.
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    try:
        os.replace(aside, name)
    except OSError:
        os.unlink(name)
        raise
    return True


def _holds(name: Path, data: Buffer) -> bool:
    try:
        with FileView(name) as view:
            return len(view) == len(data) and view.read(0, len(view)) == bytes(data)
    except (MaxSidecarError, OSError):
        return False
