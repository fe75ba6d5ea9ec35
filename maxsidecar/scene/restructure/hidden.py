"""Objects that may hold a storage index where nobody has declared one.

Plug-ins write what they like.  Before existing objects are renumbered or taken out, every object of
a class that was not searched (:mod:`maxsidecar.scene.restructure.audited`) is looked through for
their numbers, at each byte.  A number that is not there cannot go wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from struct import unpack_from
from typing import Final

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.appdata import APPDATA
from maxsidecar.scene.objects import DENSE_REFERENCES, SPARSE_REFERENCES, SceneObject
from maxsidecar.scene.restructure.audited import is_audited
from maxsidecar.scene.restructure.declared import KNOWN_TO_HIDE
from maxsidecar.scene.restructure.places import LeafIndices, places_of
from maxsidecar.scene.scene import Scene

__all__ = ["hides_indices", "refuse_hidden", "suspects"]

_NAMED: Final = 3


def hides_indices(obj: SceneObject) -> bool:
    """Return whether objects of this class are known to hold indices that nobody declares."""
    class_id = obj.class_id
    return class_id is not None and (class_id.a, class_id.b) in KNOWN_TO_HIDE


def _undeclared_leaves(obj: SceneObject) -> Iterator[memoryview]:
    """Yield the bytes of every leaf that no place is declared for."""
    declared = {place.path for place in places_of(obj) if isinstance(place, LeafIndices)}
    skipped = {(DENSE_REFERENCES,), (SPARSE_REFERENCES,), (APPDATA,)} | declared
    stack: list[tuple[tuple[int, ...], Chunk]] = [((c.id,), c) for c in obj.chunks()]
    while stack:
        path, chunk = stack.pop()
        if path in skipped:
            continue
        if chunk.container:
            stack += [((*path, child.id), child) for child in chunk.chunks()]
        else:
            yield chunk.data


def _held(data: memoryview, wanted: frozenset[int]) -> set[int]:
    """Return which numbers stand in some bytes, at whatever offset."""
    found: set[int] = set()
    for start in range(min(4, max(len(data) - 3, 0))):
        count = (len(data) - start) // 4
        found |= wanted.intersection(unpack_from(f"<{count}i", data, start))
    return found


def suspects(
    scene: Scene, numbers: Collection[int], besides: Collection[int] = ()
) -> Iterator[tuple[SceneObject, set[int]]]:
    """Yield the objects that may hold some storage indices in an undeclared place, and which.

    Args:
        scene: The scene.
        numbers: Storage indices; small numbers are found everywhere.
        besides: Storage indices of objects that are not looked into.
    """
    wanted = frozenset(numbers)
    for obj in scene:
        if is_audited(obj.info) or obj.index in besides or not scene.is_container(obj.index):
            continue
        found: set[int] = set()
        for leaf in _undeclared_leaves(obj):
            found |= _held(leaf, wanted)
        if found:
            yield obj, found


def refuse_hidden(
    scene: Scene,
    numbers: Collection[int],
    what: str = "objects would be renumbered",
    *,
    besides: Collection[int] = (),
    force: bool = False,
) -> frozenset[int]:
    """Refuse to renumber, or take out, objects whose numbers stand in undeclared places.

    Args:
        scene: The scene.
        numbers: Storage indices of the objects.
        what: What would become of them, for the message.
        besides: Storage indices of objects that are not looked into.
        force: Do not refuse.

    Returns:
        The numbers that stand there all the same.

    Raises:
        EditError: An object of a class that was not searched holds one of the numbers.
    """
    found = list(suspects(scene, numbers, besides))
    if found and not force:
        names = ", ".join(f"{obj.index} ({obj.class_name})" for obj, _ in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        raise EditError(
            f"{what} whose numbers may stand in places that are not known, "
            f"in objects {names}{more}",
            scene.where,
        )
    return frozenset().union(*(numbers for _, numbers in found))
