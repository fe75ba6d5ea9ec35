"""Runs of small chunks, one record for each face: explicit normals, and faces of the first polys.

A record is a leaf with the number of the face and a container behind it.  A scene has tens of
thousands of them, in few different layouts: one record of each layout is looked into, and all
records whose bytes have the same headers in the same places are read together.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import ChunkError, DecodeError
from maxsidecar.io.headers import NARROW, Buffer, scan
from maxsidecar.scene.geometry.stored.walk import Ints, chain

__all__ = ["Bytes8", "RecordGroup", "find_records", "read_records", "unpack_bits"]

Bytes8: TypeAlias = npt.NDArray[np.uint8]

_LEAF: Final = Struct("<HI")
#: Bytes of a leaf with one number.
_NUMBER_LEAF: Final = 10
_HEADER: Final = 6
#: Containers in a record are not nested deeper than this.
_MAX_DEPTH: Final = 4
#: Layouts of records in a run that are read together.
_MOST_LAYOUTS: Final = 64


@dataclass(slots=True)
class RecordGroup:
    """Records of the same layout.

    Attributes:
        places: (k,) offset of each record in the run.
        numbers: (k,) uint32: the number in the leaf in front.
        leaves: (k, size) uint8 body of each leaf of the container, by the ids that lead to it.
    """

    places: Ints
    numbers: npt.NDArray[np.uint32]
    leaves: dict[tuple[int, ...], Bytes8]


def _number(data: Bytes8, at: Ints) -> Ints:
    out = np.zeros(len(at), np.int64)
    for byte in range(4):
        out |= data[at + byte].astype(np.int64) << (8 * byte)
    return out


def find_records(data: Buffer, number_id: int, body_id: int) -> tuple[Ints, Ints] | None:
    """Return where the records begin and end, in bytes.

    Args:
        data: The run: records and nothing else.
        number_id: Id of the leaf with the number.
        body_id: Id of the container behind it.

    Returns:
        Two arrays; ``None`` when the run is no such thing or headers are of the wide form.
    """
    octets = np.frombuffer(data, np.uint8)
    pattern = np.frombuffer(_LEAF.pack(number_id, _NUMBER_LEAF), np.uint8)
    behind = np.frombuffer(body_id.to_bytes(2, "little"), np.uint8)
    last = len(octets) - _NUMBER_LEAF - _HEADER
    if last < 0:
        return None
    at = np.nonzero(octets[: last + 1] == pattern[0])[0]
    for place, value in enumerate(pattern[1:], 1):
        at = at[octets[at + place] == value]
    for place, value in enumerate(behind, _NUMBER_LEAF):
        at = at[octets[at + place] == value]
    if not len(at) or at[0] != 0:
        return None
    sizes = _number(octets, at + _NUMBER_LEAF + 2)
    sound = sizes & 0x80000000 != 0
    at, sizes = at[sound], sizes[sound] & 0x7FFFFFFF
    starts = chain(at, at + _NUMBER_LEAF + sizes, len(octets))
    if starts is None:
        return None
    return starts, np.append(starts[1:], len(octets))


def _layout(data: memoryview, start: int) -> list[tuple[tuple[int, ...], int, int]] | None:
    """Return ids, offset from ``start`` and end of each leaf; ``None`` for wide headers."""
    out: list[tuple[tuple[int, ...], int, int]] = []
    stack: list[tuple[tuple[int, ...], int, int]] = [((), 0, len(data))]
    while stack:
        path, begin, end = stack.pop()
        for chunk_id, _, body, stop, container, form in scan(data, begin, end):
            if form != NARROW:
                return None
            ids = (*path, chunk_id)
            if container and len(ids) <= _MAX_DEPTH:
                stack.append((ids, body, stop))
            elif not container:
                out.append((ids, body + start, stop + start))
    return out


def read_records(data: Buffer, number_id: int, body_id: int) -> list[RecordGroup]:
    """Return the records of a run, those of the same layout together.

    Args:
        data: The run: records and nothing else.
        number_id: Id of the leaf with the number.
        body_id: Id of the container behind it.

    Raises:
        DecodeError: It is no such run.
    """
    found = find_records(data, number_id, body_id)
    if found is None:
        return _read_slowly(data, number_id, body_id)
    starts, ends = found
    octets = np.frombuffer(data, np.uint8)
    view = memoryview(data)
    groups: list[RecordGroup] = []
    sizes = ends - starts
    for size in np.unique(sizes):
        left = starts[sizes == size]
        while len(left):
            if len(groups) >= _MOST_LAYOUTS:
                # Real runs have a few; looking for equals among thousands would take for ever.
                return _read_slowly(data, number_id, body_id)
            rows = octets[left[:, None] + np.arange(size)]
            first = int(left[0])
            inner = first + _NUMBER_LEAF + _HEADER
            try:
                layout = _layout(view[inner : first + int(size)], inner - first)
            except ChunkError as error:
                raise DecodeError(f"a record of a face is damaged: {error.message}") from None
            if layout is None:
                return _read_slowly(data, number_id, body_id)
            # Everything that is no body must be the same.
            frame = np.ones(int(size), bool)
            frame[_HEADER:_NUMBER_LEAF] = False
            for _, begin, stop in layout:
                frame[begin:stop] = False
            same = np.all(rows[:, frame] == rows[0, frame], axis=1)
            rows = rows[same]
            groups.append(
                RecordGroup(
                    left[same],
                    np.ascontiguousarray(rows[:, _HEADER:_NUMBER_LEAF]).view("<u4")[:, 0],
                    {path: rows[:, begin:stop] for path, begin, stop in layout},
                )
            )
            left = left[~same]
    return groups


def _read_slowly(data: Buffer, number_id: int, body_id: int) -> list[RecordGroup]:
    """Read any run, chunk by chunk: for wide headers, and layouts that no real file has."""
    try:
        spans = scan(data, 0, len(data))
        view = memoryview(data)
        groups: list[RecordGroup] = []
        for number, body in zip(spans[::2], spans[1::2], strict=False):
            if (number[0], body[0], number[4], body[4]) != (number_id, body_id, False, True):
                raise DecodeError("a run of faces has other chunks in it", found=f"{number[0]:04x}")
            leaves: dict[tuple[int, ...], Bytes8] = {}
            stack: list[tuple[tuple[int, ...], int, int]] = [((), body[2], body[3])]
            while stack:
                path, begin, end = stack.pop()
                for chunk_id, _, start, stop, container, _ in scan(data, begin, end):
                    ids = (*path, chunk_id)
                    if container and len(ids) <= _MAX_DEPTH:
                        stack.append((ids, start, stop))
                    elif not container:
                        leaves[ids] = np.frombuffer(view[start:stop], np.uint8)[None]
            numbers = np.frombuffer(view[number[2] : number[3]], np.uint8)
            if len(numbers) != 4:
                raise DecodeError("the number of a face has the wrong size", found=len(numbers))
            groups.append(
                RecordGroup(np.array([number[1]]), numbers.view("<u4").astype(np.uint32), leaves)
            )
    except ChunkError as error:
        raise DecodeError(f"a run of faces is damaged: {error.message}") from None
    if len(spans) % 2:
        raise DecodeError("a run of faces ends in between", expected="pairs", found=len(spans))
    return groups


def unpack_bits(rows: Bytes8, count: int) -> npt.NDArray[np.bool_]:
    """Return bit arrays as bools, (k, count).

    Args:
        rows: (k, size): ``u32 count`` and the bits, for each record.
        count: Bits that are wanted; those behind the stored ones are 0.

    Raises:
        DecodeError: There is no count.
    """
    if rows.shape[1] < 4:
        raise DecodeError("a bit array is too short", expected="4 bytes", found=rows.shape[1])
    bits = np.unpackbits(rows[:, 4:], axis=1, bitorder="little")
    out = np.zeros((len(rows), count), bool)
    width = min(count, bits.shape[1])
    out[:, :width] = bits[:, :width]
    return out
