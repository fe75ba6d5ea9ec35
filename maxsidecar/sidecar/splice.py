"""Changing a sidecar's text statement by statement, so that everything else stays as it is."""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from functools import cached_property

from maxsidecar.errors import SidecarError
from maxsidecar.sidecar.document import SidecarDocument
from maxsidecar.sidecar.locate import Section, Spot
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.toml_text import format_path

__all__ = ["TextSplices"]


class TextSplices:
    """Changes to a text, collected and then made at once.

    Args:
        document: The sidecar; all places are those of its text.
    """

    def __init__(self, document: SidecarDocument) -> None:
        """Start without a change."""
        self.document = document
        self.locator = document.locator
        self._splices: list[tuple[int, int, int, int, str]] = []

    def _add(self, start: int, end: int, new: str, rank: int = 0) -> None:
        """Note a change; of several at one place those of a lower rank come first."""
        self._splices.append((start, rank, len(self._splices), end, new))

    def __bool__(self) -> bool:
        """Return whether there are changes."""
        return bool(self._splices)

    def text(self) -> str:
        """Return the new text."""
        old, pos = self.document.text, 0
        pieces: list[str] = []
        for start, _, _, end, new in sorted(self._splices):
            pieces += (old[pos:start], new)
            pos = max(pos, end)
        return "".join((*pieces, old[pos:]))

    def replace(self, start: int, end: int, new: str) -> None:
        """Put a text in the place of another."""
        self._add(start, end, new)

    def set_value(self, path: KeyPath, old: object, new: str) -> None:
        """Change the value of a key that is there.

        Args:
            path: The key.
            old: What it says now.
            new: What it will say, as TOML.

        Raises:
            SidecarError: The text does not say that there.
        """
        spot = self._spot(path)
        if self.read(f"x = {self.document.text[spot.value : spot.end]}") != {"x": old}:
            raise self.long_form(path)
        self._add(spot.value, spot.end, new)

    @staticmethod
    def read(text: str) -> dict[str, object] | None:
        """Return what a piece of TOML says, ``None`` if it says nothing."""
        try:
            return tomllib.loads(text)
        except (ValueError, RecursionError):
            return None

    def delete(self, path: KeyPath) -> None:
        """Take the line of a key out.

        Raises:
            SidecarError: The key stands in an inline table.
        """
        spot = self._spot(path)
        if spot.inline:
            raise self.long_form(path)
        start = self.document.text.rfind("\n", 0, spot.key) + 1
        end = self.locator.line_end(spot.end)
        self._add(start, min(end + 1, len(self.document.text)), "")

    def delete_header(self, table: KeyPath) -> None:
        """Take the header of a table out whose lines all go, and the blank line in front of it."""
        section = self.locator.tables.get(table)
        if section is None:
            return
        text = self.document.text
        start = text.rfind("\n", 0, section.start) + 1
        end = self.locator.line_end(section.start) + 1
        if text[:start].endswith("\n\n"):
            start -= 1
        self._add(start, min(end, len(text)), "")

    def _spot(self, path: KeyPath) -> Spot:
        spot = self.locator.spots.get(path)
        if spot is None:
            raise self.long_form(path)
        return spot

    def long_form(self, path: KeyPath) -> SidecarError:
        """Return the error for a place that this cannot change."""
        return self.document.error(
            f"cannot bring this up to date: write [{format_path(path[:-1])}] as a table of its own",
            path,
        )

    def insert(self, table: KeyPath, root: KeyPath, lines: list[tuple[str, str]]) -> None:
        """Add keys to a table.

        Args:
            table: The table's full path.
            root: The table of the object that it belongs to.
            lines: Key and value of each.
        """
        section = self.locator.tables.get(table)
        if section is not None:
            self._below(section.end, lines, ())
            return
        beside = self._last_below.get(table)
        if beside is not None:
            # Dotted keys below an outer header: the new ones are dotted as well.
            self._below(beside.end, lines, table[len(beside.header) :])
            return
        if any(table[:n] in self.locator.spots for n in range(1, len(table) + 1)):
            raise self.long_form((*table, lines[0][0]))
        block = ["", f"[{format_path(table)}]"]
        block += [f"{format_path([key])} = {value}" for key, value in lines]
        self.insert_lines(self._end_of(root), block, 1)

    def _below(self, offset: int, lines: list[tuple[str, str]], prefix: KeyPath) -> None:
        new = [f"{format_path((*prefix, key))} = {value}" for key, value in lines]
        self.insert_lines(offset, new)

    def insert_lines(self, offset: int, lines: list[str], rank: int = 0) -> None:
        """Add lines below the line of an offset; those with a table header need a higher rank."""
        at = self.locator.line_end(offset) + 1
        new = "".join(f"{line}\n" for line in lines)
        size = len(self.document.text)
        self._add(min(at, size), min(at, size), new if at <= size else f"\n{new}", rank)

    @cached_property
    def _last_below(self) -> dict[KeyPath, Spot]:
        """The last plain statement of each table."""
        spots = self.locator.spots.items()
        return {path[:-1]: spot for path, spot in spots if not spot.inline}

    @cached_property
    def _starts(self) -> list[int]:
        return [section.start for section in self.locator.sections]

    @cached_property
    def _object_ends(self) -> dict[KeyPath, int]:
        """Where the last statement of each object's tables ends."""
        ends: dict[KeyPath, int] = {}
        for section in self.locator.sections:
            if len(section.path) >= 2:
                ends[section.path[:2]] = max(section.end, ends.get(section.path[:2], 0))
        for path, spot in self.locator.spots.items():
            if len(path) >= 2:
                ends[path[:2]] = max(spot.end, ends.get(path[:2], 0))
        return ends

    def _end_of(self, root: KeyPath) -> int:
        """Return where a new table of an object can stand: behind the last section of it."""
        end = self._object_ends.get(root, len(self.document.text))
        return self._section_at(end).end

    def _section_at(self, offset: int) -> Section:
        sections = self.locator.sections
        number = max(bisect_right(self._starts, offset) - 1, 0)
        return sections[number]
