"""The export flags of a node with the defaults that the plug-in assumes."""

from __future__ import annotations

from typing import Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.appdata_ids import PROPERTIES
from maxsidecar.nel.export.flags import Flags
from maxsidecar.scene.objects import SceneObject

__all__ = ["NodeFlags"]

_BY_NAME: Final = {prop.name: prop for prop in PROPERTIES}


class NodeFlags:
    """The flags of a node, by the plug-in's names; what has no entry has its default.

    Args:
        obj: The node or object.

    Attributes:
        stored: The entries themselves; its ``problems`` tell which are not as they should be.
    """

    def __init__(self, obj: SceneObject) -> None:
        """Read the entries once."""
        self.stored = Flags(obj)

    def text(self, name: str) -> str:
        """Return a text."""
        return self.stored.text(name)

    def integer(self, name: str) -> int:
        """Return a whole number; truth values are 0 and 1, choices their number."""
        return self.stored.integer(name, _default(name))

    def on(self, name: str) -> bool:
        """Return whether a flag is set: any number but 0."""
        return self.integer(name) != 0

    def number(self, name: str) -> float:
        """Return a number."""
        default: Any = _BY_NAME[name].default
        return self.stored.number(name, float(default))


def _default(name: str) -> int:
    """Return a declared default as the number that an entry would have."""
    prop = _BY_NAME[name]
    if prop.default is None:
        return 0
    try:
        return int(prop.codec.format(prop.default))
    except (MaxSidecarError, ValueError):
        return 0
