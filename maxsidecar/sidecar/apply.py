"""Bringing the values of a sidecar into its scene.

A plan is made first, from three sides: what the sidecar says, what the scene holds, and what the
scene held when the sidecar was extracted.  Nothing is written while any part of the plan is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maxsidecar.errors import MaxSidecarError, SidecarError, shorten
from maxsidecar.io.chunks import Buffer, ChunkData
from maxsidecar.scene.appdata import AppDataEdit
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.sidecar.compare import compare
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.fields import (
    MISSING,
    absent,
    is_appdata,
    read_fields,
    remove,
    resolve,
    same_value,
    write,
)
from maxsidecar.sidecar.groups import OPTIONAL_GROUPS, groups_of, is_biped, is_optional
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.moves import locate
from maxsidecar.sidecar.objects import is_same_info
from maxsidecar.sidecar.optional import (
    Field,
    FixedText,
    asset_of,
    field_at,
    find_field,
    optional_fields,
)
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.plan import Change, Conflict, shown
from maxsidecar.sidecar.toml_text import format_path

if TYPE_CHECKING:
    from uuid import UUID

__all__ = ["Change", "Conflict", "Plan", "make_plan", "same_value", "shown"]


@dataclass(slots=True)
class Plan:
    """What applying a sidecar would do.

    Attributes:
        scene_file: The scene.
        document: The sidecar.
        same_scene: Whether the scene is the very file that the sidecar was extracted from.
        labels: Labels of the scene's nodes.
        changes: Values that will change, in the order of the sidecar.
        conflicts: Values that the scene changed since, and the sidecar says otherwise.
        kept: Conflicts that were decided for the scene.
        stale: Values for information that the scene changed since; nothing is done about them.
        problems: What is wrong with the sidecar, each with line and column.
        resets: By problem the edit that the scene can win: of a value for information, or of one
            that the scene changed so that the edit no longer fits.
        notes: Patterns that contradict each other.
        unused: Patterns that match no conflict, with their options.
        objects: The table of each object, by storage index.
        values: The scene's values of each object, by storage index.
        groups: The groups that were read besides those that always are, by storage index.
        places: Which object lists what several may share: storage index by place.
        related: Whether the scene can be that of the sidecar: it is the very file, or at least one
            object that the sidecar lists is there with its number, its name and the class that it
            had at extraction.
    """

    scene_file: MaxFile
    document: SidecarDocument
    same_scene: bool
    labels: Labels
    changes: list[Change] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    kept: list[Conflict] = field(default_factory=list)
    stale: list[Conflict] = field(default_factory=list)
    problems: list[SidecarError] = field(default_factory=list)
    resets: dict[SidecarError, Conflict] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unused: set[str] = field(default_factory=set)
    objects: dict[int, ObjectTable] = field(default_factory=dict)
    values: dict[int, dict[KeyPath, Any]] = field(default_factory=dict)
    groups: dict[int, frozenset[str]] = field(default_factory=dict)
    places: dict[Hashable, int] = field(default_factory=dict)
    related: bool = True
    _assets: dict[UUID, Change] = field(default_factory=dict, repr=False)

    @property
    def ok(self) -> bool:
        """Whether the plan can be carried out."""
        return not self.problems and not self.conflicts

    def apply(self) -> list[Change]:
        """Make the changes in the opened scene; saving is up to the caller.

        Raises:
            SidecarError: The plan has problems or conflicts, or a record turned out read-only;
                the scene is unchanged then.
        """
        if self.problems:
            raise self.problems[0]
        if self.conflicts:
            raise self._error(self.conflicts[0], str(self.conflicts[0]))
        before = self._bytes()
        self._assets.clear()
        try:
            objects: dict[int, list[Change]] = {}
            for change in self.changes:
                objects.setdefault(change.obj.index, []).append(change)
            for changes in objects.values():
                bipeds = [c for c in changes if is_biped(c.path)]
                self._write([c for c in changes if not (is_appdata(c.path) or is_biped(c.path))])
                self._write_biped(bipeds)
                self._write_appdata([c for c in changes if is_appdata(c.path)])
            self._write_assets()
            self._find_stale(self._verify())
        except SidecarError:
            self._restore(before)
            raise
        return self.changes

    def _bytes(self) -> list[tuple[ChunkData, Buffer]]:
        """Return everything that the changes may touch, and its bytes."""
        touched = {change.obj.index: change.obj.data for change in self.changes}
        found: list[ChunkData] = []
        fields: dict[int, dict[KeyPath, Field]] = {}
        optional = [change for change in self.changes if is_optional(change.path)]
        for change in optional:
            index = change.obj.index
            try:
                if index not in fields:
                    paths = (other.path for other in optional if other.obj.index == index)
                    fields[index] = optional_fields(change.obj, groups_of(paths))
                holders = find_field(fields[index], change.path).holders
            except MaxSidecarError as error:
                raise self._failed(change, error) from error
            touched.update((holder.index, holder.data) for holder in holders)
        if optional:
            streams = self.scene_file.scene.streams
            table = streams.asset_metadata if streams is not None else None
            name = table.stream.name if table is not None else None
            found = [] if name is None else [self.scene_file.streams[name].chunks]
        return [(data, data.data) for data in (*touched.values(), *found)]

    def _write(self, changes: Iterable[Change], entries: AppDataEdit | None = None) -> None:
        for change in changes:
            try:
                if change.new is MISSING:
                    remove(change.obj, change.path, entries)
                elif is_optional(change.path):
                    self._write_optional(change)
                else:
                    write(change.obj, change.path, change.new, entries)
            except MaxSidecarError as error:
                raise self._failed(change, error) from error

    def _write_optional(self, change: Change) -> None:
        found = field_at(change.obj, change.path)
        guid = asset_of(found)
        if guid is None:
            found.write(change.new)
        else:
            self._assets[guid] = change

    def _write_biped(self, changes: list[Change]) -> None:
        """Make the changes of one biped, all at once: reading it again takes long."""
        if not changes:
            return
        from maxsidecar.sidecar.optional_biped import editing_biped

        change = changes[0]
        try:
            with editing_biped(change.obj) as fields:
                for change in changes:
                    find_field(fields, change.path).write(change.new)
        except MaxSidecarError as error:
            raise self._failed(change, error) from error

    def _write_assets(self) -> None:
        """Make the changes of the asset table, all at once: it is one record behind another."""
        if not self._assets:
            return
        from maxsidecar.scene.params.assets import set_asset_paths

        try:
            paths = {guid: change.new for guid, change in self._assets.items()}
            set_asset_paths(self.scene_file.scene, paths)
        except MaxSidecarError as error:
            raise self._failed(next(iter(self._assets.values())), error) from error

    def _write_appdata(self, changes: list[Change]) -> None:
        """Make the changes of one object's AppData, all at once."""
        if not changes:
            return
        try:
            with changes[0].obj.appdata.editing() as entries:
                # Entries with the same key are told apart by position, so the last goes first.
                self._write(sorted(changes, key=_order), entries)
        except SidecarError:
            raise
        except MaxSidecarError as error:
            raise self._failed(changes[0], error) from error

    def _verify(self) -> Collection[int]:
        """Read every changed value back, and return which objects were read."""
        changed = {change.obj.index: change.obj for change in self.changes}
        values = {
            index: read_fields(obj, None, self.groups.get(index, frozenset()))
            for index, obj in changed.items()
        }
        for change in self.changes:
            found = _now(change, values[change.obj.index])
            if found is not change.new and not same_value(found, change.new):
                raise self._error(change, f"{change.field}: the scene does not take this value")
        self.values.update(values)
        return values.keys()

    def _find_stale(self, read: Collection[int]) -> None:
        """Note what is shown for information and reads otherwise since the changes."""
        if not any(is_optional(change.path) for change in self.changes):
            return
        self.stale.clear()
        for index, table in self.objects.items():
            obj, groups = self.scene_file.scene[index], self.groups[index]
            if not groups:
                continue
            if index not in read:
                self.values[index] = read_fields(obj, None, groups)
            for path, found in optional_fields(obj, groups).items():
                written = table.values.get(path)
                fixed = isinstance(found, FixedText) and written is not None
                if fixed and not same_value(written, found.shown):
                    here = (table.kind, table.label, path, found.shown, written)
                    self.stale.append(Conflict(obj, *here, parts=(path,), edited=False))

    def _restore(self, before: list[tuple[ChunkData, Buffer]]) -> None:
        for data, content in before:
            if data.data is not content:
                data.replace_all(content)

    def _error(self, change: Change, message: str) -> SidecarError:
        return self.document.error_at(message, change.line, change.column)

    def _failed(self, change: Change, error: MaxSidecarError) -> SidecarError:
        return self.document.error_at(
            f"{change.field}: {error.message}",
            change.line,
            change.column,
            expected=error.expected,
            found=error.found,
        )


def _order(change: Change) -> tuple[bool, int]:
    if change.new is not MISSING:
        return False, 0
    return True, -resolve(change.path, table=True).occurrence


def _now(change: Change, values: dict[KeyPath, Any]) -> Any:
    """Return a changed value as it reads now; of a removed bit field any part that is left."""
    if change.path in values:
        return values[change.path]
    if change.new is MISSING:
        return next((v for p, v in values.items() if p[:-1] == change.path), MISSING)
    return absent(change.path)


def make_plan(
    scene_file: MaxFile,
    document: SidecarDocument,
    *,
    force: Sequence[str] = (),
    keep: Sequence[str] = (),
    include: Iterable[str] = (),
    doubtful: Collection[int] = (),
) -> Plan:
    """Compare a sidecar with its scene.

    Args:
        scene_file: The scene as it is now.
        document: The sidecar.
        force: Patterns of fields (``cluster01.nel.*``) whose conflicts the sidecar wins.
        keep: Patterns of fields whose conflicts the scene wins.
        include: Groups to read, besides those that the tables list.
        doubtful: Storage indices of nodes that may be others than those of the extraction: every
            edit of theirs is a conflict.
    """
    same = document.sha256 == scene_file.sha256
    labels = Labels(scene_file.scene)
    located = locate(document, labels, same_scene=same)
    document = located.document
    plan = Plan(scene_file, document, same, labels, problems=list(located.problems.values()))
    groups = frozenset(include) & frozenset(OPTIONAL_GROUPS)
    plan.related = same or not document.tables
    for table in document.tables:
        obj = located.objects.get(table.here)
        if obj is None:
            continue
        plan.objects[obj.index] = table
        result = compare(
            table,
            obj,
            plan.labels,
            document,
            same_scene=same,
            certain=obj.index not in located.uncertain and obj.index not in doubtful,
            include=groups,
        )
        plan.groups[obj.index] = result.groups
        for place, written in result.places.items():
            first = plan.places.setdefault(place, obj.index)
            if first != obj.index:
                owner = plan.objects[first]
                name = format_path((*owner.here, written[-1]))
                message = f"this is the same value as {name}: keep one of them"
                plan.problems.append(document.error(message, table.key(written)))
        plan.related = plan.related or is_same_info("class", table, obj, result.base)
        plan.values[obj.index] = result.scene
        plan.changes += result.changes
        plan.conflicts += result.conflicts
        plan.stale += result.stale
        plan.problems += result.problems
        plan.resets.update(result.resets)
    _settle(plan, force, keep)
    return plan


def _settle(plan: Plan, force: Sequence[str], keep: Sequence[str]) -> None:
    """Decide conflicts that the user decided."""
    given = [("--force", text) for text in force] + [("--keep", text) for text in keep]
    patterns = [(*pair, _matcher([pair[1]])) for pair in given]
    used: set[tuple[str, str]] = set()
    left: list[Conflict] = []
    for conflict in plan.conflicts:
        hits = [
            (option, text)
            for option, text, pattern in patterns
            if any(pattern.fullmatch(name) for name in conflict.names)
        ]
        used.update(hits)
        options = {option for option, _ in hits}
        if len(options) > 1:
            plan.notes.append(f"{conflict.field}: --force and --keep both match; the sidecar wins")
        if "--force" in options:
            plan.changes.append(conflict.change)
        elif options:
            plan.kept.append(conflict)
        else:
            left.append(conflict)
    plan.conflicts = left
    plan.unused = {f"{option} {shorten(text)}" for option, text in set(given) - used}


def _matcher(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return what matches any of the patterns; only ``*`` and ``?`` are special.

    Names of nodes often have brackets, so those stand for themselves.
    """
    parts = [
        "".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in re.sub(r"\*+", "*", pattern))
        for pattern in patterns
    ]
    return re.compile("|".join(f"(?:{part})" for part in parts) or r"(?!)", re.DOTALL)
