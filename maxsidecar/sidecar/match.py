"""Which objects of two scenes are the same.

Nodes are matched by handle where both scenes have handles, else by storage index and name, then by
name.  Other objects are matched through the objects that refer to them, then by class and order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from hashlib import blake2s

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.index_links import ATTRIBUTES, attribute_container
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.scene import Scene
from maxsidecar.sidecar.diff_indices import linked, object_indices
from maxsidecar.sidecar.object_names import ObjectNames

__all__ = ["Matching"]

#: Stands for the link to custom attributes among the reference slots.
_ATTRIBUTES_SLOT = -1

Key = Callable[[SceneObject], Hashable | None]


class Matching:
    """The pairs of objects that are the same in two scenes.

    Attributes:
        old, new: The scenes.
        old_names, new_names: Their objects' names.
        pairs: Storage index in the new scene, by storage index in the old one.
        found: The other way round.
    """

    def __init__(self, old: Scene, new: Scene) -> None:
        """Match the objects."""
        self.old, self.new = old, new
        self.old_names, self.new_names = ObjectNames(old), ObjectNames(new)
        self.pairs: dict[int, int] = {}
        self.found: dict[int, int] = {}
        self._match_nodes()
        self._match_others()

    def _pair(self, a: int, b: int) -> None:
        self.pairs[a] = b
        self.found[b] = a

    def _match_nodes(self) -> None:
        old, new = list(self.old.nodes.values()), list(self.new.nodes.values())
        self._by_key(old, new, lambda node: "root" if isinstance(node, RootNode) else None)
        if self.old_names.handles and self.new_names.handles:
            by_handle = {handle: index for index, handle in self.new_names.handles.items()}
            for index, handle in self.old_names.handles.items():
                other = by_handle.get(handle)
                if other is not None:
                    self._pair(index, other)
        self._by_key(old, new, lambda node: (node.index, _name(node)))
        self._by_key(old, new, _name)
        if not (self.old_names.handles and self.new_names.handles):
            # Renamed: all else that tells nodes apart is the same.
            self._by_key(old, new, _place)

    def _by_key(self, old: Iterable[SceneObject], new: Iterable[SceneObject], key: Key) -> None:
        """Pair what has the same key and no partner yet, in storage order."""
        waiting: dict[Hashable, deque[int]] = {}
        for obj in new:
            value = key(obj) if obj.index not in self.found else None
            if value is not None:
                waiting.setdefault(value, deque()).append(obj.index)
        for obj in old:
            value = key(obj) if obj.index not in self.pairs else None
            queue = waiting.get(value) if value is not None else None
            if queue:
                self._pair(obj.index, queue.popleft())

    def _match_others(self) -> None:
        self._by_key(self.old, self.new, _unique_class)
        self._spread(self.pairs.items())
        old = [obj for obj in self.old if not isinstance(obj, Node)]
        new = [obj for obj in self.new if not isinstance(obj, Node)]
        for key in (_content, _index_and_class, _class):
            known = len(self.pairs)
            self._by_key(old, new, key)
            self._spread(list(self.pairs.items())[known:])

    def _spread(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Pair what objects that are the same refer to."""
        pending = deque(pairs)
        while pending:
            a, b = pending.popleft()
            theirs = _references(self.new[b])
            for slot, target in _references(self.old[a]).items():
                other = theirs.get(slot)
                if other is None or target in self.pairs or other in self.found:
                    continue
                left, right = self.old[target], self.new[other]
                if isinstance(left, Node) or _class(left) != _class(right):
                    continue
                self._pair(target, other)
                pending.append((target, other))

    def removed(self) -> list[SceneObject]:
        """Return the objects that only the old scene has."""
        return [obj for obj in self.old if obj.index not in self.pairs]

    def added(self) -> list[SceneObject]:
        """Return the objects that only the new scene has."""
        return [obj for obj in self.new if obj.index not in self.found]


def _name(node: SceneObject) -> str | None:
    try:
        return node.name if isinstance(node, Node) else None
    except MaxSidecarError:
        return None


def _place(node: SceneObject) -> Hashable | None:
    """Return storage index, class and children of a node."""
    if not isinstance(node, Node):
        return None
    try:
        base = node.base_object
        children = tuple(child.index for child in node.children)
    except MaxSidecarError:
        return None
    return node.index, None if base is None else _class(base), children


def _class(obj: SceneObject) -> Hashable:
    return (obj.class_id, obj.superclass) if obj.info is not None else obj.scene.chunk_id(obj.index)


def _unique_class(obj: SceneObject) -> Hashable | None:
    """Return the class of objects that stand for the whole scene, of which there is one."""
    return _class(obj) if obj.index == len(obj.scene) - 1 and not isinstance(obj, Node) else None


def _index_and_class(obj: SceneObject) -> Hashable:
    return obj.index, _class(obj)


def _content(obj: SceneObject) -> Hashable:
    """Return class and bytes of an object; what it refers to does not count."""
    content = object_indices(obj, references=True).data
    return _class(obj), blake2s(content, digest_size=16).digest()


def _references(obj: SceneObject) -> dict[Hashable, int]:
    try:
        references = obj.references
    except MaxSidecarError:
        return {}
    targets: dict[Hashable, int] = {
        slot: index for slot, index in references.items() if index < len(obj.scene)
    }
    attributes = attribute_container(obj)
    if attributes is not None and attributes < len(obj.scene):
        targets[_ATTRIBUTES_SLOT] = attributes
    if not isinstance(obj, Node):
        targets.update(linked(obj, (ATTRIBUTES,)))
    return targets
