"""Edit Patch and NeL's relatives: the patches that they keep, with what is below moved along.

The order of things follows the public description of NeL's modifier: points that are mapped go
where those below are, plus the stored move; all others stay where the kept patches have them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import I32, U32, Array
from maxsidecar.scene.geometry.patch import PatchMesh
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.geometry.stored.patch_layouts import MAPPER
from maxsidecar.scene.geometry.stored.patch_objects import DIVISION
from maxsidecar.scene.geometry.stored.patch_read import read_patch
from maxsidecar.scene.geometry.stored.rpo import NelPatchCodec
from maxsidecar.scene.geometry.stored.tables import Table
from maxsidecar.scene.modifiers.edit_patch_views import (
    EDIT_PATCH,
    NEL_CONVERT,
    NEL_EDIT,
    NEL_PAINT,
)
from maxsidecar.scene.modifiers.view_base import local_container

__all__ = ["edit_patch", "nel_convert"]

F32 = npt.NDArray[np.float32]

#: In the local data: everything; then the history of early files, flags, steps, moves, patches.
EDITED: Final = 0x1000
HISTORY, FLAGS, STEPS, RENDER_STEPS, SHOW_INTERIOR = 0x1000, 0x1015, 0x1020, 0x1150, 0x1160
MOVES, RESULT, NEL = 0x1130, 0x1140, 0x4001
#: In the flags: anything was done at all.
_HAS_DATA: Final = 1 << 2
_STEPS: Final = Array(I32, 2)
_MOST_STEPS: Final = 100


@modifier(EDIT_PATCH, NEL_EDIT, NEL_PAINT)
def edit_patch(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the patches that the modifier keeps, moved along with those below."""
    context = None if call.context is None else call.context.container()
    edited = _inner(local_container(context), EDITED)
    if edited is None:
        return geometry  # nothing was edited
    flags = edited.find(FLAGS)
    kept = _inner(edited, RESULT)
    if kept is None:
        if edited.find(HISTORY) is not None:
            raise NotSupportedError("it keeps what was done, step by step, as up to 3ds Max 2")
        return geometry
    if flags is not None and not decode(flags, U32) & _HAS_DATA:
        return _with_settings(geometry, edited)
    patch = read_patch(kept, call.approximate)
    if isinstance(geometry, PatchMesh):
        _follow(geometry, patch, edited, call)
    else:
        call.approximate("what is below is no patches, so it is not seen whether it has changed")
        call.approximate(DIVISION)
    nel = edited.find(NEL)
    if nel is not None:
        patch.nel = decode(nel, NelPatchCodec())
    elif isinstance(geometry, PatchMesh):
        patch.nel = geometry.nel
    if isinstance(geometry, PatchMesh):
        patch.steps, patch.render_steps = geometry.steps, geometry.render_steps
        patch.show_interior = geometry.show_interior
    return _with_settings(patch, edited)


@modifier(NEL_CONVERT)
def nel_convert(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Return the patches: what NeL adds is empty then."""
    if not isinstance(geometry, PatchMesh):
        raise NotSupportedError("it needs patches below it")
    return geometry


def _inner(chunk: Chunk | None, chunk_id: int) -> Chunk | None:
    found = None if chunk is None else chunk.find(chunk_id)
    return found if found is not None and found.container else None


def _with_settings(geometry: Geometry, edited: Chunk) -> Geometry:
    """Return patches with the steps that the modifier sets."""
    if not isinstance(geometry, PatchMesh):
        return geometry
    steps, render, shown = (
        edited.find(chunk_id) for chunk_id in (STEPS, RENDER_STEPS, SHOW_INTERIOR)
    )
    out = replace(geometry)
    if steps is not None:
        found = decode(steps, _STEPS)[0]
        if 0 <= found <= _MOST_STEPS:
            out.steps = found
    if render is not None:
        out.render_steps = decode(render, I32)
    if shown is not None:
        out.show_interior = decode(shown, U32) != 0
    return out


def _follow(below: PatchMesh, patch: PatchMesh, edited: Chunk, call: ModifierCall) -> None:
    """Put points where those below are, with the moves that the modifier keeps."""
    moves = _inner(edited, MOVES)
    chunk = None if moves is None else moves.find(EDITED)
    if chunk is None:
        return  # as NeL's painting
    mapper = decode(chunk, MAPPER)
    for table, source, target in (
        (mapper.vertices, below.vertices, patch.vertices),
        (mapper.vectors, below.vectors, patch.vectors),
    ):
        if not _moved(table, source, target):
            call.approximate("the patches below are not those that it was made for")


def _moved(table: Table, source: F32, target: F32) -> bool:
    """Move points of ``target``; return whether all records could be followed.

    Stored places are never used: NeL takes those of the input, and what it stores is often old.
    """
    rows = table.array
    number = rows[:, 1]
    mapped = number >= 0
    good = mapped & (number < len(target)) & (np.arange(len(rows)) < len(source))
    record = np.nonzero(good)[0]
    # Single precision, as it is computed there, so that the very bits come out.
    move = np.ascontiguousarray(rows[record, 5:8]).view("<f4")
    target[number[record]] = source[record] + move
    return bool(np.array_equal(good, mapped)) and len(rows) == len(source)
