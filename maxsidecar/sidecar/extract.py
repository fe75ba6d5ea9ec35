"""Writing a scene as a sidecar.

Order follows the scene (nodes by storage index, properties by registry), so that the same scene
gives the same text and version control shows small diffs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.appdata_bits import BitFieldCodec
from maxsidecar.scene.appdata_registry import REGISTRY, Property
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.base import Base, encode_base
from maxsidecar.sidecar.document import FORMAT, KINDS
from maxsidecar.sidecar.fields import read_fields, registered_tables
from maxsidecar.sidecar.groups import TABLE_NOTES
from maxsidecar.sidecar.labels import Labels
from maxsidecar.sidecar.listing import NAMED_KINDS, OptionalValues, table_kind
from maxsidecar.sidecar.objects import read_info
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.toml_text import comment, format_key, format_path, format_value
from maxsidecar.sidecar.traces import SCENE, Traces

__all__ = [
    "APPDATA_GROUP",
    "NOTHING_LISTED",
    "NOTHING_NOTE",
    "SCHEMA_NAME",
    "Item",
    "Options",
    "base_block",
    "base_of",
    "extract",
    "item_lines",
    "selected",
    "value_line",
]

#: Stands for what of AppData is not listed without being asked for.
APPDATA_GROUP = "appdata"
NOTHING_LISTED = "no node has AppData or user properties"
#: Stands where objects would, until there are some.
NOTHING_NOTE = f"# {NOTHING_LISTED}; maxsidecar extract --all lists every node"
SCHEMA_NAME = "maxsidecar.schema.json"
BASE_NOTE = "# Written by maxsidecar: the values at extraction, to tell edits from changed scenes."


@dataclass(frozen=True, slots=True)
class Options:
    """What an extraction shows.

    Attributes:
        all: Every node, and every other object that has AppData; else only nodes that have
            AppData or user-defined properties, and objects with AppData that has a name.
        defaults: Also show registered properties that are not set, as comments with their default
            and meaning.
        include: Groups to show besides those that always are, of
            :data:`maxsidecar.sidecar.groups.OPTIONAL_GROUPS`; ``appdata`` lists objects other than
            nodes whose AppData has no name, too.
    """

    all: bool = False
    defaults: bool = False
    include: frozenset[str] = frozenset()


@dataclass(slots=True)
class Item:
    """One object that a sidecar lists.

    Attributes:
        kind: Kind of its table, such as ``node``.
        label: Its table's key.
        obj: The object.
        values: Its values by path.
        problems: What could not be read.
    """

    kind: str
    label: str
    obj: SceneObject
    values: dict[KeyPath, Any]
    problems: list[str] = field(default_factory=list)


def extract(scene_file: MaxFile, name: str, options: Options | None = None) -> str:
    """Return the sidecar of a scene.

    Args:
        scene_file: The opened file.
        name: File name of the scene, as the sidecar names it.
        options: What to show.
    """
    options = options or Options()
    labels = Labels(scene_file.scene)
    # As it is typed in any shell.
    typed = f'"{name}.toml"' if " " in name else f"{name}.toml"
    lines = [
        f"#:schema ./{SCHEMA_NAME}",
        comment(f"# {name}: 3ds Max {scene_file.release}.")
        + comment(f" Edit values, then run: maxsidecar apply {typed}"),
        "",
        "[sidecar]",
        f"format = {FORMAT}",
        value_line("scene", name),
        value_line("sha256", scene_file.sha256),
    ]
    bases: dict[str, Base | None] = {}
    traces = Traces(labels)
    for item in selected(scene_file, labels, options):
        lines += ["", *item_lines(item, labels, options)]
        bases[labels.ids.key(item.obj)] = base_of(item.obj, item.values, traces)
        if traces.needs_scene(item.obj):
            bases[SCENE] = traces.of_scene()
    if not bases:
        lines += ["", NOTHING_NOTE]
    lines += ["", *base_block(encode_base(bases))]
    return "\n".join(lines) + "\n"


def base_of(
    obj: SceneObject,
    values: dict[KeyPath, Any],
    traces: Traces,
    listed: Iterable[KeyPath] | None = None,
) -> Base:
    """Return what is kept of an object's values, and of what its table tells about it.

    Args:
        obj: The object.
        values: Its values.
        traces: By what it is found again, where it has no id.
        listed: Which of all these the sidecar lists; ``None`` for all.
    """
    info: dict[KeyPath, Any] = {(key,): value for key, value in read_info(obj).items()}
    found = {} if isinstance(obj, Node) else traces.of(obj)
    return Base.of({**info, **values}, listed, found)


def base_block(lines: dict[str, str]) -> list[str]:
    """Return the table of values at extraction."""
    return ["[base]", BASE_NOTE, *(value_line(key, text) for key, text in lines.items())]


def selected(
    scene_file: MaxFile,
    labels: Labels,
    options: Options,
    wanted: Callable[[SceneObject], bool] = lambda _: True,
    optional: OptionalValues | None = None,
) -> Iterator[Item]:
    """Yield what is listed.

    Args:
        scene_file: The opened file.
        labels: Labels of its nodes.
        options: What to show.
        wanted: Says of each object whether to look at it at all.
        optional: What is listed of the groups that the options include; read when not given.
    """
    if optional is None:
        optional = OptionalValues(scene_file.scene, options.include)
    with_appdata = {obj.index: obj for obj in scene_file.scene.objects_with_appdata()}
    for node in scene_file.nodes.values():
        if not wanted(node):
            continue
        more = optional.values.get(node.index, {})
        problems = list(optional.notes.get(node.index, ()))
        if options.all or more or problems or node.index in with_appdata or _has_text(node):
            values = read_fields(node, problems) | more
            if options.all or problems or any(_worth_listing(path) for path in values):
                yield Item("node", labels.label(node), node, values, problems)
    others: list[Item] = []
    for index in sorted(with_appdata.keys() | optional.values.keys()):
        obj = scene_file.scene[index]
        if isinstance(obj, Node) or not wanted(obj):
            continue
        values = read_fields(obj) | optional.values.get(index, {})
        whole = options.all or APPDATA_GROUP in options.include
        if values and (whole or any(path[0] != "appdata" for path in values)):
            kind, label = table_kind(obj, options.include)
            others.append(Item(kind, label, obj, values, optional.notes.get(index, [])))
    yield from sorted(others, key=lambda item: KINDS.index(item.kind))


def _has_text(node: Node) -> bool:
    try:
        return bool(node.user_properties_text)
    except MaxSidecarError:
        return True


def _worth_listing(path: KeyPath) -> bool:
    """Return whether a value makes a node listed; every node has a colour and flags."""
    return path[0] not in ("wire_color", "flags")


def item_lines(item: Item, labels: Labels, options: Options) -> Iterator[str]:
    """Yield the lines of one object's tables."""
    head: KeyPath = (item.kind, item.label)
    values = item.values
    yield f"[{format_path(head)}]"
    if item.kind not in NAMED_KINDS:
        key, number = labels.ids.id_of(item.obj)
        yield value_line(key, number)
    for key, text in read_info(item.obj).items():
        yield value_line(key, text)
    for problem in item.problems:
        yield comment(f"# {problem}")
    properties = registered_tables() if options.defaults else {}
    notes = dict(TABLE_NOTES)
    groups: dict[KeyPath, list[KeyPath]] = {}
    for path in values:
        groups.setdefault(path[:-1], []).append(path)
    for path in groups.get((), ()):
        yield value_line(path[0], values[path])
    for group in _in_order(groups, properties):
        shown = groups.get(group, [])
        unset = [p for p in properties.get(group, ()) if not _is_set(p, values, groups)]
        if not shown and not unset:
            continue
        yield ""
        header = f"[{format_path((*head, *group))}]"
        # A header without values is a comment too; whoever uncomments a value needs both.
        yield header if shown else comment(f"# {header}")
        for prefix in [p for p in notes if group[: len(p)] == p]:
            yield from (comment(f"# {note}") for note in notes.pop(prefix))
        prop = REGISTRY.by_toml_path(group)
        if options.defaults and prop is not None:
            yield comment(f"# {_explain(prop)}")
        for path in shown:
            known = REGISTRY.by_toml_path(path) if options.defaults else None
            note = comment(f"  # {_explain(known)}") if known else ""
            yield value_line(path[-1], values[path]) + note
        for prop in unset:
            yield from _unset_lines(prop)


def value_line(key: str, value: Any) -> str:
    """Return ``key = value``."""
    return f"{format_key(key)} = {format_value(value)}"


def _in_order(groups: Iterable[KeyPath], properties: Iterable[KeyPath]) -> list[KeyPath]:
    """Return the tables below an object, each once, in the order of the text form."""
    used = {group: None for group in (*groups, *properties) if group}
    known = dict.fromkeys([("flags",), *registered_tables(), ("appdata",)])
    return [*(g for g in known if g in used), *(g for g in used if g not in known)]


def _is_set(
    prop: Property, values: dict[KeyPath, Any], groups: dict[KeyPath, list[KeyPath]]
) -> bool:
    return prop.path in (groups if isinstance(prop.codec, BitFieldCodec) else values)


def _unset_lines(prop: Property) -> Iterator[str]:
    if isinstance(prop.codec, BitFieldCodec):
        if isinstance(prop.default, dict):
            for key, value in prop.default.items():
                yield "# " + comment(value_line(key, value))
        return
    example = prop.default if prop.default is not None else ""
    yield "# " + comment(f"{value_line(prop.toml_key, example)}  # {_explain(prop)}")


def _explain(prop: Property) -> str:
    text = prop.meaning
    if prop.units:
        text += f" [{prop.units}]"
    if prop.default is not None and not isinstance(prop.default, dict):
        text += f"; default {format_value(prop.default)}"
    return text
