"""Who holds whom: every storage index of a scene that is in a declared place."""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass, field

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.restructure.places import Held, places_of
from maxsidecar.scene.scene import Scene

__all__ = ["Graph", "subtree"]


@dataclass(slots=True)
class _Read:
    """What an object held when its bytes had a revision; ``highest`` of the indices."""

    obj: SceneObject
    revision: int
    held: list[Held] = field(default_factory=list)
    damage: MaxSidecarError | None = None
    highest: int = -1

    def inside(self, count: int) -> list[Held]:
        """Return what leads to one of so many objects."""
        if self.highest < count and all(held.index >= 0 for held in self.held):
            return self.held
        return [held for held in self.held if 0 <= held.index < count]


def _read(obj: SceneObject) -> _Read:
    read = _Read(obj, obj.data.revision)
    for place in places_of(obj):
        try:
            read.held += place.read(obj)
        except MaxSidecarError as error:
            read.damage = read.damage or error.with_traceback(None)
    read.highest = max((held.index for held in read.held), default=-1)
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
        self._reads: list[_Read] = []
        self._damage: MaxSidecarError | None = None
        #: By storage index, in ascending order, once for each time: who owns it, who only names it.
        self._held_by: dict[bool, list[list[int]]] | None = None
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

    @classmethod
    def at_hand(cls, scene: Scene) -> Graph | None:
        """Return the graph of a scene if somebody asked for it before and all of it was read."""
        if cls not in scene.kept:
            return None
        graph = cls.of(scene, lenient=True)
        return graph if graph._damage is None else None

    def _refresh(self, scene: Scene) -> None:
        objects = list(scene)
        reads, count, before = self._reads, len(objects), len(self._reads)
        # An object that lives on keeps its identity, and its bytes until their revision says
        # otherwise, wherever it stands now.
        other = [
            index
            for index, (read, obj) in enumerate(zip(reads, objects, strict=False))
            if read.obj is not obj or read.revision != obj.data.revision
        ]
        known = {id(reads[n].obj): reads[n] for n in (*other, *range(count, before))}
        changed = {*other, *range(before, count)}
        if count != before:
            # What led outside may lead inside now, and the other way round.
            edge = min(count, before)
            changed |= {n for n, read in enumerate(reads[:count]) if read.highest >= edge}
        if len(changed) * 4 > count:
            self._held_by = None
        self._forget((*sorted(changed), *range(count, before)))
        for index in sorted(changed):
            obj = objects[index]
            read = known.get(id(obj)) or (reads[index] if index < before else None)
            if read is None or read.obj is not obj or read.revision != obj.data.revision:
                read = _read(obj)
            reads[index : index + 1] = [read]
            self.holds[index : index + 1] = [read.inside(count)]
        del reads[count:], self.holds[count:]
        self._note(changed, count)
        self._damage = next((read.damage for read in reads if read.damage is not None), None)
        self._holders = None
        self._edits = scene.edits.count

    def _forget(self, holders: Iterable[int]) -> None:
        """Take holders out of the lists of what they held."""
        if self._held_by is None:
            return
        for holder in holders:
            for held in self.holds[holder] if holder < len(self.holds) else ():
                self._held_by[held.owns][held.index].remove(holder)

    def _note(self, holders: Iterable[int], count: int) -> None:
        """Put holders into the lists of what they hold."""
        if self._held_by is None:
            return
        for lists in self._held_by.values():
            lists[count:] = [[] for _ in range(len(lists), count)]
        for holder in holders:
            for held in self.holds[holder]:
                insort(self._held_by[held.owns][held.index], holder)

    def owned(self, index: int) -> Iterator[int]:
        """Yield the objects that an object keeps alive; one may occur more than once."""
        return (held.index for held in self.holds[index] if held.owns)

    def _lists(self) -> dict[bool, list[list[int]]]:
        if self._held_by is None:
            self._held_by = {owns: [[] for _ in self.holds] for owns in (True, False)}
            for holder, holds in enumerate(self.holds):
                for held in holds:
                    self._held_by[held.owns][held.index].append(holder)
        return self._held_by

    def owners(self, index: int) -> list[int]:
        """Return the objects that keep an object alive."""
        return self._lists()[True][index]

    def holders(self, index: int) -> set[int]:
        """Return the objects that keep an object alive or name it."""
        return {holder for lists in self._lists().values() for holder in lists[index]}

    def holder(self, index: int) -> tuple[int, int] | None:
        """Return storage index and slot of the first reference list that holds an object."""
        if self._holders is None:
            self._holders = {}
            for holder, holds in enumerate(self.holds):
                for held in holds:
                    if held.slot is not None:
                        self._holders.setdefault(held.index, (holder, held.slot))
        return self._holders.get(index)

    def below(self, roots: Iterable[int], stop: Container[int]) -> set[int]:
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

    def only_used_by(self, roots: Collection[int], stop: Container[int]) -> set[int]:
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
