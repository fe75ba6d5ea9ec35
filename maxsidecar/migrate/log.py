"""What a migration tells about one file: every change, and what it would not do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from maxsidecar.errors import Where, cut

__all__ = ["CHANGE", "NOTE", "PROBLEM", "WARNING", "Entry", "Log", "place_text"]

CHANGE: Final = "change"
NOTE: Final = "note"
PROBLEM: Final = "problem"
WARNING: Final = "warning"

#: More entries than this of one file help nobody; they are counted.
MOST_ENTRIES: Final = 10_000
_LONGEST: Final = 2_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log.

    Attributes:
        kind: ``change``, ``note``, ``warning`` or ``problem``.
        place: Where in the scene, as a person reads it; may be empty.
        text: What a note or problem says, or what changed: ``"path"``, ``"nel.lod.dist_max"``.
        old: Value before a change.
        new: Value after a change; ``None`` for something that was taken out.
    """

    kind: str
    place: str
    text: str
    old: str | None = None
    new: str | None = None

    def __str__(self) -> str:
        """Return one line."""
        place = f"{self.place}: " if self.place else ""
        if self.kind != CHANGE:
            return f"{place}{'' if self.kind == NOTE else f'{self.kind}: '}{self.text}"
        if self.old is None and self.new is None:
            return place + self.text
        old, new = self.old, self.new
        return f"{place}{self.text}: {_value(old)} -> {_value(new)}"

    @classmethod
    def parse(cls, stored: Mapping[str, object]) -> Entry:
        """Return the entry of :meth:`as_dict`; what does not fit is left out."""
        text = {name: value for name, value in stored.items() if isinstance(value, str)}
        return cls(
            text.get("kind", NOTE),
            text.get("place", ""),
            text.get("text", ""),
            text.get("old"),
            text.get("new"),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what is known of it, for JSON."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def _value(value: str | None) -> str:
    return "(none)" if value is None else value


class Log:
    """The log of one file; call it with a text to note something.

    Attributes:
        entries: What was told, at most :data:`MOST_ENTRIES`.
        left_out: How many more there were.
        changes: How many changes were told, those left out included.
        problems: How many problems were told, those left out included.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.entries: list[Entry] = []
        self.left_out = 0
        self.changes = 0
        self.problems = 0

    def __call__(self, text: object, place: object = "") -> None:
        """Note something that a person may want to know."""
        self._add(Entry(NOTE, place_text(place), _text(text)))

    def note(self, text: object, place: object = "") -> None:
        """Note something that a person may want to know."""
        self(text, place)

    def change(self, place: object, text: str, old: object = None, new: object = None) -> None:
        """Tell about one change.

        Args:
            place: Where: a text, a scene object, or a :class:`~maxsidecar.errors.Where`.
            text: What changed.
            old: The value before.
            new: The value after; ``None`` for something that was taken out.
        """
        self.changes += 1
        self._add(Entry(CHANGE, place_text(place), _text(text), _short(old), _short(new)))

    def warning(self, text: object, place: object = "") -> None:
        """Tell about something that a person should look at; it is no failure."""
        self._add(Entry(WARNING, place_text(place), _text(text)))

    def problem(self, text: object, place: object = "") -> None:
        """Tell about something that should have been changed and was not.

        The other changes of the file are saved; the run ends with exit code 1.  Where the file
        must not be saved at all, raise an error instead.
        """
        self.problems += 1
        self._add(Entry(PROBLEM, place_text(place), _text(text)))

    def __iter__(self) -> Iterator[Entry]:
        """Yield the entries."""
        return iter(self.entries)

    def _add(self, entry: Entry) -> None:
        if len(self.entries) < MOST_ENTRIES:
            self.entries.append(entry)
        else:
            self.left_out += 1


def _text(value: object) -> str:
    return cut(str(value), _LONGEST)


def _short(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return cut(value[:_LONGEST].hex(), _LONGEST)
    return _text(value)


def place_text(place: object) -> str:
    """Return a place as text: objects by class, storage index and name."""
    if isinstance(place, str):
        return _text(place)
    if isinstance(place, Where):
        # The file is known already.
        return str(Where(None, place.stream, place.path, place.offset))
    index = getattr(place, "index", None)
    if index is None:
        return _text(place)
    name = getattr(place, "name", "")
    label = f"{getattr(place, 'class_name', '?')} {index}"
    return cut(f"{name} ({label})" if isinstance(name, str) and name else label, _LONGEST)
