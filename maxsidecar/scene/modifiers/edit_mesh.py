"""Edit Mesh: changes of a triangle mesh, made by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import U32, Codec
from maxsidecar.scene.bit_array import BITS
from maxsidecar.scene.geometry.mesh import Selection
from maxsidecar.scene.geometry.pipeline import (
    Geometry,
    ModifierCall,
    NotSupportedError,
    modifier,
)
from maxsidecar.scene.geometry.polygons import to_triangles
from maxsidecar.scene.geometry.stored.leaves import decode
from maxsidecar.scene.modifiers.edit_mesh_delta import Delta, MapDelta, apply_delta
from maxsidecar.scene.modifiers.edit_mesh_early import EARLY, read_early
from maxsidecar.scene.modifiers.edit_mesh_views import EDIT_MESH, EditMesh
from maxsidecar.scene.modifiers.view_base import local_container

__all__ = ["edit_mesh", "read_delta"]

Bits: TypeAlias = npt.NDArray[np.bool_]

_DELTA: Final = 0x4000
_BITS: Final = 0x2700
#: Level of the mesh by level of the modifier: object, vertex, edge, face, polygon, element.
_LEVELS: Final = ("object", "vertex", "edge", "face", "face", "face")
_ONE: Final = np.dtype("<u4")


@modifier(EDIT_MESH)
def edit_mesh(geometry: Geometry, call: ModifierCall) -> Geometry:
    """Make a triangle mesh, and change it."""
    obj, mesh = call.obj, to_triangles(call.convert(geometry))
    context = None if call.context is None else call.context.container()
    local = local_container(context)
    if local is None or not isinstance(obj, EditMesh):
        return mesh  # nothing was edited
    level = obj.level
    chunk = local.find(_DELTA)
    if chunk is not None and chunk.container:
        delta = read_delta(chunk)
    elif any(entry.id in EARLY for entry in local.chunks()):
        delta = read_early(local, mesh)
        call.approximate("changes in the layout before release 3; no file at hand proves them")
        level = {2: 4, 3: 2}.get(level, level)
    else:
        return replace(mesh, selection=Selection(_level(level)))
    delta.selection.level = _level(level)
    return apply_delta(mesh, delta)


def _level(level: int) -> str:
    if level >= len(_LEVELS):
        raise NotSupportedError(f"its level {level} is not known")
    return _LEVELS[level]


def _leaves(container: Chunk) -> Iterator[tuple[Chunk, Codec[Any]]]:
    """Yield the leaves of the changes in their order, with their codecs."""
    layout = EditMesh.local.containers[_DELTA][1]
    for chunk in container.chunks():
        if chunk.container:
            leaf = chunk.find(_BITS)
            if leaf is not None and chunk.id in layout.containers:
                yield chunk, BITS
        elif chunk.id in layout.leaves:
            yield chunk, layout.leaves[chunk.id][1]


def _bits(chunk: Chunk) -> Bits:
    leaf = chunk.find(_BITS)
    if leaf is None:
        return np.zeros(0, np.bool_)
    value = decode(leaf, BITS)
    octets = np.frombuffer(value.data, np.uint8)
    return np.unpackbits(octets, count=value.size, bitorder="little").astype(bool)


def read_delta(container: Chunk) -> Delta:
    """Return the changes in a container 4000.

    Raises:
        DecodeError: A chunk does not have the layout that is known.
        NotSupportedError: They do not say which mesh they are for.
    """
    sizes: dict[int, int] = {}
    delta = Delta(0, 0)
    channel: MapDelta | None = None
    for chunk, codec in _leaves(container):
        if codec is BITS:
            bits = _bits(chunk)
            if chunk.id == 0x0340 and channel is not None:
                channel.deleted_vertices = bits
            else:
                _take_bits(delta, chunk.id, bits)
            continue
        value = decode(chunk, codec)
        if codec is U32:
            sizes[chunk.id] = value
            if chunk.id == 0x0320:
                channel = delta.maps.setdefault(_signed(value), MapDelta())
            elif chunk.id == 0x0324 and channel is not None:
                channel.input_vertices = value
        elif chunk.id in _MAP_ROWS:
            if channel is None:
                raise NotSupportedError("changes of a map channel without its number")
            _take_map_rows(channel, chunk.id, value.array)
        elif chunk.id in _ROWS:
            _take_rows(delta, chunk.id, value.array)
    if 0x0100 not in sizes or 0x0110 not in sizes:
        raise NotSupportedError("it does not tell which mesh it was made for")
    delta.input_vertices, delta.input_faces = sizes[0x0100], sizes[0x0110]
    return delta


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def _take_bits(delta: Delta, chunk_id: int, bits: Bits) -> None:
    if chunk_id == 0x0170:
        delta.deleted_vertices = bits
    elif chunk_id == 0x0270:
        delta.deleted_faces = bits
    elif chunk_id == 0x0400:
        delta.selection.vertices = bits
    elif chunk_id == 0x0410:
        delta.selection.corners = bits
    elif chunk_id == 0x0420:
        delta.selection.polygons = bits


_ROWS: Final = frozenset({0x0130, 0x0140, 0x0208, 0x0210, 0x0220, 0x0230})
_MAP_ROWS: Final = frozenset({0x0334, 0x0338, 0x033B})


def _take_rows(delta: Delta, chunk_id: int, rows: npt.NDArray[Any]) -> None:
    if chunk_id in (0x0130, 0x0140):
        numbers = np.ascontiguousarray(rows[:, 0], "<u4").view("<i4").astype(np.int64)
        places = np.ascontiguousarray(rows[:, 1:], "<u4").view("<f4").astype(np.float32)
        if chunk_id == 0x0130:
            delta.sources, delta.created_vertices = numbers, places
        else:
            delta.moved, delta.moves = numbers, places
        return
    wide = rows.astype(np.int64)
    if chunk_id == 0x0208:
        wide[wide[:, 0] == 0xFFFFFFFF, 0] = -1
        delta.created_faces = wide
    elif chunk_id == 0x0210:
        delta.corner_changes = wide
    elif chunk_id == 0x0220:
        delta.attribute_changes = wide
    else:
        delta.smoothing_changes = wide


def _take_map_rows(channel: MapDelta, chunk_id: int, rows: npt.NDArray[Any]) -> None:
    if chunk_id == 0x0334:
        channel.created_vertices = rows.astype(np.float32)
    elif chunk_id == 0x0338:
        channel.created_faces = rows.astype(np.int64)
    else:
        channel.corner_changes = rows.astype(np.int64)
