"""Records of various lengths in polygon meshes: bytes to arrays and back."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import wrong_size
from maxsidecar.io.headers import Buffer
from maxsidecar.scene.geometry.stored.ragged_records import (
    DEAD,
    HAS_DIAGONALS,
    HAS_FLAGS,
    HAS_MATERIAL,
    HAS_SMOOTHING,
    Arrays,
    Components,
    FaceRecords,
    Lists,
    diagonal_counts,
)
from maxsidecar.scene.geometry.stored.walk import Ints, chain, ragged_index

__all__ = [
    "decode_edges",
    "decode_faces",
    "decode_lists",
    "decode_vertices",
    "encode_edges",
    "encode_faces",
    "encode_lists",
    "encode_vertices",
]

U32: TypeAlias = npt.NDArray[np.uint32]

_Arrays = Arrays
_KNOWN: Final = HAS_FLAGS | HAS_MATERIAL | HAS_SMOOTHING | HAS_DIAGONALS
#: Polygons of more corners are looked for only where there are some.
_USUAL_DEGREE: Final = 64


def _words(data: Buffer, kind: str, *, start: int = 0) -> U32:
    if len(data) < start or len(data) % 4:
        raise wrong_size(kind, "a multiple of 4", len(data))
    return np.frombuffer(data, "<u4", offset=start)


def _count(data: Buffer, kind: str) -> int:
    if len(data) < 4:
        raise wrong_size(kind, "at least 4", len(data))
    return int.from_bytes(data[:4], "little")


def _misfit(kind: str, expected: object, found: object) -> DecodeError:
    return DecodeError(f"the {kind} do not fill their chunk", expected=expected, found=found)


def _decode_components(data: Buffer, width: int, dtype: str, kind: str) -> Components:
    count = _count(data, kind)
    words = _words(data, kind, start=4)
    size = width + 1
    if len(words) == count * size:
        rows = words.reshape(count, size)
        if not np.any(rows[:, 0] & DEAD):
            return Components(rows[:, 0], rows[:, 1:].view(dtype))
    if not count and not len(words):
        return Components(words, words.reshape(0, width).view(dtype))
    here = np.arange(len(words), dtype=np.int64)
    starts = chain(here, here + np.where(words & DEAD, 1, size), len(words))
    if starts is None or len(starts) != count:
        raise _misfit(kind, f"{count} records", "other sizes")
    flags = words[starts]
    values = np.zeros((count, width), np.uint32)
    alive = np.nonzero((flags & DEAD) == 0)[0]
    values[alive] = words[starts[alive][:, None] + np.arange(1, size)]
    return Components(flags, values.view(dtype))


def _encode_components(value: Components, dtype: str) -> bytes:
    flags = np.ascontiguousarray(value.flags, "<u4")
    values = np.ascontiguousarray(value.values, dtype)
    if len(flags) != len(values) or values.ndim != 2:
        raise EditError("flags and values differ in number", expected=len(flags), found=len(values))
    rows = np.concatenate([flags[:, None], values.view("<u4")], axis=1)
    dead = (flags & DEAD) != 0
    if np.any(dead):
        if np.any(rows[dead, 1:]):
            raise EditError("what is dead stores no values", expected=0)
        keep = np.ones(rows.shape, bool)
        keep[dead, 1:] = False
        rows = rows[keep]
    return len(flags).to_bytes(4, "little") + bytes(rows.astype("<u4").tobytes())


def decode_vertices(data: Buffer) -> Components:
    """Decode leaf 0100."""
    return _decode_components(data, 3, "<f4", "vertices")


def encode_vertices(value: Components) -> bytes:
    """Encode leaf 0100."""
    return _encode_components(value, "<f4")


def decode_edges(data: Buffer) -> Components:
    """Decode leaf 010a."""
    return _decode_components(data, 2, "<u4", "edges")


def encode_edges(value: Components) -> bytes:
    """Encode leaf 010a."""
    return _encode_components(value, "<u4")


def decode_lists(data: Buffer, lengths: Ints | None = None) -> Lists:
    """Decode lists of ``u32 length, length × u32`` that fill the chunk.

    Args:
        data: The body.
        lengths: Lengths that it probably has, which saves looking for them.
    """
    words = _words(data, "lists")
    total = len(words)
    if lengths is not None and len(lengths) and int(lengths.sum()) + len(lengths) == total:
        starts: Ints | None = np.cumsum(lengths + 1) - (lengths + 1)
        if starts is not None and np.array_equal(words[starts], lengths):
            return Lists(lengths, words[ragged_index(starts + 1, lengths)])
    if not total:
        return Lists(np.zeros(0, np.int64), words)
    step = int(words[0]) + 1
    if total % step == 0 and np.all(words[::step] == step - 1):
        rows = words.reshape(-1, step)
        return Lists(np.full(len(rows), step - 1, np.int64), rows[:, 1:].reshape(-1))
    starts = None
    for most in (_USUAL_DEGREE, total):
        here = np.nonzero(words <= most)[0]
        if len(here) and here[0] == 0:
            starts = chain(here, here + words[here].astype(np.int64) + 1, total)
        if starts is not None:
            break
    if starts is None:
        raise _misfit("lists", f"{total} numbers", "other lengths")
    found = words[starts].astype(np.int64)
    return Lists(found, words[ragged_index(starts + 1, found)])


def encode_lists(value: Lists) -> bytes:
    """Encode lists, each behind its length."""
    lengths = np.asarray(value.lengths, np.int64)
    if np.any(lengths < 0) or int(lengths.sum()) != len(value.items):
        raise EditError("lists and lengths differ", expected=int(lengths.sum()))
    out = np.zeros(len(lengths) + len(value.items), "<u4")
    starts = np.cumsum(lengths + 1) - (lengths + 1)
    out[starts] = lengths
    out[ragged_index(starts + 1, lengths)] = value.items
    return out.tobytes()


def _face_size(degrees: Ints, present: npt.NDArray[Any]) -> Ints:
    """Return the size of face records, in 16-bit words."""
    out: Ints = (
        3
        + 2 * degrees
        + 2 * (present & HAS_FLAGS)
        + ((present & HAS_MATERIAL) >> 3)
        + ((present & HAS_SMOOTHING) >> 3)
        + 4 * diagonal_counts(degrees, present)
    )
    return out


def _uniform_starts(words: npt.NDArray[np.uint16]) -> Ints | None:
    """Return where face records begin if all are like the first one."""
    degree = int(words[0]) | int(words[1]) << 16
    switch = 2 + 2 * degree
    if switch >= len(words) or words[switch] & ~np.uint16(_KNOWN):
        return None
    size = int(_face_size(np.array([degree]), words[switch : switch + 1].astype(np.int64))[0])
    if len(words) % size:
        return None
    rows = words.reshape(-1, size)
    columns = [0, 1, switch]
    if not np.all(rows[:, columns] == rows[0, columns]):
        return None
    return np.arange(0, len(words), size, dtype=np.int64)


def _face_starts(words: npt.NDArray[np.uint16]) -> Ints | None:
    """Return where face records begin, in 16-bit words."""
    total = len(words)
    if total < 3:
        return None
    uniform = _uniform_starts(words)
    if uniform is not None:
        return uniform
    for most in (_USUAL_DEGREE, total // 2):
        here = np.nonzero((words[1:] <= most >> 16) & (words[:-1] <= most))[0]
        degrees = words[here] | (words[here + 1].astype(np.int64) << 16)
        switch = here + 2 + 2 * degrees
        fits = switch < total
        here, degrees, switch = here[fits], degrees[fits], switch[fits]
        present = words[switch]
        fits = (present & ~np.uint16(_KNOWN)) == 0
        here, degrees, switch, present = here[fits], degrees[fits], switch[fits], present[fits]
        if not len(here) or here[0] != 0:
            continue
        starts = chain(here, here + _face_size(degrees, present.astype(np.int64)), total)
        if starts is not None:
            return starts
    return None


def _pick(words: npt.NDArray[np.uint16], at: Ints) -> U32:
    return words[at] | (words[at + 1].astype(np.uint32) << np.uint32(16))


def decode_faces(data: Buffer) -> FaceRecords:
    """Decode leaf 011a."""
    count = _count(data, "faces")
    if len(data) % 2:
        raise wrong_size("faces", "an even number of", len(data))
    words: npt.NDArray[np.uint16] = np.frombuffer(data, "<u2", offset=4)
    starts = np.zeros(0, np.int64) if not len(words) else _face_starts(words)
    if starts is None or len(starts) != count:
        found = "other sizes" if starts is None else f"{len(starts)} records"
        raise _misfit("faces", f"{count} records", found)
    degrees = _pick(words, starts).astype(np.int64)
    vertices = _pick(words, ragged_index(starts + 2, 2 * degrees)[::2])
    at = starts + 2 + 2 * degrees
    present = words[at]
    at = at + 1
    flags, smoothing = np.zeros(count, np.uint32), np.zeros(count, np.uint32)
    materials = np.zeros(count, np.uint16)
    has = np.nonzero(present & HAS_FLAGS)[0]
    flags[has] = _pick(words, at[has])
    at[has] += 2
    has = np.nonzero(present & HAS_MATERIAL)[0]
    materials[has] = words[at[has]]
    at[has] += 1
    has = np.nonzero(present & HAS_SMOOTHING)[0]
    smoothing[has] = _pick(words, at[has])
    at[has] += 2
    pairs = _pick(words, ragged_index(at, 4 * diagonal_counts(degrees, present))[::2])
    return FaceRecords(
        degrees, vertices, present, flags, materials, smoothing, pairs.reshape(-1, 2)
    )


def _put(words: npt.NDArray[np.uint16], at: Ints, values: npt.NDArray[Any]) -> None:
    words[at] = values & 0xFFFF
    words[at + 1] = values >> 16


def encode_faces(value: FaceRecords) -> bytes:
    """Encode leaf 011a."""
    degrees = np.asarray(value.degrees, np.int64)
    present = np.asarray(value.present, np.uint16)
    counts = diagonal_counts(degrees, present)
    if int(degrees.sum()) != len(value.vertices) or int(counts.sum()) != len(value.diagonals):
        raise EditError("faces do not have as many corners or diagonals as they say")
    if np.any(present & ~np.uint16(_KNOWN)):
        raise EditError("a face has parts that are not known", expected=f"{_KNOWN:#x}")
    for name, bit in (
        ("flags", HAS_FLAGS),
        ("materials", HAS_MATERIAL),
        ("smoothing", HAS_SMOOTHING),
    ):
        if np.any(getattr(value, name)[(present & bit) == 0]):
            raise EditError(f"{name} of a face are not marked as present")
    has_flags, has_material, has_smoothing = (
        (present & bit) != 0 for bit in (HAS_FLAGS, HAS_MATERIAL, HAS_SMOOTHING)
    )
    sizes = _face_size(degrees, present.astype(np.int64))
    starts = np.cumsum(sizes) - sizes
    words = np.zeros(int(sizes.sum()), "<u2")
    _put(words, starts, degrees)
    _put(words, ragged_index(starts + 2, 2 * degrees)[::2], value.vertices)
    at = starts + 2 + 2 * degrees
    words[at] = present
    at = at + 1
    _put(words, at[has_flags], value.flags[has_flags])
    at = at + 2 * has_flags
    words[at[has_material]] = value.materials[has_material]
    at = at + has_material
    _put(words, at[has_smoothing], value.smoothing[has_smoothing])
    at = at + 2 * has_smoothing
    _put(words, ragged_index(at, 4 * counts)[::2], value.diagonals.reshape(-1))
    return len(degrees).to_bytes(4, "little") + words.tobytes()
