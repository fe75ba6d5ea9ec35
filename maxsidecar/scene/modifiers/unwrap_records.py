"""Map vertices and faces of Unwrap UVW as arrays (docs/format/modifiers.md, section 3)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from maxsidecar.errors import DecodeError, EditError
from maxsidecar.io.codecs import wrong_size
from maxsidecar.io.headers import Buffer
from maxsidecar.scene.geometry.stored.walk import Ints, chain, ragged_index

__all__ = [
    "CURVED",
    "DEAD",
    "FIRST_WIDTH",
    "UnwrapFaces",
    "UnwrapVertices",
    "decode_early_faces",
    "decode_early_vertices",
    "decode_faces",
    "decode_vertices",
    "edge_count",
    "encode_early_faces",
    "encode_early_vertices",
    "encode_faces",
    "encode_vertices",
    "first_faces",
]

F32: TypeAlias = npt.NDArray[np.float32]
I32: TypeAlias = npt.NDArray[np.int32]
U32: TypeAlias = npt.NDArray[np.uint32]

#: Flag of a face that is not selected below, so that the modifier leaves it alone.
DEAD: Final = 1
#: Flag of a face of a patch, whose record goes on with handles (public samples of the SDK).
CURVED: Final = 8
#: Words of a face record besides its two lists: degree, number, material id, flags.
_HEAD: Final = 4
#: Words of handles and interior points of a face of a patch, for each of its corners.
_HANDLES: Final = 6
#: Words of a face record of the first releases: 4 map vertices, number, material id, flags, and
#: the places of 4 vertices.
FIRST_WIDTH: Final = 19


class _Arrays:
    """Arrays that compare and show as one value, by their bytes."""

    __slots__ = ()

    def _parts(self) -> list[npt.NDArray[Any]]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Arrays) or type(other) is not type(self):
            return False
        mine, theirs = self._parts(), other._parts()
        return len(mine) == len(theirs) and all(
            a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
            for a, b in zip(mine, theirs, strict=True)
        )

    def __hash__(self) -> int:
        return hash(tuple(part.tobytes() for part in self._parts()))

    def __str__(self) -> str:
        digest = hashlib.sha256(b"".join(part.tobytes() for part in self._parts())).hexdigest()
        return f"{len(self._parts()[0])} records, sha256 {digest[:16]}"


@dataclass(slots=True, eq=False)
class UnwrapVertices(_Arrays):
    """Map vertices.

    Attributes:
        coordinates: (n, 3) float32: u, v, w.
        weights: (n,) float32: soft selection.
        controllers: (n,) int32: which controller moves it, -1 none; ``None`` in early files.
        flags: (n,) uint32; bits of no effect on the result, and garbage in many files.
    """

    coordinates: F32
    weights: F32
    controllers: I32 | None
    flags: U32

    @classmethod
    def of(cls, coordinates: npt.ArrayLike, *, early: bool = False) -> UnwrapVertices:
        """Return vertices with these coordinates, and nothing else set."""
        places = np.ascontiguousarray(coordinates, "<f4").reshape(-1, 3)
        count = len(places)
        return cls(
            places,
            np.zeros(count, "<f4"),
            None if early else np.full(count, -1, "<i4"),
            np.zeros(count, "<u4"),
        )

    def _parts(self) -> list[npt.NDArray[Any]]:
        parts = (self.coordinates, self.weights, self.controllers, self.flags)
        return [part for part in parts if part is not None]


@dataclass(slots=True, eq=False)
class UnwrapFaces(_Arrays):
    """Faces.

    Attributes:
        degrees: (n,) int64: numbers of corners; 0 for a face that is gone.
        corners: (c,) uint32: map vertices, face after face.
        numbers: (n,) uint32: number of the face.
        materials: (n,) uint32: material id.
        flags: (n,) uint32: 1 not selected below and so left alone, 8 the face of a patch, 0x10
            selected; others open.
        vertices: (c,) uint32: vertices of the mesh, as ``corners``.
        handles: (h,) uint32: six numbers for each corner of each face of a patch.
    """

    degrees: Ints
    corners: U32
    numbers: U32
    materials: U32
    flags: U32
    vertices: U32
    handles: U32 = field(default_factory=lambda: np.zeros(0, "<u4"))

    @classmethod
    def of(
        cls,
        degrees: npt.ArrayLike,
        corners: npt.ArrayLike,
        vertices: npt.ArrayLike,
        materials: npt.ArrayLike | int = 0,
    ) -> UnwrapFaces:
        """Return faces that are numbered in order, with no flags.

        Args:
            degrees: (n,) numbers of corners.
            corners: (c,) map vertices.
            vertices: (c,) vertices of the mesh.
            materials: (n,) material ids, or one for all.
        """
        sizes = np.array(degrees, np.int64)
        count = len(sizes)
        return cls(
            sizes,
            np.array(corners, "<u4"),
            np.arange(count, dtype="<u4"),
            np.array(np.broadcast_to(np.asarray(materials), (count,)), "<u4"),
            np.zeros(count, "<u4"),
            np.array(vertices, "<u4"),
        )

    def _parts(self) -> list[npt.NDArray[Any]]:
        return [
            self.degrees,
            self.corners,
            self.numbers,
            self.materials,
            self.flags,
            self.vertices,
            self.handles,
        ]


def edge_count(degrees: npt.NDArray[Any], corners: npt.NDArray[Any]) -> int:
    """Return how many edges faces have, as their selection counts them: each once.

    Args:
        degrees: (n,) numbers of corners.
        corners: (c,) vertices, or map vertices, face after face.
    """
    sizes = np.asarray(degrees, np.int64)
    a = np.asarray(corners, np.int64)
    following = np.arange(1, len(a) + 1, dtype=np.int64)
    filled = sizes > 0
    ends = np.cumsum(sizes)
    following[ends[filled] - 1] = (ends - sizes)[filled]
    b = a[following]
    width = int(a.max(initial=0)) + 1
    return len(np.unique(np.minimum(a, b) * width + np.maximum(a, b)))


def _words(data: Buffer, kind: str) -> U32:
    if len(data) % 4:
        raise wrong_size(kind, "a multiple of 4", len(data))
    return np.frombuffer(data, "<u4")


def _counted(data: Buffer, kind: str) -> tuple[int, U32]:
    words = _words(data, kind)
    if not len(words):
        raise wrong_size(kind, "4 and more", 0)
    return int(words[0]), words[1:]


def _misfit(kind: str, expected: object, found: object) -> DecodeError:
    return DecodeError(f"the count of the {kind} does not fit", expected=expected, found=found)


def _vertices(words: U32, width: int) -> UnwrapVertices:
    if len(words) % width:
        raise wrong_size("map vertices", f"a multiple of {4 * width}", 4 * len(words))
    rows = words.reshape(-1, width)
    return UnwrapVertices(
        np.ascontiguousarray(rows[:, :3]).view("<f4"),
        np.ascontiguousarray(rows[:, 3]).view("<f4"),
        np.ascontiguousarray(rows[:, 4]).view("<i4") if width == 6 else None,
        np.ascontiguousarray(rows[:, -1]),
    )


def decode_vertices(data: Buffer) -> UnwrapVertices:
    """Return the map vertices of leaf 0860: a count, then 24 bytes each."""
    count, words = _counted(data, "map vertices")
    value = _vertices(words, 6)
    if count != len(value.flags):
        raise _misfit("map vertices", len(value.flags), count)
    return value


def decode_early_vertices(data: Buffer) -> UnwrapVertices:
    """Return the map vertices of leaf 0270: 20 bytes each."""
    return _vertices(_words(data, "map vertices"), 5)


def _vertex_words(value: UnwrapVertices, width: int) -> U32:
    count = len(value.flags)
    if value.coordinates.shape != (count, 3) or (value.controllers is None) != (width == 5):
        raise EditError("map vertices of the wrong form", expected=f"({count}, 3)")
    rows = np.empty((count, width), "<u4")
    rows[:, :3] = np.ascontiguousarray(value.coordinates, "<f4").view("<u4")
    rows[:, 3] = np.ascontiguousarray(value.weights, "<f4").view("<u4")
    if value.controllers is not None:
        rows[:, 4] = np.ascontiguousarray(value.controllers, "<i4").view("<u4")
    rows[:, -1] = value.flags
    return rows


def encode_vertices(value: UnwrapVertices) -> bytes:
    """Return the bytes of leaf 0860."""
    return len(value.flags).to_bytes(4, "little") + _vertex_words(value, 6).tobytes()


def encode_early_vertices(value: UnwrapVertices) -> bytes:
    """Return the bytes of leaf 0270."""
    return _vertex_words(value, 5).tobytes()


def _faces(words: U32) -> UnwrapFaces:
    if not len(words):
        none = np.zeros(0, "<u4")
        return UnwrapFaces(np.zeros(0, np.int64), none, none, none, none, none)
    every = np.arange(len(words), dtype=np.int64)
    degrees = words.astype(np.int64)
    flags = words[np.minimum(every + 3 + degrees, len(words) - 1)]
    handles = np.where(flags & CURVED, _HANDLES * degrees, 0)
    starts = chain(every, every + _HEAD + 2 * degrees + handles, len(words))
    if starts is None:
        raise DecodeError("the faces do not fill their chunk", expected=4 * len(words))
    degrees, handles = degrees[starts], handles[starts]
    behind = starts + 1 + degrees
    return UnwrapFaces(
        degrees,
        words[ragged_index(starts + 1, degrees)],
        words[behind],
        words[behind + 1],
        words[behind + 2],
        words[ragged_index(behind + 3, degrees)],
        words[ragged_index(behind + 3 + degrees, handles)],
    )


def decode_faces(data: Buffer) -> UnwrapFaces:
    """Return the faces of leaf 0870: a count, then the records."""
    count, words = _counted(data, "faces")
    value = _faces(words)
    if count != len(value.degrees):
        raise _misfit("faces", len(value.degrees), count)
    return value


def decode_early_faces(data: Buffer) -> UnwrapFaces:
    """Return the faces of leaf 0310: the records alone."""
    return _faces(_words(data, "faces"))


def _face_words(value: UnwrapFaces) -> U32:
    degrees = np.asarray(value.degrees, np.int64)
    total, count = int(degrees.sum()), len(degrees)
    lists = (value.corners, value.vertices)
    heads = (value.numbers, value.materials, value.flags)
    if (degrees < 0).any() or any(len(part) != total for part in lists):
        raise EditError("corners of faces: wrong number", expected=total)
    if any(len(part) != count for part in heads):
        raise EditError("faces: wrong number", expected=count)
    handles = np.where(np.asarray(value.flags) & CURVED, _HANDLES * degrees, 0)
    if len(value.handles) != int(handles.sum()):
        raise EditError("handles of faces: wrong number", expected=int(handles.sum()))
    sizes = _HEAD + 2 * degrees + handles
    starts = np.cumsum(sizes) - sizes
    out = np.zeros(int(sizes.sum()), "<u4")
    out[starts] = degrees
    behind = starts + 1 + degrees
    for place, part in enumerate(heads):
        out[behind + place] = part
    out[ragged_index(starts + 1, degrees)] = value.corners
    out[ragged_index(behind + 3, degrees)] = value.vertices
    out[ragged_index(behind + 3 + degrees, handles)] = value.handles
    return out


def encode_faces(value: UnwrapFaces) -> bytes:
    """Return the bytes of leaf 0870."""
    return len(value.degrees).to_bytes(4, "little") + _face_words(value).tobytes()


def encode_early_faces(value: UnwrapFaces) -> bytes:
    """Return the bytes of leaf 0310."""
    return _face_words(value).tobytes()


def first_faces(rows: npt.NDArray[Any]) -> UnwrapFaces:
    """Return the faces of leaf 0280 of the first releases, which tell no vertices.

    Args:
        rows: (n, 19) uint32.
    """
    four = (rows[:, 6] & CURVED) != 0  # the bit had another meaning
    degrees = np.where(four, 4, 3).astype(np.int64)
    corners = rows[:, :4][np.arange(4) < degrees[:, None]]
    flags = (rows[:, 6] & ~np.uint32(CURVED)).astype("<u4")
    return UnwrapFaces(
        degrees, corners, rows[:, 4], rows[:, 5], flags, np.zeros(len(corners), "<u4")
    )
