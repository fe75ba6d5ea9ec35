"""Which object of a scene a table of a sidecar is about, and what the table tells about it."""

from __future__ import annotations

from typing import Any, Final

from maxsidecar.errors import EditError, shorten, shorten_both
from maxsidecar.scene.attempts import Attempts
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.base import Base
from maxsidecar.sidecar.document import ObjectTable, SidecarDocument
from maxsidecar.sidecar.labels import Labels, shown_name
from maxsidecar.sidecar.listing import NAMED_KINDS, find_named
from maxsidecar.sidecar.toml_text import scrub

__all__ = ["check_info", "find_object", "is_same_info", "object_number", "read_info"]

_NUMBERS: Final = ("id", "index")


def read_info(obj: SceneObject) -> dict[str, str]:
    """Return class, parent and layer of an object, as far as they can be read."""
    if not isinstance(obj, Node):
        return {"class": scrub(obj.class_name)}
    attempt = Attempts()
    # A damaged reference leaves the class out: that of the node itself would say another thing.
    found: dict[str, str | None] = {"class": attempt(lambda: (obj.base_object or obj).class_name)}
    parent, layer = attempt.get(obj, "parent"), attempt.get(obj, "layer")
    found["parent"] = None if parent is None else shown_name(parent)
    found["layer"] = None if layer is None else attempt.get(layer, "name")
    return {key: scrub(value) for key, value in found.items() if value is not None}


def find_object(table: ObjectTable, labels: Labels, document: SidecarDocument) -> SceneObject:
    """Return the object that a table is about.

    Raises:
        SidecarError: There is no such object, or its name and number contradict each other.
    """
    if table.kind in NAMED_KINDS:
        return find_named(table, labels.scene, document)
    if table.kind == "object":
        return _find_other(table, labels, document)
    found: Node | None = None
    for key in _NUMBERS:
        if key not in table.info:
            continue
        number = _number(table, key, document)
        node = labels.ids.find(key, number)
        if node is None:
            raise document.error(f"there is no node with {key} {number}", (*table.here, key))
        if found is not None and node is not found:
            raise document.error("id and index are of different nodes", (*table.here, key))
        found = node
    if found is None:
        try:
            return labels.find(table.label)
        except EditError as error:
            raise document.error(error.message, table.here) from None
    if not labels.matches(table.label, found):
        raise document.error(
            f"the node with this id is called {shorten(labels.name(found))}: if the scene renamed "
            f"it, maxsidecar extract {shorten(document.scene)} follows; to rename it to "
            f"{shorten(table.label)}, undo that here and run maxsidecar set "
            f"{shorten(document.scene)} @{labels.ids.key(found)} name {shorten(table.label)}",
            table.here,
        )
    return found


def _number(table: ObjectTable, key: str, document: SidecarDocument) -> int:
    number = table.info[key]
    if type(number) is not int:
        raise document.error(
            f"{key}: wrong type", (*table.here, key), expected="a number", found=shorten(number)
        )
    return number


def object_number(table: ObjectTable, document: SidecarDocument) -> int:
    """Return the storage index that the table of an object without a name gives.

    Raises:
        SidecarError: It gives none, or two.
    """
    for key in table.info:
        if key not in ("index", "class"):
            raise document.error(f"unknown key {key}", (*table.here, key))
    label = table.label
    number = int(label) if label.isdecimal() and len(label) <= 10 else -1
    if str(number) != label:
        raise document.error(f"there is no object {shorten(label)}", table.here)
    if "index" in table.info and _number(table, "index", document) != number:
        raise document.error(
            "index contradicts the table's name",
            (*table.here, "index"),
            expected=number,
            found=table.info["index"],
        )
    return number


def _find_other(table: ObjectTable, labels: Labels, document: SidecarDocument) -> SceneObject:
    number = object_number(table, document)
    if not number < len(labels.scene):
        raise document.error(f"there is no object {shorten(table.label)}", table.here)
    obj = labels.scene[number]
    if isinstance(obj, Node):
        raise document.error(f"object {number} is a node: use [node.NAME]", table.here)
    return obj


def check_info(
    table: ObjectTable,
    obj: SceneObject,
    base: Base | None,
    document: SidecarDocument,
    *,
    same_scene: bool,
) -> None:
    """Refuse an edit of what only tells about an object; in another scene it may differ.

    Raises:
        SidecarError: Somebody edited it.
    """
    written = {key: value for key, value in table.info.items() if key not in _NUMBERS}
    if not written:
        return
    actual: dict[str, Any] = read_info(obj)
    for key, value in written.items():
        if value == actual.get(key):
            continue
        edited = same_scene
        if base is not None and base.has((key,)):
            edited = not base.unchanged((key,), value)
        if edited:
            expected, found = shorten_both(actual.get(key), value)
            raise document.error(
                f"{key} is for information only",
                (*table.here, key),
                expected=expected,
                found=found,
            )


def is_same_info(key: str, table: ObjectTable, obj: SceneObject, base: Base | None) -> bool:
    """Return whether an object has the class, parent or layer that it had at extraction.

    What is not known of the extraction counts as the same.
    """
    actual = read_info(obj).get(key)
    if base is not None and base.knows((key,)):
        return base.unchanged((key,), actual)
    return bool(table.info.get(key, actual) == actual)
