"""The game's material of a material that is no NeL Material (spec: nel-export-rules 3.3)."""

from __future__ import annotations

from typing import Final

from maxsidecar.nel.serial.classes.material import CMaterial
from maxsidecar.nel.shape.colors import byte_of, rgba_of, scaled_rgba
from maxsidecar.nel.shape.material_state import (
    ALPHA_TEST,
    BLEND,
    DOUBLE_SIDED,
    INV_SRC_ALPHA,
    LIGHTING,
    LIT_VERTEX_COLOR,
    ONE,
    SHADER_LIGHTMAP,
    SHADER_SPECULAR,
    SRC_ALPHA,
    Z_WRITE,
    MaterialInfo,
    exponent,
    lit_material,
    switch,
)
from maxsidecar.nel.shape.textures import Channel, cube_of, is_picture, texture_of
from maxsidecar.nel.shape.values import Values
from maxsidecar.scene.animated import parameter_of, value_at
from maxsidecar.scene.materials.base import MapSlot
from maxsidecar.scene.materials.material import Material
from maxsidecar.scene.materials.standard import StandardMaterial
from maxsidecar.scene.objects import SceneObject

__all__ = ["standard_material"]

#: Below this opacity a material is transparent.
_OPAQUE: Final = 0.99
#: Map channel of light maps.
_LIGHTMAP_CHANNEL: Final = 2


def standard_material(
    found: SceneObject, time: int, notes: list[str], *, lightmaps: bool
) -> tuple[CMaterial, MaterialInfo]:
    """Return the game's material, and what of the mesh it needs.

    Args:
        found: The material.
        time: Ticks (1/4800 s).
        notes: Takes what cannot be exported.
        lightmaps: Whether it may keep the shader for light maps.
    """
    if not isinstance(found, StandardMaterial):
        name = found.name if isinstance(found, Material) else ""
        notes.append(f"material {name!r}: {found.class_name} is exported as a white material")
        material, info = lit_material(), MaterialInfo(name)
        return material, info
    return _Standard(found, time, notes).export(lightmaps)


class _Standard:
    """The export of one Standard material; scripts may have added attributes to it."""

    def __init__(self, found: StandardMaterial, time: int, notes: list[str]) -> None:
        self.found, self.time, self.notes = found, time, notes
        self.values = Values(found, time)
        self.material = CMaterial(flags=Z_WRITE | LIGHTING)
        self.info = MaterialInfo(found.name)
        # Unless an attribute says otherwise, what is transparent is tested, not blended.
        self.tested = self.values.on("bAlphaTest", True)

    def export(self, lightmaps: bool) -> tuple[CMaterial, MaterialInfo]:
        material, values = self.material, self.values
        maps = {name: slot.map for name, slot in self.found.maps.items() if _is_on(slot)}
        specular = maps.get("specular")
        lightmap = False
        if specular is not None:
            material.shader = SHADER_SPECULAR
        elif values.on("bLightMap"):
            lightmap = lightmaps
            if lightmap:
                material.shader = SHADER_LIGHTMAP
            else:
                self.notes.append(
                    f"material {self.found.name!r}: light maps are not computed, the normal shader "
                    "is taken"
                )
        self._diffuse_map(maps.get("diffuse"), maps.get("opacity"), lightmap)
        if specular is not None:
            material.stages[1].texture = cube_of(specular, self.time, self.notes)
        kind = value_at(parameter_of(self.found, "opacity_type"), self.time)
        material.src_blend = SRC_ALPHA
        material.dst_blend = ONE if kind else INV_SRC_ALPHA
        self._colors()
        if not lightmap and values.on("bUnlighted"):
            switch(material, LIGHTING, False)
        if values.on("bAlphaVertex"):
            self.info.alpha_vertex = True
            self.info.alpha_channel = values.integer("iAlphaVertexChannel")
            self._make_transparent()
        if values.on("bColorVertex"):
            self.info.color_vertex = True
            switch(material, LIT_VERTEX_COLOR, bool(material.flags & LIGHTING))
        return material, self.info

    def _make_transparent(self) -> None:
        material, values = self.material, self.values
        switch(material, ALPHA_TEST if self.tested else BLEND, True)
        z_write = not values.on("bForceNoZWrite") if self.tested else values.on("bForceZWrite")
        switch(material, Z_WRITE, z_write)

    def _diffuse_map(
        self, diffuse: SceneObject | None, opacity: SceneObject | None, lightmap: bool
    ) -> None:
        if diffuse is None:
            return
        if not is_picture(diffuse):
            self.notes.append(
                f"material {self.found.name!r}: the diffuse map {diffuse.class_name} is no picture "
                "in a file"
            )
            return
        texture, channel = texture_of(diffuse, self.time, self.notes)
        self.material.stages[0].texture = texture
        self.info.channels.append(channel if channel.number >= 0 else Channel())
        if opacity is not None:
            self._make_transparent()
        if channel.number >= 0:
            self.info.routing[0] = 0
        if lightmap:
            self.info.channels.append(channel.on_channel(_LIGHTMAP_CHANNEL))
            self.info.routing[1] = 1

    def _colors(self) -> None:
        material, found, time = self.material, self.found, self.time
        opacity = found.opacity(time)
        opacity = 0.0 if opacity is None else opacity
        black = (0.0, 0.0, 0.0)
        rgba = rgba_of(found.base_color(time) or black, byte_of(opacity))
        material.color = material.diffuse = rgba
        if opacity < _OPAQUE:
            self._make_transparent()
        material.emissive = rgba_of(found.emission(time) or black)
        material.ambient = rgba_of(found.ambient_color(time) or black)
        specular = rgba_of(found.specular_color(time) or black)
        material.specular = scaled_rgba(specular, found.specular_level(time) or 0.0)
        material.shininess = exponent(found.glossiness(time) or 0.0)
        switch(material, DOUBLE_SIDED, bool(found.two_sided))


def _is_on(slot: MapSlot) -> bool:
    return slot.on is None or slot.on
