"""Finding every path of a scene file, in an order that depends on nothing but the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.migrate.paths.assets import asset_holders
from maxsidecar.migrate.paths.chunks import BITMAP_PATH, KNOWN, bitmap_holders, known_holders
from maxsidecar.migrate.paths.config import config_holders
from maxsidecar.migrate.paths.parameters import may_hold_path, parameter_holders
from maxsidecar.migrate.paths.place import Holder, Place
from maxsidecar.migrate.paths.state_sets import STATE_SETS, state_set_holders
from maxsidecar.migrate.paths.summary import summary_holders
from maxsidecar.migrate.paths.texts import appdata_holders, line_holders
from maxsidecar.migrate.paths.unproven import leaves_by_looks, stream_leaves_by_looks
from maxsidecar.scene.scene import Scene

if TYPE_CHECKING:
    from maxsidecar.scene.maxfile import MaxFile
    from maxsidecar.scene.objects import SceneObject

__all__ = ["FoundPaths", "find_paths"]

_PARAM_BLOCK: Final = 0x82
_NODE: Final = 0x1
#: A node without one of these, in UTF-16, has no path in its texts.
_MARKS: Final = (b":\0\\\0", b":\0/\0", b"\\\0\\\0", b".\0")


class FoundPaths:
    """The paths of a scene file.

    Attributes:
        found: Each holder with its paths, in order: asset table, objects by storage index, then
            ``Config`` and the document properties.
        problems: What is damaged, so that paths may be missing.
    """

    def __init__(self) -> None:
        """Start with none."""
        self.found: list[tuple[Holder, tuple[Place, ...]]] = []
        self.problems: list[MaxSidecarError] = []

    def __iter__(self) -> Iterator[Place]:
        """Yield the paths."""
        for _, places in self.found:
            yield from places

    def __len__(self) -> int:
        """Return the number of paths."""
        return sum(len(places) for _, places in self.found)

    def add(self, holders: Callable[[], Iterable[Holder]]) -> None:
        """Read holders; one that is damaged is reported and left out."""
        try:
            for holder in holders():
                self._add(holder)
        except MaxSidecarError as error:
            self.problems.append(error.with_traceback(None))

    def _add(self, holder: Holder) -> None:
        try:
            places = tuple(holder.places())
        except MaxSidecarError as error:
            self.problems.append(error.with_traceback(None))
            return
        if places:
            self.found.append((holder, places))


def find_paths(scene_file: MaxFile) -> FoundPaths:
    """Return every path of a scene file.

    Args:
        scene_file: The file; it may have been edited.
    """
    found = FoundPaths()
    found.add(lambda: asset_holders(scene_file))
    try:
        _find_in_scene(scene_file.scene, found)
    except MaxSidecarError as error:
        found.problems.append(error.with_traceback(None))
    found.add(lambda: config_holders(scene_file))
    found.add(lambda: stream_leaves_by_looks(scene_file))
    found.add(lambda: summary_holders(scene_file))
    return found


#: What looks into one object.
_Finder = Callable[["SceneObject"], Iterable[Holder]]


def _parameters(obj: SceneObject) -> Iterator[Holder]:
    return parameter_holders(obj.scene, obj.index)


#: In the order in which an object's places are listed.
_FINDERS: Final[tuple[_Finder, ...]] = (
    appdata_holders,
    known_holders,
    state_set_holders,
    line_holders,
    _parameters,
    bitmap_holders,
)


def _find_in_scene(scene: Scene, found: FoundPaths) -> None:
    """Look into the objects that may hold paths; searching bytes tells which those are."""
    wanted: dict[int, set[_Finder]] = {}

    def want(index: int, *finders: _Finder) -> None:
        wanted.setdefault(index, set()).update(finders)

    for obj in scene.objects_with_appdata():
        want(obj.index, appdata_holders)
    _want_by_class(scene, want)
    for match in BITMAP_PATH.finditer(scene.data):
        index = scene.index_at(match.start())
        if index is not None:
            want(index, bitmap_holders)
    by_looks: dict[int, list[Holder]] = {}
    for index, holder in leaves_by_looks(scene):
        by_looks.setdefault(index, []).append(holder)
        want(index)
    for obj in scene.edited_objects():
        # What was read of it says little about what it is now.
        want(obj.index, appdata_holders, known_holders, bitmap_holders)
        if obj.superclass == _PARAM_BLOCK:
            want(obj.index, _parameters)
        if obj.superclass == _NODE:
            want(obj.index, line_holders)
    for index in sorted(wanted):
        obj = scene[index]
        for finder in _FINDERS:
            if finder in wanted[index]:
                found.add(lambda finder=finder, obj=obj: finder(obj))  # type: ignore[misc]
        holders = by_looks.get(index)
        if holders:
            found.add(lambda holders=holders: holders)  # type: ignore[misc]


def _want_by_class(scene: Scene, want: Callable[..., None]) -> None:
    known = {(leaf.class_a, leaf.class_b) for leaf in KNOWN}
    finders: dict[int, _Finder | None] = {}
    data = scene.data
    view = memoryview(data)
    for index in range(len(scene)):
        chunk_id = scene.chunk_id(index)
        if chunk_id not in finders:
            finders[chunk_id] = _finder_of(scene, chunk_id, known)
        finder = finders[chunk_id]
        if finder is None:
            continue
        _, start, _, end, _, _ = scene.span(index)
        if finder is _parameters and not may_hold_path(data, start, end):
            continue
        if finder is line_holders:
            body = bytes(view[start:end])
            if not any(mark in body for mark in _MARKS):
                continue
        want(index, finder)


def _finder_of(scene: Scene, chunk_id: int, known: set[tuple[int, int | None]]) -> _Finder | None:
    """Return what looks into the objects of a class, ``None`` where none have paths."""
    info = scene.class_info(chunk_id)
    if info is None:
        return None
    if info.superclass == _PARAM_BLOCK:
        return _parameters
    if info.superclass == _NODE:
        return line_holders
    key = info.class_id.a, info.class_id.b
    if key == STATE_SETS:
        return state_set_holders
    if key in known or (key[0], None) in known:
        return known_holders
    return None
