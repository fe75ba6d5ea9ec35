"""What a scene says beyond glTF, as ``extras``: flat keys, custom properties in Blender.

================================ ===================================================================
``max_…``                        facts of 3ds Max, the id first of all
``user.<key>``                   user-defined properties; their text as typed: ``max_user_text``
``<table>.<key>``                AppData with a name, under the path that sidecars show it at
``appdata.<owner>/<number>``     other AppData, in hexadecimal
``<name>``                       parameters of custom attributes
================================ ===================================================================

Values are truth values, numbers, text, or lists of them; whole numbers beyond 32 bits are text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.animated import value_at
from maxsidecar.scene.appdata_registry import REGISTRY
from maxsidecar.scene.derived import DerivedObject
from maxsidecar.scene.params.types import Kind

if TYPE_CHECKING:
    from maxsidecar.gltf.export.context import Export
    from maxsidecar.scene.describe_nodes import NodeReader
    from maxsidecar.scene.node import Node
    from maxsidecar.scene.objects import SceneObject
    from maxsidecar.scene.params.access import CustomAttribute

__all__ = ["node_extras", "object_extras", "plain"]

#: Blobs above that size are no settings; the scene keeps them.
_LARGEST: Final = 1024
_I32: Final = 1 << 31
_NUMBER: Final = re.compile(r"[+-]?([0-9]+|[0-9]*\.[0-9]+|[0-9]+\.)([eE][+-]?[0-9]+)?")


def node_extras(export: Export, node: Node, reader: NodeReader) -> dict[str, Any]:
    """Return the extras of a node.

    Custom attributes of the object that it shows, and of modifiers, are among them, as in the files
    of 3ds Max's own exporter (measured on 3 nodes).
    """
    attempt = reader.attempt
    base = attempt.get(node, "base_object")
    out: dict[str, Any] = {
        "max_id": export.id_of(node),
        "max_class": (base or node).class_name,
    }
    if base is not None:
        out["max_object"] = export.id_of(base)
    layer = reader.layer(node)
    if layer:
        out["max_layer"] = layer
    flags = reader.flags(node)
    for name in ("hidden", "frozen", "bone", "target"):
        if flags.get(name):
            out[f"max_{name}"] = True
    for name in ("group_head", "group_member"):
        if flags.get(name):
            out["max_group"] = name.removeprefix("group_")
    color = attempt.get(node, "wire_color")
    if color is not None:
        out["max_wire_color"] = [color.red, color.green, color.blue]
    _add_user_properties(out, node, reader)
    _add_appdata(export, out, node, attempt.get(node, "name") or "", "node")
    for thing in (node, *_stack(node)):
        _add_attributes(export, out, thing)
    return out


def object_extras(export: Export, obj: SceneObject, name: str, kind: str) -> dict[str, Any]:
    """Return id, class and AppData of an object or material, and custom attributes of a material.

    Args:
        export: The export.
        obj: The object.
        name: What a report calls it.
        kind: ``mesh`` or ``material``.
    """
    out: dict[str, Any] = {"max_id": export.id_of(obj), "max_class": obj.class_name}
    _add_appdata(export, out, obj, name, kind)
    if kind == "material":
        _add_attributes(export, out, obj)
    return out


def plain(value: object) -> Any:
    """Return a value as extras hold it; ``None`` for what they cannot hold."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -_I32 <= value < _I32 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list | tuple):
        parts = [plain(part) for part in value]
        return None if any(part is None for part in parts) else parts
    return None


def _stack(node: Node) -> Iterator[SceneObject]:
    """Yield the modifiers of a node's object, from the top down, and the base object."""
    seen: set[int] = set()
    try:
        obj = node.object
        while isinstance(obj, DerivedObject) and obj.index not in seen:
            seen.add(obj.index)
            yield from (modifier for modifier in obj.modifiers if modifier is not None)
            obj = obj.stands_on
        if obj is not None and obj.index not in seen:
            yield obj
    except MaxSidecarError:
        return  # told where the object is evaluated


# --- user-defined properties -------------------------------------------------------------------


def _add_user_properties(out: dict[str, Any], node: Node, reader: NodeReader) -> None:
    text = reader.attempt.get(node, "user_properties_text")
    if not text:
        return
    out["max_user_text"] = text
    for key, value in (reader.attempt.get(node, "user_properties") or {}).items():
        _put(out, f"user.{key}", _typed(value))


def _typed(text: str) -> bool | int | float | str:
    """Return a typed value where the text is one, as 3ds Max's own functions do."""
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > 40:
        return text
    if match[2] is None and "." not in match[1]:
        number = int(text)
        return number if -_I32 <= number < _I32 else text
    real = float(text)
    return real if math.isfinite(real) else text


# --- AppData -------------------------------------------------------------------------------------


def _add_appdata(
    export: Export, out: dict[str, Any], obj: SceneObject, name: str, kind: str
) -> None:
    line = (kind, name, export.id_of(obj), "AppData")
    try:
        for item in obj.appdata:
            prop = REGISTRY.by_key(item.key)
            if prop is not None:
                try:
                    value = prop.decode(item.value, obj.scene.code_page).value
                    for key, part in _flat(".".join(prop.path), value):
                        _put(out, key, part)
                    continue
                except MaxSidecarError:
                    pass  # the bytes are not of the declared type, so they are written raw
            if len(item.value) > _LARGEST:
                reason = f"{item.key} has {len(item.value)} bytes: left in the scene"
                export.report.approximated(*line, reason)
                continue
            _put(out, f"appdata.{item.key}", bytes(item.value).hex())
    except MaxSidecarError as error:
        export.report.approximated(*line, f"it cannot be read: {error.message}")


def _flat(key: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield a value under its key, the bits of a bit field under keys of their own."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield f"{key}.{name}", part
    else:
        yield key, value


# --- custom attributes ---------------------------------------------------------------------------


def _add_attributes(export: Export, out: dict[str, Any], obj: SceneObject) -> None:
    try:
        attributes: Iterable[CustomAttribute] = obj.custom_attributes
    except MaxSidecarError as error:
        line = ("node", "", export.id_of(obj), obj.class_name)
        export.report.approximated(*line, f"custom attributes: {error.message}")
        return
    for attribute in attributes:
        try:
            name, parameters = attribute.name, attribute.parameters
        except MaxSidecarError:
            continue  # `check` tells what is damaged
        for key in parameters:
            try:
                parameter = parameters[key]
                if parameter.kind is Kind.REFERENCE:
                    target = None if parameter.is_tab else parameter.target
                    value: object = None if target is None else export.id_of(target)
                else:
                    value = parameter.value
                    if value is None and parameter.controlled:
                        value = value_at(parameter, export.time)
            except MaxSidecarError:
                continue
            # Parameters without a name say nothing by themselves.
            _put(out, f"{name}.{key}" if "#" in key or key in out else key, value)


def _put(out: dict[str, Any], key: str, value: object) -> None:
    """Add a value that can be held, unless there is one of this key."""
    found = plain(value)
    if found is not None and found != []:
        out.setdefault(key, found)
