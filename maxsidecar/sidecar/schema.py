"""JSON Schema of sidecars, for editors that complete and check keys."""

from __future__ import annotations

from typing import Any, Final

from maxsidecar.scene.appdata_bits import BitFieldCodec
from maxsidecar.scene.appdata_registry import REGISTRY, Property
from maxsidecar.scene.node_flags import NODE_FLAGS
from maxsidecar.sidecar.document import FORMAT
from maxsidecar.sidecar.schema_optional import NAMED_TABLES, NODE_TABLES, PARAMETERS, VALUES

__all__ = ["json_schema"]

_RAW_KEY: Final = (
    r"^[0-9a-fA-F]{1,8}-[0-9a-fA-F]{1,8}/[0-9a-fA-F]{1,8}/[0-9]{1,10}(#([2-9]|[1-9][0-9]+))?$"
)


def _table(properties: dict[str, Any], description: str = "") -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "additionalProperties": False}
    if description:
        schema["description"] = description
    return schema | {"properties": properties}


def _info(kind: str, description: str) -> dict[str, Any]:
    return {"type": kind, "description": description, "readOnly": True}


def _registered() -> dict[str, Any]:
    root: dict[str, Any] = {}
    for prop in REGISTRY:
        tables = root
        for part in prop.group:
            tables = tables.setdefault(part, _table({}))["properties"]
        tables[prop.toml_key] = _property(prop)
    return root


def _property(prop: Property) -> dict[str, Any]:
    schema = prop.json_schema()
    if isinstance(prop.codec, BitFieldCodec):
        # Whoever changes one bit need not write the others.
        schema.pop("required", None)
        schema.pop("default", None)
    bounds = {"minimum": prop.minimum, "maximum": prop.maximum}
    return schema | {key: bound for key, bound in bounds.items() if bound is not None}


def json_schema() -> dict[str, Any]:
    """Return the schema of a sidecar as a JSON object (draft 2020-12)."""
    flags = {
        name: {"type": "boolean", "description": flag.doc}
        for name, flag in NODE_FLAGS.items()
        if flag.editable
    }
    groups = _registered()
    shared: dict[str, Any] = {
        "class": _info("string", "class of the object, for information"),
        **{name: {"$ref": f"#/$defs/{name}"} for name in groups},
        "appdata": {
            "type": "object",
            "description": "AppData entries that have no name: owner/superclass/number. Text, or "
            "hex:, text:, utf8: or utf16: in front; large: cannot be edited.",
            "patternProperties": {_RAW_KEY: {"type": "string"}},
            "additionalProperties": False,
        },
    }
    node = _table(
        {
            "id": _info("integer", "handle of the node, or storage index in files without handles"),
            "index": _info("integer", "storage index"),
            "parent": _info("string", "parent node, for information"),
            "layer": _info("string", "layer, for information"),
            "wire_color": {
                "type": "string",
                "pattern": "^#[0-9a-fA-F]{6}$",
                "description": "colour of the wireframe",
            },
            "user_properties": {
                "type": "string",
                "description": "user-defined properties: free text, by habit key = value lines",
            },
            "flags": _table(flags, "object-level flags"),
            **NODE_TABLES,
            **shared,
        },
        "one node of the scene",
    )
    other = _table(
        {"index": _info("integer", "storage index"), "parameters": PARAMETERS, **shared},
        "one object that is no node",
    )
    header = _table(
        {
            "format": {"const": FORMAT, "description": "version of this text form"},
            "scene": {"type": "string", "description": "file name of the scene"},
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        },
        "what the sidecar was extracted from",
    )
    header["required"] = ["format", "scene", "sha256"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "maxsidecar sidecar",
        "type": "object",
        "additionalProperties": False,
        "required": ["sidecar"],
        "$defs": {**groups, "parameters": VALUES},
        "properties": {
            "sidecar": header,
            "node": {
                "type": "object",
                "description": "nodes by name; name@id where several share a name",
                "additionalProperties": node,
            },
            "object": {
                "type": "object",
                "description": "other objects by storage index",
                "additionalProperties": other,
            },
            **{
                kind: {
                    "type": "object",
                    "description": f"{kind}s by name and storage index: name@index",
                    "additionalProperties": _table({**tables, **shared}, f"one {kind}"),
                }
                for kind, tables in NAMED_TABLES.items()
            },
            "base": {
                "type": "object",
                "description": "values at extraction, packed; written by maxsidecar",
                "additionalProperties": {"type": "string"},
            },
        },
    }
