"""What differs between two scenes, by meaning rather than by bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.io.buffers import same_bytes
from maxsidecar.scene.appdata import APPDATA
from maxsidecar.scene.index_links import ATTRIBUTES, attribute_container, header_meaning
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import ROOT_NAME, Layer, Node, NodeParent
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.scene.objects import DENSE_REFERENCES, SPARSE_REFERENCES, SceneObject
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.sidecar.diff_chunks import Side, both_cut, compare_chunks
from maxsidecar.sidecar.diff_indices import Indices, object_indices
from maxsidecar.sidecar.diff_parameters import compare_parameters
from maxsidecar.sidecar.diff_streams import compare_streams
from maxsidecar.sidecar.match import Matching
from maxsidecar.sidecar.object_names import ObjectNames
from maxsidecar.sidecar.text_chunks import problem_text, typed_by_offset
from maxsidecar.sidecar.text_objects import appdata_values, node_flag_values
from maxsidecar.sidecar.text_values import quoted

__all__ = ["Difference", "compare"]

#: What the reference slots of a node mean (docs/format/node.md section 3).
_SLOTS: Final = {0: "controller", 1: "object", 3: "material", 4: "visibility", 6: "layer"}
_PARTNERS: Final = {flag.partner for flag in NODE_FLAGS.values() if flag.partner is not None}


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs.

    Attributes:
        kind: ``file``, ``stream``, ``plug-in``, ``class``, ``node`` or ``object``.
        name: What it is about: a node with its id, an object by class and number, a stream.
        change: ``added``, ``removed``, ``renamed``, ``reparented`` or ``changed``.
        field: The value that changed; empty for the whole thing.
        old: What it was, as text; ``None`` when it was not there.
        new: What it is, as text; ``None`` when it is not there.
    """

    kind: str
    name: str
    change: str
    field: str = ""
    old: str | None = None
    new: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the difference as plain data."""
        return asdict(self)


def compare(old: MaxFile, new: MaxFile) -> Iterator[Difference]:
    """Yield the differences between two scenes: file, streams, nodes, then other objects.

    Args:
        old: One scene.
        new: The other.

    Raises:
        MaxSidecarError: A Scene stream cannot be read at all.
    """
    for name, read in (
        ("release", lambda f: f.release),
        ("written by", lambda f: f.program_name),
        ("packing", lambda f: f.streams["Scene"].packing),
    ):
        left, right = _attempt(read, old), _attempt(read, new)
        if left != right:
            yield Difference("file", "", "changed", name, left, right)
    matching = Matching(old.scene, new.scene)
    for kind, name, change, field, left, right in compare_streams(old, new, matching.pairs):
        yield Difference(kind, name, change, field, left, right)
    yield from _Scenes(matching).differences()


def _attempt(read: Any, scene_file: MaxFile) -> str | None:
    try:
        value = read(scene_file)
    except MaxSidecarError as error:
        return problem_text(error)
    return None if value is None else str(value)


class _Scenes:
    """Compares the objects of two scenes."""

    def __init__(self, matching: Matching) -> None:
        self.matching = matching
        self.old, self.new = matching.old_names, matching.new_names
        # Equal indices everywhere mean that equal bytes are equal references.
        self.same_order = all(a == b for a, b in matching.pairs.items())

    def differences(self) -> Iterator[Difference]:
        nodes: list[Difference] = []
        others: list[Difference] = []
        for obj in self.matching.removed():
            out = nodes if isinstance(obj, Node) else others
            out.append(Difference(_kind(obj), _label(obj, self.old), "removed", "", _about(obj)))
        for a, b in self.matching.pairs.items():
            obj = self.matching.old[a]
            out = nodes if isinstance(obj, Node) else others
            out += self._pair(obj, self.matching.new[b])
        for obj in self.matching.added():
            out = nodes if isinstance(obj, Node) else others
            out.append(
                Difference(_kind(obj), _label(obj, self.new), "added", "", None, _about(obj))
            )
        yield from nodes
        yield from others

    def _pair(self, a: SceneObject, b: SceneObject) -> Iterator[Difference]:
        same = same_bytes(a.data.data, b.data.data)
        if same and self.same_order:
            return
        kind, label = _kind(a), _label(a, self.old)
        for change, field, old, new in self._fields(a, b, same):
            yield Difference(kind, label, change, field, old, new)

    def _fields(
        self, a: SceneObject, b: SceneObject, same: bool
    ) -> Iterator[tuple[str, str, str | None, str | None]]:
        try:
            skip: set[int] = set()
            if isinstance(a, Node) and isinstance(b, Node):
                yield from self._node_fields(a, b, skip)
            yield from self._references(a, b, skip)
            yield from self._links(a, b, skip)
            left, right = object_indices(a), object_indices(b)
            yield from self._indices(left, right, skip)
            if same:
                return
            yield from _appdata(a, b, skip)
            chunks = list(a.chunks()), list(b.chunks())
            if isinstance(a, ParamBlockBase) and isinstance(b, ParamBlockBase):
                told: tuple[set[int], set[int]] = set(), set()
                for name, old_value, new_value, *places in compare_parameters(a, b):
                    yield "changed", f"parameters.{name}", *both_cut(old_value, new_value)
                    told[0].add(places[0])
                    told[1].add(places[1])
                chunks = (
                    [chunk for chunk in chunks[0] if chunk.position not in told[0]],
                    [chunk for chunk in chunks[1] if chunk.position not in told[1]],
                )
            sides = self._sides(a, b, left, right)
            for path, old, new in compare_chunks(*chunks, *sides, "Scene", skip=skip):
                yield "changed", path, old, new
        except MaxSidecarError as error:
            yield "changed", "", None, problem_text(error)

    def _indices(
        self, left: Indices, right: Indices, skip: set[int]
    ) -> Iterator[tuple[str, str, str | None, str | None]]:
        """Yield where two objects name others outside reference lists, and not the same ones."""
        for place in left.held | right.held:
            if any(place.startswith(f"{chunk_id:04x}") for chunk_id in skip):
                continue
            pairs = zip_longest(left.held.get(place, ()), right.held.get(place, ()))
            for number, (old, new) in enumerate(pairs):
                if (None if old is None else self.matching.pairs.get(old, -1)) == new:
                    continue
                yield (
                    "changed",
                    f"{place}[{number}]" if number else place,
                    None if old is None else _target(self.old, old),
                    None if new is None else _target(self.new, new),
                )

    def _sides(
        self, a: SceneObject, b: SceneObject, left: Indices, right: Indices
    ) -> tuple[Side, Side]:
        """Return what is known of two objects' chunks; the same object has the same name."""
        found = self.matching.found

        def new_name(index: int) -> str:
            # What is matched is named as in the old scene.
            known = found.get(index)
            return self.new.name(index) if known is None else self.old.name(known)

        return (
            Side(
                typed_by_offset(a)[0],
                lambda value: header_meaning(value, self.matching.old, self.old.name),
                left.content,
            ),
            Side(
                typed_by_offset(b)[0],
                lambda value: header_meaning(value, self.matching.new, new_name),
                right.content,
            ),
        )

    def _links(
        self, a: SceneObject, b: SceneObject, skip: set[int]
    ) -> Iterator[tuple[str, str, str | None, str | None]]:
        left, right = attribute_container(a), attribute_container(b)
        if left is None or right is None:
            return
        skip.add(ATTRIBUTES)
        if self.matching.pairs.get(left) != right:
            old, new = self.old.name(left), self.new.name(right)
            yield "changed", "attributes", old, new

    def _node_fields(
        self, a: Node, b: Node, skip: set[int]
    ) -> Iterator[tuple[str, str, str | None, str | None]]:
        if a.name != b.name:
            yield "renamed", "name", quoted(a.name), quoted(b.name)
        skip.add(0x0962)
        left, right = a.parent_link, b.parent_link
        if left is not None and right is not None:
            skip.add(0x0960)
            if self.matching.pairs.get(left.parent) != right.parent:
                yield (
                    "reparented",
                    "parent",
                    _named(self.old, left),
                    _named(self.new, right),
                )
            if left.flags != right.flags:
                # The chunks that repeat flags go with them.
                skip |= _PARTNERS
            yield from _changed(node_flag_values(left), node_flag_values(right))
        if a.wire_color != b.wire_color and a.wire_color and b.wire_color:
            skip.add(0x0974)
            yield "changed", "wire_color", str(a.wire_color), str(b.wire_color)
        if a.user_properties != b.user_properties:
            skip.add(0x09BA)
            for change, key, old, new in _changed(
                {k: quoted(v) for k, v in a.user_properties.items()},
                {k: quoted(v) for k, v in b.user_properties.items()},
            ):
                yield change, f"user_properties.{key}", old, new

    def _references(
        self, a: SceneObject, b: SceneObject, skip: set[int]
    ) -> Iterator[tuple[str, str, str | None, str | None]]:
        left, right = a.references, b.references
        skip |= {DENSE_REFERENCES, SPARSE_REFERENCES}
        for slot in sorted(left.keys() | right.keys()):
            old, new = left.get(slot), right.get(slot)
            if (None if old is None else self.matching.pairs.get(old, -1)) == new:
                continue
            name = _SLOTS.get(slot, f"reference {slot}") if isinstance(a, Node) else ""
            yield (
                "changed",
                name or f"reference {slot}",
                None if old is None else _target(self.old, old),
                None if new is None else _target(self.new, new),
            )


def _named(names: ObjectNames, link: NodeParent) -> str:
    return _target(names, link.parent)


def _target(names: ObjectNames, index: int) -> str:
    """Return the name of an object for people: with a node's or layer's own name."""
    name = names.name(index)
    if not 0 <= index < len(names.scene):
        return name
    obj = names.scene[index]
    if isinstance(obj, Node | Layer):
        try:
            return f"{name} {quoted(obj.name)}" if obj.name else name
        except MaxSidecarError:
            return name
    return name


def _label(obj: SceneObject, names: ObjectNames) -> str:
    if not isinstance(obj, Node):
        node = names.start(obj.index)
        way = _target(names, obj.index)
        return f"{way} of {_label(node, names)}" if node is not None else way
    name = names.name(obj.index)
    try:
        return f"{obj.name}{name}" if name != "@root" else ROOT_NAME
    except MaxSidecarError:
        return name


def _kind(obj: SceneObject) -> str:
    return "node" if isinstance(obj, Node) else "object"


def _about(obj: SceneObject) -> str:
    """Return what is told of an object that only one scene has."""
    if isinstance(obj, Node):
        try:
            base = obj.base_object
        except MaxSidecarError:
            base = None
        return base.class_name if base is not None else obj.class_name
    return obj.class_name


def _appdata(
    a: SceneObject, b: SceneObject, skip: set[int]
) -> Iterator[tuple[str, str, str | None, str | None]]:
    if a.appdata.problems() or b.appdata.problems():
        return
    skip.add(APPDATA)
    yield from _changed(dict(appdata_values(a)), dict(appdata_values(b)))


def _changed(
    old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[tuple[str, str, str | None, str | None]]:
    for key in {**old, **new}:
        if old.get(key) != new.get(key):
            yield "changed", key, old.get(key), new.get(key)
