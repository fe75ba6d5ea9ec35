"""How nodes lead to the other objects of a scene, in a form that survives another storage order.

Objects that are no nodes have no id of their own, and their storage index changes whenever an
object in front of them comes or goes.  What stays is the way from a node that has an id: the slots
of the references on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.labels import Labels

__all__ = ["Start", "Step", "Way", "Ways"]

#: The handle of a node, the name of a node without one, kind and name of a material, map or layer
#: that no other has, or nothing for the Scene object, which stands for the scene as a whole.
Start: TypeAlias = int | str | tuple[str, str]
#: Where it starts, then a slot for each step.
Way: TypeAlias = tuple[Start | int, ...]

_SCENE: Final = ""
#: Stands for the link to custom attributes among the reference slots.
_ATTRIBUTES: Final = -1
#: Most ways that are told of an object.
_KEPT: Final = 2
#: Longer ways are none, so that a chain of objects costs no more than it is long.
_MAX_STEPS: Final = 32
#: Parameter blocks: the class of their owner says which block stands in which slot.
_BLOCKS: Final = (0x8, 0x82)


class Step(NamedTuple):
    """A reference to an object that is no node.

    Attributes:
        slot: Reference slot, or -1 for the container of custom attributes.
        target: Storage index.
        sure: Whether the slot tells the object from all others: it is that of a node or leads to a
            parameter block, or the owner refers to no other object of that class.  In a list of
            objects of one class, the slots of all others change when one goes.
    """

    slot: int
    target: int
    sure: bool


class Ways:
    """The ways to the objects of a scene, as they are when this is made."""

    def __init__(self, labels: Labels, named: Callable[[], Mapping[tuple[str, str], int]]) -> None:
        """Read nothing yet.

        Args:
            labels: Labels of the scene's nodes.
            named: Gives the storage indices of materials, maps and layers with a name of their own.
        """
        self.labels = labels
        self.scene = labels.scene
        self._read_named = named
        self._known: dict[int, list[Step]] = {}

    def steps(self, index: int) -> list[Step]:
        """Return the references of an object to others that are no nodes."""
        known = self._known.get(index)
        if known is None:
            known = self._known[index] = list(self._steps(index))
        return known

    def _steps(self, index: int) -> Iterator[Step]:
        # Not needed for scenes that list nodes only, and it loads the parameter blocks.
        from maxsidecar.scene.index_links import attribute_container

        scene, obj = self.scene, self.scene[index]
        try:
            targets = dict(obj.references)
        except MaxSidecarError:
            return
        attributes = attribute_container(obj)
        if attributes is not None:
            targets[_ATTRIBUTES] = attributes
        targets = {s: t for s, t in targets.items() if 0 <= t < len(scene) and t not in scene.nodes}
        classes: dict[int, set[int]] = {}
        for target in targets.values():
            classes.setdefault(scene.chunk_id(target), set()).add(target)
        is_node = isinstance(obj, Node)
        for slot, target in targets.items():
            class_id = scene.chunk_id(target)
            info = scene.class_info(class_id)
            sure = is_node or len(classes[class_id]) == 1
            yield Step(slot, target, sure or (info is not None and info.superclass in _BLOCKS))

    @cached_property
    def nodes(self) -> dict[int, Start]:
        """What tells a node from all others, by its storage index."""
        starts: dict[int, Start] = {}
        labels = self.labels
        for node in self.scene.nodes.values():
            handle = labels.ids.handles.get(node.index)
            if handle is not None:
                starts[node.index] = handle
            elif labels.is_unique(node):
                starts[node.index] = labels.name(node)
        return starts

    @cached_property
    def _named(self) -> dict[int, Start]:
        return {index: name for name, index in self._read_named().items()}

    @cached_property
    def _from_nodes(self) -> Mapping[int, list[Way]]:
        return self._spread(self.nodes.items(), sure=True)

    @cached_property
    def _from_names(self) -> Mapping[int, list[Way]]:
        return self._spread([*self.nodes.items(), *self._named.items()], sure=True)

    @cached_property
    def _unsure(self) -> Mapping[int, list[Way]]:
        last = len(self.scene) - 1
        scene = [(last, _SCENE)] if last >= 0 and last not in self.scene.nodes else []
        return self._spread([*self.nodes.items(), *self._named.items(), *scene], sure=False)

    def _spread(self, starts: Iterable[tuple[int, Start]], *, sure: bool) -> dict[int, list[Way]]:
        """Return the shortest ways to each object, over sure steps only or over all."""
        found: dict[int, list[Way]] = {}
        level: dict[int, list[Way]] = {index: [(start,)] for index, start in starts}
        for _ in range(_MAX_STEPS):
            following: dict[int, list[Way]] = {}
            for index, ways in level.items():
                for step in self.steps(index):
                    if step.target not in found and (step.sure or not sure):
                        into = following.setdefault(step.target, [])
                        into += [(*way, step.slot) for way in ways[: _KEPT - len(into)]]
            found |= following
            level = following
        return found

    def of(self, obj: SceneObject) -> tuple[list[Way], bool]:
        """Return ways to an object, and whether every step of them is sure."""
        for ways in (self._from_nodes, self._from_names):
            if obj.index in ways:
                return ways[obj.index], True
        return self._unsure.get(obj.index, []), False

    def walk(self, way: Any) -> tuple[SceneObject, bool] | None:
        """Follow a way.

        Args:
            way: The way, as it was stored; anything else leads nowhere.

        Returns:
            The object that it leads to now, and whether every step is sure now.
        """
        if not isinstance(way, list | tuple) or not 2 <= len(way) <= _MAX_STEPS + 1:
            return None
        start, *slots = way
        if start == _SCENE:
            index = len(self.scene) - 1
        else:
            start = tuple(start) if isinstance(start, list) else start
            try:
                index = self._by_start.get(start, -1)
            except TypeError:
                return None
        if index < 0:
            return None
        sure = start != _SCENE
        for slot in slots:
            step = next((step for step in self.steps(index) if step.slot == slot), None)
            if step is None:
                return None
            index, sure = step.target, sure and step.sure
        return self.scene[index], sure

    @cached_property
    def _by_start(self) -> dict[object, int]:
        return {start: index for index, start in {**self._named, **self.nodes}.items()}

    def beside(self, obj: SceneObject) -> set[int]:
        """Return other objects of the same class that an owner of the object refers to as well."""
        found: set[int] = set()
        chunk_id = self.scene.chunk_id(obj.index)
        for owner in self._owners.get(obj.index, ()):
            targets = {step.target for step in self.steps(owner)} - {obj.index}
            found.update(t for t in targets if self.scene.chunk_id(t) == chunk_id)
        return found

    @cached_property
    def _owners(self) -> dict[int, list[int]]:
        owners: dict[int, list[int]] = {}
        for index in range(len(self.scene)):
            for step in self.steps(index):
                owners.setdefault(step.target, []).append(index)
        return owners
