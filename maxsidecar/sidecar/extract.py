"""Writing a scene as a sidecar.

Order follows the scene (nodes by storage index, properties by registry), so that the same scene
gives the same text and version control shows small diffs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from maxsidecar.scene.appdata_bits import BitFieldCodec
from maxsidecar.scene.appdata_registry import REGISTRY, Property
from maxsidecar.scene.maxfile import MaxFile
from maxsidecar.scene.node import Node, RootNode
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.base import encode_base
from maxsidecar.sidecar.document import FORMAT
from maxsidecar.sidecar.fields import Path, read_fields, registered_tables
from maxsidecar.sidecar.labels import Labels, shown_name
from maxsidecar.sidecar.toml_text import comment, format_key, format_path, format_value

__all__ = [
    "SCHEMA_NAME",
    "Options",
    "base_key",
    "base_lines",
    "extract",
    "file_sha256",
    "object_lines",
    "selected",
    "value_line",
]

SCHEMA_NAME = "maxsidecar.schema.json"
BASE_NOTE = "# Written by maxsidecar: tells edited values from values that the scene changed since."


@dataclass(frozen=True, slots=True)
class Options:
    """What an extraction shows.

    Attributes:
        all: Every node, and every other object that has AppData; else only nodes that have
            AppData or user-defined properties, and objects with AppData that has a name.
        defaults: Also show registered properties that are not set, as comments with their default
            and meaning.
    """

    all: bool = False
    defaults: bool = False


def file_sha256(scene_file: MaxFile) -> str:
    """Return the SHA-256 of the file as it was opened, in hexadecimal."""
    return hashlib.sha256(scene_file.compound.data).hexdigest()


def extract(scene_file: MaxFile, name: str, options: Options | None = None) -> str:
    """Return the sidecar of a scene.

    Args:
        scene_file: The opened file.
        name: File name of the scene, as the sidecar names it.
        options: What to show.
    """
    options = options or Options()
    labels = Labels(scene_file.scene)
    count = sum(1 for node in scene_file.nodes.values() if not isinstance(node, RootNode))
    lines = [
        f"#:schema ./{SCHEMA_NAME}",
        comment(f"# {name}: 3ds Max {scene_file.release}, {count} nodes.")
        + comment(f" Edit values, then run: maxsidecar apply {name}.toml"),
        "",
        "[sidecar]",
        f"format = {FORMAT}",
        f"scene = {format_value(name)}",
        f"sha256 = {format_value(file_sha256(scene_file))}",
    ]
    base: dict[str, str] = {}
    for kind, label, obj, values in selected(scene_file, labels, options):
        lines += ["", *object_lines(kind, label, obj, values, labels, options)]
        if values:
            base[base_key(labels, obj)] = encode_base(values)
    lines += ["", *base_lines(base)]
    return "\n".join(lines) + "\n"


def base_key(labels: Labels, obj: SceneObject) -> str:
    """Return the key of an object in the table of values at extraction."""
    key, number = labels.id_of(obj)
    return str(number) if key == "id" else f"#{number}"


def base_lines(base: dict[str, str]) -> list[str]:
    """Return the table of values at extraction."""
    lines = ["[sidecar.base]", BASE_NOTE]
    return lines + [f"{format_key(key)} = {format_value(text)}" for key, text in base.items()]


def selected(
    scene_file: MaxFile, labels: Labels, options: Options
) -> Iterator[tuple[str, str, SceneObject, dict[Path, Any]]]:
    """Yield kind, label, object and values of everything that is shown."""
    with_appdata = {obj.index: obj for obj in scene_file.scene.objects_with_appdata()}
    for node in scene_file.nodes.values():
        if options.all or node.index in with_appdata or node.user_properties_text:
            yield "node", labels.label(node), node, read_fields(node)
    for index, obj in with_appdata.items():
        if isinstance(obj, Node):
            continue
        values = read_fields(obj)
        if values and (options.all or any(path[0] != "appdata" for path in values)):
            yield "object", str(index), obj, values


def object_lines(
    kind: str,
    label: str,
    obj: SceneObject,
    values: dict[Path, Any],
    labels: Labels,
    options: Options,
) -> Iterator[str]:
    """Yield the lines of one object's tables."""
    head: Path = (kind, label)
    yield f"[{format_path(head)}]"
    yield from _info_lines(obj, labels)
    for path, value in values.items():
        if len(path) == 1:
            yield value_line(path[0], value)
    properties = registered_tables() if options.defaults else {}
    for group in _groups(values, properties):
        shown: list[Path] = [path for path in values if path[:-1] == group]
        unset = [p for p in properties.get(group, ()) if not _is_set(p, values)]
        if not shown and not unset:
            continue
        yield ""
        header = f"[{format_path((*head, *group))}]"
        # A header without values is a comment too; whoever uncomments a value needs both.
        yield header if shown else f"# {header}"
        prop = REGISTRY.by_toml_path(group)
        if options.defaults and prop is not None:
            yield comment(f"# {_explain(prop)}")
        for path in shown:
            known = REGISTRY.by_toml_path(path) if options.defaults else None
            note = comment(f"  # {_explain(known)}") if known else ""
            yield value_line(path[-1], values[path]) + note
        for prop in unset:
            yield from _unset_lines(prop)


def _info_lines(obj: SceneObject, labels: Labels) -> Iterator[str]:
    key, number = labels.id_of(obj)
    yield f"{key} = {number}"
    shown = obj
    if isinstance(obj, Node):
        shown = obj.base_object or obj
    yield f"class = {format_value(shown.class_name)}"
    if isinstance(obj, Node):
        parent = obj.parent
        if parent is not None:
            yield f"parent = {format_value(shown_name(parent))}"
        layer = obj.layer
        if layer is not None:
            yield f"layer = {format_value(layer.name)}"


def value_line(key: str, value: Any) -> str:
    """Return ``key = value``."""
    return f"{format_key(key)} = {format_value(value)}"


def _groups(values: dict[Path, Any], properties: dict[Path, list[Property]]) -> Iterable[Path]:
    """Return the tables below an object, each once, in the order of the text form."""
    used = {path[:-1] for path in values if len(path) > 1}
    order: dict[Path, None] = dict.fromkeys(g for g in used if g == ("flags",))
    order |= dict.fromkeys(g for g in registered_tables() if g in used or g in properties)
    # What is left are raw AppData entries, which stand at the end.
    return order | dict.fromkeys(sorted(used))


def _is_set(prop: Property, values: dict[Path, Any]) -> bool:
    if isinstance(prop.codec, BitFieldCodec):
        return any(path[:-1] == prop.path for path in values)
    return prop.path in values


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
