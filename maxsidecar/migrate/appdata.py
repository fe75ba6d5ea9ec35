"""``appdata``: AppData entries by id: another key, another type, another object, or gone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from maxsidecar.errors import EditError, MaxSidecarError, shorten
from maxsidecar.migrate.appdata_types import TYPES, AppDataType, convert
from maxsidecar.migrate.log import Log
from maxsidecar.migrate.registry import Change, Migration, MigrationError, Option, Options, register
from maxsidecar.scene.appdata_registry import REGISTRY, AppDataKey
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject

__all__ = ["KeyPattern"]

_OWNER: Final = re.compile(r"([0-9a-fA-F]{1,8})-([0-9a-fA-F]{1,8})/([0-9a-fA-F]{1,8})/\*")


@dataclass(frozen=True, slots=True)
class KeyPattern:
    """A key, or all keys of an owner.

    Attributes:
        key: The key; its number means nothing for all of an owner.
        whole_owner: Whether every number of the owner is meant.
    """

    key: AppDataKey
    whole_owner: bool = False

    @classmethod
    def parse(cls, text: str) -> KeyPattern:
        """Return the pattern of its text.

        Args:
            text: ``04d64858-16d1751d/1020/77``, ``04d64858-16d1751d/1020/*``, or a name such as
                ``nel.lod.dist_max``.

        Raises:
            MigrationError: It is none.
        """
        text = text.removeprefix("appdata.")
        found = _OWNER.fullmatch(text)
        try:
            if found is not None:
                a, b, superclass = (int(part, 16) for part in found.groups())
                return cls(AppDataKey(a, b, superclass, 0), True)
            known = REGISTRY.by_toml_path(text.split("."))
            return cls(known.key if known is not None else AppDataKey.parse(text))
        except EditError:
            raise MigrationError(
                "not an AppData key",
                expected="<class id>-<class id>/<superclass>/<number or *>, or a name such as "
                "nel.lod.dist_max",
                found=shorten(text),
            ) from None

    def matches(self, key: AppDataKey) -> bool:
        """Return whether a key is meant."""
        own = self.key
        return (key.class_a, key.class_b, key.superclass) == (
            own.class_a,
            own.class_b,
            own.superclass,
        ) and (self.whole_owner or key.subid == own.subid)

    def renamed(self, key: AppDataKey) -> AppDataKey:
        """Return a key as this pattern's: of this owner, and with this number if it says one."""
        own = self.key
        number = key.subid if self.whole_owner else own.subid
        return AppDataKey(own.class_a, own.class_b, own.superclass, number)


class _Rule(Protocol):
    """One of the things that are done to the entries of a scene."""

    def apply(self, scene_file: MaxFile, log: Log) -> None:
        """Do it."""


def _objects(
    scene_file: MaxFile, pattern: KeyPattern
) -> Iterator[tuple[SceneObject, list[AppDataKey]]]:
    """Yield the objects that have entries which a pattern means, with their keys, repeats too."""
    for obj in list(scene_file.scene.objects_with_appdata()):
        keys = [item.key for item in obj.appdata if pattern.matches(item.key)]
        if keys:
            yield obj, keys


@dataclass(frozen=True, slots=True)
class _Rename:
    old: KeyPattern
    new: KeyPattern

    def apply(self, scene_file: MaxFile, log: Log) -> None:
        for obj, keys in _objects(scene_file, self.old):
            with _refused(obj, log), obj.appdata.editing() as entries:
                for key in dict.fromkeys(keys):
                    new = self.new.renamed(key)
                    if new == key:
                        continue
                    if new in entries:
                        log.problem(f"AppData {key} stays: there is a {new} already", obj)
                        continue
                    values = [item.value for item in entries if item.key == key]
                    for number, value in enumerate(values):
                        entries.set(new, value, occurrence=number)
                    for _ in values:
                        entries.remove(key)
                    log.change(obj, "AppData key", key, new)


@dataclass(frozen=True, slots=True)
class _Retype:
    pattern: KeyPattern
    old: AppDataType
    new: AppDataType

    def apply(self, scene_file: MaxFile, log: Log) -> None:
        code_page = scene_file.code_page
        for obj, keys in _objects(scene_file, self.pattern):
            with _refused(obj, log), obj.appdata.editing() as entries:
                for key in dict.fromkeys(keys):
                    for number, item in enumerate([i for i in entries if i.key == key]):
                        try:
                            value = convert(item.value, self.old, self.new, code_page)
                        except MaxSidecarError as error:
                            log.problem(f"AppData {key} stays: {error.message}", obj)
                            continue
                        if value != item.value:
                            entries.set(key, value, occurrence=number)
                            log.change(obj, f"AppData {key}", item.value, value)


@dataclass(frozen=True, slots=True)
class _Drop:
    pattern: KeyPattern

    def apply(self, scene_file: MaxFile, log: Log) -> None:
        for obj, keys in _objects(scene_file, self.pattern):
            with _refused(obj, log), obj.appdata.editing() as entries:
                for key in keys:
                    value = entries.get(key)
                    entries.remove(key)
                    log.change(obj, f"AppData {key}", value)


@dataclass(frozen=True, slots=True)
class _Move:
    """From nodes to the objects that they show, or from those to the nodes that show them."""

    pattern: KeyPattern
    to_nodes: bool

    def apply(self, scene_file: MaxFile, log: Log) -> None:
        nodes_of: dict[int, list[Node]] = {}
        for node in scene_file.nodes.values():
            base = node.base_object
            if base is not None:
                nodes_of.setdefault(base.index, []).append(node)
        base_of = {node.index: index for index, nodes in nodes_of.items() for node in nodes}
        scene = scene_file.scene
        for obj, keys in _objects(scene_file, self.pattern):
            targets: list[SceneObject] = []
            if self.to_nodes:
                targets += nodes_of.get(obj.index, ())
            elif obj.index in base_of:
                targets.append(scene[base_of[obj.index]])
            if isinstance(obj, Node) == self.to_nodes:
                continue
            if not targets:
                log.problem("AppData stays: nothing is there to move it to", obj)
                continue
            for key in dict.fromkeys(keys):
                with _refused(obj, log):
                    self._move(obj, targets, key, log)

    def _move(
        self, obj: SceneObject, targets: Sequence[SceneObject], key: AppDataKey, log: Log
    ) -> None:
        values = [item.value for item in obj.appdata if item.key == key]
        for target in targets:
            there = [item.value for item in target.appdata if item.key == key]
            if there and there != values:
                log.problem(f"AppData {key} stays: {_name(target)} has another value", obj)
                return
            target.require_chunks()
            problems = target.appdata.problems()
            if problems:
                log.problem(f"AppData {key} stays: {_name(target)}: {problems[0]}", obj)
                return
        with obj.appdata.editing() as entries:
            for _ in values:
                entries.remove(key)
        for target in targets:
            with target.appdata.editing() as entries:
                for number, value in enumerate(values):
                    entries.set(key, value, occurrence=number)
            log.change(obj, f"AppData {key} moved to", None, _name(target))


class _refused:
    """Tells an edit that is not possible as a problem, and goes on with the next object."""

    def __init__(self, obj: SceneObject, log: Log) -> None:
        self._obj, self._log = obj, log

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        if not isinstance(error, MaxSidecarError):
            return False
        self._log.problem(error.message, self._obj)
        return True


def _name(obj: SceneObject) -> str:
    return f"{obj.class_name} {obj.index}"


def _prepare(options: Options) -> Change:
    rules: list[_Rule] = []
    for old, new in options["rename"]:
        patterns = KeyPattern.parse(old), KeyPattern.parse(new)
        if patterns[0].whole_owner != patterns[1].whole_owner:
            raise MigrationError("rename: either both keys end in * or none does")
        rules.append(_Rename(*patterns))
    for key, old, new in options["retype"]:
        if old not in TYPES or new not in TYPES:
            raise MigrationError("retype: no such type", expected=", ".join(TYPES))
        rules.append(_Retype(KeyPattern.parse(key), TYPES[old], TYPES[new]))
    for key, where in options["move"]:
        if where not in ("node", "object"):
            raise MigrationError("move: no such place", expected="node or object", found=where)
        rules.append(_Move(KeyPattern.parse(key), where == "node"))
    rules += [_Drop(KeyPattern.parse(key)) for key in options["drop"]]
    if not rules:
        raise MigrationError("appdata: nothing to do; give --rename, --retype, --move or --drop")

    def change(scene_file: MaxFile, log: Log) -> None:
        for rule in rules:
            rule.apply(scene_file, log)

    return change


register(
    Migration(
        name="appdata",
        summary="rename, retype, move or drop AppData entries",
        changes="AppData entries with the keys that are given, on objects of every kind; nothing\n"
        "else. KEY is <class id>-<class id>/<superclass>/<number>, with * for all numbers of an\n"
        "owner, or a name such as nel.lod.dist_max. Types are bool, int, float and text (8-bit\n"
        "text, as most plug-ins write), i32 and f32 (four bytes). move goes from nodes to the\n"
        "object at the bottom of their stack, or from objects to every node that shows them.\n"
        "In this order: rename, retype, move, drop. An entry stays, and is told as a problem,\n"
        "where its new key is taken, where it is not of the old type, or where the object that\n"
        "it should move to has another value.",
        prepare=_prepare,
        options=(
            Option("rename", "text", "another key", ("KEY", "NEW"), many=True, values=2),
            Option("retype", "text", "another type", ("KEY", "OLD", "NEW"), many=True, values=3),
            Option("move", "text", "to node or object", ("KEY", "WHERE"), many=True, values=2),
            Option("drop", "text", "take it out", "KEY", many=True),
        ),
    )
)
