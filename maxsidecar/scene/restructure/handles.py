"""Where objects hold node *handles*: numbers that stay with a node, unlike storage indices.

Lists of nodes that a light or a material leaves out: a container with a count (``03e9``) and the
handles (``03ea``), measured on 62 lists in the corpus.  A number that some list still holds must
not go to another node, a node that goes leaves the lists, and copies of a light and its nodes
belong together as their originals do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, Final

from maxsidecar.errors import EditError
from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.restructure.places import outermost, replace_bodies

if TYPE_CHECKING:
    from maxsidecar.scene.objects import SceneObject
    from maxsidecar.scene.scene import Scene

__all__ = ["HandlePlace", "declare_handles", "handle_places", "highest_handle", "holders"]

_COUNT: Final = 0x03E9
_HANDLES: Final = 0x03EA
_U32: Final = Struct("<I")
_KEPT: Final = "highest handle"


@dataclass(frozen=True, slots=True)
class HandlePlace:
    """A list of handles with its count.

    Attributes:
        container: Id of the chunk that holds both, at the outermost level.
    """

    container: int

    def _leaves(self, obj: SceneObject) -> Iterator[dict[int, Chunk]]:
        for chunk in outermost(obj, self.container):
            if chunk.container:
                yield {leaf.id: leaf for leaf in chunk.chunks() if not leaf.container}

    def read(self, obj: SceneObject) -> Iterator[int]:
        """Yield the handles.

        Raises:
            ChunkError: The object is damaged.
        """
        for leaves in self._leaves(obj):
            if _HANDLES in leaves:
                yield from _numbers(leaves[_HANDLES])

    def rewrite(self, obj: SceneObject, change: Callable[[int], int | None]) -> None:
        """Put other handles there; ``None`` takes one out, and the count follows.

        Raises:
            EditError: The list is not as long as it says.
            ChunkError: The object is damaged.
        """
        bodies: list[tuple[Chunk, bytes]] = []
        for leaves in self._leaves(obj):
            old = _numbers(leaves[_HANDLES]) if _HANDLES in leaves else []
            new = [handle for handle in map(change, old) if handle is not None]
            if new == old:
                continue
            count = leaves.get(_COUNT)
            if count is None or bytes(count.data) != _U32.pack(len(old)):
                raise EditError("a list of node handles counts others", obj.where, found=len(old))
            bodies.append((count, _U32.pack(len(new))))
            bodies.append((leaves[_HANDLES], Struct(f"<{len(new)}I").pack(*new)))
        replace_bodies(obj, bodies)


def _numbers(leaf: Chunk) -> list[int]:
    count = len(leaf.data) // 4
    return list(Struct(f"<{count}I").unpack_from(leaf.data))


_declared: dict[int, list[tuple[tuple[int, int] | None, HandlePlace]]] = {}


def declare_handles(
    place: HandlePlace, superclass: int, class_id: tuple[int, int] | None = None
) -> None:
    """Say where objects of a superclass, or of one class of it, hold node handles."""
    _declared.setdefault(superclass, []).append((class_id, place))


# Standard and photometric lights, and the Raytrace material.
declare_handles(HandlePlace(0x2800), 0x30)
declare_handles(HandlePlace(0x0859), 0x30)
declare_handles(HandlePlace(0x4001), 0xC00, (0x27190FF4, 0x329B106E))


def handle_places(obj: SceneObject) -> list[HandlePlace]:
    """Return the declared places of an object."""
    declared = _declared.get(obj.superclass) if obj.superclass is not None else None
    return [
        place
        for class_id, place in declared or ()
        if class_id is None or obj.is_instance(obj.superclass or 0, class_id)
    ]


def holders(scene: Scene) -> Iterator[tuple[SceneObject, HandlePlace]]:
    """Yield every object that may hold handles, with each of its places."""
    for obj in scene.of_superclass(*_declared):
        for place in handle_places(obj):
            yield obj, place


def highest_handle(scene: Scene) -> int:
    """Return the highest handle of a node or in a list, now or when this was last asked.

    Raises:
        DecodeError: A handle cannot be read.
        ChunkError: An object is damaged.
    """
    # Only what changed since then is read.
    highest, seen = scene.kept.get(_KEPT, (0, {}))
    for node in scene.nodes.values():
        if seen.get(node) != node.data.revision:
            highest = max(highest, node.handle or 0)
            seen[node] = node.data.revision
    for obj, place in holders(scene):
        if seen.get((obj, place)) != obj.data.revision:
            highest = max(highest, *place.read(obj), 0)
            seen[obj, place] = obj.data.revision
    scene.kept[_KEPT] = highest, seen
    return int(highest)
