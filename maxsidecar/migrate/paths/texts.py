"""Paths in free text: AppData entries, user-defined properties, the text on the root node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from maxsidecar.errors import EditError
from maxsidecar.migrate.paths.leaves import StoredText, read_text
from maxsidecar.migrate.paths.lines import PathInText, paths_in_lines, replace_spans
from maxsidecar.migrate.paths.looks import kind_of, reads_as_path
from maxsidecar.migrate.paths.place import Holder, Place, label
from maxsidecar.scene.appdata import AppDataItem
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.objects import SceneObject

__all__ = ["AppDataHolder", "LinesHolder", "appdata_holders", "line_holders"]

_USER_PROPERTIES: Final = 0x09BA
_ROOT_TEXT: Final = 0x0120
#: A path has one of them.
_MARKS: Final = (b"\\", b"/", b".")


class AppDataHolder(Holder):
    """The AppData entries of one object that are paths from end to end."""

    def __init__(self, obj: SceneObject) -> None:
        """Look at the object."""
        self._object = obj

    def _found(self) -> Iterator[tuple[int, AppDataItem, StoredText, str]]:
        """Yield number, entry, text and name of each entry that is a path."""
        code_page = self._object.scene.code_page
        for number, item in enumerate(self._object.appdata):
            known = REGISTRY.by_key(item.key)
            is_file = known is not None and known.file
            if not is_file and not any(mark in item.value for mark in _MARKS):
                continue
            stored = read_text(item.value, code_page, wide=False if is_file else None)
            if stored is not None and stored.text and (is_file or reads_as_path(stored.text)):
                name = ".".join(known.path) if known is not None else f"appdata {item.key}"
                yield number, item, stored, name

    def places(self) -> Iterator[Place]:
        """Yield the entries."""
        obj = self._object
        container = obj.data.find(0x2150)
        if container is None:
            return
        for number, item, stored, name in self._found():
            yield Place(
                stored.text,
                kind_of(stored.text, "file" if REGISTRY.by_key(item.key) else "text"),
                name,
                number,
                container.where,
                container.end - container.start,
                label(obj),
                obj.index,
            )

    def write(self, changes: Mapping[int, str]) -> None:
        """Put other texts into the entries."""
        obj = self._object
        seen: dict[AppDataKey, int] = {}
        occurrences: list[int] = []
        for item in obj.appdata:
            occurrences.append(seen.get(item.key, 0))
            seen[item.key] = occurrences[-1] + 1
        found = {number: (item, stored) for number, item, stored, _ in self._found()}
        with obj.appdata.editing() as entries:
            for number, text in changes.items():
                if number not in found:
                    raise EditError("the AppData entry is no path any more", obj.where)
                item, stored = found[number]
                entries.set(item.key, stored.encode(text), occurrence=occurrences[number])


class LinesHolder(Holder):
    """A text of lines: user-defined properties of a node, or what exporters keep on the root.

    Args:
        node: The node.
        chunk_id: Which text.
    """

    def __init__(self, node: Node, chunk_id: int) -> None:
        """Look at the node."""
        self._node = node
        self._chunk_id = chunk_id

    def _read(self) -> tuple[str, dict[int, PathInText]]:
        node = self._node
        if self._chunk_id == _USER_PROPERTIES:
            text = node.user_properties_text
        else:
            text = node.scene_text if isinstance(node, RootNode) else ""
        return text, dict(enumerate(paths_in_lines(text)))

    def places(self) -> Iterator[Place]:
        """Yield the paths in the lines."""
        chunk = self._node.find(self._chunk_id)
        if chunk is None:
            return
        what = "user properties" if self._chunk_id == _USER_PROPERTIES else "scene text"
        for number, found in self._read()[1].items():
            yield Place(
                found.path,
                found.kind,
                f"{what} {found.key}".rstrip(),
                number,
                chunk.where,
                chunk.end - chunk.start,
                label(self._node),
                self._node.index,
            )

    def write(self, changes: Mapping[int, str]) -> None:
        """Put other paths into the text."""
        text, found = self._read()
        new = replace_spans(text, found, changes)
        if self._chunk_id == _USER_PROPERTIES:
            self._node.user_properties_text = new
        elif isinstance(self._node, RootNode):
            self._node.scene_text = new


def appdata_holders(obj: SceneObject) -> Iterator[Holder]:
    """Yield the AppData of an object."""
    yield AppDataHolder(obj)


def line_holders(obj: SceneObject) -> Iterator[Holder]:
    """Yield the texts of lines that a node has."""
    if isinstance(obj, RootNode):
        yield LinesHolder(obj, _ROOT_TEXT)
    if isinstance(obj, Node):
        yield LinesHolder(obj, _USER_PROPERTIES)
