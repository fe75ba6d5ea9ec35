"""The game's material of a NeL Material, the scripted one (spec: nel-export-rules 3.3, 9)."""

from __future__ import annotations

from typing import Final

from maxsidecar.nel.serial.classes.material import CMaterial, CTexEnv
from maxsidecar.nel.shape.colors import byte_of, rgba_of, scaled_rgba
from maxsidecar.nel.shape.material_state import (
    ALPHA_TEST,
    BLEND,
    DOUBLE_SIDED,
    GENERATED_UV,
    INV_SRC_ALPHA,
    LIGHTING,
    LIT_VERTEX_COLOR,
    SHADER_NORMAL,
    SRC_ALPHA,
    TEXTURE_MATRIX,
    Z_WRITE,
    MaterialInfo,
    exponent,
    switch,
)
from maxsidecar.nel.shape.texture_matrix import user_matrix
from maxsidecar.nel.shape.textures import GENERATED, Channel, texture_of
from maxsidecar.nel.shape.values import Color, Values
from maxsidecar.scene.materials.material import Material
from maxsidecar.scene.materials.standard import StandardMaterial
from maxsidecar.scene.objects import SceneObject

__all__ = ["NEL_MATERIAL", "nel_material"]

NEL_MATERIAL: Final = (0x64C75FEC, 0x222B9EB9)

#: Values of ``iShaderType``.
_NORMAL, _USER_COLOR, _LIGHTMAP, _SPECULAR, _WATER = 1, 3, 4, 5, 6
_LAST_SHADER: Final = 8
_STAGES: Final = 4
#: Addressing modes of textures are switched on as a whole.
_ADDRESSING: Final = 0x400
#: Texture slots that a shader takes; the others take all four.
_SLOTS: Final = {_USER_COLOR: 1, _LIGHTMAP: 1, _SPECULAR: 2}
_BLACK: Final = (0.0, 0.0, 0.0)


def nel_material(
    found: SceneObject, time: int, notes: list[str], *, lightmaps: bool
) -> tuple[CMaterial, MaterialInfo]:
    """Return the game's material, and what of the mesh it needs.

    Args:
        found: The NeL Material.
        time: Ticks (1/4800 s).
        notes: Takes what cannot be exported.
        lightmaps: Whether it may keep the shader for light maps.
    """
    values = Values(found, time)
    name = found.name if isinstance(found, Material) else ""
    info = MaterialInfo(name, texture_matrix=values.on("bExportTextureMatrix"))
    shader = values.integer("iShaderType", _NORMAL)
    if not 1 <= shader <= _LAST_SHADER:
        notes.append(f"material {name!r}: unknown shader {shader}, the normal one is taken")
        shader = _NORMAL
    if shader == _LIGHTMAP and not lightmaps:
        notes.append(f"material {name!r}: light maps are not computed, the normal shader is taken")
        shader = _NORMAL
    material = CMaterial(flags=Z_WRITE | LIGHTING)
    material.shader = SHADER_NORMAL if shader == _WATER else shader - 1
    _transparency(material, info, values, shader)
    _colors(material, values, _Old(found, time), unlit=shader == _LIGHTMAP)
    info.color_vertex = values.on("bColorVertex")
    lit = bool(material.flags & LIGHTING)
    switch(material, LIT_VERTEX_COLOR, lit and info.color_vertex)
    _textures(material, info, values, shader, notes)
    if shader == _NORMAL:
        for stage in range(_STAGES):
            _mixing(material, values, stage)
    return material, info


class _Old:
    """The material that a NeL Material derives from; older scripts take colours from it.

    (Measured: water_light.max has them there only, block.max in the script's own block.)
    """

    def __init__(self, found: SceneObject, time: int) -> None:
        inner = found.reference(0)
        self.inner = inner if isinstance(inner, StandardMaterial) else None
        self.time = time

    def color(self, name: str) -> Color:
        if self.inner is None:
            return _BLACK
        own = {
            "diffuse": self.inner.base_color,
            "ambient": self.inner.ambient_color,
            "specular": self.inner.specular_color,
            "emission": self.inner.emission,
        }[name](self.time)
        return own or _BLACK

    def number(self, name: str) -> float:
        if self.inner is None:
            return 0.0
        own = {
            "opacity": self.inner.opacity,
            "specular_level": self.inner.specular_level,
            "glossiness": self.inner.glossiness,
        }[name](self.time)
        return own or 0.0


def _transparency(material: CMaterial, info: MaterialInfo, values: Values, shader: int) -> None:
    blend, test = values.on("bAlphaBlend"), values.on("bAlphaTest")
    switch(material, BLEND, blend)
    switch(material, ALPHA_TEST, test)
    z_write = values.on("bForceZWrite") if blend else not values.on("bForceNoZWrite")
    switch(material, Z_WRITE, z_write)
    material.z_bias = values.number("fZBias")
    if shader in (_WATER, _LIGHTMAP):
        material.src_blend, material.dst_blend = SRC_ALPHA, INV_SRC_ALPHA
        return
    source = values.integer("iBlendSrcFunc", 1)
    material.src_blend = max(source - 1, 0)
    material.dst_blend = max(values.integer("iBlendDestFunc", source) - 1, 0)
    info.alpha_vertex = (blend or test) and values.on("bAlphaVertex")
    info.alpha_channel = values.integer("iAlphaVertexChannel")


def _colors(material: CMaterial, values: Values, old: _Old, *, unlit: bool) -> None:
    diffuse = values.color("cDiffuse") or old.color("diffuse")
    opacity = values.number("pOpacity", old.number("opacity"), "percent")
    rgba = rgba_of(diffuse, byte_of(opacity))
    material.diffuse = rgba
    if unlit or values.on("bUnlighted"):
        material.color = rgba
        switch(material, LIGHTING, False)
    if values.find("bUseSelfIllumColor", "boolean") is None:
        emissive = old.color("emission")
    elif values.on("bUseSelfIllumColor"):
        emissive = values.color("cSelfIllumColor") or _BLACK
    else:
        amount = values.number("pSelfIllumAmount", 0.0, "percent")
        emissive = diffuse[0] * amount, diffuse[1] * amount, diffuse[2] * amount
    material.emissive = rgba_of(emissive)
    material.ambient = rgba_of(values.color("cAmbient") or old.color("ambient"))
    level = values.number("pSpecularLevel", old.number("specular_level"), "percent")
    specular = rgba_of(values.color("cSpecular") or old.color("specular"))
    material.specular = scaled_rgba(specular, min(max(level, 0.0), 1.0))
    material.shininess = exponent(values.number("pGlossiness", old.number("glossiness"), "percent"))
    two_sided = old.inner is not None and bool(old.inner.two_sided)
    switch(material, DOUBLE_SIDED, values.on("bTwoSided", two_sided))


def _textures(
    material: CMaterial, info: MaterialInfo, values: Values, shader: int, notes: list[str]
) -> None:
    for stage in range(_SLOTS.get(shader, _STAGES)):
        found = values.map(f"tTexture_{stage + 1}")
        if not values.on(f"bEnableSlot_{stage + 1}") or found is None:
            continue
        mirror = stage == 1 and shader == _SPECULAR
        texture, channel = texture_of(found, values.time, notes, cube=mirror)
        if mirror or values.on(f"bTexGen_{stage + 1}"):
            channel = Channel(GENERATED, matrix=channel.matrix)
        elif channel.number >= 0:
            same = [
                place for place, old in enumerate(info.channels) if old.number == channel.number
            ]
            info.routing[stage] = same[0] if same else stage
            if not same and len(info.channels) != stage:
                notes.append(
                    f"material {info.name!r}: texture {stage + 1} has no coordinates, since one of "
                    "the slots in front of it is empty"
                )
        info.channels.append(channel)
        material.stages[stage].texture = texture
        switch(material, GENERATED_UV << stage, channel.number < 0)
        if info.texture_matrix:
            switch(material, TEXTURE_MATRIX << stage, True)
            setattr(material, f"user_mat{stage}", user_matrix(channel.matrix))
    if shader == _LIGHTMAP:
        first = info.channels[0] if info.channels else Channel()
        info.channels.append(first.on_channel(values.integer("iLightMapChannel", 2)))
        # The second set of coordinates is that of the light map, also when nothing else needs it.
        info.routing[1] = 1


def _mixing(material: CMaterial, values: Values, stage: int) -> None:
    """Set how the texture of a stage is mixed."""
    suffix = f"_{stage + 1}"
    env = CTexEnv()
    for part, prefix, operand in (("rgb", "Rgb", 1), ("alpha", "Alpha", 3)):
        # Scripts number from 1, with another list of sources for the first argument.
        operation = values.integer(f"i{prefix}Operation{suffix}", 1)
        if operation < 5:
            operator = operation - 1
        elif operation == 6:
            operator = 9
        else:
            operator = values.integer(f"i{prefix}BlendSource{suffix}", 1) + 3
        setattr(env, f"{part}_op", max(operator, 0))
        for number in range(3):
            source = values.integer(f"i{prefix}Arg{number}{suffix}", 1)
            taken = values.integer(f"i{prefix}Arg{number}Operand{suffix}", operand)
            chosen = source - 1 if number == 0 else 0 if source == 4 else source
            setattr(env, f"{part}_source{number}", max(chosen, 0))
            setattr(env, f"{part}_operand{number}", max(taken - 1, 0))
    constant = rgba_of(values.color(f"cConstant{suffix}") or (1.0, 1.0, 1.0))
    env.constant = (*constant[:3], values.integer(f"iConstantAlpha{suffix}", 255) & 0xFF)
    material.stages[stage].env = env
    mode = values.integer(f"iTextureShader{suffix}", 1)
    if mode > 1:
        switch(material, _ADDRESSING, True)
        modes = list(material.address_modes)
        modes[stage] = mode - 2
        material.address_modes = tuple(modes)
