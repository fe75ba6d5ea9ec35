"""Values of the groups that are not always shown.

An object's values of a group are :class:`Field` objects by path.  What they are made of is in the
modules for each group, which are imported when their group is asked for.
"""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol

from maxsidecar.errors import EditError, MaxSidecarError, cut, shorten_both
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.groups import OPTIONAL_GROUPS, groups_of
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.toml_text import format_path

if TYPE_CHECKING:
    from uuid import UUID

__all__ = [
    "ASSET",
    "NOT_A_NUMBER",
    "Field",
    "FixedText",
    "NotANumber",
    "asset_of",
    "field_at",
    "find_field",
    "optional_fields",
]

#: Shown for numbers that are infinite or none at all.
NOT_A_NUMBER: Final = "not a number"
#: First part of the place of what stands in the asset table; the second is its id.
ASSET: Final = "asset"


class Field(Protocol):
    """One value of a group that is not always shown."""

    @property
    def shown(self) -> Any:
        """The value as the text form has it, ``None`` where nothing is shown."""

    @property
    def holders(self) -> list[SceneObject]:
        """The objects whose bytes hold it."""

    @property
    def place(self) -> Hashable:
        """What tells it from all other values of the scene; ``None`` for what is only shown."""

    def check(self, value: Any) -> Any:
        """Return a new value in the form in which it would be shown.

        Raises:
            EditError: Wrong type, out of range, or read-only.
        """

    def write(self, value: Any) -> None:
        """Write a checked value.

        Raises:
            EditError: The record is read-only.
        """


class FixedText:
    """Something that is shown but cannot be edited.

    Attributes:
        shown: What is shown.
        reason: Why it cannot be edited.
        holders: Nothing can be written.
        place: What it stands for, if that can be shown in several places.
    """

    def __init__(
        self, shown: Any, reason: str, holder: SceneObject | None = None, key: str = ""
    ) -> None:
        """Keep what to show and why it cannot be edited; ``holder`` and ``key`` make the place."""
        self.shown = shown
        self.reason = reason
        self.holders: list[SceneObject] = []
        self.place: Hashable = None if holder is None else (holder.index, key)

    def check(self, value: Any) -> Any:
        """Refuse every value.

        Raises:
            EditError: Always.
        """
        expected, found = shorten_both(self.shown, value)
        raise EditError(self.reason, expected=expected, found=found)

    def write(self, value: Any) -> None:
        """Refuse every value.

        Raises:
            EditError: Always.
        """
        self.check(value)


class NotANumber:
    """A field that holds numbers which are infinite or none; numbers can take their place."""

    shown: Final = NOT_A_NUMBER

    def __init__(self, field: Field) -> None:
        """Keep the field, which cannot show what it holds."""
        self._field = field

    @property
    def holders(self) -> list[SceneObject]:
        """Those of the field."""
        return self._field.holders

    @property
    def place(self) -> Hashable:
        """That of the field."""
        return self._field.place

    def check(self, value: Any) -> Any:
        """Return the same text, or what the field shows for numbers."""
        return value if value == self.shown else self._field.check(value)

    def write(self, value: Any) -> None:
        """Write numbers."""
        if value != self.shown:
            self._field.write(value)


def optional_fields(
    obj: SceneObject, groups: Iterable[str], problems: list[str] | None = None
) -> dict[KeyPath, Field]:
    """Return the values of an object that belong to some groups, in the order of the text form.

    Args:
        obj: The object.
        groups: The groups.
        problems: Takes what cannot be shown, one line each.
    """
    out: dict[KeyPath, Field] = {}
    notes: list[str] = [] if problems is None else problems
    for group in OPTIONAL_GROUPS:
        if group not in groups:
            continue
        try:
            out.update(_READERS[group](obj, notes))
        except MaxSidecarError as error:
            notes.append(f"{group} cannot be read: {error.message}")
    return out


def _transform(obj: SceneObject, notes: list[str]) -> dict[KeyPath, Field]:
    if not isinstance(obj, Node):
        return {}
    from maxsidecar.sidecar.optional_transform import transform_fields

    return transform_fields(obj)


def _parameters(obj: SceneObject, notes: list[str]) -> dict[KeyPath, Field]:
    from maxsidecar.sidecar.optional_parameters import parameter_fields

    return parameter_fields(obj, notes)


def _material(obj: SceneObject, notes: list[str]) -> dict[KeyPath, Field]:
    from maxsidecar.sidecar.optional_materials import material_fields

    return material_fields(obj, notes)


def _layers(obj: SceneObject, notes: list[str]) -> dict[KeyPath, Field]:
    from maxsidecar.sidecar.optional_layers import layer_fields

    return layer_fields(obj)


def _biped(obj: SceneObject, notes: list[str]) -> dict[KeyPath, Field]:
    if not isinstance(obj, Node):
        return {}
    from maxsidecar.sidecar.optional_biped import biped_fields

    return biped_fields(obj)


_READERS: Final = {
    "transform": _transform,
    "parameters": _parameters,
    "material": _material,
    "layers": _layers,
    "biped": _biped,
}


def asset_of(found: Field) -> UUID | None:
    """Return the id of the file whose path a field is, ``None`` where it is no such field."""
    place = found.place
    named = isinstance(place, tuple) and len(place) == 2 and place[0] == ASSET
    return place[1] if named and isinstance(place, tuple) else None


def field_at(obj: SceneObject, path: KeyPath) -> Field:
    """Return one value of an object.

    Raises:
        EditError: The object has no such value.
    """
    return find_field(optional_fields(obj, groups_of([path])), path)


def find_field(fields: dict[KeyPath, Field], path: KeyPath) -> Field:
    """Return the value with a path.

    Raises:
        EditError: There is none; the message suggests a near one.
    """
    if path in fields:
        return fields[path]
    name = format_path(path)
    if any(known[: len(path)] == path for known in fields):
        raise EditError(f"{cut(name, 80)} is a table, not a value")
    near = ""
    if len(name) <= 80:
        found = difflib.get_close_matches(name, [format_path(p) for p in fields], 1, 0.7)
        near = f"; did you mean {found[0]}?" if found else ""
    raise EditError(f"unknown key {cut(name, 80)}{near}")
