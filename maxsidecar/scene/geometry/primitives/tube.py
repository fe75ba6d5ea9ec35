"""Tube and Torus: a profile that turns clockwise around the axis.

(notes/primitives-modifiers 2.4 and 2.5: an FBX tube and collapsed tubes, one of them sliced and
hanging; 64 tori.  Slices of tori follow the public samples of the 3ds Max SDK; no file proves
them.)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, Arithmetic, arithmetic_of
from maxsidecar.scene.geometry.primitives.slices import PI, slice_angles
from maxsidecar.scene.geometry.primitives.topology import (
    FIRST_TWO,
    LAST_TWO,
    Maps,
    band_triangles,
    cells,
    grid,
)
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["TORUS", "TUBE", "build_torus", "build_tube", "torus", "tube"]

TUBE: Final = (0x7B21, 0)
TORUS: Final = (0x20, 0)

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]

#: A profile begins at +y.
_ZERO: Final = -PI / 2.0
#: Values of a Torus' smoothing: none, along the sides, everywhere, between the segments.
_SMOOTH_SIDES, _SMOOTH_ALL, _SMOOTH_SEGMENTS = 1, 2, 3


@generator(TUBE)
def tube(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Tube."""
    values = Values(obj, call)
    cut, mapped = _cut(values), values.mapped()
    if cut is not None and mapped:
        call.approximate("no file proves how sliced tubes are mapped")
    return build_tube(
        (values.size("radius1"), values.size("radius2")),
        values.number("height"),
        (
            values.segments("height_segments"),
            values.segments("cap_segments", default=1),
            values.segments("sides", least=3),
        ),
        smooth=values.switch("smooth", True),
        cut=cut,
        mapped=mapped,
        arithmetic=arithmetic_of(obj.scene.version),
    )


@generator(TORUS)
def torus(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Torus."""
    values = Values(obj, call)
    twist = values.number("twist", 0.0)
    if twist:
        call.approximate("no file proves how a torus twists")
    cut = _cut(values)
    if cut is not None:
        call.approximate("no file proves the order of vertices of slices")
    return build_torus(
        (values.size("radius1"), values.size("radius2")),
        (values.segments("segments", least=3), values.segments("sides", least=3)),
        rotation=values.number("rotation", 0.0),
        twist=twist,
        smooth=int(values.number("smooth", float(_SMOOTH_ALL))),
        cut=cut,
        mapped=values.mapped(),
        arithmetic=arithmetic_of(obj.scene.version),
    )


def _cut(values: Values) -> tuple[float, float] | None:
    if not values.switch("slice_on"):
        return None
    return values.number("slice_from", 0.0), values.number("slice_to", 0.0)


def build_tube(
    radii: tuple[float, float],
    height: float,
    counts: tuple[int, int, int],
    *,
    smooth: bool = True,
    cut: tuple[float, float] | None = None,
    mapped: bool = False,
    arithmetic: Arithmetic = SINGLE,
) -> Mesh:
    """Return a tube that stands on the origin.

    Args:
        radii: In any order.
        height: Along z.
        counts: Segments of the height, of a cap, and around.
        smooth: Whether it has smoothing groups.
        cut: Slice from and to, in radians.
        mapped: Whether it has texture coordinates.
        arithmetic: Of the release.

    Raises:
        NotSupportedError: It is too large.
    """
    levels, caps, sides = counts
    one = arithmetic
    length = 2 * (levels + caps)
    check_triangles(2 * length * (sides + 1))
    # The wall that the profile begins with looks away from the axis, whichever way it runs.
    wide, narrow = max(radii), min(radii)
    if height < 0.0:
        wide, narrow = narrow, wide
    outer, inner, tall = one.number(wide), one.number(narrow), one.number(height)
    none = one.number(1.0)
    up = np.arange(levels, dtype=one.work) / one.number(levels)
    across = np.arange(caps, dtype=one.work) / one.number(caps)
    radius = np.concatenate(
        [
            np.full(levels, outer),
            across * inner + (none - across) * outer,
            np.full(levels, inner),
            across * outer + (none - across) * inner,
        ]
    )
    level = np.concatenate(
        [up * tall, np.full(caps, tall), (none - up) * tall, np.zeros(caps, one.work)]
    )
    angles = _angles(cut, (1, 0), sides, one)
    points = np.zeros((len(angles), length, 3), np.float32)
    # Both are variables of the outer loop, so the x87 rounds them.
    points[:, :, 0] = radius[None] * one.stored(one.cos(angles))[:, None]
    points[:, :, 1] = -(radius[None] * one.stored(one.sin(angles))[:, None])
    points[:, :, 2] = level[None]
    middle = ((outer + inner) / one.number(2.0), tall / one.number(2.0))
    part = np.repeat([0, 1, 2, 3], [levels, caps, levels, caps])
    count = sides if cut is None else len(angles) - 1
    groups = np.tile(np.array([2, 4, 2, 4])[part] if smooth else 0 * part, count)
    materials = np.tile(np.array([2, 0, 3, 1])[part], count)
    ends = None if cut is None else (1, 4, 5)
    return _turned(points, angles, middle, groups, materials, ends, mapped, False, one)


def build_torus(
    radii: tuple[float, float],
    counts: tuple[int, int],
    *,
    rotation: float = 0.0,
    twist: float = 0.0,
    smooth: int = _SMOOTH_ALL,
    cut: tuple[float, float] | None = None,
    mapped: bool = False,
    arithmetic: Arithmetic = SINGLE,
) -> Mesh:
    """Return a torus around the origin.

    Args:
        radii: Of the ring and of its section.
        counts: Segments around, and sides of the section.
        rotation: Of the section, in radians.
        twist: Of the section on one way around, in radians.
        smooth: 0 nowhere, 1 along the sides, 2 everywhere, 3 between the segments.
        cut: Slice from and to, in radians.
        mapped: Whether it has texture coordinates.
        arithmetic: Of the release.

    Raises:
        NotSupportedError: It is too large.
    """
    segments, sides = counts
    one = arithmetic
    check_triangles(2 * (segments + 1) * sides)
    ring, thick = one.number(radii[0]), one.number(radii[1])
    angles = _angles(cut, (0, 1), segments, one)
    profiles = len(angles)
    step = one.stored(one.number(2.0) * one.number(PI) / one.number(sides))
    turn = np.arange(1, profiles + 1, dtype=one.work) / one.number(profiles)
    begin = one.number(rotation) + one.number(twist) * turn
    terms = np.full((profiles, sides), step, one.work)
    terms[:, 0] = begin
    section = np.add.accumulate(terms, axis=1)
    reach = ring + thick * one.cos(section)
    points = np.zeros((profiles, sides, 3), np.float32)
    # Both are variables of the outer loop, so the x87 rounds them.
    points[:, :, 0] = reach * one.stored(one.cos(angles))[:, None]
    points[:, :, 1] = -(reach * one.stored(one.sin(angles))[:, None])
    points[:, :, 2] = thick * one.sin(section)
    bands = segments
    groups = np.ones((bands, sides), np.int64)
    if smooth == _SMOOTH_SIDES:
        groups[:] = _stripes(sides)[None]
    elif smooth == _SMOOTH_SEGMENTS:
        groups[:] = _stripes(bands)[:, None]
    elif smooth <= 0:
        groups[:] = 0
    materials = np.zeros(bands * sides, np.int64)
    ends = None if cut is None else (8, 1, 2)
    middle = (ring, one.number(0.0))
    return _turned(points, angles, middle, groups.reshape(-1), materials, ends, mapped, True, one)


def _stripes(count: int) -> npt.NDArray[np.int64]:
    """Return smoothing groups 2, 1, 2 …; the last of an odd number gets one of its own."""
    groups = np.where(np.arange(count) % 2, 1, 2)
    if count % 2:
        groups[-1] = 4
    return groups


def _angles(
    cut: tuple[float, float] | None, order: tuple[int, int], segments: int, one: Arithmetic
) -> npt.NDArray[Any]:
    """Return the angles of the profiles, clockwise; the two classes take a slice differently."""
    turned = None if cut is None else (-cut[order[0]], -cut[order[1]])
    start, step, count = slice_angles(turned, segments, _ZERO, one)
    return one.running(start, step, count)


def _turned(
    points: F32,
    angles: npt.NDArray[Any],
    middle: tuple[Any, Any],
    groups: npt.NDArray[np.int64],
    materials: npt.NDArray[np.int64],
    ends: tuple[int, int, int] | None,
    mapped: bool,
    whole_torus: bool,
    one: Arithmetic,
) -> Mesh:
    """Return the surface through the profiles.

    Args:
        points: (profiles, sides, 3).
        angles: (profiles,).
        middle: Distance from the axis and height of the middle of a profile.
        groups: Smoothing group of each quad.
        materials: Material id of each quad.
        ends: Smoothing group and material ids of the ends of a slice; ``None`` for a whole turn.
        mapped: Whether it has texture coordinates.
        whole_torus: Whether it is a torus.
        one: Arithmetic of the release.
    """
    profiles, sides, _ = points.shape
    numbers = grid(profiles, sides)
    closed = np.concatenate([numbers, numbers[:, :1]], axis=1)
    if ends is None:
        closed = np.concatenate([closed, closed[:1]])
    faces = band_triangles(*cells(closed))
    flags = np.tile([LAST_TWO, FIRST_TWO], len(faces) // 2)
    groups, materials = np.repeat(groups, 2), np.repeat(materials, 2)
    positions = points.reshape(-1, 3)
    if ends is not None:
        centre = np.zeros((2, 3), np.float32)
        edge = angles[[0, -1]]
        centre[:, 0], centre[:, 1] = middle[0] * one.cos(edge), -(middle[0] * one.sin(edge))
        centre[:, 2] = middle[1]
        first, last = closed[0], closed[-1]
        tip = np.full(sides, len(positions), np.int32)
        begin = np.stack([tip, first[1:], first[:-1]], axis=1)
        end = np.stack([tip + 1, last[:-1], last[1:]], axis=1)
        positions = np.concatenate([positions, centre])
        faces = np.concatenate([faces, begin, end])
        flags = np.concatenate([flags, np.full(2 * sides, 2)])
        groups = np.concatenate([groups, np.full(2 * sides, ends[0])])
        materials = np.concatenate([materials, np.repeat(ends[1:], sides)])
    maps: Maps | None = None
    if mapped:
        maps = {1: _mapping(profiles, sides, ends is not None, whole_torus, one)}
    return Mesh.of_triangles(
        positions, faces, smoothing=groups, material_ids=materials, edge_flags=flags, maps=maps
    )


def _mapping(
    profiles: int, sides: int, sliced: bool, whole_torus: bool, one: Arithmetic
) -> tuple[F32, I32]:
    """Return the map: a column for each profile, and one to come back to the first."""
    columns = profiles if sliced else profiles + 1
    along = np.arange(sides + 1, dtype=one.work) / one.number(sides)
    around = np.arange(columns, dtype=one.work) / one.number(profiles)
    vertices = np.zeros((columns, sides + 1, 3), np.float32)
    vertices[:, :, 0], vertices[:, :, 1] = along[None], around[:, None]
    numbers = grid(columns, sides + 1)
    faces = band_triangles(*cells(numbers))
    flat = vertices.reshape(-1, 3)
    if sliced:
        tip = np.full(sides, len(flat), np.int32)
        first, last = numbers[0], numbers[-1]
        begin = np.stack([tip, first[1:], first[:-1]], axis=1)
        end = np.stack([tip + 1, last[:-1], last[1:]], axis=1)
        flat = np.concatenate([flat, np.array([[0.5, 1.0, 0.0], [0.5, 0.0, 0.0]], np.float32)])
        faces = np.concatenate([faces, begin, end])
    return flat, faces
