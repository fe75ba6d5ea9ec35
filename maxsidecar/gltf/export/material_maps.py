"""Reading a material with its maps: which map goes into which texture of glTF."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from maxsidecar.errors import MaxSidecarError
from maxsidecar.gltf.export.bumps import normal_texture
from maxsidecar.gltf.export.context import Export
from maxsidecar.gltf.export.drawing import Change, Pixels
from maxsidecar.gltf.export.look_values import Look, roughness_of_glossiness
from maxsidecar.gltf.export.looks import read_look
from maxsidecar.gltf.export.material_extras import material_extras
from maxsidecar.gltf.export.sources import Source
from maxsidecar.gltf.export.textures import Made, Textures
from maxsidecar.scene.animated import parameter_of, value_at
from maxsidecar.scene.materials import (
    MapSlot,
    Material,
    PhysicalMaterial,
    RaytraceMaterial,
    ScriptedMaterial,
    StandardMaterial,
)
from maxsidecar.scene.materials.material import MapRole

__all__ = ["Surface", "read_surface"]

#: Roughness of each of 256 levels of glossiness of a Standard material.
_LEVELS: Final = np.array(
    [round(roughness_of_glossiness(level / 255) * 255) for level in range(256)], np.uint8
)
_WHITE: Final = (1.0, 1.0, 1.0)


@dataclass(slots=True, eq=False)
class Surface:
    """A material as it was read, for any mesh.

    Attributes:
        key: Its id, for the report.
        made: Texture by key of glTF's material, or ``<extension>.<key>``.
        normal_scale: Strength of the normal texture.
    """

    name: str
    key: str
    class_name: str
    look: Look
    made: dict[str, Made] = field(default_factory=dict)
    normal_scale: float = 1.0
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def channels(self) -> tuple[int, ...]:
        """The map channels that its textures lie on, ascending."""
        return tuple(sorted({made.source.placing.channel for made in self.made.values()}))


def read_surface(export: Export, textures: Textures, material: Material) -> Surface:
    """Return a material, read with its maps, and report it."""
    return _Reading(export, textures, material).surface


class _Reading:
    """Reads one material."""

    def __init__(self, export: Export, textures: Textures, material: Material) -> None:
        self.export, self.textures, self.material = export, textures, material
        self.key = export.id_of(material)
        self.look = read_look(material, export.time)
        self.name = self._tried(lambda: material.name, "")
        self.surface = Surface(self.name, self.key, material.class_name, self.look)
        self.maps: dict[str, MapSlot] = self._tried(lambda: material.maps, {})
        shown = {name: textures.follow(slot)[0] for name, slot in self.maps.items()}
        paths = {name: source.path for name, source in shown.items() if source and source.path}
        self.surface.extras = material_extras(export, material, self.name, self.maps, paths)
        self.left = {slot.map.index: slot for slot in self.maps.values() if _used(slot)}
        if self.left and export.options.textures != "none":
            self._read_maps()
        self._report()

    def _tried(self, read: Callable[[], Any], default: Any) -> Any:
        try:
            return read()
        except MaxSidecarError as error:
            self.look.because(f"a value cannot be read: {error.message}")
            return default

    def _slot(self, role: MapRole) -> MapSlot | None:
        slot: MapSlot | None = self._tried(lambda: self.material.map_for(role, self.maps), None)
        if slot is None or not _used(slot):
            return None
        self.left.pop(slot.map.index, None)
        return slot

    def _source(self, role: MapRole) -> Source | None:
        slot = self._slot(role)
        return None if slot is None else self._of_slot(slot)

    def _of_slot(self, slot: MapSlot) -> Source | None:
        source = self.textures.source(slot, self.name, self.key)
        if source is not None and slot.amount is not None and slot.amount < 1.0:
            source.reasons.append(f"its amount of {slot.amount:.0%} counts as all")
        return source

    def _make(self, make: Callable[[], Made], *sources: Source | None) -> Made | None:
        """Make a texture; what cannot be made is reported."""
        used = [source for source in sources if source is not None]
        try:
            made = make()
        except MaxSidecarError as error:
            for source in used:
                self.textures.leave_out(source.found, self.name, self.key, error.message)
            return None
        for source in used:
            self.textures.tell(source, self.name, self.key, "; ".join(made.reasons))
        return made

    # --- the maps, one use after the other -----------------------------------------------------

    def _read_maps(self) -> None:
        self._read_base()
        self._read_metal_rough()
        self._read_emission()
        self._read_specular()
        slot = self._slot("bump")
        if slot is not None:
            normal = normal_texture(self.textures, self.material, slot, self.name, self.key)
            if normal is not None:
                self.surface.made["normalTexture"], self.surface.normal_scale = normal
        occlusion = self._source("ambient_occlusion") or self._occlusion_of_physical()
        self._put("occlusionTexture", occlusion)
        for slot in self.left.values():
            reason = f"glTF has no place for a map of {slot.name}"
            self.textures.leave_out(slot.map, self.name, self.key, reason)

    def _put(self, key: str, source: Source | None) -> bool:
        """Put a picture as it is in its place; return whether it is there."""
        made = self._make(lambda: self.textures.plain(source), source) if source else None
        if made is not None:
            self.surface.made[key] = made
        return made is not None

    def _read_base(self) -> None:
        look = self.look
        # The delegate's map is for 3ds Max's own views.
        shown_by_delegate = self._slot("base_color")
        slot = self._first_texture_of_nel() or shown_by_delegate
        base = None if slot is None else self._of_slot(slot)
        shown = None if slot is None else self.textures.follow(slot)[0]
        if shown is not None:
            # What the map is multiplied with, as 3ds Max's own exporter has it, whether the
            # picture is there or not.
            look.color = _bounded(shown.factor)
        opacity, inverted = self._source("opacity"), False
        if opacity is None and isinstance(self.material, PhysicalMaterial):
            # As in the files of 3ds Max's own exporter, its transparency is no transmission.
            opacity, inverted = self._source("transparency"), True
        made = None
        if opacity is not None:
            made = self._make(
                lambda: self.textures.with_opacity(base, opacity, inverted), base, opacity
            )
            if made is not None:
                look.alpha, look.transmission = 1.0, 0.0
        if made is None and base is not None:
            whole = look.alpha < 1.0
            made = self._make(lambda: self.textures.colors(base, opaque=whole), base)
        if made is None:
            return
        self.surface.made["baseColorTexture"] = made

    def _first_texture_of_nel(self) -> MapSlot | None:
        """Return the first texture of a NeL material, which is the one that the game shows."""
        material = self.material
        if not isinstance(material, ScriptedMaterial):
            return None
        slot = self.maps.get("tTexture_1")
        enabled = self._tried(lambda: value_at(parameter_of(material, "bEnableSlot_1")), None)
        if slot is None or enabled is False:
            return None
        self.left.pop(slot.map.index, None)
        return slot

    def _read_metal_rough(self) -> None:
        look = self.look
        metal, rough = self._source("metalness"), self._source("roughness")
        change: Change | None = None
        if rough is None:
            rough = self._source("glossiness")
            by_highlights = isinstance(
                self.material, StandardMaterial | ScriptedMaterial | RaytraceMaterial
            )
            change = _of_highlights if by_highlights else _inverted
        if metal is not None and rough is not None and metal.placing != rough.placing:
            reason = "it lies differently than the map of roughness, and glTF has one picture"
            self.textures.leave_out(metal.found, self.name, self.key, reason)
            metal = None
        parts: dict[int, tuple[Source, Change | None]] = {}
        if rough is not None:
            parts[1] = (rough, change)
        if metal is not None:
            parts[2] = (metal, None)
        if not parts:
            return
        made = self._make(lambda: self.textures.channels("metal_rough", parts), rough, metal)
        if made is None:
            return
        made.alpha = "none"
        self.surface.made["metallicRoughnessTexture"] = made
        look.roughness = look.roughness if rough is None else 1.0
        look.metallic = look.metallic if metal is None else 1.0

    def _read_emission(self) -> None:
        """Take the map of emission; else what glows by itself glows in the colours of its base."""
        look, base = self.look, self.surface.made.get("baseColorTexture")
        slot = self._slot("emission")
        if slot is not None:
            source = self._of_slot(slot)
            if source is None or not self._put("emissiveTexture", source):
                # Without its picture all of it would glow.
                look.emissive = (0.0, 0.0, 0.0)
                return
            weight = max(look.emissive) or 1.0
            red, green, blue = (part * weight for part in source.factor)
            look.emissive = (red, green, blue)
            return
        amount = self._amount_of_base()
        if base is not None and amount:
            self.surface.made["emissiveTexture"] = base
            look.emissive = (amount, amount, amount)

    def _amount_of_base(self) -> float:
        """Return how much of its own base colour a Standard material gives off."""
        material = self.material
        if isinstance(material, ScriptedMaterial):
            material = material.delegate or material
        if not isinstance(material, StandardMaterial):
            return 0.0
        holder = material.shader or material
        if self._tried(lambda: value_at(parameter_of(holder, "use_self_illumination_color")), None):
            return 0.0
        amount = self._tried(lambda: value_at(parameter_of(holder, "self_illumination")), 0.0)
        return min(max(float(amount), 0.0), 1.0) if isinstance(amount, int | float) else 0.0

    def _read_specular(self) -> None:
        """Take the maps of level and colour of reflections, and of transmission."""
        look = self.look
        color, level = self._source("specular_color"), self._source("specular_level")
        if self._put("specular.specularColorTexture", color):
            look.specular = 1.0 if look.specular is None else look.specular
            look.specular_color = _WHITE
        if level is not None:
            made = self._make(lambda: self.textures.channels("specular", {3: (level, None)}), level)
            if made is not None:
                self.surface.made["specular.specularTexture"] = made
                look.specular = 1.0
        if not isinstance(self.material, PhysicalMaterial):
            clear = self._source("transparency")
            if self._put("transmission.transmissionTexture", clear):
                look.transmission = 1.0

    def _occlusion_of_physical(self) -> Source | None:
        """Return what 3ds Max's exporter takes for occlusion: the map of diffuse roughness."""
        if not isinstance(self.material, PhysicalMaterial):
            return None
        slot = self.maps.get("diffuse_roughness")
        if slot is None or slot.map.index not in self.left:
            return None
        self.left.pop(slot.map.index)
        source = self._of_slot(slot)
        if source is not None:
            source.reasons.append("the map of diffuse roughness is taken for occlusion")
        return source

    def _report(self) -> None:
        line = ("material", self.name, self.key, self.material.class_name)
        if self.look.reasons:
            self.export.report.approximated(*line, "; ".join(self.look.reasons))
        else:
            self.export.report.converted(*line)


def _used(slot: MapSlot) -> bool:
    return slot.on is not False and slot.amount != 0.0


def _bounded(color: tuple[float, float, float]) -> tuple[float, float, float]:
    red, green, blue = (min(max(part, 0.0), 1.0) for part in color)
    return red, green, blue


def _inverted(values: Pixels) -> Pixels:
    return 255 - values


def _of_highlights(values: Pixels) -> Pixels:
    return _LEVELS[values]
