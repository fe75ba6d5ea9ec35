"""The groups of values that a sidecar may show, and which keys belong to which.

The first four are always shown.  The others are asked for by name, and read only where somebody
asked, or where a table already lists keys of the group.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from maxsidecar.errors import EditError, shorten
from maxsidecar.sidecar.paths import KeyPath

__all__ = [
    "DEFAULT_GROUPS",
    "GROUPS",
    "OPTIONAL_GROUPS",
    "TABLE_NOTES",
    "groups_of",
    "is_biped",
    "is_optional",
    "parse_groups",
]

DEFAULT_GROUPS: Final = ("flags", "user", "appdata", "nel")
OPTIONAL_GROUPS: Final = ("transform", "parameters", "material", "layers", "biped")
GROUPS: Final = DEFAULT_GROUPS + OPTIONAL_GROUPS

#: Groups by the first key below an object's table.  Materials, too, have parameters, and layers a
#: name; which group is meant there depends on the object.
_HEADS: Final = {
    "transform": ("transform",),
    "parameters": ("parameters", "material"),
    "modifiers": ("parameters",),
    "name": ("material", "layers"),
    "bitmap": ("material",),
    "maps": ("material",),
    "sub_materials": ("material",),
    "shader": ("material",),
    "coordinates": ("material",),
    "output": ("material",),
    "biped": ("biped",),
}


#: What a new sidecar says below the first header that begins so, a comment for each line.
TABLE_NOTES: Final[dict[KeyPath, tuple[str, ...]]] = {
    ("biped", "figure"): (
        "position: of the pelvis, in units of the scene; four numbers: a rotation x, y, z, w",
        "three angles: degrees back, to the right, twisted to the left; clavicle: forward, down",
        "one angle: degrees, 180 is a straight elbow or knee",
    ),
    ("biped", "size"): ("length, then what the bone measures across, in units of the scene",),
    ("biped", "keys"): (
        "of each key: time in ticks of 1/4800 s; tension, bias, continuity from 0 to 50; the pose",
    ),
    ("biped", "keys", "horizontal"): ("position: of the centre of mass, across the ground",),
    ("biped", "keys", "turn"): ("rotation: of the centre of mass in the world",),
    ("biped", "keys", "vertical"): ("height: of the pelvis, of the centre of mass",),
}


def is_optional(path: KeyPath) -> bool:
    """Return whether a value belongs to a group that is not always shown."""
    return path[0] in _HEADS


def is_biped(path: KeyPath) -> bool:
    """Return whether a value is one of a biped."""
    return path[0] == "biped"


def groups_of(paths: Iterable[KeyPath]) -> frozenset[str]:
    """Return the groups, of those not always shown, that some values belong to."""
    return frozenset(group for path in paths if path for group in _HEADS.get(path[0], ()))


def parse_groups(text: str) -> frozenset[str]:
    """Return the groups of a list such as ``transform,parameters``, or of ``all``.

    Raises:
        EditError: There is no such group.
    """
    found: set[str] = set()
    for name in text.split(","):
        name = name.strip()
        if name == "all":
            found.update(OPTIONAL_GROUPS)
        elif name in GROUPS:
            found.update({name} & set(OPTIONAL_GROUPS))
        else:
            known = ", ".join(("all", *GROUPS))
            raise EditError(f"unknown group {shorten(name)}", expected=known)
    return frozenset(found)
