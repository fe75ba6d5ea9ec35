"""Edit Spline: puts the splines that it keeps in place of those below."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.shapes.read_shape import read_shape
from maxsidecar.scene.geometry.spline import Shape
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.modifiers.edit_spline_views import (
    EDIT_SPLINE,
    EDITED,
    MOVES,
    OPERATION,
    OPERATIONS,
    RESULT,
)
from maxsidecar.scene.modifiers.view_base import local_container

__all__ = ["edit_spline"]

F64 = npt.NDArray[np.float64]

#: How far knots below may be from where they were, as a share of the size.
_NEAR: Final = 1e-5


@modifier(EDIT_SPLINE)
def edit_spline(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the splines that the modifier keeps for this object.

    It keeps the result beside what was done, so nothing is done again: what is below counts only
    to tell whether it has changed since.
    """
    context = None if call.context is None else call.context.container()
    local = local_container(context)
    edited = None if local is None else _inner(local, EDITED)
    result = None if edited is None else _inner(edited, RESULT)
    if edited is None or result is None:
        return geometry
    if not isinstance(geometry, Shape):
        raise NotSupportedError("it edits splines, and there is a surface below it")
    shape = read_shape(result)
    moves = _moves(edited)
    if moves is None:
        call.approximate("whether the splines below have changed since is not told")
    elif not _follows(geometry, shape, moves):
        call.approximate("the splines below are not those that it was made for")
    return replace(shape, rendering=geometry.rendering)


def _inner(chunk: Chunk, chunk_id: int) -> Chunk | None:
    found = chunk.find(chunk_id)
    return found if found is not None and found.container else None


def _moves(edited: Chunk) -> list[npt.NDArray[np.void]] | None:
    """Return what was moved; ``None`` when anything else was done, too."""
    operations = _inner(edited, OPERATIONS)
    if operations is None:
        return []
    out: list[npt.NDArray[np.void]] = []
    for chunk in operations.chunks():
        if not chunk.container:
            continue  # the count
        children = list(chunk.chunks())
        if chunk.id != OPERATION or [child.id for child in children] != [OPERATION]:
            return None
        if children[0].container:
            return None
        out.append(decode(children[0], MOVES).array)
    return out


def _follows(below: Shape, shape: Shape, moves: list[npt.NDArray[np.void]]) -> bool:
    """Return whether the splines are those below with their points moved."""
    counts = [(len(spline.points), spline.closed) for spline in below.splines]
    if counts != [(len(spline.points), spline.closed) for spline in shape.splines]:
        return False
    for number, (old, new) in enumerate(zip(below.splines, shape.splines, strict=True)):
        before, after = (
            np.stack([spline.incoming, spline.points, spline.outgoing], axis=1)
            .reshape(-1, 3)
            .astype(np.float64)
            for spline in (old, new)
        )
        for move in moves:
            mine = move[move["spline"] == number]
            point = mine["point"]
            if len(point) and (int(point.min()) < 0 or int(point.max()) >= len(before)):
                return False
            np.add.at(before, point, mine["offset"].astype(np.float64))
        size = float(np.ptp(after, axis=0).max(initial=0.0))
        if np.abs(before - after).max(initial=0.0) > _NEAR * max(size, 1e-30):
            return False
    return True
