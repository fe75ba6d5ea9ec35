"""What became of every node, modifier, material and controller of an export."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

__all__ = ["Entry", "Outcome", "Report"]


class Outcome(StrEnum):
    """How much of a thing is in the export."""

    CONVERTED = "converted"
    APPROXIMATED = "approximated"
    LEFT_OUT = "left out"


@dataclass(slots=True, frozen=True)
class Entry:
    """One line of a report.

    Attributes:
        kind: ``scene``, ``node``, ``mesh``, ``modifier``, ``skin``, ``morph``, ``material``,
            ``texture``, ``controller``, ``camera`` or ``light``.
        name: Of the node or material it belongs to.
        id: Of that node or material, as in the export's extras.
        class_name: Class of the thing, in English where we know it.
        reason: Why it is not simply converted; empty if it is.
    """

    kind: str
    name: str
    id: str
    class_name: str
    outcome: Outcome
    reason: str = ""


@dataclass(slots=True)
class Report:
    """Every line of an export, in the order in which it was written."""

    entries: list[Entry] = field(default_factory=list)

    def converted(self, kind: str, name: str, id_: str, class_name: str) -> None:
        """Note a thing that is there as 3ds Max has it."""
        self.entries.append(Entry(kind, name, id_, class_name, Outcome.CONVERTED))

    def approximated(self, kind: str, name: str, id_: str, class_name: str, reason: str) -> None:
        """Note a thing that is there, but not quite as 3ds Max has it."""
        self.entries.append(Entry(kind, name, id_, class_name, Outcome.APPROXIMATED, reason))

    def left_out(self, kind: str, name: str, id_: str, class_name: str, reason: str) -> None:
        """Note a thing that is not there."""
        self.entries.append(Entry(kind, name, id_, class_name, Outcome.LEFT_OUT, reason))

    @property
    def counts(self) -> dict[str, Counter[Outcome]]:
        """Number of things by kind and outcome."""
        out: dict[str, Counter[Outcome]] = {}
        for entry in self.entries:
            out.setdefault(entry.kind, Counter())[entry.outcome] += 1
        return out

    @property
    def complete(self) -> bool:
        """Whether everything is there, at least approximated."""
        return all(entry.outcome is not Outcome.LEFT_OUT for entry in self.entries)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the lines for a program."""
        return [asdict(entry) for entry in self.entries]
