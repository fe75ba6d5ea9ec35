"""Reading compound files: the container of every ``.max`` scene.

Opening checks the header, the sector tables and the directory; the sector chain of a stream is
followed only when that stream is asked for.  Streams that lie in one piece are handed out as
views of the file's bytes.
"""

from __future__ import annotations

from typing import cast

from maxsidecar.errors import CompoundFileError, Where
from maxsidecar.io.buffers import Body, body_pieces, same_pieces
from maxsidecar.io.compound_entries import Entry, Kind, parse_entries, walk_tree
from maxsidecar.io.compound_layout import (
    CUTOFF,
    ENDOFCHAIN,
    MINI_SECTOR,
    ceil_div,
    runs,
    words,
)
from maxsidecar.io.compound_tables import load_tables
from maxsidecar.io.file_view import FileView

__all__ = ["CompoundFile", "Entry", "Kind"]

_Extents = list[tuple[int, int]]


class CompoundFile:
    """A compound file in memory.

    Attributes:
        data: The file's bytes as given.
        file: The file's name for messages, or ``None``.
        version: 3 (512-byte sectors, up to Max 8) or 4 (4096-byte sectors, from Max 9).
        sector_size: 512 or 4096.
        entries: All directory entries by sid, unused ones too.
        streams: Entry of each stream by path, in the order of the directory.
        defects: What deviates from the format but does not keep the streams from being read.
        tables: The header's numbers and the FAT.
    """

    __slots__ = (
        "_extents",
        "_mini_fat",
        "_mini_fat_chain",
        "_mini_stream_chain",
        "_view",
        "data",
        "defects",
        "directory_chain",
        "entries",
        "file",
        "sector_size",
        "streams",
        "tables",
        "version",
        "where",
    )

    def __init__(self, data: bytes | memoryview | FileView, file: str | None = None) -> None:
        """Parse header, FAT and directory; :meth:`open` is the way in."""
        self.data: bytes | memoryview = cast("memoryview", data)
        self.file = file
        self.where = Where(file)
        # A file view is sliced like a memory view, which is all that is done with it.
        sliced = data if isinstance(data, FileView) else memoryview(data).cast("B")
        view = self._view = cast("memoryview", sliced)
        tables = self.tables = load_tables(view, file)
        self.version = tables.version
        self.sector_size = tables.sector_size
        self.defects = tables.defects
        self._extents: dict[str, list[tuple[int, int]]] = {}
        self._mini_fat: list[int] | None = None
        self._mini_fat_chain: list[int] | None = None
        self._mini_stream_chain: list[int] | None = None
        chain = self.directory_chain = tables.chain(
            tables.directory_start, "the directory", self.where
        )
        directory = b"".join(view[a : a + n] for a, n in self._pieces(chain))
        self.entries = parse_entries(directory, self.version, self.where, self.defects)
        if not self.entries or self.entries[0].kind != "root":
            raise CompoundFileError(
                "the directory does not begin with a root entry",
                self.where.within(offset=tables.offset(tables.directory_start)),
            )
        walk_tree(self.entries, self.where, self.defects)
        self.streams = {e.path: e for e in self.entries if e.kind == "stream" and e.path}
        if len(view) % self.sector_size:
            self.defects.append("the last sector is cut short")
        for entry in self.streams.values():
            if entry.size > len(view):
                self.defects.append(f"stream {entry.path!r} claims more bytes than the file has")

    @classmethod
    def open(
        cls,
        data: bytes | memoryview | FileView,
        file: str | None = None,
        *,
        lenient: bool = True,
    ) -> CompoundFile:
        """Open the compound file that ``data`` holds.

        Args:
            data: The whole file; a memory view may be of any contiguous buffer.  Of a file view
                only the tables and what is asked for are read; it cannot be patched.
            file: Name for messages.
            lenient: Accept what does not keep streams from being read, and list it in
                ``defects``.  Otherwise the first defect is an error, every sector chain is
                followed, and no two may share a sector.

        Raises:
            NotMaxFileError: Not a compound file at all (empty, text, a pointer file, cut off
                within the header, another format).
            CompoundFileError: The header, the tables or the directory are damaged.
            LimitError: The directory is too long or nested too deep.
        """
        compound = cls(data, file)
        if not lenient:
            from maxsidecar.io.compound_audit import audit

            problems = compound.defects + audit(compound).problems
            if problems:
                raise CompoundFileError(problems[0], compound.where)
        return compound

    @property
    def root(self) -> Entry:
        """The root entry; its stream is the mini stream."""
        return self.entries[0]

    def entry(self, path: str) -> Entry:
        """Return the entry of a stream.

        Raises:
            CompoundFileError: There is no such stream.
        """
        try:
            return self.streams[path]
        except KeyError:
            raise CompoundFileError(f"there is no stream {path!r}", self.where) from None

    def is_mini(self, entry: Entry) -> bool:
        """Return whether a stream's bytes live in the mini stream."""
        return entry.kind == "stream" and 0 < entry.size < CUTOFF

    def mini_fat_chain(self) -> list[int]:
        """Return the sectors of the mini FAT in order."""
        if self._mini_fat_chain is None:
            tables = self.tables
            self._mini_fat_chain = (
                tables.chain(
                    tables.mini_fat_start, "the mini FAT", self.where, count=tables.mini_fat_count
                )
                if tables.mini_fat_count
                else []
            )
        return self._mini_fat_chain

    def mini_fat(self) -> list[int]:
        """Return the mini FAT: next mini sector of every mini sector."""
        if self._mini_fat is None:
            chain = self.mini_fat_chain()
            size = len(chain) * self.sector_size
            pieces = self._trim(self._pieces(chain), size, "the mini FAT")
            self._mini_fat = words(b"".join([self._view[a : a + n] for a, n in pieces])).tolist()
        return self._mini_fat

    def mini_stream_chain(self) -> list[int]:
        """Return the sectors of the mini stream in order (as many as its size needs)."""
        if self._mini_stream_chain is None:
            self._mini_stream_chain = self._chain(self.root, "the mini stream")
        return self._mini_stream_chain

    def mini_chain(self, entry: Entry) -> list[int]:
        """Return the mini sectors of a small stream in order.

        Raises:
            CompoundFileError: The chain leaves the mini stream, or ends early.
        """
        fat, out = self.mini_fat(), list[int]()
        known = min(len(fat), ceil_div(self.root.size, MINI_SECTOR))
        sector, count = entry.start, ceil_div(entry.size, MINI_SECTOR)
        while len(out) < count:
            if sector >= known:
                early = sector == ENDOFCHAIN
                raise CompoundFileError(
                    f"the mini sector chain of {entry.path!r} "
                    + ("ends early" if early else "leaves the mini stream"),
                    self.where,
                    expected=f"{count} mini sectors" if early else f"a sector below {known:#x}",
                    found=len(out) if early else f"{sector:#x}",
                )
            out.append(sector)
            sector = fat[sector]
        return out

    def extents(self, path: str) -> list[tuple[int, int]]:
        """Return where a stream's bytes lie: ``(offset, length)`` in the file, in stream order.

        Neighbouring pieces are merged; the lengths add up to the stream's size.

        Raises:
            CompoundFileError: No such stream, or its sector chain is damaged.
        """
        known = self._extents.get(path)
        if known is None:
            # Following a chain takes longer than all else that a save does with a stream.
            known = self._extents[path] = self._find_extents(self.entry(path), repr(path))
        return list(known)

    def _find_extents(self, entry: Entry, what: str) -> list[tuple[int, int]]:
        if not entry.size:
            return []
        if self.is_mini(entry):
            mini, shift = self.mini_stream_chain(), self.sector_size // MINI_SECTOR
            starts = []
            for sector in self.mini_chain(entry):
                outer, inner = divmod(sector, shift)
                starts.append(self.tables.offset(mini[outer]) // MINI_SECTOR + inner)
            pieces = [(first * MINI_SECTOR, n * MINI_SECTOR) for first, n in runs(starts)]
        else:
            pieces = self._pieces(self._chain(entry, what))
        return self._trim(pieces, entry.size, what)

    def read(self, path: str) -> memoryview:
        """Return a stream's bytes: a view of the file where the stream lies in one piece.

        Raises:
            CompoundFileError: No such stream, or its sector chain is damaged.
        """
        pieces, view = self.extents(path), self._view
        if len(pieces) == 1:
            start, length = pieces[0]
            return view[start : start + length]
        return memoryview(b"".join([view[a : a + n] for a, n in pieces]))

    def holds(self, path: str, data: Body) -> bool:
        """Return whether a stream has exactly these bytes, without putting it together.

        Args:
            path: The stream.
            data: The bytes, whole or in pieces.

        Raises:
            CompoundFileError: No such stream, or its sector chain is damaged.
        """
        return same_pieces(self.pieces(path), body_pieces(data))

    def pieces(self, path: str) -> list[memoryview]:
        """Return a stream's bytes as views of the file, one per run of sectors.

        Raises:
            CompoundFileError: No such stream, or its sector chain is damaged.
        """
        return [self._view[start : start + length] for start, length in self.extents(path)]

    def _chain(self, entry: Entry, what: str) -> list[int]:
        count = ceil_div(entry.size, self.sector_size)
        if count > self.tables.sectors:
            raise CompoundFileError(
                f"{what} claims more bytes than the file has",
                self.where,
                expected=f"at most {len(self._view)}",
                found=entry.size,
            )
        return self.tables.chain(entry.start, what, self.where, count=count) if count else []

    def _pieces(self, chain: list[int]) -> _Extents:
        return [(self.tables.offset(s), n * self.sector_size) for s, n in runs(chain)]

    def _trim(self, pieces: _Extents, size: int, what: str) -> _Extents:
        """Cut the last piece to the size; refuse pieces that overlap or leave the file."""
        if pieces:
            start, length = pieces[-1]
            pieces[-1] = (start, length - sum(n for _, n in pieces) + size)
        end = 0
        for start, length in sorted(pieces):
            if start < end:
                raise CompoundFileError(
                    f"the sector chain of {what} runs in a circle", self.where.within(offset=start)
                )
            end = start + length
        if end > len(self._view):
            raise CompoundFileError(
                f"{what} reaches past the end of the file",
                self.where,
                expected=f"at most {len(self._view):#x}",
                found=f"{end:#x}",
            )
        return pieces
