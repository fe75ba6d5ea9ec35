"""Values of scripted plug-ins by the name of their parameter.

As in the plug-in, a parameter of another type than was asked for is not found (spec:
nel-export-rules 1.3); a value that is not found leaves the default.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.nel.shape.script_names import ordinal_names
from maxsidecar.scene.animated import value_at
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.access import custom_attributes, find_parameter
from maxsidecar.scene.params.block import ParamBlockBase
from maxsidecar.scene.params.parameter import Parameter

__all__ = ["Color", "Values"]

Color = tuple[float, float, float]

_TYPES: Final = {
    "boolean": ("boolean",),
    "color": ("color", "rgba"),
    "float": ("float",),
    "integer": ("integer",),
    "map": ("texture_map",),
    "percent": ("percent",),
    "text": ("string", "filename"),
}


class Values:
    """The parameters of an object, those that it is derived from and its custom attributes.

    Args:
        obj: The object: a material, or the base object of a node.
        time: Ticks (1/4800 s).
    """

    def __init__(self, obj: SceneObject, time: int = 0) -> None:
        """Find the parameter blocks."""
        self.obj, self.time = obj, time
        self._blocks = tuple(_blocks(obj))
        self._ordinals = _ordinals(obj)

    def find(self, name: str, kind: str) -> Parameter | None:
        """Return a parameter of a type, ``None`` when there is none."""
        found = find_parameter(self._blocks, name)
        if found is None and name in self._ordinals:
            block, number = self._ordinals[name]
            found = block.get(number)
        return found if found is not None and found.type in _TYPES[kind] else None

    def _value(self, name: str, kind: str) -> Any:
        found = self.find(name, kind)
        try:
            return None if found is None else value_at(found, self.time)
        except MaxSidecarError:
            return None

    def on(self, name: str, default: bool = False) -> bool:
        """Return a truth value."""
        value = self._value(name, "boolean")
        return default if value is None else bool(value)

    def integer(self, name: str, default: int = 0) -> int:
        """Return a whole number."""
        value = self._value(name, "integer")
        return int(value) if isinstance(value, int | float) else default

    def number(self, name: str, default: float = 0.0, kind: str = "float") -> float:
        """Return a number, or with ``kind="percent"`` a fraction."""
        value = self._value(name, kind)
        return float(value) if isinstance(value, int | float) else default

    def color(self, name: str) -> Color | None:
        """Return red, green and blue, from 0 to 1."""
        value = self._value(name, "color")
        if not isinstance(value, tuple) or len(value) < 3:
            return None
        return float(value[0]), float(value[1]), float(value[2])

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        value = self._value(name, "text")
        return value if isinstance(value, str) else default

    def map(self, name: str) -> SceneObject | None:
        """Return a map."""
        found = self.find(name, "map")
        try:
            return None if found is None else found.target
        except MaxSidecarError:
            return None


def _blocks(obj: SceneObject) -> Iterator[ParamBlockBase]:
    yield from obj.param_blocks
    for attribute in custom_attributes(obj):
        yield from attribute.param_blocks


def _ordinals(obj: SceneObject) -> dict[str, tuple[ParamBlockBase, int]]:
    """Return the parameters of the game's scripted classes that the file does not name."""
    class_id = obj.class_id
    if class_id is None:
        return {}
    out: dict[str, tuple[ParamBlockBase, int]] = {}
    before: dict[int, int] = {}
    for block in obj.param_blocks:
        try:
            count, named = len(block.state.entries), bool(block.names)
        except MaxSidecarError:
            continue
        slot = before.get(count, 0)
        before[count] = slot + 1
        if not named:
            for number, name in enumerate(ordinal_names(class_id.a, count, slot)):
                out.setdefault(name, (block, number))
    return out
