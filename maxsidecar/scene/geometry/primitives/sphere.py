"""Sphere: rings between two poles, chopped or squashed to a hemisphere, and sliced.

(notes/primitives-modifiers 2.2: 16 collapsed spheres, 7 of them bit-equal; a collapsed half.  Maps
of hemispheres, squashed ones and slices follow the public samples of the 3ds Max SDK; no file
proves them.)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, Arithmetic, arithmetic_of
from maxsidecar.scene.geometry.primitives.slices import PI, slice_angles
from maxsidecar.scene.geometry.primitives.topology import FIRST_TWO, LAST_TWO, Maps, cells, grid
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["SPHERE", "build_sphere", "sphere"]

SPHERE: Final = (0x11, 0)

I32 = npt.NDArray[np.int32]

#: Less of a hemisphere is none, and a whole one would leave nothing.
_LEAST_HEMISPHERE: Final = 1e-5
_MOST_HEMISPHERE: Final = 0.9999


@generator(SPHERE)
def sphere(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Sphere."""
    values = Values(obj, call)
    hemisphere = min(max(values.number("hemisphere", 0.0), 0.0), 1.0)
    cut = None
    if values.switch("slice_on"):
        cut = (values.number("slice_from", 0.0), values.number("slice_to", 0.0))
        call.approximate("no file proves the order of vertices of slices")
    mapped = values.mapped()
    if hemisphere >= _LEAST_HEMISPHERE and (mapped or values.switch("squash")):
        call.approximate("no file proves how hemispheres are squashed or mapped")
    return build_sphere(
        values.size("radius"),
        values.segments("segments", least=4),
        smooth=values.switch("smooth", True),
        hemisphere=hemisphere,
        squash=values.switch("squash"),
        base_to_pivot=values.switch("base_to_pivot"),
        cut=cut,
        mapped=mapped,
        arithmetic=arithmetic_of(obj.scene.version),
    )


def build_sphere(
    radius: float,
    segments: int,
    *,
    smooth: bool = True,
    hemisphere: float = 0.0,
    squash: bool = False,
    base_to_pivot: bool = False,
    cut: tuple[float, float] | None = None,
    mapped: bool = False,
    arithmetic: Arithmetic = SINGLE,
) -> Mesh:
    """Return a sphere around the origin.

    Args:
        radius: Its radius.
        segments: Around it; half as many from pole to pole.
        smooth: Whether it has smoothing groups.
        hemisphere: How much is cut off below, from 0 to 1.
        squash: Whether the rings move up for that, instead of being left out.
        base_to_pivot: Whether it stands on the origin.
        cut: Slice from and to, in radians; what is between them is left out.
        mapped: Whether it has texture coordinates.
        arithmetic: Of the release.

    Raises:
        NotSupportedError: It is too large.
    """
    one = arithmetic
    whole = hemisphere < _LEAST_HEMISPHERE
    pi = one.number(PI)
    kept = (one.number(1.0) - one.number(min(hemisphere, _MOST_HEMISPHERE))) * pi
    around = one.stored(one.number(2.0) * pi / one.number(segments))
    down = around
    if squash and not whole:
        down = one.stored(one.number(2.0) * kept / one.number(max(segments - 2, 1)))
    rows = segments // 2 - 1 if whole or squash else int(kept / down) + 1
    start, step, turns = slice_angles(cut, segments, PI / 2.0, one)
    check_triangles(2 * rows * turns)

    heights = one.running(down, down, rows)
    if not whole:
        heights[-1] = kept
    positions = _vertices(radius, heights, one.running(start, step, turns), whole, cut, one)
    if base_to_pivot:
        lowest = one.cos(kept) * one.number(radius)
        positions[:, 2] = one.stored(positions[:, 2]) - lowest
    ring = turns + (0 if cut is None else 1)
    faces, flags, kinds = _faces(rows, ring, whole, cut is not None)
    groups = np.array([1, 4, 8, 2]) if smooth else np.zeros(4, int)
    maps: Maps | None = None
    if mapped:
        maps = {1: _mapping(rows, ring, around, step, whole, cut is not None, one)}
    return Mesh.of_triangles(
        positions,
        faces,
        smoothing=groups[kinds],
        material_ids=np.array([1, 2, 3, 0])[kinds],
        edge_flags=flags,
        maps=maps,
    )


def _vertices(
    radius: float,
    heights: npt.NDArray[Any],
    angles: npt.NDArray[Any],
    whole: bool,
    cut: tuple[float, float] | None,
    one: Arithmetic,
) -> npt.NDArray[np.float32]:
    """Return (v, 3): upper pole, rings, lower pole; rings of a slice end on the axis."""
    size = one.number(radius)
    level = one.cos(heights) * size
    wide = one.stored(one.sin(heights) * size)
    ring = len(angles) + (0 if cut is None else 1)
    rings = np.zeros((len(heights), ring, 3), np.float32)
    rings[:, : len(angles), 0] = one.cos(angles)[None] * wide[:, None]
    rings[:, : len(angles), 1] = one.sin(angles)[None] * wide[:, None]
    rings[:, :, 2] = level[:, None]
    flat = rings.reshape(-1, 3)
    if cut is not None and not whole:
        flat = flat[:-1]  # The lower pole is on the axis in the plane of the last ring.
    lower = -size if whole else level[-1]
    poles = np.array([[0.0, 0.0, size], [0.0, 0.0, lower]], np.float32)
    return np.concatenate([poles[:1], flat, poles[1:]])


def _faces(rows: int, ring: int, whole: bool, sliced: bool) -> tuple[I32, I32, I32]:
    """Return faces, edge flags, and kinds: 0 outside, 1 and 2 the faces of a slice, 3 the base."""
    numbers = grid(rows, ring, 1)
    closed = np.concatenate([numbers, numbers[:, :1]], axis=1)
    column = np.arange(ring)
    kind = np.zeros(ring, np.int32)
    if sliced:
        kind[-2:] = (1, 2)
    open_base = sliced and not whole
    last = rows * ring + (0 if open_base else 1)
    upper = np.stack([np.zeros(ring, np.int32), closed[0, :-1], closed[0, 1:]], axis=1)
    a, d, c, b = cells(closed)
    middle = np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3)
    base = column[:-2] if open_base else column
    lower = np.stack([np.full(len(base), last), closed[-1, base + 1], closed[-1, base]], axis=1)
    lower_kind = kind if whole else np.full(len(base), 3, np.int32)
    faces = np.concatenate([upper, middle, lower])
    flags = np.full(len(faces), 7, np.int32)
    flags[ring : ring + len(middle)] = np.tile([FIRST_TWO, LAST_TWO], len(middle) // 2)
    kinds = np.concatenate([kind, np.repeat(np.tile(kind, rows - 1), 2), lower_kind])
    return faces.astype(np.int32), flags, kinds


def _mapping(
    rows: int, ring: int, around: Any, step: Any, whole: bool, sliced: bool, one: Arithmetic
) -> tuple[npt.NDArray[np.float32], I32]:
    """Return map vertices and map faces: a row for each pole and ring, from the top.

    A row has one vertex more than the ring, and three more for the two faces of a slice.
    """
    shell = ring - 2 if sliced else ring
    u = one.over(one.running(0.0, step, shell + 1), 2.0 * PI)
    if sliced:
        u = np.concatenate([u, np.array([1.0, 0.0, 1.0], u.dtype)])
    v = one.number(1.0) - one.over(one.running(0.0, around, rows + 2), PI)
    width = len(u)
    vertices = np.zeros((rows + 2, width, 3), np.float32)
    vertices[:, :, 0], vertices[:, :, 1] = u[None], v[:, None]
    numbers = grid(rows + 2, width)
    # Columns where a cell begins: those of the shell, then those of the slice.
    left = np.arange(ring)
    left[shell:] += 1
    top = left.copy()
    top[shell:] = shell + 2
    upper = np.stack([numbers[0, top], numbers[1, left], numbers[1, left + 1]], axis=1)
    a, b = numbers[1:rows, left], numbers[2 : rows + 1, left]
    middle = np.stack([a, b, b + 1, a, b + 1, a + 1], axis=2).reshape(-1, 3)
    base = left[:shell] if sliced and not whole else left
    tip = top[: len(base)]
    lower = np.stack([numbers[-1, tip], numbers[-2, base + 1], numbers[-2, base]], axis=1)
    return vertices.reshape(-1, 3), np.concatenate([upper, middle, lower])
