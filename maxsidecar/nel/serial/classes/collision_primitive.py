"""Collision primitives (``.pacs_prim``): boxes and cylinders that are walked into, as XML."""

from __future__ import annotations

from typing import Final

from maxsidecar.nel.serial.containers import List, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import (
    BOOL,
    F32,
    U32,
    U64,
    VEC2,
    VEC3,
    Enum,
    Magic,
    Vec2,
    Vec3,
    Version,
)
from maxsidecar.nel.serial.xml import XmlRoot

__all__ = ["CPrimitiveBlock", "CPrimitiveDesc"]

_TYPE: Final = Enum({0: "2DOrientedBox", 1: "2DOrientedCylinder"})
_REACTION: Final = Enum({0: "DoNothing", 0x10: "Slide", 0x20: "Reflexion", 0x40: "Stop"})


class CPrimitiveDesc(Serial):
    """A box or cylinder."""

    version: int = field(Version(1), "format of the primitive")
    length: Vec2 = field(VEC2, "sides of a box, or radius and 0, in metres")
    height: float = field(F32, "height in metres", default=1.0)
    attenuation: float = field(
        F32, "share of the energy that stays when things bounce, 0 to 1", default=1.0
    )
    type: int = field(_TYPE, "kind of primitive")
    reaction: int = field(_REACTION, "what it does when it collides; the exporter writes 0x30 too")
    trigger: int = field(
        Enum({0: "NotATrigger"}),
        "bits: 0x100 told when entered, 0x200 when left, 0x400 while inside, 0x800 stairs",
    )
    obstacle: bool = field(BOOL, "whether it stops", default=True)
    occlusion_mask: int = field(U32, "bits of what it stops", default=0xFFFFFFFF)
    collision_mask: int = field(U32, "bits of what it is", default=0xFFFFFFFF)
    position: Vec3 = field(VEC3, "position in metres")
    orientation: float = field(F32, "rotation about z in radians")
    user_data: int = field(U64, "number for the game", since=1)


class CPrimitiveBlock(XmlRoot):
    """The primitives of a file."""

    xml_name = "PRIMITIVE_BLOCK"

    check: bytes = field(Magic(b"PRBK"), "magic")
    version: int = field(Version(0), "format of the file")
    primitives: list[CPrimitiveDesc] = field(List(Nested(CPrimitiveDesc)), "the primitives")
