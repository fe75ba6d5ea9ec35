"""One value that differs between a sidecar and its scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from maxsidecar.errors import cut, cut_both
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.fields import MISSING
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.text_values import one_line
from maxsidecar.sidecar.toml_text import format_path

__all__ = ["Change", "Conflict", "both_shown", "shown"]

_LONGEST: Final = 200
#: So much of two values is compared to show where they differ.
_COMPARED: Final = 20_000


@dataclass(slots=True)
class Change:
    """One value that will change.

    Attributes:
        obj: The object.
        kind: Kind of its table, such as ``node``.
        label: How the sidecar calls it.
        path: The value; of a bit field that is taken away the whole table.
        old: What the scene holds; :data:`MISSING` for nothing.
        new: What it will hold; :data:`MISSING` for nothing.
        line: 1-based line in the sidecar, where it has one.
        column: 1-based column.
        parts: The values of the scene that make up ``old``: the parts of a bit field, or an
            AppData entry that was not of its type and therefore shown raw; else the path itself.
    """

    obj: SceneObject
    kind: str
    label: str
    path: KeyPath
    old: Any
    new: Any
    line: int | None = None
    column: int | None = None
    parts: tuple[KeyPath, ...] = ()

    @property
    def field(self) -> str:
        """The value's name in messages and for ``--force``: ``cluster01.nel.dont_export``."""
        return format_path((self.label, *self.path))

    @property
    def names(self) -> tuple[str, str]:
        """What ``--force`` may call it: as shown, and without the quotation marks."""
        return self.field, ".".join((self.label, *self.path))

    def __str__(self) -> str:
        """Return ``field: old -> new``."""
        old, new = both_shown(self.old, self.new)
        return f"{self.field}: {old} -> {new}"


@dataclass(slots=True)
class Conflict(Change):
    """A value that the scene file changed since the sidecar was extracted.

    Attributes:
        edited: Whether the sidecar's side was changed too, as far as is known.
    """

    edited: bool = True

    @property
    def change(self) -> Change:
        """The change that lets the sidecar win."""
        return Change(
            self.obj,
            self.kind,
            self.label,
            self.path,
            self.old,
            self.new,
            self.line,
            self.column,
            self.parts,
        )

    @property
    def kept_text(self) -> str:
        """What is told when the scene wins."""
        old, new = both_shown(self.old, self.new)
        return f"{self.field}: kept {old} of the scene (sidecar {new})"

    def __str__(self) -> str:
        """Return both sides."""
        kind = "edited" if self.edited else "as extracted"
        old, new = both_shown(self.old, self.new)
        return f"{self.field}: the scene changed it since: scene {old}, sidecar {new} ({kind})"


def shown(value: Any, limit: int = _LONGEST) -> str:
    """Return a value as the sidecar would show it, on one line."""
    if value is MISSING:
        return repr(MISSING)
    # Text may be as large as the file.
    return cut(one_line(value[:limit] if isinstance(value, str) else value), limit)


def both_shown(old: Any, new: Any) -> tuple[str, str]:
    """Return two values as :func:`shown` does, so that it can be seen how they differ."""
    return cut_both(shown(old, _COMPARED), shown(new, _COMPARED), _LONGEST)
