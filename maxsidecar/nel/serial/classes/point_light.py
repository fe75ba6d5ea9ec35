"""Point lights of instance groups and zones (``src/3d/point_light*.cpp``)."""

from __future__ import annotations

from typing import Final

from maxsidecar.nel.serial.containers import List, Map, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import (
    BOOL,
    F32,
    RGBA,
    STRING,
    U32,
    VEC3,
    Enum,
    Rgba,
    Vec3,
    Version,
)

__all__ = [
    "CPointLight",
    "CPointLightGroup",
    "CPointLightGroupV0",
    "CPointLightNamed",
    "CPointLightNamedArray",
]

_TYPE: Final = Enum({0: "PointLight", 1: "SpotLight", 2: "AmbientLight"})


class CPointLight(Serial):
    """A light."""

    version: int = field(Version(2), "format of the light")
    add_ambient_with_sun: bool = field(BOOL, "whether its ambient part adds to the sun's", since=2)
    type: int = field(_TYPE, "kind of light", since=1)
    spot_direction: Vec3 = field(VEC3, "direction of a spot light", since=1)
    spot_angle_begin: float = field(F32, "angle in radians up to which it is full", since=1)
    spot_angle_end: float = field(F32, "angle in radians from which it is dark", since=1)
    position: Vec3 = field(VEC3, "position")
    ambient: Rgba = field(RGBA, "ambient colour")
    diffuse: Rgba = field(RGBA, "diffuse colour")
    specular: Rgba = field(RGBA, "specular colour")
    attenuation_begin: float = field(F32, "distance in metres up to which it is full")
    attenuation_end: float = field(F32, "distance in metres from which it is dark")


class CPointLightNamed(Serial):
    """A light that an animation may change."""

    version: int = field(Version(1), "format of the light")
    light: CPointLight = field(Nested(CPointLight), "the light")
    animated_light: str = field(STRING, "name of its animation")
    default_ambient: Rgba = field(RGBA, "ambient colour without animation")
    default_diffuse: Rgba = field(RGBA, "diffuse colour without animation")
    default_specular: Rgba = field(RGBA, "specular colour without animation")
    light_group: int = field(U32, "group of lights", since=1)


class CPointLightGroup(Serial, nel="CPointLightNamedArray::CPointLightGroup"):
    """Lights that change together: a run of the list."""

    version: int = field(Version(0), "format of the group")
    animated_light: str = field(STRING, "name of their animation")
    light_group: int = field(U32, "group of lights")
    start_id: int = field(U32, "number of the first")
    end_id: int = field(U32, "number behind the last")


class CPointLightGroupV0(Serial, nel="CPointLightNamedArray::CPointLightGroupV0"):
    """Lights that change together, in old files."""

    start_id: int = field(U32, "number of the first")
    end_id: int = field(U32, "number behind the last")


class CPointLightNamedArray(Serial):
    """All lights, sorted by what changes them."""

    version: int = field(Version(1), "format of the list")
    point_lights: list[CPointLightNamed] = field(List(Nested(CPointLightNamed)), "the lights")
    groups_v0: dict[str, CPointLightGroupV0] = field(
        Map(STRING, Nested(CPointLightGroupV0)), "runs of lights by animation", until=0
    )
    groups: list[CPointLightGroup] = field(
        List(Nested(CPointLightGroup)), "runs of lights", since=1
    )
