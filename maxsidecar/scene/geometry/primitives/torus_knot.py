"""Torus Knot: a tube around the curve that winds P times around an axis and Q times around a ring.

The curve, in units of the first radius, is r (cos P t, sin P t, cos Q t) with
r = 2 / (2.2 - sin Q t); sections stand on its forward difference over a ten-thousandth of a turn,
one axis in the plane of the position.  (Fitted on the knot of a POD export: 1,440 vertices within
4e-6 of its size, all triangles and map coordinates.)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.scene.animated import value_at
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.pipeline import GeneratorCall, NotSupportedError, generator
from maxsidecar.scene.geometry.primitives.arithmetic import SINGLE, Arithmetic, arithmetic_of
from maxsidecar.scene.geometry.primitives.slices import PI
from maxsidecar.scene.geometry.primitives.topology import FIRST_TWO, LAST_TWO, Maps, cells, grid
from maxsidecar.scene.geometry.primitives.values import Values, check_triangles
from maxsidecar.scene.objects import SceneObject

__all__ = ["TORUS_KNOT", "build_torus_knot", "torus_knot"]

TORUS_KNOT: Final = (0x720, 0)

#: Ids of parameters that have no name, with the value at which they do nothing: the one knot that
#: is proved has these.
_UNUSED: Final = {2: 0.0, 3: 0.0, 11: 0.0, 12: 0.0, 18: 0.0, 19: 0.0}


@generator(TORUS_KNOT)
def torus_knot(obj: SceneObject, call: GeneratorCall) -> Mesh:
    """Return the mesh of a Torus Knot without twist, lumps, warp and eccentricity."""
    values = Values(obj, call)
    plain = {f"0#{number}": value for number, value in _UNUSED.items()}
    plain |= {"twist": 0.0, "eccentricity": 1.0}
    for name, value in plain.items():
        found = value_at(obj.parameters.get(name), call.time)
        if found is not None and found != value:
            raise NotSupportedError(f"its parameter {name} is {found}; only {value:g} is known")
    call.approximate("no file proves the order of its vertices and faces")
    mapping = None
    if values.mapped():
        tiles = (values.number("u_tile", 1.0), values.number("v_tile", 1.0))
        mapping = (*tiles, values.number("u_offset", 0.0), values.number("v_offset", 0.0))
    return build_torus_knot(
        (values.size("radius1"), values.size("radius2")),
        (values.segments("segments", least=3), values.segments("sides", least=3)),
        (values.number("p"), values.number("q")),
        mapping,
        arithmetic_of(obj.scene.version),
    )


def build_torus_knot(
    radii: tuple[float, float],
    counts: tuple[int, int],
    winds: tuple[float, float],
    mapping: tuple[float, float, float, float] | None = None,
    arithmetic: Arithmetic = SINGLE,
) -> Mesh:
    """Return a torus knot around the origin.

    Args:
        radii: Of the knot and of the section.
        counts: Segments along the curve, and sides of the section.
        winds: P and Q.
        mapping: Tiles along and around, offsets along and around; ``None`` without coordinates.
        arithmetic: Of the release, for the parameter of the curve.

    Raises:
        NotSupportedError: It is too large.
    """
    segments, sides = counts
    check_triangles(2 * segments * sides)
    tau = 2.0 * PI
    t = arithmetic.running(0.0, tau / segments, segments).astype(np.float64)
    centre = _curve(t, radii[0], winds)
    along = _unit(_curve(t + tau / 10_000.0, radii[0], winds) - centre)
    out = _unit(centre - np.sum(centre * along, axis=1)[:, None] * along)
    beside = np.cross(along, out)
    angle = tau * np.arange(sides) / sides
    ring = np.cos(angle)[None, :, None] * beside[:, None]
    ring = ring + np.sin(angle)[None, :, None] * out[:, None]
    positions = centre[:, None] + np.float32(radii[1]) * ring
    numbers = grid(segments, sides)
    closed = np.concatenate([numbers, numbers[:, :1]], axis=1)
    a, d, c, b = cells(np.concatenate([closed, closed[:1]]))
    faces = np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3)
    maps: Maps | None = None
    if mapping is not None:
        tile_u, tile_v, offset_u, offset_v = mapping
        vertices = np.zeros((segments + 1, sides + 1, 3), np.float32)
        vertices[:, :, 0] = (offset_u + tile_u * np.arange(segments + 1) / segments)[:, None]
        vertices[:, :, 1] = (offset_v + tile_v * np.arange(sides + 1) / sides)[None]
        a, d, c, b = cells(grid(segments + 1, sides + 1))
        maps = {1: (vertices, np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3))}
    return Mesh.of_triangles(
        positions,
        faces,
        smoothing=1,
        edge_flags=np.tile([FIRST_TWO, LAST_TWO], len(faces) // 2),
        maps=maps,
    )


def _curve(
    t: npt.NDArray[np.float64], radius: float, winds: tuple[float, float]
) -> npt.NDArray[Any]:
    """Return (n, 3): points of the curve."""
    p, q = winds
    r = np.float32(radius) * 2.0 / (2.2 - np.sin(q * t))
    return np.stack([r * np.cos(p * t), r * np.sin(p * t), r * np.cos(q * t)], axis=1)


def _unit(vectors: npt.NDArray[Any]) -> npt.NDArray[Any]:
    length = np.linalg.norm(vectors, axis=1)[:, None]
    return vectors / np.where(length > 0.0, length, 1.0)
