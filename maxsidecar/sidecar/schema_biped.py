"""The part of the JSON Schema that is about bipeds.

Which bones a biped has differs, so names are told by their form.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["BIPED"]

_NUMBER: Final[dict[str, Any]] = {"type": "number"}
#: Shown in place of numbers of which some are none.
_NONE: Final[dict[str, Any]] = {"type": "string", "readOnly": True}


def _row(count: int, **limits: float) -> dict[str, Any]:
    numbers = {**_NUMBER, **limits}
    return {"type": "array", "items": numbers, "minItems": count, "maxItems": count}


def _table(
    properties: dict[str, Any], description: str, patterns: dict[str, Any] | None = None
) -> dict[str, Any]:
    out: dict[str, Any] = {"type": "object", "description": description}
    if properties:
        out["properties"] = properties
    if patterns:
        out["patternProperties"] = patterns
    return {**out, "additionalProperties": False}


#: Rotations as stored, angles of links, angles of the clavicle, one angle; by the names of bones.
_QUATERNION: Final = _row(4, minimum=-1.001, maximum=1.001)
_ANGLES: Final = _row(3)
_LINK: Final = {"anyOf": [_NUMBER, _QUATERNION]}
_CHAINS: Final = "^(spine|neck|tail|ponytail_[12])(_[0-9]+)?$"
_ARM: Final[dict[str, tuple[str, Any]]] = {
    "^clavicle$": ("degrees: forward, down", _row(2)),
    "^(upper_arm|hand)$": ("rotation x, y, z, w as stored", _QUATERNION),
    "^forearm$": ("degrees, 180 is a straight arm", _NUMBER),
    "^finger_[0-9]+$": ("rotation x, y, z, w as stored", _QUATERNION),
    "^finger_[0-9]+_[0-9]+$": (
        "degrees; from 2012 on a rotation",
        {"anyOf": [_NUMBER, _QUATERNION]},
    ),
}
_LEG: Final[dict[str, tuple[str, Any]]] = {
    "^(thigh|foot)$": ("rotation x, y, z, w as stored", _QUATERNION),
    "^calf$": ("degrees, 180 is a straight leg", _NUMBER),
    "^horse_link$": ("degrees", _NUMBER),
    "^toe_[0-9]+$": ("rotation x, y, z, w as stored", _QUATERNION),
    "^toe_[0-9]+_[0-9]+$": ("degrees", _NUMBER),
}
_BODY: Final[dict[str, tuple[str, Any]]] = {
    "^(head|rotation)$": ("rotation x, y, z, w", _QUATERNION),
    _CHAINS: ("degrees: back, to the right, twisted to the left", _ANGLES),
}
_SIZE: Final = {
    "anyOf": [_row(3), _NONE],
    "description": "length, y and z, in units of the scene",
}


def _once(parts: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    return {
        name: {"anyOf": [one, _NONE], "description": text} for name, (text, one) in parts.items()
    }


def _each(parts: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    return {
        name: {
            "anyOf": [{"type": "array", "items": one}, _NONE],
            "description": f"of each key: {text}",
        }
        for name, (text, one) in parts.items()
    }


def _sides(word: str, patterns: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{side}_{word}": _table({}, f"the {side} {word}", patterns) for side in ("right", "left")
    }


_FIGURE: Final = _table(
    {
        "center_offset": {
            **_row(3),
            "description": "from the pelvis to the centre of mass, for information",
            "readOnly": True,
        },
        "position": {
            "anyOf": [_row(3), _NONE],
            "description": "place of the pelvis, in units of the scene",
        },
        **_sides("arm", _once(_ARM)),
        **_sides("leg", _once(_LEG)),
    },
    "the figure pose",
    {
        **_once(_BODY),
        "^prop_[0-9]$": _table(
            {
                "position": {"anyOf": [_row(3), _NONE]},
                "rotation": {"anyOf": [_QUATERNION, _NONE]},
            },
            "a prop, in the space of the world, the centre of mass or a hand that counts for it",
        ),
    },
)
_SIZES: Final = _table(
    {
        **_sides("arm", {"^(clavicle|upper_arm|forearm|finger_[0-9]+(_[0-9]+)?)$": _SIZE}),
        **_sides("leg", {"^(thigh|calf|horse_link|toe_[0-9]+(_[0-9]+)?)$": _SIZE}),
    },
    "how large the bones are",
    {"^(pelvis|head)$": _SIZE, _CHAINS: _SIZE},
)
_KEYS: Final = _table(
    {
        "times": {"type": "array", "items": {"type": "integer"}},
        **{
            name: {"type": "array", "items": {**_NUMBER, "minimum": 0, "maximum": 50}}
            for name in ("tension", "bias", "continuity")
        },
        "position": {
            "anyOf": [{"type": "array", "items": {"anyOf": [_row(2), _row(3)]}}, _NONE],
            "description": "of each key: place across the ground, of props in their space",
        },
        "height": {
            "anyOf": [{"type": "array", "items": _row(2)}, _NONE],
            "description": "of each key: height of the pelvis and of the centre of mass",
        },
        "pelvis": {
            "anyOf": [{"type": "array", "items": {"anyOf": [_NUMBER, _QUATERNION]}}, _NONE],
            "description": "of each key: rotation as stored; before release 8 degrees of roll",
        },
    },
    "numbers of each key",
    _each({**_BODY, **_ARM, **_LEG}),
)

#: The table of a biped.
BIPED: Final = _table(
    {
        "head_length": {"type": "number", "readOnly": True},
        **{
            name: {
                "type": "array",
                "items": {"type": "string"},
                "description": text,
                "readOnly": True,
            }
            for name, text in (
                ("unreadable", "tracks whose keys are not shown, and why"),
                ("read_only", "what cannot be changed, and why"),
            )
        },
        "links": {"type": "object", "readOnly": True, "description": "numbers of links"},
        "figure": _FIGURE,
        "size": _SIZES,
        "keys": {
            "type": "object",
            "description": "keys by track; times in ticks of 1/4800 s",
            "additionalProperties": _KEYS,
        },
    },
    "the biped whose centre of mass the node is",
)
