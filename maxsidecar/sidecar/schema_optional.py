"""The part of the JSON Schema that is about groups which are not always shown.

Parameters are called differently in each class, so any key may stand among them.
"""

from __future__ import annotations

from typing import Any, Final

from maxsidecar.sidecar.schema_biped import BIPED

__all__ = ["NAMED_TABLES", "NODE_TABLES", "PARAMETERS", "VALUES"]

_VALUE: Final[dict[str, Any]] = {"type": ["boolean", "integer", "number", "string", "array"]}

#: Definition ``parameters``: values by name.
VALUES: Final[dict[str, Any]] = {
    "type": "object",
    "description": "parameters by name, or by block#id where no name is known; texts that begin "
    "with animated: or -> are for information",
    "additionalProperties": _VALUE,
}

#: A table of parameters.
PARAMETERS: Final[dict[str, Any]] = {"$ref": "#/$defs/parameters"}


def _numbers(description: str, *counts: int) -> dict[str, Any]:
    numbers = {
        "type": "array",
        "items": {"type": "number"},
        "minItems": min(counts),
        "maxItems": max(counts),
    }
    # A text tells why there is nothing to edit.
    return {"description": description, "anyOf": [numbers, {"type": "string"}]}


def _table(properties: dict[str, Any], description: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "additionalProperties": False,
    }


_ROTATION: Final = "degrees about x, then y, then z; or a quaternion x, y, z, w"
_POINTERS: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": {"type": "string", "readOnly": True},
}
_NAME: Final[dict[str, Any]] = {"type": "string", "description": "name"}

#: Tables of nodes.
NODE_TABLES: Final[dict[str, Any]] = {
    "transform": _table(
        {
            "position": _numbers("place relative to the parent, in units of the scene", 3),
            "rotation": _numbers(_ROTATION, 3, 4),
            "scale": _numbers("factors along x, y and z", 3),
            "scale_axis": _numbers(f"frame in which scale applies: {_ROTATION}", 3, 4),
            "pivot_position": _numbers("offset from the node to its object", 3),
            "pivot_rotation": _numbers(f"turn of the object: {_ROTATION}", 3, 4),
            "pivot_scale": _numbers("factors of the object", 3),
            "pivot_scale_axis": _numbers(f"frame of pivot_scale: {_ROTATION}", 3, 4),
            "controller": {
                "type": "string",
                "description": "what moves the node, where that cannot be edited",
                "readOnly": True,
            },
            "pivot": {"type": "string", "description": "why it is not shown", "readOnly": True},
        },
        "where the node is; values with keys are texts, for information",
    ),
    "biped": BIPED,
    "parameters": PARAMETERS,
    "modifiers": {
        "type": "object",
        "description": "parameters of the modifiers by name; name#2 is the second from the bottom",
        "additionalProperties": PARAMETERS,
    },
}

_MAPS: Final = _POINTERS | {"description": "maps by slot, for information"}
#: Tables of materials, maps and layers.
NAMED_TABLES: Final[dict[str, dict[str, Any]]] = {
    "material": {
        "name": _NAME,
        "maps": _MAPS,
        "sub_materials": _POINTERS | {"description": "materials by slot, for information"},
        "parameters": PARAMETERS,
        "shader": PARAMETERS,
    },
    "map": {
        "name": _NAME,
        "bitmap": {"type": "string", "description": "path of the picture"},
        "maps": _MAPS,
        "sub_materials": _POINTERS,
        "parameters": PARAMETERS,
        "coordinates": PARAMETERS,
        "output": PARAMETERS,
    },
    "layer": {"name": _NAME},
}
