"""Bone (the object of the Bones system): a tapered bar with a tip, and fins.

(Construction: the public samples of the 3ds Max SDK; no export beside a scene has one.)
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, generator
from maxsidecar.scene.geometry.primitives.topology import OUTER
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.objects import SceneObject

__all__ = ["BONE", "bone", "build_bone"]

BONE: Final = (0x28BF6E8D, 0x2ECCA840)

F32 = npt.NDArray[np.float32]

#: More taper would make a point.
_MOST_TAPER: Final = 0.999
#: Squares of larger numbers may add up to more than float32 holds.
_ROOT: Final = 1e18
#: End, top, right, left and bottom of a bar or fin as a, b, c, d of two triangles each.
_BAR: Final = ((4, 5, 6, 7), (1, 2, 6, 5), (0, 1, 5, 4), (7, 6, 2, 3), (4, 7, 3, 0))
#: Fins, in the order they are made, and the corners of the side they grow from.
_FINS: Final = (
    ("side_fins", (0, 1, 5, 4)),
    ("side_fins", (2, 3, 7, 6)),
    ("front_fin", (1, 2, 6, 5)),
    ("back_fin", (3, 0, 4, 7)),
)


@generator(BONE)
def bone(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Bone."""
    values = Values(obj, call)
    call.approximate("no file proves the order of its vertices")
    fins = {}
    for name in ("side_fins", "front_fin", "back_fin"):
        if values.switch(name):
            fins[name] = (
                values.number(f"{name}_size"),
                values.number(f"{name}_start_taper"),
                values.number(f"{name}_end_taper"),
            )
    if values.mapped():
        call.approximate("its mapping is not made")
    return build_bone(
        values.number("width"),
        values.number("height"),
        values.number("taper"),
        values.number("length"),
        fins,
    )


def build_bone(
    width: float,
    height: float,
    taper: float,
    length: float,
    fins: dict[str, tuple[float, float, float]] | None = None,
) -> Mesh:
    """Return a bone along x that begins at the origin.

    Args:
        width: Along z.
        height: Along y.
        taper: How much of width and height is gone at the end, from 0 to 1.
        length: Along x.
        fins: Size, taper of the start and of the end, by ``side_fins``, ``front_fin``,
            ``back_fin``.
    """
    one = np.float32
    left = one(1.0) - min(one(taper), one(_MOST_TAPER))
    w, h = one(width) * one(0.5), one(height) * one(0.5)
    end_w, end_h = one(width) * left * one(0.5), one(height) * left * one(0.5)
    neck = (w + h) * one(0.5)
    positions = [
        np.array(
            [
                (neck, -h, w),
                (neck, h, w),
                (neck, h, -w),
                (neck, -h, -w),
                (length, -end_h, end_w),
                (length, end_h, end_w),
                (length, end_h, -end_w),
                (length, -end_h, -end_w),
                (0.0, 0.0, 0.0),
            ],
            np.float32,
        )
    ]
    bar = np.array([(a, d, b, c, b, d) for a, b, c, d in _BAR]).reshape(-1, 3)
    tip = np.array([(8, 0, 1), (8, 1, 2), (8, 2, 3), (8, 3, 0)])
    faces = [bar, tip]
    groups = [np.repeat(1 << np.arange(5), 2), 32 << np.arange(4)]
    materials = [np.repeat(np.arange(5), 2), np.full(4, 5)]
    flags = [np.full(10, OUTER), np.full(4, 7)]
    count = 9
    for name, corners in _FINS:
        if fins is None or name not in fins:
            continue
        positions.append(_fin(positions[0][list(corners)], *fins[name]))
        faces.append(bar + count)
        groups.append(groups[0])
        materials.append(materials[0])
        flags.append(flags[0])
        count += 8
    return Mesh.of_triangles(
        np.concatenate(positions),
        np.concatenate(faces),
        smoothing=np.concatenate(groups),
        material_ids=np.concatenate(materials),
        edge_flags=np.concatenate(flags),
    )


def _unit(vector: F32) -> F32:
    largest = np.max(np.abs(vector))
    if largest > _ROOT:
        vector = vector / largest
    length = np.sqrt(np.sum(vector * vector, dtype=np.float32))
    return vector / length if length > 0.0 else vector


def _fin(corners: F32, size: float, start_taper: float, end_taper: float) -> F32:
    """Return the 8 vertices of a fin on the side with these corners.

    Its border is a third of the side's height at the start, or half its length.
    """
    one = np.float32
    begin, end = one(start_taper), one(end_taper)
    over = one(_MOST_TAPER) - begin - end
    if over < 0.0:
        begin, end = begin + over * one(0.5), end + over * one(0.5)
    v0, v1, v2, v3 = corners
    along = (v3 + v2) * one(0.5) - (v1 + v0) * one(0.5)
    up = (v1 + v2) * one(0.5) - (v3 + v0) * one(0.5)
    out = _unit(np.cross(along, up).astype(np.float32)) * one(size)
    border = np.sqrt(np.sum((v1 - v0) ** 2, dtype=np.float32)) / one(3.0)
    reach = np.sqrt(np.sum(along * along, dtype=np.float32))
    if reach < border * one(2.0):
        border = reach * one(0.5)
    p0, p1 = v0 + _unit(v3 - v0) * border, v1 + _unit(v2 - v1) * border
    p2, p3 = v2 + _unit(v1 - v2) * border, v3 + _unit(v0 - v3) * border
    two, three = one(2.0), one(3.0)
    b0, b1 = p0 * two / three + p1 / three, p1 * two / three + p0 / three
    b2, b3 = p2 * two / three + p3 / three, p3 * two / three + p2 / three
    top, low = b2 - b1, b3 - b0
    outer = [
        b0 + out + low * begin,
        b1 + out + top * begin,
        b2 + out - top * end,
        b3 + out - low * end,
    ]
    return np.array([b0, b1, b2, b3, *outer], np.float32)
