"""Edits that keep a compound file's layout: what no edit asks for stays where it is.

A stream that needs the same number of sectors is overwritten in place.  One that grows takes free
sectors first and then new ones at the end of the file; one that shrinks gives sectors back.
Crossing 4096 bytes moves a stream into or out of the mini stream.  The directory entry gets a
new start and size, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping

from maxsidecar.errors import CompoundFileError, EditError
from maxsidecar.io.buffers import Body, Buffer, body_pieces
from maxsidecar.io.compound import CompoundFile, Entry
from maxsidecar.io.compound_alloc import Allocator
from maxsidecar.io.compound_audit import audit
from maxsidecar.io.compound_layout import (
    CUTOFF,
    ENDOFCHAIN,
    ENTRY_SIZE,
    MINI_SECTOR,
    ceil_div,
    runs,
)

__all__ = ["patch"]

_V3_STREAM_LIMIT = 0x80000000


def patch(compound: CompoundFile, changes: Mapping[str, Body]) -> list[memoryview | bytes]:
    """Return the file with the given streams replaced, as segments in file order.

    Args:
        compound: The file as it was read.
        changes: New bytes by stream path, whole or in pieces.  Streams whose bytes are equal to
            the old ones do not count as changed.

    Returns:
        Segments whose concatenation is the new file; unchanged regions are views of the
        original bytes, nothing is copied.  Without changes: one view of the whole file.

    Raises:
        EditError: No such stream (adding and removing streams needs
            :func:`~maxsidecar.io.compound_build.rebuild`), or the result would be too large.
        CompoundFileError: A changed stream's chain is damaged, or streams of the file share
            sectors, so that an edit of one would damage another.
    """
    view = memoryview(compound.data).cast("B")
    wanted: list[tuple[Entry, list[memoryview]]] = []
    for path, body in changes.items():
        entry = compound.streams.get(path)
        if entry is None:
            raise EditError(f"there is no stream {path!r} to replace", compound.where)
        new = body_pieces(body)
        if compound.version == 3 and sum(map(len, new)) > _V3_STREAM_LIMIT:
            raise EditError(f"stream {path!r} would be larger than 2 GiB", compound.where)
        if not compound.holds(path, new):
            wanted.append((entry, new))
    if not wanted:
        return [view]
    owners = audit(compound)
    if owners.shared:
        raise CompoundFileError(
            f"the file cannot be edited safely: {owners.problems[0]}", compound.where
        )
    allocator = Allocator(compound, owners)
    edits = [
        _Edit(compound, allocator, entry, new, owners.chains.get(entry.sid, []))
        for entry, new in sorted(wanted, key=lambda pair: pair[0].sid)
    ]
    for edit in edits:
        edit.release()
    for edit in edits:
        edit.place()
    root = compound.root
    if allocator.mini_size != root.size:
        start = allocator.mini_stream[0]
        allocator.writes += _entry_writes(compound, root, start, allocator.mini_size)
    allocator.finish()
    grown = allocator.sectors > compound.tables.sectors
    total = compound.tables.offset(allocator.sectors) if grown else len(view)
    return _splice(view, allocator.writes, total, compound.sector_size)


class _Edit:
    """The new bytes of one stream, and the sectors that hold them."""

    def __init__(
        self,
        compound: CompoundFile,
        allocator: Allocator,
        entry: Entry,
        new: list[memoryview],
        chain: list[int],
    ) -> None:
        self.compound, self.allocator, self.entry, self.new = compound, allocator, entry, new
        self.size = sum(map(len, new))
        self.was_mini = compound.is_mini(entry)
        self.is_mini = 0 < self.size < CUTOFF
        self.unit = MINI_SECTOR if self.is_mini else compound.sector_size
        self.moves = self.was_mini != self.is_mini
        self.old_chain = chain
        # What stays of the old place: nothing where the stream moves.
        self.kept = 0 if self.moves else entry.size
        self.chain = [] if self.moves else list(chain)

    def release(self) -> None:
        """Give back the sectors that the new bytes do not need."""
        allocator, need = self.allocator, ceil_div(self.size, self.unit)
        if self.moves:
            (allocator.mini_release if self.was_mini else allocator.release)(self.old_chain)
        elif need < ceil_div(self.entry.size, self.unit):
            (allocator.mini_release if self.is_mini else allocator.release)(self.chain[need:])
            del self.chain[need:]
            if need:
                (allocator.mini_link if self.is_mini else allocator.link)(
                    self.chain[-1], ENDOFCHAIN
                )

    def place(self) -> None:
        """Take missing sectors and queue the bytes, the cleared rest and the entry."""
        need, have = ceil_div(self.size, self.unit), len(self.chain)
        if self.is_mini:
            self.allocator.mini_extend(self.chain, max(0, need - have))
        else:
            self.allocator.extend(self.chain, max(0, need - have))
        # Bytes behind the end are cleared in sectors that are new here and where old bytes of
        # the stream would stay; other left-over bytes of a last sector are not ours to touch.
        end = need * self.unit
        clear = end if need > have else min(max(self.kept, self.size), end)
        position = 0
        sectors = runs(self.chain)
        for piece in (*self.new, memoryview(bytes(clear - self.size))):
            self._write(piece, position, sectors)
            position += len(piece)
        start = self.chain[0] if need else ENDOFCHAIN
        self.allocator.writes += _entry_writes(self.compound, self.entry, start, self.size)

    def _write(self, data: memoryview, position: int, sectors: list[tuple[int, int]]) -> None:
        """Queue writes of ``data`` at a position of the stream, joined over adjacent sectors."""
        done, skip = 0, position
        for first, count in sectors:
            room = count * self.unit
            if skip >= room:
                skip -= room
                continue
            piece = data[done : done + room - skip]
            self._put(first, skip, piece)
            done, skip = done + len(piece), 0
            if done == len(data):
                return

    def _put(self, sector: int, inner: int, piece: memoryview) -> None:
        if not self.is_mini:
            self.allocator.writes.append((self.compound.tables.offset(sector) + inner, piece))
            return
        while piece:
            skipped, inner = divmod(inner, MINI_SECTOR)
            sector += skipped
            length = MINI_SECTOR - inner
            self.allocator.mini_write(sector, inner, piece[:length])
            piece, inner = piece[length:], MINI_SECTOR


def _entry_writes(
    compound: CompoundFile, entry: Entry, start: int, size: int
) -> list[tuple[int, Buffer]]:
    """Return the writes that give a directory entry its new start and size."""
    index, inner = divmod(entry.sid * ENTRY_SIZE, compound.sector_size)
    offset = compound.tables.offset(compound.directory_chain[index]) + inner
    writes: list[tuple[int, Buffer]] = []
    if start != entry.start:
        writes.append((offset + 116, start.to_bytes(4, "little")))
    if size != entry.size:
        # Version 3 does not use the upper half; whatever is there stays.
        width = 4 if compound.version == 3 else 8
        writes.append((offset + 120, size.to_bytes(width, "little")))
    return writes


def _splice(
    view: memoryview, writes: list[tuple[int, Buffer]], total: int, sector_size: int
) -> list[memoryview | bytes]:
    out: list[memoryview | bytes] = []
    position = 0
    for offset, data in sorted(writes, key=lambda write: write[0]):
        _copy(view, position, offset, out)
        out.append(bytes(data) if isinstance(data, bytearray) else data)
        position = offset + len(data)
    if position > len(view):  # a cut last sector that was written to becomes whole
        total = max(total, ceil_div(position, sector_size) * sector_size)
    _copy(view, position, total, out)
    return out


def _copy(view: memoryview, start: int, end: int, out: list[memoryview | bytes]) -> None:
    """Append the original bytes from ``start`` to ``end``, and zeros where there are none."""
    if start < (stop := min(end, len(view))):
        out.append(view[start:stop])
    if end > (start := max(start, len(view))):
        out.append(bytes(end - start))
