"""Writing explicit normals, the containers 23a0 and 0300."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from maxsidecar.io.chunks import NARROW, Buffer, encode_header
from maxsidecar.io.headers import scan_sound
from maxsidecar.scene.geometry.mesh import Mesh
from maxsidecar.scene.geometry.normals import corner_normals
from maxsidecar.scene.geometry.stored.normal_specs import FACE_COUNT, FACE_NUMBER, split_run
from maxsidecar.scene.geometry.stored.write_common import BYTE_BITS, bits_body, floats_body

__all__ = ["normals_body"]

#: The state that every file has: built and computed.
_STATE: Final = (0x0B).to_bytes(4, "little")
_MARK: Final = (1).to_bytes(4, "little")
#: From this Scene root id on, the container begins with chunk 0130.
_MARKED: Final = 0x2012


def normals_body(mesh: Mesh, old: Buffer | None, version: int, form: int) -> bytes:
    """Return the body of the container for the explicit normals of a mesh.

    Corners without one get the normal that their smoothing groups make, as a cache.

    Args:
        mesh: The mesh; its ``normals`` are not ``None``.
        old: Body of the old container.
        version: Scene root id.
        form: Header form of the chunks in front of the faces.
    """
    normals = mesh.normals
    assert normals is not None  # noqa: S101
    specified = normals.corners >= 0
    ids = normals.corners.astype(np.int64)
    vectors = normals.vectors
    if not np.all(specified):
        computed = corner_normals(replace(mesh, normals=None))[~specified]
        extra, number = np.unique(computed, axis=0, return_inverse=True)
        ids[~specified] = number.reshape(-1) + len(vectors)
        vectors = np.concatenate([vectors, extra])
    explicit = np.zeros(len(vectors), bool)
    explicit[ids[specified]] = True
    head = _old_head(old)
    state = head.get(0x0100, _STATE)
    parts: list[tuple[int, bytes, bool]] = []
    if 0x0130 in head or (old is None and version >= _MARKED):
        parts.append((0x0130, head.get(0x0130, _MARK), False))
    bits = bits_body(explicit, version)
    parts += [
        (0x0100, state, False),
        (0x0110, floats_body(vectors), False),
        (0x0114, encode_header(0x2700, len(bits), False, form) + bits, True),
        (0x0120, mesh.polygon_count.to_bytes(4, "little"), False),
    ]
    out = [
        piece
        for chunk_id, body, container in parts
        for piece in (encode_header(chunk_id, len(body), container, form), body)
    ]
    return b"".join(out) + _faces(mesh, ids.astype("<i4"), specified, version)


def _old_head(old: Buffer | None) -> dict[int, bytes]:
    if old is None:
        return {}
    spans, _ = scan_sound(old, 0, split_run(old, FACE_NUMBER, FACE_COUNT))
    return {span[0]: bytes(old[span[2] : span[3]]) for span in spans if not span[4]}


def _faces(
    mesh: Mesh, ids: npt.NDArray[np.int32], specified: npt.NDArray[np.bool_], version: int
) -> bytes:
    """Return the records of all faces, those of the same layout made together."""
    degrees = mesh.degrees.astype(np.int64)
    count = mesh.polygon_count
    used = np.zeros(count, bool)
    used[mesh.corner_polygons[specified]] = True
    layouts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]] = []
    sizes = np.zeros(count, np.int64)
    for degree in np.unique(degrees):
        for marked in (False, True):
            faces = np.nonzero((degrees == degree) & (used == marked))[0]
            if not len(faces):
                continue
            corners = mesh.starts[faces].astype(np.int64)[:, None] + np.arange(degree)
            rows = _records(mesh, faces, ids[corners], specified[corners], marked, version)
            layouts.append((faces, rows))
            sizes[faces] = rows.shape[1]
    starts = np.cumsum(sizes) - sizes
    out = np.zeros(int(sizes.sum()), np.uint8)
    for faces, rows in layouts:
        out[starts[faces][:, None] + np.arange(rows.shape[1])] = rows
    return out.tobytes()


def _records(
    mesh: Mesh,
    faces: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    specified: npt.NDArray[np.bool_],
    marked: bool,
    version: int,
) -> npt.NDArray[np.uint8]:
    """Return the records of faces of one layout, (k, bytes)."""
    count, degree = ids.shape
    numbers = np.ascontiguousarray(ids).view(np.uint8).reshape(count, 4 * degree)
    bits = np.packbits(specified, axis=1, bitorder="little")
    body: list[npt.NDArray[np.uint8]] = []
    if mesh.is_polygons:
        body += [_header(count, 0x0200, 4 + 4 * degree), _number(count, degree), numbers]
    else:
        body += [_header(count, 0x0200, 4 * degree), numbers]
    if marked and mesh.is_polygons:
        if version < BYTE_BITS:
            bits = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 4)))
        payload = 4 + bits.shape[1]
        body += [
            _header(count, 0x0210, 6 + payload, True),
            _header(count, 0x2700, payload),
            _number(count, degree),
            bits,
        ]
    elif marked:
        body += [_header(count, 0x0210, 4), np.pad(bits, ((0, 0), (0, 3)))]
    size = sum(part.shape[1] for part in body)
    index = np.ascontiguousarray(faces.astype("<u4")).view(np.uint8).reshape(count, 4)
    head = [_header(count, 0x0124, 4), index, _header(count, 0x0128, size, True)]
    return np.concatenate([*head, *body], axis=1)


def _header(count: int, chunk_id: int, size: int, container: bool = False) -> npt.NDArray[np.uint8]:
    header = encode_header(chunk_id, size, container, NARROW)
    return np.tile(np.frombuffer(header, np.uint8), (count, 1))


def _number(count: int, number: int) -> npt.NDArray[np.uint8]:
    return np.tile(np.frombuffer(number.to_bytes(4, "little"), np.uint8), (count, 1))
