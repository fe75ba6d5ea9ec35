"""Textures: files, sets of files, cubes, blends and bump maps (``src/3d/texture*.cpp``)."""

from __future__ import annotations

from typing import Final

from maxsidecar.nel.serial.containers import Fixed, List, Nested, PolyPtr
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import BOOL, STRING, U16, U32, Enum, Version

__all__ = [
    "CTextureBlend",
    "CTextureBump",
    "CTextureCube",
    "CTextureFile",
    "CTextureMultiFile",
    "ITexture",
]

_UPLOAD: Final = Enum(
    dict(enumerate((
        "Auto", "RGBA8888", "RGBA4444", "RGBA5551", "RGB888", "RGB565", "DXTC1", "DXTC1Alpha",
        "DXTC3", "DXTC5", "Luminance", "Alpha", "AlphaLuminance", "DsDt",
    )))
)  # fmt: skip
_WRAP: Final = Enum({0: "Repeat", 1: "Clamp"})
_MAG_FILTER: Final = Enum({0: "Nearest", 1: "Linear"}, 1)
_MIN_FILTER: Final = Enum(
    {
        0: "NearestMipMapOff",
        1: "NearestMipMapNearest",
        2: "NearestMipMapLinear",
        3: "LinearMipMapOff",
        4: "LinearMipMapNearest",
        5: "LinearMipMapLinear",
    },
    5,
)
TEXTURE: Final = PolyPtr("ITexture")


class ITexture(Serial):
    """What all textures have."""

    version: int = field(Version(1), "format of the part")
    upload_format: int = field(_UPLOAD, "format in the memory of the graphics card")
    wrap_s: int = field(_WRAP, "what is outside of 0 to 1 along u")
    wrap_t: int = field(_WRAP, "what is outside of 0 to 1 along v")
    min_filter: int = field(_MIN_FILTER, "filter where the texture is shown smaller")
    mag_filter: int = field(_MAG_FILTER, "filter where the texture is shown larger")
    load_grayscale_as_alpha: bool = field(
        BOOL, "whether a picture without colours is an alpha channel", default=True, since=1
    )


class CTextureFile(Serial, bases=("ITexture",)):
    """A picture in a file."""

    version: int = field(Version(1), "format of the texture")
    base: ITexture = field(Nested(ITexture), "what all textures have")
    file_name: str = field(STRING, "name of the picture file, without folder")
    allow_degradation: bool = field(
        BOOL, "whether a smaller picture may be used on weak machines", default=True, since=1
    )


class CTextureMultiFile(Serial, bases=("ITexture",)):
    """Several pictures of which one is chosen, for variants of a character."""

    version: int = field(Version(0), "format of the texture")
    base: ITexture = field(Nested(ITexture), "what all textures have")
    file_names: list[str] = field(List(STRING), "names of the picture files")
    current: int = field(U32, "index of the chosen one")


class CTextureCube(Serial, bases=("ITexture",)):
    """Six pictures for the sides of a cube."""

    version: int = field(Version(2), "format of the texture")
    base: ITexture = field(Nested(ITexture), "what all textures have")
    sides: list[Serial | None] = field(Fixed(TEXTURE, 6), "textures of +x, -x, +y, -y, +z, -z")
    no_flip: bool = field(BOOL, "a flag of one old version", since=1, until=1)


class CTextureBlend(Serial, bases=("ITexture",)):
    """Two textures blended into one."""

    version: int = field(Version(0), "format of the texture")
    base: ITexture = field(Nested(ITexture), "what all textures have")
    textures: list[Serial | None] = field(Fixed(TEXTURE, 2), "the two textures")
    shared: bool = field(BOOL, "whether the result is shared")
    factor: int = field(U16, "share of the second, 0 to 256")


class CTextureBump(Serial, bases=("ITexture",)):
    """A height map that becomes a bump map."""

    version: int = field(Version(3), "format of the texture")
    base: ITexture = field(Nested(ITexture), "what all textures have")
    height_map: Serial | None = field(TEXTURE, "texture with the heights")
    disable_sharing: bool = field(BOOL, "whether the result is not shared")
    use_absolute_offsets: bool = field(BOOL, "a flag that the game ignores", since=1)
    force_normalize: bool = field(
        BOOL, "whether offsets are stretched to the full range", default=True, since=2
    )
