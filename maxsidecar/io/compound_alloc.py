"""Sector allocation for edits: the tables of a compound file while it is being changed."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from maxsidecar.errors import EditError
from maxsidecar.io.compound import CompoundFile
from maxsidecar.io.compound_audit import Audit
from maxsidecar.io.compound_layout import (
    DIFAT_IN_HEADER,
    DIFSECT,
    ENDOFCHAIN,
    FATSECT,
    FREESECT,
    HEADER,
    HEADER_SIZE,
    MAXREGSECT,
    MINI_SECTOR,
    Buffer,
    ceil_div,
    pack_words,
    words,
)

__all__ = ["Allocator"]

# Byte that the range lock of version 4 files covers: its sector may hold nothing else.
RANGE_LOCK = 0x7FFFFF00
V3_LIMIT = 0x80000000


class Allocator:
    """FAT, DIFAT and mini FAT with the sectors that edits take and give back.

    Free everything first, then allocate: the list of free sectors is made once, at the first
    allocation.  Call :meth:`finish` last; ``writes`` then holds ``(offset, bytes)`` of each
    changed table.

    Attributes:
        sectors: Number of sectors of the new file.
        mini_stream: Sectors of the mini stream.
        mini_size: Bytes of the mini stream, for the root entry.
        writes: What to write where; the pieces do not overlap.
    """

    def __init__(self, compound: CompoundFile, audit: Audit) -> None:
        """Take copies of the tables; nothing of ``compound`` is changed.

        Raises:
            CompoundFileError: The mini stream or the mini FAT is damaged.
        """
        compound.mini_stream_chain()
        tables = compound.tables
        self._compound, self._audit, self._tables = compound, audit, tables
        self._unit = compound.sector_size // 4
        self._header = bytearray(memoryview(compound.data).cast("B")[:HEADER_SIZE])
        self._fat = tables.fat[:]
        self._fat_sectors = list(tables.fat_sectors)
        self._difat_sectors = list(tables.difat_sectors)
        self._difat: dict[int, array[int]] = {}
        self._dirty: set[int] = set()
        self._free: Iterator[int] | None = None
        self._mini_fat = array("I", compound.mini_fat())
        self._mini_fat_sectors = list(compound.mini_fat_chain())
        self._mini_dirty: set[int] = set()
        self._mini_free: Iterator[int] | None = None
        self._mini_fresh: dict[int, bytearray] = {}
        self.sectors = tables.sectors
        self.mini_stream = list(audit.chains.get(0, ()))
        self.mini_size = compound.root.size
        self.writes: list[tuple[int, Buffer]] = []

    # --- sectors -----------------------------------------------------------------------------

    def link(self, sector: int, value: int) -> None:
        """Set a sector's entry in the FAT."""
        self._fat[sector] = value
        self._dirty.add(sector // self._unit)

    def release(self, chain: list[int]) -> None:
        """Mark sectors as free."""
        for sector in chain:
            self.link(sector, FREESECT)
            self._audit.used[sector] = 0

    def take(self, value: int = ENDOFCHAIN) -> int:
        """Return a free sector, or a new one at the end of the file, with its FAT entry set.

        Raises:
            EditError: The file would become larger than its version allows.
        """
        if self._free is None:
            pairs = zip(self._fat, self._audit.used, strict=False)
            self._free = iter([i for i, pair in enumerate(pairs) if pair == (FREESECT, 0)])
        for sector in self._free:
            if not self._is_range_lock(sector):
                break
        else:
            sector = self._append()
        self.link(sector, value)
        return sector

    def extend(self, chain: list[int], count: int) -> list[int]:
        """Add ``count`` sectors to the end of a chain; return the new ones."""
        fresh = [self.take() for _ in range(count)]
        for before, after in zip(chain[-1:] + fresh, fresh if chain else fresh[1:], strict=False):
            self.link(before, after)
        chain += fresh
        return fresh

    def _append(self) -> int:
        while self._is_range_lock(self.sectors):
            self._cover(self.sectors)
            self.link(self.sectors, ENDOFCHAIN)
            self.sectors += 1
        sector = self.sectors
        self.sectors += 1
        end = self._tables.offset(sector + 1)
        if sector >= MAXREGSECT or (self._tables.version == 3 and end > V3_LIMIT):
            raise EditError("the file would become larger than its version allows")
        self._cover(sector)
        return sector

    def _cover(self, sector: int) -> None:
        """Extend the FAT in memory until it covers a sector; :meth:`finish` places the rest."""
        while sector >= len(self._fat):
            self._dirty.add(len(self._fat) // self._unit)
            self._fat.extend([FREESECT] * self._unit)

    def _is_range_lock(self, sector: int) -> bool:
        start = self._tables.offset(sector)
        return self._tables.version == 4 and start <= RANGE_LOCK < start + self._unit * 4

    # --- mini sectors ------------------------------------------------------------------------

    def mini_link(self, sector: int, value: int) -> None:
        """Set a mini sector's entry in the mini FAT."""
        self._mini_fat[sector] = value
        self._mini_dirty.add(sector // self._unit)

    def mini_release(self, chain: list[int]) -> None:
        """Mark mini sectors as free."""
        for sector in chain:
            self.mini_link(sector, FREESECT)
            self._audit.mini_used[sector] = 0

    def mini_take(self) -> int:
        """Return a free mini sector, or a new one at the end of the mini stream."""
        if self._mini_free is None:
            pairs = zip(self._mini_fat, self._audit.mini_used, strict=False)
            self._mini_free = iter([i for i, pair in enumerate(pairs) if pair == (FREESECT, 0)])
        sector = next(self._mini_free, -1)
        if sector < 0:
            sector = ceil_div(self.mini_size, MINI_SECTOR)
            self.mini_size = (sector + 1) * MINI_SECTOR
            while sector >= len(self._mini_fat):
                self.extend(self._mini_fat_sectors, 1)
                self._mini_fat.extend([FREESECT] * self._unit)
            while self.mini_size > len(self.mini_stream) * self._unit * 4:
                (fresh,) = self.extend(self.mini_stream, 1)
                self._mini_fresh[fresh] = bytearray(self._unit * 4)
        self.mini_link(sector, ENDOFCHAIN)
        return sector

    def mini_extend(self, chain: list[int], count: int) -> None:
        """Add ``count`` mini sectors to the end of a chain."""
        for _ in range(count):
            sector = self.mini_take()
            if chain:
                self.mini_link(chain[-1], sector)
            chain.append(sector)

    def mini_write(self, sector: int, inner: int, data: Buffer) -> None:
        """Write into a mini sector, ``inner`` bytes from its beginning."""
        outer, index = divmod(sector, self._unit * 4 // MINI_SECTOR)
        start = index * MINI_SECTOR + inner
        holder = self.mini_stream[outer]
        if holder in self._mini_fresh:
            self._mini_fresh[holder][start : start + len(data)] = data
        else:
            self.writes.append((self._tables.offset(holder) + start, data))

    # --- tables ------------------------------------------------------------------------------

    def finish(self) -> None:
        """Place new FAT and DIFAT sectors and queue every changed table for writing."""
        while len(self._fat_sectors) * self._unit < len(self._fat):
            self._register(self.take(FATSECT))
        offset, unit = self._tables.offset, self._unit
        for index in self._dirty:
            block = self._fat[index * unit : (index + 1) * unit]
            self.writes.append((offset(self._fat_sectors[index]), pack_words(block)))
        for index, block in self._difat.items():
            self.writes.append((offset(self._difat_sectors[index]), pack_words(block)))
        for index in self._mini_dirty:
            block = self._mini_fat[index * unit : (index + 1) * unit]
            self.writes.append((offset(self._mini_fat_sectors[index]), pack_words(block)))
        self.writes += [(offset(sector), body) for sector, body in self._mini_fresh.items()]
        if len(self._fat_sectors) != len(self._tables.fat_sectors):
            self._set_header(0x2C, len(self._fat_sectors))
        if len(self._mini_fat_sectors) != self._tables.mini_fat_count:
            self._set_header(0x3C, self._mini_fat_sectors[0])
            self._set_header(0x40, len(self._mini_fat_sectors))
        if len(self._difat_sectors) != len(self._tables.difat_sectors):
            self._set_header(0x44, self._difat_sectors[0])
            self._set_header(0x48, len(self._difat_sectors))
        if self._header != memoryview(self._compound.data).cast("B")[:HEADER_SIZE]:
            self.writes.append((0, bytes(self._header)))

    def _register(self, sector: int) -> None:
        """List a new FAT sector in the header, or in a DIFAT sector."""
        index = len(self._fat_sectors)
        self._fat_sectors.append(sector)
        if index < DIFAT_IN_HEADER:
            self._set_header(HEADER.size + 4 * index, sector)
            return
        number, slot = divmod(index - DIFAT_IN_HEADER, self._unit - 1)
        if number == len(self._difat_sectors):
            fresh = self.take(DIFSECT)
            self._difat_sectors.append(fresh)
            self._difat[number] = array("I", [FREESECT] * (self._unit - 1) + [ENDOFCHAIN])
            if number:
                self._difat_block(number - 1)[-1] = fresh
        self._difat_block(number)[slot] = sector

    def _difat_block(self, number: int) -> array[int]:
        if number not in self._difat:
            start = self._tables.offset(self._difat_sectors[number])
            view = memoryview(self._compound.data).cast("B")
            self._difat[number] = words(view[start : start + self._unit * 4])
        return self._difat[number]

    def _set_header(self, offset: int, value: int) -> None:
        self._header[offset : offset + 4] = value.to_bytes(4, "little")
