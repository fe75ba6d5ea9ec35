"""Particle systems (``.ps``); what is inside keeps its bytes."""

from __future__ import annotations

from maxsidecar.nel.serial.arrays import Blob
from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.conditions import If
from maxsidecar.nel.serial.containers import Fixed, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import BOOL, F32, QUAT, VEC3, Tracked, Vec3, Vec4, Version

__all__ = ["CParticleSystemShape"]


class CParticleSystemShape(Serial, bases=("IShape",)):
    """A particle system."""

    version: int = field(Version(6), "format of the shape")
    stream: bytes = field(Blob(), "the particle system, a stream with pointer ids of its own")
    user_params: list[float] = field(
        Fixed(Tracked(F32), 4), "user parameters without animation", since=2
    )
    default_pos: Vec3 = field(Tracked(VEC3), "position without animation", since=3)
    default_scale: Vec3 = field(Tracked(VEC3, (1.0, 1.0, 1.0)), "scale without animation", since=3)
    default_rot_quat: Vec4 = field(Tracked(QUAT), "rotation without animation", since=3)
    max_view_dist: float = field(F32, "distance in metres up to which it is drawn", since=4)
    destroy_when_out_of_frustum: bool = field(BOOL, "whether it ends when not in view", since=4)
    destroy_model_when_out_of_range: bool = field(
        BOOL, "whether it ends when too far away", since=4
    )
    use_precomputed_bbox: bool = field(BOOL, "whether its box is stored", since=5)
    bbox: CAABBox = field(
        Nested(CAABBox), "box around the particles", since=5, when=If("use_precomputed_bbox")
    )
    sharing: bool = field(BOOL, "whether instances share the particles", since=6)
