"""Materials, and their animated parts (``src/3d/material.cpp``)."""

from __future__ import annotations

from typing import Final

from maxsidecar.nel.serial.classes.basic import CMatrix
from maxsidecar.nel.serial.classes.texture import TEXTURE
from maxsidecar.nel.serial.conditions import Bits
from maxsidecar.nel.serial.containers import Fixed, Implied, List, Map, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import (
    BOOL,
    F32,
    I32,
    RGBA,
    STRING,
    U16,
    U32,
    Enum,
    Rgba,
    Row,
    Tracked,
    Version,
)

__all__ = [
    "CAnimatedTexture",
    "CLightMap",
    "CLightMapV6",
    "CMaterial",
    "CMaterialBase",
    "CMaterialStage",
    "CTexAnimTracks",
    "CTexEnv",
]

_OPERATOR: Final = Enum(
    dict(enumerate((
        "Replace", "Modulate", "Add", "AddSigned", "InterpolateTexture", "InterpolatePrevious",
        "InterpolateDiffuse", "InterpolateConstant", "EMBM", "Mad",
    ))), 1, "B",
)  # fmt: skip
_SOURCE: Final = Enum({0: "Texture", 1: "Previous", 2: "Diffuse", 3: "Constant"}, 0, "B")
_OPERAND: Final = Enum({0: "SrcColor", 1: "InvSrcColor", 2: "SrcAlpha", 3: "InvSrcAlpha"}, 0, "B")
_SHADER: Final = Enum(
    dict(enumerate((
        "Normal", "Bump", "UserColor", "LightMap", "Specular", "Caustics", "PerPixelLighting",
        "PerPixelLightingNoSpec", "Cloud", "Water",
    )))
)  # fmt: skip
_BLEND: Final = {
    0: "one",
    1: "zero",
    2: "srcalpha",
    3: "invsrcalpha",
    4: "srccolor",
    5: "invsrccolor",
    6: "blendConstantColor",
    7: "blendConstantInvColor",
    8: "blendConstantAlpha",
    9: "blendConstantInvAlpha",
}
_Z_FUNCTION: Final = Enum(
    dict(enumerate((
        "always", "never", "equal", "notequal", "less", "lessequal", "greater", "greaterequal",
    ))), 5,
)  # fmt: skip


class CTexEnv(Serial, nel="CMaterial::CTexEnv"):
    """How the colour of a texture stage is mixed: operator, and arguments with what is taken."""

    version: int = field(Implied("CMaterial", 9), "third arguments since 9")
    rgb_op: int = field(_OPERATOR, "operator of the colour", default=1)
    rgb_source0: int = field(_SOURCE, "first argument of the colour")
    rgb_operand0: int = field(_OPERAND, "what of it is taken")
    rgb_source1: int = field(_SOURCE, "second argument of the colour", default=1)
    rgb_operand1: int = field(_OPERAND, "what of it is taken")
    rgb_source2: int = field(_SOURCE, "third argument of the colour", default=1, since=9)
    rgb_operand2: int = field(_OPERAND, "what of it is taken", since=9)
    alpha_op: int = field(_OPERATOR, "operator of the alpha", default=1)
    alpha_source0: int = field(_SOURCE, "first argument of the alpha")
    alpha_operand0: int = field(_OPERAND, "what of it is taken", default=2)
    alpha_source1: int = field(_SOURCE, "second argument of the alpha", default=1)
    alpha_operand1: int = field(_OPERAND, "what of it is taken", default=2)
    alpha_source2: int = field(_SOURCE, "third argument of the alpha", default=1, since=9)
    alpha_operand2: int = field(_OPERAND, "what of it is taken", default=2, since=9)
    constant: Rgba = field(RGBA, "constant colour", default=(255, 255, 255, 255))


class CMaterialStage(Serial, nel="CMaterial stage"):
    """One of the four texture stages."""

    version: int = field(Implied("CMaterial", 9), "mixing since 1")
    texture: Serial | None = field(TEXTURE, "its texture")
    env: CTexEnv = field(Nested(CTexEnv), "how it is mixed", since=1)


class CLightMap(Serial, nel="CMaterial::CLightMap"):
    """A light map, which a group of lights fills."""

    version: int = field(Version(1), "format of the light map")
    factor: Rgba = field(RGBA, "colour it is multiplied with", default=(255, 255, 255, 255))
    lmc_diffuse: Rgba = field(RGBA, "diffuse colour of its light", default=(255, 255, 255, 255))
    lmc_ambient: Rgba = field(RGBA, "ambient colour of its light", since=1)
    texture: Serial | None = field(TEXTURE, "its texture")


class CLightMapV6(Serial, nel="CMaterial::CLightMap_old"):
    """A light map of old materials."""

    factor: Rgba = field(RGBA, "colour it is multiplied with", default=(255, 255, 255, 255))
    texture: Serial | None = field(TEXTURE, "its texture")


class CMaterial(Serial):
    """A material.

    The bits of ``flags`` are 1 hide, 2 TSP, 4 z-write, 8 z-list, 0x10 lighting, 0x20 specular,
    0x40 default colours (old), 0x80 blend, 0x100 double-sided, 0x200 alpha test, 0x400 addressing
    modes, 0x800 lit vertex colours, 0x1000 << stage generated coordinates, 0x100000 << stage
    texture matrix.
    """

    version: int = field(Version(9), "format of the material")
    shader: int = field(_SHADER, "shader")
    flags: int = field(U32, "bits, see the class", default=0x14)
    src_blend: int = field(Enum(_BLEND, 2), "blending factor of the material")
    dst_blend: int = field(Enum(_BLEND, 3), "blending factor of what is behind")
    z_function: int = field(_Z_FUNCTION, "comparison of depths", default=5)
    z_bias: float = field(F32, "shift of the depth")
    color: Rgba = field(RGBA, "colour without lighting", default=(255, 255, 255, 255))
    emissive: Rgba = field(RGBA, "emissive colour", default=(0, 0, 0, 255))
    ambient: Rgba = field(RGBA, "ambient colour", default=(0, 0, 0, 255))
    diffuse: Rgba = field(RGBA, "diffuse colour", default=(255, 255, 255, 255))
    specular: Rgba = field(RGBA, "specular colour; its alpha is the level", default=(0, 0, 0, 255))
    shininess: float = field(F32, "exponent of the highlight", default=10.0, since=2)
    alpha_test_threshold: float = field(
        F32, "least alpha that is drawn, 0 to 1", default=0.5, since=5
    )
    tex_coord_gen_mode: int = field(
        U16, "4 bits for each stage: how coordinates are generated", since=8
    )
    stages: list[CMaterialStage] = field(Fixed(Nested(CMaterialStage), 4), "texture stages")
    light_maps_v6: list[CLightMapV6] = field(
        List(Nested(CLightMapV6)), "light maps of old materials", since=3, until=6
    )
    light_maps: list[CLightMap] = field(List(Nested(CLightMap)), "light maps", since=7)
    light_map_x2: bool = field(BOOL, "whether light maps count double", since=7)
    address_modes: tuple[int, ...] = field(
        Row("B", 4, "4 × u8"), "addressing mode of each stage", since=4, when=Bits("flags", 0x400)
    )
    user_mat0: CMatrix = field(
        Nested(CMatrix), "texture matrix of stage 0", since=6, when=Bits("flags", 0x100000)
    )
    user_mat1: CMatrix = field(
        Nested(CMatrix), "texture matrix of stage 1", since=6, when=Bits("flags", 0x200000)
    )
    user_mat2: CMatrix = field(
        Nested(CMatrix), "texture matrix of stage 2", since=6, when=Bits("flags", 0x400000)
    )
    user_mat3: CMatrix = field(
        Nested(CMatrix), "texture matrix of stage 3", since=6, when=Bits("flags", 0x800000)
    )


class CAnimatedTexture(Serial, nel="CMaterialBase::CAnimatedTexture"):
    """A texture that an animation may choose."""

    texture: Serial | None = field(TEXTURE, "the texture")


class CTexAnimTracks(Serial):
    """The texture movement of a stage without animation."""

    version: int = field(Version(0), "format of the tracks")
    u_trans: float = field(Tracked(F32), "shift along u")
    v_trans: float = field(Tracked(F32), "shift along v")
    u_scale: float = field(Tracked(F32, 1.0), "scale along u")
    v_scale: float = field(Tracked(F32, 1.0), "scale along v")


class CMaterialBase(Serial):
    """The animated part of a material: its values without animation."""

    version: int = field(Version(1), "format of the part")
    name: str = field(STRING, "name of the material")
    ambient: Rgba = field(Tracked(RGBA), "ambient colour")
    diffuse: Rgba = field(Tracked(RGBA), "diffuse colour")
    specular: Rgba = field(Tracked(RGBA), "specular colour")
    shininess: float = field(Tracked(F32), "exponent of the highlight")
    emissive: Rgba = field(Tracked(RGBA), "emissive colour")
    opacity: float = field(Tracked(F32, 1.0), "opacity, 0 to 1")
    texture: int = field(
        Tracked(I32, 0x7FFFFFFF), "key of the texture in `textures`; the default stands for none"
    )
    textures: dict[int, CAnimatedTexture] = field(
        Map(U32, Nested(CAnimatedTexture)), "textures that an animation may choose"
    )
    tex_anim_tracks: list[CTexAnimTracks] = field(
        Fixed(Nested(CTexAnimTracks), 4), "texture movement of each stage", since=1
    )
