"""Where the objects of a sidecar are in a scene that changed since the extraction.

The result is the sidecar as it would read with the storage indices that the objects have now, so
that everything after it need not know that anything moved.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from maxsidecar.errors import SidecarError, shorten
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.base import Base
from maxsidecar.sidecar.compare import listed_paths
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.fields import removable
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.listing import NAMED_KINDS, label_index
from maxsidecar.sidecar.objects import find_object, is_same_info, object_number, read_info
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.relabel import relabelled
from maxsidecar.sidecar.toml_text import format_path
from maxsidecar.sidecar.traces import SCENE, Traces

__all__ = ["Located", "locate"]


@dataclass(slots=True)
class Located:
    """What the tables of a sidecar are about.

    Attributes:
        document: The sidecar, with the labels and the values at extraction under the numbers that
            the objects have now.
        objects: The object of each table, by kind and label in that document.
        problems: Why there is none.
        gone: Tables whose object is gone, or cannot be told from others, by kind and label: whether
            somebody edited them.
        gone_keys: Under which keys the values at extraction of those are.
        uncertain: Storage indices of objects that may have changed places with others like them:
            every edit of theirs needs a decision.
    """

    document: SidecarDocument
    objects: dict[KeyPath, SceneObject] = field(default_factory=dict)
    problems: dict[KeyPath, SidecarError] = field(default_factory=dict)
    gone: dict[KeyPath, bool] = field(default_factory=dict)
    gone_keys: set[str] = field(default_factory=set)
    uncertain: set[int] = field(default_factory=set)


def locate(document: SidecarDocument, labels: Labels, *, same_scene: bool) -> Located:
    """Return what the tables of a sidecar are about.

    Args:
        document: The sidecar.
        labels: Labels of the scene's nodes.
        same_scene: Whether the scene is the very file that the sidecar was extracted from, so that
            every number is still that of the same object.

    Raises:
        SidecarError: Something moved, and its table is not written as ``[object.INDEX]``.
    """
    search = _Search(document, labels, same_scene)
    for table in document.tables:
        try:
            search.run(table)
        except SidecarError as error:
            search.problems[table.here] = error
    return search.result()


class _Search:
    """The search for all tables of a sidecar."""

    def __init__(self, document: SidecarDocument, labels: Labels, same_scene: bool) -> None:
        self.document = document
        self.labels = labels
        self.same_scene = same_scene
        self.traces = Traces(labels)
        self.objects: dict[KeyPath, SceneObject] = {}
        self.problems: dict[KeyPath, SidecarError] = {}
        self.gone: dict[KeyPath, bool] = {}
        self.gone_keys: set[str] = set()
        self.uncertain: set[int] = set()
        #: Key at extraction of each table whose object was found by what was kept of it.
        self.keys: dict[KeyPath, str] = {}
        self._tables: dict[int, ObjectTable] = {}

    def run(self, table: ObjectTable) -> None:
        """Find the object of a table.

        Raises:
            SidecarError: There is none, or it has a table already.
        """
        if self.same_scene:
            obj = find_object(table, self.labels, self.document)
        elif table.kind == "node":
            obj = self._node(table)
        else:
            obj = self._other(table)
        other = self._tables.setdefault(obj.index, table)
        if other is not table:
            raise self.document.error(
                f"this is the same {table.kind} as {other.label!r}", table.here
            )
        self.objects[table.here] = obj

    # --- objects that are no nodes ---------------------------------------------------------------

    def _other(self, table: ObjectTable) -> SceneObject:
        named = table.kind in NAMED_KINDS
        number = label_index(table) if named else object_number(table, self.document)
        if number is None:
            return find_object(table, self.labels, self.document)
        key = f"#{number}"
        base = self.document.base.get(key)
        if base is None:
            return self._unknown(table)
        obj, certain = self.traces.find(table, number, base, self.document.base.get(SCENE))
        if obj is None:
            raise self._gone(table, base, key)
        if not certain:
            self.uncertain.add(obj.index)
        self.keys[table.here] = key
        return obj

    def _unknown(self, table: ObjectTable) -> SceneObject:
        """Return the object of a table that somebody wrote by hand: nothing is known of it.

        Whatever differs is a conflict, so the number may do, if the class is not another one.
        """
        obj = find_object(table, self.labels, self.document)
        actual = read_info(obj).get("class")
        if table.info.get("class", actual) != actual:
            raise self.document.error(
                f"this {table.kind} is of another class",
                (*table.here, "class"),
                expected=shorten(actual),
                found=shorten(table.info["class"]),
            )
        return obj

    def _gone(self, table: ObjectTable, base: Base, key: str) -> SidecarError:
        way = self._note_gone(table, base, key)
        name = format_path(table.here)
        return self.document.error(
            f"the scene changed since, and {name} is gone or cannot be told from others: {way}",
            table.here,
        )

    def _note_gone(self, table: ObjectTable, base: Base, key: str) -> str:
        """Note that the object of a table is gone, and return what can be done about it."""
        self.gone_keys.add(key)
        edited = self.gone[table.here] = _is_edited(table, base)
        scene = shorten(self.document.scene)
        if edited:
            return f"it was edited here, and maxsidecar extract --discard {scene} drops that"
        return f"maxsidecar extract {scene} drops its table"

    # --- nodes -----------------------------------------------------------------------------------

    def _node(self, table: ObjectTable) -> SceneObject:
        found: SceneObject | None = None
        failure: SidecarError | None = None
        try:
            found = find_object(table, self.labels, self.document)
        except SidecarError as error:
            failure = error
            handle = table.info.get("id") if self.labels.ids.handles else None
            if handle is not None:
                base = self.document.base.get(str(handle))
                if base is not None:
                    self._explain(error, table, base, handle)
                raise
        if found is not None and found.index in self.labels.ids.handles:
            return found
        # Without handles an id is a storage index: the name tells the node, if no other has it.
        name, number = self.labels.split(table.label)
        ids = [table.info[key] for key in ("id", "index") if type(table.info.get(key)) is int]
        number = ids[0] if ids else number
        handles = self.labels.ids.handles
        named = [node for node in self.labels.called(name) if node.index not in handles]
        base = self.document.base.get(self._node_key(number)) if number is not None else None
        if len(named) == 1 and table.label == name:
            obj: Node | None = named[0]
        elif base is None:
            obj = found if isinstance(found, Node) else None
        else:
            same = self.traces.in_place(self.document.base.get(SCENE))
            in_place = found if same and isinstance(found, Node) else None
            obj = self.traces.find_node(named, base, in_place)
        if obj is None:
            if base is not None and number is not None and not named:
                # It may only be renamed, which the failure tells.
                gone = self._gone(table, base, self._node_key(number))
                raise failure or gone
            if base is None and failure is not None:
                raise failure
            way = "delete the table"
            if base is not None and number is not None:
                way = self._note_gone(table, base, self._node_key(number))
            raise self.document.error(
                "the scene changed since, and which of the nodes of this name is meant cannot be "
                f"told any more: {way}",
                table.here,
            )
        if number is not None:
            self.keys[table.here] = self._node_key(number)
        return obj

    def _explain(self, error: SidecarError, table: ObjectTable, base: Base, handle: Any) -> None:
        """Note that the node of a table is gone, if no node or one of another class has its id."""
        node = self.labels.ids.find("id", handle) if type(handle) is int else None
        if node is None:
            error.message += f": {self._note_gone(table, base, str(handle))}"
        elif not is_same_info("class", table, node, base):
            way = self._note_gone(table, base, str(handle))
            error.message = (
                f"the node with this id is called {shorten(self.labels.name(node))} and of another "
                f"class, so it is another one: {way}"
            )

    def _node_key(self, number: int) -> str:
        return f"#{number}" if self.labels.ids.handles else str(number)

    # --- all -------------------------------------------------------------------------------------

    def result(self) -> Located:
        """Return what was found, with the sidecar as it reads now."""
        document = self.document
        if self.same_scene:
            return Located(document, self.objects, self.problems, self.gone, self.gone_keys)
        new = {
            here: label
            for here, obj in self.objects.items()
            if here in self.keys and (label := self._label(here, obj)) != here[1]
        }
        # A table that is not found may have the label that another gets; nothing is applied then.
        changed = copy.copy(document) if self.problems else relabelled(document, new)
        if changed is document:
            changed = copy.copy(document)
        if self.problems:
            new = {}
        changed.base = self._base()
        objects: dict[KeyPath, SceneObject] = {
            (here[0], new.get(here, here[1])): obj for here, obj in self.objects.items()
        }
        return Located(changed, objects, self.problems, self.gone, self.gone_keys, self.uncertain)

    def _label(self, here: KeyPath, obj: SceneObject) -> str:
        if isinstance(obj, Node):
            return self.labels.label(obj)
        if here[0] == "object":
            return str(obj.index)
        return f"{here[1].rpartition('@')[0]}@{obj.index}"

    def _base(self) -> dict[str, Base | None]:
        """Return the values at extraction by the keys that their objects have now."""
        key_of = self.labels.ids.key
        known = self.document.base
        found = self.objects
        moved = {key: key_of(found[here]) for here, key in self.keys.items() if here in found}
        nodes = {key_of(node) for node in self.labels.scene.nodes.values()}
        base = {key: value for key, value in known.items() if key not in moved}
        for key in [key for key in base if key.startswith("#") and key not in nodes]:
            # The number of an object that is not listed may be that of another one now.
            base[key] = None
            if not self.traces.in_place(known.get(SCENE)):
                del base[key]
        base.update((new, known.get(old)) for old, new in moved.items())
        return base


def _is_edited(table: ObjectTable, base: Base) -> bool:
    """Return whether somebody edited a value of a table since the extraction, or took it away."""
    listed = listed_paths(table)
    if any(path not in listed and removable(path) for path in base.listed):
        return True
    return len(listed) < len(table.values) or not all(
        base.unchanged(path, table.values[written]) for path, written in listed.items()
    )
