"""Changed patches back into their chunks: places, groups, ids and maps, in the bytes they have."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import EditError, Where
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.views import ChunkView
from maxsidecar.scene.finite import check_finite_rows
from maxsidecar.scene.geometry.patch import PatchMesh
from maxsidecar.scene.geometry.stored.patch_read import (
    LINEAR_MAPS,
    PATCH,
    PATCH_FLAGS,
    POSITION,
    SMOOTHING,
    VECTOR,
    VERTEX,
    patch_chunks,
    read_patch,
)

__all__ = ["write_patch"]

_MOST_ID: Final = 0xFFFF
_LOW: Final = np.uint32(0xFFFF)
#: In front of map vertices: the channel, and how many there are.
_MAP_HEAD: Final = 8


def write_patch(source: Chunk | ChunkView, patch: PatchMesh) -> bool:
    """Put changed patches in place of the stored ones.

    Places of vertices and vectors, smoothing groups, material ids, whether maps are linear, and
    places of map vertices may change; numbers of things, and what belongs to what, may not.

    Args:
        source: What holds them, see :func:`patch_chunks`.
        patch: The new patches.

    Returns:
        Whether anything changed.

    Raises:
        EditError: Something else changes, or a value does not fit; nothing is changed then.
        DecodeError: The patches are not stored as is known, so they are read-only.
    """
    chunks, old = patch_chunks(source), read_patch(source)
    _check(old, patch, chunks.where)
    out = np.frombuffer(chunks.data, np.uint8).copy()
    vertices, vectors, patches = (chunks.elements[key] for key in (VERTEX, VECTOR, PATCH))
    vertices.put(POSITION, patch.vertices.astype("<f4"), out)
    vectors.put(POSITION, patch.vectors.astype("<f4"), out)
    patches.put(SMOOTHING, patch.smoothing.astype("<u4")[:, None], out)
    flags = patches.table(PATCH_FLAGS, "<u4", 1, "the flags of a patch")[:, 0]
    flags = (flags & _LOW & ~np.uint32(LINEAR_MAPS)) | (patch.material_ids.astype(np.uint32) << 16)
    flags |= np.where(patch.linear_maps, np.uint32(LINEAR_MAPS), np.uint32(0))
    patches.put(PATCH_FLAGS, flags.astype("<u4")[:, None], out)
    for channel, mapping in patch.maps.items():
        span = chunks.maps[channel][0]
        if span is not None:
            rows = np.ascontiguousarray(mapping.vertices, "<f4")
            out[span[2] + _MAP_HEAD : span[3]] = rows.view(np.uint8).reshape(-1)
    if isinstance(source, Chunk):
        body = out[source.body : source.end].tobytes()
        changed = body != source.data
        if changed:
            source.replace(body)
        return changed
    body = out.tobytes()
    changed = body != bytes(chunks.data)
    if changed:
        source.data.replace_all(body)
    return changed


def _check(old: PatchMesh, new: PatchMesh, where: Where) -> None:
    """Refuse everything that cannot be put into the bytes that are there."""

    def same(what: str, before: npt.NDArray[Any], after: npt.NDArray[Any], *, shape: bool) -> None:
        if before.shape != after.shape or not (shape or np.array_equal(before, after)):
            raise EditError(f"{what} of stored patches cannot change", where)

    for name in ("corners", "handles", "interiors"):
        same(f"the {name}", getattr(old, name), getattr(new, name), shape=False)
    for name in ("vertices", "vectors", "smoothing", "material_ids", "linear_maps"):
        same(f"the number of {name}", getattr(old, name), getattr(new, name), shape=True)
    if set(old.maps) != set(new.maps):
        raise EditError("the map channels of stored patches cannot change", where)
    check_finite_rows("a vertex", new.vertices, old.vertices)
    check_finite_rows("a vector", new.vectors, old.vectors)
    for channel, mapping in new.maps.items():
        before = old.maps[channel]
        for name in ("corners", "handles", "interiors"):
            same(f"the map {name}", getattr(before, name), getattr(mapping, name), shape=False)
        same("the number of map vertices", before.vertices, mapping.vertices, shape=True)
        check_finite_rows("a map vertex", mapping.vertices, before.vertices)
    for what, values, most in (
        ("a material id", new.material_ids, _MOST_ID),
        ("smoothing groups", new.smoothing, 0xFFFFFFFF),
    ):
        if len(values) and not 0 <= int(values.min()) <= int(values.max()) <= most:
            raise EditError(f"{what} out of range", where, expected=f"0 to {most}")
