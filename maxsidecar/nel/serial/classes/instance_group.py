"""Instance groups (``.ig``): what stands where, with clusters, portals and lights."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxsidecar.errors import EditError
from maxsidecar.nel.serial.arrays import Array, put_array, take_array
from maxsidecar.nel.serial.classes.basic import CAABBox
from maxsidecar.nel.serial.classes.point_light import CPointLightNamedArray
from maxsidecar.nel.serial.containers import List, Map, Nested, SameLength
from maxsidecar.nel.serial.declare import Serial, field
from maxsidecar.nel.serial.kinds import (
    BOOL,
    F32,
    I32,
    QUAT,
    STRING,
    U8,
    U32,
    VEC2,
    VEC3,
    Kind,
    Magic,
    Vec2,
    Vec3,
    Vec4,
    Version,
)
from maxsidecar.nel.serial.stream import Reader, Writer

__all__ = [
    "CCluster",
    "CIGSurfaceLight",
    "CInstance",
    "CInstanceGroup",
    "CPortal",
    "CRetrieverLightGrid",
    "CSurfaceLightGrid",
]

#: A corner of a light grid by its version: local ambient light, sun, two point lights or 255.
CORNERS: Final = (
    np.dtype([("version", "u1"), ("sun", "u1"), ("light", "u1", (2,))]),
    np.dtype([("version", "u1"), ("local_ambient", "u1"), ("sun", "u1"), ("light", "u1", (2,))]),
)


class _Corners(Kind[NDArray[np.void]]):
    """Corners of a light grid, all of one version."""

    least = 4
    label = "list of (version, [1: u8 local ambient], u8 sun, 2 × u8 lights)"

    def fresh(self) -> NDArray[np.void]:
        return np.empty(0, CORNERS[-1])

    def read(self, reader: Reader) -> NDArray[np.void]:
        at = reader.pos
        count = reader.count(CORNERS[0].itemsize)
        if not count:
            return self.fresh()
        version = reader.data[reader.pos]
        if version >= len(CORNERS):
            message = "the version is newer than any that is known"
            raise reader.fail(message, f"up to {len(CORNERS) - 1}", version)
        reader.check_count(count, CORNERS[version].itemsize, at)
        start = reader.pos
        corners = take_array(reader, CORNERS[version], count)
        wrong = np.flatnonzero(corners["version"] != version)
        if len(wrong):
            number = int(wrong[0])
            found = int(corners["version"][number])
            message = f"element {number} has another version than the first"
            raise reader.fail(message, version, found, start + number * corners.dtype.itemsize)
        return corners

    def write(self, writer: Writer, value: NDArray[np.void]) -> None:
        dtype = getattr(value, "dtype", None)
        if dtype not in CORNERS:
            raise EditError("not corners of a light grid", expected=self.label, found=dtype)
        if (value["version"] != CORNERS.index(dtype)).any():
            raise EditError("a version in an array does not fit its layout")
        writer.out += len(value).to_bytes(4, "little")
        put_array(writer, value, dtype)


class CSurfaceLightGrid(Serial):
    """The light on a surface that characters walk on."""

    version: int = field(Version(0), "format of the grid")
    origin: Vec2 = field(VEC2, "its corner in metres")
    width: int = field(U32, "corners along x")
    height: int = field(U32, "corners along y")
    cells: NDArray[np.void] = field(_Corners(), "the corners, row by row")


class CRetrieverLightGrid(Serial, nel="CIGSurfaceLight::CRetrieverLightGrid"):
    """The light on all surfaces of a collision retriever."""

    version: int = field(Version(0), "format of the list")
    grids: list[CSurfaceLightGrid] = field(List(Nested(CSurfaceLightGrid)), "by surface")


class CIGSurfaceLight(Serial):
    """The light on the surfaces of an instance group."""

    version: int = field(Version(1), "format of the lights")
    cell_size: float = field(F32, "distance of two corners in metres", default=1.0)
    oo_cell_size: float = field(F32, "1 / cell_size", default=1.0)
    retrievers_v0: dict[str, CRetrieverLightGrid] = field(
        Map(STRING, Nested(CRetrieverLightGrid)), "lights by name of the retriever", until=0
    )
    retrievers: dict[int, CRetrieverLightGrid] = field(
        Map(U32, Nested(CRetrieverLightGrid)), "lights by number of the retriever", since=1
    )


class CCluster(Serial):
    """A room: a convex volume."""

    version: int = field(Version(3), "format of the cluster")
    name: str = field(STRING, "name", since=1)
    volume: NDArray[np.float32] = field(
        Array(("<f4", 4), "4 × f32"), "planes a b c d, normals outwards"
    )
    bbox: CAABBox = field(Nested(CAABBox), "box around it")
    father_visible: bool = field(BOOL, "whether what is around is seen from inside")
    visible_from_father: bool = field(BOOL, "whether it is seen from what is around")
    sound_group: str = field(STRING, "name of its sounds", since=2)
    env_fx: str = field(STRING, "name of its reverberation", since=2)
    audible_from_father: bool = field(BOOL, "whether it is heard from what is around", since=3)
    father_audible: bool = field(BOOL, "whether what is around is heard from inside", since=3)


class CPortal(Serial):
    """An opening between two clusters."""

    version: int = field(Version(1), "format of the portal")
    poly: NDArray[np.float32] = field(Array(("<f4", 3), "3 × f32"), "corners, a convex polygon")
    name: str = field(STRING, "name, of portals that open and close")
    occlusion_model: str = field(STRING, "how it muffles sounds when closed", since=1)
    open_occlusion_model: str = field(STRING, "how it muffles sounds when open", since=1)


class CInstance(Serial, nel="CInstanceGroup::CInstance"):
    """A shape in its place.

    Sun and lights mean nothing unless ``static_light_enabled``; exporters leave them uninitialised.
    """

    version: int = field(Version(7), "format of the instance")
    visible: bool = field(BOOL, "whether it is drawn", default=True, since=7)
    dont_cast_shadow_for_exterior: bool = field(BOOL, "whether it casts none outside", since=6)
    dont_cast_shadow_for_interior: bool = field(BOOL, "whether it casts none inside", since=5)
    local_ambient_id: int = field(
        U8, "number of its ambient light, 255 for the sun's", default=255, since=4
    )
    avoid_static_light_pre_compute: bool = field(BOOL, "whether its light is left alone", since=3)
    dont_cast_shadow: bool = field(BOOL, "whether it casts no shadow", since=3)
    static_light_enabled: bool = field(BOOL, "whether its light was computed", since=3)
    sun_contribution: int = field(U8, "how much sun it has, 0 to 255", since=3)
    light0: int = field(U8, "number of its first point light, 255 for none", since=3)
    light1: int = field(U8, "number of its second point light, 255 for none", since=3)
    instance_name: str = field(STRING, "name by which the game finds it", since=2)
    dont_add_to_scene: bool = field(BOOL, "whether the game adds it itself", since=2)
    clusters: NDArray[np.uint32] = field(
        Array("<u4", "u32"), "clusters it stands in, none for outside", since=1
    )
    name: str = field(STRING, "file name of its shape")
    pos: Vec3 = field(VEC3, "position in metres")
    rot: Vec4 = field(QUAT, "rotation")
    scale: Vec3 = field(VEC3, "scale", default=(1.0, 1.0, 1.0))
    parent: int = field(I32, "number of the instance it hangs on, -1 for none", default=-1)


class CInstanceGroup(Serial):
    """An instance group."""

    magic: bytes = field(Magic(b"GRPT"), "magic")
    version: int = field(Version(5), "format of the group")
    real_time_sun_contribution: bool = field(
        BOOL, "whether the sun moves with the time of day", default=True, since=5
    )
    surface_light: CIGSurfaceLight = field(Nested(CIGSurfaceLight), "light on the ground", since=4)
    point_lights: CPointLightNamedArray = field(
        Nested(CPointLightNamedArray), "point lights", since=3
    )
    global_pos: Vec3 = field(VEC3, "what was subtracted from all positions", since=2)
    clusters: list[CCluster] = field(List(Nested(CCluster)), "clusters", since=1)
    portals: list[CPortal] = field(List(Nested(CPortal)), "portals", since=1)
    cluster_portals: list[NDArray[Any]] = field(
        SameLength(Array("<i4", "i32"), "clusters"), "numbers of each cluster's portals", since=1
    )
    instances: list[CInstance] = field(List(Nested(CInstance)), "the instances")
