"""Bringing the values of a sidecar into its scene.

A plan is made first, from three sides: what the sidecar says, what the scene holds, and what the
scene held when the sidecar was extracted.  Nothing is written while any part of the plan is wrong.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from maxsidecar.errors import EditError, MaxSidecarError, SidecarError
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.base import Base
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.extract import base_key, file_sha256
from maxsidecar.sidecar.fields import (
    MISSING,
    Path,
    check,
    read_fields,
    removable,
    remove,
    resolve,
    write,
)
from maxsidecar.sidecar.labels import Labels, shown_name
from maxsidecar.sidecar.toml_text import format_value

__all__ = ["Change", "Conflict", "Plan", "find_object", "make_plan", "same_value", "shown"]


@dataclass(slots=True)
class Change:
    """One value that will change.

    Attributes:
        obj: The object.
        label: How the sidecar calls it.
        path: The value.
        old: What the scene holds; :data:`MISSING` for nothing.
        new: What it will hold; :data:`MISSING` for nothing.
        line: 1-based line in the sidecar, where it has one.
        column: 1-based column.
    """

    obj: SceneObject
    label: str
    path: Path
    old: Any
    new: Any
    line: int | None = None
    column: int | None = None

    @property
    def field(self) -> str:
        """The value's name in messages and for ``--force``: ``cluster01.nel.dont_export``."""
        return ".".join((self.label, *self.path))

    def __str__(self) -> str:
        """Return ``field: old -> new``."""
        return f"{self.field}: {shown(self.old)} -> {shown(self.new)}"


@dataclass(slots=True)
class Conflict(Change):
    """A value that the scene file changed since the sidecar was extracted."""

    edited: bool = True

    def __str__(self) -> str:
        """Return both sides."""
        kind = "edited" if self.edited else "as extracted"
        return (
            f"{self.field}: the scene changed it since: scene {shown(self.old)}, "
            f"sidecar {shown(self.new)} ({kind})"
        )


@dataclass(slots=True)
class Plan:
    """What applying a sidecar would do.

    Attributes:
        scene_file: The scene.
        document: The sidecar.
        changes: Values that will change, in the order of the sidecar.
        conflicts: Values that the scene changed since, and the sidecar says otherwise.
        problems: What is wrong with the sidecar, each with line and column.
        same_scene: Whether the scene is the very file that the sidecar was extracted from.
    """

    scene_file: MaxFile
    document: SidecarDocument
    same_scene: bool
    changes: list[Change] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    problems: list[SidecarError] = field(default_factory=list)

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
            first = self.conflicts[0]
            raise self._error(first, str(first))
        before = {change.obj.index: change.obj.data.data for change in self.changes}
        try:
            for change in self.changes:
                try:
                    if change.new is MISSING:
                        remove(change.obj, change.path)
                    else:
                        write(change.obj, change.path, change.new)
                except EditError as error:
                    raise self._error(change, _reason(error)) from error
        except SidecarError:
            for index, data in before.items():
                self.scene_file.scene[index].data.replace_all(data)
            raise
        return self.changes

    def _error(self, change: Change, message: str) -> SidecarError:
        error = self.document.error(message)
        error.line, error.column = change.line, change.column
        return error


def make_plan(
    scene_file: MaxFile,
    document: SidecarDocument,
    *,
    force: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> Plan:
    """Compare a sidecar with its scene.

    Args:
        scene_file: The scene as it is now.
        document: The sidecar.
        force: Patterns of fields (``cluster01.nel.*``) whose conflicts the sidecar wins.
        keep: Patterns of fields whose conflicts the scene wins.
    """
    same = document.sha256 == file_sha256(scene_file)
    plan = Plan(scene_file, document, same)
    labels = Labels(scene_file.scene)
    seen: dict[int, str] = {}
    for table in document.tables:
        try:
            obj = find_object(table, labels, document)
            if obj.index in seen:
                raise document.error(
                    f"{table.label!r} and {seen[obj.index]!r} are the same {table.kind}",
                    (table.kind, table.label),
                )
            seen[obj.index] = table.label
            _check_info(table, obj, labels, plan)
        except SidecarError as error:
            plan.problems.append(error)
            continue
        _compare(plan, table, obj, document.base.get(base_key(labels, obj)))
    _settle(plan, force, keep)
    return plan


def find_object(table: ObjectTable, labels: Labels, document: SidecarDocument) -> SceneObject:
    """Return the object that a table is about.

    Raises:
        SidecarError: There is no such object, or its name and number contradict each other.
    """
    here = (table.kind, table.label)
    for key in ("id", "index"):
        number = table.info.get(key)
        if number is None:
            continue
        if not isinstance(number, int) or isinstance(number, bool):
            raise document.error(
                f"{key}: wrong type", (*here, key), expected="a whole number", found=repr(number)
            )
        if table.kind == "object":
            return _object(table, number, labels, document)
        node = labels.by_id(key, number)
        if node is None:
            raise document.error(f"there is no node with {key} {number}", (*here, key))
        if not labels.matches(table.label, node):
            raise document.error(
                f"node {number} has another name",
                here,
                expected=repr(shown_name(node)),
                found=repr(table.label),
            )
        return node
    if table.kind == "object":
        number = int(table.label) if table.label.isdecimal() and len(table.label) < 11 else -1
        return _object(table, number, labels, document)
    try:
        return labels.find(table.label)
    except EditError as error:
        raise document.error(error.message, here) from None


def _object(
    table: ObjectTable, number: int, labels: Labels, document: SidecarDocument
) -> SceneObject:
    here = (table.kind, table.label)
    if not 0 <= number < len(labels.scene) or str(number) != table.label:
        raise document.error(f"there is no object {table.label!r}", here)
    obj = labels.scene[number]
    if isinstance(obj, Node):
        raise document.error(f"object {number} is a node: use [node.NAME]", here)
    return obj


def _check_info(table: ObjectTable, obj: SceneObject, labels: Labels, plan: Plan) -> None:
    """Refuse an edit of what only tells about an object; in another scene it may differ."""
    if not plan.same_scene:
        return
    shown_class = obj
    actual: dict[str, Any] = {}
    if isinstance(obj, Node):
        shown_class = obj.base_object or obj
        parent, layer = obj.parent, obj.layer
        actual["parent"] = shown_name(parent) if parent is not None else None
        actual["layer"] = layer.name if layer is not None else None
    actual["class"] = shown_class.class_name
    for key, value in actual.items():
        if key in table.info and format_value(table.info[key]) != format_value(value or ""):
            raise plan.document.error(
                f"{key} is read-only",
                (table.kind, table.label, key),
                expected=repr(value),
                found=repr(table.info[key]),
            )


def _compare(plan: Plan, table: ObjectTable, obj: SceneObject, base: Base | None) -> None:
    scene_values = read_fields(obj)
    for path, value in table.values.items():
        spot = plan.document.locator.find(table.key(path))
        old = scene_values.get(path, MISSING)
        if old is not MISSING and same_value(old, value):
            continue
        try:
            new = check(path, value, node=isinstance(obj, Node), code_page=obj.scene.code_page)
        except EditError as error:
            plan.problems.append(
                plan.document.error(
                    error.message,
                    table.key(path),
                    expected=error.expected,
                    found=error.found,
                )
            )
            continue
        if old is MISSING or not same_value(old, new):
            _add(plan, Change(obj, table.label, path, old, new, *spot), base)
    present = {path[:-1] for path in table.values}
    for path, old in scene_values.items():
        if path in table.values or not removable(path):
            continue
        # A line that is gone takes its value away; a bit field goes only as a whole table.
        if _is_bit(path) and path[:-1] in present:
            continue
        was_there = plan.same_scene or (base is not None and base.has(path))
        if was_there:
            spot = plan.document.locator.find((table.kind, table.label, *path[:-1]))
            _add(plan, Change(obj, table.label, path, old, MISSING, *spot), base)


def _is_bit(path: Path) -> bool:
    return resolve(path).bit is not None


def _add(plan: Plan, change: Change, base: Base | None) -> None:
    if not plan.same_scene:
        old, path = change.old, change.path
        scene_same = base is not None and (
            not base.has(path) if old is MISSING else base.unchanged(path, old)
        )
        if not scene_same:
            edited = base is None or (
                base.has(path) if change.new is MISSING else not base.unchanged(path, change.new)
            )
            plan.conflicts.append(
                Conflict(
                    change.obj,
                    change.label,
                    path,
                    old,
                    change.new,
                    change.line,
                    change.column,
                    edited,
                )
            )
            return
    plan.changes.append(change)


def _settle(plan: Plan, force: Sequence[str], keep: Sequence[str]) -> None:
    """Decide conflicts that the user decided."""
    left: list[Conflict] = []
    for conflict in plan.conflicts:
        if _matches(conflict.field, force):
            plan.changes.append(
                Change(
                    conflict.obj,
                    conflict.label,
                    conflict.path,
                    conflict.old,
                    conflict.new,
                    conflict.line,
                    conflict.column,
                )
            )
        elif not _matches(conflict.field, keep):
            left.append(conflict)
    plan.conflicts = left


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(name == pattern or fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def same_value(a: Any, b: Any) -> bool:
    """Compare as a person would: ``1`` and ``1.0`` are the same number, ``1`` and ``true`` not."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return bool(a == b)


def shown(value: Any) -> str:
    """Return a value as the sidecar would show it, on one line."""
    if value is MISSING:
        return repr(MISSING)
    text = format_value(value.replace("\n", " ") if isinstance(value, str) else value)
    return text if len(text) <= 200 else text[:197] + "..."


def _reason(error: MaxSidecarError) -> str:
    text = error.message
    if error.expected is not None or error.found is not None:
        text += f" (expected {error.expected}, found {error.found})"
    return text
