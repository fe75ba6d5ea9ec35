"""Water surfaces (spec: nel-export-rules 3.5)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.nel.serial.classes.other_shapes import CPolygon2D, CWaterShape
from maxsidecar.nel.serial.classes.texture import CTextureBlend, CTextureBump
from maxsidecar.nel.shape.context import ShapeContext
from maxsidecar.nel.shape.materials import is_nel_material
from maxsidecar.nel.shape.placement import move_points, placement_of
from maxsidecar.nel.shape.textures import Channel, Texture, texture_of
from maxsidecar.nel.shape.values import Values
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.materials.bitmap import BitmapMap
from maxsidecar.scene.materials.multi import MultiMaterial

__all__ = ["convex_hull", "is_water", "water"]

F64 = npt.NDArray[np.float64]

#: Texture slots: surroundings from above and below, two of each, ripples, waves, colours.
_ABOVE, _ABOVE_TOO, _BELOW, _BELOW_TOO, _BUMP, _DISPLACE, _COLOR = range(1, 8)
#: Share of the distance at which the game lets waves become flat.
_TRANSITION: Final = 0.6
_NEEDED: Final = (_ABOVE, _BUMP, _DISPLACE)


def is_water(context: ShapeContext) -> bool:
    """Return whether the one material of a node makes it water."""
    material = context.node.material
    if material is None or isinstance(material, MultiMaterial):
        return False
    return Values(material, context.time).on("bWater")


class _Maps:
    """The pictures of a water material."""

    def __init__(self, context: ShapeContext, values: Values) -> None:
        self.context, self.values = context, values
        self.maps = {slot: values.map(f"tTexture_{slot}") for slot in range(1, _COLOR + 1)}

    def enabled(self, slot: int) -> bool:
        return self.values.on(f"bEnableSlot_{slot}")

    def problem(self) -> str:
        """Return what is wrong with them."""
        for slot in range(1, _COLOR + 1):
            found = self.maps[slot]
            needed = slot in _NEEDED
            if needed and not (self.enabled(slot) and found is not None):
                return f"water needs the textures 1, 5 and 6: {slot} is missing"
            if found is None or not (needed or self.enabled(slot)):
                continue
            if not isinstance(found, BitmapMap):
                return f"texture {slot} of water must be a picture in a file"
        return ""

    def picture(self, slot: int) -> tuple[Texture | None, Channel]:
        found = self.maps[slot]
        if found is None:
            return None, Channel()
        return texture_of(found, self.context.time, self.context.notes)

    def environment(self, slot: int, other: int) -> Texture | CTextureBlend | None:
        """Return a picture, or two that are blended by the time of day."""
        one, two = self.picture(slot)[0], self.picture(other)[0]
        if one is None or two is None:
            return one
        return CTextureBlend(textures=[one, two])


def water(context: ShapeContext) -> CWaterShape | str:
    """Return a water surface, or why there is none.

    Args:
        context: The node.
    """
    mesh = context.mesh()
    material = context.node.material
    if mesh is None or not len(mesh.positions):
        return "it has no surface"
    if material is None or not is_nel_material(material):
        return "water needs a NeL Material"
    values = Values(material, context.time)
    maps = _Maps(context, values)
    if problem := maps.problem():
        return problem
    displace, bump = maps.picture(_DISPLACE)[0], maps.picture(_BUMP)[0]
    if getattr(displace, "file_name", None) == getattr(bump, "file_name", ""):
        return "textures 5 and 6 of water must be two pictures"
    points = move_points(mesh.positions, context.offset())
    placement = placement_of(context.shared.pose, context.node)
    shape = CWaterShape(
        poly=CPolygon2D(vertices=convex_hull(points[:, :2].astype(np.float64)).astype("<f4")),
        water_pool_id=max(values.integer("iWaterPoolID"), 0),
        env_map0=maps.environment(_ABOVE, _ABOVE_TOO),
        env_map1=maps.environment(_BELOW, _BELOW_TOO),
        height_map0=CTextureBump(height_map=displace),
        height_map1=CTextureBump(height_map=bump),
        height_map_scale0=_pair(values, "fDisplaceMap", "Scale", 0.005),
        height_map_scale1=_pair(values, "fBump", "Scale", 0.01),
        height_map_speed0=_pair(values, "fDisplaceMap", "Speed", 0.005),
        height_map_speed1=_pair(values, "fBump", "Speed", 0.01),
        default_pos=placement.position,
        default_scale=placement.scale,
        default_rot_quat=placement.rotation,
        transition_ratio=_TRANSITION,
        wave_height_factor=values.number("fWaterHeightFactor", 1.0),
        dist_max=context.flags.number("LOD_DIST_MAX"),
        splash_enabled=values.on("bEnableWaterSplash", True),
        use_scene_env_map0=values.on("bWaterUseSceneEnvMapAbove"),
        use_scene_env_map1=values.on("bWaterUseSceneEnvMapUnder"),
    )
    colors, channel = maps.picture(_COLOR)
    if colors is not None:
        if 1 not in mesh.maps:
            return "water with a colour map needs mapping coordinates"
        shape.color_map = colors
        first, second, shift = _color_matrix(mesh, points.astype(np.float64), channel)
        shape.color_map_matrix_column0 = first
        shape.color_map_matrix_column1 = second
        shape.color_map_matrix_pos = shift
    return shape


def _pair(values: Values, name: str, what: str, default: float) -> tuple[float, float]:
    return (
        values.number(f"{name}U{what}", default),
        values.number(f"{name}V{what}", default),
    )


def convex_hull(points: F64) -> F64:
    """Return the corners of the smallest convex polygon around points, counter-clockwise.

    Args:
        points: (n, 2).
    """
    rows = np.unique(points, axis=0).tolist()
    if len(rows) < 3:
        return np.array(rows).reshape(-1, 2)

    def half(ordered: list[list[float]]) -> list[list[float]]:
        out: list[list[float]] = []
        for point in ordered:
            while len(out) >= 2 and _turn(out[-2], out[-1], point) <= 0:
                out.pop()
            out.append(point)
        return out[:-1]

    return np.array(half(rows) + half(rows[::-1]))


def _turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _color_matrix(
    mesh: Mesh, points: F64, channel: Channel
) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    """Return the matrix from places to coordinates of the colour map, by columns.

    It is that of the triangle of vertices with the largest area.
    """
    found = mesh.maps[1]
    uv = np.zeros((len(points), 2))
    corners = mesh.corners[::-1]
    # The first face at a vertex counts.
    uv[corners] = found.vertices[found.corners[::-1], :2]
    if channel.matrix is not None:
        uv = np.column_stack([uv, np.ones(len(uv))]) @ channel.matrix.astype(np.float64)
    left, top, width, height = channel.crop
    uv = np.column_stack([uv[:, 0] * width + left, (1 - uv[:, 1]) * height + top])
    chosen = _largest_triangle(points[:, :2])
    places = np.column_stack([points[chosen, :2], np.ones(3)])
    try:
        matrix = np.linalg.solve(places, uv[chosen])
    except np.linalg.LinAlgError:
        matrix = np.zeros((3, 2))
    (a, b), (c, d), (e, f) = matrix.astype(np.float32).tolist()
    return (a, b), (c, d), (e, f)


def _largest_triangle(points: F64) -> npt.NDArray[np.int64]:
    """Return three points far from one another: of the hull, so that they are few."""
    hull = convex_hull(points)
    best, area = (0, 0, 0), -1.0
    for first in range(len(hull)):
        third = first + 1
        for second in range(first + 1, len(hull)):
            while third + 1 < len(hull) and abs(
                _turn(hull[first], hull[second], hull[third + 1])
            ) >= abs(_turn(hull[first], hull[second], hull[third])):
                third += 1
            size = abs(_turn(hull[first], hull[second], hull[min(third, len(hull) - 1)]))
            if size > area:
                best, area = (first, second, min(third, len(hull) - 1)), size
    return np.array([np.flatnonzero((points == hull[n]).all(axis=1))[0] for n in best])
