"""What differs between one table of a sidecar and its object."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from maxsidecar.errors import EditError, SidecarError
from maxsidecar.scene.appdata_registry import REGISTRY
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.base import Base
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.fields import (
    MISSING,
    absent,
    canonical,
    check,
    encode_named,
    read_fields,
    removable,
    resolve,
    same_value,
)
from maxsidecar.sidecar.groups import groups_of, is_optional
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.objects import check_info
from maxsidecar.sidecar.optional import Field, FixedText, find_field, optional_fields
from maxsidecar.sidecar.paths import KeyPath, known_tables
from maxsidecar.sidecar.plan import Change, Conflict
from maxsidecar.sidecar.toml_text import format_path

__all__ = ["Comparison", "compare"]


_MODIFIERS: Final = "modifiers"
#: Problems of an object that a near key is looked for.
_SUGGESTIONS: Final = 50


@dataclass
class Comparison:
    """The differences of one object.

    Attributes:
        table: The sidecar's table.
        obj: The object.
        document: The sidecar.
        key: The object's key among the values at extraction.
        same_scene: Whether the scene is the very file that the sidecar was extracted from.
        certain: Whether this is surely the object of the extraction; else every edit is a conflict.
        include: Groups to read besides those that the table lists.
        changes: Values that only the sidecar changed.
        conflicts: Values that the scene changed since.
        problems: What is wrong with the table.
        stale: Values for information that the scene changed since.
        resets: By problem the edit that the scene can win: of a value for information, or of one
            that the scene changed so that the edit no longer fits.
        places: Where the table lists what several objects may share, see :class:`Field`.
    """

    table: ObjectTable
    obj: SceneObject
    document: SidecarDocument
    key: str
    same_scene: bool
    certain: bool = True
    include: frozenset[str] = frozenset()
    changes: list[Change] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    problems: list[SidecarError] = field(default_factory=list)
    stale: list[Conflict] = field(default_factory=list)
    resets: dict[SidecarError, Conflict] = field(default_factory=dict)
    places: dict[Hashable, KeyPath] = field(default_factory=dict)

    @cached_property
    def groups(self) -> frozenset[str]:
        """The groups that are not always read, but are here."""
        return self.include | groups_of(self.table.values)

    @cached_property
    def optional(self) -> dict[KeyPath, Field]:
        """The values of those groups."""
        return optional_fields(self.obj, self.groups)

    @cached_property
    def base(self) -> Base | None:
        """The values at extraction, if they are known."""
        return self.document.base.get(self.key)

    @cached_property
    def scene(self) -> dict[KeyPath, Any]:
        """The values in the scene."""
        return read_fields(self.obj, None, self.groups)

    @cached_property
    def listed(self) -> dict[KeyPath, KeyPath]:
        """The values that the table lists: normal path, and path as it is written."""
        return listed_paths(self.table, self._refuse)

    def _refuse(self, path: KeyPath, error: EditError | str, *, value: bool = False) -> None:
        text, expected, found = error, None, None
        if isinstance(error, EditError):
            text, expected, found = error.message, error.expected, error.found
        key = self.table.key(path)
        self.problems.append(
            self.document.error(str(text), key, value=value, expected=expected, found=found)
        )

    def run(self) -> None:
        """Fill in the differences."""
        is_node = isinstance(self.obj, Node)
        for path in self.table.empty:
            if path not in known_tables(node=is_node) and not (path and is_optional(path)):
                self._refuse(path, f"unknown table {format_path(path)}")
        replaced: set[KeyPath] = set()
        for path, written in self.listed.items():
            value = self.table.values[written]
            old = self.scene.get(path, MISSING)
            if is_optional(path):
                self._run_optional(written, path, value, old)
                continue
            if type(old) is type(value) and same_value(old, value):
                continue
            try:
                resolve(path, node=is_node, suggest=len(self.problems) < _SUGGESTIONS)
            except EditError as error:
                self._refuse(written, error)
                continue
            try:
                new = check(path, value, node=is_node, code_page=self.obj.scene.code_page)
                raw = self._same_entry(path, new)
            except EditError as error:
                self._refuse(written, error, value=True)
                continue
            if raw is not None and raw in self.scene:
                # The entry's bytes were not of its type until now.
                replaced.add(raw)
                self._add(written, path, self.scene[raw], new, [raw])
            elif not same_value(absent(path) if old is MISSING else old, new):
                self._add(written, path, old, new, [path])
        for path, parts in self._gone(replaced):
            old = self.scene.get(path, MISSING)
            if old is MISSING:
                old = {part[-1]: self.scene[part] for part in parts}
            self._add(path[:-1], path, old, MISSING, parts)

    def _run_optional(self, written: KeyPath, path: KeyPath, value: Any, old: Any) -> None:
        known = self.optional.get(path)
        if known is not None and known.place is not None:
            if known.place in self.places:
                other = format_path(self.places[known.place])
                self._refuse(written, f"this is the same value as {other}: keep one of them")
                return
            self.places[known.place] = written
        if type(old) is type(value) and same_value(old, value):
            return
        base = self.base
        spot = self.document.locator.find(self.table.key(written))
        here = (self.table.kind, self.table.label, path, old, value, *spot, (path,))
        if base is not None and old is MISSING and base.knows(path):
            # It is gone from the scene; only who edited it need be told.
            into = self.stale if base.unchanged(path, value) else self.conflicts
            into.append(Conflict(self.obj, *here, edited=into is self.conflicts))
            return
        if path[:2] in self._uncertain and base is not None and not base.unchanged(path, value):
            self.conflicts.append(Conflict(self.obj, *here, edited=True))
            return
        try:
            new = find_field(self.optional, path).check(value)
        except EditError as error:
            if old is MISSING or base is None or not base.unchanged(path, value):
                if isinstance(known, FixedText) and self._changed_since(path, old):
                    # It could be edited at extraction: the scene can win, though not the sidecar.
                    self._add(written, path, old, value, [path])
                else:
                    changed = self._changed_since(path, old)
                    if changed:
                        error.message += "; the scene changed it since"
                    self._refuse(written, error)
                    # As of keys that became more or less: the edit no longer fits.
                    if changed or (isinstance(known, FixedText) and old is not MISSING):
                        self.resets[self.problems[-1]] = Conflict(self.obj, *here)
                return
            # What stood there at extraction, and cannot be written, is no edit.
            self.stale.append(Conflict(self.obj, *here, edited=False))
            return
        if not same_value(old, new):
            self._add(written, path, old, new, [path])

    @cached_property
    def _uncertain(self) -> set[KeyPath]:
        """Tables of modifiers that only their order tells apart, and that may be others now."""
        base = None if self.same_scene else self.base
        before = base.below(_MODIFIERS) if base is not None else set()
        if base is None or not before:
            return set()
        from maxsidecar.sidecar.optional_parameters import modifier_name

        then: dict[str, set[KeyPath]] = {}
        for path in before:
            then.setdefault(modifier_name(path[1]), set()).add(path[:2])
        now: dict[str, set[KeyPath]] = {}
        for path in self.optional:
            if path[0] == _MODIFIERS:
                now.setdefault(modifier_name(path[1]), set()).add(path[:2])
        fixed = [path for path, known in self.optional.items() if isinstance(known, FixedText)]
        found: set[KeyPath] = set()
        for name, tables in then.items():
            both = tables | now.get(name, set())
            if len(both) > 1 and (
                tables != now.get(name)
                or not base.values_agree(self.scene, fixed, [p for p in before if p[:2] in tables])
            ):
                found |= both
        return found

    def _changed_since(self, path: KeyPath, old: Any) -> bool:
        """Return whether the scene shows another value than at extraction, which was listed."""
        base = None if self.same_scene or old is MISSING else self.base
        return base is not None and base.has(path) and not base.unchanged(path, old)

    def _same_entry(self, path: KeyPath, new: Any) -> KeyPath | None:
        """Return the raw path of a named entry, after trying whether it can hold a new value.

        Raises:
            EditError: It cannot, or the entry is listed twice, raw and by name.
        """
        entry = resolve(path, node=isinstance(self.obj, Node))
        if entry.prop is not None:
            encode_named(self.obj, entry.prop, entry.bit, new)
            raw = ("appdata", str(entry.prop.key))
            if raw in self.listed:
                raise EditError(f"{format_path(raw)} is the same entry: keep one of them")
            return raw
        prop = REGISTRY.by_key(entry.key) if entry.key and not entry.occurrence else None
        if prop is not None and path not in self.scene:
            named = prop.path in self.scene or any(p[:-1] == prop.path for p in self.scene)
            if named:
                raise EditError(f"{entry.key} has a name: write {format_path(prop.path)}")
        return None

    def _gone(self, replaced: set[KeyPath]) -> Iterator[tuple[KeyPath, list[KeyPath]]]:
        """Yield what is to be taken away: a line that is gone takes its value away.

        A bit field is one entry, so it goes as a whole table: its path, and those of its parts.
        """
        candidates = [
            path
            for path in self.scene
            if path not in self.listed and path not in replaced and removable(path)
        ]
        if not candidates or self.base is None:
            # What the sidecar never listed is none of its business.
            return
        kept = {path[:-1] for path in self.listed}
        gone: dict[KeyPath, list[KeyPath]] = {}
        for path in candidates:
            is_bit = resolve(path, node=isinstance(self.obj, Node)).bit is not None
            if is_bit and path[:-1] in kept:
                continue
            gone.setdefault(path[:-1] if is_bit else path, []).append(path)
        for path, parts in list(gone.items()):
            if not any(self.base.has(part) for part in parts):
                del gone[path]
        for path, parts in gone.items():
            twin = self._next_twin(path)
            if twin in self.scene and twin not in gone:
                self._refuse(
                    path,
                    f"{format_path(path)} cannot be removed while {format_path(twin)} follows it",
                )
            else:
                yield path, parts

    def _next_twin(self, path: KeyPath) -> KeyPath:
        """Return the path of the next entry with the same key."""
        entry = resolve(path, node=isinstance(self.obj, Node), table=True)
        if entry.target is None:
            return ()
        key, occurrence = entry.target
        return "appdata", f"{key}#{occurrence + 2}"

    def _add(
        self, written: KeyPath, path: KeyPath, old: Any, new: Any, parts: list[KeyPath]
    ) -> None:
        """Note a difference: a change, or a conflict where the scene changed the value since."""
        spot = self.document.locator.find(self.table.key(written))
        change = (self.obj, self.table.kind, self.table.label, path, old, new, *spot, tuple(parts))
        base = self.base if not self.same_scene else None
        unchanged = base is not None and self.certain and self._scene_same(base, old, parts)
        if self.same_scene or unchanged:
            self.changes.append(Change(*change))
            return
        edited = base is None or (
            any(base.has(part) for part in parts)
            if new is MISSING
            else not base.unchanged(path, new)
        )
        self.conflicts.append(Conflict(*change, edited))

    def _scene_same(self, base: Base, old: Any, parts: list[KeyPath]) -> bool:
        """Return whether the scene still holds what it held at extraction."""
        if old is MISSING:
            return not any(base.knows(part) for part in parts)
        return all(base.unchanged(part, self.scene[part]) for part in parts)


def listed_paths(table: ObjectTable, refuse: Any = None) -> dict[KeyPath, KeyPath]:
    """Return the values that a table lists: normal path, and path as it is written.

    Args:
        table: The table.
        refuse: Called with path and reason for what cannot be listed.
    """
    out: dict[KeyPath, KeyPath] = {}
    for written in table.values:
        path = written
        try:
            path = canonical(written)
            if path in out:
                raise EditError(f"{format_path(written)} is the same entry as another line")
        except EditError as error:
            if refuse is not None:
                refuse(written, error)
            continue
        out[path] = written
    return out


def compare(
    table: ObjectTable,
    obj: SceneObject,
    labels: Labels,
    document: SidecarDocument,
    *,
    same_scene: bool,
    certain: bool = True,
    include: frozenset[str] = frozenset(),
) -> Comparison:
    """Return the differences between a table and its object.

    Args:
        table: The table.
        obj: Its object.
        labels: Labels of the scene's nodes.
        document: The sidecar.
        same_scene: Whether the scene is the very file that the sidecar was extracted from.
        certain: Whether this is surely the object of the extraction.
        include: Groups to read besides those that are always read and those that are listed.
    """
    result = Comparison(table, obj, document, labels.ids.key(obj), same_scene, certain, include)
    try:
        check_info(
            table,
            obj,
            None if same_scene else result.base,
            document,
            same_scene=same_scene,
        )
    except SidecarError as error:
        result.problems.append(error)
    result.run()
    return result
