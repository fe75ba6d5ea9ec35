"""Layers, as keys that can be edited.

Only the name is proved (docs/format/node.md section 5); colour and flags of a layer are not.
"""

from __future__ import annotations

from typing import Any

from maxsidecar.errors import EditError, shorten
from maxsidecar.scene.layers import Layer, LayerManager
from maxsidecar.scene.objects import SceneObject
from maxsidecar.sidecar.optional import Field, FixedText
from maxsidecar.sidecar.optional_parameters import checked_text
from maxsidecar.sidecar.paths import KeyPath

__all__ = ["layer_fields"]


class LayerName:
    """The name of a layer, and that of the current layer where it is this one."""

    def __init__(self, layer: Layer, manager: LayerManager | None) -> None:
        """Keep both objects."""
        self.shown = layer.name
        self.holders: list[SceneObject] = [layer, *([manager] if manager is not None else [])]
        self.place = (layer.index, "name")
        self._layer = layer
        self._manager = manager

    def _encoded(self, value: str) -> bytes:
        try:
            return value.encode(self._layer.scene.code_page)
        except UnicodeEncodeError:
            raise EditError(
                "name: the scene's code page has no such character",
                expected=self._layer.scene.code_page,
                found=shorten(value),
            ) from None

    def check(self, value: Any) -> Any:
        """Return the name."""
        text = checked_text("name", value)
        if not text:
            raise EditError("name: a layer must have one")
        self._encoded(text)
        others = self._manager.layers if self._manager is not None else []
        names = {o.name.casefold() for o in others if o.index != self._layer.index}
        if text.casefold() in names:
            raise EditError("name: another layer has it", found=shorten(text))
        return text

    def write(self, value: Any) -> None:
        """Store another name."""
        old, new = self._layer.stored_name, self._encoded(value)
        self._layer.stored_name = new
        manager = self._manager
        if manager is not None and manager.stored_current_name == old:
            manager.stored_current_name = new


def layer_fields(obj: SceneObject) -> dict[KeyPath, Field]:
    """Return the values of the group ``layers`` of an object; only layers have any.

    Raises:
        MaxSidecarError: The layer cannot be read.
    """
    if not isinstance(obj, Layer):
        return {}
    scene = obj.scene
    managers = [m for m in scene.of_superclass(0x200, 0x0) if isinstance(m, LayerManager)]
    manager = managers[0] if managers else None
    name = obj.name
    if manager is not None and manager.layers[:1] == [obj]:
        return {("name",): FixedText(name, "name: the default layer keeps its name")}
    if name.encode(scene.code_page, "replace") != obj.stored_name:
        return {("name",): FixedText("not a text", "name: it is not in the scene's code page")}
    return {("name",): LayerName(obj, manager)}
