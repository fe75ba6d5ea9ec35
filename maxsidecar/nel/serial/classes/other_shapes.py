"""Shapes that are no meshes: flares, water, waves, trails (known from the game's source only)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array
from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.material import CMaterial, CMaterialBase
from maxsidecar.nel.serial.classes.texture import TEXTURE
from maxsidecar.nel.serial.conditions import If, Unless
from maxsidecar.nel.serial.containers import Fixed, Nested, Ptr
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import (
    BOOL,
    F32,
    QUAT,
    RGBA,
    STRING,
    U32,
    VEC2,
    VEC3,
    Rgba,
    Tracked,
    Vec2,
    Vec3,
    Vec4,
    Version,
)

__all__ = [
    "CFlare",
    "CFlareShape",
    "CPolygon2D",
    "CSegRemanenceShape",
    "CWaterShape",
    "CWaveMakerShape",
]


class CFlare(Serial, nel="CFlareShape flare"):
    """One of the ten discs of a flare."""

    texture: Serial | None = field(TEXTURE, "its texture")
    size: float = field(F32, "its size", default=1.0)
    relative_pos: float = field(F32, "its place from the light (0) to the centre of the screen (1)")


class CFlareShape(Serial, bases=("IShape",)):
    """A lens flare.  Its position is not stored."""

    version: int = field(Version(5), "format of the flare")
    color: Rgba = field(RGBA, "colour", default=(255, 255, 255, 255))
    persistence: float = field(
        F32, "seconds until it is gone when the light is hidden", default=1.0
    )
    spacing: float = field(F32, "distance of the discs", default=1.0)
    attenuable: bool = field(BOOL, "whether it fades with distance")
    attenuation_range: float = field(
        F32, "distance in metres at which it is gone", default=1.0, when=If("attenuable")
    )
    first_flare_keep_size: bool = field(
        BOOL, "whether the first disc has a size in metres; of no effect before version 5"
    )
    flares: list[CFlare] = field(
        Fixed(Nested(CFlare), 10),
        "the discs",
        default=[CFlare(relative_pos=number / 10) for number in range(10)],
    )
    infinite_dist: bool = field(BOOL, "whether the light is infinitely far away, as the sun")
    max_view_dist: float = field(
        F32,
        "distance in metres up to which it is drawn",
        default=1000.0,
        when=Unless("infinite_dist"),
    )
    max_view_dist_ratio: float = field(
        F32,
        "share of that distance from which it fades",
        default=0.9,
        when=Unless("infinite_dist"),
    )
    has_dazzle: bool = field(BOOL, "whether it dazzles")
    dazzle_color: Rgba = field(
        RGBA, "colour of the dazzling", default=(0, 0, 0, 255), when=If("has_dazzle")
    )
    dazzle_attenuation_range: float = field(
        F32, "distance in metres at which it dazzles no more", when=If("has_dazzle")
    )
    infinite_dist_again: bool = field(
        BOOL, "`infinite_dist` once more", derive=lambda flare: flare.infinite_dist
    )
    dist_max: float = field(
        F32, "distance in metres from which it is not drawn", default=1000.0, since=2
    )
    occlusion_test_mesh: str = field(STRING, "name of the mesh that tests for view", since=4)
    scale_when_disappear: bool = field(BOOL, "whether it changes its size as it fades", since=4)
    size_disappear: float = field(F32, "its size when it is gone", since=4)
    angle_disappear: float = field(F32, "its angle when it is gone, in degrees", since=4)
    inherit_scale_rot: bool = field(
        BOOL, "whether the testing mesh turns and scales with its object", since=4
    )
    look_at: bool = field(BOOL, "whether it faces the viewer", default=True, since=4)


class CPolygon2D(Serial):
    """A polygon in the plane."""

    version: int = field(Version(0), "format of the polygon")
    vertices: NDArray[np.float32] = field(Array(("<f4", 2), "2 × f32"), "corners")


class CWaterShape(Serial, bases=("IShape",)):
    """A water surface."""

    version: int = field(Version(4), "format of the surface")
    poly: CPolygon2D = field(Nested(CPolygon2D), "its outline in metres")
    water_pool_id: int = field(U32, "number of the pool whose waves it shows")
    env_map0: Serial | None = field(TEXTURE, "environment seen from above")
    env_map1: Serial | None = field(TEXTURE, "environment seen from below")
    height_map0: Serial | None = field(TEXTURE, "first map of ripples, a CTextureBump")
    height_map1: Serial | None = field(TEXTURE, "second map of ripples, a CTextureBump")
    color_map: Serial | None = field(TEXTURE, "colours")
    height_map_scale0: Vec2 = field(VEC2, "scale of the first map of ripples", default=(1.0, 1.0))
    height_map_scale1: Vec2 = field(VEC2, "scale of the second map of ripples", default=(1.0, 1.0))
    height_map_speed0: Vec2 = field(VEC2, "speed of the first map of ripples")
    height_map_speed1: Vec2 = field(VEC2, "speed of the second map of ripples")
    color_map_matrix_column0: Vec2 = field(VEC2, "first column of the colours' matrix")
    color_map_matrix_column1: Vec2 = field(VEC2, "second column of the colours' matrix")
    color_map_matrix_pos: Vec2 = field(VEC2, "shift of the colours")
    default_pos: Vec3 = field(Tracked(VEC3), "position without animation")
    default_scale: Vec3 = field(Tracked(VEC3, (1.0, 1.0, 1.0)), "scale without animation")
    default_rot_quat: Vec4 = field(Tracked(QUAT), "rotation without animation")
    transition_ratio: float = field(F32, "share of the distance at which waves become flat")
    wave_height_factor: float = field(F32, "factor of the height of waves", default=1.0)
    compute_lightmap: bool = field(BOOL, "whether a light map is computed", since=1)
    dist_max: float = field(
        F32, "distance in metres from which it is not drawn, -1 for none", default=-1.0, since=2
    )
    splash_enabled: bool = field(BOOL, "whether things splash", default=True, since=3)
    use_scene_env_map0: bool = field(BOOL, "whether the scene's sky is seen from above", since=4)
    use_scene_env_map1: bool = field(BOOL, "whether the scene's sky is seen from below", since=4)


class CWaveMakerShape(Serial, bases=("IShape",)):
    """Something that makes waves.  Its position is not stored."""

    version: int = field(Version(0), "format of the shape")
    period: float = field(F32, "seconds between two waves", default=1.0)
    radius: float = field(F32, "radius in metres of what makes them", default=3.0)
    intensity: float = field(F32, "height of the waves", default=1.0)
    pool_id: int = field(U32, "number of the pool")
    impulsion_mode: bool = field(BOOL, "whether it strikes the water, instead of swinging")


class CSegRemanenceShape(Serial, bases=("IShape",)):
    """A trail behind a moving segment."""

    version: int = field(Version(2), "format of the shape")
    num_slices: int = field(U32, "number of slices", default=8)
    slice_time: float = field(F32, "seconds of a slice", default=0.05)
    corners: NDArray[np.float32] = field(
        Array(("<f4", 3), "3 × f32"), "corners of the segment", default=np.zeros((2, 3), "<f4")
    )
    material: CMaterial = field(Nested(CMaterial), "material")
    bbox: CAABBox = field(
        Nested(CAABBox, lambda: CAABBox(half_size=(3.0, 3.0, 3.0))), "box around the segment"
    )
    texture_shifting: bool = field(BOOL, "whether the texture moves along", default=True)
    animated_material: CMaterialBase | None = field(
        Ptr(CMaterialBase), "animated part of the material"
    )
    rollup_ratio: float = field(F32, "how fast it rolls up when it ends", default=1.0, since=1)
    default_pos: Vec3 = field(Tracked(VEC3), "position without animation", since=2)
    default_rot_quat: Vec4 = field(Tracked(QUAT), "rotation without animation", since=2)
    default_scale: Vec3 = field(Tracked(VEC3, (1.0, 1.0, 1.0)), "scale without animation", since=2)
