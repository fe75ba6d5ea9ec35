"""Which optional values an extraction lists, each at one place only.

Objects, controllers and files may be shared: instances of a node, two materials with one picture.
The first object in storage order, nodes before others, lists the value; the others mention it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.layers import Layer
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.scene import Scene
from maxsidecar.sidecar.document import KINDS, ObjectTable, SidecarDocument
from maxsidecar.sidecar.groups import OPTIONAL_GROUPS
from maxsidecar.sidecar.optional import optional_fields
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.toml_text import scrub

if TYPE_CHECKING:
    from maxsidecar.scene.materials.base import MaterialBase

__all__ = [
    "NAMED_KINDS",
    "OptionalValues",
    "find_named",
    "label_index",
    "named_kind",
    "named_label",
    "shown_object_name",
]

#: Kinds of tables that are called after the object's name, other than nodes.
NAMED_KINDS: Final = ("material", "map", "layer")

_WITH_INDEX: Final = re.compile(r"(.*)@([0-9]{1,10})", re.DOTALL)
_SUPERCLASSES: Final = {0xC00: "material", 0xC10: "map", 0x10F0: "layer"}


class OptionalValues:
    """The optional values that a scene's tables list.

    Attributes:
        values: Values by path, by storage index of the object.
        notes: What else is to be said about an object, one line each.
    """

    def __init__(
        self, scene: Scene, groups: frozenset[str], taken: Mapping[Hashable, int] | None = None
    ) -> None:
        """Read all objects.

        Args:
            scene: The scene.
            groups: Which groups; nothing is read for none.
            taken: Storage index of the object that lists a place already.
        """
        self.values: dict[int, dict[KeyPath, Any]] = {}
        self.notes: dict[int, list[str]] = {}
        groups &= frozenset(OPTIONAL_GROUPS)
        if not groups:
            return
        self._first = dict(taken or {})
        nodes = scene.nodes
        for node in nodes.values():
            self._read(node, groups)
        for obj in scene:
            if obj.index not in nodes:
                self._read(obj, groups)

    def _read(self, obj: SceneObject, groups: frozenset[str]) -> None:
        values: dict[KeyPath, Any] = {}
        notes: list[str] = []
        scene = obj.scene
        shared: dict[str, int] = {}
        seen: set[Hashable] = set()
        for path, field in optional_fields(obj, groups, notes).items():
            shown = field.shown
            if shown is None:
                continue
            place = field.place
            if place is not None:
                first = self._first.setdefault(place, obj.index)
                if first != obj.index or place in seen:
                    shared.setdefault(path[0], first)
                    continue
                seen.add(place)
            values[path] = shown
        first_names = {key: shown_object_name(scene[i]) for key, i in shared.items()}
        notes += [f"{key}: shared, listed with {name!r}" for key, name in first_names.items()]
        if values:
            self.values[obj.index] = values
        if notes:
            self.notes[obj.index] = notes


# --- tables that are called after a name ---------------------------------------------------------


def named_kind(obj: SceneObject) -> str | None:
    """Return the kind of table that an object has by its name, if any: ``material``, ..."""
    kind = _SUPERCLASSES.get(obj.superclass or 0)
    if kind == "layer":
        return kind if isinstance(obj, Layer) else None
    return kind


def shown_object_name(obj: Layer | MaterialBase | SceneObject) -> str:
    """Return the name of an object, else that of its class."""
    try:
        return scrub(getattr(obj, "name", "") or obj.class_name)
    except MaxSidecarError:
        return scrub(obj.class_name)


def named_label(obj: SceneObject) -> str:
    """Return the label of a material, map or layer: ``name@index``."""
    return f"{shown_object_name(obj)}@{obj.index}"


def label_index(table: ObjectTable) -> int | None:
    """Return the storage index in the label of a material, map or layer, if there is one."""
    match = _WITH_INDEX.fullmatch(table.label)
    return int(match[2]) if match else None


def _of_kind(scene: Scene, kind: str) -> Iterable[SceneObject]:
    superclasses = [number for number, name in _SUPERCLASSES.items() if name == kind]
    return [obj for obj in scene.of_superclass(*superclasses) if named_kind(obj) == kind]


def find_named(table: ObjectTable, scene: Scene, document: SidecarDocument) -> SceneObject:
    """Return the material, map or layer that a table is about.

    With an index the label may also say the name that the object had, or will have: that of the
    table's ``name``, or that at extraction must be the one it has.

    Raises:
        SidecarError: There is none, or several.
    """
    for key in table.info:
        if key != "class":
            raise document.error(f"unknown key {key}", (*table.here, key))
    kind, label, name = table.kind, table.label, table.values.get(("name",))
    match = _WITH_INDEX.fullmatch(label)
    if match and int(match[2]) < len(scene):
        obj = scene[int(match[2])]
        base = document.base.get(f"#{obj.index}")
        actual = shown_object_name(obj)
        same = base is not None and base.unchanged(("name",), getattr(obj, "name", None))
        if named_kind(obj) == kind and (same or actual in (match[1], name)):
            return obj
    wanted = [label, *([name] if isinstance(name, str) and not match else [])]
    for text in wanted:
        found = [obj for obj in _of_kind(scene, kind) if shown_object_name(obj) == text]
        if len(found) == 1:
            return found[0]
        if found:
            known = ", ".join(f"@{obj.index}" for obj in found[:5])
            raise document.error(f"this may be any of {len(found)} {kind}s: {known}", table.here)
    raise document.error(f"there is no such {kind}", table.here)


def table_kind(obj: SceneObject, groups: frozenset[str]) -> tuple[str, str]:
    """Return kind and label of the table of an object that is no node."""
    kind = None if isinstance(obj, Node) else named_kind(obj)
    if kind is not None and ("layers" if kind == "layer" else "material") in groups:
        return kind, named_label(obj)
    return "object", str(obj.index)


assert set(NAMED_KINDS) < set(KINDS)  # noqa: S101 - two lists that must agree
