"""Finding the objects of a sidecar again in a scene that is no longer the one of its extraction.

Adding or deleting an object changes the storage index of all that follow, so there an index, even
with a class and a name, may be that of another object.  Besides values a sidecar therefore keeps
the ways on which nodes lead to each object.  What cannot be told for sure is not found: an edit
must not reach another object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import blake2s
from typing import Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.base import Base
from maxsidecar.sidecar.document import ObjectTable
from maxsidecar.sidecar.fields import read_fields
from maxsidecar.sidecar.groups import groups_of
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.listing import named_kind
from maxsidecar.sidecar.objects import read_info
from maxsidecar.sidecar.optional import FixedText, optional_fields
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.toml_text import scrub
from maxsidecar.sidecar.ways import Ways

__all__ = ["SCENE", "Traces"]

#: Under which key it is kept what tells whether anything came or went.
SCENE: Final = "@scene"

_NAME: KeyPath = ("name",)
_SUPERCLASSES: Final = {"material": 0xC00, "map": 0xC10, "layer": 0x10F0}


def _name_of(obj: SceneObject) -> str | None:
    try:
        name = getattr(obj, "name", None)
    except MaxSidecarError:
        return None
    return name if isinstance(name, str) else None


class Traces:
    """What is kept of the objects of a scene, and which objects fit what was kept."""

    def __init__(self, labels: Labels) -> None:
        """Read nothing yet."""
        self.labels = labels
        self.scene = labels.scene
        self.ways = Ways(labels, lambda: self._named)

    @cached_property
    def _named(self) -> dict[tuple[str, str], int]:
        """The materials, the maps and the layers whose name no other of the kind has."""
        found: dict[tuple[str, str], list[int]] = {}
        for obj in self.scene.of_superclass(*_SUPERCLASSES.values()):
            kind, name = named_kind(obj), _name_of(obj)
            if kind is not None and name:
                found.setdefault((kind, name), []).append(obj.index)
        return {key: indices[0] for key, indices in found.items() if len(indices) == 1}

    def is_named(self, obj: SceneObject) -> bool:
        """Return whether an object has a name that no other of its kind has."""
        return self._named.get((named_kind(obj) or "", _name_of(obj) or "")) == obj.index

    @cached_property
    def structure(self) -> str:
        """A digest of everything that says which object is which.

        Where it is the same, every storage index is that of the same object, whatever values
        changed.
        """
        scene = self.scene
        digest = blake2s(digest_size=16)
        for index in range(len(scene)):
            node = scene.nodes.get(index)
            name = self.ways.nodes.get(index) or (node and self.labels.name(node))
            steps = [step[:2] for step in self.ways.steps(index)]
            digest.update(repr((scene.chunk_id(index), name, steps)).encode())
        classes = [info and (info.class_id, info.superclass) for info in scene.classes]
        digest.update(repr(classes).encode())
        return digest.hexdigest()

    def of(self, obj: SceneObject) -> dict[str, Any]:
        """Return what is kept of an object that is no node, see :meth:`Base.about`."""
        ways, sure = self.ways.of(obj)
        found: dict[str, Any] = {"sure" if sure else "unsure": ways}
        if nodes := self._names_of_starts(ways):
            found["nodes"] = nodes
        if not sure:
            found["beside"] = len(self.ways.beside(obj))
        if named_kind(obj) is not None:
            name = _name_of(obj)
            found |= {"name": name} if name is not None else {}
            found |= {"named": True} if self.is_named(obj) else {}
        return found

    def of_scene(self) -> Base:
        """Return what is kept of the scene as a whole, under :data:`SCENE`."""
        return Base.of({}, None, {"structure": self.structure})

    def in_place(self, kept: Base | None) -> bool:
        """Return whether nothing came or went since :meth:`of_scene` returned something."""
        return kept is not None and kept.about("structure") == self.structure

    def find(
        self, table: ObjectTable, number: int, base: Base, scene: Base | None
    ) -> tuple[SceneObject | None, bool]:
        """Return the object that a table was about, and whether an edit may reach it unasked.

        Args:
            table: The table.
            number: Storage index of the object at extraction.
            base: What was kept of it.
            scene: What was kept of the scene.
        """
        search = _Search(self, table, number, base)
        if self.in_place(scene):
            found, certain = search.in_place()
            if found is None or not certain:
                return found, False
        else:
            found = (
                search.by_sure_ways() or search.by_way() or search.by_name() or search.by_index()
            )
        if found is None or search.is_named(found) or self._is_of_same_nodes(base):
            return found, True
        # A handle that is given again leads to the object of another node.
        return found, agrees(found, base)

    def _names_of_starts(self, ways: Any) -> list[str | None]:
        """Return the names of the nodes with a handle that ways start at, as far as there are."""
        starts = [way[0] for way in ways if isinstance(way, list | tuple) and way]
        found = [self.labels.ids.find("id", s) for s in starts if type(s) is int]
        return [None if node is None else self.labels.name(node) for node in found]

    def _is_of_same_nodes(self, base: Base) -> bool:
        """Return whether the nodes that lead to an object are called as at extraction, or gone."""
        ways, names = base.about("sure") or base.about("unsure"), base.about("nodes")
        if not isinstance(names, list) or not isinstance(ways, list):
            return True
        pairs = zip(self._names_of_starts(ways), names, strict=False)
        return all(now is None or now == then for now, then in pairs)

    def needs_scene(self, obj: SceneObject) -> bool:
        """Return whether finding an object again takes what :meth:`of_scene` returns."""
        return obj.index not in self.ways.nodes

    def find_node(self, nodes: Iterable[Node], base: Base, in_place: Node | None) -> Node | None:
        """Return the one of some nodes that is as it was at extraction, ``None`` for several.

        Args:
            nodes: Nodes that no handle tells apart.
            base: What was kept of the one that is meant.
            in_place: The one that is where that was, if nothing came or went in the scene.
        """
        told = ("class", "parent")
        found: list[Node] = []
        for node in nodes:
            info = read_info(node)
            if all(base.unchanged((key,), info.get(key)) for key in told if base.knows((key,))):
                found += [node] if agrees(node, base) else []
        if len(found) == 1:
            return found[0]
        return in_place if not found or in_place in found else None


def agrees(obj: SceneObject, base: Base, *, but_name: bool = False) -> bool:
    """Return whether all values of an object are those of the extraction."""
    groups = groups_of(base.heads)
    values = read_fields(obj, None, groups)
    if but_name:
        values[_NAME] = base.values.get("name")
    fixed = [p for p, f in optional_fields(obj, groups).items() if isinstance(f, FixedText)]
    return base.values_agree(values, fixed)


class _Search:
    """The search for one object."""

    def __init__(self, traces: Traces, table: ObjectTable, number: int, base: Base) -> None:
        self.traces = traces
        self.scene = traces.scene
        self.table = table
        self.number = number
        self.base = base

    def _is_same_kind(self, obj: SceneObject) -> bool:
        if obj.index in self.scene.nodes:
            return False
        if self.table.kind != "object" and named_kind(obj) != self.table.kind:
            return False
        return self.base.unchanged(("class",), scrub(obj.class_name))

    def _is_same_name(self, obj: SceneObject) -> bool:
        """Return whether an object is called as at extraction, or as the sidecar will call it."""
        name = _name_of(obj)
        return (
            self.base.about("name") is None
            or self.base.is_about("name", name)
            or (name is not None and self.table.values.get(_NAME) == name)
        )

    def _one_that_agrees(self, objects: Iterable[SceneObject]) -> SceneObject | None:
        found = [obj for obj in objects if agrees(obj, self.base)]
        return found[0] if len(found) == 1 else None

    def _ends(self, key: str) -> dict[int, tuple[SceneObject, bool]]:
        """Return the objects that the ways lead to now, and whether every step is sure."""
        ways = self.base.about(key)
        walks = [self.traces.ways.walk(way) for way in (ways if isinstance(ways, list) else ())]
        return {w[0].index: w for w in walks if w is not None and self._is_same_kind(w[0])}

    def in_place(self) -> tuple[SceneObject | None, bool]:
        """Return the object where it was, in a scene in which nothing came or went."""
        obj = self.scene[self.number] if 0 <= self.number < len(self.scene) else None
        if obj is None or not self._is_same_kind(obj):
            return None, False
        if not self._is_same_name(obj):
            return (obj, True) if agrees(obj, self.base, but_name=True) else (None, False)
        if self.base.about("sure") or self.is_named(obj) or agrees(obj, self.base):
            return obj, True
        # Objects of one class may have changed places in a list.
        others = (other for other in self._alike(obj) if other is not obj)
        return obj, not any(agrees(other, self.base) for other in others)

    def _alike(self, obj: SceneObject) -> Iterator[SceneObject]:
        found = self.scene.of_superclass(obj.superclass or 0)
        return (other for other in found if self._is_same_kind(other))

    def by_sure_ways(self) -> SceneObject | None:
        """Return the object that nodes lead to over slots that tell it from all others."""
        ends = self._ends("sure")
        if len(ends) > 1:
            return self._one_that_agrees(obj for obj, _ in ends.values())
        for obj, sure in ends.values():
            if not sure:
                return self._unsure(obj)
            if not self._is_same_name(obj):
                # Another material came to the node, or this one was renamed.
                same = obj.index == self.number and agrees(obj, self.base, but_name=True)
                return obj if same else None
            named = self.base.about("name") is not None
            if not named or self.is_named(obj) or obj.index == self.number:
                return obj
            return obj if agrees(obj, self.base) else None
        return None

    def by_way(self) -> SceneObject | None:
        """Return the object that the Scene object leads to, or a list of objects of one class."""
        ends = self._ends("unsure")
        if len(ends) != 1:
            return None
        return self._unsure(next(iter(ends.values()))[0])

    def _unsure(self, obj: SceneObject) -> SceneObject | None:
        if self.is_named(obj) and self._is_same_name(obj):
            return obj
        if not self._is_same_name(obj) or not agrees(obj, self.base):
            return None
        # Neighbours that are all the same are told apart by nothing once one came or went.
        beside = self.traces.ways.beside(obj)
        if obj.index == self.number or self.base.about("beside") == len(beside):
            return obj
        return None if any(agrees(self.scene[n], self.base) for n in beside) else obj

    def is_named(self, obj: SceneObject) -> bool:
        """Return whether the name tells an object from all others, then and now."""
        return self.base.about("named") is True and self.traces.is_named(obj)

    def by_name(self) -> SceneObject | None:
        """Return a layer, or the material or map that is otherwise unchanged, by its name."""
        superclass = _SUPERCLASSES.get(self.table.kind)
        if superclass is None or self.base.about("name") is None:
            return None
        for obj in self.scene.of_superclass(superclass):
            if self._is_same_kind(obj) and self._is_same_name(obj) and self.is_named(obj):
                return obj if self.table.kind == "layer" or agrees(obj, self.base) else None
        return None

    def by_index(self) -> SceneObject | None:
        """Return the object where it was, if nothing leads to it and no other one fits."""
        if self.base.about("sure") or self.base.about("unsure"):
            return None
        if not 0 <= self.number < len(self.scene):
            return None
        obj = self.scene[self.number]
        if not self._is_same_kind(obj) or not self._is_same_name(obj):
            return None
        return obj if self._one_that_agrees(self._alike(obj)) is obj else None
