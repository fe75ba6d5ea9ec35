"""What meshes of all kinds begin with (``src/3d/mesh_base.cpp``)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array
from maxsidecar.nel.serial.classes.material import CMaterial, CMaterialBase
from maxsidecar.nel.serial.containers import List, Map, Nested, Ptr
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import (
    BOOL,
    F32,
    QUAT,
    STRING,
    U8,
    U32,
    VEC3,
    Enum,
    Tracked,
    Vec3,
    Vec4,
    Version,
)

__all__ = [
    "CLightMapInfoList",
    "CLightMapMatStage",
    "CLodCharacterTexture",
    "CMeshBase",
]

_CAMERA_COLLISION: Final = Enum({0: "auto", 1: "no", 2: "force"})
_LOD_TEXTURE: Final = np.dtype([("material", "u1"), ("u", "u1"), ("v", "u1"), ("quality", "u1")])
_MAT_STAGE_V7: Final = np.dtype([("material", "u1"), ("stage", "u1")])


class CLodCharacterTexture(Serial):
    """A picture of 32×32 points that tells which material shows where on a distant character."""

    version: int = field(Version(0), "format of the picture")
    width: int = field(U32, "width in points", default=32)
    height: int = field(U32, "height in points", default=32)
    points: NDArray[np.void] = field(
        Array(_LOD_TEXTURE, "4 × u8"), "per point: material, coordinates in its texture, quality"
    )


class CLightMapMatStage(Serial, nel="CMeshBase::CLightMapInfoList::CMatStage"):
    """A light map of a material."""

    version: int = field(Version(0), "format of the record")
    material: int = field(U8, "index of the material")
    stage: int = field(U8, "index of the light map")


class CLightMapInfoList(Serial, nel="CMeshBase::CLightMapInfoList"):
    """The light maps that a group of lights fills."""

    version: int = field(Version(0), "format of the list")
    light_group: int = field(U32, "group of the lights")
    animated_light: str = field(STRING, "name of the lights' animation")
    stages: list[CLightMapMatStage] = field(List(Nested(CLightMapMatStage)), "the light maps")


class CMeshBase(Serial):
    """What meshes of all kinds begin with.

    Version 10 of recent sources adds no field; clients in use refuse it.
    """

    version: int = field(Version(10, oldest=1, default=9), "format of the part")
    morph_names: list[str] = field(List(STRING), "names of the morph targets", since=2)
    default_pos: Vec3 = field(Tracked(VEC3), "position without animation")
    default_pivot: Vec3 = field(Tracked(VEC3), "pivot without animation")
    default_rot_euler: Vec3 = field(Tracked(VEC3), "Euler angles without animation")
    default_rot_quat: Vec4 = field(Tracked(QUAT), "rotation without animation")
    default_scale: Vec3 = field(Tracked(VEC3, (1.0, 1.0, 1.0)), "scale without animation")
    materials: list[CMaterial] = field(List(Nested(CMaterial)), "materials")
    animated_materials: dict[int, CMaterialBase] = field(
        Map(U32, Nested(CMaterialBase)), "animated parts by the index of their material"
    )
    light_infos: list[CLightMapInfoList] = field(
        List(Nested(CLightMapInfoList)), "light maps by group of lights", since=8
    )
    light_infos_v7: dict[str, NDArray[np.void]] = field(
        Map(STRING, Array(_MAT_STAGE_V7, "material u8, stage u8")),
        "light maps by name of the light",
        until=7,
    )
    lightable: bool = field(BOOL, "whether a material is lit", default=True, since=3)
    use_lighting_local_attenuation: bool = field(
        BOOL, "whether lights fade within the mesh", since=4
    )
    auto_anim: bool = field(BOOL, "whether its animation plays by itself", since=5)
    dist_max: float = field(
        F32, "distance in metres from which it is not drawn, -1 for none", default=-1.0, since=6
    )
    lod_character_texture: CLodCharacterTexture | None = field(
        Ptr(CLodCharacterTexture), "picture for distant characters", since=7
    )
    camera_collision: int = field(_CAMERA_COLLISION, "whether the camera collides with it", since=9)
