"""Stored patches to the neutral record (docs/format/patch.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, Where
from maxsidecar.io.chunks import Chunk
from maxsidecar.io.codecs import I32, Codec
from maxsidecar.io.headers import Buffer, Span
from maxsidecar.io.views import ChunkView
from maxsidecar.scene.geometry.patch import PatchMap, PatchMesh
from maxsidecar.scene.geometry.stored.patch_elements import Elements, read_elements
from maxsidecar.scene.geometry.stored.patch_layouts import PATCH_MESH, ChannelTable

__all__ = ["LINEAR_MAPS", "PatchChunks", "patch_chunks", "read_patch"]

VERTEX, VECTOR, PATCH = 0x0BE0, 0x0BCC, 0x0BF4
MAP_PATCHES, MAP_VERTICES = 0x0C80, 0x0C8A
POSITION, FLAGS = 0x03E8, 0x03FC
CORNER_COUNT, CORNERS, HANDLES, INTERIORS = 0x03E8, 0x03F2, 0x03FC, 0x0406
SMOOTHING, PATCH_FLAGS = 0x0410, 0x041A
#: How many of each there are.
COUNTS: Final = {VERTEX: 0x0BD6, VECTOR: 0x0BC2, PATCH: 0x0BEA}
_NAMES: Final = {VERTEX: "vertex", VECTOR: "vector", PATCH: "patch"}
#: In the flags of a patch: maps are linear; the upper half is the material id (public SDK header).
LINEAR_MAPS: Final = 1 << 2
_ID_SHIFT: Final = 16

Note = Callable[[str], None]


@dataclass(slots=True)
class PatchChunks:
    """The chunks of a patch mesh.

    Attributes:
        data: The bytes that they are in.
        where: The place of what holds them.
        elements: Vertices, vectors and patches, by id.
        maps: By channel the spans of map vertices and map patches, ``None`` for a missing one.
        odd: What is wrong with chunks of maps that belong to no channel.
    """

    data: Buffer
    where: Where
    elements: dict[int, Elements]
    maps: dict[int, list[Span | None]] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)

    def value(self, span: Span, codec: Codec[Any]) -> Any:
        """Return the value of a leaf.

        Raises:
            DecodeError: It does not have that layout.
        """
        if span[4]:
            raise DecodeError(
                "the chunk holds chunks", self.where, expected="data", found=f"{span[0]:04x}"
            )
        return codec.decode(memoryview(self.data)[span[2] : span[3]])


def patch_chunks(source: Chunk | ChunkView) -> PatchChunks:
    """Return the chunks of a patch mesh.

    Args:
        source: The container that holds them, or an object that has them among its own.

    Raises:
        DecodeError: One is damaged, or there are not as many as are said.
        ChunkError: The container is damaged.
    """
    if isinstance(source, Chunk):
        data, spans, where = source.owner.data, source.spans(), source.where
    else:
        data, spans, where = source.data.data, source.data.top(), source.where
    try:
        return _collect(data, spans, where)
    except DecodeError as error:
        error.locate(file=where.file, stream=where.stream, path=where.path, offset=where.offset)
        raise


def _collect(data: Buffer, spans: Sequence[Span], where: Where) -> PatchChunks:
    found: dict[int, list[Span]] = {}
    for span in spans:
        found.setdefault(span[0], []).append(span)
    chunks = PatchChunks(data, where, {})
    for chunk_id, count_id in COUNTS.items():
        mine = found.get(chunk_id, [])
        counts = found.get(count_id)
        if counts is None:
            raise DecodeError("the patches lack a chunk", expected=f"{count_id:04x}")
        count = chunks.value(counts[0], I32)
        if count != len(mine):
            raise DecodeError(
                f"there are not as many {_NAMES[chunk_id]} chunks as are said",
                expected=count,
                found=len(mine),
            )
        chunks.elements[chunk_id] = read_elements(data, mine, _NAMES[chunk_id])
    for chunk_id in (MAP_VERTICES, MAP_PATCHES):
        for span in found.get(chunk_id, ()):
            if span[4] or span[3] - span[2] < 4:
                chunks.odd.append(f"a chunk {chunk_id:04x} has no number of a map channel")
                continue
            channel = I32.decode(memoryview(data)[span[2] : span[2] + 4])
            place = chunks.maps.setdefault(channel, [None, None])
            place[chunk_id == MAP_PATCHES] = span
    return chunks


def read_patch(source: Chunk | ChunkView, note: Note | None = None) -> PatchMesh:
    """Return the patches that a container or an object holds.

    Map channels that do not fit them are left out.

    Args:
        source: See :func:`patch_chunks`.
        note: Called with what is left out, and why.

    Raises:
        DecodeError: They are not stored as is known.
        ChunkError: The container is damaged.
    """
    chunks = patch_chunks(source)
    where = chunks.where
    try:
        return _read(chunks, note)
    except DecodeError as error:
        error.locate(file=where.file, stream=where.stream, path=where.path, offset=where.offset)
        raise


def _read(chunks: PatchChunks, note: Note | None) -> PatchMesh:
    vertices, vectors, patches = (chunks.elements[chunk_id] for chunk_id in COUNTS)
    sides = patches.table(CORNER_COUNT, "<i4", 1, "the number of corners")[:, 0]
    if np.any((sides != 3) & (sides != 4)):
        odd = sides[(sides != 3) & (sides != 4)]
        raise DecodeError("a patch of no known kind", expected="3 or 4 sides", found=int(odd[0]))
    flags = patches.table(PATCH_FLAGS, "<u4", 1, "the flags of a patch")[:, 0]
    patch = PatchMesh(
        vertices=vertices.table(POSITION, "<f4", 3, "a vertex"),
        vectors=vectors.table(POSITION, "<f4", 3, "a vector"),
        corners=_numbers(patches, CORNERS, sides, 4, vertices.count, "a vertex"),
        handles=_numbers(patches, HANDLES, sides, 8, vectors.count, "a handle"),
        interiors=_numbers(patches, INTERIORS, sides, 4, vectors.count, "an interior point"),
        smoothing=patches.table(SMOOTHING, "<u4", 1, "smoothing groups")[:, 0],
        material_ids=(flags >> _ID_SHIFT).astype(np.int32),
        linear_maps=(flags & LINEAR_MAPS) != 0,
    )
    left_out = list(chunks.odd)
    for channel, (points, rows) in chunks.maps.items():
        try:
            patch.maps[channel] = _map(chunks, points, rows, sides)
        except DecodeError as error:
            # The surface is sound without it.
            left_out.append(f"map channel {channel} is left out: {error.message}")
    if note is not None:
        for reason in left_out:
            note(reason)
    return patch


def _numbers(
    patches: Elements, leaf: int, sides: npt.NDArray[Any], width: int, limit: int, what: str
) -> npt.NDArray[np.int32]:
    """Return numbers of control points, -1 behind the last one of a patch."""
    table = patches.table(leaf, "<i4", width, what, -1)
    used = np.arange(width) < (sides * (width // 4))[:, None]
    bad = used & ((table < 0) | (table >= limit))
    if np.any(bad):
        raise DecodeError(
            f"{what} that is not there", expected=f"less than {limit}", found=int(table[bad][0])
        )
    return np.where(used, table, -1).astype(np.int32)


def _map(
    chunks: PatchChunks, points: Span | None, rows: Span | None, sides: npt.NDArray[Any]
) -> PatchMap:
    """Return a map channel.

    Raises:
        DecodeError: It does not fit the patches.
    """
    if points is None or rows is None:
        raise DecodeError("it has no vertices" if points is None else "it has no patches")
    vertices, numbers = (
        chunks.value(span, PATCH_MESH.leaves[span[0]][1]) for span in (points, rows)
    )
    if not isinstance(vertices, ChannelTable) or not isinstance(numbers, ChannelTable):
        raise DecodeError("not a map channel")
    table, limit = numbers.table.array, len(vertices.table)
    if len(table) != len(sides):
        raise DecodeError(f"it is for {len(table)} patches, and there are {len(sides)}")
    quads = np.where(sides == 4, 4, 3)[:, None]
    corners = np.where(np.arange(4) < quads, table[:, :4], -1)
    if np.any((corners >= limit) | ((corners < 0) & (np.arange(4) < quads))):
        raise DecodeError("it has vertices that are not there")

    def inner(part: npt.NDArray[Any], used: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        return np.where(used & (part >= 0) & (part < limit), part, -1).astype(np.int32)

    return PatchMap(
        vertices.table.array.astype(np.float32),
        corners.astype(np.int32),
        inner(table[:, 4:12], np.arange(8) < 2 * quads),
        inner(table[:, 12:], np.arange(4) < quads),
    )
