"""Versions of the game's classes that a shape is written in.

The game refuses a version that is newer than its own, so the newest that clients in use read is
the default; what an older version has no room for is left out and told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from maxsidecar.errors import EditError
from maxsidecar.nel.serial.declare import Serial
from maxsidecar.nel.serial.walk import walk

__all__ = ["RELEASES", "use_versions"]

#: Versions by class of what is written for, where they are not those of new objects.
RELEASES: Final[dict[str, dict[str, int]]] = {
    # What clients in use read.
    "clients": {},
    # Sources since 2021: a version more, without any new field.
    "core4": {"CMeshBase": 10},
}


def use_versions(shape: Serial, versions: Mapping[str, int], notes: list[str]) -> None:
    """Give all objects of a shape the versions that were asked for.

    Args:
        shape: The shape.
        versions: By name of the class in the game.
        notes: Takes what the versions have no room for.

    Raises:
        EditError: A class is not in the shape's kind of files, or has no such version.
    """
    if not versions:
        return
    found = list(walk(shape))
    lost: dict[str, None] = {}
    for obj in found:
        version = versions.get(type(obj).nel_name)
        if version is None:
            continue
        named: Any = obj
        named.version = version
        for name, item in type(obj).fields.items():
            if name in obj.__dict__ and not _room(item, version):
                if _differs(obj.__dict__[name], item.fresh()):
                    lost[f"{type(obj).nel_name} {version} has no {name}: left out"] = None
                del obj.__dict__[name]
    notes += lost


def _room(item: Any, version: int) -> bool:
    return bool(version >= item.since and (item.until is None or version <= item.until))


def _differs(value: Any, fresh: Any) -> bool:
    if hasattr(value, "shape") or hasattr(fresh, "shape"):
        return len(value) != len(fresh)
    if isinstance(value, Serial) and isinstance(fresh, Serial):
        try:
            return value.to_bytes() != fresh.to_bytes()
        except EditError:
            return True
    return bool(value != fresh)
