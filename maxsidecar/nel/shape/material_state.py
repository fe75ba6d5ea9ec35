"""What materials of both kinds share: flags, shaders, and what of the mesh they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from maxsidecar.nel.serial.classes.material import CMaterial
from maxsidecar.nel.shape.textures import Channel

__all__ = [
    "ALPHA_TEST",
    "BLEND",
    "DOUBLE_SIDED",
    "GENERATED_UV",
    "INV_SRC_ALPHA",
    "LIGHTING",
    "LIT_VERTEX_COLOR",
    "ONE",
    "SHADER_LIGHTMAP",
    "SHADER_NORMAL",
    "SHADER_SPECULAR",
    "SRC_ALPHA",
    "TEXTURE_MATRIX",
    "Z_WRITE",
    "MaterialInfo",
    "exponent",
    "lit_material",
    "switch",
]

Z_WRITE: Final = 0x4
LIGHTING: Final = 0x10
BLEND: Final = 0x80
DOUBLE_SIDED: Final = 0x100
ALPHA_TEST: Final = 0x200
LIT_VERTEX_COLOR: Final = 0x800
#: Coordinates of stage 0 are generated; shifted by the stage.
GENERATED_UV: Final = 0x1000
#: Stage 0 has a texture matrix; shifted by the stage.
TEXTURE_MATRIX: Final = 0x100000

SHADER_NORMAL, SHADER_LIGHTMAP, SHADER_SPECULAR = 0, 3, 4
ONE, SRC_ALPHA, INV_SRC_ALPHA = 0, 2, 3


@dataclass(slots=True)
class MaterialInfo:
    """What a material needs of the mesh.

    Attributes:
        name: Name of the material in the scene.
        channels: Map channel of each texture, without gaps.
        routing: By stage the set of coordinates that it takes.
        color_vertex: Whether colours of vertices count.
        alpha_vertex: Whether the alpha of vertices counts.
        alpha_channel: Map channel with that alpha.
        texture_matrix: Whether textures are moved by matrices, so that coordinates stay.
    """

    name: str = ""
    channels: list[Channel] = field(default_factory=list)
    routing: dict[int, int] = field(default_factory=dict)
    color_vertex: bool = False
    alpha_vertex: bool = False
    alpha_channel: int = 0
    texture_matrix: bool = False


def lit_material() -> CMaterial:
    """Return what a node without a material gets: white, lit."""
    return CMaterial(
        flags=Z_WRITE | LIGHTING, ambient=(255, 255, 255, 255), specular=(0, 0, 0, 255)
    )


def switch(material: CMaterial, flag: int, on: bool) -> None:
    """Set or clear a flag of a material."""
    material.flags = material.flags | flag if on else material.flags & ~flag


def exponent(glossiness: float) -> float:
    """Return the exponent of highlights, 4 · 2^(10 · glossiness), in single precision."""
    power = min(max(float(np.float32(glossiness)) * 10.0, -100.0), 100.0)
    return float(np.float32(2.0**power) * np.float32(4))
