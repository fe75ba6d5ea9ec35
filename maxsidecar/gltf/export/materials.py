"""Materials: which one the faces of a node have, and what glTF makes of it.

docs/gltf-materials.md tells what becomes of each class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf import model
from maxsidecar.gltf.export.channels import tex_coord_of
from maxsidecar.gltf.export.context import Export
from maxsidecar.gltf.export.material_maps import Surface
from maxsidecar.gltf.export.surfaces import Surfaces
from maxsidecar.scene.animated import number_at, parameter_of, value_at
from maxsidecar.scene.materials import (
    DoubleSidedMaterial,
    Material,
    MultiMaterial,
    ShellMaterial,
)
from maxsidecar.scene.node import Node
from maxsidecar.scene.objects import SceneObject

__all__ = ["MaterialSlots", "Materials"]

#: Deepest chain of materials in materials that is followed.
_DEEPEST: Final = 16
_BLEND: Final = (0x250, 0)
_TOP_BOTTOM: Final = (0x100, 0)


class Materials:
    """The materials of an export; each is read once."""

    def __init__(self, export: Export) -> None:
        """Nothing is read yet."""
        self._export = export
        self._surfaces = Surfaces(export)
        self._read: dict[int, Surface] = {}
        self._made: dict[tuple[int, tuple[int | None, ...]], model.Material] = {}
        self._leaves: dict[tuple[int, int, bool], Material | None] = {}
        self._told: set[int] = set()
        self._short: set[str] = set()

    def for_node(self, node: Node, channels: Sequence[int] | None = None) -> MaterialSlots:
        """Return the materials of a node.

        Args:
            node: The node.
            channels: Map channels of its mesh that hold texture coordinates, ascending; ``None``
                when not known, which counts as 1, 2, 3 ...
        """
        try:
            material = node.material
        except MaxSidecarError as error:
            name = self._export.nodes[node.index].name
            line = ("material", name, self._export.id_of(node), "?")
            self._export.report.left_out(*line, f"it cannot be read: {error.message}")
            material = None
        return MaterialSlots(self, material, channels)

    def make(
        self,
        material: SceneObject | None,
        material_id: int,
        channels: Sequence[int] | None,
        back: bool,
    ) -> model.Material | None:
        """Return the glTF material for a material id, see :class:`MaterialSlots`."""
        if material is None:
            return None
        key = (material.index, material_id, back)
        if key not in self._leaves:
            self._leaves[key] = self._leaf(material, material_id, back)
        leaf = self._leaves[key]
        if leaf is None:
            return None
        index = leaf.index
        if index not in self._read:
            self._read[index] = self._surfaces.read(leaf)
        surface = self._read[index]
        used = tuple(_tex_coord(channels, channel) for channel in surface.channels)
        made = self._made.get((index, used))
        if made is None:
            made = self._surfaces.material(surface, dict(zip(surface.channels, used, strict=True)))
            self._tell_of_channels(surface, used)
            self._made[(index, used)] = made
            self._export.materials.setdefault(index, made)
        return made

    # --- materials that hold others ------------------------------------------------------------

    def _leaf(self, material: SceneObject | None, number: int, back: bool) -> Material | None:
        """Return the material at the end of a chain of those that hold others."""
        held: list[tuple[Material, str]] = []
        found = material
        while isinstance(found, Material) and len(held) < _DEEPEST:
            try:
                inner, reason = self._inner(found, number, back)
            except MaxSidecarError as error:
                self._leave_out(found, f"it cannot be read: {error.message}")
                return None
            if inner is found:
                break
            held.append((found, reason))
            found = inner
        if isinstance(found, Material) and len(held) == _DEEPEST:
            self._leave_out(held[0][0], "it holds materials in materials without an end")
            return None
        for holder, reason in held:
            self._tell(holder, reason)
        if found is not None and not isinstance(found, Material):
            self._leave_out(found, "it is no material of a known kind")
            return None
        if back and not any(isinstance(holder, DoubleSidedMaterial) for holder, _ in held):
            return None
        return found

    def _tell_of_channels(self, surface: Surface, used: tuple[int | None, ...]) -> None:
        missing = [str(c) for c, place in zip(surface.channels, used, strict=True) if place is None]
        if missing and surface.key not in self._short:
            self._short.add(surface.key)
            numbers = ", ".join(missing)
            reason = f"a mesh lacks map channel {numbers}, and is without the textures on it"
            line = ("material", surface.name, surface.key, surface.class_name)
            self._export.report.approximated(*line, reason)

    def _inner(self, material: Material, number: int, back: bool) -> tuple[SceneObject | None, str]:
        """Return the material that one shows, itself when it holds no others, and a reason.

        Raises:
            DecodeError: A parameter cannot be read.
        """
        if isinstance(material, MultiMaterial):
            return _of_id(material, number), ""
        if isinstance(material, DoubleSidedMaterial):
            name = "back_material" if back else "front_material"
            return _target(material, name), _translucency(material)
        if isinstance(material, ShellMaterial):
            shown = material.rendered or _target(material, "original_material")
            return shown, "only the material that is rendered is shown"
        if material.is_instance(0xC00, _BLEND):
            amount = number_at(material, "mix_amount", self._export.time) or 0.0
            name = "material2" if amount >= 0.5 else "material1"
            return _target(material, name), f"of the blended materials only {name} is shown"
        if material.is_instance(0xC00, _TOP_BOTTOM):
            return _target(material, "top_material"), "only the material of the top is shown"
        if material.base_color(self._export.time) is None:
            for part in material.sub_materials:
                if part.material is not None and part.on is not False:
                    return part.material, "only the first of its materials is shown"
        return material, ""

    def _tell(self, material: Material, reason: str) -> None:
        if material.index in self._told:
            return
        self._told.add(material.index)
        line = ("material", _name(material), self._export.id_of(material), material.class_name)
        if reason:
            self._export.report.approximated(*line, reason)
        else:
            self._export.report.converted(*line)

    def _leave_out(self, material: SceneObject, reason: str) -> None:
        if material.index not in self._told:
            self._told.add(material.index)
            key = self._export.id_of(material)
            line = ("material", _name(material), key, material.class_name)
            self._export.report.left_out(*line, reason)


class MaterialSlots:
    """The materials of a node.

    Attributes:
        channels: Map channels of its mesh that hold texture coordinates, ascending, or ``None``.
    """

    def __init__(
        self, materials: Materials, material: SceneObject | None, channels: Sequence[int] | None
    ) -> None:
        """Keep what the node has."""
        self.channels = channels
        self._materials = materials
        self._material = material

    def material(self, material_id: int) -> model.Material | None:
        """Return the material of faces with a material id, from 0; ``None`` without one.

        Of Multi/Sub-Object it is the material with that id; of ids that it has not, the one at that
        place, counted round.  Empty slots have no material.  A node without a material has none,
        as in the files of 3ds Max's own exporter: its wire colour is in its extras.
        """
        return self._materials.make(self._material, material_id, self.channels, False)

    def back(self, material_id: int) -> model.Material | None:
        """Return the material of the backs of such faces where they have one of their own."""
        return self._materials.make(self._material, material_id, self.channels, True)


def _of_id(material: MultiMaterial, number: int) -> SceneObject | None:
    slots = material.sub_materials
    if not slots:
        return None
    found = next((slot for slot in slots if slot.id == number), slots[number % len(slots)])
    return found.material


def _target(material: Material, name: str) -> SceneObject | None:
    """Return the material in a slot that is switched on."""
    parameter = parameter_of(material, name)
    if parameter is None:
        return None
    switch = parameter_of(material, f"{name.removesuffix('_material')}_on")
    return None if switch is not None and not value_at(switch) else parameter.target


def _translucency(material: Material) -> str:
    return "its translucency is left out" if number_at(material, "translucency") else ""


def _tex_coord(channels: Sequence[int] | None, channel: int) -> int | None:
    return max(channel - 1, 0) if channels is None else tex_coord_of(channels, channel)


def _name(material: SceneObject) -> str:
    try:
        return str(getattr(material, "name", ""))
    except MaxSidecarError:
        return ""
