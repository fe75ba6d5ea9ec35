"""Who holds whom: every storage index of a scene that is in a declared place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.places import Held, places_of
from maxsidecar.scene.scene import Scene

__all__ = ["Graph", "subtree"]


@dataclass(slots=True)
class _Read:
    """What an object held when its bytes had a revision."""

    obj: SceneObject
    revision: int
    held: list[Held] = field(default_factory=list)
    damage: MaxSidecarError | None = None


def _read(obj: SceneObject) -> _Read:
    read = _Read(obj, obj.data.revision)
    for place in places_of(obj):
        try:
            read.held += place.read(obj)
        except MaxSidecarError as error:
            read.damage = read.damage or error.with_traceback(None)
    return read


class Graph:
    """What each object holds, and who holds it; :meth:`of` gives the one of a scene.

    Indices that point outside the scene are left out.

    Attributes:
        holds: What each object holds, by its storage index.
    """

    def __init__(self) -> None:
        """Start with nothing read."""
        self.holds: list[list[Held]] = []
        self._edits = -1
        self._read: dict[int, _Read] = {}
        self._damage: MaxSidecarError | None = None
        self._owners: list[list[int]] | None = None
        self._holders: dict[int, tuple[int, int]] | None = None

    @classmethod
    def of(cls, scene: Scene, *, lenient: bool = False) -> Graph:
        """Return the graph of a scene as it is now.

        It is kept with the scene; after an edit only the objects that changed are read again.

        Args:
            scene: The scene.
            lenient: Leave out what cannot be read.

        Raises:
            DecodeError: An object holds indices in a layout that is not known.
            ChunkError: An object is damaged.
        """
        graph = scene.kept.get(cls)
        if graph is None:
            graph = scene.kept[cls] = cls()
        if graph._edits != scene.edits.count:
            graph._refresh(scene)
        if graph._damage is not None and not lenient:
            raise graph._damage.with_traceback(None)
        return graph

    def _refresh(self, scene: Scene) -> None:
        count = len(scene)
        known, self._read = self._read, {}
        self.holds = []
        self._damage = self._owners = self._holders = None
        for obj in scene:
            # An object that lives on keeps its identity, and its bytes until their revision says
            # otherwise, wherever it stands now.
            read = known.get(id(obj))
            if read is None or read.revision != obj.data.revision:
                read = _read(obj)
            self._read[id(obj)] = read
            self._damage = self._damage or read.damage
            self.holds.append([held for held in read.held if 0 <= held.index < count])
        self._edits = scene.edits.count

    def owned(self, index: int) -> Iterator[int]:
        """Yield the objects that an object keeps alive; one may occur more than once."""
        return (held.index for held in self.holds[index] if held.owns)

    def owners(self, index: int) -> list[int]:
        """Return the objects that keep an object alive."""
        if self._owners is None:
            self._owners = [[] for _ in self.holds]
            for owner, holds in enumerate(self.holds):
                for held in holds:
                    if held.owns:
                        self._owners[held.index].append(owner)
        return self._owners[index]

    def holder(self, index: int) -> tuple[int, int] | None:
        """Return storage index and slot of the first reference list that holds an object."""
        if self._holders is None:
            self._holders = {}
            for holder, holds in enumerate(self.holds):
                for held in holds:
                    if held.slot is not None:
                        self._holders.setdefault(held.index, (holder, held.slot))
        return self._holders.get(index)

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
            if any(owner not in inside for owner in self.owners(index))
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
