"""A new order of objects, with every storage index that others hold put right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from struct import Struct
from typing import Final

from maxsidecar.scene.object_list import NewObject
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.config_places import rewrite_config
from maxsidecar.scene.restructure.graph import Graph
from maxsidecar.scene.restructure.places import places_of
from maxsidecar.scene.scene import Scene

__all__ = ["append_objects", "candidates", "chunk_form", "renumber"]

_I32: Final = Struct("<i")
#: Up to so many numbers are looked for in the bytes of the whole stream at once.
_SEARCHED: Final = 16


def chunk_form(scene: Scene) -> int:
    """Return the header form of chunks in new objects: that of the last object, which is small."""
    return scene[len(scene) - 1].data.form


def candidates(scene: Scene, wanted: Sequence[int]) -> Iterator[SceneObject]:
    """Yield the objects that may hold one of some storage indices, in storage order.

    Where the graph of the scene is at hand, it tells.  Else a few numbers are looked for in the
    bytes of the whole stream at once, which takes a moment; for many, every object is looked into.
    """
    graph = Graph.at_hand(scene)
    if graph is not None:
        holders = {holder for number in wanted for holder in graph.holders(number)}
        yield from map(scene.__getitem__, sorted(holders))
        return
    if len(wanted) > _SEARCHED:
        yield from scene
        return
    pattern = _pattern(wanted)
    found = {obj.index for obj in scene.edited_objects()}
    # Hits may overlap, so the search goes on one byte behind the start of the last one.
    position = 0
    while (match := pattern.search(scene.data, position)) is not None:
        position = match.start() + 1
        index = scene.index_at(match.start())
        if index is not None:
            found.add(index)
    for index in sorted(found):
        yield scene[index]


def _pattern(wanted: Iterable[int]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(re.escape(_I32.pack(number)) for number in wanted))


def renumber(scene: Scene, order: Sequence[int | NewObject]) -> list[SceneObject]:
    """Put the objects in a new order, and put right the storage indices that others hold.

    Args:
        scene: The scene.
        order: The storage index until now, or a new object, whose body holds indices of the new
            order already.

    Returns:
        The new objects.

    Raises:
        EditError: An index must become empty where that is not known, or the order is not one.
        DecodeError: An object holds indices in a layout that is not known.
        ChunkError: An object is damaged.
    """
    now = {item: index for index, item in enumerate(order) if not isinstance(item, NewObject)}
    changes = {i: now.get(i) for i in range(len(scene)) if now.get(i) != i}
    if changes:
        _rewrite(scene, changes)
    return scene.rearrange(order)


def _rewrite(scene: Scene, changes: Mapping[int, int | None]) -> None:
    def change(index: int) -> int | None:
        return changes.get(index, index)

    for obj in list(candidates(scene, list(changes))):
        if changes.get(obj.index, 0) is None:
            continue
        # Reference lists come last, since other places look at what stands in them.
        for place in reversed(places_of(obj)):
            place.rewrite(obj, change)
    config = scene.streams.config if scene.streams is not None else None
    if config is None or (
        # To follow the chunks of the stream takes longer than to see that there is nothing.
        len(changes) <= _SEARCHED and _pattern(changes).search(config.data.data) is None
    ):
        return
    rewrite_config(config, change)


def append_objects(scene: Scene, new: Sequence[NewObject]) -> list[SceneObject]:
    """Put new objects behind all others but the Scene object, which is always the last one.

    The first of them has the storage index ``len(scene) - 1``; only the Scene object is renumbered.
    """
    last = len(scene) - 1
    if new:
        _rewrite(scene, {last: last + len(new)})
    return scene.insert_objects(new)
