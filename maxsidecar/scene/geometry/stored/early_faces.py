"""Faces of the first polygon meshes (files up to 5): one small container for each face.

Layout: docs/format/mesh.md, section 3.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.io.headers import Buffer
from maxsidecar.scene.authoring_chunks import ChunkTree, encode_chunks
from maxsidecar.scene.geometry.stored.ragged_records import (
    HAS_DIAGONALS,
    HAS_FLAGS,
    HAS_MATERIAL,
    HAS_SMOOTHING,
    FaceRecords,
)
from maxsidecar.scene.geometry.stored.records import Bytes8, RecordGroup, read_records, unpack_bits
from maxsidecar.scene.geometry.stored.walk import ragged_index
from maxsidecar.scene.geometry.stored.write_common import bits_body

__all__ = ["early_face_records", "read_early_faces"]

_NUMBER, _BODY = 0x0114, 0x0118
_FLAGS, _VERTICES, _DIAGONALS = (0x0100,), (0x0110,), (0x0160,)
_MATERIAL, _SMOOTHING = (0x0130,), (0x0140,)
#: Bit arrays: selected edges, visible edges.
_SELECTED: Final[tuple[int, ...]] = (0x0114, 0x2700)
_VISIBLE: Final[tuple[int, ...]] = (0x0118, 0x2700)

Bits = npt.NDArray[np.bool_]


def _numbers(rows: Bytes8, dtype: str) -> npt.NDArray[np.uint32]:
    size = np.dtype(dtype).itemsize
    whole = np.ascontiguousarray(rows[:, : rows.shape[1] // size * size])
    return whole.view(dtype).astype(np.uint32)


def read_early_faces(run: Buffer, count: int) -> tuple[FaceRecords, Bits, Bits]:
    """Return the faces, and per corner whether its edge is visible and whether it is selected.

    Args:
        run: The records.
        count: How many faces there are.

    Raises:
        DecodeError: They are not stored as is known.
    """
    groups = read_records(run, _NUMBER, _BODY) if len(run) else []
    if sum(len(group.numbers) for group in groups) != count:
        raise DecodeError("another number of faces than is said", expected=count)
    degrees = np.zeros(count, np.int64)
    present = np.zeros(count, np.uint16)
    flags, smoothing = np.zeros(count, np.uint32), np.zeros(count, np.uint32)
    materials = np.zeros(count, np.uint16)
    seen = np.zeros(count, bool)
    for group in groups:
        at = group.numbers.astype(np.int64)
        if np.any(at >= count):
            raise DecodeError("a face that is not there", expected=count, found=int(at.max()))
        seen[at] = True
        degrees[at] = _degree(group)
        for path, bit, array, dtype in (
            (_FLAGS, HAS_FLAGS, flags, "<u4"),
            (_MATERIAL, HAS_MATERIAL, materials, "<u2"),
            (_SMOOTHING, HAS_SMOOTHING, smoothing, "<u4"),
        ):
            if path in group.leaves:
                values = _numbers(group.leaves[path], dtype)
                if values.shape[1] != 1:
                    raise DecodeError("a number of a face has the wrong size")
                array[at] = values[:, 0]
                present[at] |= np.uint16(bit)
        if _DIAGONALS in group.leaves:
            present[at] |= np.uint16(HAS_DIAGONALS)
    if not np.all(seen):
        raise DecodeError("a face is missing", found=int(np.argmin(seen)))
    first = np.cumsum(degrees) - degrees
    vertices = np.zeros(int(degrees.sum()), np.uint32)
    visible, selected = np.ones(len(vertices), bool), np.zeros(len(vertices), bool)
    counts = np.where(present & HAS_DIAGONALS, np.maximum(degrees - 3, 0), 0)
    first_pair = np.cumsum(counts) - counts
    diagonals = np.zeros((int(counts.sum()), 2), np.uint32)
    for group in groups:
        at = group.numbers.astype(np.int64)
        degree = _degree(group)
        places = first[at][:, None] + np.arange(degree)
        if degree:
            vertices[places] = _numbers(group.leaves[_VERTICES], "<u4")[:, 1:]
        for bits, edges in ((_VISIBLE, visible), (_SELECTED, selected)):
            if bits in group.leaves:
                edges[places] = unpack_bits(group.leaves[bits], degree)
        if _DIAGONALS in group.leaves:
            pairs = _numbers(group.leaves[_DIAGONALS], "<u4")
            if pairs.shape[1] != 2 * max(degree - 3, 0):
                raise DecodeError("a face has another number of diagonals", found=pairs.shape[1])
            rows = ragged_index(first_pair[at], counts[at])
            diagonals[rows] = pairs.reshape(-1, 2)
    return (
        FaceRecords(degrees, vertices, present, flags, materials, smoothing, diagonals),
        visible,
        selected,
    )


def _degree(group: RecordGroup) -> int:
    rows = group.leaves.get(_VERTICES)
    if rows is None:
        return 0
    if rows.shape[1] < 4 or rows.shape[1] % 4:
        raise DecodeError("the vertices of a face have the wrong size", found=rows.shape[1])
    degree = int(rows.shape[1]) // 4 - 1
    if not np.all(_numbers(rows, "<u4")[:, 0] == degree):
        raise DecodeError("a face has another number of vertices than it says", expected=degree)
    return degree


def early_face_records(
    faces: FaceRecords, visible: Bits, selected: Bits, version: int, form: int
) -> list[tuple[int, bytes, bool]]:
    """Return the chunks of the faces: id, body, and whether it is a container.

    Args:
        faces: The faces, none of them dead.
        visible: (c,) whether the edge from a corner is visible.
        selected: (c,) whether it is selected.
        version: Scene root id.
        form: Header form.
    """
    out: list[tuple[int, bytes, bool]] = []
    counts = faces.diagonal_counts
    ends, pairs = np.cumsum(faces.degrees), np.cumsum(counts)
    for number in range(len(faces.degrees)):
        corners = slice(int(ends[number] - faces.degrees[number]), int(ends[number]))
        present = int(faces.present[number])
        vertices = faces.vertices[corners].astype("<u4")
        leaves: list[ChunkTree] = [
            (0x0100, int(faces.flags[number]).to_bytes(4, "little")),
            (0x0110, len(vertices).to_bytes(4, "little") + vertices.tobytes()),
            (0x0118, [(0x2700, bits_body(visible[corners], version))]),
            (0x0114, [(0x2700, bits_body(selected[corners], version))]),
        ]
        if present & HAS_MATERIAL:
            leaves.append((0x0130, int(faces.materials[number]).to_bytes(2, "little")))
        if present & HAS_SMOOTHING:
            leaves.append((0x0140, int(faces.smoothing[number]).to_bytes(4, "little")))
        if present & HAS_DIAGONALS:
            first = int(pairs[number] - counts[number])
            rows = faces.diagonals[first : int(pairs[number])]
            leaves.append((0x0160, rows.astype("<u4").tobytes()))
        out.append((_NUMBER, number.to_bytes(4, "little"), False))
        out.append((_BODY, encode_chunks(leaves, form), True))
    return out
