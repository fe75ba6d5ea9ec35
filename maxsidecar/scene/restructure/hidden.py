"""Objects that may hold a storage index where nobody has declared one.

Plug-ins write what they like.  Before existing objects are renumbered, every object of a class
that was not searched (:mod:`maxsidecar.scene.restructure.audited`) is looked through for the
numbers that would change, at each byte.  A number that is not there cannot go wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from struct import Struct
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

_I32: Final = Struct("<i")
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


def _holds_any(data: memoryview, wanted: Collection[int]) -> bool:
    unpack = _I32.unpack_from
    return any(unpack(data, at)[0] in wanted for at in range(len(data) - 3))


def suspects(scene: Scene, changed: Collection[int]) -> Iterator[SceneObject]:
    """Yield the objects that may hold one of some storage indices in an undeclared place.

    Args:
        scene: The scene.
        changed: Storage indices; small numbers are found everywhere.
    """
    wanted = frozenset(changed)
    for obj in scene:
        if is_audited(obj.info) or not scene.is_container(obj.index):
            continue
        if any(_holds_any(leaf, wanted) for leaf in _undeclared_leaves(obj)):
            yield obj


def refuse_hidden(scene: Scene, changed: Collection[int]) -> None:
    """Refuse to renumber objects whose numbers stand in undeclared places.

    Raises:
        EditError: An object of a class that was not searched holds one of the numbers.
    """
    found = list(suspects(scene, changed))
    if found:
        names = ", ".join(f"{obj.index} ({obj.class_name})" for obj in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        raise EditError(
            "objects would be renumbered whose numbers may stand in places that are not known, "
            f"in objects {names}{more}",
            scene.where,
        )
