"""Vegetation: what grows on a tile (``.vegetset``) and how it looks (``.veget``)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array
from maxsidecar.nel.serial.classes.buffers import CVertexBuffer
from maxsidecar.nel.serial.containers import Fixed, List, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import BOOL, F32, STRING, U32, Enum, Magic, Version

__all__ = [
    "CNoiseColorGradient",
    "CNoiseValue",
    "CTileVegetableDesc",
    "CVegetable",
    "CVegetableList",
    "CVegetableShape",
]

_ANGLE: Final = Enum({0: "AngleGround", 1: "AngleWall", 2: "AngleCeiling"})
_BEND_CENTER: Final = Enum({0: "BendCenterNull", 1: "BendCenterZ"})


class CNoiseValue(Serial):
    """A number that varies with the place."""

    version: int = field(Version(0), "format of the value")
    abs: float = field(F32, "the number")
    rand: float = field(F32, "what the noise adds at most")
    frequency: float = field(F32, "frequency of the noise, per metre", default=1.0)


class CNoiseColorGradient(Serial):
    """A colour that varies with the place."""

    version: int = field(Version(0), "format of the gradient")
    noise: CNoiseValue = field(Nested(CNoiseValue), "which colour it is, 0 to 1")
    gradients: NDArray[np.float32] = field(Array(("<f4", 4), "4 × f32"), "colours, RGBA 0 to 1")


class CVegetable(Serial):
    """One kind of plant."""

    version: int = field(Version(1), "format of the plant")
    shape_name: str = field(STRING, "file name of its shape")
    density: CNoiseValue = field(Nested(CNoiseValue), "plants per square metre")
    max_density: float = field(F32, "most plants per square metre, -1 for any", default=-1.0)
    cos_angle_min: float = field(F32, "cosine of the steepest slope")
    cos_angle_max: float = field(F32, "cosine of the flattest slope", default=2.0)
    cos_angle_middle: float = field(F32, "cosine of the best slope", default=1.0)
    oo_cos_angle_dist: float = field(F32, "1 / (flattest - best)", default=1.0)
    angle_type: int = field(_ANGLE, "whether it grows on floors, walls or ceilings")
    scale_xy: CNoiseValue = field(Nested(CNoiseValue, lambda: CNoiseValue(abs=1.0)), "width")
    scale_z: CNoiseValue = field(Nested(CNoiseValue, lambda: CNoiseValue(abs=1.0)), "height")
    rotation_x: CNoiseValue = field(Nested(CNoiseValue), "rotation about x in radians")
    rotation_y: CNoiseValue = field(Nested(CNoiseValue), "rotation about y in radians")
    rotation_z: CNoiseValue = field(Nested(CNoiseValue), "rotation about z in radians")
    bend_factor: CNoiseValue = field(
        Nested(CNoiseValue, lambda: CNoiseValue(abs=1.0)), "how much it bends in the wind"
    )
    bend_phase: CNoiseValue = field(Nested(CNoiseValue), "when it bends")
    color: CNoiseColorGradient = field(Nested(CNoiseColorGradient), "colour")
    dist_type: int = field(U32, "at which of the five distances it appears")
    bend_frequency_factor: float = field(F32, "how fast it bends", default=1.0, since=1)


class CVegetableList(Serial, nel="CTileVegetableDesc list"):
    """The plants of one distance."""

    vegetables: list[CVegetable] = field(List(Nested(CVegetable)), "the plants")
    seed: int = field(U32, "number of plants at the distances before")


class CTileVegetableDesc(Serial):
    """What grows on a tile."""

    version: int = field(Version(0), "format of the description")
    lists: list[CVegetableList] = field(
        Fixed(Nested(CVegetableList), 5), "the plants of each distance, the nearest first"
    )


class CVegetableShape(Serial):
    """How a plant looks."""

    version: int = field(Version(1), "format of the shape")
    magic: bytes = field(Magic(b"NEL__VEGETABLE__"), "magic")
    lighted: bool = field(BOOL, "whether it is lit")
    double_sided: bool = field(BOOL, "whether both sides are seen")
    pre_compute_lighting: bool = field(BOOL, "whether its light is computed once")
    alpha_blend: bool = field(BOOL, "whether it is blended")
    bend_center_mode: int = field(_BEND_CENTER, "what it bends around")
    vertex_buffer: CVertexBuffer = field(
        Nested(CVertexBuffer), "vertices; the second coordinates are how much they bend"
    )
    triangle_indices: NDArray[np.uint32] = field(
        Array("<u4", "u32"), "vertex numbers, three for each face"
    )
    best_sided_pre_compute_lighting: bool = field(
        BOOL, "whether the brighter side lights both", since=1
    )
