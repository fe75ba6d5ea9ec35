"""Materials and maps, as keys that can be edited: name, values, and the path of a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from maxsidecar.errors import MaxSidecarError
from maxsidecar.scene.animated import parameter_of
from maxsidecar.scene.materials.base import MaterialBase, MaterialHead
from maxsidecar.scene.materials.bitmap import BitmapMap
from maxsidecar.scene.materials.coordinates import MapOutput
from maxsidecar.scene.materials.maps import Map
from maxsidecar.scene.materials.standard import StandardMaterial
from maxsidecar.scene.objects import SceneObject
from maxsidecar.scene.params.bitmap import BitmapInfo
from maxsidecar.sidecar.optional import Field, FixedText
from maxsidecar.sidecar.optional_parameters import (
    AssetField,
    checked_text,
    own_parameters,
    pointer,
)
from maxsidecar.sidecar.paths import KeyPath
from maxsidecar.sidecar.toml_text import has_surrogate

__all__ = ["material_fields"]


class NameField:
    """The name of a material or map."""

    def __init__(self, owner: SceneObject, head: MaterialHead) -> None:
        """Look at the head that holds it."""
        self.holders = [owner]
        self.place = (owner.index, "name")
        self._head = head

    @property
    def shown(self) -> str:
        """The name."""
        return str(self._head.name)

    def check(self, value: Any) -> Any:
        """Return the name."""
        return checked_text("name", value)

    def write(self, value: Any) -> None:
        """Store another name."""
        self._head.name = value


class PathField:
    """The path of a picture, where the map itself, or its parameters, hold it as text."""

    def __init__(self, owner: BitmapMap, info: BitmapInfo | None, path: str) -> None:
        """Keep both places."""
        self.shown = path
        parameter = parameter_of(owner, "filename")
        described = parameter_of(owner, "bitmap")
        self._parameter = parameter if parameter is not None and parameter.value == path else None
        self._info = info
        blocks = [p.block for p in (parameter, described) if p is not None]
        self.holders: list[SceneObject] = [owner, *blocks]
        self.place = (owner.index, "bitmap")

    def check(self, value: Any) -> Any:
        """Return the path."""
        return checked_text("bitmap", value)

    def write(self, value: Any) -> None:
        """Store another path in each place that held the old one."""
        if self._info is not None and self._info.path == self.shown:
            self._info.path = value
        if self._parameter is not None:
            self._parameter.set(value)


def material_fields(obj: SceneObject, notes: list[str]) -> dict[KeyPath, Field]:
    """Return the values of the group ``material`` of an object; only materials and maps have any.

    Raises:
        MaxSidecarError: The object's references cannot be read.
    """
    if not isinstance(obj, MaterialBase):
        return {}
    out: dict[KeyPath, Field] = {}
    try:
        head = obj.head
        if head is not None and head.find(0x4001) is not None and not has_surrogate(head.name):
            out["name",] = NameField(obj, head)
    except MaxSidecarError as error:
        notes.append(f"name cannot be read: {error.message}")
    skip = ["texture_map", "material"]
    if isinstance(obj, BitmapMap):
        try:
            field = _picture(obj)
        except MaxSidecarError as error:
            notes.append(f"bitmap cannot be read: {error.message}")
            field = None
        if field is not None:
            out["bitmap",] = field
            skip += ["bitmap", "filename"]
    out.update(_slots(obj, notes))
    out.update(own_parameters(obj, notes, skip=tuple(skip)))
    for name, part in _parts(obj):
        out.update(own_parameters(part, notes, (name,), skip=("texture_map",)))
    return out


def _picture(obj: BitmapMap) -> Field | None:
    path, info = obj.path, obj.bitmap
    if path is None:
        return None
    if has_surrogate(path):
        return FixedText("not a text", "bitmap: the path is no text", obj, "bitmap")
    if info is not None and info.path:
        return PathField(obj, info, path)
    asset = obj.asset
    if asset is not None:
        return AssetField("bitmap", obj, asset.guid, path)
    return PathField(obj, None, path)


def _slots(obj: MaterialBase, notes: list[str]) -> Iterator[tuple[KeyPath, Field]]:
    """Yield the maps and materials in the slots, for information."""
    try:
        reason = "what stands in a slot cannot be changed here"
        for name, slot in obj.maps.items():
            state = "" if slot.on is not False else ", off"
            if not has_surrogate(name):
                yield ("maps", name), FixedText(pointer(slot.map) + state, reason)
        for sub in obj.sub_materials:
            if sub.material is not None and not has_surrogate(str(sub.slot)):
                number = "" if sub.id is None else f", id {sub.id}"
                text = pointer(sub.material) + number
                yield ("sub_materials", str(sub.slot)), FixedText(text, reason)
    except MaxSidecarError as error:
        notes.append(f"the slots cannot be read: {error.message}")


def _parts(obj: MaterialBase) -> Iterator[tuple[str, SceneObject]]:
    """Yield the objects that hold more values of a material or map, with their table."""
    if isinstance(obj, StandardMaterial) and obj.shader is not None:
        yield "shader", obj.shader
    if isinstance(obj, Map):
        coordinates, output = obj.coordinates, obj.output
        if coordinates is not None:
            yield "coordinates", coordinates
        if isinstance(output, MapOutput):
            yield "output", output
