"""Explicit normals as meshes store them: containers 23a0 (triangles) and 0300 (polygons).

Layout: docs/format/mesh.md, section 4.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError
from maxsidecar.io.headers import Buffer, scan_sound
from maxsidecar.scene.geometry.mesh import ExplicitNormals
from maxsidecar.scene.geometry.stored.records import read_records, unpack_bits
from maxsidecar.scene.geometry.stored.walk import Ints, ragged_index

__all__ = ["read_normal_spec", "split_run"]

NORMALS, FACE_COUNT, FACE_NUMBER, FACE = 0x0110, 0x0120, 0x0124, 0x0128
_IDS, _SPECIFIED, _BITS = (0x0200,), (0x0210,), (0x0210, 0x2700)
#: More chunks than this do not stand in front of the faces.
_HEAD: Final = 16


def split_run(data: Buffer, number_id: int, count_id: int) -> int:
    """Return where the records of faces begin: behind the leaf with their number.

    Args:
        data: Body of the container.
        number_id: Id of the first leaf of a record.
        count_id: Id of the leaf with the number of faces.
    """
    at, end = 0, len(data)
    for _ in range(_HEAD):
        if at >= end or int.from_bytes(data[at : at + 2], "little") == number_id:
            return at
        size = int.from_bytes(data[at + 2 : at + 6], "little") & 0x7FFFFFFF
        stop = at + size
        if size == 0:
            stop = at + (int.from_bytes(data[at + 6 : at + 14], "little") & 0x7FFFFFFFFFFFFFFF)
        if stop <= at or stop > end:
            return at
        at = stop
    return at


def read_normal_spec(data: Buffer, degrees: Ints, kept: npt.NDArray[np.bool_]) -> ExplicitNormals:
    """Return the normals that somebody set.

    Args:
        data: Body of the container.
        degrees: (n,) number of corners of each stored face.
        kept: (n,) whether the face stays in the mesh.

    Returns:
        Normals of the corners of the faces that stay.

    Raises:
        DecodeError: It is not stored as is known.
    """
    start = split_run(data, FACE_NUMBER, FACE_COUNT)
    vectors = np.zeros((0, 3), np.float32)
    count = 0
    spans, error = scan_sound(data, 0, start)
    if error is not None:
        raise DecodeError(f"the normals are damaged: {error.message}")
    view = memoryview(data)
    for chunk_id, _, body, stop, _, _ in spans:
        if chunk_id == NORMALS:
            if (stop - body) % 12 != 4:
                raise DecodeError("the normals have the wrong size", found=stop - body)
            vectors = np.frombuffer(view[body + 4 : stop], "<f4").reshape(-1, 3)
        elif chunk_id == FACE_COUNT and stop - body == 4:
            count = int.from_bytes(view[body:stop], "little")
    if count != len(degrees):
        raise DecodeError("normals for another number of faces", expected=len(degrees), found=count)
    offsets = np.cumsum(degrees) - degrees
    ids = np.full(int(degrees.sum()), -1, np.int32)
    run = view[start:]
    for group in read_records(run, FACE_NUMBER, FACE) if len(run) else ():
        numbers = group.numbers.astype(np.int64)
        if np.any(numbers >= count):
            raise DecodeError("a normal of a face that is not there", expected=count)
        rows = group.leaves.get(_IDS)
        if rows is None or rows.shape[1] % 4:
            raise DecodeError("a face without normals")
        values = np.ascontiguousarray(rows).view("<i4")
        if _BITS in group.leaves:
            values = values[:, 1:]
            used = unpack_bits(group.leaves[_BITS], values.shape[1])
        elif _SPECIFIED in group.leaves:
            bits = np.unpackbits(group.leaves[_SPECIFIED][:, :1], axis=1, bitorder="little")
            used = bits[:, : values.shape[1]].astype(bool)
        else:
            continue
        fits = degrees[numbers] == values.shape[1]
        if not np.all(fits):
            raise DecodeError("a face has another number of normals than corners")
        here = offsets[numbers][:, None] + np.arange(values.shape[1])
        ids[here] = np.where(used, values, -1)
    if np.any(ids >= len(vectors)):
        raise DecodeError("a normal that is not there", expected=len(vectors), found=int(ids.max()))
    corners = ragged_index(offsets[kept], degrees[kept])
    return ExplicitNormals(vectors, ids[corners])
