"""An edit and its reversal, each saved to bytes and opened again, must give the file back.

Two round trips per file: one edit that keeps every size (a flag in a word), and one that makes the
Scene stream grow and shrink again (a chunk and an AppData entry that come, change and go).  Every
stream must be as it was.  The file must be the same to the last byte too, except where it is
compressed, or where the stream had to grow into another sector, which the file then keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from maxsidecar.errors import EditError, MaxSidecarError
from maxsidecar.io.buffers import same_bytes
from maxsidecar.scene.appdata_registry import AppDataKey
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject

__all__ = ["check_edits"]

#: Owner of the entry that comes and goes; no plug-in has this id.
_KEYS: Final = tuple(AppDataKey(0x6D617873, 0x63686563, 0x1020, number) for number in range(1000))
_VALUES: Final = (b"a round trip\0", b"a round trip that is longer than the first\0")

Report = Callable[[MaxSidecarError], None]


def check_edits(scene_file: MaxFile, data: bytes, report: Report) -> None:
    """Run both round trips.

    Args:
        scene_file: The file, not edited.
        data: Its bytes.
        report: Called with what went wrong.
    """
    trip = _Trip(scene_file, data, report)
    node = next(_editable_nodes(scene_file), None)
    if node is not None:
        trip.flag(node.index, "show_frozen_in_gray", exact=True)
    target = node or next(_editable_objects(scene_file), None)
    if target is None:
        report(EditError("no object of the scene can be edited", scene_file.scene.where))
        return
    trip.grow_and_shrink(target.index)


def _editable_nodes(scene_file: MaxFile) -> Iterator[Node]:
    for node in scene_file.nodes.values():
        if node.parent_link is not None and not node.appdata.problems():
            yield node


def _editable_objects(scene_file: MaxFile) -> Iterator[SceneObject]:
    for obj in scene_file.scene:
        if scene_file.scene.is_container(obj.index) and not obj.appdata.problems():
            yield obj


def _hide(obj: SceneObject) -> bool | None:
    """Switch a node's hidden flag; returns the old value, ``None`` where it is read-only."""
    if not isinstance(obj, Node):
        return None
    old = obj.flag("hidden")
    try:
        obj.set_flag("hidden", not old)
    except EditError:
        return None
    return old


class _Trip:
    def __init__(self, original: MaxFile, data: bytes, report: Report) -> None:
        self.original = original
        self.data = data
        self.report = report
        self.largest = 0

    def flag(self, index: int, name: str, *, exact: bool) -> None:
        """Switch a flag of a node and switch it back."""
        scene_file = self._open(self.data)
        node = scene_file.scene.node(index)
        old = node.flag(name)
        node.set_flag(name, not old)
        scene_file = self._reopen(scene_file, index)
        node = scene_file.scene.node(index)
        if node.flag(name) is old:
            self._fail(f"{name} was switched, but reads as before", node)
        node.set_flag(name, bool(old))
        self._compare(scene_file.to_bytes(), node, exact=exact)

    def grow_and_shrink(self, index: int) -> None:
        """Add, change and remove an AppData entry; hide a node meanwhile."""
        first, second = _VALUES
        scene_file = self._open(self.data)
        obj = scene_file.scene[index]
        key = next(key for key in _KEYS if key not in obj.appdata)
        obj.appdata.set(key, first)
        hidden = _hide(obj)
        scene_file = self._reopen(scene_file, index)
        obj = scene_file.scene[index]
        if obj.appdata.get(key) != first:
            self._fail("a new AppData entry was saved, but reads otherwise", obj)
        obj.appdata.set(key, second)
        scene_file = self._reopen(scene_file, index)
        obj = scene_file.scene[index]
        if obj.appdata.get(key) != second:
            self._fail("a changed AppData entry was saved, but reads otherwise", obj)
        if isinstance(obj, Node) and hidden is not None:
            if obj.flag("hidden") is hidden:
                self._fail("hidden was switched, but reads as before", obj)
            obj.set_flag("hidden", hidden)
        obj.appdata.remove(key)
        self._compare(scene_file.to_bytes(), obj, exact=self._had_room())

    def _open(self, data: bytes) -> MaxFile:
        return MaxFile(data, self.original.path)

    def _reopen(self, scene_file: MaxFile, index: int) -> MaxFile:
        """Save and open again; everything but one object must be as it was."""
        again = self._open(scene_file.to_bytes())
        obj = again.scene[index]
        self.largest = max(self.largest, len(again.scene.data))
        self._compare_streams(again, obj, skip="Scene")
        old, new = self.original.scene, again.scene
        _, old_start, _, old_end, _, _ = old.span(index)
        _, new_start, _, new_end, _, _ = new.span(index)
        first_old, first_new = old.span(0)[1], new.span(0)[1]
        before = same_bytes(old.data[first_old:old_start], new.data[first_new:new_start])
        if not before or not same_bytes(old.data[old_end:], new.data[new_end:]):
            self._fail("an edit of one object changed another one", obj)
        return again

    def _had_room(self) -> bool:
        """Return whether the Scene stream, when it was largest, fitted into its last sector.

        Only then the layout is the same again after it has shrunk, and only if the bytes behind
        its end were zero, for that is what is left of bytes that were used meanwhile.
        """
        compound = self.original.compound
        stream = self.original.streams["Scene"]
        start, length = compound.extents(stream.path)[-1]
        end = start + length
        room = self.data[end : -(-end // compound.sector_size) * compound.sector_size]
        return self.largest - len(stream.raw) <= len(room) and not any(room)

    def _compare(self, data: bytes, obj: SceneObject, *, exact: bool) -> None:
        if data == self.data:
            return
        again = self._open(data)
        self._compare_streams(again, obj)
        if exact and not self.original.compressed:
            self._fail("an edit and its reversal do not give the file back", obj)

    def _compare_streams(self, again: MaxFile, obj: SceneObject, skip: str = "") -> None:
        if list(again.streams) != list(self.original.streams):
            self._fail("an edit changed the list of streams", obj)
            return
        for name, stream in self.original.streams.items():
            if name != skip and not same_bytes(stream.data, again.streams[name].data):
                self._fail(f"an edit of the Scene stream, or its reversal, changed {name!r}", obj)

    def _fail(self, message: str, obj: SceneObject) -> None:
        self.report(EditError(message, obj.where))
