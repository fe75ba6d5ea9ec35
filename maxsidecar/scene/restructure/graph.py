"""Who holds whom: every storage index of a scene that is in a declared place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.places import Held, places_of
from maxsidecar.scene.scene import Scene

__all__ = ["Graph", "subtree"]


class Graph:
    """What each object holds, and who holds it.

    Indices that point outside the scene are left out.

    Raises:
        DecodeError: An object holds indices in a layout that is not known.
        ChunkError: An object is damaged.
    """

    def __init__(self, scene: Scene) -> None:
        """Read every declared place of every object."""
        count = len(scene)
        self.holds: list[list[Held]] = []
        self._owners: list[list[int]] = [[] for _ in range(count)]
        for obj in scene:
            held = [h for place in places_of(obj) for h in place.read(obj) if h.index < count]
            self.holds.append(held)
            for one in held:
                if one.owns:
                    self._owners[one.index].append(obj.index)

    def owned(self, index: int) -> Iterator[int]:
        """Yield the objects that an object keeps alive; one may occur more than once."""
        return (held.index for held in self.holds[index] if held.owns)

    def owners(self, index: int) -> list[int]:
        """Return the objects that keep an object alive."""
        return self._owners[index]

    def below(self, roots: Iterable[int], stop: Collection[int]) -> set[int]:
        """Return the roots and everything that they keep alive.

        Args:
            roots: Storage indices to start from.
            stop: Objects that are not entered, unless they are roots.
        """
        found = set(roots)
        todo = list(found)
        while todo:
            for index in self.owned(todo.pop()):
                if index not in found and index not in stop:
                    found.add(index)
                    todo.append(index)
        return found

    def only_used_by(self, roots: Collection[int], stop: Collection[int]) -> set[int]:
        """Return the roots and what nothing else keeps alive.

        Args:
            roots: Storage indices.
            stop: Objects that live whatever happens to those that use them.
        """
        inside = self.below(roots, stop)
        fixed = set(roots)
        # What somebody outside uses lives on, and so does all that it uses in turn.
        todo = [
            index
            for index in inside - fixed
            if any(owner not in inside for owner in self._owners[index])
        ]
        alive = set(todo)
        while todo:
            for index in self.owned(todo.pop()):
                if index in inside and index not in alive and index not in fixed:
                    alive.add(index)
                    todo.append(index)
        return inside - alive


def subtree(scene: Scene, nodes: Iterable[SceneObject]) -> set[int]:
    """Return the storage indices of nodes and of all nodes below them, each once."""
    found: set[int] = set()
    todo = [node.index for node in nodes]
    tree = scene.nodes
    while todo:
        index = todo.pop()
        if index not in found and index in tree:
            found.add(index)
            todo += [child.index for child in tree.children(tree[index])]
    return found
