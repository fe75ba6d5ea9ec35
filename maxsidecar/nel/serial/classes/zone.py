"""Zones of the landscape (``.zone``, ``.zonel``): Bézier patches with tiles."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.nel.serial.arrays import Array, FixedArray
from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.point_light import CPointLightNamedArray
from maxsidecar.nel.serial.containers import Fixed, List, Nested
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import F32, I32, U8, U16, VEC3, Magic, Row, Vec3, Version

__all__ = ["CBindInfo", "CPatch", "CPatchConnect", "CZone"]

_VECTOR: Final = ("<i2", 3)
#: Which tiles cover a square: three layers, 0xFFFF for none.
TILE_ELEMENT: Final = np.dtype([("flags", "<u2"), ("tile", "<u2", (3,))])
TILE_COLOR: Final = np.dtype([("color565", "<u2")])
TILE_COLOR_V6: Final = np.dtype([("color565", "<u2"), ("light", "i1", (3,))])
TILE_LIGHT: Final = np.dtype([("light", "u1", (2,)), ("packed_factor", "u1")])
BORDER_VERTEX: Final = np.dtype(
    [
        ("version", "u1"),
        ("current_vertex", "<u2"),
        ("neighbour_zone", "<u2"),
        ("neighbour_vertex", "<u2"),
    ]
)


class CPatch(Serial):
    """A Bézier patch; packed coordinates are × the zone's scale + its bias."""

    version: int = field(Version(7, oldest=2), "format of the patch")
    vertices: NDArray[np.int16] = field(FixedArray(_VECTOR, 4, "3 × i16"), "packed corners")
    tangents: NDArray[np.int16] = field(
        FixedArray(_VECTOR, 8, "3 × i16"), "packed control points on the edges"
    )
    interiors: NDArray[np.int16] = field(
        FixedArray(_VECTOR, 4, "3 × i16"), "packed control points inside"
    )
    tiles: NDArray[np.void] = field(
        Array(TILE_ELEMENT, "(u16 flags, 3 × u16)"), "tiles, row by row: three layers each"
    )
    colors_v6: NDArray[np.void] = field(
        Array(TILE_COLOR_V6, "(u16, 3 × i8)"),
        "colours of the tiles' corners, 5-6-5 bits, and a light direction",
        until=6,
    )
    colors: NDArray[np.void] = field(
        Array(TILE_COLOR, "u16"), "colours of the tiles' corners, 5-6-5 bits", since=7
    )
    order_s: int = field(U8, "tiles along s: 4, 8 or 16")
    order_t: int = field(U8, "tiles along t: 4, 8 or 16")
    lumels: NDArray[np.uint8] = field(Array("u1", "u8"), "packed light, 8 bytes for 4×4 points")
    noise_rotation: int = field(U8, "rotation of the noise in quarter turns", since=3)
    corner_smooth: int = field(U8, "bit for each corner whose noise is smooth", since=3)
    flags: int = field(U8, "bit for each smooth edge", since=4)
    tile_lights: NDArray[np.void] = field(
        Array(TILE_LIGHT, "3 × u8"), "two point lights for each 2×2 tiles, with factors", since=5
    )


class CBindInfo(Serial, nel="CPatchInfo::CBindInfo"):
    """What joins an edge; fields that the number leaves unused may hold anything."""

    version: int = field(Version(0), "format of the record")
    num_patches: int = field(U8, "patches at the edge: 0, 1, 2 or 4; 5 where this one is the small")
    zone_id: int = field(U16, "zone of the patches")
    next: tuple[int, ...] = field(Row("H", 4, "4 × u16"), "their numbers")
    edge: tuple[int, ...] = field(Row("B", 4, "4 × u8"), "their edges")


class CPatchConnect(Serial, nel="CZone::CPatchConnect"):
    """How a patch joins the others."""

    version: int = field(Version(1), "format of the record")
    old_order_s: int = field(U8, "tiles along s, as in CPatch", until=0)
    old_order_t: int = field(U8, "tiles along t, as in CPatch", until=0)
    error_size: float = field(F32, "size of the error for the subdivision")
    base_vertices: tuple[int, ...] = field(Row("H", 4, "4 × u16"), "numbers of its corners")
    bind_edges: list[CBindInfo] = field(Fixed(Nested(CBindInfo), 4), "what joins each edge")


class CZone(Serial):
    """A zone.

    Version 5 of recent sources adds no field; clients in use refuse it.
    """

    version: int = field(Version(5, oldest=3, default=4), "format of the zone")
    magic: bytes = field(Magic(b"ZONE"), "magic")
    zone_id: int = field(U16, "number of the zone: row × 256 + column, both from 0")
    bbox: CAABBox = field(Nested(CAABBox), "box around the control points")
    patch_bias: Vec3 = field(VEC3, "what is added to packed coordinates, in metres")
    patch_scale: float = field(F32, "what packed coordinates are multiplied with")
    num_vertices: int = field(I32, "number of corners")
    border_vertices: NDArray[np.void] = field(
        Array(BORDER_VERTEX, "(version 0, 3 × u16)", zero=("version",)),
        "corners that belong to a neighbour too",
    )
    patches: list[CPatch] = field(List(Nested(CPatch)), "the patches")
    patch_connects: list[CPatchConnect] = field(
        List(Nested(CPatchConnect)), "how each patch joins the others"
    )
    point_lights: CPointLightNamedArray = field(
        Nested(CPointLightNamedArray), "point lights", since=4
    )
