"""Meshes of ``.3ds`` and ``.pod`` files, as triangles to compare."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.support.mesh_compare import Corners

Array = npt.NDArray[np.float64]

_POD_DTYPES = {1: "<f4", 3: "<u2", 17: "<u4"}
_FACES, _POSITIONS, _NORMALS, _COORDINATES = 6003, 6006, 6007, 6010
_BONE_WEIGHTS = 6013
_VERTEX_COUNT, _FACE_COUNT, _INTERLEAVED = 6000, 6001, 6014


def _walk(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    while start + 6 <= end:
        chunk_id, size = struct.unpack_from("<HI", data, start)
        yield chunk_id, start + 6, start + size
        start += max(6, size)


def read_3ds_meshes(path: Path) -> dict[str, Corners]:
    """Return the meshes by name (10 letters at most), in the world; normals are not stored."""
    data = path.read_bytes()
    out: dict[str, Corners] = {}
    for _, start, end in _walk(data, 0, len(data)):
        for editor, first, last in _walk(data, start, end):
            for kind, at, stop in _walk(data, first, last) if editor == 0x3D3D else ():
                if kind != 0x4000:
                    continue
                name_end = data.index(b"\0", at)
                for mesh, inner, close in _walk(data, name_end + 1, stop):
                    if mesh == 0x4100:
                        name = data[at:name_end].decode("latin1")
                        out[name] = _corners_3ds(data, inner, close)
    return out


def _corners_3ds(data: bytes, start: int, end: int) -> Corners:
    parts = {chunk_id: data[at:stop] for chunk_id, at, stop in _walk(data, start, end)}
    points = np.frombuffer(parts[0x4110], "<f4", offset=2).reshape(-1, 3).astype(np.float64)
    (count,) = struct.unpack_from("<H", parts[0x4120])
    rows = np.frombuffer(parts[0x4120], "<u2", 4 * count, 2).reshape(-1, 4)
    faces = rows[:, :3].astype(np.int64)
    uv = None
    if 0x4140 in parts:
        uv = np.frombuffer(parts[0x4140], "<f4", offset=2).reshape(-1, 2).astype(np.float64)[faces]
    return Corners(points[faces], np.full((count, 3, 3), np.nan), uv)


def read_pod_meshes(path: Path) -> dict[str, Corners]:
    """Return the meshes by name of their first node, in the node's space, Z up."""
    return {name: _corners_pod(mesh) for name, mesh in _pod_records(path).items()}


def read_pod_bone_counts(path: Path) -> dict[str, int]:
    """Return by the same names how many bones pull at each vertex at most; 0 without bones."""
    found = {name: mesh.get(_BONE_WEIGHTS) for name, mesh in _pod_records(path).items()}
    return {name: struct.unpack("<I", part[9001])[0] if part else 0 for name, part in found.items()}


def _pod_records(path: Path) -> dict[str, dict[int, Any]]:
    meshes: list[dict[int, Any]] = []
    nodes: list[dict[int, Any]] = []
    record: dict[int, Any] = {}
    array: dict[int, bytes] = {}
    data = path.read_bytes()
    at = 0
    while at + 8 <= len(data):
        tag, size = struct.unpack_from("<II", data, at)
        body = data[at + 8 : at + 8 + size]
        at += 8 + size
        if tag in (2010, 2011, 2012, 2013, 2014, 2015):
            record = {}
            if tag in (2012, 2013):
                (meshes if tag == 2012 else nodes).append(record)
        elif 6003 <= tag <= 6013:
            # Of several channels of coordinates the first counts.
            array = {}
            record.setdefault(tag, array)
        elif 9000 <= tag <= 9003:
            array[tag] = body
        elif body and tag < 0x80000000:
            record[tag] = body
    out: dict[str, dict[int, Any]] = {}
    shown: set[int] = set()
    for node in nodes:
        index = struct.unpack("<i", node[5000])[0] if 5000 in node else -1
        # Cameras and lights count from 0 again, behind the nodes that show meshes.
        if 0 <= index < len(meshes) and index not in shown:
            shown.add(index)
            name = node.get(5001, b"").split(b"\0")[0].decode("latin1")
            out[name] = meshes[index]
    return out


def _corners_pod(mesh: dict[int, Any]) -> Corners:
    def rows(tag: int, width: int) -> Array | None:
        part = mesh.get(tag)
        if not part or not struct.unpack("<I", part[9001])[0]:
            return None
        (kind,), (stride,) = (struct.unpack("<I", part[n]) for n in (9000, 9002))
        raw = part.get(9003, b"")
        if _INTERLEAVED in mesh and len(raw) <= 4:
            raw = mesh[_INTERLEAVED][struct.unpack("<I", raw)[0] if raw else 0 :]
        (count,) = struct.unpack("<I", mesh[_VERTEX_COUNT])
        dtype = np.dtype(_POD_DTYPES[kind])
        return np.stack(
            [np.frombuffer(raw, dtype, width, k * stride).astype(np.float64) for k in range(count)]
        )

    faces = mesh[_FACES]
    (kind,) = struct.unpack("<I", faces[9000])
    (count,) = struct.unpack("<I", mesh[_FACE_COUNT])
    index = np.frombuffer(faces[9003], _POD_DTYPES[kind])[: 3 * count].astype(np.int64)
    index = index.reshape(-1, 3)
    positions, normals, uv = rows(_POSITIONS, 3), rows(_NORMALS, 3), rows(_COORDINATES, 2)
    assert positions is not None
    up = [0, 2, 1], np.array([1.0, -1.0, 1.0])
    if normals is None:
        normals = np.full_like(positions, np.nan)
    return Corners(
        positions[:, up[0]][index] * up[1],
        normals[:, up[0]][index] * up[1],
        None if uv is None else uv[index],
    )
