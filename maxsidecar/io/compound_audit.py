"""Who owns which sector: the check that must pass before a compound file is changed in place."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from maxsidecar.errors import CompoundFileError
from maxsidecar.io.compound_layout import ENDOFCHAIN, MINI_SECTOR, ceil_div

if TYPE_CHECKING:
    from maxsidecar.io.compound import CompoundFile

__all__ = ["Audit", "audit"]


@dataclass(slots=True)
class Audit:
    """The owners of all sectors.

    Attributes:
        used: One byte per sector of the file, 1 where something owns it.
        mini_used: The same per mini sector.
        chains: All sectors (or mini sectors) of each stream by sid, those beyond its size too;
            0 is the mini stream.
        problems: Chains that end early, lead nowhere or share sectors.
        shared: Whether two chains share a sector, so that no change would be safe.
    """

    used: bytearray
    mini_used: bytearray
    chains: dict[int, list[int]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    shared: bool = False

    def claim(
        self, what: str, used: bytearray, fat: Sequence[int], start: int, count: int
    ) -> list[int]:
        """Mark the sectors of one chain as used and return them.

        Args:
            what: Name of the chain, for messages.
            used: The map to mark, ``used`` or ``mini_used``.
            fat: Next sector of each sector.
            start: First sector.
            count: How many sectors the chain must have at least.
        """
        out: list[int] = []
        known = min(len(fat), len(used))
        sector = start
        while sector < known:
            if used[sector]:
                self.shared = True
                self.problems.append(f"{what} uses sector {sector:#x}, which is already taken")
                return out
            used[sector] = 1
            out.append(sector)
            sector = fat[sector]
        if sector != ENDOFCHAIN:
            self.problems.append(f"the sector chain of {what} leads to {sector:#x}")
        elif len(out) < count:
            self.problems.append(f"{what} has {len(out)} sectors, its size needs {count}")
        return out


def audit(compound: CompoundFile) -> Audit:
    """Follow every chain of a compound file once and note who owns each sector.

    Work is proportional to the number of sectors: no sector is followed twice.
    """
    tables, size = compound.tables, compound.sector_size
    result = Audit(bytearray(tables.sectors), bytearray(0))
    used, fat = result.used, tables.fat
    for sector in tables.fat_sectors + tables.difat_sectors:
        used[sector] = 1
    result.claim("the directory", used, fat, tables.directory_start, 1)
    mini_fat: Sequence[int] = array("I")
    if tables.mini_fat_count:
        result.claim("the mini FAT", used, fat, tables.mini_fat_start, tables.mini_fat_count)
        try:
            mini_fat = compound.mini_fat()
        except CompoundFileError as error:
            result.problems.append(str(error))
    root = compound.root
    if root.size:
        count = ceil_div(root.size, size)
        result.chains[0] = result.claim("the mini stream", used, fat, root.start, count)
        result.mini_used = bytearray(
            min(len(mini_fat), ceil_div(root.size, MINI_SECTOR), tables.sectors * size)
        )
    for entry in compound.entries:
        if entry.kind != "stream" or not entry.size:
            continue
        what = repr(entry.path or entry.name)
        if compound.is_mini(entry):
            mini, table, unit = result.mini_used, mini_fat, MINI_SECTOR
        else:
            mini, table, unit = used, fat, size
        count = ceil_div(entry.size, unit)
        result.chains[entry.sid] = result.claim(what, mini, table, entry.start, count)
    return result
