"""Reading the splines that a shape, a letter or a modifier holds."""

from __future__ import annotations

from typing import Final

import numpy as np

from maxsidecar.errors import DecodeError
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import I32, U32
from maxsidecar.scene.geometry.shapes.shape_views import KNOTS
from maxsidecar.scene.geometry.spline import Shape, Spline
from maxsidecar.scene.geometry.stored.leaves import decode

__all__ = ["read_shape", "read_spline"]

SPLINE: Final = 0x1010
COUNT, KNOT_ROWS, CLOSED = 0x2900, 0x290A, 0x290D
STEPS, OPTIMIZE = 0x1050, 0x1060


def read_shape(container: Chunk) -> Shape:
    """Return the splines in a container, with the steps that it says.

    Raises:
        DecodeError: They are not stored as is known.
    """
    shape = Shape()
    for chunk in container.chunks():
        if chunk.id == SPLINE and chunk.container:
            shape.splines.append(read_spline(chunk))
        elif chunk.id == STEPS and not chunk.container:
            shape.steps = decode(chunk, I32)
        elif chunk.id == OPTIMIZE and not chunk.container:
            shape.optimize = decode(chunk, U32) != 0
    return shape


def read_spline(container: Chunk) -> Spline:
    """Return one spline.

    Raises:
        DecodeError: It is not stored as is known.
    """
    count, knots, closed = (container.find(chunk_id) for chunk_id in (COUNT, KNOT_ROWS, CLOSED))
    if knots is None:
        raise DecodeError("a spline has no knots", container.where, expected=f"{KNOT_ROWS:04x}")
    rows = decode(knots, KNOTS).array
    if count is not None and decode(count, U32) != len(rows):
        raise DecodeError(
            "the number of knots is wrong",
            count.where,
            expected=len(rows),
            found=decode(count, U32),
        )
    for name in ("point", "incoming", "outgoing"):
        if not np.isfinite(rows[name]).all():
            raise DecodeError("a knot is nowhere", knots.where, expected="finite numbers")
    return Spline(
        points=rows["point"].copy(),
        incoming=rows["incoming"].copy(),
        outgoing=rows["outgoing"].copy(),
        lines=rows["line"] == 1,
        kinds=rows["kind"].astype(np.int32),
        material_ids=(rows["flags"] >> 16).astype(np.int32),
        closed=closed is not None and decode(closed, U32) != 0,
    )
