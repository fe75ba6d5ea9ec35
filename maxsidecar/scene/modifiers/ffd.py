"""FFD 2x2x2, 3x3x3 and 4x4x4: a lattice of Bezier control points deforms what is in it.

Facts: docs/format/modifiers-shape.md, section 6.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.controllers import Controller
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.primitives.values import Values
from maxsidecar.scene.modifiers.spaces import (
    context_box,
    deform,
    inverse,
    modifier_space,
    moved,
)

__all__ = ["FFD", "ffd", "lattice_points", "lattice_space", "read_points"]

F64: TypeAlias = npt.NDArray[np.float64]

#: Points along each side of the lattice by the second part of the class id.
_SIDES: Final = {0x2CD10BD0: 2, 0x2CD10BD9: 3, 0x2CD10BD8: 4}
FFD: Final = tuple((0x21325596, part) for part in _SIDES)
_POINTS, _OFFSETS, _VERSION = 0x0200, 0x0400, 0x2000
#: Reference slot of the controller of the first point.
_FIRST_POINT: Final = 3
#: A lattice without extent in a direction has this one (public samples of the SDK).
_LEAST_SIZE: Final = 1e-3
#: A vertex that is farther outside of the lattice stays where it is.
_OUTSIDE: Final = 1e-3


@modifier(*FFD)
def ffd(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Move what is in the lattice as its control points say."""
    class_id = call.obj.class_id
    side = 0 if class_id is None else _SIDES[class_id.b]
    points, older = read_points(call, side**3, _OFFSETS)
    lattice = points.reshape(side, side, side, 3)
    inside = Values(call.obj, call).switch("deform_all") == older
    to = lattice_space(call, geometry)
    back = inverse(to)

    def function(places: F64) -> F64:
        here = moved(places, to)
        new = moved(lattice_points(lattice, here), back)
        if inside:
            out = np.any((here < -_OUTSIDE) | (here > 1.0 + _OUTSIDE), axis=1)
            new[out] = places[out]
        return new

    return deform(geometry, function)


def lattice_space(call: ModifierCall, geometry: Geometry) -> F64:
    """Return the (4, 4) matrix from the object to where its box goes from 0 to 1."""
    low, high = context_box(call, geometry)
    size = np.where(high - low == 0.0, _LEAST_SIZE, high - low)
    unit = np.eye(4)
    unit[3, :3] = -low
    out: F64 = modifier_space(call, 0, None) @ unit @ np.diag([*(1.0 / size), 1.0])
    return out


def lattice_points(points: F64, places: F64) -> F64:
    """Return where a Bezier lattice takes places.

    Args:
        points: (n, n, n, 3) control points by x, y and z; at rest they are evenly spread from 0
            to 1.
        places: (m, 3) in the space of the lattice.
    """
    side = len(points)
    weights = [_bernstein(side, places[:, axis]) for axis in range(3)]
    # From z to x: what is left is one point for each place.
    lines = np.einsum("ijkc,mk->mijc", points, weights[2], optimize=False)
    rows = np.einsum("mijc,mj->mic", lines, weights[1], optimize=False)
    out: F64 = np.einsum("mic,mi->mc", rows, weights[0], optimize=False)
    return out


def _bernstein(count: int, values: F64) -> F64:
    """Return the (m, count) Bernstein polynomials."""
    rest = 1.0 - values
    factors = {2: (1, 1), 3: (1, 2, 1), 4: (1, 3, 3, 1)}[count]
    columns = [
        factor * values**power * rest ** (count - 1 - power) for power, factor in enumerate(factors)
    ]
    return np.stack(columns, axis=1)


def read_points(call: ModifierCall, count: int, offsets_id: int) -> tuple[F64, bool]:
    """Return the (n, 3) control points, those with controllers at the time.

    Args:
        call: The evaluation.
        count: How many there should be.
        offsets_id: Chunk of the offsets of the initial volume, which are taken off.

    Returns:
        The points, and whether the modifier is of a release before 3: there the switch for
        vertices outside of the lattice means the opposite, and there is no master controller.

    Raises:
        NotSupportedError: There are others than there should be.
    """
    chunks = {chunk.id: chunk for chunk in call.obj.chunks() if not chunk.container}
    points = _rows(chunks.get(_POINTS), count)
    if points is None:
        raise NotSupportedError(f"it has not {count} control points")
    version = chunks.get(_VERSION)
    older = version is None or not any(version.data)
    if older:
        call.approximate("it is of a release of which there is no file")
    first = _FIRST_POINT - 1 if older else _FIRST_POINT
    for slot in call.obj.references:
        controller = call.obj.reference(slot)
        if first <= slot < first + count and isinstance(controller, Controller):
            found = np.asarray(controller.evaluate(call.time), np.float64)
            if found.shape != (3,):
                raise NotSupportedError("a control point has a controller that gives no point")
            points[slot - first] = found
    offsets = _rows(chunks.get(offsets_id), count)
    if offsets is not None:
        if offsets.any():
            call.approximate("no file proves how an initial volume takes part")
        points -= offsets
    if not np.isfinite(points).all():
        raise NotSupportedError("control points that are no finite numbers")
    return points, older


def _rows(chunk: Chunk | None, count: int) -> F64 | None:
    if chunk is None or len(chunk.data) != 12 * count:
        return None
    return np.frombuffer(chunk.data, "<f4").reshape(-1, 3).astype(np.float64)
