"""Header and sector tables of a compound file, checked before anything is followed.

Every count in the header is compared with the number of sectors that the file has room for, so
that work and memory stay proportional to the size of the file.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from maxsidecar.errors import CompoundFileError, NotMaxFileError, Where
from maxsidecar.io.compound_layout import (
    CUTOFF,
    ENDOFCHAIN,
    FREESECT,
    HEADER,
    HEADER_SIZE,
    MAGIC,
    ceil_div,
    words,
)

__all__ = ["Tables", "load_tables"]

_KINDS = (
    (b"version https://git-lfs", "is a Git LFS pointer, not the scene itself: run 'git lfs pull'"),
    (b"PK\x03\x04", "is a ZIP archive, not a 3ds Max scene: unpack it first"),
    (b"\x1f\x8b", "is gzip data, not a 3ds Max scene: unpack it first"),
    (b"Kaydara FBX Binary", "is an FBX file, not a 3ds Max scene"),
    (b"MM", "is a .3ds file, not a 3ds Max scene"),
    (b"glTF", "is a GLB file, not a 3ds Max scene"),
)


@dataclass(slots=True)
class Tables:
    """The header's numbers and the sector allocation tables.

    Attributes:
        version: 3 (512-byte sectors) or 4 (4096-byte sectors).
        sector_size: Bytes of a sector.
        sectors: Number of sectors in the file, the last one possibly cut short.
        fat: Next sector of every sector; covers a multiple of ``sector_size // 4`` sectors, which
            may be fewer or more than ``sectors``.
        fat_sectors: Sectors that hold the FAT, in order.
        difat_sectors: Sectors that hold the list of FAT sectors beyond the header's 109.
        directory_start: First sector of the directory.
        mini_fat_start: First sector of the mini FAT.
        mini_fat_count: Number of mini FAT sectors that the header claims.
        defects: What is wrong but can be lived with.
    """

    version: int
    sector_size: int
    sectors: int
    fat: array[int]
    fat_sectors: list[int]
    difat_sectors: list[int]
    directory_start: int
    mini_fat_start: int
    mini_fat_count: int
    defects: list[str]

    def offset(self, sector: int) -> int:
        """Return the byte offset of a sector."""
        return (sector + 1) * self.sector_size

    def link_offset(self, sector: int) -> int:
        """Return the byte offset of a sector's entry in the FAT."""
        index, slot = divmod(sector, self.sector_size // 4)
        return self.offset(self.fat_sectors[index]) + 4 * slot

    def chain(self, start: int, what: str, where: Where, *, count: int | None = None) -> list[int]:
        """Return the sectors of a chain in order.

        Args:
            start: First sector.
            what: Name of the chain, for messages.
            where: Place for errors.
            count: Number of sectors wanted; ``None`` follows the chain to its end.

        Raises:
            CompoundFileError: The chain leaves the file, ends early or runs in a circle.
        """
        fat, out = self.fat, list[int]()
        known = min(len(fat), self.sectors)
        limit = known if count is None else count
        sector, origin = start, None
        while len(out) < limit:
            if sector >= known:
                if sector == ENDOFCHAIN and count is None:
                    return out
                raise self._broken(what, where, sector, origin, count, len(out))
            out.append(sector)
            origin = sector
            sector = fat[sector]
        if count is None and sector != ENDOFCHAIN:
            raise self._broken(what, where, sector, origin, count, len(out))
        return out

    def _broken(
        self, what: str, where: Where, found: int, origin: int | None, count: int | None, have: int
    ) -> CompoundFileError:
        offset = None if origin is None else self.link_offset(origin)
        expected: object = f"a sector below {self.sectors:#x}"
        if found == ENDOFCHAIN:
            problem = f"the sector chain of {what} ends early"
            return CompoundFileError(
                problem, where.within(offset=offset), expected=f"{count} sectors", found=have
            )
        if found < min(len(self.fat), self.sectors):
            problem, expected = f"the sector chain of {what} runs in a circle", "its end"
        else:
            problem = f"the sector chain of {what} leads to a sector that it cannot use"
        return CompoundFileError(
            problem, where.within(offset=offset), expected=expected, found=f"{found:#x}"
        )


def load_tables(view: memoryview, file: str | None) -> Tables:
    """Check the header of ``view`` and load its FAT.

    Raises:
        NotMaxFileError: The data is no compound file at all, or ends within the header.
        CompoundFileError: The header or the tables are damaged.
    """
    where = Where(file)
    if bytes(view[:8]) != MAGIC or len(view) < HEADER_SIZE:
        raise _not_compound(view, where)
    head = view[: HEADER.size]
    (_, _, _, version, order, shift, mini_shift, _, _, _, fat_count, directory, _, cutoff,
     mini_start, mini_count, difat_start, difat_count) = HEADER.unpack(head)  # fmt: skip
    for offset, name, found, allowed in (
        (0x1A, "major version", version, (3, 4)),
        (0x1C, "byte order mark", order, (0xFFFE,)),
        (0x1E, "sector size exponent", shift, (9,) if version == 3 else (12,)),
        (0x20, "mini sector size exponent", mini_shift, (6,)),
        (0x38, "mini stream cutoff", cutoff, (CUTOFF,)),
    ):
        if found not in allowed:
            raise CompoundFileError(
                f"the header's {name} is wrong",
                where.within(offset=offset),
                expected=" or ".join(f"{value:#x}" for value in allowed),
                found=f"{found:#x}",
            )
    size = 1 << shift
    sectors = ceil_div(len(view), size) - 1
    for offset, name, found in (
        (0x2C, "FAT sectors", fat_count),
        (0x40, "mini FAT sectors", mini_count),
        (0x48, "DIFAT sectors", difat_count),
    ):
        if found > sectors:
            raise CompoundFileError(
                f"the header claims more {name} than the file has sectors",
                where.within(offset=offset),
                expected=f"at most {sectors}",
                found=found,
            )
    tables = Tables(
        version, size, sectors, array("I"), [], [], directory, mini_start, mini_count, []
    )
    _load_fat(view, tables, fat_count, difat_start, difat_count, where)
    return tables


def _load_fat(
    view: memoryview, tables: Tables, count: int, difat_start: int, difat_count: int, where: Where
) -> None:
    listed, ended = _take(words(view[HEADER.size : HEADER_SIZE]))
    if not ended and difat_count:
        seen: set[int] = set()
        sector = difat_start
        for _ in range(difat_count):
            block = words(_sector(view, tables, sector, "DIFAT sector", seen, where))
            tables.difat_sectors.append(sector)
            sector = block.pop()
            if not ended:
                part, ended = _take(block)
                listed += part
    elif difat_count:
        tables.defects.append("the header names DIFAT sectors that its own list does not need")
    if len(listed) > count:
        tables.defects.append(f"{len(listed)} FAT sectors are listed, the header says {count}")
    elif len(listed) < count:
        raise CompoundFileError(
            "the list of FAT sectors is too short",
            where.within(offset=0x2C),
            expected=count,
            found=len(listed),
        )
    used = set(tables.difat_sectors)
    tables.fat = words(
        b"".join([_sector(view, tables, sector, "FAT sector", used, where) for sector in listed])
    )
    tables.fat_sectors = listed.tolist()


def _take(block: array[int]) -> tuple[array[int], bool]:
    """Return the entries before the first unused one, and whether there was one."""
    for index, value in enumerate(block):
        if value in (FREESECT, ENDOFCHAIN):
            return block[:index], True
    return block, False


def _sector(
    view: memoryview, tables: Tables, sector: int, what: str, seen: set[int], where: Where
) -> memoryview:
    start = tables.offset(sector)
    if sector in seen:
        raise CompoundFileError(
            f"a {what} is used twice", where.within(offset=start), found=f"{sector:#x}"
        )
    seen.add(sector)
    if start + tables.sector_size > len(view):
        raise CompoundFileError(
            f"a {what} lies outside the file",
            where,
            expected=f"a whole sector below {tables.sectors:#x}",
            found=f"{sector:#x}",
        )
    return view[start : start + tables.sector_size]


def _not_compound(view: memoryview, where: Where) -> NotMaxFileError:
    head = bytes(view[:512])
    if not head:
        return NotMaxFileError("the file is empty", where)
    if head.startswith(MAGIC) or MAGIC.startswith(head):
        return NotMaxFileError(
            "the file is cut off within its header",
            where,
            expected=f"at least {HEADER_SIZE} bytes",
            found=len(view),
        )
    for magic, text in _KINDS:
        if head.startswith(magic):
            return NotMaxFileError(f"the file {text}", where)
    if not any(head):
        return NotMaxFileError("the file begins with zeros, it was probably never written", where)
    if _is_text(head):
        return NotMaxFileError("the file is text, not a 3ds Max scene", where)
    return NotMaxFileError(
        "the file is not a 3ds Max scene: wrong first bytes",
        where,
        expected=MAGIC.hex(" "),
        found=head[:8].hex(" "),
    )


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    return all(byte >= 0x20 or byte in b"\t\n\r\f" for byte in head)
